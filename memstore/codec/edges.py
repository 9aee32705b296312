"""The edges of lineage that are no list of refs: evidence in the ledger, citations in texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memstore.model.catalog import EdgeKind
from memstore.model.finding import Position
from memstore.model.ids import MemoryRef
from memstore.model.provenance import is_external_mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.codec.memory_file import MemoryFile
    from memstore.model.memory import Memory

# The ledger has no such ops. What a witness's notes cite:
WITNESS_OP = "witness"
# What a checkpoint has folded in:
COUNTED_OP = "counted"

# `[[type:id]]`, `[[type:id#L3-L5@blob]]`, `[[type:id|as it is called here]]`.
_CITATION = re.compile(r"\[\[([a-z]+:[a-z0-9][a-z0-9_-]{2,63})(?:#[^\]\[|]*)?(?:\|[^\]\[]*)?\]\]")


def evidence_of(memory: Memory) -> tuple[str, ...]:
    """Return what a memory's ledger and witnesses name as evidence: `op ref` each, once, the latest last."""
    # As text "…:02.5Z" would come before "…:02Z".
    by_time = sorted(memory.confidence_history, key=lambda line: line.timestamp.rstrip("Z"))
    named = [(line.op, line.evidence_source or "") for line in by_time]
    named += [(COUNTED_OP, ref) for line in memory.confidence_history for ref in line.counted]
    named += [(WITNESS_OP, ref) for witness in memory.witnesses for ref in cited_refs(witness.notes or "")]
    items = [f"{op} {source}" for op, source in named if MemoryRef.parse(source) or is_external_mark(source)]
    return tuple(reversed(dict.fromkeys(reversed(items))))


def cited_refs(text: str) -> tuple[str, ...]:
    """Return the refs of the memories that a text cites, each once, in the text's order."""
    return tuple(dict.fromkeys(ref for ref, _ in citations(text)))


def citations(text: str) -> Iterator[tuple[str, int]]:
    """Yield each citation's ref and where it begins, counted in characters from 0."""
    if "[[" in text:
        for found in _CITATION.finditer(text):
            if MemoryRef.parse(found[1]):
                yield found[1], found.start()


def places(file: MemoryFile, kind: EdgeKind, ref: str) -> list[tuple[str, Position]]:
    """Return where a file names `ref` for an edge of this kind: the field's name and the place, in the file's order."""
    match kind:
        case EdgeKind.CITES:
            return [("body", _in_body(file, at)) for cited, at in citations(file.memory.body) if cited == ref]
        case EdgeKind.EVIDENCE:
            return [(str(path[0]), file.front.position(*path)) for path in _evidence_paths(file.memory, ref)]
        case _:
            refs: tuple[str, ...] = getattr(file.memory, kind)
            return [(kind.value, file.front.position(kind.value, i)) for i, named in enumerate(refs) if named == ref]


def _evidence_paths(memory: Memory, ref: str) -> Iterator[tuple[str | int, ...]]:
    for i, line in enumerate(memory.confidence_history):
        if line.evidence_source == ref:
            yield "confidence_history", i, "evidence_source"
        if ref in line.counted:
            yield "confidence_history", i, "counted"
    for i, witness in enumerate(memory.witnesses):
        if ref in cited_refs(witness.notes or ""):
            yield "witnesses", i, "notes"


def _in_body(file: MemoryFile, offset: int) -> Position:
    body = file.memory.body
    line = file.text.body_line + body.count("\n", 0, offset)
    return Position(line, offset - (body.rfind("\n", 0, offset) + 1) + 1)
