"""Traces where a memory comes from or what has come from it, and what would lose ground if memories were gone.

A trace is the part of the graph around one memory, and the tree drawn of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.core.keys import EXTERNAL
from memstore.core.named import refs_of
from memstore.core.quotation import harmless
from memstore.core.short_repr import short_repr
from memstore.lineage import walk
from memstore.lineage.edges import BITS, HOP_SHIFT
from memstore.lineage.graph import graph_of, knots, row_of
from memstore.lineage.values import Branch, Direction, Edge, LeftOut, Mark, Node, NodeState, Series, Trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memstore.core.catalog import Entry
    from memstore.core.named import Named, Names
    from memstore.core.view import View
    from memstore.lineage.graph import Graph, GraphLink


def trace(
    graph: Graph, start: int, *, direction: Direction, depth: int | None = None, limit: int | None = None
) -> Trace:
    """Return where a memory comes from, or what has come from it.

    Args:
        graph: the graph.
        start: the memory's row.
        direction: up to sources, or down to dependents.
        depth: how many edges to follow at most; None for all. Roots and ground are reported whatever the depth.
        limit: how many edges to show at most, those nearest to the start; None for all.
    """
    drawing = _Drawing(graph, start, up=direction is Direction.UP, depth=depth, limit=limit)
    chain = walk.chain(graph, start)
    return Trace(
        start=node_of(graph, start),
        direction=direction,
        nodes=Series(drawing.nodes),
        edges=Series(drawing.edges),
        tree=Series(drawing.branches),
        roots=Series(lambda: (node_of(graph, key) for key in walk.roots(graph, start))),
        chain=tuple(node_of(graph, key) for key in chain) if len(chain) > 1 else (),
        generations=walk.generations(graph, chain) if len(chain) > 1 else (),
        is_ungrounded=walk.is_ungrounded(graph, start) and not any(map(graph.is_left_out, walk.roots(graph, start))),
        left_out=drawing.left_out(),
    )


def node_of(graph: Graph, key: int, *, distance: int = 0) -> Node:
    """Return what is known about a node."""
    if key < 0:
        absent = NodeState.NOT_CHECKED_OUT if graph.is_left_out(key) else NodeState.MISSING
        state = NodeState.EXTERNAL if graph.is_mark(key) else absent
        known_by = graph.column("source_type")
        is_quoted = any(row >= 0 and known_by[row] == EXTERNAL for row in graph.below[key])
        return Node(graph.names[key], state, distance, source_type=EXTERNAL if is_quoted else "")
    node = Node(graph.names[key], NodeState.MEMORY, distance, *[column[key] for column in graph.described_by])
    return node._replace(title=harmless(node.title)) if node.source_type == EXTERNAL else node


def edge_of(graph: Graph, dependent: int, source: GraphLink) -> Edge:
    """Return the edge from a dependent to one of its sources."""
    return Edge(dependent=graph.name(dependent), source=graph.name(source.key), kinds=source.kinds, ops=source.ops)


class _Drawing:
    """The nodes and edges of a trace, and their order in the drawing.

    A node is placed below the one from which it was reached first. If there is a limit, the edges of the nodes that
    were reached first are drawn, so nothing is left out that is nearer than what is drawn.
    """

    def __init__(self, graph: Graph, start: int, *, up: bool, depth: int | None, limit: int | None) -> None:
        self._graph, self._start, self._up, self._limit = graph, start, up, limit
        self._side = graph.up if up else graph.down
        self._walked = walk.walk(self._side, [start], graph.hidden[:], depth=depth)
        levels = self._walked.levels
        # The nodes beyond which edges were not followed.
        self._edge_of_way = frozenset(levels[depth]) if depth is not None and depth < len(levels) else frozenset()
        self._nodes: dict[int, Node] = {}

    def nodes(self) -> Iterator[Node]:
        """Yield the nodes in the order in which they were reached."""
        return map(self._node, self._distances)

    def edges(self) -> Iterator[Edge]:
        """Yield the edges that lead on from each node, in the nodes' order."""
        for key, hops in self._drawn.items():
            for hop in hops:
                yield self._edge(key, hop)

    def branches(self) -> Iterator[Branch]:
        """Yield the lines of the tree: every node where it was reached first, at its shortest distance.

        Wherever else an edge leads to a node, a mark says that the node is above or below, or that the path is a cycle.
        """
        drawn: set[int] = set()
        # Level, node, the edge that led there, whether its own place is here, and whether nothing follows it at its
        # level.
        waiting: list[tuple[int, int, Edge | None, bool, bool]] = [(0, self._start, None, True, True)]
        reached_from = self._walked.reached_from
        while waiting:
            level, key, edge, is_own_place, is_last = waiting.pop()
            if is_own_place:
                mark = Mark.CUT if self._is_cut(key) else Mark.NONE
                drawn.add(key)
                is_last_here = True
                for hop in reversed(self._drawn.get(key, ())):
                    other = hop >> HOP_SHIFT
                    line = self._edge(key, hop)
                    waiting.append((level + 1, other, line, reached_from.get(other) == key, is_last_here))
                    is_last_here = False
            elif edge is not None and edge.in_cycle:
                mark = Mark.CYCLE
            else:
                mark = Mark.ABOVE if key in drawn else Mark.BELOW
            yield Branch(level, self._node(key), edge, mark, is_last)

    def left_out(self) -> LeftOut:
        """Return what is beyond the limit."""
        if self._limit is None:
            return LeftOut(0, 0)
        reached = [key for key in self._walked.nodes if key not in self._edge_of_way]
        edges = sum(len(self._near(key)) for key in reached) if self._hides else self._side.count(reached)
        memories = sum(key >= 0 for key in self._walked.nodes) - sum(key >= 0 for key in self._distances)
        return LeftOut(memories, edges - sum(map(len, self._drawn.values())))

    def _node(self, key: int) -> Node:
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = node_of(self._graph, key, distance=self._distances[key])
        return found

    def _edge(self, key: int, hop: int) -> Edge:
        graph, names, other, bits = self._graph, self._graph.names, hop >> HOP_SHIFT, hop & BITS
        dependent, source = (key, other) if self._up else (other, key)
        knot_of = self._knot_of
        in_cycle = bool(knot_of) and knot_of[key] == knot_of[other]
        return Edge(names[dependent], names[source], graph.kinds(bits), graph.ops(dependent, source, bits), in_cycle)

    def _near(self, key: int) -> Sequence[int]:
        """Return the hops that lead on from a node, as far as edges were followed."""
        if key in self._edge_of_way:
            return ()
        hidden, hops = self._graph.hidden, self._side.near(key)
        return [hop for hop in hops if not hidden[hop >> HOP_SHIFT]] if self._hides else hops

    def _is_cut(self, key: int) -> bool:
        if len(self._drawn.get(key, ())) < len(self._near(key)):
            return True
        if key not in self._edge_of_way:
            return False
        hidden, reached = self._graph.hidden, self._distances
        others = (hop >> HOP_SHIFT for hop in self._side.near(key))
        return any(other not in reached and not hidden[other] for other in others)

    @cached_property
    def _hides(self) -> bool:
        return 1 in self._graph.hidden

    @cached_property
    def _drawn(self) -> Mapping[int, Sequence[int]]:
        """The hops that are drawn from each node, nearest nodes first."""
        if self._limit is None:
            return {key: self._near(key) for key in self._walked.nodes}
        drawn: dict[int, Sequence[int]] = {}
        left = self._limit
        for key in self._walked.nodes:
            if not left:
                break
            drawn[key] = self._near(key)[:left]
            left -= len(drawn[key])
        return drawn

    @cached_property
    def _distances(self) -> Mapping[int, int]:
        """The nodes that are drawn, nearest first, with their distance in edges."""
        found = {self._start: 0}
        reached_from = self._walked.reached_from
        for key, hops in self._drawn.items():
            distance = found[key] + 1
            for hop in hops:
                if reached_from.get(hop >> HOP_SHIFT) == key:
                    found[hop >> HOP_SHIFT] = distance
        return found

    @cached_property
    def _knot_of(self) -> Mapping[int, int]:
        """The number of each drawn node's knot; empty for a tree, which has none."""
        inner = {key: [hop >> HOP_SHIFT for hop in hops] for key, hops in self._drawn.items()}
        if sum(map(len, inner.values())) < len(inner):
            return {}
        ends = dict.fromkeys(self._distances.keys() - inner.keys(), ())
        return {key: number for number, knot in enumerate(knots({**inner, **ends})) for key in knot}


# -- the use case ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedBothWays:
    """The direct surroundings of one memory: what it depends on, and what depends on it."""

    sources: Trace
    dependents: Trace


def trace_memory(
    view: View,
    memory: Named,
    *,
    reverse: bool = False,
    depth: int | None = None,
    limit: int | None = None,
    at: str | None = None,
) -> Trace:
    """Return the lineage of a memory, as far as the viewer may see it, now or on an earlier day.

    Args:
        view: the vault.
        memory: the memory.
        reverse: down to what was made from it, instead of up to its sources.
        depth: how many edges to follow at most; None for all.
        limit: how many edges to show at most, those nearest to the memory; None for all.
        at: a commit or a date.

    Raises:
        NotFoundError: there is no such memory that the viewer may see.
        UsageError: `at` is neither a date nor a commit.
    """
    view = view.at(at, with_clock=True)
    entry = view.named(memory)
    graph = graph_of(view)
    direction = Direction.DOWN if reverse else Direction.UP
    return trace(graph, row_of(graph, entry), direction=direction, depth=depth, limit=limit)


def trace_both_ways(then: View, entry: Entry, *, limit: int | None = None) -> TracedBothWays:
    """Return what is directly above and below a memory that the viewer may see.

    Args:
        then: the vault at the time in question.
        entry: the memory, as that view has it.
        limit: how many dependents to show at most; None for all.

    Raises:
        ChangedMeanwhileError: the file no longer exists.
    """
    graph = graph_of(then)
    row = row_of(graph, entry)
    return TracedBothWays(
        sources=trace(graph, row, direction=Direction.UP, depth=1),
        dependents=trace(graph, row, direction=Direction.DOWN, depth=1, limit=limit),
    )


# -- impact of a loss ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Harmed:
    """A memory, and the edges that it would lose."""

    node: Node
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """The effect of losing `gone`.

    `lost` would have no ground left: everything they rest on, directly or not, would be gone. `weakened` would lose a
    source but still have ground. Both are sorted nearest first, then by name; `left_out` counts those beyond the limit.
    """

    gone: tuple[Node, ...]
    lost: tuple[Harmed, ...]
    weakened: tuple[Harmed, ...]
    left_out: int = 0

    __repr__ = short_repr


def impact_of(view: View, memories: Names, *, limit: int | None = None) -> Impact:
    """Return which memories that the viewer may see would lose ground if these memories were gone.

    Args:
        view: the vault.
        memories: name the memories.
        limit: how many to return at most, the lost ones first; None for all.

    Raises:
        NotFoundError: one of them is not a memory that the viewer may see.
    """
    entries = [view.named(ref) for ref in refs_of(memories)]
    graph = graph_of(view)
    gone = sorted({row_of(graph, entry) for entry in entries}, key=graph.name)
    found = walk.impact(graph, gone)
    lost = walk.nearest(graph, found.lost, limit)
    weakened = walk.nearest(graph, found.weakened, None if limit is None else limit - len(lost))
    harmed = sum(map(len, (*found.lost, *found.weakened)))
    return Impact(
        gone=tuple(node_of(graph, row) for row in gone),
        lost=tuple(_harmed(graph, found, row) for row in lost),
        weakened=tuple(_harmed(graph, found, row) for row in weakened),
        left_out=harmed - len(lost) - len(weakened),
    )


def _harmed(graph: Graph, found: walk.Reach, row: int) -> Harmed:
    cut = walk.cut_from(graph, row, found.going)
    return Harmed(node=node_of(graph, row), edges=tuple(edge_of(graph, row, link) for link in cut))
