"""Quality: how far a search result may be relied on today (seed 003's confidence; 4-beliefs.md, "Quality")."""

from __future__ import annotations

from datetime import datetime
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

BASE_SHARE = 0.5
RECENCY_SHARE = 0.3
RECENCY_DAYS = 30.0
CITATION_BONUS = 0.05
UNKNOWN_BASE = 0.40

# Seed 003's weights of sources, joined with the kinds of knowing of seed 000.
BASE_OF_CHANNEL: Mapping[str, float] = {
    "USER.md": 1.00,
    "MEMORY.md": 0.95,
    "AGENTS.md": 0.90,
    "session": 0.85,
    "heartbeat": 0.70,
    "inferred": 0.50,
    "fallback": UNKNOWN_BASE,
}
BASE_OF_SOURCE_TYPE: Mapping[str, float] = {
    "told_by_human": 1.00,
    "consolidation": 0.95,
    "seed": 0.90,
    "direct_experience": 0.85,
    "observation": 0.70,
    "told_by_agent": 0.60,
    "inference": 0.50,
    "unknown": UNKNOWN_BASE,
}


def base(confidence: float | None, channel: str, source_type: str) -> float:
    """Return what a memory's origin is worth: its stored confidence, else its channel's weight, else its source's."""
    if confidence is not None:
        return confidence
    if channel in BASE_OF_CHANNEL:
        return BASE_OF_CHANNEL[channel]
    return BASE_OF_SOURCE_TYPE.get(source_type, UNKNOWN_BASE)


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
