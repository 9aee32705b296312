"""Strength: how readily a memory comes to mind now, from when it was made and when it was used on purpose.

Retrieval strength falls as exp(-t/S); each use sets it back to 1 and raises the stability S, the more the longer the
pause before it: uses in a row teach nothing. Storage strength is the number of uses, which never falls.
Source: docs/references.md, "storage and retrieval strength".
"""

from __future__ import annotations

from math import exp, isnan
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

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
