"""Confidence as a pure function of the ledger: what is believed now follows from the recorded events alone.

The arithmetic is the mean of a Beta distribution, which is also the gain of a Kalman filter: with belief precision n,
evidence precision w and outcome x (support 1, partial 0.5, contradict 0), c' = c + w / (n + w) * (x - c), n' = n + w.
Here it is kept as two sums, the weight for and the weight against, so that the order of the evidence can't matter.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from math import fsum
from typing import TYPE_CHECKING

from memstore.model.keys import RELIABILITY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memstore.model.confidence import LedgerLine

BASE_CONFIDENCE = 0.5
PRIOR_WEIGHT = 2.0
STATED_WEIGHT = 6.0  # a stated confidence counts as six observations, so that 0.85 reinforced once becomes 0.87
HALF_LIFE_DAYS = 365.0
HALF_LIFE_FACTOR: Mapping[str, float] = {"low": 0.5, "normal": 1.0, "high": 4.0, "pinned": float("inf")}
DECIMALS = 4

_BARRIERS = frozenset({"assert", "edit", "checkpoint"})
_OUTCOMES = {"support": 1.0, "partial": 0.5, "contradict": 0.0}


@dataclass(frozen=True, slots=True)
class Belief:
    """What a ledger amounts to: the weight for and the weight against, both 0 or more, not both 0."""

    weight_for: float
    weight_against: float

    @property
    def precision(self) -> float:
        """How many observations stand behind the confidence."""
        return self.weight_for + self.weight_against

    @property
    def confidence(self) -> float:
        """The odds that the next independent observation agrees, in [0, 1]."""
        return self.weight_for / self.precision

    @classmethod
    def of(cls, confidence: float, precision: float) -> Belief:
        """Return the belief with this confidence in [0, 1] and this precision > 0."""
        return cls(confidence * precision, (1 - confidence) * precision)

    def faded(self, fraction: float) -> Belief:
        """Return the belief with what it has above the prior cut to `fraction`, in [0, 1]."""
        prior = PRIOR_WEIGHT * BASE_CONFIDENCE
        return Belief(prior + (self.weight_for - prior) * fraction, prior + (self.weight_against - prior) * fraction)


PRIOR = Belief.of(BASE_CONFIDENCE, PRIOR_WEIGHT)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """One witness that counts: its weight a root, what of it propagation left, its outcome in [0, 1], and when."""

    share: float
    factor: float
    outcome: float
    roots: tuple[str, ...]
    at: datetime


def replay(lines: Iterable[LedgerLine]) -> Belief:
    """Return what a ledger amounts to, whatever the order of its lines; the prior for an empty one."""
    return _replay(_in_order(lines), None, 0.0)


def replay_now(lines: Iterable[LedgerLine], now: datetime, *, importance: str = "normal") -> Belief:
    """Return what a ledger amounts to at `now`, UTC: evidence halves in weight with every half-life of its age."""
    return _replay(_in_order(lines), now, HALF_LIFE_DAYS * HALF_LIFE_FACTOR[importance])


def stored(confidence: float) -> float:
    """Return a confidence as it is written into a file."""
    return round(confidence, DECIMALS)


def _in_order(lines: Iterable[LedgerLine]) -> list[LedgerLine]:
    """Return the lines by time; at one instant barriers come first, then canonical JSON decides."""
    return sorted(set(lines), key=lambda line: (_at(line), line.op not in _BARRIERS, _canonical(line)))


def _at(line: LedgerLine) -> datetime:
    return datetime.fromisoformat(line.timestamp)


def _canonical(line: LedgerLine) -> str:
    return json.dumps(asdict(line), sort_keys=True, separators=(",", ":"))


def _replay(lines: list[LedgerLine], now: datetime | None, half_life_days: float) -> Belief:
    def left_of(at: datetime) -> float:
        """Return the fraction of a weight that is left of what was recorded `at`."""
        age_days = max(0.0, (now - at).total_seconds() / 86_400) if now else 0.0
        return 0.5 ** (age_days / half_life_days) if age_days else 1.0

    start = max((i for i, line in enumerate(lines) if line.op in _BARRIERS), default=None)
    if start is None:
        return _weighed(PRIOR, _evidence(lines, frozenset()), left_of)
    barrier, after = lines[start], lines[start + 1 :]
    base = _stated(barrier, lines[:start], after).faded(left_of(_at(barrier)))
    return _weighed(base, _evidence(after, frozenset(barrier.counted)), left_of)


def _stated(barrier: LedgerLine, before: list[LedgerLine], after: list[LedgerLine]) -> Belief:
    """Return what a barrier states, capped by the premises that later `propagate` lines name."""
    confidence = BASE_CONFIDENCE if barrier.new is None else barrier.new
    match barrier.op:
        case "checkpoint":
            precision = barrier.precision or STATED_WEIGHT
        case "edit":
            precision = max(_replay(before, None, 0.0).precision, STATED_WEIGHT)
        case _:
            precision = STATED_WEIGHT
    caps = [line.cap for line in after if line.op == "propagate" and line.cap is not None]
    return Belief.of(min(confidence, caps[-1]) if caps else confidence, precision)


def _evidence(lines: list[LedgerLine], counted: frozenset[str]) -> list[_Evidence]:
    """Return the evidence that counts: the latest line of each source, less what was retracted or counted before."""
    found: dict[str, _Evidence] = {}
    for line in lines:
        source = line.evidence_source or f"at:{line.timestamp}"
        if line.op == "retract":
            found.pop(source, None)
        elif line.op == "propagate" and line.factor is not None and source in found:
            found[source] = replace(found[source], factor=line.factor)
        elif line.op in _OUTCOMES and source not in counted:
            roots = line.roots or (source,)
            weight = RELIABILITY["unknown"] if line.weight is None else line.weight
            free = tuple(root for root in roots if root not in counted)
            found[source] = _Evidence(weight / len(roots), 1.0, _OUTCOMES[line.op], free, _at(line))
    return list(found.values())


def _weighed(base: Belief, evidence: list[_Evidence], left_of: Callable[[datetime], float]) -> Belief:
    """Return the belief after the evidence: each root votes once for and once against, as its heaviest witness does."""
    votes_for: dict[str, float] = {}
    votes_against: dict[str, float] = {}
    for witness in evidence:
        weight = witness.share * witness.factor * left_of(witness.at)
        for root in witness.roots:
            votes_for[root] = max(votes_for.get(root, 0.0), weight * witness.outcome)
            votes_against[root] = max(votes_against.get(root, 0.0), weight * (1 - witness.outcome))
    # fsum, so that the order of the lines in the file can't show in the last digit.
    return Belief(
        fsum([base.weight_for, *votes_for.values()]),
        fsum([base.weight_against, *votes_against.values()]),
    )
