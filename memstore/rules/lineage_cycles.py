"""Refuse a link before it is written: would following what memories are made of lead back to where it began?"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from memstore.model.catalog import EdgeKind
from memstore.rules.edge_table import bits_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.rules.lineage_graph import Graph

# What makes a memory of another, on whichever side it is recorded.
MADE_OF = bits_of(EdgeKind.DERIVED_FROM, EdgeKind.PROCESSED_INTO)


def way_back(graph: Graph, start: int, targets: Iterable[int]) -> tuple[str, ...]:
    """Return the circle that would close if `start` were made of all `targets`, too; empty where none would.

    It is a shortest one, as names: the start, a target, what that is made of and so on, and the start again.
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
