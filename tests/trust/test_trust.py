"""Trust: seed 004's examples under its own algorithm, and laws for all grounds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.memories.search import UNATTESTED
from memstore.trust.score import Level, TrustGrounds, band, gate, held_back, trust

GROUNDS = st.builds(
    TrustGrounds,
    signed=st.booleans(),
    confirms=st.integers(0, 6),
    disputes=st.integers(0, 6),
    anchors=st.integers(0, 4),
    reputation=st.floats(0, 1),
    tampered=st.booleans(),
    timed=st.booleans(),
    stale=st.booleans(),
)


@pytest.mark.parametrize(
    ("grounds", "score", "level"),
    [
        # The seed's examples; the figures printed there (0.2, 0.6, 0.75) don't follow from its own algorithm.
        (TrustGrounds(signed=True), 0.3, Level.UNVERIFIED),
        (TrustGrounds(signed=True, anchors=1, timed=True), 0.5, Level.ATTESTED),
        (TrustGrounds(signed=True, confirms=1, anchors=1, timed=True, reputation=0.8), 0.76, Level.ANCHORED),
        (TrustGrounds(), 0.0, Level.UNVERIFIED),
        (TrustGrounds(reputation=1.0), 0.0, Level.UNVERIFIED),
        (TrustGrounds(confirms=1), 0.2, Level.UNVERIFIED),
        (TrustGrounds(signed=True, confirms=1), 0.5, Level.ATTESTED),
        (TrustGrounds(signed=True, confirms=9, reputation=1.0), 0.7, Level.ATTESTED),
        (TrustGrounds(signed=True, confirms=2, anchors=1, timed=True, reputation=1.0), 0.8, Level.CONSENSUS),
        (TrustGrounds(signed=True, confirms=1, anchors=2, timed=True, reputation=1.0), 0.9, Level.ANCHORED),
        (TrustGrounds(signed=True, confirms=3, anchors=2, timed=True, reputation=1.0), 1.0, Level.CONSENSUS),
        (
            TrustGrounds(signed=True, confirms=3, anchors=2, timed=True, reputation=1.0, disputes=1),
            0.85,
            Level.ANCHORED,
        ),
        # Nobody but the author, and commits that anybody makes and dates: unverified.
        (TrustGrounds(signed=True, anchors=1), 0.5, Level.UNVERIFIED),
        (TrustGrounds(signed=True, anchors=2, reputation=1.0), 0.7, Level.UNVERIFIED),
        (TrustGrounds(signed=True, confirms=3, anchors=2, reputation=1.0), 1.0, Level.ATTESTED),
        # What stands there was not signed by its author.
        (TrustGrounds(confirms=3, anchors=2, timed=True), 0.6, Level.UNVERIFIED),
        (TrustGrounds(confirms=3, anchors=2, timed=True, stale=True), 0.6, Level.UNVERIFIED),
        (TrustGrounds(disputes=3), 0.0, Level.UNVERIFIED),
    ],
)
def test_the_seeds_algorithm(grounds: TrustGrounds, score: float, level: Level) -> None:
    found = trust(grounds)
    assert (found.score, found.level) == (score, level)


@pytest.mark.parametrize(
    ("points", "level"),
    [
        (0, Level.UNVERIFIED),
        (299, Level.UNVERIFIED),
        (300, Level.ATTESTED),
        (599, Level.ATTESTED),
        (600, Level.ANCHORED),
        (799, Level.ANCHORED),
        (800, Level.CONSENSUS),
        (1000, Level.CONSENSUS),
    ],
)
def test_bands_are_half_open(points: int, level: Level) -> None:
    assert band(points) is level


@given(GROUNDS)
def test_a_score_is_bounded_and_a_level_never_exceeds_its_evidence(grounds: TrustGrounds) -> None:
    found = trust(grounds)
    assert 0.0 <= found.score <= 1.0
    assert found.level <= gate(grounds)
    assert found.contested == (grounds.disputes > 0)
    assert found.score == max(0, min(1000, sum(term.points for term in found.terms))) / 1000


@given(GROUNDS)
def test_more_for_it_never_lowers_and_more_against_it_never_raises(grounds: TrustGrounds) -> None:
    before = trust(grounds)
    for more in (
        grounds._replace(confirms=grounds.confirms + 1),
        grounds._replace(anchors=grounds.anchors + 1),
        grounds._replace(signed=True),
        grounds._replace(timed=True),
    ):
        assert trust(more).score >= before.score
        assert trust(more).level >= before.level
    worse = trust(grounds._replace(disputes=grounds.disputes + 1))
    assert worse.score <= before.score
    assert worse.level <= before.level


@given(GROUNDS)
def test_what_was_tampered_with_is_unverified_whatever_the_score(grounds: TrustGrounds) -> None:
    found = trust(grounds._replace(tampered=True))
    assert found.level is Level.UNVERIFIED
    assert found.score == trust(grounds._replace(tampered=False)).score


def test_each_term_says_what_it_is_for_in_the_number_that_there_are() -> None:
    one = trust(TrustGrounds(confirms=1, anchors=1, disputes=1)).terms
    assert [term.because for term in one] == ["1 witness confirms", "1 anchor holds", "1 witness disputes it"]
    two = trust(TrustGrounds(confirms=2, anchors=2, disputes=2)).terms
    assert [term.because for term in two] == [
        "2 witnesses confirm", "2 anchors hold", "two or more hold", "2 witnesses dispute it",
    ]  # fmt: skip


def test_levels_have_words() -> None:
    assert [level.word for level in Level] == ["unverified", "attested", "anchored", "consensus"]


@pytest.mark.parametrize("reputation", [math.nan, -0.1, 1.1])
def test_a_reputation_is_a_fraction(reputation: float) -> None:
    with pytest.raises(ValueError, match="reputation"):
        trust(TrustGrounds(signed=True, reputation=reputation))


def test_what_is_contested_or_stale_is_said_with_the_level() -> None:
    assert trust(TrustGrounds(disputes=1, stale=True)).word == "unverified, contested, stale"
    assert trust(TrustGrounds(signed=True, confirms=1)).word == "attested"


@given(GROUNDS)
def test_a_level_below_its_number_says_why(grounds: TrustGrounds) -> None:
    found = trust(grounds)
    assert bool(held_back(grounds)) == (found.level < band(round(found.score * 1000)))


@pytest.mark.parametrize(
    ("grounds", "why"),
    [
        (TrustGrounds(signed=True), "signed: no third party proves when it existed, and nobody else confirms it"),
        (TrustGrounds(signed=True, anchors=1, confirms=3), "signed, and kept: no third party proves when it existed"),
        (TrustGrounds(confirms=3), "its author's signature does not count"),
        (TrustGrounds(confirms=3, stale=True), "its author signed something else"),
        (TrustGrounds(signed=True, confirms=3, anchors=2, timed=True, reputation=1, disputes=1), "it is disputed"),
        (TrustGrounds(signed=True, confirms=1, anchors=2, timed=True), "fewer than two confirm it"),
        (TrustGrounds(signed=True, confirms=1), ""),
    ],
)
def test_what_holds_a_level_back(grounds: TrustGrounds, why: str) -> None:
    assert held_back(grounds) == why


def test_a_search_shows_what_nobody_attested_as_it_is_scored() -> None:
    assert trust(TrustGrounds()).level.word == UNATTESTED
