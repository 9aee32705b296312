"""Search results as JSON, and the status of citations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.core.keys import QUARANTINED
from memstore.documents.parts import (
    DIGITS,
    citation_document,
    conflict_document,
    external_document,
    not_compared_document,
)

if TYPE_CHECKING:
    from memstore.core.errors import MemstoreError
    from memstore.memories.cite import Cited
    from memstore.search.explanation import Explanation, ScorePart, WhyNot
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
        **not_compared_document(answer.not_compared),
        **({"why_not": why_not_document(answer.why_not)} if answer.why_not else {}),
    }


def hit_document(hit: Hit) -> dict[str, Any]:
    """Return one result; its `confidence` is seed 003's, which is called quality here."""
    return {
        **external_document(hit.external),
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
        **({"status": hit.status} if hit.status == QUARANTINED else {}),
        **({"stack": hit.stack} if hit.stack else {}),
        **({"explanation": explanation_document(hit.explanation)} if hit.explanation else {}),
    }


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """Return what a result's relevance and quality are made of."""
    worth = explanation.quality
    return {
        "parts": [_part_document(part) for part in explanation.parts],
        "line": explanation.line or None,
        "chosen": [_part_document(part) for part in explanation.chosen],
        "quality": {name: round(term, DIGITS) for name, term in worth._asdict().items()} if worth else {},
        "origin": explanation.origin,
        "status": explanation.status,
    }


def _part_document(part: ScorePart) -> dict[str, Any]:
    return {"kind": part.kind, "term": part.term, "places": dict(part.places), "points": round(part.points, DIGITS)}


def why_not_document(why_not: WhyNot) -> dict[str, Any]:
    """Return why a memory is not among the results, or which of them it is."""
    return {
        "ref": why_not.ref,
        "path": why_not.path,
        "title": why_not.title,
        "place": why_not.place,
        "reasons": [reason._asdict() for reason in why_not.reasons],
        "sought": [{"term": one.term, "need": one.need.value, "places": dict(one.places)} for one in why_not.sought],
    }


def refused_document(answer: Answer, error: MemstoreError) -> dict[str, Any]:
    """Return the answer to an invalid query among many: no results, and the reason."""
    refused = {"code": "usage", "message": str(error), "hint": error.hint}
    return {**answer_document(answer), "error": refused}


def cited_document(cited: Cited) -> dict[str, Any]:
    """Return the status of cited lines."""
    return {
        **external_document(cited.external),
        "ref": cited.ref,
        "status": cited.standing.value,
        "text": cited.text,
        "citation": citation_document(cited.now) if cited.now else None,
        "cited_excerpt": cited.before,
    }
