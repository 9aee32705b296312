"""Calibration: how well the confidences in a vault predicted the evidence that came next.

A confidence is the probability that the next independent observation agrees, so a memory's own history can score it.
Source: docs/references.md, "Brier score".

This module also computes the confidence that is suggested for a new belief, from its evidence alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs import ledger as confidence
from memstore.beliefs.consolidation import REJECTED, Action
from memstore.beliefs.evidence import as_evidence
from memstore.beliefs.next_lines import next_time, replayed
from memstore.beliefs.pool import deleted_suggestions
from memstore.core.ids import ID_OF_PROPOSAL, MemoryRef
from memstore.core.memory import LedgerLine
from memstore.core.places import SUGGESTIONS
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.lineage.refs import loader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from memstore.beliefs.consolidation import ConsolidationProposal
    from memstore.beliefs.evidence import Evidence, Load
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile


BINS = 10
# Thresholds are proposed after so many decisions about new beliefs; so many must lie below, one of five accepted.
FEWEST_DECIDED, FEWEST_BELOW, ONE_OF = 20, 8, 5
# A witness that moved the belief by less than this is not a new observation: its roots had been counted before.
_NEW = 1e-9


class Prediction(NamedTuple):
    """The confidence before a piece of evidence, and its outcome: 1 for, 0.5 in part, 0 against; `of` names it."""

    expected: float
    observed: float
    of: str = ""


class Bin(NamedTuple):
    """The predictions from `low` (inclusive) to `high`: their number, their mean, and the mean outcome."""

    low: float
    high: float
    predictions: int
    expected: float
    observed: float


class Decided(NamedTuple):
    """How many suggestions of one action that one rule found from so many independent roots were accepted and rejected.

    `rule` is empty for suggestions that say nothing of it.
    """

    action: str
    rule: str
    roots: int
    accepted: int
    rejected: int


class Threshold(NamedTuple):
    """A threshold that would have left out suggestions of new beliefs that were mostly rejected.

    `setting` is the setting's name; `below` and `reaching` count the suggestions on either side, of which some were
    accepted.
    """

    setting: str
    value: float
    below: int
    accepted_below: int
    reaching: int
    accepted_reaching: int


class SuggestionDecision(NamedTuple):
    """A suggestion that somebody decided on; the likeness is None if it was not kept."""

    action: str
    rule: str
    roots: int
    likeness: float | None
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The Brier score, from 0 (best) to 1, None without predictions; the bins that are not empty.

    `suggestions` is what became of the suggestions that were decided on, by what they suggest, how they were found and
    from how much. `thresholds` are those that follow from the `decided` ones of new beliefs, if there are enough.
    """

    predictions: int
    brier: float | None
    bins: tuple[Bin, ...]
    suggestions: tuple[Decided, ...] = ()
    decided: int = 0
    thresholds: tuple[Threshold, ...] = ()

    __repr__ = short_repr


def predictions(lines: Iterable[LedgerLine]) -> Iterator[Prediction]:
    """Yield a prediction for each new, independent piece of evidence in a ledger that still counts."""
    ledger = confidence.by_time(lines)
    statements = [i for i, line in enumerate(ledger) if line.op in confidence.BARRIERS]
    for end in [*statements, len(ledger)]:
        for step in confidence.course(ledger[:end]):
            if step.moved > _NEW:
                of = f"{step.witness.source} {step.witness.at}"
                yield Prediction(step.before.confidence, step.witness.outcome, of)


def calibration_of(made: Iterable[Prediction]) -> Calibration:
    """Return the Brier score and the bins of predictions."""
    all_of_them = list(made)
    if not all_of_them:
        return Calibration(predictions=0, brier=None, bins=())
    squares = ((one.expected - one.observed) ** 2 for one in all_of_them)
    bins = (_bin(i, [one for one in all_of_them if min(int(one.expected * BINS), BINS - 1) == i]) for i in range(BINS))
    return Calibration(
        predictions=len(all_of_them),
        brier=fsum(squares) / len(all_of_them),
        bins=tuple(one for one in bins if one.predictions),
    )


def _bin(number: int, made: list[Prediction]) -> Bin:
    count = len(made) or 1
    return Bin(
        low=number / BINS,
        high=(number + 1) / BINS,
        predictions=len(made),
        expected=fsum(one.expected for one in made) / count,
        observed=fsum(one.observed for one in made) / count,
    )


# -- the use case ----------------------------------------------------------------------------------


def calibrate(view: View) -> Calibration:
    """Return how well the confidences of the memories that the viewer may see predicted the evidence that came next.

    >>> held = belief(ws.view(), "It rains on Mondays.", confidence=0.9)
    >>> seen = episode(ws.view(), "A Monday", "no rain at all")
    >>> contradict(ws.view(), held.ref, seen.ref).old
    0.9
    >>> round(calibrate(ws.view()).brier, 2)
    0.81
    """
    memories = [file.memory for file in view.memories()]
    # Splits and merges copy evidence; the prediction of the memory that had it first is the one that counts.
    memories.sort(key=lambda memory: memory.created_at or "", reverse=True)
    made = {one.of: one for memory in memories for one in predictions(memory.confidence_history)}
    decisions = list(_decisions(view))
    return replace(
        calibration_of(made.values()),
        suggestions=tuple(track_record(decisions)),
        decided=sum(one.action == Action.CREATE.value for one in decisions),
        thresholds=tuple(thresholds(decisions)),
    )


def track_record(decisions: Iterable[SuggestionDecision]) -> Iterator[Decided]:
    """Yield how many suggestions were accepted and rejected, by what they suggest, their rule and their roots."""
    counts = Counter((one.action, one.rule, one.roots, one.accepted) for one in decisions)
    for action, rule, roots in sorted({key[:3] for key in counts}):
        accepted, rejected = (counts[action, rule, roots, was] for was in (True, False))
        yield Decided(action, rule, roots, accepted, rejected)


def thresholds(decisions: Iterable[SuggestionDecision]) -> Iterator[Threshold]:
    """Yield thresholds for new beliefs: below them, at most one suggestion of five was accepted, and more above.

    There are none before `FEWEST_DECIDED` decisions, of which `FEWEST_BELOW` must lie below.
    """
    new = [one for one in decisions if one.action == Action.CREATE.value]
    by_roots = [(float(one.roots), one.accepted) for one in new]
    by_likeness = [(one.likeness, one.accepted) for one in new if one.likeness is not None]
    for setting, measured in (("consolidate.least_roots", by_roots), ("consolidate.least_likeness", by_likeness)):
        if len(measured) >= FEWEST_DECIDED and (found := _highest(setting, sorted(measured))):
            yield found


def _highest(setting: str, measured: Sequence[tuple[float, bool]]) -> Threshold | None:
    """Return the highest threshold below which few were accepted, of measures in ascending order."""
    every, accepted = len(measured), sum(was for _, was in measured)
    found, below, accepted_below = None, 0, 0
    for at, (value, was) in enumerate(measured):
        if at and value > measured[at - 1][0]:
            one = Threshold(setting, value, below, accepted_below, every - below, accepted - accepted_below)
            is_little = below >= FEWEST_BELOW and accepted_below * ONE_OF <= below
            found = one if is_little and one.accepted_reaching * ONE_OF > one.reaching else found
        below, accepted_below = below + 1, accepted_below + was
    return found


def _decisions(view: View) -> Iterator[SuggestionDecision]:
    """Yield what became of the suggestions that the viewer may see.

    A suggestion whose file was deleted was rejected; one that was moved out of its folder was accepted.
    """
    load = loader(view)
    made = [(file.memory, _was_accepted(file)) for file in view.memories() if _is_suggestion(file.memory)]
    for memory, accepted in [*made, *((memory, False) for memory in deleted_suggestions(view))]:
        if accepted is not None:
            known = (load(ref) for ref in memory.derived_from if MemoryRef.parse(ref))
            roots = {root for one in known if one for root in as_evidence(one, load).roots}
            rule, alike = (memory.origin.trigger or "", memory.origin.likeness) if memory.origin else ("", None)
            yield SuggestionDecision(memory.proposes or Action.CREATE.value, rule, len(roots), alike, accepted)


def _is_suggestion(memory: Memory) -> bool:
    return (memory.id or "").startswith(ID_OF_PROPOSAL) and memory.source_type == "consolidation"


def _was_accepted(file: MemoryFile) -> bool | None:
    """Whether a suggestion was accepted; None if nobody has decided yet."""
    if not file.path.startswith(SUGGESTIONS):
        return True
    return None if file.memory.status == "draft" else REJECTED not in file.memory.tags


# -- suggested -------------------------------------------------------------------------------------


REASON = "Consolidated"
CAPPED = "Capped by its sources"


class Ground(NamedTuple):
    """A suggested confidence, in [0, 1], and the ledger that it follows from."""

    confidence: float
    ledger: tuple[LedgerLine, ...]


def ground_of(proposal: ConsolidationProposal, load: Load, *, now: datetime, by: str) -> Ground:
    """Return the confidence of a new belief: that of its evidence, capped by the confidences of its sources.

    Args:
        proposal: a suggestion of a new belief.
        load: returns the memory that a ref names.
        now: UTC.
        by: the entity that records it.
    """
    lines: list[LedgerLine] = []
    at = next_time([], now)
    # Statements from before a change were true then; they are not evidence against what is true since.
    against = () if proposal.action is Action.SUPERSEDE else proposal.against
    for op, members in (("support", proposal.counted), ("contradict", against)):
        for member in members:
            lines.append(_line(op, as_evidence(member.memory, load), lines, at=at, by=by))
    amounts_to = replayed(lines)
    least = min(
        (member.memory.confidence for member in proposal.members if member.memory.confidence is not None), default=1.0
    )
    if amounts_to <= least:
        return Ground(amounts_to, tuple(lines))
    capped = LedgerLine(timestamp=instant(now), op="assert", new=least, reason=CAPPED, by=by)
    return Ground(least, (capped,))


def _line(op: str, evidence: Evidence, before: Sequence[LedgerLine], *, at: datetime, by: str) -> LedgerLine:
    line = LedgerLine(
        timestamp=instant(at),
        op=op,
        old=replayed(before) if before else None,
        evidence_source=evidence.source,
        weight=evidence.weight,
        roots=evidence.roots,
        reason=REASON,
        by=by,
        source_confidence=evidence.confidence,
        happened_at=evidence.happened_before(at),
    )
    return line._replace(new=replayed([*before, line]))
