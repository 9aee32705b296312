"""Commit what is pending, with a message computed from the change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.change import Committed
    from memstore.core.view import View


def commit(view: View, refs: Sequence[str] = (), *, text: str | None = None) -> Committed:
    """Commit pending changes of memories; with all of them also those of the vault's own files, like its settings.

    Args:
        view: the vault.
        refs: which memories; empty for all that are pending.
        text: what the message is to say instead of what was done to which memory.

    Raises:
        NotFoundError: a ref names nothing that is pending.
        RefusedError: a change is one that a memory must not make.
        GitError: there is no repository, or git does not know who commits.
    """
    with view.transaction("commit", message=text) as change:
        return change.commit_pending(refs)
