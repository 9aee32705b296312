"""Where the nodes of a drawing are placed."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.lineage.placing import GAP, Placement, placed


def graphs(*, acyclic: bool) -> st.SearchStrategy[tuple[list[str], list[tuple[str, str]]]]:
    def edges(count: int) -> st.SearchStrategy[tuple[list[str], list[tuple[str, str]]]]:
        numbers = st.integers(0, count - 1)
        pairs = st.lists(st.tuples(numbers, numbers), unique=True, max_size=3 * count)
        return pairs.map(
            lambda found: (
                [f"n{one}" for one in range(count)],
                [(f"n{one}", f"n{other}") for one, other in found if not acyclic or one > other],
            )
        )

    return st.integers(1, 14).flatmap(edges)


@given(graphs(acyclic=True))
def test_every_source_is_to_the_left(graph: tuple[list[str], list[tuple[str, str]]]) -> None:
    spots = placed(*graph).spots
    assert [edge for edge in graph[1] if spots[edge[0]].column <= spots[edge[1]].column] == []


@given(graphs(acyclic=False))
def test_no_two_boxes_overlap_and_every_edge_leads_from_source_to_dependent(
    graph: tuple[list[str], list[tuple[str, str]]],
) -> None:
    nodes, edges = graph
    found = placed(nodes, edges)
    columns = defaultdict(list)
    for spot in found.spots.values():
        columns[spot.column].append(spot.row)
    assert all(below - above >= GAP - 1e-9 for rows in columns.values() for above, below in pairwise(sorted(rows)))
    assert [(way[-1], way[0]) for way in found.ways] == [(found.spots[one], found.spots[other]) for one, other in edges]
    assert all(
        abs(one.column - other.column) == 1 for way in found.ways for one, other in pairwise(way) if len(way) > 2
    )
    assert min(spot.row for way in (found.spots.values(), *found.ways) for spot in way) >= 0
    assert placed(nodes, edges) == found


@pytest.mark.parametrize("length", [2, 5, 40])
def test_a_chain_is_a_straight_line(length: int) -> None:
    names = [str(one) for one in range(length)]
    assert placed(names, list(pairwise(names))[::-1]).spots == {
        name: (length - 1 - at, 0.0) for at, name in enumerate(names)
    }


def test_nothing_is_placed_nowhere() -> None:
    assert placed([], []) == Placement({}, [])


def test_lines_that_need_not_cross_do_not() -> None:
    # Two fans whose leaves alternate in the order given.
    names = ["a", "b", *(f"{fan}{one}" for one in range(4) for fan in "ab")]
    edges = [(name, name[0]) for name in names[2:]]
    spots = placed(names, edges).spots
    first, second = (sorted(spots[name].row for name in names[2:] if name[0] == fan) for fan in "ab")
    assert first[-1] < second[0] or second[-1] < first[0]
