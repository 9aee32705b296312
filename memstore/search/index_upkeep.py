"""The index itself, for the vault's owner: how far it matches the vault, and writing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import RefusedError, VaultError
from memstore.search import INDEX

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.core.view import View
    from memstore.search.library import IndexStatus, Refreshed


class IndexRebuilt(NamedTuple):
    """The result of rebuilding the index: the number of memories, and of files that can't be read."""

    folder: Path
    memories: int
    left_out: int


def status(view: View) -> IndexStatus:
    """Return how far the index matches the vault.

    Raises:
        RefusedError: the viewer is not the vault's owner; the index covers the whole vault.
    """
    _only_for_the_owner(view)
    return view.of(INDEX).status()


def rebuild(view: View) -> IndexRebuilt:
    """Delete the index and rebuild it.

    Raises:
        RefusedError: as for `status`.
        VaultError: the index can't be written.
    """
    _only_for_the_owner(view)
    now = view.of(INDEX).rebuild()
    status = view.of(INDEX).status()
    if not status.built:
        raise _unwritten(view)
    return IndexRebuilt(folder=status.folder, memories=len(now.whole.rows), left_out=len(now.broken))


def refresh(view: View) -> Refreshed:
    """Write all changes into the index, however few.

    Raises:
        RefusedError: as for `status`.
        VaultError: the index can't be written.
    """
    _only_for_the_owner(view)
    done = view.of(INDEX).refresh()
    if not done.written:
        raise _unwritten(view)
    return done


def _unwritten(view: View) -> VaultError:
    return VaultError(
        f"the index can't be written: {view.of(INDEX).status().folder}",
        hint="look at the folder's permissions and at the space on its disk; without it all is read anew each time",
    )


def _only_for_the_owner(view: View) -> None:
    if not view.is_owners:
        raise RefusedError(
            f"the index is of the whole vault, and {view.actor} is not its owner",
            hint="memstore search finds what you may see, and keeps the index up to date by itself",
        )
