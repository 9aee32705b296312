"""Quality: how far a search result may be relied on today; seed 003's confidence, its formula mended and as it stands.

Terms are added: what the memory's origin is worth, how readily it comes to mind, how often it was used on purpose,
whether it cites lines that still stand, less its open conflicts. See docs/numbers.md.

How readily it comes to mind is its strength. Retrieval strength falls as exp(-t/S); each use sets it back to 1 and
raises the stability S, the more the longer the pause before it: uses in a row teach nothing. Storage strength is the
number of uses, which never falls. Source: docs/references.md, "storage and retrieval strength".
"""

from __future__ import annotations

from datetime import datetime
from math import exp, isnan, log1p
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.config import QualityProfile
from memstore.core.keys import RELIABILITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memstore.files.vault import VaultFiles


STABILITY_DAYS = 30.0  # of a memory that was never used; seed 003's recency factor is exp(-days/30)
MOST_STABILITY_DAYS = 3650.0
SPACING_GAIN = 0.1


class Strength(NamedTuple):
    """How readily a memory comes to mind: `retrieval` in [0,1], the stability behind it, how often it was used.

    `last` is when it was used last; when it was made where it never was, and None where that is not known either.
    """

    retrieval: float = 0.0
    stability_days: float = STABILITY_DAYS
    uses: int = 0
    last: datetime | None = None


def strength(made_at: datetime | None, uses: Iterable[datetime], now: datetime) -> Strength:
    """Return how readily a memory comes to mind at `now`.

    Args:
        made_at: when it was made, UTC; None where that is not known, which counts as long ago.
        uses: when it was used, UTC, in any order; what lies after `now` counts as now.
        now: UTC.
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
    """Return how readily a memory comes to mind `days` after its last use: 1 at once, falling towards 0.

    Args:
        days: since the last use; a time before it counts as the use itself.
        stability_days: days until the strength has fallen to 1/e; > 0.

    Raises:
        ValueError: a number is none, or `stability_days` is not positive.
    """
    if isnan(days) or not stability_days > 0:
        raise ValueError(f"strength after {days} days with a stability of {stability_days} days")
    return exp(-max(days, 0.0) / stability_days)


def spacing_bonus(days: float, *, stability_days: float) -> float:
    """Return by how much a use after a pause raises the stability, in [0, 0.1]: none without a pause."""
    return SPACING_GAIN * (1 - retrieval_strength(days, stability_days=stability_days))


def stability_after_use(stability_days: float, days: float) -> float:
    """Return the stability after a use, `days` after the one before; at most 3,650 days."""
    return min(stability_days * (1 + spacing_bonus(days, stability_days=stability_days)), MOST_STABILITY_DAYS)


def days_between(start: datetime, end: datetime) -> float:
    """Return the days from one time to another, below 0 where the second lies before the first."""
    return (end - start).total_seconds() / 86_400


# -- quality from its terms ------------------------------------------------------------------------


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


class QualityGrounds(NamedTuple):
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
) -> QualityGrounds:
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
    return QualityGrounds(
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


def terms(of: QualityGrounds, profile: QualityProfile = QualityProfile.MEMSTORE) -> Terms:
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


def quality(of: QualityGrounds, profile: QualityProfile = QualityProfile.MEMSTORE) -> float:
    """Return how far a memory may be relied on, in [0,1]; `ValueError` where something is no number."""
    return terms(of, profile).total


def days_since(created_at: str, now: datetime) -> float | None:
    """Return the days since a time as memories keep it (RFC 3339, UTC); None where there is none."""
    return days_between(datetime.fromisoformat(created_at), now) if created_at else None


# -- since when strength is counted ----------------------------------------------------------------


def made_at(vault: VaultFiles | None, path: str, created_at: str | None) -> datetime | None:
    """Return when a memory was made, UTC: as it says itself, else when its file was saved last.

    The first commit may know better, but it would have to be looked for at every search; and a file that came with a
    clone is new to whoever cloned it.

    Args:
        vault: where the file lies; None for one that is a past state's.
        path: of its file.
        created_at: as the file has it; None or empty where it says nothing.
    """
    if created_at:
        return datetime.fromisoformat(created_at)
    return vault.saved_at(path) if vault else None
