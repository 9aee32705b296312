"""Results as JSON: what `schemas/search.schema.json` and its like promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memstore.core.change import Conflict
    from memstore.search.retrieval import Answer, Citation, Hit

DIGITS = 4


def answer_document(answer: Answer) -> dict[str, Any]:
    """Return the answer to a query, with seed 003's keys."""
    return {
        "query": answer.query.text,
        "results": [hit_document(hit) for hit in answer.hits],
        "fallback": {"used": answer.fallback is not None, "reason": answer.fallback},
        "citations": "auto",
        "total": answer.total,
        "left_out": answer.left_out,
        "facets": {key: dict(counts) for key, counts in answer.facets},
        "suggestion": answer.suggestion,
    }


def hit_document(hit: Hit) -> dict[str, Any]:
    """Return one result; its `confidence` is seed 003's, which is quality here."""
    return {
        "ref": hit.ref,
        "path": hit.path,
        "title": hit.title,
        "type": hit.type,
        "created_at": hit.created_at,
        "content": hit.content,
        "confidence": round(hit.quality, DIGITS),
        "relevance_score": round(hit.relevance, DIGITS),
        "combined_score": round(hit.combined, DIGITS),
        "citation": citation_document(hit.citation),
        "more": [citation_document(citation) for citation in hit.more],
        "source_type": hit.source_type,
        "channel": hit.channel,
        "held_confidence": hit.held_confidence,
        "trust_level": hit.trust_level,
        "conflicts": [conflict_document(conflict) for conflict in hit.conflicts],
    }


def conflict_document(conflict: Conflict) -> dict[str, Any]:
    """Return one conflict, with seed 003's keys; the penalty is negative, as it is added to the quality."""
    return {
        "conflict_type": conflict.conflict_type.value,
        "penalty": -round(conflict.penalty, DIGITS),
        "suggested_resolution": conflict.suggested_resolution,
        "refs": list(conflict.refs),
        "lines": [lines._asdict() for lines in conflict.lines],
        "rule": conflict.rule,
        "command": conflict.command,
    }


def citation_document(citation: Citation) -> dict[str, Any]:
    """Return a citation with its whole blob id."""
    return {
        "path": citation.path,
        "line_start": citation.line_start,
        "line_end": citation.line_end,
        "excerpt": citation.excerpt,
        "version_hash": citation.version_hash,
    }
