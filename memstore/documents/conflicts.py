"""Conflicts and duplicates as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.documents.parts import DIGITS, conflict_document, saved_document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.conflicts.duplicates import Duplicates
    from memstore.conflicts.resolve import Resolved
    from memstore.core.conflict import Conflict


def conflicts_document(found: Iterable[Conflict]) -> dict[str, Any]:
    """Return memories that can't both be right."""
    return {"conflicts": [conflict_document(one) for one in found]}


def resolved_document(done: Resolved, *, dry_run: bool) -> dict[str, Any]:
    """Return how a conflict was decided, and the memories that record the decision."""
    return {
        "conflict_type": done.conflict_type,
        "decision": done.decision,
        "kept": done.kept,
        "memories": [saved_document(each, dry_run=dry_run) for each in done.saved],
    }


def duplicates_document(found: Iterable[Duplicates]) -> dict[str, Any]:
    """Return memories that say nearly the same."""
    return {"duplicates": [_duplicates_document(one) for one in found]}


def _duplicates_document(found: Duplicates) -> dict[str, Any]:
    return {
        "similarity": round(found.similarity, DIGITS),
        "memories": [copy._asdict() for copy in found.copies],
        "command": found.command,
    }
