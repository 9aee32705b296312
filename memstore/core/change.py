"""The values that go into a transaction and come out of it: edits, changes, operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from memstore.core.short_repr import short_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from memstore.core.conflict import Conflict
    from memstore.core.errors import FormatError
    from memstore.core.finding import Finding
    from memstore.core.memory import Memory
    from memstore.files.memory_file import BrokenFile, MemoryFile, ReadFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change to one file: `before` is the file as it was read, None for a new file.

    `made` is the file that `after` makes, if it has already been read. A file that can't be read is only replaced if
    the edit `mends` it. The time of a new memory is a stated one if the edit `is_dated`, else that of writing. One that
    `is_same` was a memory elsewhere and keeps its id: it comes in whatever else says the same.
    """

    path: str
    before: ReadFile | None
    after: bytes
    made: MemoryFile | None = None
    mends: bool = False
    is_dated: bool = False
    is_same: bool = False


class Act(NamedTuple):
    """What an operation does outside of the vault's tree, where its event alone is written.

    `tells` is a file that has other bytes, or is gone, once it is done. If it is not done, the files in `keeps` get
    back what they had.
    """

    do: Callable[[], None]
    tells: Path
    keeps: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """The result of saving one memory, or of a dry run: `diff` is the unified diff, empty if nothing changes.

    `commit` is the commit that contains it; None if no commit was asked for, or if the file `stays_out`: git ignores it
    or already has it in this state. `conflicts` are the open conflicts with other memories that its new text raises.
    `compared_in_part` is true if this comparison may have missed files of a very large vault that were rewritten in
    place, or left out some of many alike. `is_first` means that nothing was written, since this memory has said exactly
    that before.
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
    is_first: bool = False

    __repr__ = short_repr

    @property
    def changed(self) -> bool:
        """Whether the file changes."""
        return bool(self.diff)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedOne:
    """A saved memory; derived classes say what else came of it."""

    saved: Saved

    @property
    def ref(self) -> str | None:
        """The ref of the memory; None if it has no id."""
        return self.saved.ref


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in the source of an import that does not become a memory, and why; it is counted and named.

    `broken` is whether it was meant to be one, and can't be read.
    """

    where: str
    why: str
    broken: bool = False

    @classmethod
    def unread(cls, where: str, error: FormatError) -> Self:
        """Return what says of a record that it can't be read."""
        return cls(error.where or where, error.why, broken=True)


@dataclass(frozen=True, slots=True)
class Changes:
    """Memories and plain notes that were added, removed, moved or changed, and files that can't be read now."""

    memories: tuple[MemoryChange, ...]
    broken: tuple[BrokenFile, ...]
    notes: tuple[MemoryChange, ...] = ()

    @property
    def all(self) -> tuple[MemoryChange, ...]:
        """The changes of memories and of plain notes, by path."""
        return tuple(
            sorted((*self.memories, *self.notes), key=lambda change: change.path_after or change.path_before or "")
        )


@dataclass(frozen=True, slots=True)
class Pending:
    """The changes since the current commit that the viewer may see, and the files that now contain them, by path."""

    changes: Changes
    files: Mapping[str, ReadFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """The result of a commit; `commit` is None and the rest empty if nothing was pending.

    `own_files` are files of the vault itself, like its settings. `left_out` are pending files that can't be read.
    `findings` are warnings about the committed memories, and about keys that nobody signed for.
    """

    commit: str | None
    message: str
    refs: tuple[str, ...]
    own_files: tuple[str, ...]
    left_out: tuple[str, ...]
    findings: tuple[Finding, ...]

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """The operation that was undone, the time it was done, and the paths of its files.

    `diff` is what a dry run would change, with sealed files opened.
    """

    verb: str
    at: str
    paths: tuple[str, ...]
    diff: str = ""

    __repr__ = short_repr


# -- the change of one memory between two states ---------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """A memory before and after a change, with the paths of its file; None on the side where it doesn't exist.

    Of a plain note (`is_note`) it has what is known of that anyway (`files.memory_file.PlainFile`).
    """

    before: Memory | None
    after: Memory | None
    path_before: str | None
    path_after: str | None
    is_note: bool = False

    @property
    def memory(self) -> Memory:
        """The memory as it is now, or as it last was."""
        memory = self.after or self.before
        if memory is None:
            raise ValueError("a change of nothing")
        return memory

    @property
    def name(self) -> str:
        """The memory's name where its text must not be shown: its ref, or its path if it has no ref."""
        ref = self.memory.ref
        return str(ref) if ref else self.path_after or self.path_before or ""

    @property
    def is_move(self) -> bool:
        """Whether the file's path changed."""
        return bool(self.path_before and self.path_after and self.path_before != self.path_after)


# -- the last operation, and a begun one -----------------------------------------------------------


class Written(NamedTuple):
    """What an operation did to one file: its bytes before and after, None where the file does not exist."""

    path: str
    before: bytes | None
    after: bytes | None


# What the verb of an undo begins with.
UNDO_OF = "undo of "


class Operation(NamedTuple):
    """The files that one command wrote; `verb` is the command, `at` the time it was done, RFC 3339 in UTC.

    There are none if it can't be undone.

    `by` is who did it; None if that was not recorded.
    """

    verb: str
    at: str
    files: tuple[Written, ...]
    by: str | None = None


def joined(first: Operation, second: Operation) -> Operation:
    """Return two operations as one step of `undo`, under the second one's name.

    If a file was changed between the two, they stay apart: what somebody wrote there is not to be taken back.
    """
    files = {file.path: file for file in first.files}
    for path, before, after in second.files:
        known = files.pop(path, None)
        if known and known.after != before:
            return second
        files[path] = Written(path, known.before if known else before, after)
    return second._replace(files=tuple(files.values()))


def names_in(operation: Operation, names: Collection[str]) -> bool:
    """Return whether one of some names occurs in an operation's paths or files."""
    texts = [
        text for file in operation.files for text in (file.path.encode(errors="surrogateescape"), *file[1:]) if text
    ]
    return any(name.encode() in text for name in names for text in texts)


class Journal(Protocol):
    """Remembers the last operation and a begun one; raises `VaultError` if it can't be written or read."""

    def begin(self, operation: Operation) -> None:
        """Remember what is about to be written, until it is recorded or cleared."""

    def begun(self) -> Operation | None:
        """Return the operation that was begun and not cleared; None if there is none or its record is garbled."""

    def record(self, operation: Operation) -> None:
        """Remember an operation as the last one of whoever did it, in place of the one before.

        If the operation is too large, it is not kept, and the one before is dropped as well.

        Afterwards no operation counts as begun. An error means that the operation was not recorded, unless `recorded`
        is true.
        """

    def recorded(self) -> bool:
        """Return whether the begun operation was recorded but not cleared, because the program died in between."""

    def clear(self) -> None:
        """Forget what was begun."""

    def forget(self, names: Collection[str], operation: Operation) -> None:
        """Drop every operation in whose files or paths one of these names occurs, and remember this one instead."""

    def last(self, by: str | None = None) -> Operation | None:
        """Return the last operation of an entity, or of anybody; None if none is known.

        Each entity has its own, so that nobody learns from theirs that somebody else wrote something.
        """

    def mark(self, by: str) -> Callable[[], None]:
        """Return what drops the operation that an entity does next: `last` is then what it is now."""
