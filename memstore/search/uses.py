"""Deliberate uses of memories, logged locally for this user on this machine and never stored in the repository."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from memstore.search import USAGE
from memstore.search.usage_log import How, Use

if TYPE_CHECKING:
    from memstore.core.view import View


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
