"""Bring a vault and its remote together: commit, fetch, merge, check, push; and stop at what needs a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import MemstoreError, RefusedError
from memstore.core.short_repr import short_repr
from memstore.history import HISTORY, WORK_TREE
from memstore.trust.read_keyring import member_key
from memstore.vault.check import check_against
from memstore.vault.status import commit as commit_pending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.view import View
    from memstore.history.git_sync import GitSync, Refused, Upstream

# Somebody may push between one's own fetch and push.
MOST_TRIES = 5
RESCUED = "refs/memstore/rescue/"
# The commit before a merge that was not yet found right.
UNCHECKED = "refs/memstore/unchecked"
# What is being merged, while it is.
MERGING = "refs/memstore/merging"


class SyncStop(NamedTuple):
    """Why it stopped at a step, what to do, and the ref that has what could not be merged, if there is such."""

    step: str
    why: str
    hint: str
    rescued: str | None = None


class Synced(NamedTuple):
    """What was done, a line for each step; `stopped` is where a person is needed, None if all is done."""

    remote: str
    branch: str
    done: tuple[str, ...]
    stopped: SyncStop | None = None

    def __repr__(self) -> str:
        return short_repr(self)


def sync(view: View, remote: str | None = None, *, message: str | None = None, dry_run: bool = False) -> Synced:
    """Commit what is pending, fetch, merge with the driver of memories, check what came, and push.

    A merge that fails is taken back, and both sides are in commits. One with errors stays, and nothing is pushed before
    they are mended.

    Args:
        view: the vault.
        remote: the remote; None for that of the branch, or the only one.
        message: of the commit; None to derive it from the changes.
        dry_run: only say what there is to do, by what was fetched last.

    Raises:
        GitError: there is no repository, no branch or no remote, or a merge or the like is in progress.
        UsageError: there is no such remote, or there are several and none is named.
    """
    git = view.of(HISTORY).porcelain()
    upstream = git.upstream(remote)
    view.of(HISTORY).stop_if_busy()
    syncing = _Syncing(view, git, upstream)
    return syncing.planned() if dry_run else syncing.synced(message)


class _Syncing:
    """One run; `done` grows step by step."""

    def __init__(self, view: View, git: GitSync, upstream: Upstream) -> None:
        self._view, self._git, self._upstream = view, git, upstream
        self._done: list[str] = []

    def planned(self) -> Synced:
        pending = len(self._view.of(WORK_TREE).pending().changes.all)
        theirs = self._git.tip(self._upstream.tracking)
        behind = self._git.count("HEAD", theirs) if theirs else 0
        self._done += [f"would commit {_counted(pending, 'file')}"] if pending else []
        self._done.append(f"would fetch {self._upstream.remote}")
        self._done += [f"would merge {_counted(behind, 'commit')} that were fetched before"] if behind else []
        self._done.append(f"would push {_counted(self._ahead(theirs), 'commit')}, and what is committed then")
        return self._ended()

    def synced(self, message: str | None) -> Synced:
        self._take_back_what_was_killed()
        if self._view.of(WORK_TREE).pending().changes.all or self._view.is_owners:
            try:
                committed = commit_pending(self._view, message=message)
            except MemstoreError as error:
                return self._ended("commit", str(error), error.hint or "memstore status shows what is pending")
            if committed.commit:
                self._done.append(f"committed {committed.commit[:10]}")
            if committed.left_out:
                paths = ", ".join(committed.left_out)
                return self._ended("commit", f"{paths} can't be read, and is not committed", "memstore check says why")
        for _ in range(MOST_TRIES):
            if stop := self._fetched() or self._merged() or self._checked():
                return stop
            if not (ahead := self._ahead(self._git.tip(self._upstream.tracking))):
                self._done.append(f"nothing to push: {self._upstream.remote} {self._upstream.theirs} has all of it")
                break
            refused = self._git.push(self._upstream)
            if refused is None:
                place = f"{self._upstream.remote} {self._upstream.theirs}"
                self._done.append(f"pushed {_counted(ahead, 'commit')} to {place}")
                break
            if not refused.too_late:
                hint = "once that is done, memstore sync goes on"
                return self._ended("push", refused.said, hint)
        else:
            return self._ended("push", "somebody else pushed each time", "memstore sync, in a while")
        return self._ended()

    def _take_back_what_was_killed(self) -> None:
        if theirs := self._git.tip(MERGING):
            if not self._git.has(theirs):
                self._git.take_back(theirs)
            self._git.drop(MERGING)

    def _fetched(self) -> Synced | None:
        refused = self._git.fetch(self._upstream)
        hint = f"git fetch {self._upstream.remote} says more; what you committed is here"
        return self._ended("fetch", refused.said, hint) if refused else None

    def _merged(self) -> Synced | None:
        before, theirs = self._git.tip("HEAD"), self._git.tip(self._upstream.tracking)
        if theirs is None or not (new := self._git.count("HEAD", theirs)):
            return None
        self._git.keep(MERGING, theirs)
        failed = self._git.merge(self._upstream, member_key(self._view))
        self._git.drop(MERGING)
        if failed:
            return self._not_merged(theirs, *failed)
        self._done.append(f"merged {_counted(new, 'commit')}")
        if before and self._git.tip(UNCHECKED) is None:
            self._git.keep(UNCHECKED, before)
        return None

    def _checked(self) -> Synced | None:
        """Check what came since the last merge that was found right, in whichever run it came."""
        if (since := self._git.tip(UNCHECKED)) is None:
            return None
        try:
            errors = [one for one in check_against(self._view.again(), since).findings if one.is_error]
        except RefusedError:
            self._done.append("not checked: only the vault's owner may")
            return None
        if errors:
            why = f"{_counted(len(errors), 'error')} came with the merge, first {errors[0].line}"
            return self._ended("check", why, f"memstore check --against {since}, mend it, then memstore sync")
        self._git.drop(UNCHECKED)
        return None

    def _not_merged(self, theirs: str, refused: Refused, unmerged: tuple[str, ...]) -> Synced:
        place = f"{self._upstream.remote}/{self._upstream.theirs}"
        if not unmerged:
            said = refused.said if self._view.is_owners else f"git can't merge {place} into what is here"
            return self._ended("merge", said, "mend that, then memstore sync; nothing was changed here")
        rescued = f"{RESCUED}{self._upstream.branch}-{theirs[:10]}"
        self._git.keep(rescued, theirs)
        why = f"both sides changed the same lines of {self._named(unmerged)}; nothing was changed here"
        hint = f"git merge {place}, mend these, git add, git commit; then memstore sync"
        return self._ended("merge", why, hint, rescued)

    def _named(self, paths: Sequence[str]) -> str:
        """Return paths as far as the actor may see what is there."""
        seen = [path for path in paths if self._view.is_owners or self._view.text(path)]
        hidden = [_counted(len(paths) - len(seen), "file") + " that you may not see"] if len(seen) < len(paths) else []
        return ", ".join((*seen, *hidden))

    def _ahead(self, theirs: str | None) -> int:
        return self._git.count(theirs, "HEAD") if self._git.tip("HEAD") else 0

    def _ended(self, step: str = "", why: str = "", hint: str = "", rescued: str | None = None) -> Synced:
        stopped = SyncStop(step, why, hint, rescued) if step else None
        return Synced(self._upstream.remote, self._upstream.branch, tuple(self._done), stopped)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
