"""How sure a memory's holder is, and the next lines of its ledger when evidence arrives or the memory changes.

Ledgers can also be divided between two memories, or joined; evidence is never counted twice because of that.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs import ledger
from memstore.beliefs import ledger as confidence
from memstore.beliefs.evidence import SPOKEN
from memstore.core.errors import VaultError
from memstore.core.memory import UNSTATED_BELIEF_CONFIDENCE, LedgerLine
from memstore.core.times import EARLIEST, instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memstore.beliefs.evidence import Evidence
    from memstore.core.memory import Memory


PROMOTED_BELIEF_CONFIDENCE = 0.7  # docs/beliefs.md, "Unstated confidence"


class Stance(StrEnum):
    """What evidence says; the value is the operation in the ledger."""

    SUPPORT = "support"
    PARTIAL = "partial"
    CONTRADICT = "contradict"


_REASONS = {
    Stance.SUPPORT: "Reinforced by", Stance.PARTIAL: "Partly confirmed by", Stance.CONTRADICT: "Contradicted by",
}  # fmt: skip


class Weighed(NamedTuple):
    """The lines that evidence adds to a ledger, the confidence before and after, and evidence counted before."""

    lines: tuple[LedgerLine, ...]
    old: float
    new: float
    counted_before: tuple[str, ...]


def held(memory: Memory) -> float | None:
    """Return how sure a memory's holder is, in [0, 1]; None if it states nothing and its type doesn't require it."""
    if memory.confidence is not None:
        return memory.confidence
    if not states_nothing(memory.confidence_history):
        return replayed(memory.confidence_history)
    return UNSTATED_BELIEF_CONFIDENCE if memory.type == "belief" else None


def held_now(memory: Memory, now: datetime) -> float | None:
    """Return the confidence at `now`, UTC, after the evidence has faded; None if `held` returns None."""
    return None if held(memory) is None else ledger.rounded(replay_of(memory, now).confidence)


def replay_of(memory: Memory, now: datetime) -> ledger.Belief:
    """Return the result of a memory's ledger at `now`, UTC; how fast its evidence fades depends on its importance.

    A ledger that states nothing is treated as a statement of the confidence that is held. A confidence that differs
    from the ledger's result was edited by hand, and takes precedence; it fades from the last line on.
    """
    lines = memory.confidence_history
    if states_nothing(lines):
        lines = (_statement_line(memory.created_at or instant(now), held(memory)),)
    elif memory.confidence is not None and drifted(memory) is not None:
        last = ledger.by_time(lines)[-1].timestamp
        precision = max(ledger.replay(lines).precision, ledger.STATED_WEIGHT)
        lines = (_statement_line(last, memory.confidence)._replace(op="checkpoint", precision=precision),)
    importance = "pinned" if memory.foundational else memory.importance or "normal"
    return ledger.replay_now(lines, now, importance=importance)


def _statement_line(at: str, number: float | None) -> LedgerLine:
    return LedgerLine(timestamp=at, op="assert", new=number)


def replayed(history: Iterable[LedgerLine]) -> float:
    """Return the confidence that results from a ledger, rounded as it is stored."""
    return ledger.rounded(ledger.replay(history).confidence)


def drifted(memory: Memory) -> float | None:
    """Return the result of a memory's ledger if it differs from the stored confidence; None if they agree."""
    if states_nothing(memory.confidence_history):
        return None
    amounts_to = replayed(memory.confidence_history)
    held = memory.confidence
    return None if held is not None and ledger.rounded(held) == amounts_to else amounts_to


def edited(memory: Memory, number: float, now: datetime, by: str) -> LedgerLine:
    """Return the ledger line for a confidence that was edited by hand: it overrides the ledger's result.

    Args:
        memory: the memory with its ledger.
        number: the new confidence, in [0, 1].
        now: UTC.
        by: the entity that edited it.
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
    """Return lines that retract the evidence that was removed from a ledger by hand, one line per source.

    Args:
        before: the memory before the edit.
        after: the memory after it; a source that still has another line is not retracted.
        now: UTC.
        by: the entity that edited it.
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
    """Whether a ledger explains why it no longer has a line: it was retracted, or folded into a checkpoint."""
    at = datetime.fromisoformat(line.timestamp)
    return any(
        datetime.fromisoformat(one.timestamp) >= at
        and (one.op == "checkpoint" or (one.op == "retract" and _source(one) == _source(line)))
        for one in history
    )


def folded(memory: Memory, by: str) -> LedgerLine:
    """Return the checkpoint that replaces a whole ledger, for which `drifted` must return None.

    It is dated a second after the latest line, but its evidence goes on fading from when it arose.
    """
    history = memory.confidence_history
    belief = ledger.replay(history)
    last = max(datetime.fromisoformat(line.timestamp) for line in history)
    latest = {_source(line): line for line in ledger.by_time(history) if line.op in SPOKEN}
    counted = [name for line in history for name in line.counted]
    standing = [line for line in latest.values() if line.op != "retract"]
    counted += [name for line in standing for name in (ledger.source_of(line), *line.roots)]
    at, happened = next_time(history, last), ledger.mean_time(history)
    return LedgerLine(
        timestamp=instant(at),
        happened_at=instant(happened) if at - happened >= timedelta(days=1) else None,
        op="checkpoint",
        old=ledger.rounded(belief.confidence),
        new=ledger.rounded(belief.confidence),
        reason=f"Folded {len(history)} lines",
        by=by,
        precision=ledger.rounded(belief.precision),
        counted=tuple(dict.fromkeys(counted)),
    )


def next_time(history: Iterable[LedgerLine], now: datetime) -> datetime:
    """Return the time of the next line, in whole seconds: `now`, or a second after the last line if that is later.

    Raises:
        VaultError: the last line has the last possible time.
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
    """Return the effect of evidence on a memory's ledger. Evidence that said the same before adds nothing.

    Args:
        memory: a memory for which `held` is not None.
        evidence: the evidence, in the order in which it is recorded.
        stance: what all of it says.
        now: UTC.
        by: the entity that records it.
        reason: why; without a reason, the evidence is named.
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
    current, at = old, instant(_time_beside(history, fresh, now))
    for one in fresh:
        line = _line(one, stance, old=current, at=at, by=by, reason=reason)
        current = replayed([*history, line])
        history.append(line._replace(new=current))
    return Weighed(tuple(history[len(memory.confidence_history) :]), old, current, counted)


def _time_beside(history: Sequence[LedgerLine], evidence: Sequence[Evidence], now: datetime) -> datetime:
    """Return the time of evidence that is written at once: `now`, unless a line that it must come after is as late.

    Lines about other sources may have the same time, and so may a statement, which counts as before evidence.
    """
    sources = {ledger.counted_as(one.source) for one in evidence}

    def is_beside(line: LedgerLine) -> bool:
        is_whole = not datetime.fromisoformat(line.timestamp).microsecond
        is_of_another = line.op in ledger.OUTCOMES and _source(line) not in sources
        return is_whole and (line.op in ledger.BARRIERS or is_of_another)

    after = next_time((line for line in history if not is_beside(line)), now)
    return max([after, *(datetime.fromisoformat(line.timestamp) for line in history if is_beside(line))])


def _is_counted(history: Sequence[LedgerLine], source: str, stance: Stance) -> bool:
    """Whether a source's latest line says the same, or the source was folded into a checkpoint."""
    one = ledger.counted_as(source)
    said = [line for line in ledger.by_time(history) if _source(line) == one and line.op in SPOKEN]
    folded = {ledger.counted_as(name) for line in history for name in line.counted}
    return one in folded or (bool(said) and said[-1].op == stance)


def _source(line: LedgerLine) -> str:
    """Return the name that a line's evidence counts under."""
    return ledger.counted_as(ledger.source_of(line))


def brought_up_to_date(memory: Memory, old: float, now: datetime, by: str) -> list[LedgerLine]:
    """Return the line that must be added before evidence: for a confidence that was stated, or edited by hand."""
    history = memory.confidence_history
    if states_nothing(history):
        at = None if history else _past(memory.created_at, now)
        stated_at = at or instant(next_time(history, now))
        return [LedgerLine(timestamp=stated_at, op="assert", old=None, new=ledger.rounded(old), by=memory.author or by)]
    # An edit by hand wins: the number in the file is kept, and recorded in the ledger.
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
    """Whether a ledger has no line that determines the confidence."""
    return all(line.op == "assert" and line.new is None for line in history)


def _past(instant: str | None, now: datetime) -> str | None:
    return instant if instant and datetime.fromisoformat(instant) < now else None


# -- rearranging -----------------------------------------------------------------------------------


def whole(memory: Memory, now: datetime, by: str) -> tuple[LedgerLine, ...]:
    """Return a memory's ledger, with the missing line for its stated confidence; empty if it has no confidence."""
    old = held(memory)
    return () if old is None else (*memory.confidence_history, *brought_up_to_date(memory, old, now, by))


def standing(lines: Iterable[LedgerLine]) -> dict[str, tuple[LedgerLine, ...]]:
    """Return, for each source that counts, its line and the lines that changed its weight since."""
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
        shares: the fraction of each source's weight that goes to this part, in [0, 1]; all parts add up to 1 at most.
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
    # The weight of an edit comes from the evidence before it, which stays with the whole memory.
    op = "assert" if barrier.op == "edit" else barrier.op
    half = None if barrier.precision is None else max(barrier.precision / 2, confidence.PRIOR_WEIGHT)
    precision = None if half is None else confidence.rounded(half)
    reason = f"Split from {of}"
    stated = barrier._replace(
        op=op, old=None, precision=precision, evidence_source=of, reason=reason, by=by, weight=None, roots=()
    )
    return retold((stated,), kept)


def _shared(line: LedgerLine, share: float) -> LedgerLine:
    return line if line.weight is None else line._replace(weight=confidence.rounded(line.weight * share))


def joined(into: Memory, other: Memory, *, now: datetime, by: str) -> tuple[LedgerLine, ...]:
    """Return the lines that a memory's ledger gains when another memory is merged into it: the evidence new to it.

    Its own statement is kept, and so are its own lines about each source. Evidence keeps its age as far as possible: it
    must come after that statement.
    """
    mine, theirs = whole(into, now, by), whole(other, now, by)
    said_of = [*map(confidence.source_of, mine), *(source for line in mine for source in line.counted)]
    known = set(map(confidence.counted_as, [*said_of, str(into.ref), str(other.ref)]))
    barrier, _ = confidence.since_statement(mine)
    lines = [
        line for source, said in standing(theirs).items() if confidence.counted_as(source) not in known for line in said
    ]
    if barrier is not None:
        earliest = next_time([barrier], EARLIEST)
        lines = [
            line if datetime.fromisoformat(line.timestamp) >= earliest else line._replace(timestamp=instant(earliest))
            for line in lines
        ]
    elif not mine:
        stated, _ = confidence.since_statement(theirs)
        lines = ([stated._replace(op="assert", old=None)] if stated else []) + lines
    return (*mine[len(into.confidence_history) :], *retold(mine, lines, reason=f"Merged from {other.ref}"))


def retold(
    before: Sequence[LedgerLine], lines: Iterable[LedgerLine], *, reason: str | None = None
) -> tuple[LedgerLine, ...]:
    """Return ledger lines by time, each with the confidence before and after it.

    Args:
        before: the ledger that the lines are added to; without a `reason`, the result begins with it.
        lines: the lines.
        reason: the reason for all of them; None keeps the reason of each line.
    """
    told = [] if reason else list(before)
    ledger = list(before)
    current = replayed(ledger) if ledger else None
    for line in confidence.by_time(lines):
        new = replayed([*ledger, line])
        added = line._replace(old=current, new=new, reason=reason or line.reason)
        ledger.append(added)
        told.append(added)
        current = new
    return tuple(told)
