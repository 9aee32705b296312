"""Make the layout of memories even; see codec/tidy.py for what that means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec.tidy import tidied
from memstore.core.again import again_where_changed
from memstore.core.change import Edit, Saved
from memstore.flows.save import save_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatted:
    """The memories whose layout changes, or would; how many there were, and how many can't be read."""

    saved: tuple[Saved, ...]
    total: int
    left_out: int


@again_where_changed
def fmt(view: View, refs: Sequence[str] = (), *, dry_run: bool = False, commit: bool = False) -> Formatted:
    """Make the layout of memories even: of those that `refs` name, or of all of the actor's own.

    Raises:
        NotFoundError: a ref names no memory that the actor may see.
        ChangedMeanwhileError: a file was saved by somebody else meanwhile; nothing was written.
    """
    left_out = 0
    if refs:
        files = list({file.path: file for file in (view.original(ref) for ref in refs)}.values())
    else:
        files = [file for file in view.memories() if view.owns(file.memory)]
        left_out = len(view.broken) if view.is_owners else 0
    edits = [Edit(path=file.path, before=file, after=tidied(file)) for file in files]
    uneven = [edit for edit in edits if edit.before is None or edit.after != edit.before.data]
    saved = save_all(view, uneven, verb="fmt", dry_run=dry_run, commit=commit)
    return Formatted(saved=saved, total=len(files), left_out=left_out)
