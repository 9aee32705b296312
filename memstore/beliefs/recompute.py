"""What a confidence would be if its evidence were weighed again, as it is now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memstore.model.ids import MemoryRef
from memstore.rules import confidence
from memstore.rules.beliefs import replayed
from memstore.rules.evidence import as_evidence

if TYPE_CHECKING:
    from memstore.model.confidence import LedgerLine
    from memstore.model.memory import Memory
    from memstore.rules.evidence import Load


def rebuilt(memory: Memory, load: Load) -> float:
    """Return the confidence of a memory with a ledger, in [0, 1]; `load` gives the memory that a ref names."""
    return replayed(one for line in memory.confidence_history if (one := _again(line, load)) is not None)


def changed_evidence(memory: Memory, load: Load) -> tuple[str, ...]:
    """Return the evidence that counts and is another now than when it was recorded, or gone; sorted."""
    counts = {witness.source for witness in confidence.witnesses(memory.confidence_history)}
    lines = [line for line in memory.confidence_history if line.evidence_source in counts]
    return tuple(sorted({line.evidence_source or "" for line in lines if _again(line, load) != line}))


def _again(line: LedgerLine, load: Load) -> LedgerLine | None:
    """Return a line as it would be recorded now; None where its evidence is gone."""
    if line.op not in confidence.OUTCOMES or MemoryRef.parse(line.evidence_source or "") is None:
        return line
    source = load(line.evidence_source or "")
    if source is None:
        return None
    now = as_evidence(source, load)
    return replace(line, weight=now.weight, roots=now.roots)
