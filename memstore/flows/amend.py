"""Change a memory that is there: single keys, tags, or all of it in an editor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import memory_file, splice, typed
from memstore.codec.memory_file import MemoryFile
from memstore.codec.shapes import is_absent
from memstore.errors import ChangedMeanwhileError, RefusedError, UsageError
from memstore.flows.by_hand import refuse_by_hand
from memstore.flows.directory import wrong_links
from memstore.flows.named_refs import whole_refs
from memstore.flows.resolve import resolve
from memstore.flows.save import Edit, Saved, findings_between, hint, save_all, told
from memstore.flows.visible import owns, sees
from memstore.flows.widening import unconsented
from memstore.model.instants import instant
from memstore.ports.vault import read_file
from memstore.rules.beliefs import next_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.codec.memory_file import ReadFile
    from memstore.codec.render import Plain
    from memstore.model.confidence import LedgerLine
    from memstore.model.finding import Finding
    from memstore.ports.journal import Written
    from memstore.ports.workspace import Workspace


def opened_for_change(ws: Workspace, ref: str) -> MemoryFile:
    """Return the file of the memory that `ref` names, as it is now.

    Raises:
        NotFoundError: there is none that the actor may see.
        ChangedMeanwhileError: it became another file, or nobody's to see, since the snapshot.
    """
    entry = resolve(ws, ref, snapshot=ws.library.snapshot())
    file = read_file(ws.vault, entry.path)
    if not isinstance(file, MemoryFile) or not sees(ws, file.memory):
        raise ChangedMeanwhileError(f"{entry.path} changed while it was read", hint="try again")
    return file


# -- keys ----------------------------------------------------------------------------------------


def set_keys(
    ws: Workspace, ref: str, texts: Mapping[str, Sequence[str]], *, dry_run: bool = False, commit: bool = False
) -> Saved:
    """Give keys of a memory other values, as they were typed; an empty one takes the key away.

    Args:
        ws: the vault.
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
    file = opened_for_change(ws, ref)
    values = {name: _typed(name, given) for name, given in texts.items()}
    values |= whole_refs(ws, values, of=file.path)
    edits: list[splice.Edit] = []
    for name, value in values.items():
        edits += _edits(ws, file, name, value)
    return _save(ws, file, edits, verb="set", dry_run=dry_run, commit=commit)


def _typed(name: str, texts: Sequence[str]) -> Plain:
    return None if not any(text.strip() for text in texts) else typed.parse(name, texts, split=True)


def _edits(ws: Workspace, file: MemoryFile, name: str, value: Plain) -> list[splice.Edit]:
    if is_absent(value):
        return [splice.RemoveKey(name)]
    edits: list[splice.Edit] = [splice.SetValue(name, value)]
    old = file.memory.confidence
    if name == "confidence" and file.memory.confidence_history and not splice.same_value(old, value):
        edits.append(
            splice.AppendEntry("confidence_history", _edit_line(ws, file.memory.confidence_history, old, value))
        )
    return edits


def _edit_line(ws: Workspace, history: Sequence[LedgerLine], old: float | None, new: Plain) -> dict[str, Plain]:
    """Return the ledger line of a confidence set by hand; its time lies after all lines before it."""
    at = instant(next_time(history, ws.clock.now()))
    return {"timestamp": at, "op": "edit", "old": old, "new": new, "by": ws.actor}


def tag(
    ws: Workspace,
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
    file = opened_for_change(ws, ref)
    edits: list[splice.Edit] = [
        splice.RemoveItems("tags", _items(removing)),
        splice.AppendItems("tags", _items(adding)),
    ]
    return _save(ws, file, edits, verb="tag", dry_run=dry_run, commit=commit)


def _items(value: Plain) -> tuple[Plain, ...]:
    return tuple(value) if isinstance(value, list) else ()


def _save(
    ws: Workspace, file: MemoryFile, edits: Sequence[splice.Edit], *, verb: str, dry_run: bool, commit: bool
) -> Saved:
    data = splice.apply(file, edits)
    after = memory_file.read(file.path, data)
    if isinstance(after, memory_file.BrokenFile):
        # The file was readable, so what is wrong is what was asked for.
        raise UsageError(told(after.findings), hint=hint(after.findings))
    if isinstance(after, MemoryFile) and (widened := unconsented(ws, file, after)):
        raise RefusedError(f"nothing was written:\n{told(widened)}", hint=hint(widened))
    edit = Edit(path=file.path, before=file, after=data)
    return save_all(ws, [edit], verb=verb, own=_shared(ws, file, after), dry_run=dry_run, commit=commit)[0]


def _shared(ws: Workspace, before: MemoryFile, after: ReadFile) -> tuple[Written, ...]:
    """Return the audit event of a change of who may see a memory; none where that stays."""
    if not isinstance(after, MemoryFile) or not owns(ws, before.memory):
        return ()
    old, new = before.memory, after.memory
    if old.sharing == new.sharing:
        return ()
    from memstore.flows.audit import recorded

    about = {"to": [*new.access_grants], "denied": [*new.access_denies]}
    return (recorded(ws, "privacy set", memory=new.id or before.path, owner=new.owner, **about),)


# -- the whole file, in an editor ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rejected:
    """A draft that can't become the memory, and why."""

    findings: tuple[Finding, ...]


def accept(
    ws: Workspace, before: MemoryFile, draft: bytes, *, dry_run: bool = False, commit: bool = False
) -> Saved | Rejected:
    """Make a draft, which was made of the file `before`, that file; a draft with errors is handed back.

    Refs that the draft names anew are held to what every command holds them to: the memory is there, is another one,
    and was not made of this one.

    Raises:
        ChangedMeanwhileError: the file is no longer the one that the draft was made of.
    """
    findings = _wrong_with(ws, before, draft)
    if findings:
        return Rejected(findings)
    edit = Edit(path=before.path, before=before, after=draft)
    own = _shared(ws, before, memory_file.read(before.path, draft))
    return save_all(ws, [edit], verb="edit", own=own, dry_run=dry_run, commit=commit)[0]


def _wrong_with(ws: Workspace, before: MemoryFile, draft: bytes) -> tuple[Finding, ...]:
    """Return the errors of a draft; empty where it can be written."""
    from memstore.codec.problem import Problem
    from memstore.model.finding import Position, Severity, in_order

    match memory_file.read(before.path, draft):
        case memory_file.BrokenFile(findings=findings):
            return findings
        case MemoryFile() as after:
            errors = [finding for finding in findings_between(before, after) if finding.is_error]
            errors += unconsented(ws, before, after)
            # A ref that leads nowhere is a warning in a file that is there; no command writes one.
            links = [finding._replace(severity=Severity.ERROR) for finding in wrong_links(ws, before, after)]
            return in_order([*errors, *links])
        case _:
            lost = Problem("fence-opening", Position(1), "the frontmatter is gone", "begin with a line ---")
            return (lost.found_in(before.path),)
