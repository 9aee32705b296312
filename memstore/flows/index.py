"""The search index, as the vault's owner may look at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.errors import RefusedError, VaultError

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.core.view import View
    from memstore.ports.search_index import IndexStatus, Refreshed


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """An index that was built anew: of how many memories, and how many files could not be read."""

    folder: Path
    memories: int
    left_out: int


def status(view: View) -> IndexStatus:
    """Return how the index stands to the vault.

    Raises:
        RefusedError: the one who looks isn't the vault's owner, and the index is of all that is in it.
    """
    _only_for_the_owner(view)
    return view.index_status()


def rebuild(view: View) -> Rebuilt:
    """Drop the index and build it anew.

    Raises:
        RefusedError: as for `status`.
    """
    _only_for_the_owner(view)
    now = view.rebuild_index()
    return Rebuilt(folder=view.index_status().folder, memories=len(now.whole.rows), left_out=len(now.broken))


def refresh(view: View) -> Refreshed:
    """Write what has changed into the index, however little it is.

    Raises:
        RefusedError: as for `status`.
        VaultError: the index can't be written.
    """
    _only_for_the_owner(view)
    done = view.refresh_index()
    if not done.written:
        raise VaultError(
            f"the index can't be written: {view.index_status().folder}",
            hint="look at the folder's permissions and at the space on its disk; without it all is read anew each time",
        )
    return done


def _only_for_the_owner(view: View) -> None:
    if not view.is_owners:
        raise RefusedError(
            f"the index is of the whole vault, and {view.actor} is not its owner",
            hint="memstore search finds what you may see, and keeps the index up to date by itself",
        )
