"""What is believed and how surely: what the ledger's next lines say, and whether they say anything new.

Ledgers that are divided between two memories, or become one: no evidence ever counts twice by it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs import ledger
from memstore.beliefs import ledger as confidence
from memstore.beliefs.evidence import SPOKEN
from memstore.core.errors import VaultError
from memstore.core.memory import LedgerLine
from memstore.core.times import instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memstore.beliefs.evidence import Evidence
    from memstore.core.memory import Memory


UNSTATED_BELIEF_CONFIDENCE = 0.8  # docs/beliefs.md, "Unstated confidence"
PROMOTED_BELIEF_CONFIDENCE = 0.7  # likewise


class Stance(StrEnum):
    """What evidence says; the value is the ledger's word."""

    SUPPORT = "support"
    PARTIAL = "partial"
    CONTRADICT = "contradict"


_REASONS = {
    Stance.SUPPORT: "Reinforced by", Stance.PARTIAL: "Partly confirmed by", Stance.CONTRADICT: "Contradicted by",
}  # fmt: skip


class Weighed(NamedTuple):
    """The lines that evidence adds to a ledger, the confidence before and after, and what had been counted before."""

    lines: tuple[LedgerLine, ...]
    old: float
    new: float
    counted_before: tuple[str, ...]


def held(memory: Memory) -> float | None:
    """Return how sure a memory's holder is, in [0, 1]; None where a memory of this type need not say."""
    if memory.confidence is not None:
        return memory.confidence
    if not states_nothing(memory.confidence_history):
        return replayed(memory.confidence_history)
    return UNSTATED_BELIEF_CONFIDENCE if memory.type == "belief" else None


def held_now(memory: Memory, now: datetime) -> float | None:
    """Return how sure a memory's holder may still be at `now`, UTC: evidence fades; None where `held` says nothing."""
    return None if held(memory) is None else ledger.rounded(replay_of(memory, now).confidence)


def replay_of(memory: Memory, now: datetime) -> ledger.Belief:
    """Return what a memory's ledger amounts to at `now`, UTC, as its evidence fades with its importance.

    A ledger that states nothing counts as a statement of the number that is held. A number that is not what the ledger
    amounts to was changed by a hand, and stands; it fades from the last line on.
    """
    lines = memory.confidence_history
    if states_nothing(lines):
        lines = (_stated(memory.created_at or instant(now), held(memory)),)
    elif memory.confidence is not None and drifted(memory) is not None:
        last = ledger.by_time(lines)[-1].timestamp
        precision = max(ledger.replay(lines).precision, ledger.STATED_WEIGHT)
        lines = (replace(_stated(last, memory.confidence), op="checkpoint", precision=precision),)
    importance = "pinned" if memory.foundational else memory.importance or "normal"
    return ledger.replay_now(lines, now, importance=importance)


def _stated(at: str, number: float | None) -> LedgerLine:
    return LedgerLine(timestamp=at, op="assert", new=number)


def replayed(history: Iterable[LedgerLine]) -> float:
    """Return the confidence that a ledger amounts to, as it is stored."""
    return ledger.rounded(ledger.replay(history).confidence)


def drifted(memory: Memory) -> float | None:
    """Return what a memory's ledger amounts to where that is not the number stored with it; None where all is well."""
    if states_nothing(memory.confidence_history):
        return None
    amounts_to = replayed(memory.confidence_history)
    held = memory.confidence
    return None if held is not None and ledger.rounded(held) == amounts_to else amounts_to


def edited(memory: Memory, number: float, now: datetime, by: str) -> LedgerLine:
    """Return the ledger line of a number that a hand gave a memory: it stands, whatever the ledger amounts to.

    Args:
        memory: as it is with its ledger.
        number: in [0, 1].
        now: UTC.
        by: the entity whose hand it was.
    """
    history = memory.confidence_history
    return LedgerLine(
        timestamp=instant(next_time(history, now)),
        op="edit",
        old=replayed(history),
        new=ledger.rounded(number),
        by=by,
    )


def retractions(before: Memory, after: Memory, now: datetime, by: str) -> list[LedgerLine]:
    """Return the lines by which evidence is retracted that a hand took out of a ledger, one a source.

    Args:
        before: the memory as it was.
        after: as it is; a source of which another line says something is still heard, and not retracted.
        now: UTC.
        by: the entity whose hand it was.
    """
    named = {_source(line) for line in after.confidence_history if line.op in SPOKEN}
    lost = {*before.confidence_history} - {*after.confidence_history}
    gone = [line.evidence_source for line in ledger.by_time(lost) if line.op in ledger.OUTCOMES]
    sources = [source for source in dict.fromkeys(gone) if source and ledger.counted_as(source) not in named]
    at = instant(next_time([*before.confidence_history, *after.confidence_history], now))
    return [
        LedgerLine(timestamp=at, op="retract", evidence_source=source, reason="Taken out by hand", by=by)
        for source in sources
    ]


def accounts_for(line: LedgerLine, history: Iterable[LedgerLine]) -> bool:
    """Whether a ledger says what became of a line that it has no longer: retracted, or folded into a checkpoint."""
    at = datetime.fromisoformat(line.timestamp)
    return any(
        datetime.fromisoformat(one.timestamp) >= at
        and (one.op == "checkpoint" or (one.op == "retract" and _source(one) == _source(line)))
        for one in history
    )


def folded(memory: Memory, by: str) -> LedgerLine:
    """Return the checkpoint that stands for a whole ledger, of which `drifted` says nothing.

    It is a second younger than the latest line: evidence that is put away grows no younger by it than that.
    """
    history = memory.confidence_history
    belief = ledger.replay(history)
    last = max(datetime.fromisoformat(line.timestamp) for line in history)
    latest = {_source(line): line for line in ledger.by_time(history) if line.op in SPOKEN}
    counted = [name for line in history for name in line.counted]
    standing = [line for line in latest.values() if line.op != "retract"]
    counted += [name for line in standing for name in (ledger.source_of(line), *line.roots)]
    return LedgerLine(
        timestamp=instant(next_time(history, last)),
        op="checkpoint",
        old=ledger.rounded(belief.confidence),
        new=ledger.rounded(belief.confidence),
        reason=f"Folded {len(history)} lines",
        by=by,
        precision=ledger.rounded(belief.precision),
        counted=tuple(dict.fromkeys(counted)),
    )


def next_time(history: Iterable[LedgerLine], now: datetime) -> datetime:
    """Return the time of the next line, whole seconds: `now`, or a second after a last line that is not before it.

    Raises:
        VaultError: no second comes after the last line.
    """
    at = now.replace(microsecond=0)
    last = max((datetime.fromisoformat(line.timestamp) for line in history), default=None)
    try:
        return at if last is None or at > last else last.replace(microsecond=0) + timedelta(seconds=1)
    except OverflowError:
        raise VaultError(
            f"a line of the history is dated {instant(last or at)}, the last time there is",
            hint="correct its timestamp in `confidence_history`",
        ) from None


def weigh(
    memory: Memory, evidence: Sequence[Evidence], stance: Stance, *, now: datetime, by: str, reason: str | None
) -> Weighed:
    """Return what evidence does to a memory's ledger. Evidence that said the same before adds nothing.

    Args:
        memory: one of which `held` knows how sure its holder is.
        evidence: what speaks, in this order.
        stance: what all of it says.
        now: UTC.
        by: the entity that records it.
        reason: why; else the evidence is named.
    """
    old = held(memory)
    if old is None:
        raise ValueError(f"{memory.ref} has no confidence")
    old = ledger.rounded(old)
    counted = tuple(one.source for one in evidence if _is_counted(memory.confidence_history, one.source, stance))
    fresh = [one for one in evidence if one.source not in counted]
    history = list(memory.confidence_history)
    if fresh:
        history += brought_up_to_date(memory, old, now, by)
    current = old
    for one in fresh:
        line = _line(one, stance, old=current, at=instant(next_time(history, now)), by=by, reason=reason)
        current = replayed([*history, line])
        history.append(replace(line, new=current))
    return Weighed(tuple(history[len(memory.confidence_history) :]), old, current, counted)


def _is_counted(history: Sequence[LedgerLine], source: str, stance: Stance) -> bool:
    """Whether the latest word of a source is the same already; what was folded into a checkpoint stays counted."""
    one = ledger.counted_as(source)
    said = [line for line in ledger.by_time(history) if _source(line) == one and line.op in SPOKEN]
    folded = {ledger.counted_as(name) for line in history for name in line.counted}
    return one in folded or (bool(said) and said[-1].op == stance)


def _source(line: LedgerLine) -> str:
    """Return what a line's evidence counts as."""
    return ledger.counted_as(ledger.source_of(line))


def brought_up_to_date(memory: Memory, old: float, now: datetime, by: str) -> list[LedgerLine]:
    """Return the line that a ledger lacks before evidence can join it: what was stated, or what a hand changed."""
    history = memory.confidence_history
    if states_nothing(history):
        at = None if history else _past(memory.created_at, now)
        stated_at = at or instant(next_time(history, now))
        return [LedgerLine(timestamp=stated_at, op="assert", old=None, new=ledger.rounded(old), by=memory.author or by)]
    # A hand edit wins: the number in the file stands, and the ledger learns of it.
    return [] if drifted(memory) is None else [edited(memory, old, now, by)]


def _line(one: Evidence, stance: Stance, *, old: float, at: str, by: str, reason: str | None) -> LedgerLine:
    return LedgerLine(
        timestamp=at,
        op=stance.value,
        old=old,
        evidence_source=one.source,
        weight=one.weight,
        roots=one.roots,
        reason=reason or f"{_REASONS[stance]} {one.source}",
        by=by,
        source_confidence=one.confidence,
        happened_at=one.happened_before(datetime.fromisoformat(at)),
    )


def states_nothing(history: Iterable[LedgerLine]) -> bool:
    """Whether a ledger has no line that says anything of the number."""
    return all(line.op == "assert" and line.new is None for line in history)


def _past(instant: str | None, now: datetime) -> str | None:
    return instant if instant and datetime.fromisoformat(instant) < now else None


# -- rearranging -----------------------------------------------------------------------------------


def whole(memory: Memory, now: datetime, by: str) -> tuple[LedgerLine, ...]:
    """Return a memory's ledger with the line that it lacks, for what was stated; empty where nothing is held."""
    old = held(memory)
    return () if old is None else (*memory.confidence_history, *brought_up_to_date(memory, old, now, by))


def standing(lines: Iterable[LedgerLine]) -> dict[str, tuple[LedgerLine, ...]]:
    """Return for each source that counts the line that says so, and those that changed its weight since."""
    _, after = confidence.since_statement(lines)
    found: dict[str, tuple[LedgerLine, ...]] = {}
    for line in after:
        source = confidence.counted_as(confidence.source_of(line))
        if line.op == "retract":
            found.pop(source, None)
        elif line.op == "propagate" and source in found:
            found[source] += (line,)
        elif line.op in confidence.OUTCOMES:
            found[source] = (line,)
    return {confidence.source_of(said[0]): said for said in found.values()}


def part(lines: Sequence[LedgerLine], shares: Mapping[str, float], *, of: str, by: str) -> tuple[LedgerLine, ...]:
    """Return the ledger of a part of a memory.

    Args:
        lines: the whole memory's ledger.
        shares: how much of each source's weight goes to this part, in [0, 1]; the parts' shares add up to 1 at most.
        of: the whole memory's ref.
        by: the entity that divides it.
    """
    barrier, after = confidence.since_statement(lines)
    kept = [line for line in after if line.op == "propagate" and line.cap is not None]
    for source, said in standing(lines).items():
        share = shares.get(source, 0.0)
        if share:
            kept += [_shared(line, share) for line in said]
    if barrier is None:
        return retold((), kept)
    # An edit's weight is that of the evidence before it, which stays with the whole memory.
    op = "assert" if barrier.op == "edit" else barrier.op
    half = None if barrier.precision is None else max(barrier.precision / 2, confidence.PRIOR_WEIGHT)
    precision = None if half is None else confidence.rounded(half)
    reason = f"Split from {of}"
    stated = replace(
        barrier, op=op, old=None, precision=precision, evidence_source=of, reason=reason, by=by, weight=None, roots=()
    )
    return retold((stated,), kept)


def _shared(line: LedgerLine, share: float) -> LedgerLine:
    return line if line.weight is None else replace(line, weight=confidence.rounded(line.weight * share))


def joined(into: Memory, other: Memory, *, now: datetime, by: str) -> tuple[LedgerLine, ...]:
    """Return the lines that one memory's ledger gains when another becomes one with it: what it did not know yet.

    Its own statement stands, and of each source what it says itself. Evidence keeps its age, as far as that statement,
    which it comes after, allows.
    """
    mine, theirs = whole(into, now, by), whole(other, now, by)
    said_of = [*map(confidence.source_of, mine), *(source for line in mine for source in line.counted)]
    known = set(map(confidence.counted_as, [*said_of, str(into.ref), str(other.ref)]))
    barrier, _ = confidence.since_statement(mine)
    lines = [
        line for source, said in standing(theirs).items() if confidence.counted_as(source) not in known for line in said
    ]
    if barrier is not None:
        earliest = datetime.fromisoformat(barrier.timestamp) + timedelta(seconds=1)
        lines = [
            line if datetime.fromisoformat(line.timestamp) >= earliest else replace(line, timestamp=instant(earliest))
            for line in lines
        ]
    elif not mine:
        stated, _ = confidence.since_statement(theirs)
        lines = ([replace(stated, op="assert", old=None)] if stated else []) + lines
    return (*mine[len(into.confidence_history) :], *retold(mine, lines, reason=f"Merged from {other.ref}"))


def retold(
    before: Sequence[LedgerLine], lines: Iterable[LedgerLine], *, reason: str | None = None
) -> tuple[LedgerLine, ...]:
    """Return a ledger's lines by time, with what each made of the number; those `before` are in front where given.

    Args:
        before: the ledger that the lines join.
        lines: the lines.
        reason: what each of them says of why; None for what it says itself.
    """
    told = [] if reason else list(before)
    ledger = list(before)
    current = replayed(ledger) if ledger else None
    for line in confidence.by_time(lines):
        new = replayed([*ledger, line])
        added = replace(line, old=current, new=new, reason=reason or line.reason)
        ledger.append(added)
        told.append(added)
        current = new
    return tuple(told)
