"""The world with its memories: what every question about somebody else's sight starts from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memstore.flows.labels import CatalogLabels
from memstore.flows.registries import world_of
from memstore.flows.visible import sees_unreadable, visible_rows

if TYPE_CHECKING:
    from memstore.model.world import World
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


def whole_world(ws: Workspace, snapshot: Snapshot) -> World:
    """Return what the registries say now, with the labels of all memories that have an id."""
    return replace(world_of(ws), memories=CatalogLabels(snapshot.catalog))


def known_world(ws: Workspace, snapshot: Snapshot) -> World:
    """Return the world as the actor may know it: to others than the vault's owner what is hidden is not there."""
    world = whole_world(ws, snapshot)
    if sees_unreadable(ws):
        return world
    ids = snapshot.catalog.column("id")
    seen = {ids[row] for row in visible_rows(ws, snapshot) if ids[row]}
    return replace(world, memories={memory_id: world.memories[memory_id] for memory_id in seen})
