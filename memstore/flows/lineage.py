"""The graph of lineage as the one who looks may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.errors import ChangedMeanwhileError
from memstore.flows.visible import sees_unreadable, visible_rows
from memstore.rules.edge_table import edges_of, has_copies
from memstore.rules.lineage_graph import Graph

if TYPE_CHECKING:
    from memstore.model.catalog import Entry
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


def graph_of(ws: Workspace, snapshot: Snapshot) -> Graph:
    """Return the graph of all memories that the viewer may see; memories that they may not see do not exist.

    Refs that lead nowhere are shown to the vault's owner alone: to anybody else they might tell of a hidden memory.
    """
    catalog = snapshot.catalog
    is_owner = sees_unreadable(ws)
    rows = visible_rows(ws, snapshot)
    table = catalog.edges()
    if table and len(rows) < len(catalog.memories) and has_copies(catalog.column("id"), catalog.memories):
        table = None  # of two memories with the same id the one that refs lead to may be hidden

    if table is None:
        ids = catalog.column("id")
        known = {ids[row] for row in catalog.memories}  # hidden ones too
        table = edges_of(catalog.column, rows, is_missing=lambda memory_id: is_owner and memory_id not in known)
    return Graph(catalog.column, rows, table, shows_missing=is_owner)


def row_of(graph: Graph, entry: Entry) -> int:
    """Return the node of a memory that was resolved; `ChangedMeanwhileError` where it is not there any more."""
    row = graph.row_at(entry.path, entry.id)
    if row is None:
        raise ChangedMeanwhileError(f"{entry.path} changed while it was read", hint="try again")
    return row
