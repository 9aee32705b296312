"""Evidence for or against what is believed: what the ledger's next lines say, and whether they say anything new."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from memstore.model.confidence import LedgerLine
from memstore.model.ids import MemoryRef
from memstore.model.keys import RELIABILITY
from memstore.rules import confidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memstore.model.memory import Memory

    Load = Callable[[str], Memory | None]

UNSTATED_BELIEF_CONFIDENCE = 0.8  # docs/beliefs.md, "Unstated confidence"
PROMOTED_BELIEF_CONFIDENCE = 0.7  # likewise

# A run of consolidation as evidence: it weighs nothing by itself, the memories that it names do.
_CONSOLIDATION = re.compile(r"consolidation:(\d{4}-\d{2}-\d{2})")
_SUPPORTING = frozenset({"support", "partial"})
_SPOKEN = frozenset({*_SUPPORTING, "contradict", "retract"})


class Stance(StrEnum):
    """What evidence says; the value is the ledger's word."""

    SUPPORT = "support"
    PARTIAL = "partial"
    CONTRADICT = "contradict"


_REASONS = {
    Stance.SUPPORT: "Reinforced by", Stance.PARTIAL: "Partly confirmed by", Stance.CONTRADICT: "Contradicted by",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What speaks: its ref or mark, its weight of 0 or more, its independent roots, how sure its own holder is."""

    source: str
    weight: float
    roots: tuple[str, ...] = ()
    confidence: float | None = None


class Weighed(NamedTuple):
    """The lines that evidence adds to a ledger, the confidence before and after, and what had been counted before."""

    lines: tuple[LedgerLine, ...]
    old: float
    new: float
    counted_before: tuple[str, ...]


# -- evidence ------------------------------------------------------------------------------------


def mark_as_evidence(text: str) -> Evidence | None:
    """Return a mark `consolidation:YYYY-MM-DD` as evidence, which weighs 0; None for any other text."""
    found = _CONSOLIDATION.fullmatch(text)
    return Evidence(source=text, weight=0.0) if found and _is_day(found[1]) else None


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def as_evidence(memory: Memory, load: Load) -> Evidence:
    """Return a memory as evidence.

    Args:
        memory: it must have an id.
        load: gives the memory that a ref names, None where there is none to see.
    """
    return Evidence(
        source=str(memory.ref),
        weight=RELIABILITY[memory.source_type or "unknown"],
        roots=roots(memory, load),
        confidence=memory.confidence,
    )


def roots(memory: Memory, load: Load) -> tuple[str, ...]:
    """Return the independent roots of a memory, sorted: sessions where they are recorded, else memories.

    What was made of another memory has that one's roots, and a belief those of all that it rests on: neither becomes
    a second witness by being written down again.
    """
    found: set[str] = set()
    for known in _reached(memory, load, lambda one: () if _is_root(one) else _grounds(one)):
        found.update(_own_roots(known, load))
    return tuple(sorted(found or {_root(memory)}))


def rests_on(memory: Memory, ref: str, load: Load) -> bool:
    """Whether a memory was made of what `ref` names, or is believed because of it, over any number of links."""
    return any(str(known.ref) == ref for known in _reached(memory, load, _grounds))


def _reached(start: Memory, load: Load, following: Callable[[Memory], Iterable[str]]) -> list[Memory]:
    """Return a memory and all to which refs lead from it, nearest first; it ends on any graph."""
    found, seen = [start], {str(start.ref)}
    waiting = deque(found)
    while waiting:
        for ref in following(waiting.popleft()):
            if ref not in seen:
                seen.add(ref)
                known = load(ref)
                if known is not None:
                    found.append(known)
                    waiting.append(known)
    return found


def _is_root(memory: Memory) -> bool:
    """Whether a memory is a first-hand record of a session; a belief never is."""
    return memory.type != "belief" and _session(memory) is not None


def _grounds(memory: Memory) -> list[str]:
    """Return the refs that a memory was made of; for a belief those that support it, too."""
    named = list(memory.derived_from)
    if memory.type == "belief":
        named += [*memory.relates_to, *(line.evidence_source or "" for line in _standing(memory))]
    return [ref for ref in named if MemoryRef.parse(ref)]


def _standing(memory: Memory) -> list[LedgerLine]:
    """Return the lines of a ledger that support, the latest of each source."""
    latest = {line.evidence_source: line for line in _by_time(memory.confidence_history) if line.op in _SPOKEN}
    return [line for line in latest.values() if line.op in _SUPPORTING]


def _own_roots(memory: Memory, load: Load) -> set[str]:
    """Return the roots that a memory has itself: none where what it was made of has them."""
    if _is_root(memory):
        return {_root(memory)}
    lost = [line for line in _standing(memory) if memory.type == "belief" and load(line.evidence_source or "") is None]
    own = {root for line in lost for root in line.roots}
    others = [ref for ref in _grounds(memory) if load(ref) is not None]
    return own if own or others else {_root(memory)}


def _root(memory: Memory) -> str:
    session = _session(memory)
    return f"session:{session}" if session else str(memory.ref)


def _session(memory: Memory) -> str | None:
    return memory.origin.session_id if memory.origin else None


# -- the ledger ----------------------------------------------------------------------------------


def held(memory: Memory) -> float | None:
    """Return how sure a memory's holder is, in [0, 1]; None where a memory of this type need not say."""
    if memory.confidence is not None:
        return memory.confidence
    if not states_nothing(memory.confidence_history):
        return replayed(memory.confidence_history)
    return UNSTATED_BELIEF_CONFIDENCE if memory.type == "belief" else None


def held_now(memory: Memory, now: datetime) -> float | None:
    """Return how sure a memory's holder may still be at `now`, UTC: evidence fades; None where `held` says nothing.

    A ledger that states nothing counts as a statement of the stored number at the time the memory was made.
    """
    number = held(memory)
    if number is None:
        return None
    lines = memory.confidence_history
    if states_nothing(lines):
        made_at = memory.created_at or now.strftime("%Y-%m-%dT%H:%M:%SZ")
        lines = (LedgerLine(timestamp=made_at, op="assert", new=number),)
    importance = "pinned" if memory.foundational else memory.importance or "normal"
    return confidence.stored(confidence.replay_now(lines, now, importance=importance).confidence)


def replayed(history: Iterable[LedgerLine]) -> float:
    """Return the confidence that a ledger amounts to, as it is stored."""
    return confidence.stored(confidence.replay(history).confidence)


def drifted(memory: Memory) -> float | None:
    """Return what a memory's ledger amounts to where that is not the number stored with it; None where all is well."""
    if states_nothing(memory.confidence_history):
        return None
    amounts_to = replayed(memory.confidence_history)
    held = memory.confidence
    return None if held is not None and confidence.stored(held) == amounts_to else amounts_to


def edited(memory: Memory, number: float, now: datetime, by: str) -> LedgerLine:
    """Return the ledger line of a number that a hand gave a memory: it stands, whatever the ledger amounts to.

    Args:
        memory: as it is with its ledger.
        number: in [0, 1].
        now: UTC.
        by: the entity whose hand it was.
    """
    history = memory.confidence_history
    return LedgerLine(timestamp=_text(next_time(history, now)), op="edit", old=replayed(history), new=number, by=by)


def next_time(history: Iterable[LedgerLine], now: datetime) -> datetime:
    """Return the time of the next line, whole seconds: `now`, or a second after a last line that is not before it."""
    at = now.replace(microsecond=0)
    last = max((datetime.fromisoformat(line.timestamp) for line in history), default=None)
    return at if last is None or at > last else last.replace(microsecond=0) + timedelta(seconds=1)


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
    counted = tuple(one.source for one in evidence if _is_counted(memory.confidence_history, one.source, stance))
    fresh = [one for one in evidence if one.source not in counted]
    history = list(memory.confidence_history)
    if fresh:
        history += _brought_up_to_date(memory, old, now, by)
    current = old
    for one in fresh:
        line = _line(one, stance, old=current, at=_text(next_time(history, now)), by=by, reason=reason)
        current = replayed([*history, line])
        history.append(replace(line, new=current))
    return Weighed(tuple(history[len(memory.confidence_history) :]), old, current, counted)


def _is_counted(history: Sequence[LedgerLine], source: str, stance: Stance) -> bool:
    """Whether the latest word of a source is the same already; what was folded into a checkpoint stays counted."""
    said = [line for line in _by_time(history) if line.evidence_source == source and line.op in _SPOKEN]
    return any(source in line.counted for line in history) or (bool(said) and said[-1].op == stance)


def _brought_up_to_date(memory: Memory, old: float, now: datetime, by: str) -> list[LedgerLine]:
    """Return the line that a ledger lacks before evidence can join it: what was stated, or what a hand changed."""
    history = memory.confidence_history
    if states_nothing(history):
        at = None if history else _past(memory.created_at, now)
        stated_at = at or _text(next_time(history, now))
        return [LedgerLine(timestamp=stated_at, op="assert", old=None, new=old, by=memory.author or by)]
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
    )


def states_nothing(history: Iterable[LedgerLine]) -> bool:
    """Whether a ledger has no line that says anything of the number."""
    return all(line.op == "assert" and line.new is None for line in history)


def _past(instant: str | None, now: datetime) -> str | None:
    return instant if instant and datetime.fromisoformat(instant) < now else None


def _by_time(history: Iterable[LedgerLine]) -> list[LedgerLine]:
    return sorted(history, key=lambda line: datetime.fromisoformat(line.timestamp))


def _text(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
