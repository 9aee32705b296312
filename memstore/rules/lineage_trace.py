"""A trace: the part of the graph around one memory, and the tree that is drawn of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.model.lineage import Branch, Direction, Edge, Mark, Node, NodeState, Trace
from memstore.model.provenance import is_external_mark
from memstore.rules import lineage_walk
from memstore.rules.lineage import knots

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.rules.lineage_graph import Graph, Key, Link


def trace(graph: Graph, start: int, *, direction: Direction, depth: int | None = None) -> Trace:
    """Return where a memory comes from, or what has come from it.

    Args:
        graph: the graph.
        start: the memory's row.
        direction: up to sources, or down to dependents.
        depth: how many edges to follow at most; None for all. Roots and ground are told whatever the depth.
    """
    distances = lineage_walk.distances(graph, [start], up=direction is Direction.UP, depth=depth)
    drawing = _Drawing(graph, distances, up=direction is Direction.UP, depth=depth)
    chain = lineage_walk.chain(graph, start)
    return Trace(
        direction=direction,
        nodes=tuple(drawing.nodes.values()),
        edges=tuple(edge for links in drawing.edges.values() for _, edge in links),
        tree=tuple(drawing.branches(start)),
        roots=tuple(node_of(graph, key) for key in lineage_walk.roots(graph, start)),
        chain=tuple(node_of(graph, key) for key in chain) if len(chain) > 1 else (),
        is_ungrounded=lineage_walk.is_ungrounded(graph, start),
    )


def node_of(graph: Graph, key: Key, *, distance: int = 0) -> Node:
    """Return what is known of a node."""
    if isinstance(key, str):
        state = NodeState.EXTERNAL if is_external_mark(key) else NodeState.MISSING
        return Node(key=key, state=state, distance=distance)
    cells = {name: graph.column(name)[key] for name in ("type", "title", "status", "path", "source_type")}
    return Node(key=graph.name(key), state=NodeState.MEMORY, distance=distance, **cells)


def edge_of(graph: Graph, dependent: Key, source: Link) -> Edge:
    """Return the edge from a dependent to one of its sources."""
    return Edge(dependent=graph.name(dependent), source=graph.name(source.key), kinds=source.kinds, ops=source.ops)


class _Drawing:
    """The nodes and edges of a trace, and their order on paper."""

    def __init__(self, graph: Graph, distances: Mapping[Key, int], *, up: bool, depth: int | None) -> None:
        self.nodes = {key: node_of(graph, key, distance=distance) for key, distance in distances.items()}
        links = {key: graph.neighbours(key, up=up) for key in distances}
        self.cut = {key for key in distances if any(link.key not in distances for link in links[key])}
        inner = {key: [] if distance == depth else list(links[key]) for key, distance in distances.items()}
        knot_of = self._knots(inner)
        self.edges = {
            key: [(link.key, self._edge(key, link, up=up, knot_of=knot_of)) for link in inner[key]] for key in distances
        }

    def _knots(self, links: Mapping[Key, list[Link]]) -> Mapping[str, int]:
        """Return for each node, by name, the number of the set of nodes that all lead to each other."""
        names = {key: node.key for key, node in self.nodes.items()}
        leads_to = {names[key]: [names[link.key] for link in found] for key, found in links.items()}
        return {name: number for number, knot in enumerate(knots(leads_to)) for name in knot}

    def _edge(self, key: Key, link: Link, *, up: bool, knot_of: Mapping[str, int]) -> Edge:
        here, there = self.nodes[key].key, self.nodes[link.key].key
        return Edge(
            dependent=here if up else there,
            source=there if up else here,
            kinds=link.kinds,
            ops=link.ops,
            in_cycle=knot_of[here] == knot_of[there],
        )

    def branches(self, start: Key) -> list[Branch]:
        """Return the lines of the tree: every node where it was reached first, at its least distance.

        Wherever else an edge leads to a node, a mark says that it stands above or below, or that the way is a circle.
        """
        children = self._first_reached(start)
        drawn: dict[Key, int] = {}
        lines: list[tuple[int, Key, Edge | None, bool, bool]] = []
        waiting: list[tuple[int, Key, Edge | None, bool, bool]] = [(0, start, None, True, True)]
        while waiting:
            line = waiting.pop()
            level, key, _, is_own_place, _ = line
            if is_own_place:
                drawn[key] = len(lines)
                following = self.edges[key]
                for i in reversed(range(len(following))):
                    target, edge = following[i]
                    own = children.get(target) == (key, i)
                    waiting.append((level + 1, target, edge, own, i == len(following) - 1))
            lines.append(line)
        return [
            Branch(
                level=level,
                node=self.nodes[key],
                edge=edge,
                mark=self._mark(key, edge, is_own_place=own, at=at, drawn=drawn),
                is_last=is_last,
            )
            for at, (level, key, edge, own, is_last) in enumerate(lines)
        ]

    def _first_reached(self, start: Key) -> dict[Key, tuple[Key, int]]:
        """Return for each node but the first the edge by which it was reached: its other end, and its number there."""
        found: dict[Key, tuple[Key, int]] = {}
        for key in self.nodes:  # nearest first
            for i, (target, _) in enumerate(self.edges[key]):
                if target != start:
                    found.setdefault(target, (key, i))
        return found

    def _mark(self, key: Key, edge: Edge | None, *, is_own_place: bool, at: int, drawn: Mapping[Key, int]) -> Mark:
        if is_own_place:
            return Mark.CUT if key in self.cut else Mark.NONE
        if edge is not None and edge.in_cycle:
            return Mark.CYCLE
        return Mark.ABOVE if drawn[key] < at else Mark.BELOW
