"""Time and chance, which enter from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the time, in UTC, to the second."""


class IdSource(Protocol):
    """Makes ids for new memories."""

    def memory_id(self) -> str:
        """Return an id that is new in all likelihood."""
