"""Propagation: what a change of how sure one is of a source does to what rests on it.

Evidence counts as much less as its source is held less surely than when it was used, and not at all once that is gone.
What a memory was made of (`derived_from`) caps what was merely stated of it; a number set by hand is a decision of its
own, and stands. A plan is pure; applied, it is lines `propagate`, which a source that recovers changes back.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from memstore.model.confidence import LedgerLine
from memstore.model.ids import MemoryRef
from memstore.model.instants import instant
from memstore.rules import confidence
from memstore.rules.beliefs import brought_up_to_date, held, next_time, replayed
from memstore.rules.lineage import knots

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.model.memory import Memory


class Effect(NamedTuple):
    """What a source does to what rests on it: its evidence's factor, or the cap on what is stated; in [0, 1]."""

    source: str
    factor: float | None = None
    cap: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What becomes of one memory.

    `old` and `new` are in [0, 1]; `because` are the sources that changed, sorted; `lines` are what the ledger gains;
    `depth` is how many links away that began.
    """

    ref: str
    old: float
    new: float
    because: tuple[str, ...]
    lines: tuple[LedgerLine, ...]
    depth: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What becomes of memories, sources first; and the circles, in which no memory supports another."""

    steps: tuple[Step, ...]
    cycles: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vault:
    """What a plan needs to know of memories, by ref.

    `memories` may rest on others; `sure` says how sure one is of those that don't, None where nothing is stated;
    `gone` were forgotten, or are not there. What is in none of them changes nothing.
    """

    memories: Mapping[str, Memory]
    sure: Mapping[str, float | None]
    gone: Collection[str] = ()


def plan(vault: Vault, *, now: datetime, by: str, changed: str | None = None, max_depth: int | None = None) -> Plan:
    """Return what a change of confidence does, over any number of links.

    Args:
        vault: what is known.
        now: UTC.
        by: the entity that records it.
        changed: the memory to begin with; None for all.
        max_depth: how many links to follow from there at most; None for all.
    """
    above = {ref: sources(vault.memories[ref]) for ref in sorted(vault.memories)}
    away = dict.fromkeys(vault.memories, 0) if changed is None else _resting_on(changed, above, max_depth)
    sure = {**vault.sure, **{ref: held(memory) for ref, memory in vault.memories.items()}}
    steps: dict[str, Step] = {}
    cycles = []
    for knot in knots(above):
        is_circle = len(knot) > 1 or any(ref in above.get(ref, ()) for ref in knot)
        circle = knot if is_circle else frozenset[str]()
        if circle & away.keys():
            cycles.append(tuple(sorted(circle)))
        # Members of a circle don't see each other's new numbers: their links count for nothing.
        effects = _Effects(sure, vault.gone, circle)
        found = {ref: effects.on(ref, vault.memories[ref], now=now, by=by) for ref in sorted(knot & away.keys())}
        for step in filter(None, found.values()):
            nearest = min((steps[source].depth for source in step.because if source in steps), default=0)
            steps[step.ref] = replace(step, depth=away[step.ref] or nearest + 1)
            sure[step.ref] = step.new
    return Plan(steps=tuple(steps.values()), cycles=tuple(sorted(cycles)))


@dataclass(frozen=True, slots=True)
class _Effects:
    """What settled sources do: how sure one is of them now, which are gone, and which are in a circle with them."""

    sure: Mapping[str, float | None]
    gone: Collection[str]
    circle: Collection[str]

    def on(self, ref: str, memory: Memory, *, now: datetime, by: str) -> Step | None:
        """Return what becomes of a memory; None where its number stays."""
        old = held(memory)
        if old is None:
            return None
        before = [*memory.confidence_history, *brought_up_to_date(memory, old, now, by)]
        effects = [*self._on_evidence(before), *self._on_statement(memory, before)]
        after = _with(before, effects, old, now, by)
        new = replayed(after)
        if not effects or new == confidence.rounded(old):
            return None
        because = {one.source for one in effects if one.source} - {*self.circle}
        return Step(
            ref=ref,
            old=old,
            new=new,
            because=tuple(sorted(because or {one.source for one in effects if one.source})),
            lines=tuple(after[len(memory.confidence_history) :]),
        )

    def _on_evidence(self, history: Sequence[LedgerLine]) -> Iterator[Effect]:
        """Yield the evidence that counts for more or less than it does so far."""
        for witness in confidence.witnesses(history):
            factor = self._factor(witness)
            if factor is not None and factor != witness.factor:
                yield Effect(witness.source, factor=factor)

    def _factor(self, witness: confidence.Witness) -> float | None:
        """Return what of a witness's weight counts, in [0, 1]; None where nothing is known of it."""
        if witness.source in self.gone or witness.source in self.circle:
            return 0.0
        if witness.source not in self.sure:
            return None
        held_now = self.sure[witness.source]
        if held_now is None or not witness.used:
            return 1.0
        return confidence.rounded(min(1.0, held_now / witness.used))

    def _on_statement(self, memory: Memory, history: Sequence[LedgerLine]) -> Iterator[Effect]:
        """Yield the premises that cap what is stated, or did and do no longer."""
        stated = confidence.stated(history)
        if stated is None or stated.op != "assert":
            return
        premises = {ref: self.sure.get(ref) for ref in _premises(memory) if ref not in self.circle}
        known = {ref: number for ref, number in premises.items() if number is not None}
        least = min(known.values(), default=1.0)
        if min(least, stated.confidence) != min(1.0 if stated.cap is None else stated.cap, stated.confidence):
            binding = [ref for ref, number in known.items() if number == least]
            yield from (Effect(ref, cap=confidence.rounded(least)) for ref in binding or [""])


def _with(
    history: Sequence[LedgerLine], effects: Iterable[Effect], old: float, now: datetime, by: str
) -> list[LedgerLine]:
    """Return a ledger with the lines of effects, one each; premises that are held alike cap together, on one line."""
    lines = list(history)
    caps: set[float] = set()
    current = old
    for effect in effects:
        if effect.cap in caps:
            continue
        if effect.cap is not None:
            caps.add(effect.cap)
        line = LedgerLine(
            timestamp=instant(next_time(lines, now)),
            op="propagate",
            old=current,
            evidence_source=effect.source or None,
            reason=_REASON[effect.factor is None],
            by=by,
            factor=effect.factor,
            cap=effect.cap,
        )
        current = replayed([*lines, line])
        lines.append(replace(line, new=current))
    return lines


_REASON = {False: "How sure its source is changed", True: "How sure what it was made of is changed"}


# -- what rests on what --------------------------------------------------------------------------


def sources(memory: Memory) -> tuple[str, ...]:
    """Return what a memory rests on: its evidence, and what it was made of."""
    named = [witness.source for witness in confidence.witnesses(memory.confidence_history)]
    return tuple(dict.fromkeys([*(source for source in named if MemoryRef.parse(source)), *_premises(memory)]))


def _premises(memory: Memory) -> list[str]:
    """Return the refs that a memory was made of; what it superseded carries nothing."""
    return [ref for ref in memory.derived_from if MemoryRef.parse(ref) and ref not in memory.supersedes]


def _resting_on(start: str, sources: Mapping[str, Iterable[str]], depth: int | None) -> dict[str, int]:
    """Return all that rests on a memory, over so many links at most, and over how many at least each does."""
    resting: dict[str, list[str]] = defaultdict(list)
    for ref, named in sources.items():
        for source in named:
            resting[source].append(ref)
    found: dict[str, int] = {}
    level, away = [start], 0
    while level and away != depth:
        away += 1
        level = list(dict.fromkeys(ref for source in level for ref in resting[source] if ref not in found))
        found.update(dict.fromkeys(level, away))
    return found
