"""The log of deliberate uses of memories: local for this user on this machine and never stored in the repository."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

# The kinds of use. Being listed, found or surfaced is not a use.
How = Literal["show", "expand", "cite", "accept"]


class Use(NamedTuple):
    """One use of a memory: the time in UTC, the entity, and the kind (`How`; other versions may have other kinds)."""

    memory_id: str
    at: datetime
    by: str
    how: str


class UsageLog(Protocol):
    """A best-effort log of uses; it never fails, because only the strength of memories depends on it."""

    @property
    def path(self) -> Path | None:
        """The path of the log, which may not exist yet; None if nothing is recorded."""

    def record(self, use: Use) -> None:
        """Record a use; a failed write is ignored."""

    def uses(self, memory_ids: Collection[str] | None = None) -> Iterator[Use]:
        """Yield the uses of these memories, or of all, in no particular order; unreadable entries are skipped."""
