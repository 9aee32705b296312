"""Fetching, merging and pushing as git itself does it for the person: with their settings, hooks, drivers and keys."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import GitError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEADS = "refs/heads/"
# The line in which git says of a push that it came too late: somebody else's commits are there. Hooks say more lines.
_TOO_LATE = re.compile(
    r"^ ! \[(?:remote )?rejected\] .*\((?:fetch first|non-fast-forward|stale info|[^()]*cannot lock ref[^()]*)\)$",
    re.MULTILINE,
)


def _is_advice(line: str) -> bool:
    """Whether a line is what git adds to everything; hints of memstore's hooks say what to do."""
    return line.startswith("error: failed to push") or (line.startswith("hint: ") and "memstore" not in line)


class Upstream(NamedTuple):
    """Where a branch is fetched from and pushed to; `is_set` is whether git's settings say so."""

    branch: str
    remote: str
    theirs: str
    is_set: bool

    @property
    def tracking(self) -> str:
        """The ref that has the remote's branch as it was last fetched."""
        return f"refs/remotes/{self.remote}/{self.theirs}"


class Refused(NamedTuple):
    """What git says of something that it did not do."""

    said: str
    too_late: bool = False


class GitSync:
    """Git in a person's own work tree.

    Args:
        folder: the repository's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def upstream(self, remote: str | None) -> Upstream:
        """Return where the current branch belongs.

        Args:
            remote: the remote; None for the branch's own, or else the only one.

        Raises:
            GitError: no branch is checked out, or there is no remote.
            UsageError: there is no such remote, or there are several and none is named.
        """
        branch = self._line("symbolic-ref", "--quiet", "HEAD").removeprefix(_HEADS)
        if not branch:
            raise GitError("no branch is checked out, so there is none to push", hint="git switch BRANCH, then again")
        remotes = self._line("remote").split()
        if not remotes:
            raise GitError("there is no remote to sync with", hint="git remote add origin URL")
        own = self._line("config", f"branch.{branch}.remote")
        theirs = self._line("config", f"branch.{branch}.merge").removeprefix(_HEADS)
        chosen = remote or (own if own in remotes else "") or (remotes[0] if len(remotes) == 1 else "")
        if not chosen and "origin" in remotes:
            chosen = "origin"
        if chosen not in remotes:
            said = f"there is no remote {remote}" if remote else "there are several remotes"
            raise UsageError(said, hint=f"memstore sync {'|'.join(remotes)}")
        is_set = own == chosen and bool(theirs)
        return Upstream(branch, chosen, theirs if is_set else branch, is_set)

    def fetch(self, upstream: Upstream) -> Refused | None:
        """Fetch all of a remote."""
        return self._refused("fetch", "--quiet", upstream.remote)

    def tip(self, ref: str) -> str | None:
        """Return the commit that a ref points to; None if there is no such ref."""
        return self._line("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}") or None

    def count(self, since: str | None, until: str) -> int:
        """Return how many commits `until` has that `since` lacks."""
        return int(self._line("rev-list", "--count", until, *([f"^{since}"] if since else ())) or 0)

    def merge(self, upstream: Upstream, key: str | None) -> tuple[Refused, tuple[str, ...]] | None:
        """Merge what was fetched; where that fails, nothing is changed, and files that both sides changed are named.

        Args:
            upstream: where it was fetched from.
            key: the SSH key that signs the merge; None leaves that to git's settings.
        """
        signing = ("-c", "gpg.format=ssh", "-c", f"user.signingKey={key}", "-c", "commit.gpgSign=true") if key else ()
        refused = self._refused("merge", "--quiet", "--no-edit", upstream.tracking, settings=signing)
        if refused is None:
            return None
        unmerged = tuple(self._line("diff", "--name-only", "--diff-filter=U").splitlines())
        if self.tip("MERGE_HEAD") and (stuck := self._refused("merge", "--abort")):
            return Refused(f"{refused.said}\n{stuck.said}"), unmerged
        return refused, unmerged

    def has(self, commit: str) -> bool:
        """Whether the current branch has a commit."""
        return self._run("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0

    def take_back(self, theirs: str) -> None:
        """Put back the files that a merge had changed when it was killed: those that are as the merge would have them.

        git knows nothing of such a merge before it asks its hooks, and would take the files for one's own changes.
        """
        tree = self._line("merge-tree", "--write-tree", "HEAD", theirs).partition("\n")[0]
        top = Path(self._line("rev-parse", "--show-toplevel"))
        changed = self._run("diff", "-z", "--name-only", "HEAD", tree).stdout.split("\0") if tree else ()
        for path in filter(None, changed):
            now = self._line("hash-object", "--", str(top / path))
            if now and now == self._line("rev-parse", f"{tree}:{path}"):
                self._run("reset", "--quiet", "--", f":(top,literal){path}")
                if self._run("checkout", "--quiet", "HEAD", "--", f":(top,literal){path}").returncode != 0:
                    (top / path).unlink()  # it came with the merge

    def keep(self, ref: str, commit: str) -> None:
        """Hold a commit by a ref."""
        self._line("update-ref", ref, commit)

    def drop(self, ref: str) -> None:
        """Let a ref go."""
        self._line("update-ref", "-d", ref)

    def push(self, upstream: Upstream) -> Refused | None:
        """Push the current branch."""
        to = ("--set-upstream",) if not upstream.is_set else ()
        return self._refused("push", "--quiet", *to, upstream.remote, f"HEAD:{_HEADS}{upstream.theirs}")

    def _refused(self, *words: str, settings: Sequence[str] = ()) -> Refused | None:
        done = self._run(*settings, *words)
        told = (done.stderr + done.stdout).splitlines()
        said = "\n".join(line for line in told if not _is_advice(line)).strip()
        is_late = _TOO_LATE.search(said) is not None
        return Refused(said or f"git {words[0]} ended with {done.returncode}", is_late) if done.returncode else None

    def _line(self, *words: str) -> str:
        return self._run(*words).stdout.strip()

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "LC_ALL": "C", "GIT_MERGE_AUTOEDIT": "no"}
        return subprocess.run(
            ["git", *words],
            cwd=self._folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
