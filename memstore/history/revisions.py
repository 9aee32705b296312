"""The revisions of one memory, tracked by its id whatever its file was called, and who wrote each of its lines.

Every object on the way is checked against its name: nothing in `.git` is trusted.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from memstore.core.digests import format_of
from memstore.core.errors import FormatError, GitError
from memstore.core.short_repr import short_repr
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile, PlainFile
from memstore.history import HISTORY, WORK_TREE, git_objects
from memstore.history.renames import renamed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memstore.core.catalog import Entry
    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.quotation import External
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.history.git_objects import GitObject
    from memstore.history.history import Commit, CommitChanges, FileChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What one commit did to a memory or plain note; None on the side where it doesn't exist."""

    commit: Commit
    before: ReadFile | None
    after: ReadFile | None


def revisions(view: View, path: str, memory_id: str) -> list[Revision]:
    """Return the revisions of a memory or plain note, newest first.

    Args:
        view: the vault.
        path: its path in the current commit.
        memory_id: its id; empty for a note, or a memory without one, which is tracked by its path, and where a commit
            renamed the file as git decides it.
    """
    walk = _Walk(view, memory_id)
    walk.follow(path)
    return sorted(walk.found.values(), key=lambda revision: revision.commit.at, reverse=True)


class _Walk:
    """Goes back through the history, from name to name; for one use."""

    def __init__(self, view: View, memory_id: str) -> None:
        self.view, self.memory_id = view, memory_id
        self.found: dict[str, Revision] = {}
        self._blobs: dict[str, bytes] = {}

    def follow(self, path: str) -> None:
        """Find all revisions from the current commit back."""
        # If a memory came to `path` from another path, the walk continues there from the commit before.
        waiting: list[tuple[str | None, str]] = [(None, path)]
        done: set[tuple[str | None, str]] = set()
        while waiting:
            start, path = waiting.pop()
            if (start, path) not in done:
                done.add((start, path))
                waiting += self._at_path(start, path)

    def _at_path(self, start: str | None, path: str) -> list[tuple[str | None, str]]:
        """Record the revisions at one path; return the commits and paths to continue from."""
        changes = self.view.of(HISTORY).changes(self.view.of(HISTORY).commits(path=path, start=start))
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
        # A merge is seen once for each parent; the first one counts.
        self.found.setdefault(commit.id, Revision(commit=commit, before=earlier, after=after))

    def _elsewhere(self, change: CommitChanges, path: str) -> FileChange | None:
        """Return the file that had the memory or note before a commit moved it to `path`."""
        others = [file for file in change.files if file.old and file.path != path]
        if not self.memory_id:
            return self._renamed(change, path, [file for file in others if not file.new])
        self._fetch([file.old for file in others if file.old])
        return next((file for file in others if self._is_it(file.path, file.old)), None)

    def _renamed(self, change: CommitChanges, path: str, gone: list[FileChange]) -> FileChange | None:
        """Return the one of some files that a commit deleted which it renamed to `path`; a merge renames nothing."""
        if len(change.commit.parents) > 1 or not gone:
            return None
        came = {file.path: file.new for file in change.files if file.new and not file.old}
        self._fetch([*came.values(), *(file.old for file in gone if file.old)])
        lost = {file.path: self._blobs.get(file.old or "", b"") for file in gone if not self._has_id(file)}
        was = renamed(lost, {name: self._blobs.get(blob, b"") for name, blob in came.items()}).get(path)
        return next((file for file in gone if file.path == was), None)

    def _has_id(self, file: FileChange) -> bool:
        read = self._file(file.path, file.old)
        return isinstance(read, MemoryFile) and read.memory.id is not None

    def _holds(self, path: str, blob: str | None) -> bool:
        """Return whether a file is a revision of this memory; an unreadable file counts by its path."""
        if blob is None:
            return False
        file = self._file(path, blob)
        return not self.memory_id or not isinstance(file, MemoryFile) or file.memory.id in {self.memory_id, None}

    def _is_it(self, path: str, blob: str | None) -> bool:
        """Return whether a file says itself that it is this memory; other files of a commit prove nothing."""
        file = self._file(path, blob)
        return isinstance(file, MemoryFile) and file.memory.id == self.memory_id

    def _file(self, path: str, blob: str | None) -> ReadFile | None:
        return (
            None if blob is None else memory_file.read(path, self._blobs.get(blob, b""), mixed=self.view.config.mixed)
        )

    def _fetch(self, blobs: list[str]) -> None:
        found: Mapping[str, bytes] = self.view.blobs(blob for blob in blobs if blob not in self._blobs)
        self._blobs.update(found)


def find_at(view: View, commit: str, entry: Entry) -> tuple[str, str] | None:
    """Return path and blob of a memory or note as of a commit, found by its id; without one, by its path then."""
    files = view.of(HISTORY).files_at(commit)
    same_path = files.get(entry.path)
    if same_path and (not entry.id or _id_in(view, entry.path, same_path) == entry.id):
        return entry.path, same_path
    if not entry.id:
        return next(((path, files[path]) for path in _earlier_paths(view, entry.path) if path in files), None)
    # Only files that contain the id somewhere are worth reading.
    wanted = entry.id.encode()
    close = {blob for blob, data in view.blobs(files.values()).items() if wanted in data}
    return next(((p, blob) for p, blob in files.items() if blob in close and _id_in(view, p, blob) == entry.id), None)


def _earlier_paths(view: View, path: str) -> Iterator[str]:
    """Yield the paths that a file had before, the latest first."""
    waiting = view.of(WORK_TREE).pending().changes.all
    path = next((one.path_before for one in waiting if one.path_after == path and one.path_before), path)
    yield path
    yield from (one.before.path for one in revisions(view, path, "") if one.before and one.after)


def read_blobs(view: View, blobs: Mapping[str, str]) -> dict[str, ReadFile]:
    """Return the files with these blobs, by path."""
    data = view.blobs(blobs.values())
    return {
        path: memory_file.read(path, data[blob], mixed=view.config.mixed)
        for path, blob in blobs.items()
        if blob in data
    }


def whole_of(view: View, memory: Memory) -> MemoryFile | None:
    """Return the file that a memory is the summary of, from the history; None if there is no such file.

    `compressed_from` may name any blob, so the blob is checked to hold the same memory.
    """
    return wholes_of(view, [memory])[0]


def wholes_of(view: View, memories: Sequence[Memory]) -> list[MemoryFile | None]:
    """Return the result of `whole_of` for each of these memories, with a single call of git."""
    blobs = [memory.compressed_from.blob if memory.compressed_from else "" for memory in memories]
    data = view.blobs(filter(None, blobs)) if view.of(HISTORY).repository and any(blobs) else {}
    files = [memory_file.read("", data[blob], mixed=view.config.mixed) if blob in data else None for blob in blobs]
    return [
        file if isinstance(file, MemoryFile) and file.memory.id == memory.id else None
        for file, memory in zip(files, memories, strict=True)
    ]


def _id_in(view: View, path: str, blob: str) -> str | None:
    file = memory_file.read(path, view.blobs([blob]).get(blob, b""), mixed=view.config.mixed)
    return file.memory.id if isinstance(file, MemoryFile) else None


# -- files as of commits ---------------------------------------------------------------------------


def true_objects(view: View, ids: Iterable[str]) -> Mapping[str, GitObject]:
    """Return those of the objects that exist.

    Raises:
        GitError: git can't read one of them, or its content does not match its id.
    """
    found = view.of(HISTORY).objects(dict.fromkeys(ids))
    for object_id, one in found.items():
        if not git_objects.is_named(object_id, one):
            raise GitError(
                f"the content of the object {object_id} does not match its name", hint="git fsck, and restore a backup"
            )
    return found


def bytes_at(
    view: View, commits: Mapping[str, GitObject], paths: Sequence[str]
) -> Mapping[tuple[str, str], bytes | None]:
    """Return the bytes that commits have at paths, by commit and path; None if there is nothing at a path.

    Args:
        view: the vault.
        commits: verified commits, by id.
        paths: relative to the vault, all in one folder.

    Raises:
        GitError: an object is missing, or doesn't match its name.
    """
    whole = {path: os.fsencode(view.of(HISTORY).require().prefix + path).split(b"/") for path in paths}
    at = {(commit, path): git_objects.tree_of(data) for commit, data in commits.items() for path in paths}
    for depth in range(max(map(len, whole.values()))):
        trees = _there(view, at.values())
        for (commit, path), tree in at.items():
            if tree is not None:
                part = whole[path][depth]
                at[commit, path] = git_objects.entry_of(trees[tree], part, object_format=format_of(commit))
    data = {blob: found.data for blob, found in _there(view, at.values()).items()}
    data |= view.of(HISTORY).changed_texts((path, blob) for (_, path), blob in at.items() if blob)
    return {place: None if blob is None else data[blob] for place, blob in at.items()}


def _there(view: View, ids: Iterable[str | None]) -> Mapping[str, GitObject]:
    asked = {object_id for object_id in ids if object_id is not None}
    found = true_objects(view, asked)
    for object_id in asked - set(found):
        raise GitError(f"the object {object_id} is not in this clone", hint="git fetch --unshallow, or git fsck")
    return found


# -- who wrote each line ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """One line of the file, from 1, with the commit that wrote it; None if it is not committed yet."""

    line: int
    text: str
    commit: Commit | None


@dataclass(frozen=True, slots=True)
class Blame:
    """The history entries and the body of a memory, or all of a plain note, line by line.

    `external` is set if they are a quotation. `cut_off` are the commits at which the history of a shallow clone ends:
    they may not have written the line.
    """

    ref: str | None
    path: str
    history: tuple[BlamedLine, ...]
    body: tuple[BlamedLine, ...]
    external: External | None = None
    cut_off: tuple[str, ...] = ()

    __repr__ = short_repr


def blame(view: View, memory: Named) -> Blame:
    """Return the commit of each entry of the confidence's history and line of the body, or of all lines of a note.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
        FormatError: the file can't be read any more.
        GitError: there is no repository.
    """
    view.require_owner()
    view.of(HISTORY).require()
    entry = view.named(memory, notes=True)
    file = view.whole.any_file(entry.path)
    if not isinstance(file, MemoryFile | PlainFile):
        raise FormatError(f"{entry.path} can't be read", hint="memstore check says why")
    texts = _lines(file.data)
    commits = _commits(view, entry, texts)
    lines = [
        BlamedLine(number, text.decode(errors="replace").rstrip("\r"), commits[number - 1])
        for number, text in enumerate(texts, start=1)
    ]
    history: tuple[BlamedLine, ...] = ()
    body = tuple(lines)
    if isinstance(file, MemoryFile):
        events = range(len(file.memory.confidence_history))
        history = tuple(lines[file.front.position("confidence_history", i).line - 1] for i in events)
        body = tuple(lines[file.text.body_line - 1 :])
    return Blame(
        entry.ref,
        entry.path,
        history=history,
        body=body,
        external=view.external(file.memory),
        cut_off=cut_off(view, (line.commit.id for line in (*history, *body) if line.commit)),
    )


def _commits(view: View, entry: Entry, texts: list[bytes]) -> list[Commit | None]:
    """Return the commit of each current line: git's blame of the committed file, matched line by line."""
    written: list[Commit | None] = [None] * len(texts)
    head = view.of(HISTORY).head()
    place = find_at(view, head, entry) if head else None
    if head is None or place is None:
        return written
    path, blob = place
    committed = view.of(HISTORY).blame(path, head)
    old = _lines(view.blobs([blob])[blob])
    for start, at, size in SequenceMatcher(None, old, texts, autojunk=False).get_matching_blocks():
        written[at : at + size] = committed[start : start + size]
    return written


def cut_off(view: View, commits: Iterable[str]) -> tuple[str, ...]:
    """Return those of the commits at which the history of a shallow clone ends."""
    named = dict.fromkeys(commits)
    return tuple(commit for commit in named if commit in view.of(HISTORY).cut_off) if named else ()


def _lines(data: bytes) -> list[bytes]:
    """Return the lines as git counts them; the last one may lack its line end."""
    return data.removesuffix(b"\n").split(b"\n") if data else []
