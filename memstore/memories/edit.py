"""Change a memory that is there: single keys, tags, or all of it in an editor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import memory_file, splice, typed
from memstore.codec.memory_file import MemoryFile
from memstore.codec.merge_lines import merged
from memstore.codec.shapes import is_absent
from memstore.core.again import again_where_changed
from memstore.core.change import Edit, Saved
from memstore.errors import ChangedMeanwhileError, RefusedError, UsageError
from memstore.flows.by_hand import refuse_by_hand
from memstore.flows.directory import wrong_links
from memstore.flows.named_refs import whole_refs
from memstore.flows.save import hint, save_all, shown
from memstore.flows.widening import unconsented
from memstore.model.instants import instant
from memstore.rules.beliefs import next_time
from memstore.rules.transitions import findings_between

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.codec.memory_file import ReadFile
    from memstore.codec.render import Plain
    from memstore.core.view import View
    from memstore.model.confidence import LedgerLine
    from memstore.model.finding import Finding
    from memstore.ports.journal import Written


# -- keys ----------------------------------------------------------------------------------------


@again_where_changed
def set_keys(
    view: View, ref: str, texts: Mapping[str, Sequence[str]], *, dry_run: bool = False, commit: bool = False
) -> Saved:
    """Give keys of a memory other values, as they were typed; an empty one takes the key away.

    Args:
        view: the vault.
        ref: the memory.
        texts: what was typed for each key; lists are parted by commas.
        dry_run: write nothing, and return what would be.
        commit: commit it, too.

    Raises:
        UsageError: a text can't be the key's value.
        RefusedError: a key is kept by the program, or by a command of its own.
        NotFoundError: the memory, or one that a value names, is not there.
    """
    for name, typed_texts in texts.items():
        refuse_by_hand(name, typed_texts[-1] if typed_texts else "")
    file = view.original(ref)
    values = {name: _typed(name, given) for name, given in texts.items()}
    values |= whole_refs(view, values, of=file.path)
    edits: list[splice.Edit] = []
    for name, value in values.items():
        edits += _edits(view, file, name, value)
    return _save(view, file, edits, verb="set", dry_run=dry_run, commit=commit)


def _typed(name: str, texts: Sequence[str]) -> Plain:
    return None if not any(text.strip() for text in texts) else typed.parse(name, texts, split=True)


def _edits(view: View, file: MemoryFile, name: str, value: Plain) -> list[splice.Edit]:
    if is_absent(value):
        return [splice.RemoveKey(name)]
    edits: list[splice.Edit] = [splice.SetValue(name, value)]
    old = file.memory.confidence
    if name == "confidence" and file.memory.confidence_history and not splice.same_value(old, value):
        edits.append(
            splice.AppendEntry("confidence_history", _edit_line(view, file.memory.confidence_history, old, value))
        )
    return edits


def _edit_line(view: View, history: Sequence[LedgerLine], old: float | None, new: Plain) -> dict[str, Plain]:
    """Return the ledger line of a confidence set by hand; its time lies after all lines before it."""
    at = instant(next_time(history, view.clock.now()))
    return {"timestamp": at, "op": "edit", "old": old, "new": new, "by": view.actor}


@again_where_changed
def tag(
    view: View,
    ref: str,
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    dry_run: bool = False,
    commit: bool = False,
) -> Saved:
    """Give a memory tags, and take others from it.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: a tag is no word, or stands on both sides.
    """
    both = set(add) & set(remove)
    if both:
        raise UsageError(f"`{min(both)}` is to be added and removed at once")
    adding = typed.parse("tags", add) if add else []
    removing = typed.parse("tags", remove) if remove else []
    file = view.original(ref)
    edits: list[splice.Edit] = [
        splice.RemoveItems("tags", _items(removing)),
        splice.AppendItems("tags", _items(adding)),
    ]
    return _save(view, file, edits, verb="tag", dry_run=dry_run, commit=commit)


def _items(value: Plain) -> tuple[Plain, ...]:
    return tuple(value) if isinstance(value, list) else ()


def _save(
    view: View, file: MemoryFile, edits: Sequence[splice.Edit], *, verb: str, dry_run: bool, commit: bool
) -> Saved:
    data = splice.apply(file, edits)
    after = memory_file.read(file.path, data)
    if isinstance(after, memory_file.BrokenFile):
        # The file was readable, so what is wrong is what was asked for.
        raise UsageError(shown(after.findings), hint=hint(after.findings))
    if isinstance(after, MemoryFile) and (widened := unconsented(view, file, after)):
        raise RefusedError(f"nothing was written:\n{shown(widened)}", hint=hint(widened))
    edit = Edit(path=file.path, before=file, after=data)
    return save_all(view, [edit], verb=verb, own=_shared(view, file, after), dry_run=dry_run, commit=commit)[0]


def _shared(view: View, before: MemoryFile, after: ReadFile) -> tuple[Written, ...]:
    """Return the audit event of a change of who may see a memory; none where that stays."""
    if not isinstance(after, MemoryFile) or not view.owns(before.memory):
        return ()
    old, new = before.memory, after.memory
    if old.sharing == new.sharing:
        return ()
    from memstore.flows.audit import recorded

    about = {"to": [*new.access_grants], "denied": [*new.access_denies]}
    return (recorded(view, "privacy set", memory=new.id or before.path, owner=new.owner, **about),)


# -- the whole file, in an editor ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rejected:
    """A draft that can't become the memory, and why."""

    findings: tuple[Finding, ...]


@again_where_changed
def accept(
    view: View, before: MemoryFile, draft: bytes, *, dry_run: bool = False, commit: bool = False
) -> Saved | Rejected:
    """Make a draft, which was made of the file `before`, that file; a draft with errors is handed back.

    Where the file was saved by somebody else meanwhile, and neither changed what the other did, both changes stand.
    Refs that the draft names anew are held to what every command holds them to: the memory is there, is another one,
    and was not made of this one.

    Raises:
        ChangedMeanwhileError: somebody else changed the same lines meanwhile, or the file is gone.
    """
    now = view.original(before.memory.id or before.path)
    if now.data != before.data:
        both = merged(before.data, draft, now.data)
        if both is None or now.path != before.path:
            raise ChangedMeanwhileError(
                f"{before.path}: somebody else changed the same lines meanwhile; nothing was written",
                hint="put the draft together with the file as it is now",
            )
        draft = both
    findings = _wrong_with(view, now, draft)
    if findings:
        return Rejected(findings)
    edit = Edit(path=now.path, before=now, after=draft)
    own = _shared(view, now, memory_file.read(now.path, draft))
    return save_all(view, [edit], verb="edit", own=own, dry_run=dry_run, commit=commit)[0]


def _wrong_with(view: View, before: MemoryFile, draft: bytes) -> tuple[Finding, ...]:
    """Return the errors of a draft; empty where it can be written."""
    from memstore.codec.problem import Problem
    from memstore.model.finding import Position, Severity, in_order

    match memory_file.read(before.path, draft):
        case memory_file.BrokenFile(findings=findings):
            return findings
        case MemoryFile() as after:
            errors = [finding for finding in findings_between(before, after) if finding.is_error]
            errors += unconsented(view, before, after)
            # A ref that leads nowhere is a warning in a file that is there; no command writes one.
            links = [finding._replace(severity=Severity.ERROR) for finding in wrong_links(view, before, after)]
            return in_order([*errors, *links])
        case _:
            lost = Problem("fence-opening", Position(1), "the frontmatter is gone", "begin with a line ---")
            return (lost.found_in(before.path),)
