"""Lineage: what comes from what, as a graph that people draw by hand, cycles and all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


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


def knots(edges: Mapping[str, list[str]]) -> Iterator[set[str]]:
    """Yield the strongly connected components (Tarjan 1972), without recursion: chains may be of any length."""
    search = _Tarjan(edges)
    for root in edges:
        if root not in search.index:
            yield from search.run(root)


class _Tarjan:
    """The state of one search; `low` is the earliest node on the stack that a node leads back to."""

    def __init__(self, edges: Mapping[str, list[str]]) -> None:
        self.edges = edges
        self.index: dict[str, int] = {}
        self.low: dict[str, int] = {}
        self.stack: list[str] = []
        self.on_stack: set[str] = set()

    def run(self, root: str) -> Iterator[set[str]]:
        work = [(root, self._enter(root))]
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in self.index:
                    work.append((target, self._enter(target)))
                    break
                if target in self.on_stack:
                    self.low[node] = min(self.low[node], self.index[target])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    self.low[parent] = min(self.low[parent], self.low[node])
                if self.low[node] == self.index[node]:
                    yield self._leave(node)

    def _enter(self, node: str) -> Iterator[str]:
        self.index[node] = self.low[node] = len(self.index)
        self.stack.append(node)
        self.on_stack.add(node)
        return iter(self.edges.get(node, ()))

    def _leave(self, root: str) -> set[str]:
        """Take a component off the stack."""
        knot = set()
        node = ""
        while node != root:
            node = self.stack.pop()
            self.on_stack.discard(node)
            knot.add(node)
        return knot
