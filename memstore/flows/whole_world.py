"""The world with its memories: what every question about somebody else's sight starts from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memstore.flows.labels import CatalogLabels
from memstore.flows.registries import world_of

if TYPE_CHECKING:
    from memstore.model.world import World
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


def whole_world(ws: Workspace, snapshot: Snapshot) -> World:
    """Return what the registries say now, with the labels of all memories that have an id."""
    return replace(world_of(ws), memories=CatalogLabels(snapshot.catalog))
