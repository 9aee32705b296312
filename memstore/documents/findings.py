"""Findings in formats that build servers read: SARIF 2.1.0, and GitHub's workflow commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memstore.access.sight import in_words
from memstore.core.finding import Position, Severity
from memstore.core.finding_codes import CODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.finding import Finding
    from memstore.memories.review import Review

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_document(findings: Sequence[Finding], prefix: str, *, version: str) -> dict[str, Any]:
    """Return a single SARIF document with all findings.

    Args:
        findings: of a check.
        prefix: the vault's folder in the repository, with a trailing slash, or empty.
        version: of this program.
    """
    used = sorted({finding.code for finding in findings})
    rules = [
        {
            "id": name,
            "shortDescription": {"text": CODES[name].meaning},
            "help": {"text": CODES[name].explanation},
            "defaultConfiguration": {"level": _sarif_level(CODES[name].severity)},
        }
        for name in used
    ]
    driver = {"name": "memstore", "version": version, "rules": rules}
    results = [_sarif_result(finding, prefix) for finding in findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_result(finding: Finding, prefix: str) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": quote(prefix + finding.path, errors="surrogateescape")},
        "region": {"startLine": finding.at.line, "startColumn": finding.at.column},
    }
    return {
        "ruleId": finding.code,
        "level": _sarif_level(finding.severity),
        "message": {"text": _message(finding)},
        "locations": [{"physicalLocation": place}],
    }


def _sarif_level(severity: Severity) -> str:
    return "note" if severity is Severity.NOTICE else severity.value


def github_lines(findings: Sequence[Finding], prefix: str) -> Iterator[str]:
    """Yield a workflow command for each finding, for GitHub to show at its line; `prefix` as for SARIF."""
    for finding in findings:
        yield github_line(
            finding.severity, prefix + finding.path, finding.at, title=finding.code, text=_message(finding)
        )


def review_lines(review: Review, prefix: str) -> Iterator[str]:
    """Yield workflow commands for a review: findings, then warnings of conflicts and gained access, then numbers."""
    yield from github_lines((*review.findings, *review.notices), prefix)
    for conflict in review.conflicts:
        mine, theirs = conflict.lines
        text = f"{mine.said}\n{prefix}{theirs.path}:{theirs.line_start} says otherwise: {theirs.said}"
        at = Position(mine.line_start)
        yield github_line(Severity.WARNING, prefix + mine.path, at, title="conflict raised", text=text)
    for title, line, change in review.sight:
        if change.gained:
            text = f"{title}: now seen by {in_words(change.gained, but=change.but)}"
            yield github_line(
                Severity.WARNING, prefix + change.path, Position(line or 1), title="access gained", text=text
            )
    for one in review.numbers:
        text = f"{one.title}: {one}"
        yield github_line(Severity.NOTICE, prefix + one.path, Position(one.line), title="number moved", text=text)


def github_line(severity: Severity, path: str, at: Position, *, title: str, text: str) -> str:
    """Return a workflow command, for GitHub to show at a line of a file; the path is relative to the repository."""
    where = {"file": path, "line": at.line, "col": at.column, "title": title}
    properties = ",".join(f"{name}={_github_property(str(value))}" for name, value in where.items())
    return f"::{severity.value} {properties}::{_github_data(text)}"


def _github_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")


def _message(finding: Finding) -> str:
    parts = [finding.text]
    if finding.hint:
        parts.append(f"hint: {finding.hint}")
    if finding.mended is not None:
        parts.append(f"should read: {finding.mended}")
    return "\n".join(parts)
