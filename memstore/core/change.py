"""What is to become of files, and what became of them: the values that go into a transaction and come out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.model.one_line import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.codec.memory_file import BrokenFile, MemoryFile, ReadFile
    from memstore.model.change import MemoryChange
    from memstore.model.conflict import Conflict
    from memstore.model.finding import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What is to become of one file: `before` is the file as it was read, None for a new one.

    `made` is the file that `after` makes, where it has been read already.
    """

    path: str
    before: ReadFile | None
    after: bytes
    made: MemoryFile | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What became of one memory, or would: `diff` is the unified diff, empty where nothing changes.

    `commit` is the commit that has it, None where none was asked for, or where it `stays_out`: git ignores the file, or
    has it as it is. `conflicts` are the open ones with other memories that what it says anew raises; `compared_in_part`
    is whether files of a very large vault that were written anew in place may have been overlooked for that.
    """

    ref: str | None
    path: str
    title: str
    diff: str
    findings: tuple[Finding, ...] = ()
    commit: str | None = None
    stays_out: bool = False
    conflicts: tuple[Conflict, ...] = ()
    compared_in_part: bool = False

    __repr__ = one_line

    @property
    def changed(self) -> bool:
        """Whether the file differs from what it was."""
        return bool(self.diff)


@dataclass(frozen=True, slots=True)
class Changes:
    """Memories that came, went, moved or became different; and files that can't be read now."""

    memories: tuple[MemoryChange, ...]
    broken: tuple[BrokenFile, ...]


@dataclass(frozen=True, slots=True)
class Pending:
    """The changes since the current commit that the viewer may see, and the files that hold them now, by path."""

    changes: Changes
    files: Mapping[str, ReadFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """What was committed: None and nothing where nothing was pending.

    `own_files` are files of the vault itself, like its settings; `left_out` pending files that can't be read;
    `findings` warnings about memories that were committed, and about keys that nobody signed for.
    """

    commit: str | None
    message: str
    refs: tuple[str, ...]
    own_files: tuple[str, ...]
    left_out: tuple[str, ...]
    findings: tuple[Finding, ...]

    __repr__ = one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """Which operation was taken back, when it had been done, and the paths of its files."""

    verb: str
    at: str
    paths: tuple[str, ...]

    __repr__ = one_line
