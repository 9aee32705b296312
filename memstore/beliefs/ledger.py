"""Confidence as a pure function of the ledger: it follows from the recorded events alone.

The arithmetic is the mean of a Beta distribution, which is also the gain of a Kalman filter: with belief precision n,
evidence precision w and outcome x (support 1, partial 0.5, contradict 0), c' = c + w / (n + w) * (x - c), n' = n + w.
Here it is kept as two sums, the weight for and the weight against, so the order of the evidence doesn't matter.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.ids import MemoryRef
from memstore.core.keys import RELIABILITY
from memstore.core.memory import LedgerLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BASE_CONFIDENCE = 0.5
PRIOR_WEIGHT = 2.0
STATED_WEIGHT = 6.0  # a stated confidence counts as six observations: 0.85 reinforced once becomes 0.87
HALF_LIFE_DAYS = 365.0
HALF_LIFE_FACTOR: Mapping[str, float] = {"low": 0.5, "normal": 1.0, "high": 4.0, "pinned": float("inf")}
DECIMALS = 4

# Sorted, so the order of the fields in the class has no effect.
_KEYS = tuple(sorted(LedgerLine._fields))
BARRIERS = frozenset({"assert", "edit", "checkpoint"})
OUTCOMES = {"support": 1.0, "partial": 0.5, "contradict": 0.0}


@dataclass(frozen=True, slots=True)
class Belief:
    """The result of a ledger: the weight for and the weight against, both 0 or more, but not both 0."""

    weight_for: float
    weight_against: float

    @property
    def precision(self) -> float:
        """The number of observations that the confidence is worth."""
        return self.weight_for + self.weight_against

    @property
    def confidence(self) -> float:
        """The probability that the next independent observation agrees, in [0, 1]."""
        return self.weight_for / self.precision

    @classmethod
    def of(cls, confidence: float, precision: float) -> Belief:
        """Return the belief with this confidence in [0, 1] and this precision > 0."""
        return cls(confidence * precision, (1 - confidence) * precision)

    def faded(self, fraction: float) -> Belief:
        """Return the belief with its weights above the prior reduced to `fraction`, in [0, 1]."""
        prior = PRIOR_WEIGHT * BASE_CONFIDENCE
        return Belief(prior + (self.weight_for - prior) * fraction, prior + (self.weight_against - prior) * fraction)


PRIOR = Belief.of(BASE_CONFIDENCE, PRIOR_WEIGHT)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerWitness:
    """The evidence of one source that counts: its latest line, its weight per root, and the factor of propagation.

    `weight` is the weight in the line, `outcome` is in [0, 1], `used` is the source's confidence when it was used; `at`
    is when it was recorded, `happened` when it arose, and so began to fade.
    """

    source: str
    weight: float
    share: float
    factor: float
    outcome: float
    roots: tuple[str, ...]
    used: float | None
    at: datetime
    happened: datetime


@dataclass(frozen=True, slots=True)
class Step:
    """A witness, in order of time, and the belief before and after it."""

    witness: LedgerWitness
    before: Belief
    after: Belief

    @property
    def moved(self) -> float:
        """The weight that this witness added, 0 or more; 0 if all its roots had said the same before."""
        if self.witness.outcome == 1:
            return self.after.weight_for - self.before.weight_for
        return (self.after.weight_against - self.before.weight_against) / (1 - self.witness.outcome)


class Stated(NamedTuple):
    """The latest statement in a ledger: its operation, the confidence it states, and the cap set by its premises."""

    op: str
    confidence: float
    cap: float | None


def replay(lines: Iterable[LedgerLine]) -> Belief:
    """Return the result of a ledger, whatever the order of its lines; the prior for an empty one."""
    return _replay(by_time(lines), None, 0.0)


def replay_now(lines: Iterable[LedgerLine], now: datetime, *, importance: str = "normal") -> Belief:
    """Return the result of a ledger at `now`, UTC: the weight of evidence halves with every half-life of its age."""
    return _replay(by_time(lines), now, HALF_LIFE_DAYS * HALF_LIFE_FACTOR[importance])


def witnesses(lines: Iterable[LedgerLine]) -> tuple[LedgerWitness, ...]:
    """Return the evidence that counts since the latest statement, one witness per source, earliest first."""
    _, evidence = _statement_and_evidence(by_time(lines), None, 0.0)
    return tuple(sorted(evidence, key=lambda one: one.at))


def stated(lines: Iterable[LedgerLine]) -> Stated | None:
    """Return the latest statement of a ledger; None if it has evidence only."""
    barrier, after = since_statement(lines)
    if barrier is None:
        return None
    return Stated(barrier.op, BASE_CONFIDENCE if barrier.new is None else barrier.new, _cap(after))


def since_statement(lines: Iterable[LedgerLine]) -> tuple[LedgerLine | None, list[LedgerLine]]:
    """Return the latest statement of a ledger (None if it has evidence only), and the lines after it by time."""
    ordered = by_time(lines)
    start = _latest_barrier(ordered)
    return (None, ordered) if start is None else (ordered[start], ordered[start + 1 :])


def source_of(line: LedgerLine) -> str:
    """Return the name under which a line's evidence is counted: its source, or its time if it names no source."""
    return line.evidence_source or f"at:{line.timestamp}"


def votes(witnesses: Iterable[LedgerWitness]) -> tuple[int, int]:
    """Return how many roots vote for and against; a root counts on each side where its evidence has any weight."""
    speaking = [one for one in witnesses if one.share * one.factor > 0]
    return (
        len({counted_as(root) for one in speaking if one.outcome > 0 for root in one.roots}),
        len({counted_as(root) for one in speaking if one.outcome < 1 for root in one.roots}),
    )


def counted_as(name: str) -> str:
    """Return the name that a source or root counts under: for a memory its id, which survives a change of type."""
    ref = MemoryRef.parse(name)
    return ref.id if ref else name


def as_counted(line: LedgerLine) -> LedgerLine:
    """Return a line with all names as they are counted; lines that differ only in types of memories become equal."""
    return line._replace(
        evidence_source=counted_as(line.evidence_source) if line.evidence_source else None,
        roots=tuple(map(counted_as, line.roots)),
        counted=tuple(map(counted_as, line.counted)),
    )


def course(lines: Iterable[LedgerLine]) -> tuple[Step, ...]:
    """Return how the belief developed since the latest statement, one step per witness, earliest first."""
    base, evidence = _statement_and_evidence(by_time(lines), None, 0.0)
    votes, before, steps = _Votes(base), base, []
    for one in sorted(evidence, key=lambda one: one.at):
        votes.cast(one, 1.0)
        after = votes.belief()
        steps.append(Step(one, before, after))
        before = after
    return tuple(steps)


def each_line(lines: Iterable[LedgerLine]) -> list[tuple[LedgerLine, Belief]]:
    """Return the lines from the latest statement on, by time, each with the result of the ledger up to it."""
    ordered = by_time(lines)
    start = _latest_barrier(ordered) or 0
    return [(ordered[at], _replay(ordered[: at + 1], None, 0.0)) for at in range(start, len(ordered))]


def mean_time(lines: Iterable[LedgerLine]) -> datetime:
    """Return when the evidence of a ledger arose, on average by weight; the lines must not be empty.

    If all of it fades from that time on, the result is right to the first order of the differences in age.
    """
    ordered = by_time(lines)
    base, evidence = _statement_and_evidence(ordered, None, 0.0)
    start = _latest_barrier(ordered)
    weighed = [(one.share * len(one.roots) * one.factor, one.happened) for one in evidence]
    if start is not None:
        weighed.append((max(0.0, base.precision - PRIOR_WEIGHT), _event_time(ordered[start])))
    total = fsum(weight for weight, _ in weighed)
    if total <= 0:
        return _at(ordered[-1])
    latest = max(at for _, at in weighed)
    return latest - timedelta(seconds=fsum(weight * (latest - at).total_seconds() for weight, at in weighed) / total)


def rounded(confidence: float) -> float:
    """Return a confidence rounded as in files, without negative zero."""
    return round(confidence, DECIMALS) + 0.0


def by_time(lines: Iterable[LedgerLine]) -> list[LedgerLine]:
    """Return the lines of a ledger by time, without duplicates; at the same instant barriers first, then by JSON."""
    return sorted(set(lines), key=lambda line: (_at(line), line.op not in BARRIERS, _canonical(line)))


def _at(line: LedgerLine) -> datetime:
    return datetime.fromisoformat(line.timestamp)


def _event_time(line: LedgerLine) -> datetime:
    return datetime.fromisoformat(line.happened_at) if line.happened_at else _at(line)


def _canonical(line: LedgerLine) -> str:
    return json.dumps({name: getattr(line, name) for name in _KEYS}, separators=(",", ":"))


def _remaining(at: datetime, now: datetime | None, half_life_days: float) -> float:
    """Return the fraction of a weight from `at` that is left at `now`; 1 without a `now`."""
    age_days = max(0.0, (now - at).total_seconds() / 86_400) if now else 0.0
    return 0.5 ** (age_days / half_life_days) if age_days else 1.0


def _replay(lines: list[LedgerLine], now: datetime | None, half_life_days: float) -> Belief:
    base, evidence = _statement_and_evidence(lines, now, half_life_days)
    votes = _Votes(base)
    for witness in evidence:
        votes.cast(witness, _remaining(witness.happened, now, half_life_days))
    return votes.belief()


def _statement_and_evidence(
    lines: list[LedgerLine], now: datetime | None, half_life_days: float
) -> tuple[Belief, list[LedgerWitness]]:
    """Return the faded statement of the latest barrier, or the prior; and the evidence after it that counts."""
    start = _latest_barrier(lines)
    if start is None:
        return PRIOR, _evidence(lines, frozenset())
    barrier, after = lines[start], lines[start + 1 :]
    base = _stated_belief(barrier, lines[:start], after).faded(_remaining(_event_time(barrier), now, half_life_days))
    return base, _evidence(after, frozenset(map(counted_as, barrier.counted)))


def _latest_barrier(lines: list[LedgerLine]) -> int | None:
    return max((i for i, line in enumerate(lines) if line.op in BARRIERS), default=None)


def _cap(after: list[LedgerLine]) -> float | None:
    """Return the cap that premises put on a statement, according to the lines after it."""
    caps = [line.cap for line in after if line.op == "propagate" and line.cap is not None]
    return caps[-1] if caps else None


def _stated_belief(barrier: LedgerLine, before: list[LedgerLine], after: list[LedgerLine]) -> Belief:
    """Return the belief that a barrier states, capped by the premises that later `propagate` lines name."""
    confidence = BASE_CONFIDENCE if barrier.new is None else barrier.new
    match barrier.op:
        case "checkpoint":
            precision = barrier.precision or 0.0
            precision = precision if rounded(precision) else STATED_WEIGHT
        case "edit":
            precision = max(_replay(before, None, 0.0).precision, STATED_WEIGHT)
        case _:
            precision = STATED_WEIGHT
    cap = _cap(after)
    return Belief.of(confidence if cap is None else min(confidence, cap), precision)


def _evidence(lines: list[LedgerLine], counted: frozenset[str]) -> list[LedgerWitness]:
    """Return the evidence that counts: the latest line of each source, except retracted or already counted sources."""
    found: dict[str, LedgerWitness] = {}
    for line in lines:
        source = source_of(line)
        key = counted_as(source)
        if line.op == "retract":
            found.pop(key, None)
        elif line.op == "propagate" and line.factor is not None and key in found:
            found[key] = replace(found[key], factor=line.factor)
        elif line.op in OUTCOMES and key not in counted:
            roots = {counted_as(root): root for root in line.roots or (source,)}
            weight = RELIABILITY["unknown"] if line.weight is None else line.weight
            free = tuple(root for same, root in roots.items() if same not in counted)
            found[key] = LedgerWitness(
                source=source,
                weight=weight,
                share=weight / len(roots),
                factor=1.0,
                outcome=OUTCOMES[line.op],
                roots=free,
                used=line.source_confidence,
                at=_at(line),
                happened=_event_time(line),
            )
    return list(found.values())


class _Votes:
    """The votes on a belief: each root votes at most once for and once against, with its heaviest witness."""

    def __init__(self, base: Belief) -> None:
        self._base = base
        self._for: dict[str, float] = {}
        self._against: dict[str, float] = {}

    def cast(self, witness: LedgerWitness, fraction: float) -> None:
        """Add the votes of a witness, with this fraction of its weight."""
        weight = witness.share * witness.factor * fraction
        for root in map(counted_as, witness.roots):
            self._for[root] = max(self._for.get(root, 0.0), weight * witness.outcome)
            self._against[root] = max(self._against.get(root, 0.0), weight * (1 - witness.outcome))

    def belief(self) -> Belief:
        """Return the belief after all votes, summed with fsum, so the order of lines can't change the last digit."""
        return Belief(
            fsum([self._base.weight_for, *self._for.values()]),
            fsum([self._base.weight_against, *self._against.values()]),
        )
