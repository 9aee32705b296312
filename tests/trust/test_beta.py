"""Profile beta-1: figures by hand, and laws that hold for all voices."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.trust.formats.beta import Opinion, Voice, beta, sponsor_of, worth
from memstore.trust.vouching import Outcome

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def outcome(days_ago: float, *, right: bool) -> Outcome:
    at = NOW - timedelta(days=days_ago)
    return Outcome("insight:m_1snad0000x", "confirm", was_right=right, at=at, by="human:sean")


def test_a_new_voice_weighs_nothing_and_a_sponsored_one_three_sevenths() -> None:
    assert worth((), NOW, is_sponsored=False) == Opinion()
    assert Opinion().weight == 0.0
    sponsored = worth((), NOW, is_sponsored=True)
    assert (sponsored.right, sponsored.wrong) == (4.0, 1.0)
    assert sponsored.weight == pytest.approx(3 / 7)
    assert sponsored.belief + sponsored.disbelief + sponsored.uncertainty == pytest.approx(1)


def test_evidence_fades_by_half_in_a_year() -> None:
    one_year = worth([outcome(365, right=True)], NOW, is_sponsored=False)
    assert one_year.right == 0.5
    assert one_year.weight == pytest.approx(0.5 / 2.5)
    assert worth([outcome(-3, right=True)], NOW, is_sponsored=False).right == 1.0  # a clock that is ahead
    assert worth([outcome(0, right=False)], NOW, is_sponsored=False).weight == 0.0


def test_the_number_is_the_belief_of_the_weights() -> None:
    sponsored = Opinion(4.0, 1.0)
    found = beta([Voice("si:a", "author", sponsored), Voice("si:b", "confirm", sponsored)])
    assert found.score == pytest.approx((6 / 7) / (6 / 7 + 2))
    assert found.corroboration == pytest.approx(3 / 7)
    assert not found.contested
    disputed = beta([*found.voices, Voice("si:c", "dispute", sponsored)])
    assert disputed.contested
    assert disputed.score < found.score
    assert beta([]).score == 0.0


@pytest.mark.parametrize(("right", "contested"), [(1.0, True), (3.0, True), (3.1, False), (0.3, False), (0.4, True)])
def test_it_is_contested_from_a_third_of_the_larger_side_on(*, right: float, contested: bool) -> None:
    assert beta([])._replace(of=Opinion(right, 1.0)).contested == contested


def test_who_sponsors_has_to_lead_back_to_the_owner() -> None:
    controllers = {"si:ash-2": "si:ash", "si:broken": ""}

    def found(entity: str, **sponsors: str) -> str | None:
        named = {name.replace("_", ":", 1): sponsor for name, sponsor in sponsors.items()}
        return sponsor_of(entity, named, controller_of=lambda one: controllers.get(one, one), owner="human:sean")

    assert found("human:sean") == "human:sean"
    assert found("si:ash") is None
    assert found("si:ash", si_ash="human:sean") == "human:sean"
    assert found("si:ash-2", si_ash="human:sean") == "human:sean"
    assert found("si:pith", si_pith="si:ash", si_ash="human:sean") == "si:ash"
    assert found("si:pith", si_pith="si:ash") is None
    assert found("si:pith", si_pith="si:pith") is None
    assert found("si:pith", si_pith="si:ash", si_ash="si:pith") is None
    assert found("si:ash", si_ash="si:ash-2") is None
    assert found("si:broken", si_broken="human:sean") is None


OPINIONS = st.builds(Opinion, st.floats(0, 50), st.floats(0, 50))
VOICES = st.lists(
    st.builds(Voice, st.just("si:x"), st.sampled_from(["author", "confirm", "dispute", "partial"]), OPINIONS),
    max_size=10,
)


@given(VOICES, st.randoms(use_true_random=False))
def test_it_is_bounded_and_the_order_does_not_matter(voices: list[Voice], random: object) -> None:
    found = beta(voices)
    assert 0.0 <= found.score < 1.0
    assert 0.0 < found.of.uncertainty <= 1.0
    assert all(0.0 <= voice.worth.weight < 1.0 for voice in voices)
    mixed = list(voices)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert (beta(mixed).score, beta(mixed).contested) == (found.score, found.contested)


@given(VOICES, OPINIONS)
def test_one_more_confirmation_never_lowers_and_one_more_dispute_never_raises(
    voices: list[Voice], opinion: Opinion
) -> None:
    before = beta(voices).score
    assert beta([*voices, Voice("si:y", "confirm", opinion)]).score >= before
    assert beta([*voices, Voice("si:y", "dispute", opinion)]).score <= before
    assert beta([*voices, Voice("si:y", "partial", opinion)]).score == before


@given(VOICES, st.lists(st.sampled_from(["confirm", "dispute"]), max_size=30))
def test_any_number_of_voices_that_are_worth_nothing_changes_nothing(voices: list[Voice], sybils: list[str]) -> None:
    found, more = beta(voices), beta([*voices, *(Voice(f"si:s{i}", said, Opinion()) for i, said in enumerate(sybils))])
    assert (more.score, more.contested, more.corroboration) == (found.score, found.contested, found.corroboration)
