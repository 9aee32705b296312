"""Findings in the forms that build servers read: SARIF 2.1.0, and GitHub's workflow commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memstore.core.finding import Severity
from memstore.core.finding_codes import CODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.finding import Finding

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_document(findings: Sequence[Finding], prefix: str, *, version: str) -> dict[str, Any]:
    """Return the one SARIF document of all findings.

    Args:
        findings: of a check.
        prefix: the vault's folder in the repository, with a slash at its end, or nothing.
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
    """Yield a workflow command for each finding, which GitHub shows at its line; `prefix` as for SARIF."""
    for finding in findings:
        where = {
            "file": prefix + finding.path,
            "line": finding.at.line,
            "col": finding.at.column,
            "title": finding.code,
        }
        properties = ",".join(f"{name}={_github_property(str(value))}" for name, value in where.items())
        yield f"::{finding.severity.value} {properties}::{_github_data(_message(finding))}"


def _github_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")


def _message(finding: Finding) -> str:
    parts = [finding.text]
    if finding.hint:
        parts.append(f"hint: {finding.hint}")
    if finding.mended is not None:
        parts.append(f"mended: {finding.mended}")
    return "\n".join(parts)
