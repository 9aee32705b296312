"""A git repository as it is at one moment: each question about it is asked of git once."""

from __future__ import annotations

import os
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import GitError
from memstore.history import git_objects
from memstore.history.git_process import failed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memstore.history.git_process import GitProcess

# Git's files and folders while it takes in commits.
MERGING = "MERGE_HEAD"
TAKEN_IN = (MERGING, "CHERRY_PICK_HEAD", "REVERT_HEAD")
TAKING_IN = (*TAKEN_IN, "rebase-merge", "rebase-apply")
# What else is looked up in the git folder. Each linked work tree has a folder in `worktrees` (gitrepository-layout).
INDEX, SCRATCH, _WORK_TREES = "index", "memstore", "worktrees"
_PLACES = (INDEX, SCRATCH, _WORK_TREES, *TAKING_IN)
_NO_REPOSITORY = b"not a git repository"
_NO_BRANCH = "HEAD"


class Tree(NamedTuple):
    """The regular files of a commit: the blob of each by path, and those that are marked as executable."""

    blobs: Mapping[str, str]
    programs: frozenset[str]


class Repository:
    """The repository around a folder.

    Args:
        git: runs git in the folder.
        root: the top of its work tree.
        folder: the folder that is asked about, a real path.
        object_format: of its objects' ids, `sha1` or `sha256`.
        places: where git keeps the files of `_PLACES`, by name.

    `prefix` is the folder's path in the repository, empty or with a trailing slash.
    """

    root: Path
    prefix: str
    object_format: str

    def __init__(
        self, git: GitProcess, root: Path, folder: Path, object_format: str, places: Mapping[str, Path]
    ) -> None:
        self._git = git
        self._places = places
        self.root = root
        self.object_format = object_format
        inside = os.path.relpath(folder, root)
        self.prefix = "" if inside == "." else inside.replace(os.sep, "/") + "/"
        self._trees: dict[str, Tree] = {}
        self._unmerged: dict[tuple[int, int, int] | None, bytes] = {}
        self._staged: dict[str, list[bytes]] = {}

    @classmethod
    def around(cls, git: GitProcess, folder: Path) -> Repository | None:
        """Return the repository around a folder; None if there is none."""
        asked = [word for name in _PLACES for word in ("--git-path", name)]
        words = ("--show-object-format", "--show-cdup", *asked, "HEAD^{commit}", "--abbrev-ref=loose", "HEAD")
        done = git.attempt("rev-parse", *words)
        if done.returncode != 0 and _NO_REPOSITORY in done.stderr:
            return None
        lines = os.fsdecode(done.stdout).split("\n")[:-1]
        answers = 1 if done.returncode else 2  # a missing HEAD is echoed as it is, and is the last word
        named = lines[2 : len(lines) - answers]
        if len(named) < len(_PLACES):
            raise failed(("rev-parse",), done)
        if len(named) > len(_PLACES):  # the name of a folder has a line end
            named = [os.fsdecode(git.run("rev-parse", "--git-path", name)).removesuffix("\n") for name in _PLACES]
        real = Path(os.path.realpath(folder))
        places = {name: git.folder / place for name, place in zip(_PLACES, named, strict=True)}
        found = cls(git, Path(os.path.realpath(folder / lines[1])), real, lines[0], places)
        found.head = None if done.returncode else lines[-2]
        if found.head:
            found.branch = None if lines[-1] == _NO_BRANCH else lines[-1]
        return found

    def later(self) -> Repository:
        """Return the same repository as it is from now on; what can't change meanwhile is kept."""
        later = copy(self)
        for name in ("head", "branch", "listed", "index", "_tracked", "other_heads"):
            vars(later).pop(name, None)
        vars(later).update(_trees={**self._trees}, _unmerged={**self._unmerged}, _staged={})
        return later

    def within(self, git: GitProcess, folder: Path) -> Repository:
        """Return this repository at this moment, asked about another folder in it, in which `git` runs."""
        other = Repository(git, self.root, Path(os.path.realpath(folder)), self.object_format, self._places)
        vars(other).update(head=self.head, _staged=self._staged)
        return other

    def place(self, name: str) -> Path:
        """Return where git keeps one of its own files, in this work tree or for all of them."""
        return self._places[name]

    @cached_property
    def head(self) -> str | None:
        """The current commit; None before the first one."""
        done = self._git.attempt("rev-parse", "-q", "--verify", "HEAD^{commit}")
        return done.stdout.decode().strip() if done.returncode == 0 else None

    @cached_property
    def branch(self) -> str | None:
        """The branch that is checked out, with commits or without; None if there is none."""
        done = self._git.attempt("symbolic-ref", "-q", "--short", "HEAD")
        return os.fsdecode(done.stdout).strip() if done.returncode == 0 else None

    @cached_property
    def identity(self) -> str:
        """Who is committing, `Name <mail>`; `GitError` if git doesn't know."""
        for variable in ("GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT"):
            done = self._git.attempt("var", variable)
            if done.returncode != 0:
                raise GitError(
                    "git does not know who is committing",
                    hint='git config --global user.name "Your Name" && git config --global user.email you@example.com',
                )
        return os.fsdecode(done.stdout).rpartition(">")[0] + ">"

    # -- the index ---------------------------------------------------------------------------------

    @cached_property
    def listed(self) -> Sequence[tuple[str, str]]:
        """The files below the folder that are in the index or that git would add, with the tags of `ls-files -t`."""
        return self._tagged("--cached", "--others", "--exclude-standard")

    @cached_property
    def _tracked(self) -> Sequence[tuple[str, str]]:
        """Those of them that are in the index; the work tree is not looked at for that."""
        return vars(self).get("listed") or self._tagged("--cached")

    def _tagged(self, *words: str) -> Sequence[tuple[str, str]]:
        lines = self._git.run("ls-files", "-z", "-t", *words).split(b"\0")[:-1]
        return [(line[:1].decode(), os.fsdecode(line[2:])) for line in lines]

    @property
    def sparse(self) -> Collection[str]:
        """The files of the index that a sparse checkout leaves out of the work tree; to git, none is deleted."""
        return {path for tag, path in self._tracked if tag == "S"}

    @property
    def unmerged(self) -> Collection[str]:
        """The files below the folder that git could not merge."""
        return {path for tag, path in self._tracked if tag == "M"}

    @cached_property
    def index(self) -> Mapping[str, str]:
        """The blob of every file in the index below the folder, by path from there."""
        listed = self._git.run("ls-files", "-s", "-z")
        return {
            os.fsdecode(path): described.split()[1].decode()
            for described, _, path in (line.partition(b"\t") for line in listed.split(b"\0")[:-1])
        }

    @property
    def is_unmerged(self) -> bool:
        """Whether git could not merge some file of the whole repository; asked again when the index is another."""
        index = identity_of(self.place(INDEX))
        if index not in self._unmerged:
            # `:/` is its top, if pathspecs are not literal.
            words = ("ls-files", "--unmerged", "-z", "--", ":/")
            self._unmerged[index] = self._git.run(*words, env={"GIT_LITERAL_PATHSPECS": "0"})
        return bool(self._unmerged[index])

    @property
    def is_merging(self) -> bool:
        """Whether a merge is waiting for its commit."""
        return self.place(MERGING).exists()

    def staged(self, against: str | None) -> list[bytes]:
        """Return how the index of the whole repository differs from a commit, None for the current one, as git has it.

        The fields are those of `diff-index --raw -z`.
        """
        commit = against or self.head or self._git.run("hash-object", "-t", "tree", "--stdin").decode().strip()
        if commit not in self._staged:
            words = ("--cached", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules", "-z", commit, "--")
            self._staged[commit] = self._git.run("diff-index", *words).split(b"\0")[:-1]
        return self._staged[commit]

    # -- commits -----------------------------------------------------------------------------------

    def tree(self, commit: str) -> Tree:
        """Return the files below the folder as of a commit, by path from there."""
        if commit not in self._trees:
            below = [self.prefix] if self.prefix else []
            listed = self._git.run("ls-tree", "-r", "-z", "--full-tree", commit, *below)
            # If the folder was a file then, that is listed.
            found = {path: blob for path, blob in git_objects.tree_files(listed) if path.startswith(self.prefix)}
            marked = (line for line in listed.split(b"\0") if line.startswith(b"100755"))
            self._trees[commit] = Tree(
                {path.removeprefix(self.prefix): blob for path, blob in found.items()},
                frozenset(os.fsdecode(line.partition(b"\t")[2]).removeprefix(self.prefix) for line in marked),
            )
        return self._trees[commit]

    def blobs_in(self, commit: str, places: Sequence[str]) -> Mapping[str, str]:
        """Return the blobs of at least the files at or below some places as of a commit, by path from the folder."""
        if commit in self._trees:
            return self._trees[commit].blobs
        named = [f"{self.prefix}{place}" for place in places]
        listed = self._git.run("ls-tree", "-r", "-z", "--full-tree", commit, *named)
        found = git_objects.tree_files(listed)
        return {path.removeprefix(self.prefix): blob for path, blob in found if path.startswith(self.prefix)}

    @cached_property
    def other_heads(self) -> Sequence[str]:
        """The commits that other work trees of the repository have checked out, sorted."""
        if not _has_entries(self.place(_WORK_TREES)):
            return ()
        blocks = self._git.run("worktree", "list", "--porcelain").decode(errors="replace").split("\n\n")
        heads = {line[5:] for block in blocks for line in block.split("\n") if line.startswith("HEAD ")}
        return sorted(head for head in heads - {self.head} if head.strip("0"))


def _has_entries(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def identity_of(file: Path) -> tuple[int, int, int] | None:
    """Return what another file in its place has otherwise; None if there is no file."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
