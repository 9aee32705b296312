"""What memstore did last, kept so that it can be undone."""

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
    """Remembers the last operation, and one that was begun."""

    def begin(self, operation: Operation) -> None:
        """Remember what is about to be written, until it is recorded."""

    def begun(self) -> Operation | None:
        """Return the operation that was begun and not recorded; None where all is well."""

    def record(self, operation: Operation) -> None:
        """Remember an operation instead of the one before; one that is too large is not kept, and neither is that.

        None is begun any more.
        """

    def last(self) -> Operation | None:
        """Return the last operation, or None where none is known."""
