from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memstore.beliefs.archive import live_evidence, prunable
from memstore.core.memory import LedgerLine, Memory

MADE = "2020-01-01T00:00:00Z"
SEEN = LedgerLine(timestamp=MADE, op="support", evidence_source="raw:m_r", weight=1.0)
OLD = Memory(type="belief", created_at=MADE, confidence=0.6667, confidence_history=(SEEN,))
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("keys", "strength", "expected"),
    [
        ({}, 0.01, "stale"),
        ({}, 0.05, None),  # it comes to mind
        ({"confidence": 0.29}, 1.0, "refuted"),
        ({"confidence": 0.30}, 1.0, None),
        ({"confidence": 0.1, "importance": "pinned"}, 0.0, None),
        ({"confidence": 0.1, "foundational": True}, 0.0, None),
        ({"importance": "high"}, 0.0, None),  # fades four times as slowly, and half of it still lives
        ({"confidence_history": (SEEN._replace(timestamp="2025-12-01T00:00:00Z"),)}, 0.0, None),
        ({"confidence": 0.1, "status": "archived"}, 0.0, None),
        ({"type": "note", "confidence": None, "confidence_history": ()}, 0.0, None),
    ],
)
def test_what_could_be_archived(keys: dict[str, Any], strength: float, expected: str | None) -> None:
    # Six years are a half-life and a half where importance is high: 2^-1.5 = 0.35 of 1.5 observations.
    lines = (SEEN._replace(weight=1.5),)
    seen = {"confidence": 0.7143, "confidence_history": lines}
    assert prunable(replace(OLD, **{**seen, **keys}), NOW, strength=strength) == expected


def test_live_evidence_is_what_stands_behind_the_number_beside_the_prior() -> None:
    assert live_evidence(OLD, datetime(2020, 1, 1, tzinfo=UTC)) == pytest.approx(1.0)
    assert live_evidence(OLD, datetime(2020, 12, 31, tzinfo=UTC)) == pytest.approx(0.5)
    assert live_evidence(Memory(type="belief"), NOW) == pytest.approx(4.0)  # stated, and nobody knows when
