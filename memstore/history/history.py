"""The vault's history: a git repository, of which the vault may be a folder.

Paths are relative to the vault, with forward slashes; odd bytes as surrogate escapes. Commits and blobs are named by
their whole ids. Where there is no repository, everything but `repository` raises `GitError`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memstore.history.git_objects import GitObject


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


class Hooks(Protocol):
    """The hooks that git runs in this repository."""

    def folder(self) -> Path:
        """Return the folder in which git looks for hooks."""

    def states(self) -> Mapping[str, HookState]:
        """Return the state of each of memstore's hooks, by name."""

    def install(self, name: str) -> None:
        """Put memstore's hook in place; `RefusedError` over another program's."""

    def uninstall(self, name: str) -> None:
        """Take memstore's hook away; another program's is left alone."""


# All anchors of a clone, for git to push.
ANCHOR_REFS = "refs/memstore/anchors/*"


def anchor_refspec(remote: str) -> str:
    """Return what git fetches a remote's anchors by: into refs of their own, as with branches.

    So a prune drops none of this clone's anchors that was not pushed yet (docs/adr/0018).
    """
    return f"+{ANCHOR_REFS}:refs/memstore/remotes/{remote}/anchors/*"


class History(Protocol):
    """What use cases need of git. Nothing that a repository's configuration names is ever executed."""

    @property
    def repository(self) -> Repository | None:
        """The repository around the vault, as it was when first asked for; None where there is none."""

    @property
    def mixed(self) -> bool:
        """Whether notes of other programs lie in the vault (`core.config.Config.mixed`)."""

    @property
    def hooks(self) -> Hooks:
        """The hooks of the repository."""

    def require(self) -> Repository:
        """Return the repository; `GitError`, saying what to do, where there is none."""

    def head(self) -> str | None:
        """Return the current commit, as it is now; None before the first one."""

    def resolve(self, revision: str) -> str:
        """Return the commit that a revision in git's own notation names; `NotFoundError` where there is none."""

    def last_commit(self, *, until: datetime) -> str | None:
        """Return the last commit of the current branch that was made at or before `until`, in UTC."""

    def files_at(self, commit: str) -> Mapping[str, str]:
        """Return the blob of every file that could be a memory as of a commit, by its path."""

    def own_files_at(self, commit: str) -> Mapping[str, str]:
        """Return the blob of every file that is the vault's own (`core.places`) as of a commit, by its path."""

    def kept_files(self) -> Collection[str]:
        """Return the files of the work tree that are in the index, or that git would add.

        Those that `.gitignore` names are not among them, nor those of a repository within the vault.
        """

    def blobs(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return the bytes of blobs; ids that the repository does not have are left out."""

    def past_state(self) -> str:
        """Return what names the past: while it is the same, `past_blobs` are."""

    def past_blobs(self) -> Collection[str]:
        """Return the blobs of all files that could be memories in any commit that the current, or a kept one, has.

        Kept are those that `keep` holds. Commits that are not in this clone are left out.
        """

    def blob_id(self, data: bytes) -> str:
        """Return the id of the blob with these bytes, in the repository's object format."""

    def objects(self, ids: Iterable[str]) -> Mapping[str, GitObject]:
        """Return objects of any kind as the repository has them; ids that it does not have are left out.

        Nothing is fetched for it, and no replacement is looked at; whether the bytes are what the id says is for the
        caller to check.
        """

    def is_kept(self, commit: str) -> bool:
        """Return whether a ref holds this commit, so that git keeps it."""

    def commits_with(self, blob: str) -> list[str]:
        """Return commits that refs hold and that have a blob with this id in the vault, the newest first."""

    def touching(self, paths: Sequence[str], *, since: str, until: str) -> list[tuple[str, tuple[str, ...]]] | None:
        """Return the commits after `since` up to `until` that touched one of these paths, and all merges, oldest first.

        With each stand those that it follows among them. None where `since` is no ancestor of `until`, or not there.
        """

    def keep(self, name: str, commit: str) -> None:
        """Hold a commit by the ref `refs/memstore/NAME`, whatever becomes of branches."""

    def commits(self, *, path: str | None = None, start: str | None = None, limit: int | None = None) -> list[Commit]:
        """Return the commits that touched a path (None: anything in the vault), newest first.

        Args:
            path: a file, or None.
            start: the commit to go back from; None for the current one.
            limit: how many at most.
        """

    def changes(self, commits: Sequence[Commit]) -> list[CommitChanges]:
        """Return what each commit changed in the vault, in the given order; a merge once for each parent."""

    def blame(self, path: str, commit: str) -> list[Commit]:
        """Return for each line of the file as of `commit` the commit that wrote it."""

    def staged(self) -> list[FileChange]:
        """Return how the vault's staged memory files differ from the current commit."""

    def staged_paths(self) -> Sequence[str]:
        """Return all files, memories or not, that are staged and differ from the current commit."""

    def is_taking_in(self) -> bool:
        """Whether git is in the middle of taking in commits: by a merge, a rebase, a cherry-pick or a revert."""

    def index_files(self) -> Mapping[str, str]:
        """Return the blob of every file in the index, by its path; memories, registries and all else."""

    def staged_ids(self, ids: Collection[str]) -> Mapping[str, str]:
        """Return the memory id of each staged file, changed or not, that holds one of these ids, by path."""

    def follow_anchors(self) -> Mapping[str, bool]:
        """Have each remote's anchors fetched with all else from now on, apart from this clone's own.

        Return the remotes, and of each whether that was new. What is pushed stays as it is.
        """

    def identity(self) -> str:
        """Return who commits, `Name <mail>`; `GitError` where git does not know."""

    def stop_if_busy(self) -> None:
        """Stop where nothing could be committed just now.

        Raises:
            GitError: git does not know who commits, or a merge or the like is under way.
            LockedError: another git command has the index.
        """

    def commit(
        self,
        files: Mapping[str, bytes | None],
        message: str,
        *,
        at: datetime,
        sign: Callable[[bytes], str] | None = None,
    ) -> str:
        """Commit exactly these files with these bytes (None: gone), and return the new commit.

        Other files that are staged stay staged. A crash leaves the repository as before or after. `sign` makes the
        armoured signature over the commit that goes into it.

        Raises:
            GitError: git does not know who commits, or a merge or the like is under way.
            LockedError: another git command has the index.
            ChangedMeanwhileError: somebody else committed at the same time.
        """

    def branch_tip(self, branch: str) -> str | None:
        """Return the commit that a branch of this repository is at; None where there is no such branch."""

    def commit_on(self, branch: str, files: Mapping[str, bytes], message: str, *, at: datetime) -> str:
        """Commit these files on a branch that is not checked out, and return the new commit.

        The work tree and what is staged stay as they are; a branch that is missing begins at the current commit.

        Raises:
            GitError: git does not know who commits.
            RefusedError: the branch is checked out.
            UsageError: no branch can have that name.
            ChangedMeanwhileError: somebody else committed there at the same time.
        """
