from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.lineage import walk
from memstore.lineage.trace import trace
from memstore.lineage.values import Direction, Mark, NodeState
from tests.lineage.lineage_graphs import Cells, graph, memories, names
from tests.support import examples

if TYPE_CHECKING:
    from memstore.lineage.graph import Graph


def up(made: dict[str, Cells], start: int = 0) -> list[str]:
    found = graph(made)
    return names(found, walk.walk(found.up, [start], bytearray(len(made))).nodes)


def lost(found: Graph, gone: int) -> list[str]:
    return names(found, walk.nearest(found, walk.impact(found, [gone]).lost))


# -- any graph -----------------------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(memories(), st.sampled_from(Direction), st.one_of(st.none(), st.integers(0, 3)), st.data())
def test_every_walk_ends_and_draws_each_node_once(
    made: dict[str, Cells], direction: Direction, depth: int | None, data: st.DataObject
) -> None:
    found = graph(made)
    start = data.draw(st.sampled_from(range(len(made))))
    traced = trace(found, start, direction=direction, depth=depth)
    keys = [node.key for node in traced.nodes]
    assert len(set(keys)) == len(keys)
    own_places = [branch.node.key for branch in traced.tree if branch.mark in (Mark.NONE, Mark.CUT)]
    assert sorted(own_places) == sorted(keys)
    assert len(traced.tree) == len(traced.edges) + 1
    assert all(branch.level == branch.node.distance for branch in traced.tree if branch.mark in (Mark.NONE, Mark.CUT))
    assert depth is None or all(node.distance <= depth for node in traced.nodes)


@settings(max_examples=examples(40))
@given(memories())
def test_down_is_up_read_backwards(made: dict[str, Cells]) -> None:
    found = graph(made)
    for row in range(len(made)):
        above = {link.key for link in found.sources(row)}
        below = {link.key for link in found.dependents(row)}
        for other in range(len(made)):
            assert (other in above) == (row in {link.key for link in found.dependents(other)})
            assert (other in below) == (row in {link.key for link in found.sources(other)})


@settings(max_examples=examples(40))
@given(memories())
def test_the_order_of_the_rows_changes_nothing(made: dict[str, Cells]) -> None:
    one, other = graph(made), graph(dict(reversed(made.items())))
    last = len(made) - 1
    for row in range(len(made)):
        for direction in Direction:
            assert trace(one, row, direction=direction) == trace(other, last - row, direction=direction)


@settings(max_examples=examples(40))
@given(memories())
def test_the_chain_is_the_same_from_any_member(made: dict[str, Cells]) -> None:
    found = graph(made)
    for row in range(len(made)):
        chain = walk.chain(found, row)
        assert row in chain
        assert len(set(chain)) == len(chain)
        assert all(walk.chain(found, member) == chain for member in chain if isinstance(member, int))


@settings(max_examples=examples(60))
@given(memories(), st.data())
def test_impact_is_what_would_be_ungrounded_without_it(made: dict[str, Cells], data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(range(len(made))))
    name = list(made)[gone]
    before, after = graph(made), graph({**made, name: {**made[name], "status": "forgotten"}})
    found = walk.impact(before, [gone])
    newly = {
        row
        for row in range(len(made))
        if row != gone
        and not before.is_gone(row)
        and walk.is_ungrounded(after, row)
        and not walk.is_ungrounded(before, row)
    }
    lost, weakened = (walk.nearest(before, levels) for levels in (found.lost, found.weakened))
    assert set(lost) == newly
    assert not set(weakened) & {gone, *lost}
    assert all(walk.cut_from(before, row, found.going) for row in (*lost, *weakened))
    for limit in range(len(lost) + 2):
        assert walk.nearest(before, found.lost, limit) == lost[:limit]


@settings(max_examples=examples(60))
@given(memories(), st.data())
def test_what_is_hidden_reads_as_if_it_were_not_there(made: dict[str, Cells], data: st.DataObject) -> None:
    hidden = data.draw(st.sets(st.sampled_from(range(len(made))), max_size=len(made) - 1))
    rows = [row for row in range(len(made)) if row not in hidden]
    with_hidden = graph(made, rows=rows, is_owner=False, masked=data.draw(st.booleans()))
    without = graph({name: cells for row, (name, cells) in enumerate(made.items()) if row in rows}, is_owner=False)
    assert with_hidden.dangling() == without.dangling() == []
    limit = data.draw(st.one_of(st.none(), st.integers(1, 5)))
    for number, row in enumerate(rows):
        for direction in Direction:
            traced = trace(with_hidden, row, direction=direction, limit=limit)
            assert traced == trace(without, number, direction=direction, limit=limit)
        assert lost(with_hidden, row) == lost(without, number)
        assert walk.is_ungrounded(with_hidden, row) == walk.is_ungrounded(without, number)


@settings(max_examples=examples(60))
@given(memories(), st.sampled_from(Direction), st.one_of(st.none(), st.integers(0, 3)), st.data())
def test_a_limit_leaves_out_what_is_furthest_and_counts_it(
    made: dict[str, Cells], direction: Direction, depth: int | None, data: st.DataObject
) -> None:
    found = graph(made)
    start = data.draw(st.sampled_from(range(len(made))))
    whole = trace(found, start, direction=direction, depth=depth)
    limit = data.draw(st.integers(1, len(whole.edges) + 1))
    part = trace(found, start, direction=direction, depth=depth, limit=limit)
    assert list(part.nodes) == list(whole.nodes)[: len(part.nodes)]
    assert [edge._replace(in_cycle=False) for edge in part.edges] == [
        edge._replace(in_cycle=False) for edge in whole.edges[:limit]
    ]
    assert len(part.tree) == len(part.edges) + 1
    assert part.left_out.edges == len(whole.edges) - len(part.edges)
    memories_of = [sum(node.state is NodeState.MEMORY for node in traced.nodes) for traced in (whole, part)]
    assert part.left_out.memories == memories_of[0] - memories_of[1]
    assert whole.left_out == (0, 0)
    is_told = [branch.mark is Mark.CUT for branch in part.tree]
    assert any(is_told) or not part.left_out.edges
    assert (part.roots, part.chain, part.is_ungrounded) == (whole.roots, whole.chain, whole.is_ungrounded)


# -- known shapes --------------------------------------------------------------------------------


def chain_of(length: int, kind: str = "derived_from") -> dict[str, Cells]:
    links: dict[str, Cells] = {f"note:m{n:05d}": {kind: f"note:m{n + 1:05d}"} for n in range(length - 1)}
    return {**links, f"note:m{length - 1:05d}": {}}


def test_chains_of_50_and_10000_are_followed_to_their_end() -> None:
    for length in (50, 10_000):
        found = graph(chain_of(length))
        traced = trace(found, 0, direction=Direction.UP)
        assert len(traced.nodes) == length
        assert [node.key for node in traced.roots] == [f"note:m{length - 1:05d}"]
        assert trace(found, length - 1, direction=Direction.DOWN).tree[-1].level == length - 1
        assert len(lost(found, length - 1)) == length - 1


def test_a_chain_of_100000_is_followed_both_ways() -> None:
    length = 100_000
    found = graph(chain_of(length))
    assert [branch.level for branch in trace(found, 0, direction=Direction.UP).tree] == list(range(length))
    below = walk.walk(found.down, [length - 1], found.hidden[:])
    assert list(below.nodes) == list(reversed(range(length)))
    assert len(lost(found, length - 1)) == length - 1


def test_a_graph_in_which_nearly_all_name_all_is_followed_both_ways() -> None:
    count, chance = 100, random.Random(3)  # noqa: S311 - the same graph every time
    refs = [f"note:m{n:05d}" for n in range(count)]
    made: dict[str, Cells] = {
        ref: {kind: [other for other in refs if chance.random() < 0.9] for kind in ("derived_from", "cites")}
        for ref in refs
    }
    found = graph(made)
    for direction in Direction:
        traced = trace(found, 0, direction=direction)
        assert len(traced.nodes) == count
        assert len(traced.tree) == len(traced.edges) + 1
        assert all(edge.in_cycle for edge in traced.edges)
    assert not walk.is_ungrounded(found, 0)
    assert len(lost(found, 0)) == count - 1


def test_a_thousand_memories_and_refs_of_the_wrong_type_are_found_going_down() -> None:
    length = 2_000  # beyond some hundreds, refs are looked up in another way
    made: dict[str, Cells] = {f"note:m{n:05d}": {"derived_from": f"raw:m{n + 1:05d}"} for n in range(length - 1)}
    found = graph({**made, f"note:m{length - 1:05d}": {"evidence": "support raw:m00000"}})
    assert len(trace(found, length - 1, direction=Direction.DOWN).nodes) == length
    assert [found.name(link.key) for link in found.dependents(0)] == [f"note:m{length - 1:05d}"]


def test_supersede_circles_end_in_a_lasting_order() -> None:
    made: dict[str, Cells] = {f"note:m{n:05d}": {"supersedes": f"note:m{n ^ 1:05d}"} for n in range(1_000)}
    hub: Cells = {"supersedes": list(made)}
    found = graph({**made, "note:hub": hub})
    assert names(found, walk.chain(found, 7)) == ["note:hub", *made]


def test_a_supersede_chain_of_10000_is_in_order() -> None:
    found = graph(chain_of(10_000, "supersedes"))
    assert walk.chain(found, 5_000) == tuple(reversed(range(10_000)))


def test_a_diamond_is_drawn_once_with_a_mark() -> None:
    made: dict[str, Cells] = {
        "belief:top": {"derived_from": ["note:left", "note:right"]},
        "note:left": {"derived_from": "raw:root"},
        "note:right": {"derived_from": "raw:root"},
        "raw:root": {},
    }
    tree = trace(graph(made), 0, direction=Direction.UP).tree
    drawn = [(branch.level, branch.node.key, branch.mark) for branch in tree]
    assert drawn == [
        (0, "belief:top", Mark.NONE),
        (1, "note:left", Mark.NONE),
        (2, "raw:root", Mark.NONE),
        (1, "note:right", Mark.NONE),
        (2, "raw:root", Mark.ABOVE),
    ]


def test_circles_are_marked() -> None:
    made: dict[str, Cells] = {
        "note:aaa": {"derived_from": ["note:bbb", "note:aaa"]},
        "note:bbb": {"derived_from": "note:aaa"},
    }
    tree = trace(graph(made), 0, direction=Direction.UP).tree
    assert [(branch.node.key, branch.mark) for branch in tree] == [
        ("note:aaa", Mark.NONE),
        ("note:aaa", Mark.CYCLE),
        ("note:bbb", Mark.NONE),
        ("note:aaa", Mark.CYCLE),
    ]


def test_a_ref_of_the_wrong_type_still_leads_to_the_memory() -> None:
    assert up({"belief:aaa": {"derived_from": "episode:bbb"}, "note:bbb": {}}) == ["belief:aaa", "note:bbb"]


def test_both_sides_of_a_promotion_are_one_edge() -> None:
    made: dict[str, Cells] = {
        "belief:aaa": {"derived_from": "raw:bbb", "relates_to": "raw:bbb"},
        "raw:bbb": {"processed_into": "belief:aaa"},
    }
    edges = trace(graph(made), 0, direction=Direction.UP).edges
    assert [[kind.value for kind in edge.kinds] for edge in edges] == [["derived_from", "processed_into", "relates_to"]]


def test_a_promise_of_a_memory_that_is_not_there_is_shown_below() -> None:
    found = graph({"raw:bbb": {"processed_into": "belief:gone"}})
    assert [node.key for node in trace(found, 0, direction=Direction.DOWN).nodes] == ["raw:bbb", "belief:gone"]


def test_of_two_files_with_one_id_refs_lead_to_the_first_and_both_have_lineage() -> None:
    made: dict[str, Cells] = {
        "note:aaa": {"path": "b.md", "derived_from": "raw:rrr"},
        "raw:rrr": {},
        "belief:top": {"derived_from": "note:aaa"},
    }
    found = graph({**made, "copy.md": {"id": "aaa", "path": "a.md"}})
    assert found.row_of("aaa") == 3
    assert [found.name(link.key) for link in found.sources(2)] == ["note:aaa"]
    assert found.name(0) == "b.md"
    assert [found.name(link.key) for link in found.sources(0)] == ["raw:rrr"]


# -- ground --------------------------------------------------------------------------------------


def ungrounded(cells: Cells, **others: Cells) -> bool:
    made = {"belief:top": cells} | {f"note:{name}": of for name, of in others.items()}
    return walk.is_ungrounded(graph(made), 0)


def test_a_memory_is_ungrounded_when_all_its_roots_are_gone() -> None:
    assert ungrounded({"derived_from": "raw:gone"})
    assert ungrounded({"derived_from": "note:mid"}, mid={"relates_to": "raw:gone"})
    assert ungrounded({"derived_from": "note:mid"}, mid={"status": "forgotten"})
    assert ungrounded({"derived_from": ["raw:gone", "context:a walk"]})  # marks are no ground
    assert ungrounded({"evidence": ["support raw:gone"]})


def test_a_memory_has_ground_while_one_root_is_left() -> None:
    assert not ungrounded({})
    assert not ungrounded({"derived_from": "context:a walk"})
    assert not ungrounded({"derived_from": ["raw:gone", "note:mid"]}, mid={})
    assert not ungrounded({"evidence": ["contradict raw:gone"]})
    assert not ungrounded({"evidence": ["support raw:gone", "retract raw:gone"]})
    assert not ungrounded({"supersedes": "belief:gone", "cites": "note:gone"})
    assert not ungrounded({"relates_to": "note:mid"}, mid={"relates_to": "belief:top"})  # a circle lost nothing


def test_impact_tells_loss_from_weakening() -> None:
    made: dict[str, Cells] = {
        "raw:aaa": {},
        "raw:bbb": {},
        "note:only": {"derived_from": "raw:aaa"},
        "note:both": {"derived_from": ["raw:aaa", "raw:bbb"]},
        "note:next": {"derived_from": "note:only"},
        "note:cites": {"cites": "note:next"},
        "note:heir": {"supersedes": "raw:aaa"},
    }
    found = graph(made)
    impact = walk.impact(found, [0])
    lost, weakened = (walk.nearest(found, levels) for levels in (impact.lost, impact.weakened))
    assert names(found, lost) == ["note:only", "note:next"]
    assert names(found, weakened) == ["note:both", "note:cites"]
    cut = {row: walk.cut_from(found, row, impact.going) for row in (*lost, *weakened)}
    assert {found.name(row): names(found, [link.key for link in links]) for row, links in cut.items()} == {
        "note:only": ["raw:aaa"],
        "note:both": ["raw:aaa"],
        "note:next": ["note:only"],
        "note:cites": ["note:next"],
    }
