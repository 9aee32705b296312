"""The vault's history: a git repository, of which the vault may be a folder.

Paths are relative to the vault, with forward slashes; odd bytes as surrogate escapes. Commits and blobs are named by
their whole ids. Where there is no repository, everything but `repository` raises `GitError`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """Where the vault's history is kept.

    `prefix` is the vault's folder in the repository, empty or with a slash at its end. `head` is the current commit,
    None before the first one; `branch` is None where no branch is checked out.
    """

    root: Path
    prefix: str
    object_format: str
    head: str | None
    branch: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit; `at` is when it was made, in UTC."""

    id: str
    parents: tuple[str, ...]
    author: str
    email: str
    at: datetime
    message: str

    @property
    def short(self) -> str:
        """The id as people write it."""
        return self.id[:10]

    @property
    def summary(self) -> str:
        """The message's first line."""
        return self.message.strip().partition("\n")[0]


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happened to one path: its blob before and after, None where there was or is none."""

    path: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class CommitChanges:
    """A commit and what it changed below the vault against one of its parents (None: it has none)."""

    commit: Commit
    parent: str | None
    files: tuple[FileChange, ...]


class HookState(Enum):
    """Whose hook lies in the repository's hooks folder."""

    ABSENT = "not installed"
    OURS = "installed"
    FOREIGN = "another program's"


# All anchors of a clone, for git to push.
ANCHOR_REFS = "refs/memstore/anchors/*"


def anchor_refspec(remote: str) -> str:
    """Return what git fetches a remote's anchors by: into refs of their own, as with branches.

    So a prune drops none of this clone's anchors that was not pushed yet (docs/adr/0018).
    """
    return f"+{ANCHOR_REFS}:refs/memstore/remotes/{remote}/anchors/*"
