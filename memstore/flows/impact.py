"""What would lose ground if memories were gone: asked before anything is forgotten or archived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.flows.lineage import graph_of, row_of
from memstore.model.one_line import one_line
from memstore.rules import lineage_trace, lineage_walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.view import View
    from memstore.model.lineage import Edge, Node
    from memstore.rules.lineage_graph import Graph


@dataclass(frozen=True, slots=True, kw_only=True)
class Harmed:
    """A memory, and the edges that it would lose."""

    node: Node
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What the loss of `gone` would do.

    `lost` would have no ground left: all that they rest on, directly or not, would be gone. `weakened` would lose a
    source and still stand. Both are told nearest first, then by name; `left_out` counts those beyond the limit.
    """

    gone: tuple[Node, ...]
    lost: tuple[Harmed, ...]
    weakened: tuple[Harmed, ...]
    left_out: int = 0

    __repr__ = one_line


def impact_of(view: View, refs: Sequence[str], *, limit: int | None = None) -> Impact:
    """Return what would lose ground, of what the viewer may see, if these memories were gone.

    Args:
        view: the vault.
        refs: what names the memories.
        limit: how many to tell of at most, the lost ones first; None for all.

    Raises:
        NotFoundError: one of them is no memory that the viewer may see.
    """
    entries = [view.find(ref) for ref in refs]
    graph = graph_of(view)
    gone = sorted({row_of(graph, entry) for entry in entries}, key=graph.name)
    found = lineage_walk.impact(graph, gone)
    lost = lineage_walk.nearest(graph, found.lost, limit)
    weakened = lineage_walk.nearest(graph, found.weakened, None if limit is None else limit - len(lost))
    harmed = sum(map(len, (*found.lost, *found.weakened)))
    return Impact(
        gone=tuple(lineage_trace.node_of(graph, row) for row in gone),
        lost=tuple(_harmed(graph, found, row) for row in lost),
        weakened=tuple(_harmed(graph, found, row) for row in weakened),
        left_out=harmed - len(lost) - len(weakened),
    )


def _harmed(graph: Graph, found: lineage_walk.Impact, row: int) -> Harmed:
    cut = lineage_walk.cut_from(graph, row, found.going)
    return Harmed(
        node=lineage_trace.node_of(graph, row), edges=tuple(lineage_trace.edge_of(graph, row, link) for link in cut)
    )
