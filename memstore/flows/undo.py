"""Take back what memstore wrote last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.change import Undone
from memstore.errors import NotFoundError

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.ports.journal import Operation


def undo(view: View, *, dry_run: bool = False) -> tuple[Undone, Operation]:
    """Take back the last operation, and return it with what was written to do so; a second `undo` does it again.

    Args:
        view: the vault.
        dry_run: only say what would be written.

    Raises:
        NotFoundError: nothing is known that could be taken back, or it is somebody else's.
        ChangedMeanwhileError: a file is no longer as the operation left it; nothing was taken back.
    """
    last = view.last_operation()
    if last is None:
        raise NotFoundError("memstore knows of nothing to undo here", hint="git restore brings back what is committed")
    with view.transaction("undo", dry_run=dry_run) as change:
        back = change.take_back(last)
    return Undone(verb=last.verb, at=last.at, paths=tuple(file.path for file in last.files)), back
