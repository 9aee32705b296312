"""The search index, as the vault's owner may look at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.errors import RefusedError, VaultError
from memstore.flows.visible import sees_unreadable

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.ports.search_index import IndexStatus, Refreshed
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """An index that was built anew: of how many memories, and how many files could not be read."""

    folder: Path
    memories: int
    left_out: int


def status(ws: Workspace) -> IndexStatus:
    """Return how the index stands to the vault.

    Raises:
        RefusedError: the one who looks isn't the vault's owner, and the index is of all that is in it.
    """
    _only_for_the_owner(ws)
    return ws.library.status()


def rebuild(ws: Workspace) -> Rebuilt:
    """Drop the index and build it anew.

    Raises:
        RefusedError: as for `status`.
    """
    _only_for_the_owner(ws)
    catalog = ws.library.rebuild().catalog
    return Rebuilt(folder=ws.library.status().folder, memories=len(catalog.memories), left_out=len(catalog.broken))


def refresh(ws: Workspace) -> Refreshed:
    """Write what has changed into the index, however little it is.

    Raises:
        RefusedError: as for `status`.
        VaultError: the index can't be written.
    """
    _only_for_the_owner(ws)
    done = ws.library.refresh()
    if not done.written:
        raise VaultError(
            f"the index can't be written: {ws.library.status().folder}",
            hint="look at the folder's permissions and at the space on its disk; without it all is read anew each time",
        )
    return done


def _only_for_the_owner(ws: Workspace) -> None:
    if not sees_unreadable(ws):
        raise RefusedError(
            f"the index is of the whole vault, and {ws.actor} is not its owner",
            hint="memstore search finds what you may see, and keeps the index up to date by itself",
        )
