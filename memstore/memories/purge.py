"""Take what was forgotten, and the plain text of what is sealed, out of the history: in a new clone.

It replaces the repository if its owner wants that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.errors import RefusedError
from memstore.core.places import is_sealed_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memstore.core.view import View
    from memstore.history.purging import Purged


def purge(view: View, refs: Sequence[str], folder: Path) -> Purged:
    """Write a clone of the repository around the vault whose history never held these memories, or only sealed.

    Args:
        view: the vault; its actor must be its owner.
        refs: forgotten memories, whose tombstones are committed, and sealed ones, whose sealed files are.
        folder: where the clone goes.

    Raises:
        NotFoundError: there is no such memory.
        RefusedError: somebody else asks; a memory is neither forgotten nor sealed, or that is not committed; or a
            branch has a sealed memory in plain text.
        UsageError: git-filter-repo is not installed, or the folder is not free.
        GitError: there is no repository, or git failed.
    """
    view.require_owner()
    files = [view.original(ref) for ref in refs]
    names = " ".join(str(file.memory.id) for file in files)
    forgotten = [file.memory.id or "" for file in files if file.memory.status == "forgotten"]
    sealed = [file.memory.id or "" for file in files if file.memory.id not in forgotten and is_sealed_path(file.path)]
    if len(forgotten) + len(sealed) < len(files):
        raise RefusedError(
            "only what was forgotten or is sealed can be purged",
            hint=f"first: memstore forget {names} -c, or memstore seal {names} -c",
        )
    head = view.history.head()
    view.history.require()
    committed = view.history.files_at(head) if head else {}
    if any(committed.get(file.path) != view.history.blob_id(view.whole.stored(file.path)) for file in files):
        raise RefusedError("that it was forgotten or sealed is not committed yet", hint="memstore commit")
    return view.history.purged(forgotten, folder, sealed=sealed)
