"""What a suggestion of a new belief says of how sure one may be: computed from the evidence, and from nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs.evidence import as_evidence
from memstore.beliefs.next_lines import next_time, replayed
from memstore.core.memory import LedgerLine
from memstore.core.times import instant

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memstore.beliefs.consolidation import ConsolidationProposal
    from memstore.beliefs.evidence import Evidence, Load

REASON = "Consolidated"
CAPPED = "Capped by its sources"


class Ground(NamedTuple):
    """How sure one may be, in [0, 1], and the ledger that it follows from."""

    confidence: float
    ledger: tuple[LedgerLine, ...]


def ground_of(proposal: ConsolidationProposal, load: Load, *, now: datetime, by: str) -> Ground:
    """Return how sure one may be of a new belief: what its evidence amounts to, never more than a source is held with.

    Args:
        proposal: a creation.
        load: gives the memory that a ref names.
        now: UTC.
        by: the entity that records it.
    """
    lines: list[LedgerLine] = []
    for op, members in (("support", proposal.members), ("contradict", proposal.against)):
        for member in members:
            lines.append(_line(op, as_evidence(member.memory, load), lines, now=now, by=by))
    amounts_to = replayed(lines)
    least = min(
        (member.memory.confidence for member in proposal.members if member.memory.confidence is not None), default=1.0
    )
    if amounts_to <= least:
        return Ground(amounts_to, tuple(lines))
    capped = LedgerLine(timestamp=instant(now), op="assert", new=least, reason=CAPPED, by=by)
    return Ground(least, (capped,))


def _line(op: str, evidence: Evidence, before: Sequence[LedgerLine], *, now: datetime, by: str) -> LedgerLine:
    line = LedgerLine(
        timestamp=instant(next_time(before, now)),
        op=op,
        old=replayed(before) if before else None,
        evidence_source=evidence.source,
        weight=evidence.weight,
        roots=evidence.roots,
        reason=REASON,
        by=by,
        source_confidence=evidence.confidence,
    )
    return replace(line, new=replayed([*before, line]))
