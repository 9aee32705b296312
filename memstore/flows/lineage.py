"""The graph of lineage as the one who looks may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.errors import ChangedMeanwhileError
from memstore.rules.edge_table import edges_of
from memstore.rules.lineage_graph import Graph

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.model.catalog import Entry


def graph_of(view: View) -> Graph:
    """Return the graph of all memories that the viewer may see; memories that they may not see do not exist.

    Refs that lead nowhere are shown to the vault's owner alone: to anybody else they might tell of a hidden memory.
    """
    table = view.edges()
    if table is None:
        ids = view.column("id")
        known = {ids[row] for row in view.whole.rows} if view.is_owners else None
        table = edges_of(
            view.column, view.rows, is_missing=lambda memory_id: known is not None and memory_id not in known
        )
    return Graph(view.column, view.rows, table, shows_missing=view.is_owners)


def row_of(graph: Graph, entry: Entry) -> int:
    """Return the node of a memory that was resolved; `ChangedMeanwhileError` where it is not there any more."""
    row = graph.row_at(entry.path, entry.id)
    if row is None:
        raise ChangedMeanwhileError(f"{entry.path} changed while it was read", hint="try again")
    return row
