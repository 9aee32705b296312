"""Quality: the published cases by both formulas, and laws that hold for any input."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.conflicts.conflict import penalty
from memstore.core.config import QualityProfile
from memstore.core.conflict import ConflictType
from memstore.core.keys import CHANNELS, RELIABILITY, SOURCE_TYPES
from memstore.search.quality import (
    BASE_OF_CHANNEL,
    Base,
    QualityGrounds,
    Strength,
    base,
    days_since,
    grounds,
    quality,
    retrieval_strength,
    terms,
)

CASES = json.loads((Path(__file__).parents[1] / "cases" / "beliefs.json").read_text())
TOLERANCE = CASES["constants"]["tolerance"]
NOW = datetime(2026, 2, 3, 12, tzinfo=UTC)
SEED = QualityProfile.SEED_003


def grounds_of(case: dict[str, Any]) -> QualityGrounds:
    return QualityGrounds(
        Base(case["base"], "channel"),
        Strength(retrieval_strength(case["days"]), uses=case["access"]),
        case["days"],
        cites=case["cited"],
        penalty=sum(penalty(ConflictType(kind), case["base"], others) for kind, others in case["conflicts"]),
    )


@pytest.mark.parametrize("case", CASES["quality_seed003"])
def test_published_qualities(case: dict[str, Any]) -> None:
    of = grounds_of(case)
    assert quality(of) == pytest.approx(case["quality"], abs=TOLERANCE)
    assert quality(of, SEED) == pytest.approx(case["literal_reference_formula"], abs=TOLERANCE)


@pytest.mark.parametrize(
    ("confidence", "channel", "source_type", "expected"),
    [
        (0.3, "USER.md", "seed", (0.3, "confidence")),
        (0.0, "USER.md", "seed", (0.0, "confidence")),
        (None, "USER.md", "inference", (1.0, "channel")),
        (None, "", "told_by_agent", (0.6, "source_type")),
        (None, "", "", (0.4, "source_type")),
        (None, "other", "other", (0.4, "source_type")),
    ],
)
def test_what_a_source_is_worth(
    confidence: float | None, channel: str, source_type: str, expected: tuple[float, str]
) -> None:
    assert base(confidence, channel, source_type) == expected


def test_every_channel_and_every_source_type_has_its_weight() -> None:
    assert [base(None, channel, "").worth for channel in CHANNELS] == [1.0, 0.95, 0.90, 0.85, 0.70, 0.50, 0.40]
    assert set(BASE_OF_CHANNEL) == set(CHANNELS)
    assert {kind: base(None, "", kind).worth for kind in SOURCE_TYPES} == dict(RELIABILITY)


def test_the_most_that_there_is() -> None:
    best = QualityGrounds(Base(1.0, "channel"), Strength(1.0, uses=10**9), 0.0, cites=True)
    assert terms(best) == pytest.approx((0.5, 0.3, 0.10, 0.05, 0.0))
    assert quality(best) == pytest.approx(0.95)
    assert quality(best, SEED) == pytest.approx(0.815)


def test_the_literal_formula_counts_age_and_not_strength() -> None:
    old_and_used = QualityGrounds(Base(1.0, "channel"), Strength(1.0, uses=1), 30.0)
    assert terms(old_and_used, SEED).recency == pytest.approx(0.3 * 0.3679, abs=TOLERANCE)
    assert terms(old_and_used).recency == pytest.approx(0.3)
    assert terms(old_and_used._replace(days_old=None), SEED).recency == 0.0


def test_conflicts_together_take_a_half_at_most() -> None:
    assert terms(QualityGrounds(Base(1.0, "channel"), penalty=7.0)).conflicts == -0.5


@pytest.mark.parametrize(
    "of",
    [
        QualityGrounds(Base(nan, "confidence")),
        QualityGrounds(Base(0.5, "channel"), Strength(nan)),
        QualityGrounds(Base(0.5, "channel"), days_old=nan),
        QualityGrounds(Base(0.5, "channel"), penalty=nan),
    ],
)
@pytest.mark.parametrize("profile", QualityProfile)
def test_what_is_no_number_is_refused(of: QualityGrounds, profile: QualityProfile) -> None:
    with pytest.raises(ValueError, match="no number"):
        quality(of, profile)


@given(
    worth=st.floats(0, 1) | st.sampled_from([-inf, inf, 1e300]),
    days=st.none() | st.floats(-1e6, 1e6) | st.sampled_from([-inf, inf]),
    uses=st.integers(0, 10**12),
    cites=st.booleans(),
    penalty=st.floats(0, 1e6),
    profile=st.sampled_from(QualityProfile),
)
def test_quality_is_a_fraction_whatever_goes_in(
    worth: float, days: float | None, uses: int, penalty: float, profile: QualityProfile, *, cites: bool
) -> None:
    retrieval = retrieval_strength(days) if days is not None else 0.0
    of = QualityGrounds(Base(worth, "confidence"), Strength(retrieval, uses=uses), days, cites, penalty)
    assert 0 <= quality(of, profile) <= 1
    assert quality(of._replace(cites=True), profile) >= quality(of._replace(cites=False), profile)
    assert quality(of._replace(penalty=0.0), profile) >= quality(of, profile)
    older = of._replace(days_old=None if days is None else days + 1)
    assert quality(older, SEED) <= quality(of, SEED)


moments = st.integers(-10_000, 10_000).map(lambda hours: NOW + timedelta(hours=hours))


@given(made=moments, uses=st.lists(moments, max_size=5), cites=st.booleans(), profile=st.sampled_from(QualityProfile))
def test_using_a_memory_never_makes_it_less_reliable(
    made: datetime, uses: list[datetime], profile: QualityProfile, *, cites: bool
) -> None:
    def of(times: list[datetime]) -> QualityGrounds:
        return grounds(
            confidence=None, channel="session", source_type="", made_at=made,
            uses=times, cites=cites, now=NOW,
        )  # fmt: skip

    assert quality(of([*uses, NOW]), profile) >= quality(of(uses), profile)
    assert of(uses).strength.uses == len(uses)


def test_days_are_counted_from_when_it_was_made() -> None:
    assert days_since("2026-02-01T00:00:00Z", NOW) == 2.5
    assert days_since("2026-02-03T12:00:00.25Z", NOW) == pytest.approx(0, abs=1e-5)
    assert days_since("", NOW) is None
