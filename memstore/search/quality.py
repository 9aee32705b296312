"""Quality: how reliable a search result is today. Seed 003's confidence, with a corrected formula and in the original.

Quality is a sum of terms: the reliability of the memory's origin, its strength, the number of deliberate uses, and
whether it cites lines that still stand, minus its open conflicts. See docs/numbers.md.

Strength is how easily the memory comes to mind. Retrieval strength falls as exp(-t/S); each use resets it to 1 and
raises the stability S, by more after a longer pause: repeated use without a pause adds nothing. Storage strength is
the number of uses, which never falls. Source: docs/references.md, "storage and retrieval strength".
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from math import exp, isnan, log1p
from typing import NamedTuple

from memstore.core.config import QualityProfile
from memstore.core.keys import EXTERNAL, RELIABILITY

STABILITY_DAYS = 30.0  # of a memory that was never used; seed 003's recency factor is exp(-days/30)
MOST_STABILITY_DAYS = 3650.0
SPACING_GAIN = 0.1


class Strength(NamedTuple):
    """How easily a memory comes to mind: `retrieval` in [0,1], its stability in days, and the number of uses.

    `last` is the time of the last use, or of its creation if it was never used; None if neither is known.
    """

    retrieval: float = 0.0
    stability_days: float = STABILITY_DAYS
    uses: int = 0
    last: datetime | None = None


def strength(made_at: datetime | None, uses: Iterable[datetime], now: datetime) -> Strength:
    """Return the strength of a memory at `now`.

    Args:
        made_at: when it was made, in UTC; None if unknown, which counts as long ago.
        uses: the times of its uses, in UTC, in any order; a time after `now` counts as now.
        now: the current time, in UTC.
    """
    used = list(stabilities(made_at, uses))
    last, stability = used[-1] if used else (made_at, STABILITY_DAYS)
    if last is None:
        return Strength()
    return Strength(retrieval_strength(days_between(last, now), stability_days=stability), stability, len(used), last)


def stabilities(made_at: datetime | None, uses: Iterable[datetime]) -> Iterator[tuple[datetime, float]]:
    """Yield each use, oldest first, with the stability in days after it."""
    last, stability = made_at, STABILITY_DAYS
    for at in sorted(uses):
        stability = stability_after_use(stability, days_between(last, at) if last is not None else 0.0)
        last = at
        yield at, stability


def retrieval_strength(days: float, *, stability_days: float = STABILITY_DAYS) -> float:
    """Return the retrieval strength of a memory `days` after its last use: 1 at first, falling towards 0.

    Args:
        days: days since the last use; a negative number counts as 0.
        stability_days: days until the strength has fallen to 1/e; > 0.

    Raises:
        ValueError: a number is NaN, or `stability_days` is not positive.
    """
    if isnan(days) or not stability_days > 0:
        raise ValueError(f"strength after {days} days with a stability of {stability_days} days")
    return exp(-max(days, 0.0) / stability_days)


def spacing_bonus(days: float, *, stability_days: float = STABILITY_DAYS) -> float:
    """Return the factor by which a use after a pause raises the stability, in [0, 0.1]: 0 without a pause."""
    return SPACING_GAIN * (1 - retrieval_strength(days, stability_days=stability_days))


def stability_after_use(stability_days: float, days: float) -> float:
    """Return the stability after a use that comes `days` after the previous one; at most 3,650 days."""
    return min(stability_days * (1 + spacing_bonus(days, stability_days=stability_days)), MOST_STABILITY_DAYS)


def days_between(start: datetime, end: datetime) -> float:
    """Return the days from one time to another; negative if the second is earlier."""
    return (end - start).total_seconds() / 86_400


# -- quality from its terms ------------------------------------------------------------------------


# All of these are seed 003's.
BASE_SHARE = 0.5
RECENCY_SHARE = 0.3
USE_BONUS = 0.05  # times ln(1 + uses)
MOST_USE_BONUS = 0.10
CITATION_BONUS = 0.05
SEED_SHARE = 0.1  # a second factor on both bonuses in the seed, which contradicts its own caps and sample

MOST_PENALTY = 0.5

DIGITS = 4  # of a quality, both when printed and when compared with the required minimum

# Seed 003's weights of channels; those of source types are in `RELIABILITY`.
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
    """The reliability of a memory's origin, in [0,1], and the frontmatter key that it comes from."""

    worth: float
    key: str


class QualityGrounds(NamedTuple):
    """The values from which quality is computed.

    `days_old` is the memory's age, or None if unknown, which counts as long ago; `cites` says whether it cites lines
    that still stand; `penalty`, 0 or more, is the sum of the penalties of its open conflicts.
    """

    base: Base
    strength: Strength = Strength()
    days_old: float | None = None
    cites: bool = False
    penalty: float = 0.0


class Terms(NamedTuple):
    """The terms of a quality; the last is at most 0, all others are at least 0."""

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
) -> QualityGrounds:
    """Return the values from which a memory's quality is computed.

    Args:
        confidence: the stored confidence, in [0,1], or None.
        channel: the stream that it came through; may be empty.
        source_type: how it is known; may be empty.
        made_at: when it was made, in UTC; None if unknown.
        uses: the times of its deliberate uses, in UTC.
        cites: whether it cites lines that still stand.
        penalty: the sum of the penalties of its open conflicts, 0 or more.
        now: the current time, in UTC.
    """
    return QualityGrounds(
        base=base(confidence, channel, source_type),
        strength=strength(made_at, uses, now),
        days_old=days_between(made_at, now) if made_at else None,
        cites=cites,
        penalty=penalty,
    )


def base(confidence: float | None, channel: str, source_type: str) -> Base:
    """Return the reliability of a memory's origin: its stored confidence, else the weight of channel or source type.

    An external memory has the weight of its kind at most: its confidence may be part of what was taken in.
    """
    if source_type == EXTERNAL and (confidence is None or confidence >= RELIABILITY[EXTERNAL]):
        return Base(RELIABILITY[EXTERNAL], "source_type")
    if confidence is not None:
        return Base(confidence, "confidence")
    if channel in BASE_OF_CHANNEL:
        return Base(BASE_OF_CHANNEL[channel], "channel")
    return Base(RELIABILITY.get(source_type, RELIABILITY["unknown"]), "source_type")


def terms(of: QualityGrounds, profile: QualityProfile = QualityProfile.MEMSTORE) -> Terms:
    """Return the terms of a quality, by memstore's formula or by seed 003's original one.

    Raises:
        ValueError: a value is NaN.
    """
    if any(map(isnan, (of.base.worth, of.strength.retrieval, of.days_old or 0.0, of.penalty))):
        raise ValueError(f"quality of what is no number: {of}")
    used = min(USE_BONUS * log1p(of.strength.uses), MOST_USE_BONUS)
    cited = CITATION_BONUS * of.cites
    worth = BASE_SHARE * of.base.worth
    if profile is QualityProfile.SEED_003:
        # The original also multiplies by relevance here, and then again in the combined score; we do so only there.
        recency = retrieval_strength(of.days_old) if of.days_old is not None else 0.0
        return Terms(worth, RECENCY_SHARE * recency, SEED_SHARE * used, SEED_SHARE * cited, 0.0)
    return Terms(worth, RECENCY_SHARE * of.strength.retrieval, used, cited, 0.0 - min(of.penalty, MOST_PENALTY))


def quality(of: QualityGrounds, profile: QualityProfile = QualityProfile.MEMSTORE) -> float:
    """Return how reliable a memory is, in [0,1]; raises `ValueError` if a value is NaN."""
    return terms(of, profile).total


def days_since(created_at: str, now: datetime) -> float | None:
    """Return the days since a time in the form used in memories (RFC 3339, UTC); None if it is empty."""
    return days_between(datetime.fromisoformat(created_at), now) if created_at else None
