"""The program's own messages as JSON: errors, help, and completion scripts for shells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.agents.installing import SetUp


def error_document(code: str, exit_code: int, message: str, hint: str | None) -> dict[str, Any]:
    """Return why a command failed; `code` is a word for programs."""
    return {"error": {"code": code, "exit": exit_code, "message": message, "hint": hint}}


def help_document(topic: Sequence[str], text: str) -> dict[str, Any]:
    """Return the help on a topic, or on a command by its words."""
    return {"topic": " ".join(topic), "text": text}


def completion_document(shell: str, script: str) -> dict[str, Any]:
    """Return the script that a shell uses to complete commands."""
    return {"shell": shell, "script": script}


def agent_document(done: SetUp, *, dry_run: bool) -> dict[str, Any]:
    """Return what was changed in an agent's settings: of each file memstore's own lines, and nothing else."""
    changes = [
        {"path": str(change.path), "change": change.kind, "added": [*change.added], "removed": [*change.removed]}
        for change in done.changes
    ]
    return {"agent": done.agent, "dry_run": dry_run, "files": changes, "notes": [*done.notes]}
