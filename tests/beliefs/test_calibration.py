from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.calibration import (
    FEWEST_DECIDED,
    Bin,
    Decided,
    Prediction,
    SuggestionDecision,
    Threshold,
    calibration_of,
    predictions,
    thresholds,
    track_record,
)
from memstore.core.memory import LedgerLine
from tests.core.ledgers import instant, ledgers


def line(day: int, op: str, source: str = "", **more: object) -> LedgerLine:
    return LedgerLine(timestamp=instant(day), op=op, evidence_source=source or None, weight=1.0, **more)  # type: ignore[arg-type]


def test_each_new_independent_piece_of_evidence_was_foretold_by_the_number_before_it() -> None:
    lines = [
        line(0, "assert", new=0.8),
        line(1, "support", "e1", roots=("s1",)),
        line(2, "support", "e2", roots=("s1",)),  # the same session: nothing new
        line(3, "contradict", "e3"),
        line(4, "edit", new=0.5),
        line(5, "partial", "e4"),
    ]
    made = list(predictions(lines))
    assert [one.observed for one in made] == [1.0, 0.0, 0.5]
    assert [one.expected for one in made] == pytest.approx([0.8, 5.8 / 7, 0.5])


def test_evidence_of_the_instant_of_a_statement_comes_after_it_and_counts_once() -> None:
    made = list(predictions([line(0, "support", "e1"), line(0, "assert", new=0.8)]))
    ((expected, observed, _),) = made
    assert [expected, observed] == pytest.approx([0.8, 1.0])


def test_the_score_and_the_bins() -> None:
    found = calibration_of([Prediction(0.8, 1.0), Prediction(0.85, 0.0), Prediction(1.0, 1.0)])
    assert found.predictions == 3
    assert found.brier == pytest.approx((0.04 + 0.7225) / 3)
    assert found.bins == (Bin(0.8, 0.9, 2, 0.825, 0.5), Bin(0.9, 1.0, 1, 1.0, 1.0))
    assert calibration_of([]).brier is None


@given(ledgers)
def test_whatever_the_ledger_the_score_is_within_its_bounds(lines: list[LedgerLine]) -> None:
    found = calibration_of(predictions(lines))
    assert sum(one.predictions for one in found.bins) == found.predictions
    assert found.brier is None or 0 <= found.brier <= 1


def decided(roots: int, likeness: float | None, *, accepted: bool, action: str = "create") -> SuggestionDecision:
    return SuggestionDecision(action, "topic", roots, likeness, accepted)


def test_what_became_of_suggestions_is_counted_by_rule_and_roots() -> None:
    made = [decided(3, 0.2, accepted=True), decided(3, None, accepted=False), decided(4, 0.1, accepted=True)]
    assert list(track_record(made)) == [Decided("create", "topic", 3, 1, 1), Decided("create", "topic", 4, 1, 0)]


def test_a_threshold_is_proposed_where_few_below_and_more_above_were_accepted() -> None:
    below = [decided(3, 0.11, accepted=number == 0) for number in range(10)]
    above = [decided(5, 0.3, accepted=number > 1) for number in range(10)]
    assert list(thresholds([*above, *below])) == [
        Threshold("consolidate.least_roots", 5, 10, 1, 10, 8),
        Threshold("consolidate.least_likeness", 0.3, 10, 1, 10, 8),
    ]
    assert not list(thresholds([*below, *above][: FEWEST_DECIDED - 1]))  # too few decisions
    assert not list(thresholds([*below[:7], *above, *above[:3]]))  # too few below it
    assert not list(thresholds([*below, *(one._replace(accepted=False) for one in above)]))  # nothing above, either
    assert not list(thresholds([one._replace(accepted=True) for one in (*below, *above)]))
    assert not list(thresholds([one._replace(action="support") for one in (*below, *above)]))
    (one,) = thresholds([one._replace(likeness=None) for one in (*below, *above)])
    assert one.setting == "consolidate.least_roots"


@given(
    st.lists(
        st.builds(
            SuggestionDecision,
            st.just("create"),
            st.just(""),
            st.integers(3, 6),
            st.sampled_from([None, 0.1, 0.2, 0.3]),
            st.booleans(),
        ),
        max_size=60,
    )
)
def test_no_threshold_would_leave_out_more_than_one_accepted_of_five(decisions: list[SuggestionDecision]) -> None:
    for one in thresholds(decisions):
        assert one.accepted_below * 5 <= one.below >= 8
        assert one.accepted_reaching * 5 > one.reaching
        assert one.below + one.reaching >= FEWEST_DECIDED
