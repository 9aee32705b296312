from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.search.citations import (
    CitationStanding,
    CitationVerdict,
    Place,
    citation_text,
    compare,
    parse_place,
    places_in,
)

BLOB = "3ab92c01de45f"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("note:m_abc", Place("note:m_abc")),
        ("note:123", Place("note:123")),
        ("m_abc:L3-L5", Place("m_abc", (3, 5))),
        ("note:m_abc:L5-3", Place("note:m_abc", (3, 5))),
        (f"[[note:m_abc#L3-L5@{BLOB}]]", Place("note:m_abc", (3, 5), BLOB)),
        (f"note:m_abc#L3@{BLOB}", Place("note:m_abc", (3, 3), BLOB)),
        (f"file:src/a b.py#L10-L20@{BLOB}", Place("src/a b.py", (10, 20), BLOB)),
        ("memories/tea.md:12", Place("memories/tea.md", (12, 12))),
        ("memories/tea.md:12-14", Place("memories/tea.md", (12, 14))),
        ("memories/tea.md", Place("memories/tea.md")),
        ("", Place("")),
    ],
)
def test_how_a_place_is_written(text: str, expected: Place) -> None:
    assert parse_place(text) == expected


@given(st.integers(1, 999), st.integers(0, 99), st.text("0123456789abcdef", min_size=40, max_size=40))
def test_what_is_written_reads_back(first: int, more: int, blob: str) -> None:
    text = citation_text("note:m_abc", (first, first + more), blob)
    assert parse_place(text) == Place("note:m_abc", (first, first + more), blob[:10])
    assert list(places_in(f"As in {text}.", ())) == [parse_place(text)]


def test_what_a_memory_cites() -> None:
    sources = (f"file:a.py#L1@{BLOB}", "file:b.py", "note:m_abc")
    body = f"[[note:m_x]] [[m_y#L2]] [[m_z#L2@{BLOB}]]"
    assert [place.name for place in places_in(body, sources)] == ["m_z", "a.py"]


OLD = ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (OLD, CitationVerdict(CitationStanding.SAME, (2, 3))),
        (["x", "b\r", "c\r"], CitationVerdict(CitationStanding.SAME, (2, 3))),
        (["new", *OLD], CitationVerdict(CitationStanding.MOVED, (3, 4))),
        (["b", "c"], CitationVerdict(CitationStanding.MOVED, (1, 2))),
        (["b", "c", "x", "x", "b", "c"], CitationVerdict(CitationStanding.MOVED, (1, 2))),
        (["a", "b", "C", "d", "e"], CitationVerdict(CitationStanding.CHANGED, (2, 3))),
        (["a", "x", "y", "z", "d", "e"], CitationVerdict(CitationStanding.CHANGED, (2, 4))),
        (["a", "d", "e"], CitationVerdict(CitationStanding.GONE)),
        ([], CitationVerdict(CitationStanding.GONE)),
    ],
)
def test_what_became_of_lines(new: list[str], expected: CitationVerdict) -> None:
    assert compare(OLD, new, (2, 3)) == expected


@pytest.mark.parametrize(("lines", "now"), [((1, 1), (2, 2)), ((4, 4), (2, 2)), ((5, 5), (6, 6)), ((6, 6), (6, 6))])
def test_lines_that_stand_in_several_places_moved_to_the_nearest(lines: tuple[int, int], now: tuple[int, int]) -> None:
    old = ["y"] * 6
    assert compare(old, ["x", "y", "x", "x", "x", "y", "x"], lines).lines == now


@given(
    st.data(), st.lists(st.sampled_from("abcx"), min_size=1, max_size=8), st.lists(st.sampled_from("abcx"), max_size=8)
)
def test_a_verdict_names_lines_that_are_there(data: st.DataObject, old: list[str], new: list[str]) -> None:
    first = data.draw(st.integers(1, len(old)))
    last = data.draw(st.integers(first, len(old)))
    found = compare(old, new, (first, last))
    assert (found.lines is None) == (found.standing is CitationStanding.GONE)
    if found.lines:
        assert 1 <= found.lines[0] <= found.lines[1] <= len(new)
    if found.lines and found.standing in (CitationStanding.SAME, CitationStanding.MOVED):
        assert new[found.lines[0] - 1 : found.lines[1]] == old[first - 1 : last]
