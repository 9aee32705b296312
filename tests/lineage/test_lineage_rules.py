"""Lineage: every graph is followed to an end, and every knot in it is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.lineage.graph import Cycles

nodes = st.sampled_from("abcdefg")
graphs = st.dictionaries(nodes, st.lists(nodes, max_size=4))
Graph = dict[str, list[str]]


def cycles(edges: Graph) -> list[tuple[str, ...]]:
    """Return all cycles that the nodes of a graph are part of."""
    found = Cycles(lambda node: edges.get(node, []))
    return sorted({found.of(node) for node in edges} - {()})


def reached(edges: Graph, start: str) -> set[str]:
    """Return the nodes to which a way of one edge or more leads."""
    found: set[str] = set()
    waiting = [*edges.get(start, [])]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += edges.get(node, [])
    return found


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ({}, []),
        ({"a": ["b"], "b": ["c"]}, []),
        ({"a": ["a"]}, [("a",)]),
        ({"b": ["a"], "a": ["b"]}, [("a", "b")]),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"]}, []),
        ({"a": ["b"], "b": ["c"], "c": ["a", "b"]}, [("a", "b", "c")]),
        ({"a": ["b", "c"], "b": ["c"], "c": ["a"]}, [("a", "c")]),
        ({"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"], "e": ["a"]}, [("a", "b"), ("c", "d")]),
        ({"a": ["nowhere"]}, []),
    ],
)
def test_cycles(edges: Graph, expected: list[tuple[str, ...]]) -> None:
    assert cycles(edges) == expected


@pytest.mark.parametrize("closed", [False, True])
def test_a_chain_of_any_length_has_an_end(*, closed: bool) -> None:
    length = 20_000
    edges = {str(i): [str(i + 1)] for i in range(length)}
    if closed:
        edges[str(length)] = ["0"]
    assert [len(cycle) for cycle in cycles(edges)] == ([length + 1] if closed else [])


@given(graphs)
def test_a_cycle_can_be_walked(edges: Graph) -> None:
    for cycle in cycles(edges):
        assert len(set(cycle)) == len(cycle)
        for node, following in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            assert following in edges[node]


@given(graphs, st.permutations("abcdefg"))
def test_a_cycle_is_the_same_whichever_node_is_asked_for_first(edges: Graph, order: list[str]) -> None:
    """A cycle is a shortest one through the smallest of the nodes that all lead to each other."""
    together = Cycles(lambda node: edges.get(node, []))
    for node in order:
        cycle = together.of(node)
        assert cycle == Cycles(lambda node: edges.get(node, [])).of(node)
        assert cycle == () or node in cycle
        knot = {other for other in reached(edges, node) if node in reached(edges, other)}
        if node == min(knot, default=None):
            assert (cycle[0], len(cycle)) == (node, _shortest(edges, node))
            assert set(cycle) <= knot
        assert knot or not cycle


def _shortest(edges: Graph, start: str) -> int:
    """Return how many edges lead back to a node at least."""
    level, length = {start}, 0
    while length == 0 or start not in level:
        level, length = {target for node in level for target in edges.get(node, [])}, length + 1
    return length


def test_who_asks_for_one_node_sees_nothing_but_what_it_leads_to() -> None:
    seen: list[str] = []

    def targets(node: str) -> list[str]:
        seen.append(node)
        return {"a": ["b"], "b": ["c"]}.get(node, [])

    found = Cycles(targets)
    assert found.of("b") == ()
    assert seen == ["b", "c"]
    assert found.of("a") == ()
    assert seen == ["b", "c", "a"]


@given(graphs)
def test_without_what_was_found_nothing_is_left(edges: Graph) -> None:
    """Cutting one edge of every cycle that is found, again and again, ends with a graph that has none."""
    rest = {node: list(targets) for node, targets in edges.items()}
    for _ in range(sum(map(len, edges.values())) + 1):
        found = cycles(rest)
        if not found:
            break
        for cycle in found:
            rest[cycle[-1]] = [target for target in rest[cycle[-1]] if target != cycle[0]]
    order = _in_order(rest)
    assert order is not None


def _in_order(edges: Graph) -> list[str] | None:
    """Return the nodes so that every edge leads onwards; None where there is no such order (Kahn's algorithm)."""
    waiting = {node: {t for t in targets if t in edges} for node, targets in edges.items()}
    done: list[str] = []
    while waiting:
        free = sorted(node for node, targets in waiting.items() if not targets)
        if not free:
            return None
        for node in free:
            del waiting[node]
        done += free
        for targets in waiting.values():
            targets -= set(free)
    return done


@given(graphs, nodes, nodes)
def test_an_edge_more_never_unties_a_knot(edges: Graph, one: str, other: str) -> None:
    more = {**edges, one: [*edges.get(one, []), other]}
    assert {node for cycle in cycles(edges) for node in cycle} == set() or cycles(more)
