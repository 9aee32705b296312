"""The vault as it is, or as it was at a commit or a date, in one form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.flows.at import commit_at, snapshot_of_commit

if TYPE_CHECKING:
    from memstore.codec.memory_file import ReadFile
    from memstore.flows.at import Past
    from memstore.model.catalog import Entry
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True)
class State:
    """The vault at one time: `commit` and `past` are None for now, uncommitted changes included."""

    ws: Workspace
    snapshot: Snapshot
    commit: str | None = None
    past: Past | None = None

    def read(self, entry: Entry) -> ReadFile:
        """Return what the file of an entry held at that time."""
        from memstore.codec import memory_file
        from memstore.ports.vault import read_file

        if self.past is None:
            return read_file(self.ws.vault, entry.path)
        return memory_file.read(entry.path, self.past.read(entry.path))


def state(ws: Workspace, at: str | None) -> State:
    """Return the vault at a commit or a date; None is now.

    Raises:
        UsageError: `at` looks like a date and is none.
        NotFoundError: there is no such commit.
        GitError: the vault has no history.
    """
    if at is None:
        return State(ws, ws.library.snapshot())
    commit = commit_at(ws, at)
    past = snapshot_of_commit(ws, commit)
    return State(ws, past.snapshot, commit, past)
