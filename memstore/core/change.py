"""What goes into a transaction and what comes out of it: edits, conflicts, operations, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memstore.core.short_repr import short_repr

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.core.finding import Finding
    from memstore.core.memory import Memory
    from memstore.files.memory_file import BrokenFile, MemoryFile, ReadFile


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

    __repr__ = short_repr

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

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """Which operation was taken back, when it had been done, and the paths of its files."""

    verb: str
    at: str
    paths: tuple[str, ...]

    __repr__ = short_repr


# -- what happened to one memory between two states ------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """A memory before and after, with the paths of its file; None on the side where it is not there."""

    before: Memory | None
    after: Memory | None
    path_before: str | None
    path_after: str | None

    @property
    def memory(self) -> Memory:
        """The memory as it is, or as it last was."""
        memory = self.after or self.before
        if memory is None:
            raise ValueError("a change of nothing")
        return memory

    @property
    def name(self) -> str:
        """What the memory is called where its text must not show: its ref, or its path where it has none."""
        ref = self.memory.ref
        return str(ref) if ref else self.path_after or self.path_before or ""

    @property
    def is_move(self) -> bool:
        """Whether the file got another name."""
        return bool(self.path_before and self.path_after and self.path_before != self.path_after)


# -- two memories that can't both be right ---------------------------------------------------------


class ConflictType(Enum):
    """What kind of conflict it is (seed 003)."""

    CONTRADICTION = "contradiction"
    TEMPORAL = "temporal"
    SEMANTIC = "semantic"


# Seed 003, "Types of Conflicts": what a conflict takes from the quality of both sides, and what it suggests to do.
PENALTY = {ConflictType.CONTRADICTION: 0.30, ConflictType.TEMPORAL: 0.15, ConflictType.SEMANTIC: 0.10}
RESOLUTION = {
    ConflictType.CONTRADICTION: "manual_review",
    ConflictType.TEMPORAL: "timestamp_priority",
    ConflictType.SEMANTIC: "merge_or_clarify",
}


class Lines(NamedTuple):
    """Where one side says it: lines from 1, both inclusive, and what stands there."""

    path: str
    line_start: int
    line_end: int
    excerpt: str


class Conflict(NamedTuple):
    """An open conflict between two memories, the one that was asked about first.

    `penalty` is what it takes from the quality of the first, from 0 to 0.3; `command` decides it, or shows what to
    decide about; `rule` is what found it. Of a temporal one `current` is the ref of the memory that is likely to hold
    now; None where each tells what was so in its time.
    """

    conflict_type: ConflictType
    penalty: float
    refs: tuple[str, str]
    titles: tuple[str, str]
    lines: tuple[Lines, Lines]
    rule: str
    command: str
    current: str | None = None

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def suggested_resolution(self) -> str:
        """Seed 003's name of what to do."""
        return RESOLUTION[self.conflict_type]


# -- what was done last, and what was begun --------------------------------------------------------


class Written(NamedTuple):
    """What an operation made of one file: its bytes before and after, None where there was or is no file."""

    path: str
    before: bytes | None
    after: bytes | None


class Operation(NamedTuple):
    """One command's writing; `verb` is the command, `at` when it was done, RFC 3339 in UTC.

    `by` is who did it; None where nobody wrote that down.
    """

    verb: str
    at: str
    files: tuple[Written, ...]
    by: str | None = None


class Journal(Protocol):
    """Remembers the last operation, and one that was begun; what can't be kept or read is a `VaultError`."""

    def begin(self, operation: Operation) -> None:
        """Remember what is about to be written, until it is recorded or cleared."""

    def begun(self) -> Operation | None:
        """Return the operation that was begun and not cleared; None where all is well, or what is kept is garbled."""

    def record(self, operation: Operation) -> None:
        """Remember an operation instead of the one before of whoever did it.

        One that is too large is not kept, and neither is that.

        None is begun any more. An error means that it was not recorded, unless `recorded` says otherwise.
        """

    def recorded(self) -> bool:
        """Whether what was begun has been recorded since: the program died between that and clearing it."""

    def clear(self) -> None:
        """Forget what was begun."""

    def last(self, by: str | None = None) -> Operation | None:
        """Return the last operation of an entity, or of anybody; None where none is known.

        Each has one, so that nobody learns from their own that somebody else wrote something.
        """
