"""Review a branch: what it changes in terms of memories, for whoever decides about a pull request.

Only committed changes count. On each side, that side's own registries and owner decide who sees what; memories that the
reviewer sees on neither side are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import registry
from memstore.access.audit import consents_gone
from memstore.access.own_files import events_in
from memstore.access.report import sight_between
from memstore.conflicts import LEXICON
from memstore.conflicts.compare import Comparer
from memstore.conflicts.conflict import conflict
from memstore.core.finding import in_order
from memstore.core.places import decides, is_audit_path, kind_of
from memstore.core.quotation import shown_title
from memstore.core.short_repr import short_repr
from memstore.core.titles import title_of
from memstore.files.memory_file import BrokenFile, MemoryFile
from memstore.history import HISTORY
from memstore.history.branches import branching
from memstore.history.changes import changes_between, differences, new_lines, number
from memstore.history.own_changes import own_changes
from memstore.history.revisions import read_blobs
from memstore.vault.check import wrong_in_registries
from memstore.vault.cited_lines import citations_changed_between
from memstore.vault.staged import findings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memstore.access.audit_events import AuditEvent
    from memstore.access.sight import SightChange
    from memstore.core.change import Changes, MemoryChange
    from memstore.core.conflict import Conflict
    from memstore.core.finding import Finding
    from memstore.core.memory import LedgerLine, Memory
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.history.branches import Branching
    from memstore.history.own_changes import OwnChange

    # The files that differ between two commits, by path, in the state of one of them.
    Files = Mapping[str, ReadFile]


class Reviewed(NamedTuple):
    """A memory or a plain note (`kind`), and what changed in it, in a few words.

    `path_before` is the previous path of its file, if it was renamed.
    """

    kind: str
    ref: str | None
    title: str
    path: str
    path_before: str | None = None
    changes: tuple[str, ...] = ()


class NumberMoved(NamedTuple):
    """A number in a memory's file, before and after; `because` is the newest line that its ledger gained.

    `line` is the number's current line in the file, from 1.
    """

    ref: str | None
    title: str
    path: str
    line: int
    key: str
    before: float | None
    after: float | None
    because: LedgerLine | None

    def __str__(self) -> str:
        step = f"{self.key} {_number_text(self.before)} → {_number_text(self.after)}"
        if self.key != "confidence":
            return step
        if self.because is None:
            return f"{step}, and its history does not say why"
        evidence, reason = self.because.evidence_source, self.because.reason
        if evidence and reason and evidence in reason:
            return f"{step}: {reason}"
        why = f" because {evidence} ({self.because.op})" if evidence else f" ({self.because.op})"
        return f"{step}{why}{f': {reason}' if reason else ''}"


class SightMoved(NamedTuple):
    """Who gained or lost sight of a memory.

    `line` is the line of its file that says to whom it is granted, from 1; None if the file is gone, or hidden.
    """

    title: str
    line: int | None
    change: SightChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a branch changes. A memory whose file was renamed and edited is both `changed` and `moved`.

    `changed` leaves out changes that are in `numbers`. `conflicts` are those that the branch raises, not earlier ones.
    `notices` are of the lines that memories cite and the branch changed.
    """

    branching: Branching
    added: tuple[Reviewed, ...] = ()
    changed: tuple[Reviewed, ...] = ()
    removed: tuple[Reviewed, ...] = ()
    moved: tuple[Reviewed, ...] = ()
    numbers: tuple[NumberMoved, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    sight: tuple[SightMoved, ...] = ()
    own: tuple[OwnChange, ...] = ()
    findings: tuple[Finding, ...] = ()
    notices: tuple[Finding, ...] = ()

    __repr__ = short_repr

    @property
    def errors(self) -> int:
        """How many of the findings are errors."""
        return sum(finding.is_error for finding in self.findings)


def review(view: View, branch: str | None = None, *, against: str | None = None) -> Review:
    """Return what a branch changes.

    Args:
        view: the vault.
        branch: a branch or a revision, compared with the point where it left what is checked out; None for what is
            checked out, compared with the point where that left the default branch.
        against: the commit to compare with instead.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
        GitError: there is no repository.
        NotFoundError: there is no such branch or commit, or it can't be determined where the branch began.
    """
    view.require_owner()
    between = branching(view, branch, against=against)
    if between.base == between.head:
        return Review(branching=between)
    before, after = view.at(between.base), view.at(between.head)
    old, new = _differing(view, between)
    changes = _visible(changes_between(old, new), before, after)
    whole = [one for one in changes.memories if not _hidden_side(one, before, after)]
    notes = changes.notes
    half = [_half_hidden(one, side) for one in changes.memories if (side := _hidden_side(one, before, after))]
    return Review(
        branching=between,
        added=_by_path(*(_reviewed(one) for one in (*whole, *notes) if one.before is None and not _mended(one, old))),
        changed=_by_path(*_changed((*whole, *notes), old, new), *half),
        removed=_by_path(*(_reviewed(one) for one in (*whole, *notes) if one.after is None)),
        moved=_by_path(*(_reviewed(one) for one in (*whole, *notes) if one.is_move)),
        numbers=tuple(one for change in whole for one in _numbers(change, new)),
        conflicts=_new_conflicts(before, after, changes.memories),
        sight=tuple(_sight(before, after)),
        own=own_changes(view, between.base, between.head),
        findings=_findings(view, between, after, changes, new),
        notices=citations_changed_between(after, between.base, between.head),
    )


def _differing(view: View, between: Branching) -> tuple[Files, Files]:
    """Return the files of both sides that are different or missing on the other side."""
    before, after = view.of(HISTORY).files_at(between.base), view.of(HISTORY).files_at(between.head)
    old = {path: blob for path, blob in before.items() if after.get(path) != blob}
    new = {path: blob for path, blob in after.items() if before.get(path) != blob}
    return read_blobs(view, old), read_blobs(view, new)


def _visible(changes: Changes, before: View, after: View) -> Changes:
    """Return the changes of memories that are visible on at least one side, and of notes, which the owner sees."""
    seen = (one for one in changes.memories if _is_seen(before, one.before) or _is_seen(after, one.after))
    return replace(changes, memories=tuple(seen))


def _is_seen(view: View, memory: Memory | None) -> bool:
    return memory is not None and view.sees(memory)


def _hidden_side(change: MemoryChange, before: View, after: View) -> str:
    """Return the side, `before` or `after`, on which a memory that exists on both is hidden; empty for neither."""
    if change.before is None or change.after is None:
        return ""
    return "before" if not before.sees(change.before) else "after" if not after.sees(change.after) else ""


def _findings(view: View, between: Branching, after: View, changes: Changes, files: Files) -> tuple[Finding, ...]:
    """Return the problems of what the branch changes, as `check --against` reports them."""
    before, kept = view.of(HISTORY).own_files_at(between.base), view.of(HISTORY).own_files_at(between.head)
    kinds = {path: kind for path in sorted(kept) if (kind := kind_of(path))}
    data = view.blobs(kept[path] for path in kinds)
    registries = {path: registry.read(path, kind, data.get(kept[path], b"")) for path, kind in kinds.items()}
    changed = {path: blob for path, blob in kept.items() if decides(path) and before.get(path) != blob}
    bytes_of = view.blobs(changed.values())
    own: dict[str, bytes | None] = dict.fromkeys(path for path in before if decides(path) and path not in kept)
    own |= {path: bytes_of.get(blob) for path, blob in changed.items()}

    def events() -> Iterable[AuditEvent]:
        blobs = {path: blob for path, blob in kept.items() if is_audit_path(path)}
        audit = view.blobs(blobs.values())
        return events_in({path: audit.get(blob, b"") for path, blob in blobs.items()}).values()

    found = findings_of(after, changes, files, own, since=between.base, events=events)
    found += consents_gone(set(before), lambda: kinds, events)
    found += [one for one in wrong_in_registries(registries) if before.get(one.path) != kept[one.path]]
    return in_order(found)


# -- memories and notes --------------------------------------------------------------------------


def _by_path(*items: Reviewed) -> tuple[Reviewed, ...]:
    return tuple(sorted(items, key=lambda one: one.path))


def _reviewed(change: MemoryChange, changes: tuple[str, ...] = ()) -> Reviewed:
    return Reviewed(
        kind="note" if change.is_note else "memory",
        ref=_ref(change),
        title=shown_title(title_of(change.memory), change.memory.source_type),
        path=change.path_after or change.path_before or "",
        path_before=change.path_before if change.is_move else None,
        changes=changes,
    )


def _ref(change: MemoryChange) -> str | None:
    return str(change.memory.ref) if change.memory.ref else None


def _changed(changes: Iterable[MemoryChange], old: Files, new: Files) -> Iterator[Reviewed]:
    """Yield the memories that changed in anything but numbers."""
    for change in changes:
        before, after = change.before, change.after
        if _mended(change, old):
            yield _reviewed(change, ("its file could not be read",))
        if before is None or after is None:
            continue
        if told := differences(_with_numbers_of(before, after), after):
            yield _reviewed(change, told)
        elif change.is_note and _data(old, change.path_before) != _data(new, change.path_after):
            yield _reviewed(change, ("its front matter",))
        elif before == after and _data(old, change.path_before) != _data(new, change.path_after):
            yield _reviewed(change, ("its layout only",))


def _mended(change: MemoryChange, old: Files) -> bool:
    """Whether a memory only seems to be new, because its file could not be read before."""
    return change.before is None and isinstance(old.get(change.path_after or ""), BrokenFile)


def _half_hidden(change: MemoryChange, hidden: str) -> Reviewed:
    """Return a memory that the reviewer may see on only one side, in the state of that side."""
    if hidden == "after":
        seen = replace(change, after=None, path_after=None)
        return _reviewed(seen, ("you can no longer see it",))
    seen = replace(change, before=None, path_before=None)
    return _reviewed(seen, ("you could not see it before",))


def _data(files: Files, path: str | None) -> bytes:
    return files[path].data if path and path in files else b""


# -- numbers -------------------------------------------------------------------------------------


def _numbers(change: MemoryChange, files: Files) -> Iterator[NumberMoved]:
    """Yield the changed numbers of a memory: its confidence, and the owner's own keys with a number."""
    before, after, file = change.before, change.after, files.get(change.path_after or "")
    if before is None or after is None or not isinstance(file, MemoryFile):
        return
    moved = {name: (before.extra[name], after.extra[name]) for name in _own_numbers(before, after)}
    if before.confidence != after.confidence:
        moved = {"confidence": (before.confidence, after.confidence), **moved}
    # Of lines of one time, the last: a statement goes before the evidence that was recorded with it.
    newest = max(reversed(new_lines(before, after)), key=lambda line: line.timestamp, default=None)
    for key, (old, new) in moved.items():
        because = newest if key == "confidence" else None
        line = file.front.position(key).line
        yield NumberMoved(_ref(change), title_of(after), file.path, line, key, old, new, because)


def _number_text(value: float | None) -> str:
    return number(value) if value is None or isinstance(value, float) else str(value)


def _own_numbers(before: Memory, after: Memory) -> list[str]:
    shared = sorted(before.extra.keys() & after.extra.keys())
    return [
        name
        for name in shared
        if _is_number(before.extra[name]) and _is_number(after.extra[name]) and before.extra[name] != after.extra[name]
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _with_numbers_of(before: Memory, after: Memory) -> Memory:
    """Return a memory with the numbers of its later state, so that its other differences can be reported."""
    own = {name: after.extra[name] for name in _own_numbers(before, after)}
    told = replace(before, extra={**before.extra, **own}) if own else before
    if before.confidence == after.confidence:
        return told
    return replace(told, confidence=after.confidence, confidence_history=after.confidence_history)


# -- conflicts, and who sees what ------------------------------------------------------------------


def _new_conflicts(before: View, after: View, changes: Iterable[MemoryChange]) -> tuple[Conflict, ...]:
    """Return the conflicts of new or changed memories, except those that existed before."""
    then, now = Comparer(before), Comparer(after)
    opposes = after.of(LEXICON).opposes
    moved = {one.path_after: one.path_before for one in changes if one.path_after}
    found: dict[frozenset[str], Conflict] = {}
    for change in changes:
        side = now.side_at(change.path_after) if change.path_after and change.before != change.after else None
        for one in now.conflicts(side) if side else ():
            paths = [moved.get(lines.path, lines.path) for lines in one.lines]
            mine, theirs = (then.side_at(path) if path else None for path in paths)
            if not (mine and theirs and conflict(mine, theirs, opposes=opposes)):
                found.setdefault(frozenset(one.refs), one)
    return tuple(sorted(found.values(), key=lambda one: one.order))


def _sight(before: View, after: View) -> Iterator[SightMoved]:
    seen = {name for view in (before, after) for name in _names(view)}
    for change in sight_between(before, after):
        if (change.ref.partition(":")[2] or change.path) in seen:
            now = after.read(change.path)
            file = now or before.read(change.path)
            line = now.front.position("access_grants").line if now else None
            yield SightMoved(title_of(file.memory) if file else "", line, change)


def _names(view: View) -> Iterator[str]:
    """Yield the id, or else the path, of each visible memory."""
    ids, paths = view.column("id"), view.column("path")
    return (ids[row] or paths[row] for row in view.rows)
