"""Quality: how far a search result may be relied on today; seed 003's confidence, its formula mended and as it stands.

Terms are added: what the memory's origin is worth, how readily it comes to mind, how often it was used on purpose,
whether it cites lines that still stand, less its open conflicts. See docs/numbers.md.
"""

from __future__ import annotations

from datetime import datetime
from math import isnan, log1p
from typing import TYPE_CHECKING, NamedTuple

from memstore.model.config import QualityProfile
from memstore.model.keys import RELIABILITY
from memstore.rules.strength import Strength, days_between, retrieval_strength, strength

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# All of them are seed 003's.
BASE_SHARE = 0.5
RECENCY_SHARE = 0.3
USE_BONUS = 0.05  # times ln(1 + uses)
MOST_USE_BONUS = 0.10
CITATION_BONUS = 0.05
SEED_SHARE = 0.1  # by which the seed multiplies both bonuses again, against its own caps and its sample

MOST_PENALTY = 0.5

DIGITS = 4  # of a quality as it is printed, and compared with the least that is wished for

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


class Base(NamedTuple):
    """What a memory's origin is worth, in [0,1], and the key of the frontmatter that says so."""

    worth: float
    key: str


class Grounds(NamedTuple):
    """What quality is made of.

    `days_old` counts from when the memory was made, None where that is not known, which counts as long ago; `cites`
    tells whether it cites lines that still stand; `penalty`, 0 or more, is the sum of its open conflicts'.
    """

    base: Base
    strength: Strength = Strength()
    days_old: float | None = None
    cites: bool = False
    penalty: float = 0.0


class Terms(NamedTuple):
    """The terms of a quality; the last is 0 or below, all others are 0 or above."""

    base: float
    recency: float
    uses: float
    citation: float
    conflicts: float

    @property
    def total(self) -> float:
        """The quality, in [0,1]."""
        return min(1.0, max(0.0, sum(self)))


def grounds(
    *,
    confidence: float | None,
    channel: str,
    source_type: str,
    made_at: datetime | None,
    uses: Iterable[datetime],
    cites: bool,
    penalty: float = 0.0,
    now: datetime,
) -> Grounds:
    """Return what a memory's quality is made of.

    Args:
        confidence: the stored one, in [0,1]; None where none is.
        channel: which stream it came through; may be empty.
        source_type: how it is known; may be empty.
        made_at: when it was made, UTC; None where that is not known.
        uses: when it was used on purpose, UTC.
        cites: whether it cites lines that still stand.
        penalty: the sum of its open conflicts', 0 or more.
        now: UTC.
    """
    return Grounds(
        base=base(confidence, channel, source_type),
        strength=strength(made_at, uses, now),
        days_old=days_between(made_at, now) if made_at else None,
        cites=cites,
        penalty=penalty,
    )


def base(confidence: float | None, channel: str, source_type: str) -> Base:
    """Return what a memory's origin is worth: its stored confidence, else its channel's weight, else its source's."""
    if confidence is not None:
        return Base(confidence, "confidence")
    if channel in BASE_OF_CHANNEL:
        return Base(BASE_OF_CHANNEL[channel], "channel")
    return Base(RELIABILITY.get(source_type, RELIABILITY["unknown"]), "source_type")


def terms(of: Grounds, profile: QualityProfile = QualityProfile.MEMSTORE) -> Terms:
    """Return the terms of a quality, by memstore's formula or by the letter of seed 003's.

    Raises:
        ValueError: something is no number.
    """
    if any(map(isnan, (of.base.worth, of.strength.retrieval, of.days_old or 0.0, of.penalty))):
        raise ValueError(f"quality of what is no number: {of}")
    used = min(USE_BONUS * log1p(of.strength.uses), MOST_USE_BONUS)
    cited = CITATION_BONUS * of.cites
    worth = BASE_SHARE * of.base.worth
    if profile is QualityProfile.SEED_003:
        # By the letter it also multiplies by relevance, and the combined score would do so again: here it is done once.
        recency = retrieval_strength(of.days_old) if of.days_old is not None else 0.0
        return Terms(worth, RECENCY_SHARE * recency, SEED_SHARE * used, SEED_SHARE * cited, 0.0)
    return Terms(worth, RECENCY_SHARE * of.strength.retrieval, used, cited, 0.0 - min(of.penalty, MOST_PENALTY))


def quality(of: Grounds, profile: QualityProfile = QualityProfile.MEMSTORE) -> float:
    """Return how far a memory may be relied on, in [0,1]; `ValueError` where something is no number."""
    return terms(of, profile).total


def days_since(created_at: str, now: datetime) -> float | None:
    """Return the days since a time as memories keep it (RFC 3339, UTC); None where there is none."""
    return days_between(datetime.fromisoformat(created_at), now) if created_at else None
