"""Places the nodes of a graph in columns, sources to the left of what depends on them, for a drawing.

The layered method of Sugiyama, Tagawa and Toda (1981): break cycles, give each node a column, order the columns by the
average place of each node's neighbours, and then find the heights. The same graph always gets the same drawing.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SWEEPS = 6
# An edge over more columns than this is drawn straight instead of around what lies between.
MOST_COLUMNS_OF_AN_EDGE = 12
# The least distance of two places in a column, in rows; where an edge passes by, less is enough.
GAP, GAP_OF_AN_EDGE = 1.0, 0.5


class Spot(NamedTuple):
    """A place in the drawing: the column from 0, sources first, and the height in rows from 0, fractions allowed."""

    column: int
    row: float


class Placement(NamedTuple):
    """The places of all nodes, and for each edge, in the order given, the places that it passes from end to end."""

    spots: Mapping[str, Spot]
    ways: Sequence[tuple[Spot, ...]]


def placed(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> Placement:
    """Return where to draw a graph.

    Args:
        nodes: the names of the nodes; their order decides where nothing else does.
        edges: pairs of a dependent and one of its sources, both among the nodes.
    """
    number = {name: at for at, name in enumerate(nodes)}
    hops = [(number[dependent], number[source]) for dependent, source in edges]
    columns = _columns(len(nodes), hops)
    chains = _chains(hops, columns)
    order = _order(columns, chains)
    rows = _rows(order, chains, real=len(nodes))
    spots = [Spot(column, row) for column, row in zip(columns, rows, strict=True)]
    return Placement(
        {name: spots[at] for name, at in number.items()},
        [tuple(spots[at] for at in chain) for chain in chains],
    )


def _columns(count: int, hops: Sequence[tuple[int, int]]) -> list[int]:
    """Return the column of each node: to the right of all its sources, except against an edge that closes a cycle."""
    sources: list[list[int]] = [[] for _ in range(count)]
    for dependent, source in hops:
        sources[dependent].append(source)
    columns = [-1] * count
    forward: list[list[int]] = [[] for _ in range(count)]
    on_the_way = bytearray(count)
    for start in range(count):
        waiting = [(start, iter(sources[start]))] if columns[start] < 0 and not on_the_way[start] else []
        while waiting:
            node, rest = waiting[-1]
            on_the_way[node] = 1
            following = next((one for one in rest if _leads_on(one, node, columns, on_the_way, forward)), None)
            if following is not None:
                waiting.append((following, iter(sources[following])))
                continue
            waiting.pop()
            on_the_way[node] = 0
            columns[node] = 1 + max((columns[one] for one in forward[node]), default=-1)
    return _nearer(columns, forward)


def _leads_on(
    source: int, node: int, columns: Sequence[int], on_the_way: bytearray, forward: Sequence[list[int]]
) -> bool:
    """Whether a source still has to be visited; it is noted unless the edge to it closes a cycle."""
    if on_the_way[source]:
        return False
    forward[node].append(source)
    return columns[source] < 0


def _nearer(columns: list[int], forward: Sequence[Sequence[int]]) -> list[int]:
    """Move each node without sources next to the nearest of its dependents."""
    nearest: dict[int, int] = {}
    for node, sources in enumerate(forward):
        for source in sources:
            nearest[source] = min(nearest.get(source, columns[node]), columns[node])
    return [
        nearest[node] - 1 if not forward[node] and node in nearest else column for node, column in enumerate(columns)
    ]


def _chains(hops: Sequence[tuple[int, int]], columns: list[int]) -> list[list[int]]:
    """Return what each edge passes: its ends, and a place of its own in each column between; `columns` grows by these.

    A place of an edge has a number after those of all nodes.
    """
    chains = []
    for dependent, source in hops:
        step = 1 if columns[source] < columns[dependent] else -1
        between = range(columns[source] + step, columns[dependent], step)
        passed: list[int] = []
        if 0 < len(between) <= MOST_COLUMNS_OF_AN_EDGE:
            passed = list(range(len(columns), len(columns) + len(between)))
            columns.extend(between)
        chains.append([source, *passed, dependent])
    return chains


def _order(columns: Sequence[int], chains: Iterable[Sequence[int]]) -> list[list[int]]:
    """Return the places of each column from top to bottom, so that few edges cross."""
    order: list[list[int]] = [[] for _ in range(max(columns, default=-1) + 1)]
    for node, number in enumerate(columns):
        order[number].append(node)
    left, right = _neighbours(chains, columns)
    place = {node: at for column in order for at, node in enumerate(column)}
    for sweep in range(SWEEPS):
        near, turn = (left, order) if sweep % 2 == 0 else (right, order[::-1])
        for column in turn:
            middle = {node: _mean([place[one] for one in near[node]], place[node]) for node in column}
            column.sort(key=lambda node: (middle[node], place[node]))
            place.update({node: at for at, node in enumerate(column)})
    return order


def _neighbours(
    chains: Iterable[Sequence[int]], columns: Sequence[int]
) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Return the neighbours of each place in columns to its left, and to its right."""
    left: dict[int, list[int]] = defaultdict(list)
    right: dict[int, list[int]] = defaultdict(list)
    for chain in chains:
        for one, other in pairwise(chain):
            if columns[one] != columns[other]:
                first, last = (one, other) if columns[one] < columns[other] else (other, one)
                right[first].append(last)
                left[last].append(first)
    return left, right


def _rows(order: Sequence[Sequence[int]], chains: Iterable[Sequence[int]], *, real: int) -> list[float]:
    """Return the height of each place: as near as possible to its neighbours, in the order of its column."""
    rows = [0.0] * sum(map(len, order))
    near: dict[int, list[int]] = defaultdict(list)
    for chain in chains:
        for one, other in pairwise(chain):
            near[one].append(other)
            near[other].append(one)
    for column in order:
        for node, row in zip(column, _kept_apart([0.0] * len(column), column, real), strict=True):
            rows[node] = row
    for sweep in range(SWEEPS):
        for column in order if sweep % 2 == 0 else order[::-1]:
            wished = [_mean([rows[one] for one in near[node]], rows[node]) for node in column]
            for node, row in zip(column, _kept_apart(wished, column, real), strict=True):
                rows[node] = row
    top = min(rows, default=0.0)
    return [row - top for row in rows]


def _kept_apart(wished: Sequence[float], column: Sequence[int], real: int) -> list[float]:
    """Return the heights nearest to those wished (least squares) that keep the order and the gaps.

    Without the gaps, this is isotonic regression, solved by pooling adjacent violators.
    """
    offsets, offset = [], 0.0
    for at, node in enumerate(column):
        if at:
            offset += GAP if node < real and column[at - 1] < real else GAP_OF_AN_EDGE
        offsets.append(offset)
    pools: list[tuple[float, int]] = []  # sum and count of heights that have become one
    for wish, gap in zip(wished, offsets, strict=True):
        total, count = wish - gap, 1
        while pools and pools[-1][0] * count >= total * pools[-1][1]:
            before, more = pools.pop()
            total, count = total + before, count + more
        pools.append((total, count))
    heights = [total / count for total, count in pools for _ in range(count)]
    return [height + gap for height, gap in zip(heights, offsets, strict=True)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
