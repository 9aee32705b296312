"""The vault's history: a git repository that contains the vault.

Paths are relative to the vault, with forward slashes; undecodable bytes are surrogate escapes. Commits and blobs are
identified by their full ids. If there is no repository, everything except `repository` raises `GitError`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


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
    """A change to one path: its blob before and after, None if there is none."""

    path: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that two commits have differently: its path in the later one, and its blob in each, None if it is gone."""

    path: str
    blob_before: str
    blob_after: str | None


@dataclass(frozen=True, slots=True)
class CommitChanges:
    """A commit and what it changed below the vault compared with one of its parents.

    `parent` is None if it has none, or none that this clone has.
    """

    commit: Commit
    parent: str | None
    files: tuple[FileChange, ...]


class HookState(Enum):
    """Whose hook is in the repository's hooks folder."""

    ABSENT = "not installed"
    OURS = "installed"
    FOREIGN = "another program's"
    CALLING = "another program's, and calls memstore"


# All anchors of a clone, for git to push.
ANCHOR_REFS = "refs/memstore/anchors/*"


def anchor_refspec(remote: str) -> str:
    """Return the refspec for fetching a remote's anchors: into refs of their own, as with branches.

    That way a prune drops none of this clone's anchors that have not been pushed yet (docs/adr/0018).
    """
    return f"+{ANCHOR_REFS}:refs/memstore/remotes/{remote}/anchors/*"
