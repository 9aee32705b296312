"""Walks through lineage that end on any graph: level by level, each node once, in a lasting order, no recursion."""

from __future__ import annotations

from collections import defaultdict
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from memstore.model.lineage import EdgeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from memstore.rules.lineage_graph import Graph, Key, Link

_CHAIN = frozenset({EdgeKind.SUPERSEDES, EdgeKind.SUPERSEDED_BY})


class Impact(NamedTuple):
    """What the loss of memories would do: who would be left without ground, and who with less support.

    `cut` has for each of `lost` and `weakened` the sources among the gone and the lost that it names itself.
    """

    lost: tuple[int, ...]
    weakened: tuple[int, ...]
    cut: Mapping[int, tuple[Link, ...]]


def distances(graph: Graph, starts: Iterable[Key], *, up: bool, depth: int | None = None) -> dict[Key, int]:
    """Return all that the starts depend on (or, down, that depends on them), nearest first.

    Args:
        graph: the graph.
        starts: where to begin; they are in the answer, at distance 0.
        up: whether to go to sources, or else to dependents.
        depth: how many edges to go at most; None for all.
    """
    return _reached(starts, (graph.above if up else graph.below).__getitem__, depth)


def _reached(
    starts: Iterable[Key], following: Callable[[Key], Iterable[Key]], depth: int | None = None
) -> dict[Key, int]:
    found = dict.fromkeys(starts, 0)
    level = list(found)
    distance = 0
    while level and distance != depth:
        distance += 1
        after = []
        for key in level:
            for neighbour in following(key):
                if neighbour not in found:
                    found[neighbour] = distance
                    after.append(neighbour)
        level = after
    return found


def roots(graph: Graph, start: Key) -> tuple[Key, ...]:
    """Return where the way up from a node ends: what it and its sources rest on, and what rests on nothing itself.

    Marks of what lies outside the vault are among them; a node without any source is its own root.
    """
    ends = [key for key in distances(graph, [start], up=True) if not graph.above[key] or graph.is_gone(key)]
    return tuple(sorted(ends, key=graph.name))


def is_ungrounded(graph: Graph, start: Key) -> bool:
    """Whether all that a memory rests on is gone. One that rests on nothing but itself has its own ground."""
    region: dict[Key, int] = {start: 0}
    waiting: list[Key] = [start]
    while waiting:
        key = waiting.pop()
        if not graph.is_gone(key):
            on = graph.grounds[key]
            if not on:
                return False  # one end that is there is enough, and mostly it is near
            after = [source for source in on if source not in region]
            region.update(dict.fromkeys(after, 0))
            waiting += after
    return start not in _grounded(graph, region, frozenset())


def ungrounded(graph: Graph, starts: Iterable[Key]) -> frozenset[Key]:
    """Return those of which all that they rest on is gone."""
    asked = frozenset(starts)
    return asked - _grounded(graph, _reached(asked, graph.grounds.__getitem__), frozenset())


def impact(graph: Graph, gone: Iterable[int]) -> Impact:
    """Return what the loss of the memories in `gone` would do to all others."""
    taken = frozenset(gone)
    affected = _reached(
        taken, lambda key: [near for near, bits in graph.below[key].items() if graph.is_support(near, key, bits)]
    )
    region = _reached(affected, graph.grounds.__getitem__)
    before = _grounded(graph, region, frozenset())
    after = _grounded(graph, region, taken)
    lost = {key for key in affected if key in before and key not in after} - taken
    going = taken | lost
    cut = {
        key: sources
        for key in affected
        if isinstance(key, int) and key not in taken and (sources := _cut(graph, key, going))
    }
    rows = sorted(cut, key=graph.name)
    return Impact(
        lost=tuple(row for row in rows if row in lost),
        weakened=tuple(row for row in rows if row not in lost and not graph.is_gone(row)),
        cut=cut,
    )


def _cut(graph: Graph, key: Key, gone: AbstractSet[Key]) -> tuple[Link, ...]:
    """Return the support that a memory itself names and loses."""
    if gone.isdisjoint(graph.above[key]):
        return ()
    return tuple(
        link
        for link in graph.sources(key)
        if link.key in gone and graph.is_support(key, link.key, graph.above[key][link.key])
    )


def _grounded(graph: Graph, region: Iterable[Key], taken: frozenset[int]) -> AbstractSet[Key]:
    """Return the nodes of a region that have ground, once those in `taken` are gone.

    A node has ground where a way up ends at something that is still there, or never ends: memories that rest on each
    other alone have lost nothing. With the region all that it rests on must be in it.
    """
    if not taken and not any(map(graph.is_gone, region)):
        return frozenset(region)
    resting: dict[Key, list[Key]] = defaultdict(list)
    there: list[Key] = []
    gone: list[Key] = []
    for key in region:
        if key in taken or graph.is_gone(key):
            gone.append(key)
            continue
        on = graph.grounds[key]
        for source in on:
            resting[source].append(key)
        if not on:
            there.append(key)
    ending = _reached([*there, *gone], resting.__getitem__)
    endless = [key for key in region if key not in ending]
    return _reached([*there, *endless], resting.__getitem__).keys()


def chain(graph: Graph, start: Key) -> tuple[Key, ...]:
    """Return all that superseded each other around a memory, oldest first: the same from any of its members.

    A memory that superseded nothing and was not superseded stands there alone.
    """
    members = _reached([start], lambda key: [*_older(graph, key), *_newer(graph, key)])
    waiting_for = {key: set(_older(graph, key)) - {key} for key in members}
    ready = [(graph.name(key), key) for key, before in waiting_for.items() if not before]
    heapify(ready)
    by_name = iter(sorted(members, key=graph.name))
    ordered: list[Key] = []
    while waiting_for:
        # In a circle made by hand nothing is the oldest: begin somewhere, always at the same place.
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


def _older(graph: Graph, key: Key) -> list[Key]:
    return [source for source, bits in graph.above[key].items() if not _CHAIN.isdisjoint(graph.kinds(bits))]


def _newer(graph: Graph, key: Key) -> Iterable[Key]:
    return graph.near(key, _CHAIN)
