"""Propagation: the effect of a change in a source's confidence on the memories that rest on it.

The weight of evidence shrinks in proportion as its source's confidence drops below its value when it was used, and is 0
once the source is gone. The memories that a memory was derived from (`derived_from`) cap a confidence that was merely
stated; a number set by hand is a separate decision, and stays. What is gone makes nothing surer: evidence that spoke
against a memory still counts, and the cap of a premise stays. A plan is pure. It is applied only on request, as
`propagate` lines in ledgers, which are reversed if the source recovers.
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
from memstore.core.keys import QUARANTINED
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
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile


class Consequence(NamedTuple):
    """The effect of a source: a factor for its evidence, or a cap on a stated confidence; both in [0, 1]."""

    source: str
    factor: float | None = None
    cap: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PropagationStep:
    """The change to one memory.

    `old` and `new` are in [0, 1]; `because` are the sources that changed, sorted; `lines` are added to the ledger;
    `depth` is the distance, in links, from where the change began.
    """

    ref: str
    old: float
    new: float
    because: tuple[str, ...]
    lines: tuple[LedgerLine, ...]
    depth: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The changes to memories, sources first; and the circles, within which no memory supports another."""

    steps: tuple[PropagationStep, ...]
    cycles: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefStore:
    """What a plan needs to know about memories, by ref.

    `memories` may rest on others; `sure` has the confidence of those that don't, None if none is stated; `gone` were
    forgotten, or don't exist; `set_aside` count for nothing, for or against: they are quarantined, or assumed away. A
    ref that is in none of them has no effect.
    """

    memories: Mapping[str, Memory]
    sure: Mapping[str, float | None]
    gone: Collection[str] = ()
    set_aside: Collection[str] = ()


def plan_propagation(
    vault: BeliefStore, *, now: datetime, by: str, changed: Collection[str] | None = None, max_depth: int | None = None
) -> Plan:
    """Return the plan for a change of confidence, over any number of links.

    Args:
        vault: the known memories.
        now: UTC.
        by: the entity that records it.
        changed: the memories to start from; None for all.
        max_depth: the maximum number of links to follow from there; None for no limit.
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
        # Members of a circle don't see each other's new numbers: their links have no effect.
        effects = _Effects(sure, vault.gone, vault.set_aside, circle)
        found = {ref: effects.on(ref, vault.memories[ref], now=now, by=by) for ref in sorted(knot & away.keys())}
        for step in filter(None, found.values()):
            nearest = min((steps[source].depth for source in step.because if source in steps), default=0)
            steps[step.ref] = replace(step, depth=away[step.ref] or nearest + 1)
            sure[step.ref] = step.new
    return Plan(steps=tuple(steps.values()), cycles=tuple(sorted(cycles)))


@dataclass(frozen=True, slots=True)
class _Effects:
    """The effects of sources that are settled: their confidences now, which are gone or set aside, and a circle."""

    sure: Mapping[str, float | None]
    gone: Collection[str]
    set_aside: Collection[str]
    circle: Collection[str]

    def on(self, ref: str, memory: Memory, *, now: datetime, by: str) -> PropagationStep | None:
        """Return the change to a memory; None if its confidence stays the same."""
        old = held(memory)
        if old is None:
            return None
        before = [*memory.confidence_history, *brought_up_to_date(memory, old, now, by)]
        effects = [*self._on_evidence(before, old), *self._on_statement(memory, before)]
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

    def _on_evidence(self, history: Sequence[LedgerLine], old: float) -> Iterator[Consequence]:
        """Yield the effects on evidence whose factor changes."""
        for witness in ledger.witnesses(history):
            if witness.source in self.gone and witness.outcome < old:
                continue  # without it, the memory would be surer
            factor = self._factor(witness)
            if factor is not None and factor != witness.factor:
                yield Consequence(witness.source, factor=factor)

    def _factor(self, witness: ledger.LedgerWitness) -> float | None:
        """Return the fraction of a witness's weight that counts, in [0, 1]; None if its source is unknown."""
        if any(witness.source in out for out in (self.gone, self.set_aside, self.circle)):
            return 0.0
        if witness.source not in self.sure:
            return None
        held_now = self.sure[witness.source]
        if held_now is None or not witness.used:
            return 1.0
        return ledger.rounded(min(1.0, held_now / witness.used))

    def _on_statement(self, memory: Memory, history: Sequence[LedgerLine]) -> Iterator[Consequence]:
        """Yield the premises that cap a stated confidence, or that no longer do."""
        stated = ledger.stated(history)
        if stated is None or stated.op != "assert":
            return
        premises = {ref: self.sure.get(ref) for ref in premises_of(memory) if ref not in self.circle}
        known = {ref: number for ref, number in premises.items() if number is not None}
        known |= {ref: cap for ref, cap in caps_of(history).items() if ref in self.gone and ref not in known}
        least = min(known.values(), default=1.0)
        if min(least, stated.confidence) != min(1.0 if stated.cap is None else stated.cap, stated.confidence):
            binding = [ref for ref, number in known.items() if number == least]
            yield from (Consequence(ref, cap=ledger.rounded(least)) for ref in binding or [""])


def _with(
    history: Sequence[LedgerLine], effects: Iterable[Consequence], old: float, now: datetime, by: str
) -> list[LedgerLine]:
    """Return a ledger with a line for each effect; premises with the same confidence share one line for their cap."""
    lines = list(history)
    caps: set[float] = set()
    current, at = old, instant(next_time(history, now))
    for effect in effects:
        if effect.cap in caps:
            continue
        if effect.cap is not None:
            caps.add(effect.cap)
        line = LedgerLine(
            timestamp=at,
            op="propagate",
            old=current,
            evidence_source=effect.source or None,
            reason=_REASON[effect.factor is None],
            by=by,
            factor=effect.factor,
            cap=effect.cap,
        )
        current = replayed([*lines, line])
        lines.append(line._replace(new=current))
    return lines


_REASON = {False: "The confidence of its source changed", True: "The confidence of what it was derived from changed"}


# -- what rests on what --------------------------------------------------------------------------


def sources(memory: Memory) -> tuple[str, ...]:
    """Return the refs that a memory rests on: its evidence, what it was derived from, and what caps its confidence."""
    named = [witness.source for witness in ledger.witnesses(memory.confidence_history)]
    named += caps_of(memory.confidence_history)
    return tuple(dict.fromkeys([*(source for source in named if MemoryRef.parse(source)), *premises_of(memory)]))


def caps_of(history: Sequence[LedgerLine]) -> dict[str, float]:
    """Return the last cap of each source since the latest statement."""
    _, after = ledger.since_statement(history)
    return {line.evidence_source: line.cap for line in after if line.cap is not None and line.evidence_source}


def premises_of(memory: Memory) -> list[str]:
    """Return the refs that a memory was derived from, except those that it superseded."""
    return [ref for ref in memory.derived_from if MemoryRef.parse(ref) and ref not in memory.supersedes]


def _resting_on(starts: Collection[str], sources: Mapping[str, Iterable[str]], depth: int | None) -> dict[str, int]:
    """Return everything that rests on some memories within `depth` links, each with its shortest distance in links."""
    resting: dict[str, list[str]] = defaultdict(list)
    for ref, named in sources.items():
        for source in named:
            resting[source].append(ref)
    found: dict[str, int] = {}
    level, away = sorted(starts), 0
    while level and away != depth:
        away += 1
        level = list(dict.fromkeys(ref for source in level for ref in resting[source] if ref not in found))
        found.update(dict.fromkeys(level, away))
    return found


# -- the use case ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Propagated:
    """The plan, the path of each memory's file, and what was or would be written, in the plan's order."""

    plan: Plan
    paths: dict[str, str]
    saved: tuple[Saved, ...]

    __repr__ = short_repr


@again_where_changed
def propagate(
    view: View,
    memory: Named | None = None,
    *,
    depth: int | None = None,
    apply: bool = False,
    dry_run: bool = False,
    commit: bool = False,
) -> Propagated:
    """Return the effect of sources' confidences on the memories that rest on them; write it only with `apply`.

    >>> first = belief(ws.view(), "The vet is always right.", confidence=0.9)
    >>> held = belief(ws.view(), "Bella is healthy.", confidence=0.9, derived_from=[first.ref])
    >>> set_keys(ws.view(), first.ref, {"confidence": ["0.4"]}).changed
    True
    >>> [(step.old, step.new) for step in propagate(ws.view(), first.ref).plan.steps]
    [(0.9, 0.4)]

    Args:
        view: the vault.
        memory: the memory to start from; None for all.
        depth: the maximum number of links to follow from there; None for no limit.
        apply: write the plan.
        dry_run: write nothing even with `apply`; return what would be written.
        commit: also commit what was written.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: a depth is given without a ref to count it from.
    """
    if depth is not None and memory is None:
        raise UsageError(
            "--depth counts links from a memory, and no memory is named", hint="memstore beliefs propagate REF --depth"
        )
    changed = None if memory is None else [view.find(memory).ref or ""]
    files = {str(file.memory.ref): file for file in resting(view)}
    vault = store_of(view, {memory: file.memory for memory, file in files.items()})
    plan = plan_propagation(vault, now=view.clock.now(), by=view.actor, changed=changed, max_depth=depth)
    steps = view.with_progress("changing memories", plan.steps)
    edits = [with_lines(files[step.ref], step.new, step.lines) for step in steps]
    saved = save_all(view, edits, verb="propagate", dry_run=dry_run or not apply, commit=commit and apply)
    return Propagated(plan=plan, paths={step.ref: files[step.ref].path for step in plan.steps}, saved=saved)


def resting(view: View) -> Iterable[MemoryFile]:
    """Yield the files of the actor's active memories that may rest on others; other files are not read."""
    names = ("path", "status", "id", "evidence", "derived_from")
    paths, statuses, ids, evidence, derived = (view.column(name) for name in names)
    for row in view.rows:
        if statuses[row] in ("", "active") and ids[row] and (evidence[row] or derived[row]):
            file = view.read(paths[row])
            if file and view.owns(file.memory) and file.memory.ref and held(file.memory) is not None:
                yield file


def lines_if(view: View, memory: Memory, *, sure: Mapping[str, float], gone: Collection[str]) -> tuple[LedgerLine, ...]:
    """Return the lines that propagation would add to a memory's ledger in a hypothetical case; write nothing.

    Args:
        view: the vault.
        memory: the memory; it need not be the actor's.
        sure: the assumed confidences of other memories, in [0, 1], by ref.
        gone: the refs of memories that are assumed not to exist.
    """
    ref = str(memory.ref)
    vault = store_of(view, {**{str(file.memory.ref): file.memory for file in resting(view)}, ref: memory})
    memories = {name: one for name, one in vault.memories.items() if name not in sure and name not in gone}
    known = {name: number for name, number in {**vault.sure, **sure}.items() if name not in gone}
    store = replace(vault, memories=memories, sure=known, set_aside={*vault.set_aside, *gone})
    plan = plan_propagation(store, now=view.clock.now(), by=view.actor)
    return next((step.lines for step in plan.steps if step.ref == ref), ())


def store_of(view: View, memories: Mapping[str, Memory]) -> BeliefStore:
    """Return what is known about memories and everything that they name."""
    named = {ref for memory in memories.values() for ref in sources(memory)} - memories.keys()
    visible = frozenset(view.rows)
    sure: dict[str, float | None] = {}
    gone, set_aside = set(), set()
    for text in named:
        ref = MemoryRef.parse(text)
        rows = view.rows_of_id(ref.id) if ref else ()
        entry = next((view.entry(row) for row in rows if row in visible), None)
        if entry is None:
            # A broken file may be the missing memory, and anybody but the owner may not be told what is hidden.
            gone |= {text} if view.is_owners and not rows and not view.broken else set()
        elif entry.status == "forgotten":
            gone.add(text)
        elif entry.status == QUARANTINED:
            set_aside.add(text)
        else:
            sure[text] = float(entry.confidence) if entry.confidence else None
    return BeliefStore(memories=memories, sure=sure, gone=gone, set_aside=set_aside)
