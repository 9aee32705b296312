"""Reputation: cases of what is decided and what is not, and laws that hold for all words and decisions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.memory import Resolution, Signature, Witness
from memstore.trust.reputation import ReputationDecision, SpokenWord, decision, outcome, reputation, words
from memstore.trust.vouching import UNSIGNED, Attested, Outcome, State, Verdict

VALID, STALE, EXCLUDED = Verdict(State.VALID), Verdict(State.STALE), Verdict(State.EXCLUDED)
REF = "insight:m_1snad0000x"


def day(number: int) -> datetime:
    return datetime(2026, 3, number, tzinfo=UTC)


def controller_of(entity: str) -> str:
    return {"si:babel-2": "si:babel"}.get(entity, entity)


def signature(by: str = "si:babel", at: int = 1) -> Signature:
    return Signature(by=by, at=f"2026-03-{at:02}T00:00:00Z", content="", provenance="", sig="")


def said(who: str, attestation: str, at: int, verdict: Verdict = VALID) -> Attested:
    witness = Witness(agent_id=who, attestation=attestation, witnessed_at=f"2026-03-{at:02}T00:00:00Z")
    return Attested(witness, verdict)


def resolution(by: str, outcome: str, at: int, verdict: Verdict = VALID) -> tuple[Resolution, Verdict]:
    when = f"2026-03-{at:02}T00:00:00Z"
    return Resolution(by=by, outcome=outcome, at=when, content="", provenance="", sig=""), verdict


def test_only_what_is_signed_and_holds_was_said() -> None:
    told = [
        said("si:pith", "dispute", 2),
        said("human:claire", "confirm", 2, UNSIGNED),
        said("si:stale", "confirm", 2, STALE),
        said("si:early", "confirm", 2, EXCLUDED),  # an earlier word of a witness
        said("si:babel-2", "confirm", 2, EXCLUDED),  # the author's own voice
    ]
    found = words(signature(), VALID, told, controller_of=controller_of)
    assert [(word.who, word.said) for word in found] == [
        ("si:babel", "author"),
        ("si:pith", "dispute"),
        ("si:early", "confirm"),
    ]
    assert words(signature(), STALE, [], controller_of=controller_of) == ()
    assert words(None, UNSIGNED, [], controller_of=controller_of) == ()


WORDS = (
    SpokenWord("si:babel", "author", day(1)),
    SpokenWord("si:pith", "dispute", day(3)),
    SpokenWord("human:claire", "confirm", day(2)),
)


def _upheld(at: datetime, by: str) -> ReputationDecision:
    return ReputationDecision(upheld=True, at=at, by=by)


def _overturned(at: datetime, by: str) -> ReputationDecision:
    return ReputationDecision(upheld=False, at=at, by=by)


@pytest.mark.parametrize(
    ("resolutions", "corrections", "expected"),
    [
        ([], [], None),
        ([resolution("human:sean", "overturned", 5)], [], _overturned(day(5), "human:sean")),
        ([resolution("human:sean", "upheld", 5)], [], _upheld(day(5), "human:sean")),
        ([resolution("human:sean", "upheld", 5, STALE)], [], None),
        # Whoever took a side decides nothing, nor does anybody before there is a dispute.
        ([resolution("si:pith", "overturned", 5)], [], None),
        ([resolution("human:claire", "upheld", 5)], [], None),
        ([resolution("human:sean", "upheld", 2)], [], None),
        # The latest decision holds; at one instant the one against.
        (
            [resolution("human:sean", "upheld", 6), resolution("human:kim", "overturned", 5)],
            [],
            _upheld(day(6), "human:sean"),
        ),
        (
            [resolution("human:sean", "upheld", 5), resolution("human:kim", "overturned", 5)],
            [],
            _overturned(day(5), "human:kim"),
        ),
        # A correction is the author's own; anybody else's is one more opinion.
        ([], [("correction:m_c", signature(at=4), VALID)], _overturned(day(4), "correction:m_c")),
        ([], [("correction:m_c", signature("si:babel-2", 4), VALID)], _overturned(day(4), "correction:m_c")),
        ([], [("correction:m_c", signature(at=4), UNSIGNED)], None),
        ([], [("correction:m_c", signature("si:pith", 4), VALID)], None),
    ],
)
def test_who_decides(
    resolutions: list[tuple[Resolution, Verdict]],
    corrections: list[tuple[str, Signature, Verdict]],
    expected: ReputationDecision | None,
) -> None:
    assert decision(WORDS, resolutions, corrections, controller_of=controller_of) == expected


def test_without_a_dispute_there_is_nothing_to_decide() -> None:
    told = [word for word in WORDS if word.said != "dispute"]
    assert decision(told, [resolution("human:sean", "upheld", 5)], [], controller_of=controller_of) is None


@pytest.mark.parametrize(
    ("who", "upheld", "right"),
    [
        ("si:babel", True, True),
        ("si:babel", False, False),
        ("human:claire", True, True),
        ("human:claire", False, False),
        ("si:pith", True, False),
        ("si:pith", False, True),
        ("si:else", True, None),
    ],
)
def test_a_word_was_right_or_wrong(*, who: str, upheld: bool, right: bool | None) -> None:
    found = outcome(who, REF, WORDS, ReputationDecision(upheld=upheld, at=day(5), by="human:sean"))
    assert (found.was_right if found else None) == right


def test_the_last_word_before_the_decision_is_the_one_that_was_right_or_wrong() -> None:
    decided = ReputationDecision(upheld=False, at=day(5), by="human:sean")
    turned = [SpokenWord("si:pith", "confirm", day(2)), SpokenWord("si:pith", "dispute", day(6))]
    found = outcome("si:pith", REF, turned, decided)
    assert found is not None
    assert not found.was_right
    assert outcome("si:pith", REF, [SpokenWord("si:pith", "dispute", day(6))], decided) is None
    assert outcome("si:pith", REF, [SpokenWord("si:pith", "partial", day(2))], decided) is None


OUTCOMES = st.lists(
    st.builds(Outcome, st.just(REF), st.just("author"), st.booleans(), st.integers(1, 28).map(day), st.just("x:y")),
    max_size=12,
)


@given(OUTCOMES)
def test_a_reputation_is_a_fraction_that_does_not_depend_on_the_order(found: list[Outcome]) -> None:
    known = reputation(found)
    assert 0.0 < known.value < 1.0
    assert known.value == reputation(found[::-1]).value
    assert (known.right + known.wrong) == len(found)
    assert reputation([*found, found[0]._replace(was_right=True)] if found else []).value >= known.value
    assert known.value == 0.5 or found


@given(st.lists(st.tuples(st.sampled_from(["si:a", "si:b", "si:c"]), st.integers(2, 9)), max_size=20))
def test_agreement_decides_nothing(confirms: list[tuple[str, int]]) -> None:
    told = [*WORDS[:2], *(SpokenWord(who, "confirm", day(at)) for who, at in confirms)]
    assert decision(told, [], [], controller_of=controller_of) is None
