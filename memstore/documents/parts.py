"""Parts that many documents share: a finding, a conflict, a citation, a memory that was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.access.audit import Registered
    from memstore.core.change import Saved
    from memstore.core.conflict import Conflict, Lines
    from memstore.core.finding import Finding
    from memstore.core.quotation import External
    from memstore.search.retrieval import Citation

# Decimals; any further ones are numerical noise.
DIGITS = 4


def published(verb: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with the name of the schema that it follows, `schemas/output/<verb>.schema.json`."""
    return {"schema": f"memstore.{verb}/1", **document}


def finding_document(finding: Finding) -> dict[str, Any]:
    """Return a finding with its position; lines and columns count from 1."""
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "path": finding.path,
        "line": finding.at.line,
        "column": finding.at.column,
        "text": finding.text,
        "hint": finding.hint,
        "mended": finding.mended,
    }


def not_compared_document(pairs: int) -> dict[str, int]:
    """Return how many pairs of memories that are alike were not compared, or only in part; nothing for none."""
    return {"not_compared": pairs} if pairs else {}


def conflict_document(conflict: Conflict) -> dict[str, Any]:
    """Return one conflict, with seed 003's keys; the penalty is negative, as it is added to the quality."""
    return {
        "conflict_type": conflict.conflict_type.value,
        "penalty": 0.0 - round(conflict.penalty, DIGITS),
        "suggested_resolution": conflict.suggested_resolution,
        "refs": list(conflict.refs),
        "lines": [_lines_document(lines) for lines in conflict.lines],
        "rule": conflict.rule,
        "command": conflict.command,
        **({"current": conflict.current} if conflict.current else {}),
    }


def _lines_document(lines: Lines) -> dict[str, Any]:
    return {
        "path": lines.path,
        "line_start": lines.line_start,
        "line_end": lines.line_end,
        "excerpt": lines.excerpt,
    }


def external_document(external: External | None) -> dict[str, Any]:
    """Return what marks the texts beside it as a quotation, for an external memory; nothing for any other."""
    if external is None:
        return {}
    from memstore.core.quotation import NOTICE

    said = {"notice": NOTICE, "source": external.source or None, "trust": external.trust, "vouched": external.vouched}
    return {"external": said}


def citation_document(citation: Citation) -> dict[str, Any]:
    """Return a citation with its full blob id."""
    return {
        "path": citation.path,
        "line_start": citation.line_start,
        "line_end": citation.line_end,
        "excerpt": citation.excerpt,
        "version_hash": citation.version_hash,
    }


def saved_document(saved: Saved, *, dry_run: bool) -> dict[str, Any]:
    """Return one memory that was written, or would be."""
    document: dict[str, Any] = {
        "ref": saved.ref,
        "path": saved.path,
        "conflicts": [conflict_document(conflict) for conflict in saved.conflicts],
        "findings": [finding_document(finding) for finding in saved.findings],
    }
    if saved.is_first:
        document["is_first"] = True
    if saved.compared_in_part:
        document["compared_in_part"] = True
    if dry_run:
        document["diff"] = saved.diff
    if saved.commit:
        document["commit"] = saved.commit
    return document


def nothing_saved_document() -> dict[str, Any]:
    """Return that no memory was written, because somebody left the editor without a text."""
    return {"ref": None, "path": None, "conflicts": [], "findings": []}


def registered_document(done: Registered, *, dry_run: bool) -> dict[str, Any]:
    """Return what happened to a registry file."""
    document: dict[str, Any] = {"id": done.id, "path": done.path, "changed": bool(done.diff)}
    if dry_run:
        document["diff"] = done.diff
    return {**document, "commit": done.commit} if done.commit else document
