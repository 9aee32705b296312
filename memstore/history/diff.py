"""Changes of one memory or of all: described in words, and the body as a text diff."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from memstore.core.change import MemoryChange
from memstore.core.errors import FormatError, NotFoundError, UsageError
from memstore.core.named import ref_of
from memstore.core.short_repr import short_repr
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile, PlainFile
from memstore.history import HISTORY, WORK_TREE
from memstore.history.changes import differences, note_change
from memstore.history.commit_messages import verb
from memstore.history.log import find_then_or_now
from memstore.history.revisions import find_at

if TYPE_CHECKING:
    from memstore.core.catalog import Entry
    from memstore.core.named import Named
    from memstore.core.quotation import External
    from memstore.core.view import View

    _Text = MemoryFile | PlainFile


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDiff:
    """A memory or plain note: what was done to it, what changed, the unified diff of its body (empty if unchanged).

    `external` is set if they quote an external memory, in one of the two states.
    """

    verb: str
    name: str
    path: str
    path_before: str | None
    statements: tuple[str, ...]
    body: tuple[str, ...]
    external: External | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """The differences between two commits: `new` is None for the work tree, `old` is None before the first commit."""

    old: str | None
    new: str | None
    memories: tuple[MemoryDiff, ...]
    broken: tuple[str, ...]

    __repr__ = short_repr


def diff(view: View, memory: Named | None = None, old: str | None = None, new: str | None = None) -> Diff:
    """Return what changed.

    Args:
        view: the vault.
        memory: the memory or plain note; None for all, which are compared with the current commit.
        old: a revision or date; None for the current commit.
        new: a revision or date; None for the work tree.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
        NotFoundError: no such memory or commit, or the memory exists in neither state.
    """
    view.require_owner()
    view.of(HISTORY).require()
    if memory is None:
        waiting = view.of(WORK_TREE).pending().changes
        return Diff(
            old=view.of(HISTORY).head(),
            new=None,
            memories=tuple(_diff(view, change) for change in waiting.all),
            broken=tuple(file.path for file in waiting.broken),
        )
    ref = ref_of(memory)
    try:
        entry = find_then_or_now(view, ref)
    except NotFoundError as unknown:
        raise _or_commit(view, ref, unknown) from None
    first = view.of(WORK_TREE).commit_at(old) if old else view.of(HISTORY).head()
    last = view.of(WORK_TREE).commit_at(new) if new else None
    before = _memory_at(view, entry, first) if first else None
    after = _memory_at(view, entry, last) if last else _memory_now(view, entry)
    change = _visible_change(view, ref, before, after)
    same = before is not None and after is not None and before.data == after.data and before.path == after.path
    return Diff(old=first, new=last, memories=() if same else (_diff(view, change),), broken=())


def _or_commit(view: View, ref: str, unknown: NotFoundError) -> NotFoundError:
    """Return the error for a word that names no memory; if it names a commit or a date, it stands where none does."""
    try:
        view.of(WORK_TREE).commit_at(ref)
    except (NotFoundError, UsageError):
        return unknown
    return NotFoundError(f"{unknown}; it names a commit or date", hint=f"memstore diff REF {ref} compares a memory")


def _visible_change(view: View, ref: str, before: _Text | None, after: _Text | None) -> MemoryChange:
    if isinstance(before or after, PlainFile) and isinstance(after or before, PlainFile):
        return note_change(cast("PlainFile | None", before), cast("PlainFile | None", after))
    change = MemoryChange(
        before=before.memory if before else None,
        after=after.memory if after else None,
        path_before=before.path if before else None,
        path_after=after.path if after else None,
    )
    if (before is None and after is None) or not all(map(view.sees, filter(None, (change.before, change.after)))):
        raise NotFoundError(f"`{ref}` is in neither of the two states", hint=f"memstore log {ref}")
    return change


def _diff(view: View, change: MemoryChange) -> MemoryDiff:
    before, after = change.before, change.after
    outside = (view.external(one) for one in (after, before) if one)
    return MemoryDiff(
        verb=verb(change),
        name=change.name,
        path=change.path_after or change.path_before or "",
        path_before=change.path_before if change.is_move else None,
        statements=differences(before, after) if before and after else (),
        body=_body_diff(before.body if before else "", after.body if after else ""),
        external=next(filter(None, outside), None),
    )


def _body_diff(before: str, after: str) -> tuple[str, ...]:
    """Return the unified diff of two bodies, without the lines for file names."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="")
    return tuple(lines)[2:]


def _memory_at(view: View, entry: Entry, commit: str) -> _Text | None:
    place = find_at(view, commit, entry)
    if place is None:
        return None
    path, blob = place
    return _readable(
        memory_file.read(path, view.blobs([blob])[blob], mixed=view.config.mixed), f"{path} as of {commit[:10]}"
    )


def _memory_now(view: View, entry: Entry) -> _Text | None:
    if not (view.root / entry.path).is_file():
        return None
    return _readable(view.whole.read_file(entry.path), entry.path)


def _readable(file: memory_file.ReadFile, what: str) -> _Text:
    if not isinstance(file, MemoryFile | PlainFile):
        raise FormatError(
            f"{what} can't be read", hint="git diff compares the text of broken files; memstore check says why"
        )
    return file
