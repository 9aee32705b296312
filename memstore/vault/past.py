"""The vault as of a commit or a date."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.codec import dates
from memstore.errors import NotFoundError, UsageError, VaultError

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.ports.search_index import Snapshot
    from memstore.vault.workspace import Workspace

_LIKE_A_DATE = re.compile(r"\d{4}-\d|\d{4}-?$|\d+(d|w|mo|y)$")


class Past(NamedTuple):
    """The vault as it was: its snapshot, and a function that gives a file's bytes as they were."""

    snapshot: Snapshot
    read: Callable[[str], bytes]


def snapshot_of_commit(ws: Workspace, commit: str) -> Past:
    """Return the vault as of a commit, given by its id."""
    files = ws.history.files_at(commit)
    blobs = ws.history.blobs(files.values())

    def read(path: str) -> bytes:
        if path not in files:
            raise VaultError(f"{path} was not there in commit {commit[:10]}", hint="memstore log shows what was when")
        return blobs[files[path]]

    return Past(ws.library.snapshot_of((path, blobs[blob]) for path, blob in files.items() if blob in blobs), read)


def commit_at(ws: Workspace, when: str) -> str:
    """Return the commit that `when` names: the last one at or before the end of a date, or the one of a revision.

    Raises:
        UsageError: it is nothing, or looks like a date and is none.
        NotFoundError: there is no such commit.
        GitError: the vault has no history.
    """
    ws.history.require()
    try:
        period = dates.period(when, now=ws.clock.now())
    except UsageError as no_date:
        return _revision(ws, when, no_date)
    commit = ws.history.last_commit(until=period.end)
    if commit is None:
        raise NotFoundError(f"the history has no commit at or before {when}", hint="memstore log shows when it begins")
    return commit


def _revision(ws: Workspace, when: str, no_date: UsageError) -> str:
    """Return the commit of a revision; what looks like a date, or is nothing, and names no commit either is no date."""
    try:
        return ws.history.resolve(when)
    except NotFoundError:
        if not when or _LIKE_A_DATE.match(when):
            raise no_date from None
        raise
