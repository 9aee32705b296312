"""What of a snapshot the viewer may see: the one place where every flow that lists, finds or shows asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.errors import RefusedError, VaultError
from memstore.rules.access import may_see

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.codec.memory_file import MemoryFile
    from memstore.model.memory import Memory
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


def visible_rows(ws: Workspace, snapshot: Snapshot) -> Sequence[int]:
    """Return the rows of the memories that the one who looks may see, ascending.

    Raises:
        RefusedError: their context has expired, or can't be read.
    """
    if _listens_alone(ws) and all(_owns(ws, owner) for owner in set(snapshot.catalog.column("owner"))):
        return snapshot.catalog.memories  # mostly: then no registry need be read
    from memstore.flows.sight import Sight

    return Sight(ws, snapshot).rows()


def seer(ws: Workspace, snapshot: Snapshot | None = None) -> Callable[[Memory], bool]:
    """Return what tells whether the one who looks may see a memory, for many of them.

    It decides on what was read, which may be newer than the snapshot; that is asked for sources and copies alone.
    """
    from functools import cache

    alone = _listens_alone(ws)

    @cache
    def sight() -> Callable[[Memory], bool]:
        from memstore.flows.sight import Sight

        return Sight(ws, snapshot or ws.library.snapshot()).sees

    return lambda memory: (alone and _owns(ws, memory.owner or "")) or sight()(memory)


def sees(ws: Workspace, memory: Memory) -> bool:
    """Whether the one who looks may see this memory; decided on what was read, which may be newer than a snapshot."""
    return seer(ws)(memory)


def owns(ws: Workspace, memory: Memory) -> bool:
    """Whether a memory is the actor's own: nobody else changes it through the program."""
    return _owns(ws, memory.owner or "")


def visible_file(ws: Workspace, path: str) -> MemoryFile | None:
    """Return a memory's file as it is now; None where it is none, or not the viewer's to see, any more."""
    return file_seen(ws, path, seer(ws))


def visible_files(ws: Workspace, snapshot: Snapshot) -> Iterator[MemoryFile]:
    """Yield the files of all memories that the viewer may see, by path; those that changed their standing are not."""
    paths, sees = snapshot.catalog.column("path"), seer(ws, snapshot)
    for path in sorted(paths[row] for row in visible_rows(ws, snapshot)):
        if file := file_seen(ws, path, sees):
            yield file


def file_seen(ws: Workspace, path: str, sees: Callable[[Memory], bool]) -> MemoryFile | None:
    """Return a memory's file as it is now, where `sees`, which `seer` made for many of them, lets it be seen."""
    from memstore.codec.memory_file import MemoryFile  # a search reads files in its own way, and does not load this
    from memstore.ports.vault import read_file

    try:
        file = read_file(ws.vault, path)
    except VaultError:
        return None
    return file if isinstance(file, MemoryFile) and sees(file.memory) else None


def unreadable(ws: Workspace) -> int:
    """Return how many files an answer was without, since they can't be read, as far as the viewer may know.

    The files are not looked at once more: it is what was found for that answer.
    """
    return len(ws.library.latest().catalog.broken) if sees_unreadable(ws) else 0


def sees_unreadable(ws: Workspace) -> bool:
    """Whether the one who looks may know of files that can't be read: only the vault's owner, whose they must be.

    They must be alone: in a context nobody else may be listening.
    """
    if not _owns(ws, ""):
        return False
    if _listens_alone(ws):
        return True
    from memstore.flows.registries import world_of
    from memstore.flows.sessions import session_of
    from memstore.rules.judge import Judge

    return Judge(world_of(ws), session_of(ws)).hears_only(ws.actor)


def stop_for_others(ws: Workspace) -> None:
    """Let the vault's owner pass, who has all files anyway; anybody else is told the same, whatever they named.

    Raises:
        RefusedError: the one who looks isn't the vault's owner, or others listen.
    """
    if not sees_unreadable(ws):
        raise RefusedError("the history and the checks of a vault are its owner's alone", hint="ask the owner")


def _owns(ws: Workspace, owner: str) -> bool:
    return may_see(owner, ws.actor, ws.config.owner)


def _listens_alone(ws: Workspace) -> bool:
    """Whether nobody but the viewer listens; a context that can't be relied on is an error even then."""
    if ws.contexts.current() is None:
        return True
    from memstore.flows.sessions import session_of

    return session_of(ws).alone
