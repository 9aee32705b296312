"""What of a snapshot the viewer may see: the one place where every flow that lists, finds or shows asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.errors import RefusedError
from memstore.rules.access import may_see

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


def visible_rows(ws: Workspace, snapshot: Snapshot) -> Sequence[int]:
    """Return the rows of the memories that the one who looks may see, ascending."""
    owners = snapshot.catalog.column("owner")
    # Owners are few where memories are many: decide once for each.
    seeing = {owner: may_see(owner, ws.actor, ws.config.owner) for owner in set(owners)}
    if all(seeing.values()):
        return snapshot.catalog.memories
    return [row for row in snapshot.catalog.memories if seeing[owners[row]]]


def sees_unreadable(ws: Workspace) -> bool:
    """Whether the one who looks may know of files that can't be read: only the vault's owner, whose they must be."""
    return may_see("", ws.actor, ws.config.owner)


def stop_for_others(ws: Workspace) -> None:
    """Let the vault's owner pass, who has all files anyway; anybody else is told the same, whatever they named.

    Raises:
        RefusedError: the one who looks isn't the vault's owner.
    """
    if not sees_unreadable(ws):
        raise RefusedError("the history and the checks of a vault are its owner's alone", hint="ask the owner")
