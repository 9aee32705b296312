"""The vault as of a commit or a date."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.codec import dates, memory_file
from memstore.codec.memory_file import MemoryFile
from memstore.errors import NotFoundError, UsageError, VaultError
from memstore.flows.visible import stop_for_others

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.model.catalog import Entry
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace

_LIKE_A_DATE = re.compile(r"\d{4}-\d|\d{4}-?$|\d+(d|w|mo|y)$")


class Past(NamedTuple):
    """The vault as it was: its snapshot, and a function that gives a file's bytes as they were."""

    snapshot: Snapshot
    read: Callable[[str], bytes]


def snapshot_at(ws: Workspace, when: str) -> Past:
    """Return the vault as of `when`, a date or a revision in git's notation.

    Raises:
        MemstoreError: as `commit_at`.
    """
    return snapshot_of_commit(ws, commit_at(ws, when))


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
        RefusedError: the one who looks isn't the vault's owner, whose the past is.
        UsageError: it is nothing, or looks like a date and is none.
        NotFoundError: there is no such commit.
        GitError: the vault has no history.
    """
    stop_for_others(ws)
    ws.history.require()
    try:
        period = dates.period(when, now=ws.clock.now())
    except UsageError as no_date:
        return _revision(ws, when, no_date)
    commit = ws.history.last_commit(until=period.end)
    if commit is None:
        raise NotFoundError(f"the history has no commit at or before {when}", hint="memstore log shows when it begins")
    return commit


def find_at(ws: Workspace, commit: str, entry: Entry) -> tuple[str, str] | None:
    """Return path and blob of a memory as of a commit, found by its id; by its path where it has none."""
    files = ws.history.files_at(commit)
    same_path = files.get(entry.path)
    if same_path and (not entry.id or _id_in(ws, entry.path, same_path) == entry.id):
        return entry.path, same_path
    if not entry.id:
        return None
    # Only what has the id's letters somewhere is worth reading.
    wanted = entry.id.encode()
    close = {blob for blob, data in ws.history.blobs(files.values()).items() if wanted in data}
    return next(((p, blob) for p, blob in files.items() if blob in close and _id_in(ws, p, blob) == entry.id), None)


def _revision(ws: Workspace, when: str, no_date: UsageError) -> str:
    """Return the commit of a revision; what looks like a date, or is nothing, and names no commit either is no date."""
    try:
        return ws.history.resolve(when)
    except NotFoundError:
        if not when or _LIKE_A_DATE.match(when):
            raise no_date from None
        raise


def _id_in(ws: Workspace, path: str, blob: str) -> str | None:
    file = memory_file.read(path, ws.history.blobs([blob]).get(blob, b""))
    return file.memory.id if isinstance(file, MemoryFile) else None
