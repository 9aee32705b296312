"""Propagation: what a change of how sure one is of a source does to what rests on it.

Evidence counts as much less as its source is held less surely than when it was used, and not at all once that is gone.
What a memory was made of (`derived_from`) caps what was merely stated of it; a number set by hand is a decision of its
own, and stands. A plan is pure; applied, and only when that is asked for, it is lines `propagate` in ledgers, which a
source that recovers changes back.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs import ledger
from memstore.beliefs.next_lines import brought_up_to_date, held, next_time, replayed
from memstore.beliefs.reinforce import with_lines
from memstore.core.errors import UsageError
from memstore.core.ids import MemoryRef
from memstore.core.memory import LedgerLine
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.transaction import again_where_changed, save_all
from memstore.lineage.graph import knots

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.core.change import Saved
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile


class Consequence(NamedTuple):
    """What a source does to what rests on it: its evidence's factor, or the cap on what is stated; in [0, 1]."""

    source: str
    factor: float | None = None
    cap: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PropagationStep:
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

    steps: tuple[PropagationStep, ...]
    cycles: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefStore:
    """What a plan needs to know of memories, by ref.

    `memories` may rest on others; `sure` says how sure one is of those that don't, None where nothing is stated;
    `gone` were forgotten, or are not there. What is in none of them changes nothing.
    """

    memories: Mapping[str, Memory]
    sure: Mapping[str, float | None]
    gone: Collection[str] = ()


def plan_propagation(
    vault: BeliefStore, *, now: datetime, by: str, changed: str | None = None, max_depth: int | None = None
) -> Plan:
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
    steps: dict[str, PropagationStep] = {}
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

    def on(self, ref: str, memory: Memory, *, now: datetime, by: str) -> PropagationStep | None:
        """Return what becomes of a memory; None where its number stays."""
        old = held(memory)
        if old is None:
            return None
        before = [*memory.confidence_history, *brought_up_to_date(memory, old, now, by)]
        effects = [*self._on_evidence(before), *self._on_statement(memory, before)]
        after = _with(before, effects, old, now, by)
        new = replayed(after)
        if not effects or new == ledger.rounded(old):
            return None
        because = {one.source for one in effects if one.source} - {*self.circle}
        return PropagationStep(
            ref=ref,
            old=old,
            new=new,
            because=tuple(sorted(because or {one.source for one in effects if one.source})),
            lines=tuple(after[len(memory.confidence_history) :]),
        )

    def _on_evidence(self, history: Sequence[LedgerLine]) -> Iterator[Consequence]:
        """Yield the evidence that counts for more or less than it does so far."""
        for witness in ledger.witnesses(history):
            factor = self._factor(witness)
            if factor is not None and factor != witness.factor:
                yield Consequence(witness.source, factor=factor)

    def _factor(self, witness: ledger.LedgerWitness) -> float | None:
        """Return what of a witness's weight counts, in [0, 1]; None where nothing is known of it."""
        if witness.source in self.gone or witness.source in self.circle:
            return 0.0
        if witness.source not in self.sure:
            return None
        held_now = self.sure[witness.source]
        if held_now is None or not witness.used:
            return 1.0
        return ledger.rounded(min(1.0, held_now / witness.used))

    def _on_statement(self, memory: Memory, history: Sequence[LedgerLine]) -> Iterator[Consequence]:
        """Yield the premises that cap what is stated, or did and do no longer."""
        stated = ledger.stated(history)
        if stated is None or stated.op != "assert":
            return
        premises = {ref: self.sure.get(ref) for ref in _premises(memory) if ref not in self.circle}
        known = {ref: number for ref, number in premises.items() if number is not None}
        least = min(known.values(), default=1.0)
        if min(least, stated.confidence) != min(1.0 if stated.cap is None else stated.cap, stated.confidence):
            binding = [ref for ref, number in known.items() if number == least]
            yield from (Consequence(ref, cap=ledger.rounded(least)) for ref in binding or [""])


def _with(
    history: Sequence[LedgerLine], effects: Iterable[Consequence], old: float, now: datetime, by: str
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


_REASON = {False: "The confidence of its source changed", True: "The confidence of what it was derived from changed"}


# -- what rests on what --------------------------------------------------------------------------


def sources(memory: Memory) -> tuple[str, ...]:
    """Return what a memory rests on: its evidence, and what it was made of."""
    named = [witness.source for witness in ledger.witnesses(memory.confidence_history)]
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


# -- the use case ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Propagated:
    """The plan, the path of the file of each of its memories, and what was or would be written, in the plan's order."""

    plan: Plan
    paths: dict[str, str]
    saved: tuple[Saved, ...]

    __repr__ = short_repr


@again_where_changed
def propagate(
    view: View,
    ref: str | None = None,
    *,
    depth: int | None = None,
    apply: bool = False,
    dry_run: bool = False,
    commit: bool = False,
) -> Propagated:
    """Return what the confidence of sources does to what rests on them; write it only with `apply`.

    >>> first = belief(ws.view(), "The vet is always right.", confidence=0.9)
    >>> held = belief(ws.view(), "Bella is healthy.", confidence=0.9, derived_from=[first.ref])
    >>> set_keys(ws.view(), first.ref, {"confidence": ["0.4"]}).changed
    True
    >>> [(step.old, step.new) for step in propagate(ws.view(), first.ref).plan.steps]
    [(0.9, 0.4)]

    Args:
        view: the vault.
        ref: the memory to begin with; None for all.
        depth: how many links to follow from there at most; None for all.
        apply: write the plan.
        dry_run: write nothing even so, and return what would be.
        commit: commit what was written, too.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: there is a depth, and nothing to count it from.
    """
    if depth is not None and ref is None:
        raise UsageError(
            "--depth counts links from a memory, and no memory is named", hint="memstore propagate REF --depth"
        )
    changed = None if ref is None else view.find(ref).ref or ""
    files = {str(file.memory.ref): file for file in _resting(view)}
    vault = _vault(view, {ref: file.memory for ref, file in files.items()})
    plan = plan_propagation(vault, now=view.clock.now(), by=view.actor, changed=changed, max_depth=depth)
    edits = [with_lines(files[step.ref], step.new, step.lines) for step in plan.steps]
    saved = save_all(view, edits, verb="propagate", dry_run=dry_run or not apply, commit=commit and apply)
    return Propagated(plan=plan, paths={step.ref: files[step.ref].path for step in plan.steps}, saved=saved)


def _resting(view: View) -> Iterable[MemoryFile]:
    """Yield the files of the actor's active memories that may rest on others; only those are read."""
    names = ("path", "status", "id", "evidence", "derived_from")
    paths, statuses, ids, evidence, derived = (view.column(name) for name in names)
    for row in view.rows:
        if statuses[row] in ("", "active") and ids[row] and (evidence[row] or derived[row]):
            file = view.read(paths[row])
            if file and view.owns(file.memory) and file.memory.ref and held(file.memory) is not None:
                yield file


def lines_if(view: View, memory: Memory, *, sure: Mapping[str, float], gone: Collection[str]) -> tuple[LedgerLine, ...]:
    """Return the lines that propagation would add to a memory's ledger if others were otherwise; nothing is written.

    Args:
        view: the vault.
        memory: the memory; it need not be the actor's.
        sure: how sure one would be of other memories, in [0, 1], by ref.
        gone: the refs of those that would not be there.
    """
    ref = str(memory.ref)
    vault = _vault(view, {**{str(file.memory.ref): file.memory for file in _resting(view)}, ref: memory})
    memories = {name: one for name, one in vault.memories.items() if name not in sure and name not in gone}
    known = {name: number for name, number in {**vault.sure, **sure}.items() if name not in gone}
    store = BeliefStore(memories=memories, sure=known, gone={*vault.gone, *gone})
    plan = plan_propagation(store, now=view.clock.now(), by=view.actor)
    return next((step.lines for step in plan.steps if step.ref == ref), ())


def _vault(view: View, memories: Mapping[str, Memory]) -> BeliefStore:
    """Return what is known of memories and of all that they name."""
    named = {ref for memory in memories.values() for ref in sources(memory)} - memories.keys()
    visible = frozenset(view.rows)
    sure: dict[str, float | None] = {}
    gone = set()
    for text in named:
        ref = MemoryRef.parse(text)
        rows = view.rows_of_id(ref.id) if ref else ()
        entry = next((view.entry(row) for row in rows if row in visible), None)
        if entry is None:
            # A file that can't be read at the moment may be the one that is missing; hidden ones are none of others'.
            gone |= {text} if view.is_owners and not rows and not view.broken else set()
        elif entry.status == "forgotten":
            gone.add(text)
        else:
            sure[text] = float(entry.confidence) if entry.confidence else None
    return BeliefStore(memories=memories, sure=sure, gone=gone)
