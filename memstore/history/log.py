"""The log of a memory, or of all memories: commits, and the events of their confidence."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import TYPE_CHECKING, cast

from memstore.core.change import MemoryChange
from memstore.core.errors import NotFoundError, VaultError
from memstore.core.ids import is_memory_id
from memstore.core.named import ref_of
from memstore.core.places import is_memory_path
from memstore.core.quotation import shown_title
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.titles import title_of
from memstore.files.catalog_entry import entry_of
from memstore.files.memory_file import BrokenFile, MemoryFile, PlainFile, SealedFile
from memstore.history import HISTORY, WORK_TREE
from memstore.history.changes import changes_between, differences, note_change, number
from memstore.history.commit_messages import verb
from memstore.history.history import CommitChanges
from memstore.history.revisions import cut_off, find_at, read_blobs, revisions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.core.catalog import Entry
    from memstore.core.memory import LedgerLine
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.history.history import Commit
    from memstore.history.revisions import Revision

_COMMITS_AT_FIRST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One event.

    `at` is RFC 3339 in UTC. `commit` is None for an event of the confidence. `verb` is what was done to `name`, with
    `details`; `title` is the title at that time. `by` is the commit's author or the event's entity; `summary` is the
    commit message's first line.
    """

    at: str
    commit: str | None
    verb: str
    name: str
    path: str
    details: tuple[str, ...]
    by: str
    summary: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Log:
    """The log, newest first; `ref` is None for the log of the whole vault.

    `cut_off` are those of its commits at which the history of a shallow clone ends: what they did, nobody knows here.
    """

    ref: str | None
    lines: tuple[LogLine, ...]
    cut_off: tuple[str, ...] = ()

    __repr__ = short_repr


def log(view: View, memory: Named | None = None, *, limit: int | None = None) -> Log:
    """Return the log of a memory or plain note, or of all that the viewer may see, newest first.

    Args:
        view: the vault.
        memory: the memory or note; None for all.
        limit: how many lines at most.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
        NotFoundError: there is no such memory.
        GitError: there is no repository.
    """
    view.require_owner()
    view.of(HISTORY).require()
    if memory is None:
        most = None if limit is None else min(limit, sys.maxsize)
        return _log(view, None, tuple(islice(_of_vault(view), most)))
    entry = _find_ever(view, ref_of(memory))
    lines = sorted([*_of_memory(view, entry), *_events(view, entry)], key=lambda line: line.at, reverse=True)
    return _log(view, entry.ref or entry.path, tuple(lines[:limit]))


def _log(view: View, ref: str | None, lines: tuple[LogLine, ...]) -> Log:
    ends = cut_off(view, (line.commit for line in lines if line.commit))
    found = (replace(line, verb="found") if line.commit in ends and line.verb == "add" else line for line in lines)
    return Log(ref, tuple(found), ends)


def _find_ever(view: View, ref: str) -> Entry:
    """Return the memory or note that `ref` means; by its id or path also if a commit deleted it, as it was then."""
    try:
        return find_then_or_now(view, ref)
    except NotFoundError:
        history = view.of(HISTORY)
        last = history.commits(path=ref, limit=1) if _may_be_path(view, ref) else []
        for parent in (parent for commit in last for parent in commit.parents):
            with suppress(NotFoundError):
                return view.at(parent).named(ref, notes=True)
        memory_id = ref.rpartition(":")[2]
        file = history.deleted_files({memory_id}).get(memory_id) if is_memory_id(memory_id) else None
        if file is None or ref not in (memory_id, str(file.memory.ref)):
            raise
        return entry_of(file, history.blob_id(file.data))


def _may_be_path(view: View, ref: str) -> bool:
    return is_memory_path(ref, mixed=view.config.mixed) and not ref.startswith("/")


def find_then_or_now(view: View, memory: Named) -> Entry:
    """Return the memory or plain note that is meant; if it was deleted since the current commit, as it was there."""
    try:
        return view.named(memory, notes=True)
    except NotFoundError as unknown:
        try:
            return view.of(WORK_TREE).committed().named(memory, notes=True)
        except NotFoundError:
            raise unknown from None


def _of_memory(view: View, entry: Entry) -> Iterator[LogLine]:
    head = view.of(HISTORY).head()
    if head is None:
        return
    place = find_at(view, head, entry)
    # What is in no file of the current commit had its last path when it was deleted.
    for revision in revisions(view, place[0] if place else entry.path, entry.id):
        yield _revision_line(revision, entry)


def _revision_line(revision: Revision, entry: Entry) -> LogLine:
    before, after = revision.before, revision.after
    is_note = isinstance(before or after, PlainFile) and isinstance(after or before, PlainFile)
    if is_note and not (entry.id and before is None):
        return _change_line(
            revision.commit, note_change(cast("PlainFile | None", before), cast("PlainFile | None", after))
        )
    states = [
        f"{when} {state}"
        for when, file in (("was", before), ("is", after))
        if file is not None and (state := _no_memory(file))
    ]
    if states:
        return _line(
            revision.commit,
            verb="add" if before is None else "delete" if after is None else "edit",
            name=_name(entry),
            path=entry.path,
            details=tuple(states),
            title=shown_title(entry.title, entry.source_type),
        )
    return _change_line(revision.commit, _change(before, after))


def _no_memory(file: ReadFile) -> str:
    """Return what a file is that has no values of a memory; empty for a memory."""
    match file:
        case MemoryFile():
            return ""
        case PlainFile():
            return "a plain note"
        case SealedFile():
            return "sealed"
        case BrokenFile():
            return "unreadable"


def _change(before: ReadFile | None, after: ReadFile | None) -> MemoryChange:
    return MemoryChange(
        before=before.memory if isinstance(before, MemoryFile) else None,
        after=after.memory if isinstance(after, MemoryFile) else None,
        path_before=before.path if before else None,
        path_after=after.path if after else None,
    )


def _change_line(commit: Commit, change: MemoryChange) -> LogLine:
    before, after = change.before, change.after
    moved = (f"from {change.path_before}",) if change.is_move else ()
    return _line(
        commit,
        verb=verb(change),
        name=change.name,
        path=change.path_after or change.path_before or "",
        details=moved + (differences(before, after) if before and after else ()),
        title=shown_title(title_of(change.memory), change.memory.source_type),
    )


def _line(commit: Commit, *, verb: str, name: str, path: str, details: tuple[str, ...], title: str) -> LogLine:
    return LogLine(
        at=instant(commit.at),
        commit=commit.id,
        verb=verb,
        name=name,
        path=path,
        details=details,
        by=commit.author,
        # A message may mention any memory, so only the vault's owner may read it.
        summary=commit.summary,
        title=title,
    )


def _events(view: View, entry: Entry) -> Iterator[LogLine]:
    """Yield the events of the memory's confidence, as its file has them now."""
    try:
        file = view.whole.read_file(entry.path)
    except VaultError:
        return
    if isinstance(file, MemoryFile):
        for event in file.memory.confidence_history:
            yield LogLine(
                at=event.timestamp,
                commit=None,
                verb=event.op,
                name=_name(entry),
                path=entry.path,
                details=tuple(_event_details(event)),
                by=event.by or "",
                title=shown_title(title_of(file.memory), file.memory.source_type),
            )


def _event_details(event: LedgerLine) -> Iterator[str]:
    if event.old != event.new:
        yield f"confidence {number(event.old)} → {number(event.new)}"
    if event.evidence_source:
        yield f"because {event.evidence_source}"
    if event.reason:
        yield event.reason


def _of_vault(view: View) -> Iterator[LogLine]:
    """Yield the changes of all memories and notes, commit by commit, requesting more commits as the lines are read."""
    seen: set[str] = set()
    limit = _COMMITS_AT_FIRST
    while True:
        commits = view.of(HISTORY).commits(limit=limit)
        fresh = [commit for commit in commits if commit.id not in seen]
        for _, group in groupby(view.of(HISTORY).changes(fresh), key=lambda change: change.commit.id):
            yield from _of_commit(view, _own_changes(list(group)))
        if len(commits) < limit:
            return
        seen.update(commit.id for commit in fresh)
        limit *= 4


def _own_changes(against_parents: list[CommitChanges]) -> CommitChanges:
    """Return what a commit itself changed; for a merge, what differs from all of its parents."""
    first, *others = against_parents
    if first.parent is None or len(first.commit.parents) < 2:  # noqa: PLR2004 - a merge has two or more
        return first
    paths = [{file.path for file in other.files} for other in others]
    if len(against_parents) < len(first.commit.parents):
        paths.append(set())  # it equals a parent, which is not listed
    return CommitChanges(
        first.commit, first.parent, tuple(file for file in first.files if all(file.path in other for other in paths))
    )


def _of_commit(view: View, commit: CommitChanges) -> Iterator[LogLine]:
    files = [file for file in commit.files if is_memory_path(file.path, mixed=view.config.mixed)]
    before = read_blobs(view, {file.path: file.old for file in files if file.old})
    after = read_blobs(view, {file.path: file.new for file in files if file.new})
    changes = changes_between(before, after)
    left_out = view.of(HISTORY).left_out(
        path for one in changes.notes for path in (one.path_before, one.path_after) if path
    )
    for change in changes.all:
        if change.is_note and (change.path_after or change.path_before) in left_out:
            continue
        if not (change.is_note or all(map(view.sees, filter(None, (change.before, change.after))))):
            continue
        yield _change_line(commit.commit, change)


def _name(entry: Entry) -> str:
    return entry.ref or entry.path
