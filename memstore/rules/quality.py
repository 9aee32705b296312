"""Quality: how far a search result may be relied on today (seed 003's confidence; 4-beliefs.md, "Quality")."""

from __future__ import annotations

from datetime import datetime
from math import exp
from typing import TYPE_CHECKING

from memstore.model.keys import RELIABILITY

if TYPE_CHECKING:
    from collections.abc import Mapping

BASE_SHARE = 0.5
RECENCY_SHARE = 0.3
RECENCY_DAYS = 30.0
CITATION_BONUS = 0.05

# Seed 003's weights of channels; those of the kinds of knowing are `RELIABILITY`.
BASE_OF_CHANNEL: Mapping[str, float] = {
    "USER.md": 1.00,
    "MEMORY.md": 0.95,
    "AGENTS.md": 0.90,
    "session": 0.85,
    "heartbeat": 0.70,
    "inferred": 0.50,
    "fallback": RELIABILITY["unknown"],
}


def base(confidence: float | None, channel: str, source_type: str) -> float:
    """Return what a memory's origin is worth: its stored confidence, else its channel's weight, else its source's."""
    if confidence is not None:
        return confidence
    if channel in BASE_OF_CHANNEL:
        return BASE_OF_CHANNEL[channel]
    return RELIABILITY.get(source_type, RELIABILITY["unknown"])


def quality(base: float, *, days_old: float | None, cites: bool) -> float:
    """Return how far a memory may be relied on, in [0,1].

    Args:
        base: see `base`.
        days_old: since it was made; None where that is not known, which counts as long ago.
        cites: whether it cites lines that are still there.
    """
    recency = exp(-max(days_old, 0.0) / RECENCY_DAYS) if days_old is not None else 0.0
    return min(1.0, max(0.0, BASE_SHARE * base + RECENCY_SHARE * recency + CITATION_BONUS * cites))


def days_between(created_at: str, now: datetime) -> float | None:
    """Return the days since a time as memories keep it (RFC 3339, UTC); None where there is none."""
    if not created_at:
        return None
    return (now - datetime.fromisoformat(created_at)).total_seconds() / 86400
