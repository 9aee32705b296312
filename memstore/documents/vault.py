"""The vault as a whole, as JSON: its findings, its status, its settings, hooks and index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memstore.core.times import instant
from memstore.documents.parts import finding_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstore.core.config import UserConfig
    from memstore.core.finding import Finding
    from memstore.core.finding_codes import FindingCode
    from memstore.search.library import IndexRebuilt, IndexStatus, Refreshed
    from memstore.search.model_packages import PinnedFile
    from memstore.vault.check import CheckResult
    from memstore.vault.doctor import Diagnosis
    from memstore.vault.init import HooksReport, Initialised
    from memstore.vault.status import SettingValue, Stats, Status, Uncommitted
    from memstore.vault.undo_init import InitUndone


# -- check and doctor ----------------------------------------------------------------------------


def check_document(result: CheckResult) -> dict[str, Any]:
    """Return the findings in the vault's files, and those that were fixed."""
    return {
        "files": result.files,
        "errors": result.errors,
        "warnings": result.warnings,
        "findings": [finding_document(finding) for finding in result.findings],
        "fixed": [finding_document(finding) for finding in result.fixed],
        "notices": [finding_document(finding) for finding in result.notices],
        **({"dry_run": True} if result.dry_run else {}),
    }


def code_document(code: FindingCode) -> dict[str, Any]:
    """Return what the code of a finding means."""
    return {
        "code": code.name,
        "severity": code.severity.value,
        "meaning": code.meaning,
        "explanation": code.explanation,
    }


def diagnosis_document(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return whether everything around the vault works."""
    return {
        "well": diagnosis.is_well,
        "checks": [
            {"check": check.name, "verdict": check.verdict.value, "text": check.text, "hint": check.hint}
            for check in diagnosis.checks
        ],
    }


# -- status --------------------------------------------------------------------------------------


def status_document(status: Status) -> dict[str, Any]:
    """Return what is not committed, what could be adopted, what can't be read, and the hooks."""
    return {
        "memories": status.memories,
        "quarantined": status.quarantined,
        "sealed": status.sealed,
        "repository": _repository_document(status),
        "uncommitted": [_uncommitted_document(change) for change in status.uncommitted],
        "own_files": list(status.own_files),
        "plain": list(status.plain),
        "broken": list(status.broken),
        "broken_uncommitted": list(status.broken_uncommitted),
        "unmerged": list(status.unmerged),
        "hooks": {name: state.name.lower() for name, state in status.hooks.items()},
        "widened": [finding_document(finding) for finding in status.widened],
    }


def _repository_document(status: Status) -> dict[str, Any] | None:
    repository = status.repository
    if repository is None:
        return None
    return {
        "root": str(repository.root),
        "branch": repository.branch,
        "head": repository.head if status.is_owners else None,
    }


def _uncommitted_document(change: Uncommitted) -> dict[str, Any]:
    return {
        "verb": change.verb,
        "name": change.name,
        "path": change.path,
        "path_before": change.path_before,
        "changes": list(change.details),
    }


def stats_document(counted: Stats) -> dict[str, Any]:
    """Return how many memories there are, and of which kinds."""
    return {
        "total": counted.total,
        "words": counted.words,
        "types": dict(counted.types),
        "statuses": dict(counted.statuses),
        "months": dict(counted.months),
        "authors": dict(counted.authors),
        "left_out": counted.left_out,
    }


# -- init, settings, hooks -----------------------------------------------------------------------


def initialised_document(done: Initialised) -> dict[str, Any]:
    """Return what happened to a folder that is now a vault."""
    return {
        "vault": str(done.root),
        "owner": done.owner,
        "changed": list(done.changed),
        "repository_made": done.repository_made,
        "git_configured": done.git_configured,
        "hooks_installed": list(done.hooks_installed),
        "hooks_refused": done.hooks_refused,
        "notes": done.notes,
        "mixed": done.mixed,
    }


def init_undone_document(done: InitUndone) -> dict[str, Any]:
    """Return what was removed of what `init` made, or would be, and what stays."""
    return {
        "vault": str(done.root),
        "is_vault": done.is_vault,
        "removed": list(done.removed),
        "restored": list(done.restored),
        "hooks": list(done.hooks),
        "git_key": done.git_key,
        "forgotten": done.is_forgotten,
        "kept": [{"what": what, "why": why} for what, why in done.kept.items()],
        "tracked": list(done.tracked),
        "repository": done.has_repository,
        "dry_run": done.dry_run,
    }


def settings_document(found: Iterable[SettingValue]) -> dict[str, Any]:
    """Return settings, and where each comes from."""
    return {"settings": [_setting_document(item) for item in found]}


def _setting_document(item: SettingValue) -> dict[str, Any]:
    value = list(item.value) if isinstance(item.value, tuple) else item.value
    value = dict(value) if isinstance(value, Mapping) else value
    return {"key": item.name, "value": value, "source": item.source, "meaning": item.meaning}


def hooks_document(report: HooksReport) -> dict[str, Any]:
    """Return whose hooks are in place."""
    return {
        "folder": str(report.folder),
        "hooks": {name: state.name.lower() for name, state in report.states.items()},
    }


# -- index ---------------------------------------------------------------------------------------


def index_status_document(found: IndexStatus) -> dict[str, Any]:
    """Return the status of the index."""
    return {
        "path": str(found.folder),
        "built": found.built,
        "usable": found.usable,
        "memories": found.memories,
        "left_out": found.broken,
        "files": found.files,
        "changed": found.changed,
        "bytes": found.size,
        "generation": found.generation,
        "written_at": instant(found.written_at) if found.written_at else None,
    }


def semantic_document(chosen: UserConfig, *, fetched: Sequence[PinnedFile] = ()) -> dict[str, Any]:
    """Return the models that are used, for meaning and for contradictions, and what was fetched."""
    return {
        "embedder": chosen.embedder,
        "nli": chosen.nli,
        "fetched": [{"package": file.requirement, "file": file.name, "sha256": file.sha256} for file in fetched],
    }


def semantic_status_document(chosen: UserConfig, problems: Mapping[str, str]) -> dict[str, Any]:
    """Return the models that are used, for meaning and for contradictions, and what is wrong with each."""
    return {
        "embedder": _model(chosen.embedder, problems.get("embedder")),
        "nli": _model(chosen.nli, problems.get("nli")),
        "nli_threshold": chosen.nli_threshold,
    }


def _model(folder: str | None, problem: str | None) -> dict[str, Any] | None:
    return None if folder is None else {"folder": folder, "problem": problem}


def semantic_off_document(chosen: UserConfig) -> dict[str, Any]:
    """Return the models that are still used."""
    return {"embedder": chosen.embedder, "nli": chosen.nli}


def index_path_document(found: IndexStatus) -> dict[str, Any]:
    """Return the index's path."""
    return {"path": str(found.folder)}


def index_rebuilt_document(done: IndexRebuilt) -> dict[str, Any]:
    """Return how many memories are in a rebuilt index."""
    return {"path": str(done.folder), "memories": done.memories, "left_out": done.left_out}


def citations_document(found: Sequence[Finding]) -> dict[str, Any]:
    """Return the citations whose lines have changed since."""
    return {"findings": [finding_document(finding) for finding in found]}


def refreshed_document(done: Refreshed) -> dict[str, Any]:
    """Return how many files had changed since the index was last written."""
    return {"changed": done.changed}
