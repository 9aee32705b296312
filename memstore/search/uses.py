"""Deliberate uses of memories, logged locally for this user on this machine and never stored in the repository."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from memstore.search import USAGE

if TYPE_CHECKING:
    from memstore.core.view import View


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


# -- recording and reading uses ---------------------------------------------------------------------


def record_use(view: "View", memory_id: str | None, how: How) -> None:
    """Record that the viewer used a memory that they may see; without an id, nothing is recorded."""
    if memory_id:
        view.of(USAGE).record(Use(memory_id, view.clock.now(), view.actor, how))


def uses_of(view: "View", memory_ids: Collection[str] | None = None) -> Mapping[str, list[Use]]:
    """Return the uses of these memories, or of all, by id, oldest first; memories without uses are left out.

    The vault's owner sees everybody's uses. Anybody else sees only their own, so that the owner's reading habits don't
    influence the results of others.
    """
    sees_all = view.is_owners
    found: dict[str, list[Use]] = {}
    for use in view.of(USAGE).uses(memory_ids):
        if sees_all or use.by == view.actor:
            found.setdefault(use.memory_id, []).append(use)
    for uses in found.values():
        uses.sort()
    return found
