from __future__ import annotations

import pytest
from hypothesis import given

from memstore.beliefs.calibration import Bin, Prediction, calibration_of, predictions
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
