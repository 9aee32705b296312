"""Edges as numbers say what the fields say, however few of the files they were read from anew."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.core.catalog import EdgeKind
from memstore.lineage.edges import (
    BACKWARD,
    BITS,
    GROUND,
    HOP_SHIFT,
    KINDS,
    EdgeChanges,
    Rows,
    bits_of,
    changed,
    edges_of,
    flattened,
)
from memstore.lineage.walk import walk
from tests.lineage.lineage_graphs import Cells, columns_of, graph, memories
from tests.support import examples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.lineage.edges import EdgeSide, EdgeTable

Said = dict[str, list[tuple[str, int]]]


def said(table: EdgeTable, rows: Rows) -> tuple[Said, Said]:
    """Return the edges both ways by name, in their order; nodes without any are left out."""

    def name(node: int) -> str:
        return rows.name(node) if node >= 0 else table.texts[~node]

    def of(side: EdgeSide) -> Said:
        near = {node: side.near(node) for node in (*range(table.rows), *range(-len(table.texts), 0))}
        return {
            name(node): [(name(hop >> HOP_SHIFT), hop & BITS) for hop in hops] for node, hops in near.items() if hops
        }

    return of(table.above), of(table.below)


def table_of(columns: Mapping[str, list[str]], rows: Sequence[int]) -> EdgeTable:
    known = {columns["id"][row] for row in rows}
    return edges_of(columns.__getitem__, rows, is_missing=lambda memory_id: memory_id not in known)


# -- what the fields say -------------------------------------------------------------------------


def naive(made: Mapping[str, Cells], start: str, *, up: bool) -> set[str]:
    """Return the closure of a memory, read from the refs one by one."""
    by_id = {name.partition(":")[2]: name for name in made}
    edges: dict[str, set[str]] = defaultdict(set)
    for name, cells in made.items():
        for kind in EdgeKind:
            for item in cells.get(kind.value, ()):
                text = item.partition(" ")[2] if kind is EdgeKind.EVIDENCE else item
                of_type, _, ref_id = text.partition(":")
                is_memory = of_type in ("raw", "note", "belief")
                if bits_of(kind) & BACKWARD and not is_memory:
                    continue
                other = by_id.get(ref_id, text) if is_memory else text
                dependent, source = (other, name) if bits_of(kind) & BACKWARD else (name, other)
                edges[dependent if up else source].add(source if up else dependent)
    found, waiting = {start}, [start]
    while waiting:
        for other in edges[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


@settings(max_examples=examples(100))
@given(memories())
def test_a_walk_over_numbers_finds_what_a_walk_over_refs_finds(made: dict[str, Cells]) -> None:
    found = graph(made)
    for row, name in enumerate(made):
        for side in (found.up, found.down):
            walked = walk(side, [row], bytearray(found.table.size))
            assert {found.name(key) for key in walked.nodes} == naive(made, name, up=side is found.up)


def test_thousands_that_name_each_other_at_random() -> None:
    count, chance = 3_000, random.Random(5)  # noqa: S311 - the same graph every time
    refs = [f"note:m{n:05d}" for n in range(count + 30)]  # the last are not there
    made: dict[str, Cells] = {
        ref: {
            "derived_from": chance.sample(refs, chance.randrange(3)),
            "processed_into": chance.sample(refs, chance.randrange(2)),
            "evidence": [f"support {other}" for other in chance.sample(refs, chance.randrange(2))],
        }
        for ref in refs[:count]
    }
    found = graph(made)
    for row in chance.sample(range(count), 3):
        for side in (found.up, found.down):
            walked = walk(side, [row], bytearray(found.table.size))
            assert {found.name(key) for key in walked.nodes} == naive(made, refs[row], up=side is found.up)


def test_an_edge_has_the_bits_of_its_kinds_and_tells_ground() -> None:
    made: dict[str, Cells] = {
        "belief:top": {
            "derived_from": ["raw:one", "context:a walk"],
            "evidence": ["support note:two", "contradict note:three", "support note:four", "retract note:four"],
            "cites": ["note:two", "note:five"],
            "supersedes": ["belief:old"],
        },
        "raw:one": {"processed_into": ["belief:top"]},
        **{f"note:{name}": {} for name in ("two", "three", "four", "five")},
        "belief:old": {},
    }
    found = graph(made)
    told = {found.name(key): (set(found.kinds(bits)), bool(bits & GROUND)) for key, bits in found.above[0].items()}
    kinds = EdgeKind
    assert told == {
        "raw:one": ({kinds.DERIVED_FROM, kinds.PROCESSED_INTO}, True),
        "context:a walk": ({kinds.DERIVED_FROM}, False),
        "note:two": ({kinds.EVIDENCE, kinds.CITES}, True),
        "note:three": ({kinds.EVIDENCE}, False),
        "note:four": ({kinds.EVIDENCE}, False),
        "note:five": ({kinds.CITES}, False),
        "belief:old": ({kinds.SUPERSEDES}, False),
    }


# -- what a few files change ---------------------------------------------------------------------


@settings(max_examples=examples(200))
@given(memories(), memories(), st.data())
def test_a_few_changed_files_leave_the_table_that_all_files_give(
    before: dict[str, Cells], after: dict[str, Cells], data: st.DataObject
) -> None:
    count = len(before)
    names = {name.partition(":")[2]: (name, cells) for name, cells in before.items()}
    dropped = data.draw(st.sets(st.sampled_from(range(count))))
    kept = {memory_id for row, memory_id in enumerate(names) if row not in dropped}
    in_place = data.draw(st.booleans())  # as where the index is written, else as where changes are laid over it
    come = {name: cells for name, cells in after.items() if name.partition(":")[2] not in kept}
    if data.draw(st.booleans()):
        come["memories/no-id.md"] = {"id": "", "derived_from": ["raw:m00", "note:m01"]}
    columns = columns_of({**{f"{row}": {} for row in range(count + len(come))}})
    free = iter([*sorted(dropped), *range(count, count + len(come))] if in_place else range(count, count + len(come)))
    places = {row: cell for row, cell in enumerate(before.items()) if row not in dropped}
    read = [(next(free), one) for one in come.items()]
    places.update(read)
    was = columns_of(before)
    table = table_of(was, range(count))
    for name in ("id", "type", "path", "status", *(kind.value for kind in KINDS)):
        cells_of = columns[name]
        for row in range(len(cells_of)):
            cells_of[row] = columns_of(dict([places[row]]))[name][0] if row in places else ""
    live = sorted(places)
    rows = Rows.of(columns.__getitem__, live)
    fields = [columns[kind.value] for kind in KINDS]
    changes = EdgeChanges(rows, frozenset(dropped), [row for row, _ in read], ())
    found = changed(table, changes, lambda row: [cells[row] for cells in fields])
    expected = said(table_of(columns, live), rows)
    assert said(found, rows) == expected
    for side in (found.above, found.below):
        assert side.count(live) == sum(len(side.near(row)) for row in live)
    flat = flattened(found)
    assert said(flat, rows) == expected
    assert not flat.above.changed
    assert {text for text in flat.texts if text} == set(table_of(columns, live).texts)
