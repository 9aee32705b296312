"""What was used on purpose: a log of this user on this machine, which no repository holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import datetime
    from pathlib import Path

# What counts as a use. Being listed, found or surfaced is none.
How = Literal["show", "expand", "cite", "accept"]


class Use(NamedTuple):
    """One use of a memory: when, in UTC, by which entity, and how (`How`; another version may know other words)."""

    memory_id: str
    at: datetime
    by: str
    how: str


class UsageLog(Protocol):
    """Remembers uses as well as it can; it never fails, since nothing but a number depends on it."""

    @property
    def path(self) -> Path | None:
        """Where it lies, there or not yet; None where nothing is remembered."""

    def record(self, use: Use) -> None:
        """Remember a use; forget it silently where that can't be done."""

    def uses(self, memory_ids: Collection[str] | None = None) -> Iterator[Use]:
        """Yield the uses of these memories, or of all, in no order; what can't be read is left out."""
