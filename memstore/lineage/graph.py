"""Lineage: what comes from what, as a graph that people draw by hand, cycles and all."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_Node = TypeVar("_Node", bound=Hashable)


def cycles(edges: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
    """Return a shortest cycle for each knot of a graph, none for a graph that can be followed to its ends.

    A knot is a set of nodes that all lead to each other (a strongly connected component), or a node with an edge to
    itself. Each cycle begins with its knot's smallest node and follows the edges; the last node leads to the first.

    Args:
        edges: for each node the nodes it leads to; those that are no keys lead nowhere.
    """
    found = []
    for knot in knots({node: sorted(set(edges[node])) for node in sorted(edges)}):
        start = min(knot)
        path = _shortest_way_back(edges, start, knot)
        if path:
            found.append(path)
    return sorted(found)


def _shortest_way_back(edges: Mapping[str, Iterable[str]], start: str, knot: set[str]) -> tuple[str, ...]:
    """Return the nodes of a shortest way from `start` to itself within its knot; empty where there is none."""
    came_from: dict[str, str] = {}
    level = [start]
    while level:
        following = []
        for node in level:
            for target in sorted(knot.intersection(edges.get(node, ()))):
                if target == start:
                    return tuple(_walked(came_from, start, node))
                if target not in came_from:
                    came_from[target] = node
                    following.append(target)
        level = following
    return ()


def _walked(came_from: Mapping[str, str], start: str, end: str) -> list[str]:
    way = [end]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]


def knots(edges: Mapping[_Node, Iterable[_Node]]) -> Iterator[set[_Node]]:
    """Yield the strongly connected components (Gabow 2000), without recursion: chains may be of any length."""
    search = _Search(edges)
    for root in edges:
        if root not in search.place:
            yield from search.run(root)


class _Search(Generic[_Node]):
    """The state of one search.

    `path` are the nodes that are in no component yet, each with its place there in `place`; `bounds` are the places at
    which those begin that, as far as is known, do not lead back to the ones before.
    """

    def __init__(self, edges: Mapping[_Node, Iterable[_Node]]) -> None:
        self.edges = edges
        self.place: dict[_Node, int] = {}
        self.path: list[_Node] = []
        self.bounds: list[int] = []

    def run(self, root: _Node) -> Iterator[set[_Node]]:
        place, bounds = self.place, self.bounds
        work = [(root, self._enter(root))]
        while work:
            node, targets = work[-1]
            for target in targets:
                at = place.get(target)
                if at is None:
                    work.append((target, self._enter(target)))
                    break
                while bounds[-1] > at:
                    bounds.pop()
            else:
                work.pop()
                if bounds[-1] == place[node]:
                    yield self._leave(bounds.pop())

    def _enter(self, node: _Node) -> Iterator[_Node]:
        self.place[node] = len(self.path)
        self.bounds.append(len(self.path))
        self.path.append(node)
        return iter(self.edges.get(node, ()))

    def _leave(self, start: int) -> set[_Node]:
        """Take a component off the path; its places are behind all others from now on."""
        if start == len(self.path) - 1:  # most are one node
            node = self.path.pop()
            self.place[node] = sys.maxsize
            return {node}
        knot = set(self.path[start:])
        del self.path[start:]
        self.place.update(dict.fromkeys(knot, sys.maxsize))
        return knot
