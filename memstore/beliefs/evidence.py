"""Evidence: what supports or contradicts a memory, and the independent roots that it rests on."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memstore.beliefs.ledger import by_time, counted_as, rounded, witnesses
from memstore.core.ids import MemoryRef
from memstore.core.keys import EXTERNAL, QUARANTINED, RELIABILITY
from memstore.core.memory import STACK_MARK
from memstore.core.times import instant
from memstore.files.shapes import is_day

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memstore.core.memory import LedgerLine, Memory

    Load = Callable[[str], Memory | None]
    Vouched = Callable[[Memory], bool]

# A run of consolidation as evidence: it has no weight itself, unlike the memories that it names.
_CONSOLIDATION = re.compile(r"consolidation:(\d{4}-\d{2}-\d{2})")
_SUPPORTING = frozenset({"support", "partial"})
# The mark of an echo: its session has not observed anything itself.
RECALLED = "context:recalled"
# The operations in a ledger by which a source says something or retracts it; the latest one counts.
SPOKEN = frozenset({*_SUPPORTING, "contradict", "retract"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A piece of evidence: its ref or mark, its weight (0 or more), its independent roots, and its own confidence.

    `at` is when it arose, RFC 3339 in UTC; None if unknown.
    """

    source: str
    weight: float
    roots: tuple[str, ...] = ()
    confidence: float | None = None
    at: str | None = None

    def happened_before(self, recorded: datetime) -> str | None:
        """Return when it arose if that was at least a day before it is recorded: less makes no difference."""
        if self.at is None or recorded - datetime.fromisoformat(self.at) < timedelta(days=1):
            return None
        return self.at


def mark_as_evidence(text: str) -> Evidence | None:
    """Return a mark `consolidation:YYYY-MM-DD` as evidence with weight 0; None for any other text."""
    found = _CONSOLIDATION.fullmatch(text)
    return Evidence(source=text, weight=0.0) if found and is_day(found[1]) else None


def as_evidence(memory: Memory, load: Load) -> Evidence:
    """Return a memory as evidence.

    Args:
        memory: a memory with an id.
        load: returns the memory that a ref names; None if it doesn't exist or may not be seen.
    """
    return Evidence(
        source=str(memory.ref),
        weight=RELIABILITY[memory.source_type or "unknown"],
        roots=roots(memory, load),
        confidence=memory.confidence,
        at=memory.created_at,
    )


def hearsay(memory: Memory, load: Load, vouched: Vouched) -> tuple[str, ...]:
    """Return the external or quarantined memories that keep a memory from being evidence; sorted, empty if none does.

    A memory is no stronger than the weakest that it was derived from (docs/adr/0038). Vouching for it, or for the
    external memory, makes it evidence.

    Args:
        memory: a memory with an id.
        load: returns the memory that a ref names; None if it doesn't exist or may not be seen.
        vouched: whether somebody vouches for a memory who may.
    """

    def sources(one: Memory) -> Iterable[str]:
        return () if vouched(one) else (ref for ref in one.derived_from if MemoryRef.parse(ref))

    found: set[str] = set()
    for one in _closure(memory, load, sources):
        if one.status == QUARANTINED or (one.source_type == EXTERNAL and not vouched(one)):
            found.add(str(one.ref))
        marks = {ref for ref in one.derived_from if ref.startswith(STACK_MARK)}
        if marks and not vouched(one):
            found |= marks
    return tuple(sorted(found))


def against(memory: Memory) -> list[Evidence]:
    """Return the evidence that counts against a memory, earliest first, with its weight in the memory's ledger."""
    return [
        Evidence(
            source=one.source,
            weight=rounded(one.weight * one.factor),
            roots=one.roots,
            confidence=None if one.used is None else rounded(one.used * one.factor),
            at=instant(one.happened),
        )
        for one in witnesses(memory.confidence_history)
        if one.outcome == 0 and one.factor > 0 and (MemoryRef.parse(one.source) or mark_as_evidence(one.source))
    ]


def roots(memory: Memory, load: Load) -> tuple[str, ...]:
    """Return the independent roots of a memory, sorted: sessions if they are recorded, else memories.

    A memory derived from another one has the roots of that one, and a belief has the roots of everything it rests on:
    writing something down again does not create a second witness, and an exact copy has the roots of the first one.
    """
    found: set[str] = set()
    for known in _closure(memory, load, lambda one: () if _is_root(one) else grounds(one)):
        found.update(_own_roots(known, load))
    return tuple(sorted(found or {_root(memory)}))


def rests_on(memory: Memory, ref: str, load: Load) -> bool:
    """Whether a memory was derived from `ref`, or is believed because of it, over any number of links."""
    return any(str(known.ref) == ref for known in _closure(memory, load, grounds))


def _closure(start: Memory, load: Load, following: Callable[[Memory], Iterable[str]]) -> list[Memory]:
    """Return a memory and everything reachable from it by refs, nearest first; terminates on any graph."""
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
    """Whether a memory is a first-hand record of a session; beliefs and recalled texts never are."""
    return memory.type != "belief" and _session(memory) is not None and RECALLED not in memory.derived_from


def grounds(memory: Memory) -> list[str]:
    """Return the refs that a memory was derived from; for a belief, also those that support it."""
    named = [*memory.derived_from, memory.copy_of or ""]
    if memory.type == "belief":
        named += [
            *memory.relates_to,
            *(line.evidence_source or "" for line in _supporting_lines(memory)),
            *_folded(memory),
        ]
    return [ref for ref in named if MemoryRef.parse(ref)]


def _supporting_lines(memory: Memory) -> list[LedgerLine]:
    """Return the supporting lines of a ledger: of each source the latest line, if it supports."""
    latest = {
        counted_as(line.evidence_source or ""): line for line in by_time(memory.confidence_history) if line.op in SPOKEN
    }
    return [line for line in latest.values() if line.op in _SUPPORTING]


def _folded(memory: Memory) -> list[str]:
    """Return the refs and roots that are counted in a belief's checkpoints, for it or against it."""
    return [name for line in memory.confidence_history for name in line.counted] if memory.type == "belief" else []


def _own_roots(memory: Memory, load: Load) -> set[str]:
    """Return a memory's own roots; none if the memories that it was derived from have them."""
    if _is_root(memory):
        return {_root(memory)}
    lost = [
        line
        for line in _supporting_lines(memory)
        if memory.type == "belief" and load(line.evidence_source or "") is None
    ]
    own = {root for line in lost for root in line.roots}
    folded = _folded(memory)
    if any(MemoryRef.parse(name) and load(name) is None for name in folded):
        own.update(name for name in folded if MemoryRef.parse(name) is None)
    others = [ref for ref in grounds(memory) if load(ref) is not None]
    return own if own or others else {_root(memory)}


def _root(memory: Memory) -> str:
    session = _session(memory)
    return f"session:{session}" if session else str(memory.ref)


def _session(memory: Memory) -> str | None:
    return memory.origin.session_id if memory.origin else None
