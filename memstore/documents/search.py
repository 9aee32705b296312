"""Search results as JSON, and the status of citations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.documents.parts import DIGITS, citation_document, conflict_document

if TYPE_CHECKING:
    from memstore.core.errors import MemstoreError
    from memstore.search.citations import Cited
    from memstore.search.retrieval import Answer, Hit


def answer_document(answer: Answer) -> dict[str, Any]:
    """Return the answer to a query, with seed 003's keys."""
    return {
        "query": answer.query.text,
        "results": [hit_document(hit) for hit in answer.hits],
        "fallback": {"used": answer.fallback is not None, "reason": answer.fallback},
        "citations": "auto",
        "total": answer.total,
        "left_out": answer.left_out,
        "past": answer.past,
        "weak": answer.weak,
        "facets": {key: dict(counts) for key, counts in answer.facets},
        "suggestion": answer.suggestion,
        "notes": [*answer.query.notes],
    }


def hit_document(hit: Hit) -> dict[str, Any]:
    """Return one result; its `confidence` is seed 003's, which is called quality here."""
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
        "stale": hit.is_stale,
        "also": [*hit.also],
        "conflicts": [conflict_document(conflict) for conflict in hit.conflicts],
    }


def refused_document(answer: Answer, error: MemstoreError) -> dict[str, Any]:
    """Return the answer to an invalid query among many: no results, and the reason."""
    refused = {"code": "usage", "message": str(error), "hint": error.hint}
    return {**answer_document(answer), "error": refused}


def cited_document(cited: Cited) -> dict[str, Any]:
    """Return the status of cited lines."""
    return {
        "ref": cited.ref,
        "status": cited.standing.value,
        "text": cited.text,
        "citation": citation_document(cited.now) if cited.now else None,
        "cited_excerpt": cited.before,
    }
