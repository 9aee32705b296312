"""Graphs for tests of lineage: from a few words, and at random."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from memstore.core.catalog import ITEM_SEPARATOR
from memstore.lineage.edges import edges_of
from memstore.lineage.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hypothesis.strategies import SearchStrategy

Cells = dict[str, str | list[str]]


def columns_of(memories: Mapping[str, Cells]) -> Mapping[str, list[str]]:
    """Return the catalogue's columns of memories given by `type:id` (or a path, for one without an id)."""
    columns: dict[str, list[str]] = defaultdict(lambda: [""] * len(memories))
    for row, (name, cells) in enumerate(memories.items()):
        kind, colon, memory_id = name.partition(":")
        columns["type"][row] = kind if colon else "note"
        columns["id"][row] = memory_id
        columns["path"][row] = f"memories/{memory_id}.md" if colon else name
        columns["status"][row] = "active"
        for column, value in cells.items():
            columns[column][row] = value if isinstance(value, str) else ITEM_SEPARATOR.join(value)
    return columns


def graph(
    memories: Mapping[str, Cells], *, rows: Sequence[int] | None = None, is_owner: bool = True, masked: bool = False
) -> Graph:
    """Return the graph of memories given by `type:id` (or a path, for one without an id) and their cells.

    Args:
        memories: all there are.
        rows: those that may be seen; None for all.
        is_owner: whether refs that lead nowhere are shown.
        masked: whether its edges are taken from among those of all memories, instead of read from those of `rows`.
    """
    columns = columns_of(memories)
    known = {name.partition(":")[2] for name in memories}
    everything = range(len(memories))
    seen = everything if rows is None else rows
    table = edges_of(
        columns.__getitem__,
        everything if masked else seen,
        is_missing=lambda memory_id: (is_owner or masked) and memory_id not in known,
    )
    return Graph(columns.__getitem__, seen, table, shows_missing=is_owner)


def names(found: Graph, keys: Iterable[int]) -> list[str]:
    """Return what the nodes are called."""
    return [found.name(key) for key in keys]


MOST = 9
_KINDS = ("derived_from", "relates_to", "processed_into", "supersedes", "superseded_by", "cites")


@st.composite
def _memories(draw: st.DrawFn) -> dict[str, Cells]:
    """Return memories that name each other, themselves, what is not there, with the wrong type, and other things."""
    count = draw(st.integers(1, MOST))
    ids = [f"m{n:02d}" for n in range(MOST + 2)]
    kinds = [draw(st.sampled_from(("raw", "note", "belief"))) for _ in ids]
    refs = st.builds("{}:{}".format, st.sampled_from(("raw", "note", "belief")), st.sampled_from(ids))
    marks = st.sampled_from(("context:a walk", "kernle:seed-beliefs", "url:https://example.org/m01", "file:a.md#L1"))
    ops = st.sampled_from(("assert", "support", "contradict", "retract"))
    found: dict[str, Cells] = {}
    for n in range(count):
        cells: Cells = {kind: draw(st.lists(refs, max_size=2, unique=True)) for kind in _KINDS}
        cells["derived_from"] = [*cells["derived_from"], *draw(st.lists(marks, max_size=1))]
        cells["evidence"] = draw(st.lists(st.builds("{} {}".format, ops, refs), max_size=2, unique=True))
        cells["status"] = draw(st.sampled_from(("active", "active", "forgotten", "superseded")))
        found[f"{kinds[n]}:{ids[n]}"] = cells
    return found


def memories() -> SearchStrategy[dict[str, Cells]]:
    """Return memories in any tangle that people can make by hand."""
    return _memories()
