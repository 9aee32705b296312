"""Places in a text, as editors count them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from memstore.lsp.text import Text, TextSpan

ENCODINGS = [*types.PositionEncodingKind]
TEXTS = st.text(st.sampled_from("ab \n\r\u2028\x0b\x85é日😀\t"), max_size=40)
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
SIZES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


@given(TEXTS, st.sampled_from(ENCODINGS), st.data())
def test_an_offset_and_its_place_lead_to_each_other(
    source: str, encoding: types.PositionEncodingKind, data: st.DataObject
) -> None:  # fmt: skip
    text = Text(source, encoding)
    offset = data.draw(st.integers(0, len(source)))
    place = text.place(offset)
    within = source[: text.line_start(place.line) + len(text.line(place.line))]
    assert text.offset(place) == min(offset, len(within))
    before = text.line(place.line)[: offset - text.line_start(place.line)]
    assert place.character == len(before.encode(CODECS[encoding.value])) // SIZES[encoding.value]


@given(TEXTS)
def test_lines_end_where_the_protocol_ends_them(source: str) -> None:
    text = Text(source)
    lines = [text.line(at) for at in range(text.line_count)]
    assert lines == source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@given(TEXTS, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.integers(0, 5), TEXTS), max_size=4))
def test_changes_are_made_one_after_the_other(source: str, edits: list[tuple[int, int, int, str]]) -> None:
    text, changes, wanted = Text(source), [], source
    for line, character, more, new in edits:
        start, end = types.Position(line, character), types.Position(line + more, character)
        now = Text(wanted)
        span = now.span(types.Range(start, end))
        wanted = wanted[: span.start] + new + wanted[span.end :]
        changes.append(types.TextDocumentContentChangePartial(types.Range(start, end), new))
    assert text.changed(changes).source == wanted
    assert text.changed([types.TextDocumentContentChangeWholeDocument("x")]).source == "x"


@pytest.mark.parametrize("place", [(9, 9), (0, 99), (0, 0)])
def test_a_place_beyond_a_text_is_its_end(place: tuple[int, int]) -> None:
    text = Text("ab\ncd")
    assert text.offset(types.Position(*place)) == {(9, 9): 5, (0, 99): 2, (0, 0): 0}[place]
    assert text.span(types.Range(types.Position(1, 1), types.Position(0, 0))) == TextSpan(4, 4)
