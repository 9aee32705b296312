"""What of a snapshot the viewer may see: the one place where every flow that lists, finds or shows asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.errors import RefusedError, VaultError
from memstore.rules.access import may_see

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.codec.memory_file import MemoryFile
    from memstore.model.memory import Memory
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


def visible_rows(ws: Workspace, snapshot: Snapshot) -> Sequence[int]:
    """Return the rows of the memories that the one who looks may see, ascending."""
    owners = snapshot.catalog.column("owner")
    # Owners are few where memories are many: decide once for each.
    seeing = {owner: may_see(owner, _viewer(ws), ws.config.owner) for owner in set(owners)}
    if all(seeing.values()):
        return snapshot.catalog.memories
    return [row for row in snapshot.catalog.memories if seeing[owners[row]]]


def sees(ws: Workspace, memory: Memory) -> bool:
    """Whether the one who looks may see this memory; decided on what was read, which may be newer than a snapshot."""
    return may_see(memory.owner or "", _viewer(ws), ws.config.owner)


def sees_owned_by(ws: Workspace, owner: str) -> bool:
    """Whether the one who looks may see a memory of that owner."""
    return may_see(owner, _viewer(ws), ws.config.owner)


def visible_file(ws: Workspace, path: str) -> MemoryFile | None:
    """Return a memory's file as it is now; None where it is none, or not the viewer's to see, any more."""
    from memstore.codec.memory_file import MemoryFile  # a search reads files in its own way, and does not load this
    from memstore.ports.vault import read_file

    try:
        file = read_file(ws.vault, path)
    except VaultError:
        return None
    return file if isinstance(file, MemoryFile) and sees(ws, file.memory) else None


def visible_files(ws: Workspace, snapshot: Snapshot) -> Iterator[MemoryFile]:
    """Yield the files of all memories that the viewer may see, by path; those that changed their standing are not."""
    paths = snapshot.catalog.column("path")
    for path in sorted(paths[row] for row in visible_rows(ws, snapshot)):
        if file := visible_file(ws, path):
            yield file


def sees_unreadable(ws: Workspace) -> bool:
    """Whether the one who looks may know of files that can't be read: only the vault's owner, whose they must be."""
    return may_see("", _viewer(ws), ws.config.owner)


def stop_for_others(ws: Workspace) -> None:
    """Let the vault's owner pass, who has all files anyway; anybody else is told the same, whatever they named.

    Raises:
        RefusedError: the one who looks isn't the vault's owner.
    """
    if not sees_unreadable(ws):
        raise RefusedError("the history and the checks of a vault are its owner's alone", hint="ask the owner")


def _viewer(ws: Workspace) -> str:
    """Return who looks; nobody in a context, where others listen too."""
    return ws.actor if ws.alone or ws.contexts.current() is None else ""
