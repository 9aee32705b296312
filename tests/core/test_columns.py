"""Texts are measured and broken as a terminal draws them."""

from __future__ import annotations

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.columns import columns, fitted, fitted_end, hanging, padded, wrapped

RED, END = "\x1b[31m", "\x1b[0m"
FAMILY, THUMB, HEART = "👩\u200d👩\u200d👧", "👍\U0001f3fd", "❤\ufe0f"
SIGNS = st.sampled_from([*"abc de  fg", "茶", "日本", "e\u0301", FAMILY, THUMB, HEART, "ﾊ", "한글"])
TEXTS = st.lists(SIGNS, max_size=60).map("".join)


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("", 0), ("tea", 3), ("茶", 2), ("ﾊﾝ", 2), ("e\u0301", 1), ("한국", 4), ("\u1112\u1161\u11ab", 2),
        (FAMILY, 2), (THUMB, 2), (HEART, 2), ("🇨🇭", 2), (f"{RED}tea{END}", 3), ("1\ufe0f\u20e3", 2),
    ],
)  # fmt: skip
def test_a_text_takes_the_columns_that_are_drawn(text: str, taken: int) -> None:
    assert columns(text) == taken


@given(TEXTS, st.integers(2, 30))
def test_nothing_is_wider_than_its_room_and_nothing_is_lost(text: str, room: int) -> None:
    lines = [*wrapped(text, room)]
    assert all(0 < columns(line) <= room for line in lines)
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)
    for shortened in (fitted(text, room), fitted_end(text, room)):
        assert columns(shortened) <= room
        assert (shortened == text) == (columns(text) <= room)
        assert columns(padded(shortened, room)) == room


def test_lines_break_between_words_and_within_longer_ones() -> None:
    assert [*wrapped("green tea wants eighty", 10)] == ["green tea", "wants", "eighty"]
    assert [*wrapped("see https://example.org/tea", 12)] == ["see", "https://exam", "ple.org/tea"]
    assert [*wrapped("茶茶茶茶茶", 5)] == ["茶茶", "茶茶", "茶"]


def test_a_colour_ends_with_its_line_and_goes_on_in_the_next() -> None:
    assert [*wrapped(f"a {RED}green tea{END} b", 8)] == [f"a {RED}green{END}", f"{RED}tea{END} b"]
    assert [*wrapped(f"{RED}greentea{END}", 5)] == [f"{RED}green{END}", f"{RED}tea{END}"]


@given(st.text("ab\u8336 \t", max_size=80), st.integers(8, 60))
def test_a_hanging_line_loses_only_blanks_and_breaks_no_word(line: str, room: int) -> None:
    parts = [*hanging(line, room)]
    assert " ".join(parts).split() == line.split()
    assert all(columns(part) <= room or len(part.split()) == 1 for part in parts)
    assert all(part.startswith(" ") for part in parts[1:])


def test_a_colour_goes_on_in_a_line_that_hangs() -> None:
    assert [*hanging(f"  {RED}one two{END} three", 8)] == [f"  {RED}one{END}", f"    {RED}two{END}", "    three"]


@pytest.mark.parametrize("piece", [" ", "a ", ". ", "\t", "a", "\x1b[31ma "])
def test_a_hanging_line_takes_linear_time(piece: str) -> None:
    def took(size: int) -> float:
        begun = process_time()
        list(hanging("a" + piece * (size // len(piece)), 40))
        return process_time() - begun

    assert min(took(80_000) for _ in range(3)) < 16 * min(took(20_000) for _ in range(3)) + 0.1
