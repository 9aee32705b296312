"""A trace: the part of the graph around one memory, and the tree that is drawn of it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memstore.model.lineage import Branch, Direction, Edge, Mark, Node, NodeState, Series, Trace
from memstore.model.provenance import is_external_mark
from memstore.rules import lineage_walk
from memstore.rules.lineage import knots

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.rules.lineage_graph import Graph, Key, Link

_NOWHERE: Mapping[Key, int] = {}


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
        start=node_of(graph, start),
        direction=direction,
        nodes=Series(drawing.nodes),
        edges=Series(drawing.edges),
        tree=Series(drawing.branches),
        roots=Series(lambda: (node_of(graph, key) for key in lineage_walk.roots(graph, start))),
        chain=tuple(node_of(graph, key) for key in chain) if len(chain) > 1 else (),
        is_ungrounded=lineage_walk.is_ungrounded(graph, start),
    )


def node_of(graph: Graph, key: Key, *, distance: int = 0) -> Node:
    """Return what is known of a node."""
    if isinstance(key, str):
        state = NodeState.EXTERNAL if is_external_mark(key) else NodeState.MISSING
        return Node(key=key, state=state, distance=distance)
    return Node(graph.names[key], NodeState.MEMORY, distance, *[column[key] for column in graph.described_by])


def edge_of(graph: Graph, dependent: Key, source: Link) -> Edge:
    """Return the edge from a dependent to one of its sources."""
    return Edge(dependent=graph.name(dependent), source=graph.name(source.key), kinds=source.kinds, ops=source.ops)


class _Drawing:
    """The nodes and edges of a trace, and their order on paper.

    A node stands below the one from which it was reached first.
    """

    def __init__(self, graph: Graph, start: int, *, up: bool, depth: int | None) -> None:
        self._graph, self._start, self._up, self._depth = graph, start, up, depth
        self._around = graph.above if up else graph.below
        self._distances = lineage_walk.distances(graph, [start], up=up, depth=depth)
        self._nodes: dict[Key, Node] = {}

    def nodes(self) -> Iterator[Node]:
        """Yield the nodes in the order in which they were reached."""
        return map(self._node, self._distances)

    def edges(self) -> Iterator[Edge]:
        """Yield the edges that lead on from each node, in the nodes' order."""
        for key in self._distances:
            for other, bits in self._near(key).items():
                yield self._edge(key, other, bits)

    def branches(self) -> Iterator[Branch]:
        """Yield the lines of the tree: every node where it was reached first, at its least distance.

        Wherever else an edge leads to a node, a mark says that it stands above or below, or that the way is a circle.
        """
        drawn: set[Key] = set()
        # The key, the edge that led there, whether its own place is here, and whether nothing stands beside it below.
        waiting: list[tuple[int, Key, Edge | None, bool, bool]] = [(0, self._start, None, True, True)]
        reached_from = self._reached_from
        while waiting:
            level, key, edge, is_own_place, is_last = waiting.pop()
            if is_own_place:
                mark = Mark.CUT if self._is_cut(key) else Mark.NONE
                drawn.add(key)
                is_last_here = True
                near = self._near(key)
                for other in reversed(near):
                    line = self._edge(key, other, near[other])
                    waiting.append((level + 1, other, line, reached_from[other] == key, is_last_here))
                    is_last_here = False
            elif edge is not None and edge.in_cycle:
                mark = Mark.CYCLE
            else:
                mark = Mark.ABOVE if key in drawn else Mark.BELOW
            yield Branch(level, self._node(key), edge, mark, is_last)

    def _node(self, key: Key) -> Node:
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = node_of(self._graph, key, distance=self._distances[key])
        return found

    def _edge(self, key: Key, other: Key, bits: int) -> Edge:
        graph, names = self._graph, self._graph.names
        dependent, source = (key, other) if self._up else (other, key)
        knot_of = self._knot_of
        in_cycle = bool(knot_of) and knot_of[key] == knot_of[other]
        return Edge(names[dependent], names[source], graph.kinds(bits), graph.ops(dependent, source, bits), in_cycle)

    def _near(self, key: Key) -> Mapping[Key, int]:
        return self._around[key] if self._distances[key] != self._depth else _NOWHERE

    def _is_cut(self, key: Key) -> bool:
        return self._distances[key] == self._depth and not self._around[key].keys() <= self._distances.keys()

    @cached_property
    def _reached_from(self) -> dict[Key, Key | None]:
        found: dict[Key, Key | None] = {self._start: None}
        for key in self._distances:
            for other in self._near(key):
                found.setdefault(other, key)
        return found

    @cached_property
    def _knot_of(self) -> Mapping[Key, int]:
        """The number of each node's knot; empty for a tree, which has none."""
        inner = {key: self._near(key) for key in self._distances}
        if sum(map(len, inner.values())) < len(inner):
            return {}
        return {key: number for number, knot in enumerate(knots(inner)) for key in knot}
