"""Conflicts and duplicates as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.documents.parts import DIGITS, conflict_document, not_compared_document, saved_document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.conflicts.duplicates import Duplicates
    from memstore.conflicts.resolve import Resolved
    from memstore.core.conflict import Conflict


def conflicts_document(found: Iterable[Conflict], *, left_out: int, not_compared: int) -> dict[str, Any]:
    """Return memories that can't both be right, how many conflicts more there are, and what was not compared."""
    return {
        "conflicts": [conflict_document(one) for one in found],
        "left_out": left_out,
        **not_compared_document(not_compared),
    }


def resolved_document(done: Resolved, *, dry_run: bool) -> dict[str, Any]:
    """Return how a conflict was decided, and the memories that record the decision."""
    return {
        "conflict_type": done.conflict_type,
        "decision": done.decision,
        "kept": done.kept,
        "memories": [saved_document(each, dry_run=dry_run) for each in done.saved],
    }


def duplicates_document(found: Iterable[Duplicates], *, left_out: int) -> dict[str, Any]:
    """Return groups of memories that say nearly the same, and how many groups more there are."""
    return {"duplicates": [_duplicates_document(one) for one in found], "left_out": left_out}


def _duplicates_document(found: Duplicates) -> dict[str, Any]:
    return {
        "similarity": round(found.similarity, DIGITS),
        "memories": [copy._asdict() for copy in found.copies],
        "command": found.command,
    }
