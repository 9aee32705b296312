"""Walks commits with GitPython, which supports only repositories with SHA-1 ids (docs/adr/0004)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.times import moment
from memstore.history.git_process import overrides
from memstore.history.history import Commit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def walk(root: Path, environ: Mapping[str, str], start: str, paths: list[str], limit: int | None) -> list[Commit]:
    """Return the commits from `start` back that touched one of `paths`, newest first.

    Args:
        root: the repository's work tree.
        environ: git's environment.
        start: a commit's id.
        paths: relative to `root`; empty for everything.
        limit: how many at most.
    """
    from git import Repo

    with Repo(root) as repo:
        repo.git.update_environment(**environ, **overrides())
        return [
            Commit(
                id=found.hexsha,
                parents=tuple(parent.hexsha for parent in found.parents),
                author=found.author.name or "",
                email=found.author.email or "",
                at=moment(found.committed_date),
                message=_text(found.message),
            )
            for found in repo.iter_commits(start, paths=paths, max_count=-1 if limit is None else limit)
        ]


def _text(message: str | bytes) -> str:
    return message if isinstance(message, str) else message.decode("utf-8", "replace")
