"""The revisions of one memory, followed by its id through whatever its file was called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import memory_file
from memstore.codec.memory_file import MemoryFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.codec.memory_file import ReadFile
    from memstore.core.view import View
    from memstore.model.catalog import Entry
    from memstore.ports.history import Commit, CommitChanges, FileChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What one commit made of a memory; None on the side on which it is not there."""

    commit: Commit
    before: ReadFile | None
    after: ReadFile | None


def revisions(view: View, path: str, memory_id: str) -> list[Revision]:
    """Return the revisions of a memory, newest first.

    Args:
        view: the vault.
        path: where the memory lies in the current commit.
        memory_id: its id; empty for a memory without one, which is followed by its path alone.
    """
    walk = _Walk(view, memory_id)
    walk.follow(path)
    return sorted(walk.found.values(), key=lambda revision: revision.commit.at, reverse=True)


class _Walk:
    """Goes back through the history, from name to name; one use."""

    def __init__(self, view: View, memory_id: str) -> None:
        self.view, self.memory_id = view, memory_id
        self.found: dict[str, Revision] = {}
        self._blobs: dict[str, bytes] = {}

    def follow(self, path: str) -> None:
        """Find all revisions from the current commit back."""
        # Where a memory came to `path` from elsewhere, the walk goes on there from the commit before.
        waiting: list[tuple[str | None, str]] = [(None, path)]
        done: set[tuple[str | None, str]] = set()
        while waiting:
            start, path = waiting.pop()
            if (start, path) not in done:
                done.add((start, path))
                waiting += self._at_path(start, path)

    def _at_path(self, start: str | None, path: str) -> list[tuple[str | None, str]]:
        """Record the revisions at one path; return the commits and paths to go on from."""
        changes = self.view.history.changes(self.view.history.commits(path=path, start=start))
        here = [(change, file) for change in changes for file in change.files if file.path == path]
        self._fetch([blob for _, file in here for blob in (file.old, file.new) if blob])
        further: list[tuple[str | None, str]] = []
        for change, file in here:
            if not self._holds(path, file.old) and not self._holds(path, file.new):
                continue  # another memory's file had this name at that time
            before = file if self._holds(path, file.old) else self._elsewhere(change, path)
            if before is not None and before.path != path and change.parent:
                further.append((change.parent, before.path))
            self._record(change.commit, before, file)
        return further

    def _record(self, commit: Commit, before: FileChange | None, file: FileChange) -> None:
        after = self._file(file.path, file.new) if self._holds(file.path, file.new) else None
        earlier = self._file(before.path, before.old) if before else None
        # A merge is seen once for each parent; the first one tells.
        self.found.setdefault(commit.id, Revision(commit=commit, before=earlier, after=after))

    def _elsewhere(self, change: CommitChanges, path: str) -> FileChange | None:
        """Return the file in which the memory was before a commit that brought it to `path`."""
        if not self.memory_id:
            return None
        others = [file for file in change.files if file.old and file.path != path]
        self._fetch([file.old for file in others if file.old])
        return next((file for file in others if self._holds(file.path, file.old)), None)

    def _holds(self, path: str, blob: str | None) -> bool:
        """Whether a file is a revision of this memory; one that could not be read counts for its path."""
        if blob is None:
            return False
        file = self._file(path, blob)
        return not self.memory_id or not isinstance(file, MemoryFile) or file.memory.id in {self.memory_id, None}

    def _file(self, path: str, blob: str | None) -> ReadFile | None:
        return None if blob is None else memory_file.read(path, self._blobs.get(blob, b""))

    def _fetch(self, blobs: list[str]) -> None:
        found: Mapping[str, bytes] = self.view.blobs(blob for blob in blobs if blob not in self._blobs)
        self._blobs.update(found)


def find_at(view: View, commit: str, entry: Entry) -> tuple[str, str] | None:
    """Return path and blob of a memory as of a commit, found by its id; by its path where it has none."""
    files = view.history.files_at(commit)
    same_path = files.get(entry.path)
    if same_path and (not entry.id or _id_in(view, entry.path, same_path) == entry.id):
        return entry.path, same_path
    if not entry.id:
        return None
    # Only what has the id's letters somewhere is worth reading.
    wanted = entry.id.encode()
    close = {blob for blob, data in view.blobs(files.values()).items() if wanted in data}
    return next(((p, blob) for p, blob in files.items() if blob in close and _id_in(view, p, blob) == entry.id), None)


def read_blobs(view: View, blobs: Mapping[str, str]) -> dict[str, ReadFile]:
    """Return the files that these blobs hold, by path."""
    data = view.blobs(blobs.values())
    return {path: memory_file.read(path, data[blob]) for path, blob in blobs.items() if blob in data}


def _id_in(view: View, path: str, blob: str) -> str | None:
    file = memory_file.read(path, view.blobs([blob]).get(blob, b""))
    return file.memory.id if isinstance(file, MemoryFile) else None
