"""Walks over lineage that end on any graph: level by level, each node once, in a stable order, without recursion."""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush
from itertools import chain as joined
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.catalog import EdgeKind
from memstore.lineage.edges import BITS, GROUND, HOP_SHIFT, bits_of
from memstore.lineage.graph import SUPPORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from memstore.lineage.edges import EdgeSide
    from memstore.lineage.graph import Graph, GraphLink


_CHAIN = bits_of(EdgeKind.SUPERSEDES, EdgeKind.SUPERSEDED_BY)


class Walked(NamedTuple):
    """The result of a walk: the nodes at each distance, beginning with the starts, and each node's predecessor."""

    levels: Sequence[Sequence[int]]
    reached_from: dict[int, int]

    @property
    def nodes(self) -> Iterator[int]:
        """All nodes, nearest first."""
        return joined.from_iterable(self.levels)


def walk(
    side: EdgeSide, starts: Iterable[int], closed: bytearray, *, bits: int = BITS, depth: int | None = None
) -> Walked:
    """Walk from nodes to their neighbours and on.

    Args:
        side: the direction.
        starts: where to begin.
        closed: 1 for each node that must not be entered; modified, as nodes that have been reached are not entered
            again.
        bits: the kinds of edges to follow.
        depth: how many edges to follow at most; None for all.
    """
    level = list(dict.fromkeys(starts))
    levels = []
    reached_from: dict[int, int] = {}
    for node in level:
        closed[node] = 1
    hops, begins, ends, changed = side.hops, side.starts, side.ends, side.changed
    while level:
        levels.append(level)
        if len(levels) - 1 == depth:
            break
        after: list[int] = []
        for node in level:
            for hop in changed[node] if node in changed else hops[begins[node] : ends[node]]:
                if hop & bits and not closed[hop >> HOP_SHIFT]:
                    other = hop >> HOP_SHIFT
                    closed[other] = 1
                    reached_from[other] = node
                    after.append(other)
        level = after
    return Walked(levels, reached_from)


def roots(graph: Graph, start: int) -> tuple[int, ...]:
    """Return where the way up from a node ends: the nodes in its lineage that depend on nothing, or are gone.

    They include marks of what is outside the vault; a node without any source is its own root.
    """
    hidden, near = graph.hidden, graph.up.near
    nodes = walk(graph.up, [start], hidden[:]).nodes
    ends = [key for key in nodes if graph.gone[key] or all(hidden[hop >> HOP_SHIFT] for hop in near(key))]
    return tuple(sorted(ends, key=graph.name))


def is_ungrounded(graph: Graph, start: int) -> bool:
    """Return whether everything a memory rests on is gone. One that rests on nothing but itself has its own ground."""
    if 1 not in graph.gone:
        return False
    closed = graph.hidden[:]
    closed[start] = 1
    region = [start]
    for key in region:  # it grows during the loop
        if graph.gone[key]:
            continue
        rests = [hop >> HOP_SHIFT for hop in graph.up.near(key) if hop & GROUND and not graph.hidden[hop >> HOP_SHIFT]]
        if not rests:
            return False  # one existing end is enough, and usually it is near
        for source in rests:
            if not closed[source]:
                closed[source] = 1
                region.append(source)
    return bool(_groundless(graph, graph.gone)[start])


def ungrounded(graph: Graph, starts: Iterable[int]) -> frozenset[int]:
    """Return those nodes for which everything they rest on is gone."""
    groundless = _groundless(graph, graph.gone)
    return frozenset(key for key in starts if groundless[key])


class Reach(NamedTuple):
    """The effect of losing memories: which would be left without ground, and which with less support.

    Both have the rows at each distance. `going` are the nodes that would be gone or lost.
    """

    lost: Sequence[Sequence[int]]
    weakened: Sequence[Sequence[int]]
    going: AbstractSet[int]


def impact(graph: Graph, gone: Iterable[int]) -> Reach:
    """Return the effect that losing the memories in `gone` would have on all others."""
    going = set(gone)
    after = graph.gone[:]
    for key in going:
        after[key] = 1
    before, after = _groundless(graph, graph.gone), _groundless(graph, after)
    closed = graph.hidden[:]
    for key in going:
        closed[key] = 1
    lost: list[list[int]] = []
    weakened: list[list[int]] = []
    level = list(going)
    while level:  # a node that loses all its ground takes others with it
        harmed = _supported(graph, level, closed)
        level = [key for key in harmed if after[key] and not before[key]]
        going.update(level)
        lost.append([key for key in level if key >= 0])
        weakened.append([key for key in harmed if key >= 0 and not after[key] and not graph.gone[key]])
    return Reach(lost, weakened, going)


def _supported(graph: Graph, level: Iterable[int], closed: bytearray) -> list[int]:
    """Return what these nodes support, each once; the nodes returned are then closed."""
    found = []
    near = graph.down.near
    for key in level:
        for hop in near(key):
            if hop & SUPPORT and not closed[hop >> HOP_SHIFT]:
                closed[hop >> HOP_SHIFT] = 1
                found.append(hop >> HOP_SHIFT)
    return found


def nearest(graph: Graph, levels: Iterable[Sequence[int]], limit: int | None = None) -> list[int]:
    """Return the first `limit` nodes (None for all), by distance and, at the same distance, by name."""
    found: list[int] = []
    for level in levels:
        if limit is not None and len(found) >= limit:
            break
        found += sorted(level, key=graph.name)
    return found[:limit]


def cut_from(graph: Graph, key: int, going: AbstractSet[int]) -> tuple[GraphLink, ...]:
    """Return the support that a memory itself names and would lose."""
    bits = graph.above[key]
    return tuple(link for link in graph.sources(key) if link.key in going and bits[link.key] & SUPPORT)


def _groundless(graph: Graph, gone: bytearray) -> bytearray:
    """Return 1 for each node that has no ground left if those in `gone` are gone, including these themselves.

    A node has ground if a way up ends at something that still exists, or never ends: memories that rest only on each
    other have lost nothing. So a node has ground if it rests on one from which no way up leads to anything gone.
    """
    if 1 not in gone:
        return gone
    untouched = graph.hidden[:]
    starts = [key for key in range(-len(graph.table.texts), graph.table.rows) if gone[key] and not untouched[key]]
    touched = list(walk(graph.down, starts, untouched, bits=GROUND).nodes)
    groundless = bytearray(len(gone))
    for key in touched:
        groundless[key] = 1
    closed = bytearray(b"\1") * len(gone)
    for key in touched:
        closed[key] = gone[key]
    hidden, near = graph.hidden, graph.up.near
    saved = []
    for key in touched:
        if not gone[key]:
            for hop in near(key):
                other = hop >> HOP_SHIFT
                if hop & GROUND and not groundless[other] and not hidden[other]:
                    saved.append(key)
                    break
    for key in walk(graph.down, saved, closed, bits=GROUND).nodes:
        groundless[key] = 0
    return groundless


def chain(graph: Graph, start: int) -> tuple[int, ...]:
    """Return all memories that superseded each other around this one, oldest first; the same for each of its members.

    A memory that superseded nothing and was not superseded is a chain of one.
    """
    members = _members(graph, start)
    waiting_for = {key: set(_older(graph, key)) - {key} for key in members}
    ready = [(graph.name(key), key) for key, before in waiting_for.items() if not before]
    heapify(ready)
    by_name = iter(sorted(members, key=graph.name))
    ordered: list[int] = []
    while waiting_for:
        # In a cycle made by hand nothing is the oldest: begin somewhere, but always at the same place.
        key = heappop(ready)[1] if ready else next(key for key in by_name if key in waiting_for)
        del waiting_for[key]
        ordered.append(key)
        for after in _newer(graph, key):
            before = waiting_for.get(after)
            if before and key in before:
                before.remove(key)
                if not before:
                    heappush(ready, (graph.name(after), after))
    return tuple(ordered)


def generations(graph: Graph, chain: Sequence[int]) -> tuple[int, ...]:
    """Return for each member of a chain how many came before it; those that one was split into have the same number."""
    found: dict[int, int] = {}
    for key in chain:
        found[key] = 1 + max((found[older] for older in _older(graph, key) if older in found), default=-1)
    return tuple(found.values())


def _members(graph: Graph, start: int) -> list[int]:
    found = {start: None}
    waiting = [start]
    while waiting:
        key = waiting.pop()
        for other in (*_older(graph, key), *_newer(graph, key)):
            if other not in found:
                found[other] = None
                waiting.append(other)
    return list(found)


def _older(graph: Graph, key: int) -> list[int]:
    return [source for source, bits in graph.above[key].items() if bits & _CHAIN]


def _newer(graph: Graph, key: int) -> list[int]:
    return [heir for heir, bits in graph.below[key].items() if bits & _CHAIN]


# -- would a new link close a cycle? ---------------------------------------------------------------


# The edges that say a memory was derived from another, whichever side records them.
MADE_OF = bits_of(EdgeKind.DERIVED_FROM, EdgeKind.PROCESSED_INTO)


def way_back(graph: Graph, start: int, targets: Iterable[int]) -> tuple[str, ...]:
    """Return the cycle that would result if `start` were also derived from all `targets`; empty if there is none.

    It is a shortest one, as names: the start, a target, what that is derived from and so on, and the start again.
    """
    came_from: dict[int, int] = {}
    waiting: deque[int] = deque()
    for target in targets:
        if came_from.setdefault(target, start) == start:
            waiting.append(target)
    while waiting:
        key = waiting.popleft()
        if key == start:
            return _names(graph, start, came_from)
        for source, bits in graph.above[key].items():
            if source not in came_from and bits & MADE_OF:
                came_from[source] = key
                waiting.append(source)
    return ()


def _names(graph: Graph, start: int, came_from: dict[int, int]) -> tuple[str, ...]:
    way = [start, came_from[start]]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return tuple(graph.name(key) for key in reversed(way))
