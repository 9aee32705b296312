"""A trace: the part of the graph around one memory, and the tree that is drawn of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.model.lineage import Branch, Direction, Edge, Mark, Node, NodeState, Trace
from memstore.model.provenance import is_external_mark
from memstore.rules import lineage_walk
from memstore.rules.lineage import knots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.rules.lineage_graph import Graph, Key, Link


def trace(graph: Graph, start: int, *, direction: Direction, depth: int | None = None) -> Trace:
    """Return where a memory comes from, or what has come from it.

    Args:
        graph: the graph.
        start: the memory's row.
        direction: up to sources, or down to dependents.
        depth: how many edges to follow at most; None for all. Roots and ground are told whatever the depth.
    """
    drawing = _Drawing(graph, start, up=direction is Direction.UP, depth=depth)
    chain = lineage_walk.chain(graph, start)
    return Trace(
        direction=direction,
        nodes=tuple(drawing.nodes.values()),
        edges=tuple(edge for lines in drawing.lines.values() for _, edge, _ in lines),
        tree=tuple(drawing.branches()),
        roots=tuple(node_of(graph, key) for key in lineage_walk.roots(graph, start)),
        chain=tuple(node_of(graph, key) for key in chain) if len(chain) > 1 else (),
        is_ungrounded=lineage_walk.is_ungrounded(graph, start),
    )


def node_of(graph: Graph, key: Key, *, distance: int = 0) -> Node:
    """Return what is known of a node."""
    if isinstance(key, str):
        state = NodeState.EXTERNAL if is_external_mark(key) else NodeState.MISSING
        return Node(key=key, state=state, distance=distance)
    cells = [graph.column(name)[key] for name in ("type", "title", "status", "path", "source_type")]
    return Node(graph.name(key), NodeState.MEMORY, distance, *cells)


def edge_of(graph: Graph, dependent: Key, source: Link) -> Edge:
    """Return the edge from a dependent to one of its sources."""
    return Edge(dependent=graph.name(dependent), source=graph.name(source.key), kinds=source.kinds, ops=source.ops)


class _Drawing:
    """The nodes and edges of a trace, and their order on paper.

    `nodes` are in the order in which they were reached. `lines` has for each the edges that lead on from it: where to,
    the edge, and whether it was the first to get there, so that the node is drawn below it.
    """

    def __init__(self, graph: Graph, start: Key, *, up: bool, depth: int | None) -> None:
        self.start = start
        distances = lineage_walk.distances(graph, [start], up=up, depth=depth)
        around = graph.above if up else graph.below
        self.nodes = {key: node_of(graph, key, distance=distance) for key, distance in distances.items()}
        self._cut = {
            key
            for key, distance in distances.items()
            if distance == depth and not around[key].keys() <= self.nodes.keys()
        }
        inner = {key: {} if distance == depth else around[key] for key, distance in distances.items()}
        knot_of = {key: number for number, knot in enumerate(knots(inner)) for key in knot}
        drawn = {start}
        self.lines: dict[Key, list[tuple[Key, Edge, bool]]] = {}
        for key, near in inner.items():
            here = knot_of[key]
            lines = self.lines[key] = []
            for other, bits in near.items():
                dependent, source = (key, other) if up else (other, key)
                edge = Edge(
                    graph.names[dependent],
                    graph.names[source],
                    graph.kinds(bits),
                    graph.ops(dependent, source, bits),
                    here == knot_of[other],
                )
                lines.append((other, edge, other not in drawn))
                drawn.add(other)

    def branches(self) -> Iterator[Branch]:
        """Yield the lines of the tree: every node where it was reached first, at its least distance.

        Wherever else an edge leads to a node, a mark says that it stands above or below, or that the way is a circle.
        """
        drawn: set[Key] = set()
        waiting: list[tuple[int, Key, Edge | None, bool, bool]] = [(0, self.start, None, True, True)]
        while waiting:
            level, key, edge, is_own_place, is_last = waiting.pop()
            if is_own_place:
                mark = Mark.CUT if key in self._cut else Mark.NONE
                drawn.add(key)
                is_last_here = True
                for line in reversed(self.lines[key]):
                    waiting.append((level + 1, *line, is_last_here))
                    is_last_here = False
            elif edge is not None and edge.in_cycle:
                mark = Mark.CYCLE
            else:
                mark = Mark.ABOVE if key in drawn else Mark.BELOW
            yield Branch(level, self.nodes[key], edge, mark, is_last)
