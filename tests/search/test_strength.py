"""Strength: the published cases, and laws that hold for any uses."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.search.quality import (
    MOST_STABILITY_DAYS,
    STABILITY_DAYS,
    Strength,
    retrieval_strength,
    spacing_bonus,
    stability_after_use,
    strength,
)

CASES = json.loads((Path(__file__).parents[1] / "cases" / "beliefs.json").read_text())
TOLERANCE = CASES["constants"]["tolerance"]
NOW = datetime(2026, 6, 1, tzinfo=UTC)
days = st.floats(-1000, 5000)
moments = days.map(lambda ago: NOW - timedelta(days=ago))


@pytest.mark.parametrize("case", CASES["retrieval_strength"])
def test_published_strengths(case: dict[str, Any]) -> None:
    found = retrieval_strength(case["days_since_last_use"], stability_days=case["stability"])
    assert found == pytest.approx(case["strength"], abs=TOLERANCE)


@pytest.mark.parametrize("case", CASES["stability_sequence"])
def test_published_stabilities(case: dict[str, Any]) -> None:
    pause, before = case["days_since_last_use"], case["stability_before"]
    assert spacing_bonus(pause, stability_days=before) == pytest.approx(case["spacing_bonus"], abs=TOLERANCE)
    assert stability_after_use(before, pause) == pytest.approx(case["stability_after"], abs=TOLERANCE)


def test_stability_never_passes_ten_years() -> None:
    assert stability_after_use(3600.0, inf) == MOST_STABILITY_DAYS
    assert stability_after_use(MOST_STABILITY_DAYS, 9999) == MOST_STABILITY_DAYS


@pytest.mark.parametrize(("pause", "stability"), [(nan, 30.0), (1.0, nan), (1.0, 0.0), (1.0, -30.0)])
def test_what_is_no_number_is_refused(pause: float, stability: float) -> None:
    with pytest.raises(ValueError, match="strength after"):
        retrieval_strength(pause, stability_days=stability)


@pytest.mark.parametrize(("ago", "expected"), [(0, 1.0), (30, 0.3679), (60, 0.1353), (-9, 1.0)])
def test_before_the_first_use_it_is_seed_003s_recency(ago: float, expected: float) -> None:
    found = strength(NOW - timedelta(days=ago), [], NOW)
    assert found.retrieval == pytest.approx(expected, abs=TOLERANCE)
    assert (found.uses, found.stability_days) == (0, STABILITY_DAYS)


def test_what_has_no_date_and_no_use_does_not_come_to_mind() -> None:
    assert strength(None, [], NOW) == Strength(0.0, STABILITY_DAYS, 0, None)
    assert strength(None, [NOW], NOW) == Strength(1.0, STABILITY_DAYS, 1, NOW)


def test_uses_in_a_row_teach_nothing_and_spaced_ones_do() -> None:
    made = NOW - timedelta(days=100)
    in_a_row = strength(made, [made] * 10, NOW)
    spaced = strength(made, [made + timedelta(days=10 * n) for n in range(10)], NOW)
    assert (in_a_row.uses, in_a_row.stability_days) == (10, STABILITY_DAYS)
    assert spaced.stability_days > STABILITY_DAYS


@given(made=st.none() | moments, uses=st.lists(moments, max_size=8), data=st.data())
def test_strength_is_a_fraction_whatever_was_logged_in_whatever_order(
    made: datetime | None, uses: list[datetime], data: st.DataObject
) -> None:
    found = strength(made, uses, NOW)
    assert 0 <= found.retrieval <= 1
    assert STABILITY_DAYS <= found.stability_days <= MOST_STABILITY_DAYS
    assert found.uses == len(uses)
    assert strength(made, data.draw(st.permutations(uses)), NOW) == found


@given(made=moments, uses=st.lists(moments, max_size=6), at=st.floats(0, 3000))
def test_a_use_makes_it_come_to_mind_more_readily_ever_after(made: datetime, uses: list[datetime], at: float) -> None:
    later = max(NOW, made, *uses) + timedelta(days=at)
    without = strength(made, uses, later)
    used = strength(made, [*uses, later], later)
    assert used.retrieval == 1
    assert used.retrieval >= without.retrieval
    assert used.stability_days >= without.stability_days


@given(days, st.floats(0, 4000))
def test_it_falls_with_time(start: float, more: float) -> None:
    assert retrieval_strength(start + more) <= retrieval_strength(start)
    assert isfinite(retrieval_strength(start))
