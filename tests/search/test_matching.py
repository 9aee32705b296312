from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memstore.core.terms import term_of, words
from memstore.search.clauses import Clause, Phrase, Prefix, Word
from memstore.search.matching import (
    Matcher,
    holds_alias,
    matcher_of,
    phrase_counts,
    within_edits,
)
from memstore.search.query import parse

TEXT = st.lists(st.sampled_from(["walks", "walking", "dog", "happy", "the", "Vet", "3:30", "été", "y"]), max_size=12)


@given(TEXT, st.sampled_from(["walk", "dogs", "happiness", "été", "3:30", "ys"]))
def test_a_word_is_found_wherever_its_term_stands(text: list[str], asked: str) -> None:
    term = term_of(words(asked)[0])
    found = Matcher([Clause(Word(term))], [[term]]).places(" ".join(text))
    assert found == [(at, 0) for at, word in enumerate(words(" ".join(text))) if term_of(word) == term]


@given(TEXT)
def test_a_phrase_is_found_where_its_words_stand_side_by_side(text: list[str]) -> None:
    run = ("walking", "dog")
    there = words(" ".join(text))
    found = Matcher([Clause(Phrase(run))], [[]]).places(" ".join(text))
    assert found == [(at, 0) for at in range(len(there)) if tuple(there[at : at + 2]) == run]
    positions = [[at for at, word in enumerate(there) if word == wanted] for wanted in run]
    assert phrase_counts(positions) == len(found)


@given(TEXT)
def test_a_demanded_word_is_found_letter_by_letter(text: list[str]) -> None:
    found = matcher_of(parse("+walking")).places(" ".join(text))
    assert found == [(at, 0) for at, word in enumerate(words(" ".join(text))) if word == "walking"]


def test_a_day_is_found_however_it_is_written() -> None:
    matcher = matcher_of(parse("2026-05-08"))
    for text in ("on 2026-05-08.", "on 8 May 2026", "on May 8, 2026"):
        assert matcher.places(text) == [(1, 0)]
        assert matcher.spans(text)
    assert not matcher.places("9 May 2026")


def test_prefixes_look_at_words_and_not_at_stems() -> None:
    matcher = Matcher([Clause(Prefix("authenticit"))], [["authent"]])
    assert matcher.places("Authenticity is authentic") == [(0, 0)]


def test_neighbours_in_the_query_that_are_neighbours_in_the_text() -> None:
    matcher = matcher_of(parse("heart murmur bella"))
    assert matcher.pairs(matcher.places("a heart murmur")) == 1
    assert matcher.pairs(matcher.places("murmur heart, murmur Bella")) == 2
    assert matcher.pairs(matcher.places("heart of murmur")) == 0


def test_spans_are_of_the_text_as_it_stands() -> None:
    text = "Jürgen's dogs — “Straße” 3:30pm, walking"
    found = [text[first:last] for first, last in matcher_of(parse("jurgen strasse 3:30 walk* -dogs")).spans(text)]
    assert found == ["Jürgen's", "Straße", "3:30", "walking"]


@pytest.mark.parametrize(
    ("query", "alias", "expected"),
    [
        ("what happened in the Bella incident?", "Bella incident", True),
        ("what about the bella incidant", "Bella incident", True),
        ("belle incident", "Bella incident", False),
        ("incident bella", "Bella incident", False),
        ("bella", "Bella incident", False),
        ("anything", "", False),
        ("AISD", "aisd", True),
    ],
)
def test_aliases(query: str, alias: str, *, expected: bool) -> None:
    assert holds_alias(words(query), words(alias)) is expected


def distance(one: str, other: str) -> int:
    """The edits between two words, by the definition of optimal string alignment."""
    cells = {(0, 0): 0}
    for i, j in product(range(len(one) + 1), range(len(other) + 1)):
        ways = [cells[i - 1, j] + 1] if i else []
        ways += [cells[i, j - 1] + 1] if j else []
        ways += [cells[i - 1, j - 1] + (one[i - 1] != other[j - 1])] if i and j else []
        if i > 1 and j > 1 and one[i - 2 : i] == other[j - 2 : j][::-1]:
            ways.append(cells[i - 2, j - 2] + 1)
        cells[i, j] = min(ways, default=0)
    return cells[len(one), len(other)]


@given(st.text("abc", max_size=6), st.text("abc", max_size=6), st.integers(0, 3))
def test_edits_are_counted_right(one: str, other: str, most: int) -> None:
    assert within_edits(one, other, most) == (distance(one, other) <= most)


def test_a_letter_too_few_or_too_many_is_a_slip_in_short_words_too() -> None:
    assert holds_alias(["eror", "handling"], ["error", "handling"])
    assert holds_alias(["reedis"], ["redis"])
    assert not holds_alias(["mango"], ["mongo"])
    assert not holds_alias(["k9s"], ["k8s"])
    assert not holds_alias(["cat"], ["cart"])


PIECES = [
    "Wi-Fi",
    "e-mail",
    " ",
    "-",
    "v2.10.3",
    "✅",
    "👍🏽",
    "parse_levelTwo",
    "HTTPError",
    "state-of-the-art",
    "Ö-x",
    "don’t",
]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join))
@example("The Wi-Fi router hums")
def test_every_word_under_which_a_text_is_indexed_is_found_in_it(text: str) -> None:
    for word in words(text):
        assert Matcher([Clause(Word(term_of(word)))], [[term_of(word)]]).places(text), word
