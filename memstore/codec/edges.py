"""The edges of lineage that are no list of refs: evidence in the ledger, citations in texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memstore.model.ids import MemoryRef
from memstore.model.provenance import is_external_mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.model.memory import Memory

# The op of what a witness's notes cite; the ledger has no such op.
WITNESS_OP = "witness"

# `[[type:id]]`, `[[type:id#L3-L5@blob]]`, `[[type:id|as it is called here]]`.
_CITATION = re.compile(r"\[\[([a-z]+:[a-z0-9][a-z0-9_-]{2,63})(?:#[^\]\[|]*)?(?:\|[^\]\[]*)?\]\]")


def evidence_of(memory: Memory) -> tuple[str, ...]:
    """Return what a memory's ledger and witnesses name as evidence: `op ref` each, once, in the file's order."""
    ledger = (
        f"{line.op} {line.evidence_source}"
        for line in memory.confidence_history
        if line.evidence_source and (MemoryRef.parse(line.evidence_source) or is_external_mark(line.evidence_source))
    )
    witnesses = (f"{WITNESS_OP} {ref}" for witness in memory.witnesses for ref in cited_refs(witness.notes or ""))
    return tuple(dict.fromkeys([*ledger, *witnesses]))


def cited_refs(text: str) -> tuple[str, ...]:
    """Return the refs of the memories that a text cites, each once, in the text's order."""
    return tuple(dict.fromkeys(ref for ref, _ in citations(text)))


def citations(text: str) -> Iterator[tuple[str, int]]:
    """Yield each citation's ref and where it begins, counted in characters from 0."""
    if "[[" in text:
        for found in _CITATION.finditer(text):
            if MemoryRef.parse(found[1]):
                yield found[1], found.start()
