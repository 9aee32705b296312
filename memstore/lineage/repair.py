"""Fills in provenance that was not recorded, if it can be inferred without judgement."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from memstore.core.change import Edit
from memstore.core.errors import FormatError
from memstore.core.short_repr import short_repr
from memstore.core.transaction import again_where_changed, save_all
from memstore.files import splice
from memstore.lineage import orphans
from memstore.lineage.graph import graph_of

if TYPE_CHECKING:
    from memstore.core.change import Saved
    from memstore.core.view import View
    from memstore.lineage.orphans import ProvenanceChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """One file: the changes that were or would be made to it, or why it is left alone."""

    ref: str | None
    path: str
    changes: tuple[ProvenanceChange, ...]
    skipped: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedProvenance:
    """What was filled in, or would be; `saved` are the files that were or would be written."""

    files: tuple[Filled, ...]
    saved: tuple[Saved, ...]
    dry_run: bool

    __repr__ = short_repr


@again_where_changed
def fix_provenance(view: View, *, dry_run: bool = False, commit: bool = False) -> FixedProvenance:
    """Record on both sides what one side records, mark seed beliefs, and link raw memories to what repeats them.

    What names its teller, and says that it was lived, gets the source type of the teller.
    A second run finds nothing to do. Signed memories are left alone, because their signature covers their provenance.

    Args:
        view: the vault.
        dry_run: write nothing, and return what would be written.
        commit: commit the files as well.

    Raises:
        ChangedMeanwhileError: a file is no longer what was read; nothing was written.
    """
    files: list[Filled] = []
    edits: list[Edit] = []
    plan = groupby(orphans.plan(view, graph_of(view)), key=lambda change: change.path)
    for path, changes in view.with_progress("changing memories", [(path, tuple(changes)) for path, changes in plan]):
        filled, edit = _filled(view, path, changes)
        files.append(filled)
        edits += [edit] if edit else []
    saved = save_all(view, edits, verb="fix-provenance", dry_run=dry_run, commit=commit)
    return FixedProvenance(files=tuple(files), saved=saved, dry_run=dry_run)


def _filled(view: View, path: str, changes: tuple[ProvenanceChange, ...]) -> tuple[Filled, Edit | None]:
    file = view.read(path)
    if file is None:
        return Filled(ref=None, path=path, changes=changes, skipped="it changed while it was read"), None
    ref = str(file.memory.ref) if file.memory.ref else None
    if not view.owns(file.memory):
        return Filled(ref=ref, path=path, changes=changes, skipped="it belongs to somebody else"), None
    if file.memory.signature is not None:
        return Filled(
            ref=ref, path=path, changes=changes, skipped="it is signed, and the signature covers its provenance"
        ), None
    try:
        after = splice.apply(file, [_edit(change) for change in changes])
    except FormatError as error:
        return Filled(ref=ref, path=path, changes=changes, skipped=str(error)), None
    return Filled(ref=ref, path=path, changes=changes), Edit(path=path, before=file, after=after)


def _edit(change: ProvenanceChange) -> splice.Edit:
    if change.items:
        return splice.AppendItems(change.key, change.items)
    return splice.SetValue(change.key, change.value)
