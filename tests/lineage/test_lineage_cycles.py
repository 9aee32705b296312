from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.lineage.graph import graph_of
from memstore.lineage.walk import way_back
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.lineage.graph import Graph

LENGTH = 50
FILES = {
    **{
        f"{i}.md": memory_text(id=f"m_{i:03}", derived_from=f"[note:m_{i + 1:03}]" if i < LENGTH else "[url:x]")
        for i in range(LENGTH + 1)
    },
    "raw.md": memory_text(type="raw", id="m_raw", processed_into="[note:m_made]"),
    "made.md": memory_text(id="m_made", relates_to="[note:m_rel]"),
    "rel.md": memory_text(id="m_rel"),
}


def graph() -> Graph:
    ws = memory_workspace(FILES)
    return graph_of(ws.view())


def way(start: str, *targets: str) -> tuple[str, ...]:
    made = graph()
    rows = [made.row_of(name) for name in (start, *targets)]
    first, *others = [row for row in rows if row is not None]
    return way_back(made, first, others)


def test_a_circle_of_any_length_is_found_and_named_in_order() -> None:
    circle = way(f"m_{LENGTH:03}", "m_rel", "m_000")
    assert circle == (f"note:m_{LENGTH:03}", *(f"note:m_{i:03}" for i in range(LENGTH + 1)))


@pytest.mark.parametrize(
    ("start", "target", "expected"),
    [
        ("m_000", "m_000", ("note:m_000", "note:m_000")),
        ("m_raw", "m_made", ("raw:m_raw", "note:m_made", "raw:m_raw")),
        ("m_rel", "m_made", ()),
        ("m_000", "m_050", ()),
    ],
)
def test_what_closes_a_circle(start: str, target: str, expected: tuple[str, ...]) -> None:
    assert way(start, target) == expected
