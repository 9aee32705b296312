"""Numbers in words say what the same numbers in digits say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.conflicts.contradiction import TextVerdict, compare
from memstore.conflicts.quantities import CARDINALS, SCALES, joined

WORDS = {value: word for word, value in CARDINALS.items() if word not in SCALES}


def spelled(number: int, *, hyphens: bool, ands: bool) -> list[str]:
    for word, scale in (("million", 10**6), ("thousand", 1000), ("hundred", 100)):
        if number >= scale:
            whole, rest = divmod(number, scale)
            joint = ["and"] if ands and 0 < rest < 100 else []
            more = joint + spelled(rest, hyphens=hyphens, ands=ands) if rest else []
            return [*spelled(whole, hyphens=hyphens, ands=ands), word, *more]
    if number > 20 and number % 10 and not hyphens:
        return [WORDS[number - number % 10], WORDS[number % 10]]
    return [WORDS[number]]


@given(st.integers(0, 10**9 - 1), st.booleans(), st.booleans())
def test_a_number_in_words_is_that_number(number: int, hyphens: bool, ands: bool) -> None:  # noqa: FBT001
    first, *following = spelled(number, hyphens=hyphens, ands=ands)

    assert joined(first, [*following, "rooms", "two"]) == (number, len(following))


@pytest.mark.parametrize(
    ("words", "value", "more"),
    [
        ("one two three", 1, 0),
        ("nine thirty", 9, 0),
        ("twenty twelve", 20, 0),
        ("hundred", 100, 0),
        ("two dozen eggs", 24, 1),
        ("two and a half", 2.5, 3),
        ("two and three", 2, 0),
        ("two hundred and", 200, 1),
        ("five thousand million", 5000, 1),
        ("nineteen eighty", 19, 0),
    ],
)
def test_what_makes_no_number_stays_apart(words: str, value: float, more: int) -> None:
    first, *following = words.split()
    assert joined(first, following) == (value, more)


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("The bus holds ninety people", "The bus holds 90 people", TextVerdict.AGREES),
        ("The house has two hundred and five rooms", "The house has 205 rooms", TextVerdict.AGREES),
        ("The house has twenty one rooms", "The house has twenty-two rooms", TextVerdict.OTHER_VALUE),
        ("The wall is two and a half meters high", "The wall is 3 meters high", TextVerdict.OTHER_VALUE),
        ("The budget is $5 million", "The budget is 6 million dollars", TextVerdict.OTHER_VALUE),
        ("Sean is in the twenty-first row", "Sean is in the 22nd row", TextVerdict.OTHER_VALUE),
        ("Sean is the one who swims", "Sean is the two who swim", TextVerdict.SILENT),
    ],
)
def test_sentences_with_numbers_in_words(one: str, other: str, verdict: TextVerdict) -> None:
    assert compare(one, other).verdict is verdict


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The lamp number 1 in the hall is made of brass.", "The lamp number 2 in the hall is made of brass."),
        ("House number 12 is empty.", "House number 14 is not empty."),
    ],
)
def test_a_number_that_is_called_one_names_a_thing(one: str, other: str) -> None:
    assert compare(one, other).verdict is TextVerdict.SILENT
    assert compare("The lamp number 1 is on.", "The lamp number 1 is off.").verdict is TextVerdict.CONTRADICTS
    assert compare("Our number is 555 1234.", "Our number is 555 9876.").verdict is TextVerdict.OTHER_VALUE
