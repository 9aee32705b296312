"""Ledgers that are divided between two memories, or become one: no evidence ever counts twice by it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memstore.beliefs import ledger as confidence
from memstore.beliefs.next_lines import brought_up_to_date, held, replayed
from memstore.core.times import instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memstore.core.memory import LedgerLine, Memory


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
