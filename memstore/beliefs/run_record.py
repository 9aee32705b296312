"""When consolidation ran last here, for the one who acts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class Run(NamedTuple):
    """One run: when, in UTC, and the refs of the memories that it looked at."""

    at: datetime
    refs: frozenset[str]


class RunRecord(Protocol):
    """Remembers the last run."""

    def last(self) -> Run | None:
        """Return the last run; None where none is known."""

    def record(self, run: Run) -> None:
        """Remember a run instead of the one before."""
