"""What memstore did last, kept so that it can be undone, and what it has begun."""

from __future__ import annotations

from typing import NamedTuple, Protocol


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
