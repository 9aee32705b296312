"""Commits given bytes for given files, using plumbing, without touching whatever else is staged (docs/adr/0004)."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.digests import format_of
from memstore.core.errors import ChangedMeanwhileError, GitError, LockedError, RefusedError, UsageError
from memstore.history.git_objects import with_signature
from memstore.history.git_process import as_lines
from memstore.history.repository import INDEX, SCRATCH, identity_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from memstore.history.filters import GitFilters
    from memstore.history.git_process import GitProcess
    from memstore.history.repository import Repository

_PREFIX = "commit-"
_LEFT_BEHIND_AFTER_SECONDS = 3600
_FILE, _PROGRAM, _GONE = "100644", "100755", "0"


class CommitMaker:
    """Commits to a repository.

    Paths are relative to the folder that the repository is asked about.

    Args:
        git: runs git in that folder.
        repository: the repository; what may have changed since is asked again.
        filters: through which files get into its objects.
        sign: returns the armoured signature over a commit's bytes.
    """

    def __init__(
        self,
        git: GitProcess,
        repository: Repository,
        filters: GitFilters,
        sign: Callable[[bytes], str] | None = None,
    ) -> None:
        self._git = git
        self._repository = repository
        self._filters = filters
        self._sign = sign

    def commit(self, files: Mapping[str, bytes | None], message: str, *, at: datetime) -> str:
        """Commit the files, and return the new commit."""
        self.stop_if_busy()
        head = self._repository.later().head
        with self._scratch() as scratch:
            entries = self._entries(files, head, scratch)
            commit = self._object(head, entries, message, at, scratch)
            # (1) The index is updated before (2) HEAD is. A crash after (1) leaves the files staged; in the reverse
            # order, the next `git commit` would undo them.
            self._stage(entries, scratch)
            self._advance(head, commit, message)
        return commit

    def branch_tip(self, branch: str) -> str | None:
        """Return the commit that a branch points to; `UsageError` if the name is not valid for a branch."""
        if self._git.attempt("check-ref-format", "--branch", branch).returncode != 0:
            raise UsageError(f"{branch!r} is not a valid branch name", hint="--branch suggestions")
        done = self._git.attempt("rev-parse", "-q", "--verify", f"refs/heads/{branch}^{{commit}}")
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def commit_on(self, branch: str, files: Mapping[str, bytes], message: str, *, at: datetime) -> str:
        """Commit the files on a branch that is not checked out; work tree and index stay. Return the new commit."""
        _ = self._repository.identity  # git knows it
        tip = self.branch_tip(branch)
        name = f"refs/heads/{branch}"
        # Without `-z`, which older gits don't know: a name of a branch has no line break, so its line is always whole.
        listed = os.fsdecode(self._git.run("worktree", "list", "--porcelain")).split("\n")
        if f"branch {name}" in listed:
            raise RefusedError(f"the branch {branch} is checked out", hint="name another one: --branch NAME")
        base = tip or self._repository.later().head
        with self._scratch() as scratch:
            commit = self._object(base, self._entries(files, base, scratch), message, at, scratch)
        done = self._git.attempt(
            "update-ref", "--create-reflog", "-m", "memstore", name, commit, tip or "0" * len(commit)
        )
        if done.returncode != 0:
            raise ChangedMeanwhileError(f"somebody else moved the branch {branch}", hint="try again")
        return commit

    def stop_if_busy(self) -> None:
        """Raise an error if git doesn't know who is committing, its own commit would stop, or its index is locked."""
        _ = self._repository.identity  # git knows it
        if self._repository.is_merging:
            raise GitError(
                "a merge is in progress in this repository", hint="finish it with git commit, then try again"
            )
        if self._repository.is_unmerged:
            raise GitError(
                "files in this repository are unmerged: a rebase or the like is in progress",
                hint="git status says how to continue or abort it; then try again",
            )
        lock = _lock_of(self._repository.place(INDEX))
        if lock.exists():
            raise _locked(lock)

    def _entries(self, files: Mapping[str, bytes | None], head: str | None, scratch: Path) -> bytes:
        """Write the blobs, and return the lines for `update-index --index-info`."""
        prefix = self._repository.prefix
        kept = {prefix + path: data for path, data in files.items() if data is not None}
        changed = self._filters.changed(kept)
        blobs = {path: self._filters.stored(path, data, write=True) for path, data in changed.items()}
        plain = [path for path in kept if path not in blobs]
        for i, path in enumerate(plain):
            (scratch / f"{i}").write_bytes(kept[path])
        names = as_lines(f"{scratch}/{i}" for i in range(len(plain)))
        written = self._git.run("hash-object", "-w", "--no-filters", "--stdin-paths", data=names) if plain else b""
        blobs |= zip(plain, written.decode().split(), strict=True)
        programs = self._repository.tree(head).programs if head else frozenset()
        nothing = "0" * len(head or "")  # a removed file was committed before, so the id of `head` has the right length
        lines: list[bytes] = []
        for path in files:
            blob = blobs.get(prefix + path)
            mode = _GONE if blob is None else _PROGRAM if path in programs else _FILE
            lines.append(f"{mode} {blob or nothing}\t".encode() + os.fsencode(prefix + path) + b"\0")
        return b"".join(lines)

    def _object(self, head: str | None, entries: bytes, message: str, at: datetime, scratch: Path) -> str:
        env = {"GIT_INDEX_FILE": str(scratch / "tree")}
        if head:
            self._git.run("read-tree", head, env=env)
        self._git.run("update-index", "-z", "--index-info", data=entries, env=env)
        tree = self._git.run("write-tree", env=env).decode().strip()
        parents = ["-p", head] if head else []
        made = self._git.run(
            "commit-tree", tree, *parents, "-F", "-", data=message.encode(errors="surrogateescape"), env=self._dates(at)
        ).decode().strip()  # fmt: skip
        return self._signed(made, self._sign) if self._sign else made

    def _signed(self, commit: str, sign: Callable[[bytes], str]) -> str:
        """Return the same commit with a signature; git itself would run a program that the repository names."""
        data = self._git.run("cat-file", "commit", commit)
        signed = with_signature(data, sign(data), object_format=format_of(commit))
        return self._git.run("hash-object", "-t", "commit", "-w", "--stdin", data=signed).decode().strip()

    def _dates(self, at: datetime) -> dict[str, str]:
        moment = f"@{int(at.timestamp())} {at.astimezone():%z}"
        names = ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")
        return {name: moment for name in names if name not in self._git.environ}

    def _stage(self, entries: bytes, scratch: Path) -> None:
        """Put the entries into the person's index, whose other entries stay.

        Git would hold `index.lock` while it writes, and leave it behind if it is killed. Here the new index is
        completed elsewhere, and the lock exists only between two renames.
        """
        index = self._repository.place(INDEX)
        made, lock = scratch / "index", _lock_of(index)
        before = identity_of(index)
        if before:
            shutil.copyfile(index, made)
        self._git.run("update-index", "-z", "--index-info", data=entries, env={"GIT_INDEX_FILE": str(made)})
        try:
            os.link(made, lock)
        except FileExistsError as error:
            raise _locked(lock) from error
        if identity_of(index) != before:
            lock.unlink()
            raise ChangedMeanwhileError("git's index changed in the meantime; nothing was committed", hint="try again")
        lock.replace(index)

    def _advance(self, head: str | None, commit: str, message: str) -> None:
        subject = message.partition("\n")[0]
        # An all-zero id of any length means that there must be no commit yet.
        old = head or "0" * len(commit)
        done = self._git.attempt(
            "update-ref", "--create-reflog", "-m", f"commit (memstore): {subject}", "HEAD", commit, old
        )
        if done.returncode != 0:
            said = os.fsdecode(done.stderr).strip()
            raise ChangedMeanwhileError(
                f"the branch could not be moved, probably because somebody else committed: {said}", hint="try again"
            )

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        """Create a temporary folder in the git folder: the lock is made by a link, which can't cross file systems."""
        folder = self._repository.place(SCRATCH)
        folder.mkdir(mode=0o700, exist_ok=True)
        _sweep(folder)
        with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=folder.resolve(), ignore_cleanup_errors=True) as scratch:
            yield Path(scratch)


def _sweep(folder: Path) -> None:
    """Remove what killed commits left behind long ago, by the clock of the folder's own file system."""
    probe = folder / f"{_PREFIX}now-{os.getpid()}"
    probe.touch()
    now = probe.stat().st_mtime
    probe.unlink()
    for left in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if left.stat().st_mtime < now - _LEFT_BEHIND_AFTER_SECONDS:
                shutil.rmtree(left)


def _lock_of(index: Path) -> Path:
    return index.with_name("index.lock")


def _locked(lock: Path) -> LockedError:
    return LockedError(
        f"git's index is locked by {lock}", hint="wait for the other git command; if none is running, delete that file"
    )
