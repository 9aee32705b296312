"""The vault as it is, or as it was at a commit or a date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.errors import NotFoundError, UsageError, VaultError

if TYPE_CHECKING:
    from memstore.codec.memory_file import ReadFile
    from memstore.model.catalog import Entry
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True)
class State:
    """The vault at one time: `commit` is None for now, uncommitted changes included."""

    ws: Workspace
    commit: str | None
    snapshot: Snapshot

    def read(self, entry: Entry) -> ReadFile:
        """Return what the file of an entry held at that time."""
        from memstore.codec import memory_file
        from memstore.ports.vault import read_file

        if self.commit is None:
            return read_file(self.ws.vault, entry.path)
        blobs = self.ws.history.blobs([entry.blob])
        if entry.blob not in blobs:
            raise VaultError(f"the repository does not have {entry.path} as of {self.commit}", hint="git fetch")
        return memory_file.read(entry.path, blobs[entry.blob])


def state(ws: Workspace, at: str | None) -> State:
    """Return the vault at a commit or a date; None is now.

    Raises:
        UsageError: `at` is neither a date nor a commit.
        NotFoundError: the history begins after the date.
        GitError: there is no repository.
    """
    if at is None:
        return State(ws, None, ws.library.snapshot())
    commit = commit_at(ws, at)
    files = ws.history.files_at(commit)
    blobs = ws.history.blobs(files.values())
    snapshot = ws.library.snapshot_of((path, blobs[blob]) for path, blob in files.items() if blob in blobs)
    return State(ws, commit, snapshot)


def commit_at(ws: Workspace, at: str) -> str:
    """Return the commit that `at` names: by date the last one until the end of that time, else as git does."""
    from memstore.codec import dates

    ws.history.require()
    try:
        until = dates.period(at, now=ws.clock.now()).end
    except UsageError:
        return _named(ws, at)
    commit = ws.history.last_commit(until=until)
    if commit is None:
        raise NotFoundError(f"there is no commit up to {at}", hint="`memstore log` shows when the history begins")
    return commit


def _named(ws: Workspace, at: str) -> str:
    from memstore.codec import dates

    try:
        return ws.history.resolve(at)
    except NotFoundError as error:
        raise UsageError(f"`{at}` is neither a date nor a commit", hint=f"a date is {dates.FORMS}") from error
