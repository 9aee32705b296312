"""Make the layout of memories even; see codec/tidy.py for what that means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec.tidy import tidied
from memstore.flows.amend import opened_for_change
from memstore.flows.save import Edit, Saved, save_all
from memstore.flows.visible import owns, sees_unreadable, visible_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatted:
    """The memories whose layout changes, or would; how many there were, and how many can't be read."""

    saved: tuple[Saved, ...]
    total: int
    left_out: int


def fmt(ws: Workspace, refs: Sequence[str] = (), *, dry_run: bool = False, commit: bool = False) -> Formatted:
    """Make the layout of memories even: of those that `refs` name, or of all of the actor's own.

    Raises:
        NotFoundError: a ref names no memory that the actor may see.
        ChangedMeanwhileError: a file was saved by somebody else meanwhile; nothing was written.
    """
    left_out = 0
    if refs:
        files = list({file.path: file for file in (opened_for_change(ws, ref) for ref in refs)}.values())
    else:
        snapshot = ws.library.snapshot()
        files = [file for file in visible_files(ws, snapshot) if owns(ws, file.memory)]
        left_out = len(snapshot.catalog.broken) if sees_unreadable(ws) else 0
    edits = [Edit(path=file.path, before=file, after=tidied(file)) for file in files]
    uneven = [edit for edit in edits if edit.before is None or edit.after != edit.before.data]
    saved = save_all(ws, uneven, verb="fmt", dry_run=dry_run, commit=commit)
    return Formatted(saved=saved, total=len(files), left_out=left_out)
