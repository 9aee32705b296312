"""Reconsolidation: when a belief has met contradictions surprising enough that its wording should be reviewed.

It never changes the arithmetic of the ledger. Source: docs/references.md, "reconsolidation".
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import log1p, prod
from typing import TYPE_CHECKING

from memstore.beliefs import ledger

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstore.core.memory import LedgerLine, Memory

LEAST_THRESHOLD = 0.3
THRESHOLD_RANGE = 0.6
HALFWAY = 3.0
SURPRISE_GAIN = 0.5
SURPRISES_COUNT_FOR = timedelta(days=365)
WINDOW = timedelta(days=14)

VOTES_A_SIDE = 2  # independent votes needed on each side for a belief to be contested
UNDECIDED = (0.35, 0.65)
PRIOR_UNCERTAINTY = 2.0


@dataclass(frozen=True, slots=True)
class Surprise:
    """A contradiction: its weight (0 or more), its outcome and the confidence before it (both in [0, 1]), its time."""

    weight: float
    outcome: float
    before: float
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefStanding:
    """How firmly something is believed.

    `votes_for` and `votes_against` count independent roots; `uncertainty` is 2/n, 1 if nothing is known; `labile` is
    the time since when the belief is open to revision, None if it is not.
    """

    votes_for: int
    votes_against: int
    uncertainty: float
    contested: bool
    labile: datetime | None


def destab_threshold(evidence: int, age_days: float) -> float:
    """Return how large a prediction error must be to make a belief labile, in [0.3, 0.9).

    It grows with the amount of independent evidence and the age of the belief. Seed 002's product of the two logarithms
    exceeds 1 after a week, and then nothing could ever destabilize a belief.
    """
    strength = log1p(evidence) * log1p(max(age_days, 0.0))
    return LEAST_THRESHOLD + THRESHOLD_RANGE * strength / (strength + HALFWAY)


def prediction_error(surprises: Iterable[Surprise]) -> float:
    """Return the combined prediction error of a belief over all surprises, in [0, 1)."""
    return 1 - prod(1 - SURPRISE_GAIN * one.weight * abs(one.outcome - one.before) for one in surprises)


def standing(memory: Memory, now: datetime) -> BeliefStanding:
    """Return how firmly a memory is believed at `now`, UTC."""
    steps = ledger.course(memory.confidence_history)
    belief = ledger.replay(memory.confidence_history) if memory.confidence_history else None
    votes_for, votes_against = ledger.votes(step.witness for step in steps)
    held = memory.confidence if memory.confidence is not None else (belief or ledger.PRIOR).confidence
    return BeliefStanding(
        votes_for=votes_for,
        votes_against=votes_against,
        uncertainty=PRIOR_UNCERTAINTY / (belief.precision if belief else ledger.STATED_WEIGHT),
        contested=min(votes_for, votes_against) >= VOTES_A_SIDE and UNDECIDED[0] < held < UNDECIDED[1],
        labile=_opened_at(steps, _since(memory), now),
    )


def _since(memory: Memory) -> datetime | None:
    """Return when the belief was first held: its creation time, or that of its ledger's first line."""
    lines: list[LedgerLine] = ledger.by_time(memory.confidence_history)
    first = memory.created_at or (lines[0].timestamp if lines else None)
    return datetime.fromisoformat(first) if first else None


def _opened_at(steps: Sequence[ledger.Step], since: datetime | None, now: datetime) -> datetime | None:
    """Return when the window that is open at `now` opened: a large surprise opens it, the next support closes it.

    Each support also cancels the oldest surprise.
    """
    surprises: deque[Surprise] = deque()
    supported: set[str] = set()
    opened: datetime | None = None
    for step in steps:
        at, outcome, held = step.witness.at, step.witness.outcome, step.before.confidence
        if outcome == 1:
            opened = None
            if surprises:
                surprises.popleft()
        elif outcome < held:
            surprises.append(Surprise(step.moved, outcome, held, at))
            recent = [one for one in surprises if at - one.at <= SURPRISES_COUNT_FOR]
            age = (at - since) / timedelta(days=1) if since else 0.0
            if prediction_error(recent) >= destab_threshold(len(supported), age):
                opened = at
        supported |= {*step.witness.roots} if outcome > 0 else set()
    return opened if opened and timedelta() <= now - opened <= WINDOW else None
