"""History as JSON: log, blame, diff, changes of a branch, commits, undone operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.core.times import instant
from memstore.documents.access import sight_change_document
from memstore.documents.parts import conflict_document, external_document, finding_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.change import Committed, Undone
    from memstore.history.diff import Diff, MemoryDiff
    from memstore.history.log import Log, LogLine
    from memstore.history.own_changes import OwnChange
    from memstore.history.revisions import Blame, BlamedLine
    from memstore.memories.bisect import Answered, Bisected
    from memstore.memories.review import NumberMoved, Review, Reviewed


def log_document(log: Log) -> dict[str, Any]:
    """Return a log, newest first."""
    entries = [_log_line_document(line) for line in log.lines]
    return {"ref": log.ref, "entries": entries, **_cut_off_document(log.cut_off)}


def _cut_off_document(commits: Sequence[str]) -> dict[str, Any]:
    """Return the commits at which a shallow clone ends; nothing if there are none."""
    return {"cut_off": [*commits]} if commits else {}


def _log_line_document(line: LogLine) -> dict[str, Any]:
    return {
        "at": line.at,
        "commit": line.commit,
        "verb": line.verb,
        "name": line.name,
        "title": line.title,
        "path": line.path,
        "details": list(line.details),
        "by": line.by,
        "summary": line.summary or None,
    }


def bisect_document(found: Bisected) -> dict[str, Any]:
    """Return the commit that made an answer what it is, and the answer before and since."""
    commit = found.commit
    return {
        "commit": commit.id if commit else None,
        "at": instant(commit.at) if commit else None,
        "by": commit.author if commit else None,
        "subject": commit.message.partition("\n")[0] if commit else None,
        "before": [_answered_document(one) for one in found.before],
        "since": [_answered_document(one) for one in found.since],
        "looked_at": found.looked_at,
        "commits": found.of,
    }


def _answered_document(one: Answered) -> dict[str, Any]:
    return {
        "ref": one.name,
        "path": one.path or None,
        "line": one.line or None,
        "text": one.text or None,
        **external_document(one.external),
    }


def blame_document(blame: Blame) -> dict[str, Any]:
    """Return who wrote each entry of a memory's history and each line of its text."""
    return {
        "ref": blame.ref,
        "path": blame.path,
        **external_document(blame.external),
        "history": [_blamed_line_document(line) for line in blame.history],
        "body": [_blamed_line_document(line) for line in blame.body],
        **_cut_off_document(blame.cut_off),
    }


def _blamed_line_document(line: BlamedLine) -> dict[str, Any]:
    commit = line.commit
    return {
        "line": line.line,
        "text": line.text,
        "commit": commit.id if commit else None,
        "at": instant(commit.at) if commit else None,
        "by": commit.author if commit else None,
    }


def diff_document(diff: Diff) -> dict[str, Any]:
    """Return the differences between two states."""
    return {
        "old": diff.old,
        "new": diff.new,
        "memories": [_memory_diff_document(memory) for memory in diff.memories],
        "broken": list(diff.broken),
    }


def _memory_diff_document(memory: MemoryDiff) -> dict[str, Any]:
    return {
        "verb": memory.verb,
        "name": memory.name,
        "path": memory.path,
        "path_before": memory.path_before,
        "changes": list(memory.statements),
        "body": list(memory.body),
        **external_document(memory.external),
    }


def review_document(review: Review) -> dict[str, Any]:
    """Return the changes of a branch, in terms of memories."""
    branching = review.branching
    return {
        "branch": branching.head_name,
        "head": branching.head,
        "against": branching.base_name,
        "base": branching.base,
        "added": [_reviewed_document(one) for one in review.added],
        "changed": [{**_reviewed_document(one), "changes": [*one.changes]} for one in review.changed],
        "removed": [_reviewed_document(one) for one in review.removed],
        "moved": [{**_reviewed_document(one), "path_before": one.path_before} for one in review.moved],
        "numbers": [_number_document(one) for one in review.numbers],
        "conflicts": [conflict_document(one) for one in review.conflicts],
        "sight": [
            {**sight_change_document(one.change), "ref": one.change.ref or None, "title": one.title}
            for one in review.sight
        ],
        "own_files": [_own_change_document(one) for one in review.own],
        "errors": review.errors,
        "warnings": len(review.findings) - review.errors,
        "findings": [finding_document(finding) for finding in review.findings],
    }


def _reviewed_document(one: Reviewed) -> dict[str, Any]:
    return {"kind": one.kind, "ref": one.ref, "title": one.title, "path": one.path}


def _number_document(one: NumberMoved) -> dict[str, Any]:
    because = one.because
    return {
        "ref": one.ref,
        "title": one.title,
        "path": one.path,
        "line": one.line,
        "key": one.key,
        "before": one.before,
        "after": one.after,
        "because": {
            "op": because.op,
            "at": because.timestamp,
            "evidence_source": because.evidence_source,
            "reason": because.reason,
            "by": because.by,
        }
        if because
        else None,
    }


def _own_change_document(one: OwnChange) -> dict[str, Any]:
    return {"kind": one.kind, "id": one.id, "path": one.path, "done": one.done, "text": one.text or None}


def committed_document(done: Committed) -> dict[str, Any]:
    """Return what was committed, and what was left out."""
    return {
        "commit": done.commit,
        "message": done.message or None,
        "refs": list(done.refs),
        "own_files": list(done.own_files),
        "left_out": list(done.left_out),
        "findings": [finding_document(finding) for finding in done.findings],
    }


def undone_document(done: Undone, *, dry_run: bool) -> dict[str, Any]:
    """Return the operation that was undone, or would be."""
    said = {"verb": done.verb, "at": done.at, "paths": list(done.paths), "dry_run": dry_run}
    return said | ({"diff": done.diff} if dry_run else {})
