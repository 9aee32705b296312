from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.rules.quality import base, days_between, quality


@pytest.mark.parametrize(
    ("confidence", "channel", "source_type", "expected"),
    [
        (0.3, "USER.md", "seed", 0.3),
        (0.0, "USER.md", "seed", 0.0),
        (None, "USER.md", "inference", 1.0),
        (None, "", "told_by_agent", 0.6),
        (None, "", "", 0.4),
        (None, "other", "other", 0.4),
    ],
)
def test_what_a_source_is_worth(confidence: float | None, channel: str, source_type: str, expected: float) -> None:
    assert base(confidence, channel, source_type) == expected


def test_seed_003s_sample() -> None:
    assert quality(1.0, days_old=0, cites=True) == pytest.approx(0.85)
    assert quality(1.0, days_old=30, cites=False) == pytest.approx(0.5 + 0.3 * 0.3679, abs=1e-4)
    assert quality(0.4, days_old=None, cites=False) == pytest.approx(0.2)


@given(worth=st.floats(0, 1), days=st.none() | st.floats(-100, 100_000), cites=st.booleans())
def test_quality_is_a_fraction_and_falls_with_age(worth: float, days: float | None, *, cites: bool) -> None:
    now = quality(worth, days_old=days, cites=cites)
    assert 0 <= now <= 1
    assert quality(worth, days_old=None if days is None else days + 1, cites=cites) <= now
    assert quality(worth, days_old=days, cites=True) >= now


def test_days_are_counted_from_when_it_was_made() -> None:
    now = datetime(2026, 2, 3, 12, tzinfo=UTC)
    assert days_between("2026-02-01T00:00:00Z", now) == 2.5
    assert days_between("2026-02-03T12:00:00.25Z", now) == pytest.approx(0, abs=1e-5)
    assert days_between("", now) is None
