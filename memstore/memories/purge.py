"""Take forgotten memories out of the history: in a new clone, which replaces the repository if its owner wants that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memstore.core.view import View
    from memstore.history.purging import Purged


def purge(view: View, refs: Sequence[str], folder: Path) -> Purged:
    """Write a clone of the repository around the vault whose history never held these memories.

    Args:
        view: the vault; its actor must be its owner.
        refs: forgotten memories, whose tombstones are committed.
        folder: where the clone goes.

    Raises:
        NotFoundError: there is no such memory.
        RefusedError: somebody else asks; or a memory was not forgotten yet, or that is not committed.
        UsageError: git-filter-repo is not installed, or the folder is not free.
        GitError: there is no repository, or git failed.
    """
    view.require_owner()
    files = [view.original(ref) for ref in refs]
    names = " ".join(str(file.memory.id) for file in files)
    if any(file.memory.status != "forgotten" for file in files):
        raise RefusedError("only what was forgotten can be purged", hint=f"first: memstore forget {names} -c")
    head = view.history.head()
    view.history.require()
    committed = view.history.files_at(head) if head else {}
    if any(committed.get(file.path) != view.history.blob_id(file.data) for file in files):
        raise RefusedError("that it was forgotten is not committed yet", hint="memstore commit")
    return view.history.purged([file.memory.id or "" for file in files], folder)
