"""Compute what a memory's numbers would be without a memory or a piece of evidence, or under other assumptions.

Nothing is written. The confidence comes from the ledger with the lines that `contradict`, `reinforce`, `propagate` and
a retraction would add to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memstore.beliefs import ledger, next_lines
from memstore.beliefs.evidence import Evidence
from memstore.beliefs.next_lines import Stance
from memstore.beliefs.propagation import lines_if
from memstore.beliefs.reinforce import evidence_for
from memstore.conflicts.conflict import penalty
from memstore.core.errors import NotFoundError, UsageError
from memstore.core.ids import MemoryRef
from memstore.core.keys import RELIABILITY
from memstore.core.memory import LedgerLine
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.memories.cite import cite_file
from memstore.memories.why import Why, numbers_of, why
from memstore.search.citations import parse_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstore.core.config import QualityProfile
    from memstore.core.conflict import Conflict
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.memories.show import Shown
    from memstore.memories.why import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """A memory's numbers as they are, what they would be, and each assumption in words."""

    why: Why
    numbers: tuple[Number, ...]
    assumed: tuple[str, ...]

    __repr__ = short_repr

    @property
    def would_be(self) -> Why:
        """The memory with the numbers that it would have."""
        return replace(self.why, numbers=self.numbers)


def why_if(
    view: View,
    ref: str,
    *,
    without: Sequence[str] = (),
    assuming: Sequence[str] = (),
    profile: QualityProfile | None = None,
    at: str | None = None,
) -> WhatIf:
    """Return what the numbers of a memory would be, or would have been, under some assumptions.

    >>> held = belief(ws.view(), "Bella limps.", confidence=0.85)
    >>> seen = episode(ws.view(), "A walk", "she limped home")
    >>> found = why_if(ws.view(), held.ref, assuming=[f"+{seen.ref}"])
    >>> found.why.numbers[0].value, found.numbers[0].value
    (0.85, 0.8686)

    Args:
        view: the vault.
        ref: the memory.
        without: what to leave out: each a memory, lines of a file (`notes/x.md:L3-L5`), a source in the ledger, or the
            line number of a ledger entry, as `why` prints it.
        assuming: what to assume: `+` or `-` and any of these for evidence for or against the memory, followed by a
            weight if it is not the weight of the evidence's origin; `REF=NUMBER` for another confidence, of this or any
            other memory. Lines of a memory's file mean the memory.
        profile: how to compute quality; None: according to the vault's settings.
        at: a commit or a date: the numbers of that day.

    Raises:
        NotFoundError: there is no such memory, evidence or line.
        RefusedError: a memory can't be evidence for this one.
        UsageError: an assumption has none of these forms, or the memory has no confidence.
    """
    view = view.at(at, with_clock=True)
    explained = why(view, ref, profile=profile)
    if next_lines.held(explained.shown.memory) is None:
        raise UsageError(f"{ref} has no confidence to change", hint=f"memstore set {ref} confidence=0.7 states one")
    case = _Case(view, explained.shown)
    for text in without:
        case.leave_out(text)
    for text in assuming:
        case.assume(text)
    memory = case.memory()
    return WhatIf(
        why=explained,
        numbers=numbers_of(view, explained.shown, memory, case.conflicts(memory), profile),
        assumed=tuple(case.assumed),
    )


_ADDED = re.compile(r"([+-])\s*(.+?)(?:\s+([\d.]+))?")
_CITED = "file:"  # begins the mark of a file's lines


class _Case:
    """One memory, with the assumptions about it and about others."""

    def __init__(self, view: View, shown: Shown) -> None:
        self._view, self._shown, self._now = view, shown, view.clock.now()
        self._gone: set[str] = set()
        self._sure: dict[str, float] = {}
        self._retracted: list[str] = []
        self._own: float | None = None
        self._added: list[tuple[Stance, str, float | None]] = []
        self.assumed: list[str] = []

    def leave_out(self, text: str) -> None:
        """Assume that a memory or a piece of evidence does not exist."""
        source = self._source_of(text)
        self._retracted.append(source)
        if not text.isdigit():
            self._gone.add(source)
        self.assumed.append(f"without {source}")

    def assume(self, text: str) -> None:
        """Assume a confidence, or more evidence."""
        if found := _ADDED.fullmatch(text.strip()):
            stance = Stance.SUPPORT if found[1] == "+" else Stance.CONTRADICT
            weight = None if found[3] is None else _number(found[3], text)
            source = self._source_of(found[2])
            self._added.append((stance, source, weight))
            by = "" if weight is None else f", weight {weight:g}"
            self.assumed.append(f"with {source} {'for' if found[1] == '+' else 'against'} it{by}")
        elif "=" in text:
            name, _, said = text.rpartition("=")
            number, ref = _number(said.strip(), text), self._ref_of(name.strip())
            if ref == self._shown.entry.ref:
                self._own = number
            else:
                self._sure[ref] = number
            self.assumed.append(f"if {ref} had confidence {number:g}")
        else:
            raise _wrong(text)

    def memory(self) -> Memory:
        """Return the memory as it would be."""
        memory = self._shown.memory
        # A confidence set by hand replaces the result of all earlier evidence.
        old = next_lines.held(memory) or 0.0
        lines = [*memory.confidence_history, *next_lines.brought_up_to_date(memory, old, self._now, self._view.actor)]
        heard = {ledger.counted_as(one.source) for one in ledger.witnesses(lines)}
        for source in self._retracted:
            if ledger.counted_as(source) in heard:
                memory = self._with(memory, [self._retraction(memory, source)])
        if self._sure or self._gone:
            memory = self._with(memory, lines_if(self._view, memory, sure=self._sure, gone=self._gone))
        if self._own is not None:
            memory = self._with(memory, [next_lines.edited(memory, self._own, self._now, self._view.actor)])
        for stance, source, weight in self._added:
            evidence = self._evidence(source)
            evidence = evidence if weight is None else replace(evidence, weight=weight)
            weighed = next_lines.weigh(memory, [evidence], stance, now=self._now, by=self._view.actor, reason=None)
            memory = self._with(memory, weighed.lines)
            self.assumed += [f"{source} is counted already" for source in weighed.counted_before]
        return memory

    def conflicts(self, memory: Memory) -> list[Conflict]:
        """Return the conflicts that would be open, each with its penalty."""
        found = []
        for one in self._shown.conflicts:
            if one.refs[1] in self._gone:
                continue
            stored = self._view.find(one.refs[1]).confidence
            others = self._sure.get(one.refs[1], float(stored) if stored else None)
            takes = penalty(one.conflict_type, memory.confidence, others) if one.penalty else 0.0
            found.append(one._replace(penalty=takes))
        return found

    def _with(self, memory: Memory, lines: Iterable[LedgerLine]) -> Memory:
        history = (*memory.confidence_history, *lines)
        if len(history) == len(memory.confidence_history):
            return memory
        return replace(memory, confidence_history=history, confidence=next_lines.replayed(history))

    def _retraction(self, memory: Memory, source: str) -> LedgerLine:
        at = next_lines.next_time(memory.confidence_history, self._now)
        return LedgerLine(timestamp=instant(at), op="retract", evidence_source=source, by=self._view.actor)

    def _ref_of(self, text: str) -> str:
        entry = self._view.named(text)
        return entry.ref or entry.path

    def _source_of(self, text: str) -> str:
        """Return the name under which evidence counts, from a line number of the ledger, a source, or what is cited."""
        if text.isdigit():
            return self._source_at(int(text))
        return self._source_named(text) or self._source_cited(text)

    def _source_cited(self, text: str) -> str:
        """Return the ref of a memory that is named, or whose lines are; for lines of a plain note, their mark."""
        place = parse_place(text)
        if place.lines is None:
            return self._ref_of(text)
        entry = self._view.named(place.name, notes=True)
        file = self._view.text(entry.path)
        if file is None:
            raise NotFoundError(f"no memory matches `{place.name}`", hint="memstore list shows what there is")
        mark = cite_file(self._view, entry.path, file.data, "{}-{}".format(*place.lines))
        return entry.ref or self._source_named(mark) or mark

    def _evidence(self, source: str) -> Evidence:
        """Return evidence with the weight of its origin; what is no memory has the one that the ledger gives it."""
        weights = {one.source: one.weight for one in ledger.witnesses(self._shown.memory.confidence_history)}
        if source.startswith(_CITED) or (source in weights and MemoryRef.parse(source) is None):
            return Evidence(source=source, weight=weights.get(source, RELIABILITY["unknown"]))
        (evidence,) = evidence_for(self._view, self._shown.file, [source])
        return evidence

    def _source_at(self, number: int) -> str:
        """Return the source of the evidence on a line of the file, numbered as `why` prints it."""
        front, history = self._shown.file.front, self._shown.memory.confidence_history
        at = {front.position("confidence_history", place).line: line for place, line in enumerate(history)}
        line = at.get(number)
        if line is None or line.op not in ledger.OUTCOMES:
            has = ", ".join(str(where) for where, one in sorted(at.items()) if one.op in ledger.OUTCOMES) or "none"
            raise NotFoundError(
                f"no evidence stands on line {number} of {self._shown.entry.path}", hint=f"lines with evidence: {has}"
            )
        return ledger.source_of(line)

    def _source_named(self, text: str) -> str | None:
        """Return the ledger source that a text names, whole or by its beginning; None unless exactly one matches."""
        sources = {one.source for one in ledger.witnesses(self._shown.memory.confidence_history)}
        found = [one for one in sources if one == text or ledger.counted_as(one) == ledger.counted_as(text)]
        found = found or [one for one in sources if one.partition(":")[2].startswith(text) or one.startswith(text)]
        return found[0] if len(found) == 1 else None


def _number(text: str, whole: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise _wrong(whole) from None
    if not 0 <= number <= 1:
        raise UsageError(f"{text} in `{whole}` is not between 0 and 1", hint="a confidence or a weight is from 0 to 1")
    return number


def _wrong(text: str) -> UsageError:
    return UsageError(
        f"`{text}` is no assumption",
        hint='REF=0.4 sets a confidence; +REF and -REF add evidence, "+notes/x.md:L3 0.8" with a weight',
    )
