"""JSON that is read an item at a time is what the whole of it is."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.files import json_stream
from memstore.files.json_stream import items
from tests.support import examples

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class Trickle(io.BytesIO):
    """Gives a few bytes at a time, however many are asked for."""

    def __init__(self, data: bytes, step: int) -> None:
        super().__init__(data)
        self.step = step

    def read(self, _size: int | None = -1, /) -> bytes:
        return super().read(self.step)


def read(data: bytes, step: int = 7, **named: Any) -> list[Any]:
    return [item.value for item in items(Trickle(data, step), **named)]


@given(st.lists(VALUES, max_size=6), st.integers(1, 40), st.sampled_from([None, 1]))
@settings(max_examples=examples(150))
def test_a_list_in_any_pieces_is_the_list(values: list[Any], step: int, indent: int | None) -> None:
    assert read(json.dumps(values, indent=indent).encode(), step) == values


@given(st.lists(VALUES.filter(lambda value: not isinstance(value, list)), max_size=6), st.integers(1, 40))
@settings(max_examples=examples(100))
def test_lines_in_any_pieces_are_the_values(values: list[Any], step: int) -> None:
    data = "".join(f"{json.dumps(value)}\n" for value in values)
    assert read(data.encode(), step) == values


@given(st.lists(VALUES, min_size=1, max_size=4), st.data())
@settings(max_examples=examples(150))
def test_a_list_that_was_cut_off_is_what_stands_before_the_cut_and_a_mistake(
    values: list[Any], data: st.DataObject
) -> None:
    whole = json.dumps(values).encode()
    cut = data.draw(st.integers(1, len(whole) - 1))
    *before, last = items(Trickle(whole[:cut], data.draw(st.integers(1, 40))))
    assert [item.value for item in before][:-1] == values[: len(before)][:-1]  # a number may be cut, too
    assert "this is not JSON" in last.why


def test_letters_that_are_cut_apart_are_put_together() -> None:
    values = ["grüner Tee", "緑茶", "🍵" * 9]
    for step in range(1, 9):
        assert read(json.dumps(values, ensure_ascii=False).encode(), step) == values


def test_each_item_has_its_line() -> None:
    found = [item.line for item in items(io.BytesIO(b'[\n1,\n\n {"a":\n2},3\n]\n'))]
    assert found == [2, 4, 5]
    assert [item.line for item in items(io.BytesIO(b'{"a": 1}\n\n{"b": 2}\n'))] == [1, 3]


def test_the_list_under_a_key_is_read() -> None:
    assert read(b'{"count": 2, "results": [1, 2]}', under=("memories", "results")) == [1, 2]
    assert read(b'{"count": 2}', under=("results",)) == [{"count": 2}]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b"[1, 2", "1: column 6: this is not JSON: expected `,` or `]`"),
        (b"[1 2]", "1: column 4: this is not JSON: expected `,` or `]`"),
        (b"[1]x", "1: column 4: this is not JSON: expected the end of the file"),
        (b'[{"a": 1},\n {"b" 2}]', "2: column 7: this is not JSON: expecting ':' delimiter"),
        (b"[NaN]", "NaN is not a number"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b"[1]" + b"\xff", "this is not UTF-8"),
        (b'["a", "\xff", 2]', "1: column 8: this is not UTF-8"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: bytes, where: str) -> None:
    found = list(items(io.BytesIO(text)))
    assert [where in f"{item.line}: {item.why}" for item in found if item.why] == [True]


def test_what_follows_a_mistake_is_read_where_it_can_be_found() -> None:
    lines = b'{"a": 1}\n{"a": oops}\nnonsense\n{"a": "\xff"}\n{"a": 2}\n{"a": "cut'
    for step in (1, 7, 1000):
        found = list(items(Trickle(lines, step)))
        assert [item.value for item in found if not item.why] == [{"a": 1}, {"a": 2}]
        assert [item.line for item in found if item.why] == [2, 4, 6]
    assert read(b'["a", "\xff", "b"]') == ["a", None, "b"]


@pytest.mark.parametrize("broken", ['{"a": 1', '{"a":', '{"a": 1,', '{"a": "b', "oops", '{"a": 1}}', "\n\n{"])
@pytest.mark.parametrize("rest", ["", "\n", "\r\n\n", '\n{"b": 2}\n'])
@pytest.mark.parametrize("before", [1, 5000])
def test_a_broken_line_is_named_as_itself(broken: str, rest: str, before: int) -> None:
    found = items(io.BytesIO(('{"a": 1}\n' * before + broken + rest).encode()))
    assert [item.line for item in found if item.why] == [before + 1 + broken.count("\n")]


def test_a_mistake_early_in_a_file_stops_reading_early() -> None:
    stream = io.BytesIO(b'[{"a": oops},' + b'{"a": 1},' * 1_000_000)
    assert [item.line for item in items(stream)] == [1]
    assert stream.tell() <= 2 * json_stream.CHUNK_BYTES


def test_an_item_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "MOST_CHARACTERS", 1000)
    (item,) = items(Trickle(b'["' + b"x" * 5000, 100))
    assert "more than 1,000 characters" in item.why
