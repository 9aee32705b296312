"""Phrasings: what a clause says of an attribute is compared however it is put."""

from __future__ import annotations

import re
from itertools import cycle, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.conflicts.contradiction import CONFLICTS, compare_statements
from memstore.conflicts.frames import frames
from memstore.conflicts.gisting import gist
from memstore.conflicts.gists import may_conflict
from memstore.conflicts.phrasings import usual
from memstore.conflicts.statements import statements
from memstore.core.word_lists import word_lists
from tests.support import examples

# Ways to say one thing, two values of it, and the same words about another thing.
WAYS: dict[str, tuple[tuple[str, ...], tuple[str, str], tuple[str, str]]] = {
    "price": (
        (
            "A locker costs {}.",
            "They charge {} for a locker.",
            "A locker sells for {}.",
            "You can get a locker for {}.",
        ),
        ("12 euros", "15 euros"),
        ("locker", "towel"),
    ),
    "capacity": (
        ("The barge has {} seats.", "There is room for {} people on the barge.", "The barge can take {} passengers."),
        ("80", "95"),
        ("barge", "tug"),
    ),
    "deadline": (
        ("The essay is due on {}.", "The deadline for the essay is {}.", "The essay has to be handed in by {}."),
        ("3 May", "10 May"),
        ("essay", "poster"),
    ),
    "home": (
        ("Ylva lives in {}.", "Ylva is based in {}.", "Ylva's home is in {}.", "{} is where Ylva lives."),
        ("Bergen", "Tromsø"),
        ("Ylva", "Runa"),
    ),
    "manager": (
        ("The lido is run by {}.", "{} is in charge of the lido.", "The manager of the lido is {}."),
        ("Vera Lind", "Otto Brandt"),
        ("lido", "archive"),
    ),
    "owner": (
        ("The sledge belongs to {}.", "{} owns the sledge.", "The sledge is the property of {}."),
        ("Vera Lind", "Otto Brandt"),
        ("sledge", "canoe"),
    ),
    "job": (
        ("Emil works as {}.", "Emil is {} by trade.", "Emil earns his living as {}.", "Emil is {}."),
        ("a roofer", "a tailor"),
        ("Emil", "Anton"),
    ),
    "limit": (
        ("Uploads are limited to {}.", "Uploads must not be larger than {}.", "The upload limit is {}."),
        ("10 MB", "50 MB"),
        ("pload", "ownload"),
    ),
    "supplier": (
        ("We get our flour from {}.", "{} delivers our flour.", "Our flour is supplied by {}."),
        ("Green Box", "Farm Direct"),
        ("flour", "coffee"),
    ),
    "weight": (
        ("The ram weighs {}.", "The weight of the ram is {}.", "The ram tips the scales at {}."),
        ("61 kg", "75 kg"),
        ("ram", "ewe"),
    ),
}
ALL = [(one, other, *rest) for ways, *rest in WAYS.values() for one, other in product(ways, repeat=2)]


@pytest.mark.soak(3)
@pytest.mark.parametrize(("one", "other", "values", "things"), ALL)
def test_two_values_are_in_conflict_however_they_are_put(
    one: str, other: str, values: tuple[str, str], things: tuple[str, str]
) -> None:
    this, that = one.format(values[0]), other.format(values[1])

    assert _is_conflict(this, that)
    assert may_conflict(*(gist(statement) for text in (this, that) for statement in statements(text)))
    assert not _is_conflict(this, other.format(values[0]))
    a, b = things
    assert not _is_conflict(this, that.replace(a, b).replace(a.capitalize(), b.capitalize()))


def _is_conflict(one: str, other: str) -> bool:
    return any(
        compare_statements(statements(one), statements(other), days_apart=days_apart).verdict in CONFLICTS
        for days_apart in (False, True)
    )


@pytest.mark.parametrize(
    ("clause", "said"),
    [
        ("Green Box supplies our vegetables since May.", "the supplier of vegetables is Green Box since May."),
        ("The bakery doesn’t open before eight.", "The bakery opens at eight."),
        ("You don't pay 4 euros for a locker.", "You don't pay 4 euros for a locker."),
        ("The gate is green.", "The gate is green."),
        ("It is on the table.", "It is on the table."),
        ("Emil is a genius.", "Emil is a genius."),
        ("Pia is the only one who knows the code.", "only Pia knows the code."),
        ("Visitors don't have to wear a badge.", "Visitors do not need a badge."),
    ],
)
def test_the_usual_words(clause: str, said: str) -> None:
    assert usual(clause) == said


def test_every_way_fills_the_places_of_its_usual_form() -> None:
    for line in word_lists("conflicts")["phrasings"].strip().splitlines():
        form, *ways = (set(re.findall("<.>", way)) for way in line.split(" | "))
        assert all(way == form for way in ways), line


# A phrasing, its first way out of every choice of words, with its places filled.
_PART = re.compile(r"\(([^()/]+)[^()]*\)\??|(<\w>)|(\S+?)\??(?=\s|$)")
EVERY_WAY = [way for line in word_lists("conflicts")["phrasings"].strip().splitlines() for way in line.split(" | ")[1:]]
_FILLING = st.text(st.sampled_from("ab A1`\"'*_[](){}<>|:/.,;–é中\u200b"), max_size=12)


@settings(max_examples=examples(20))
@given(fillings=st.lists(_FILLING, min_size=3, max_size=3))
def test_whatever_fills_the_places_is_read(fillings: list[str]) -> None:
    for clause in EVERY_WAY:
        filled = iter(cycle(fillings))
        said = " ".join(next(filled) if place else choice or word for choice, place, word in _PART.findall(clause))
        assert frames(said)
