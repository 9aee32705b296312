"""What the memories that another is made of, or rests on, say themselves."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memstore.flows.visible import file_seen, seer, visible_rows
from memstore.model.ids import MemoryRef

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memstore.model.catalog import Entry
    from memstore.model.memory import Memory
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


def entries(ws: Workspace, snapshot: Snapshot, refs: Iterable[str]) -> list[Entry]:
    """Return the memories that refs name, as far as the actor may see them; what is none is left out."""
    catalog = snapshot.catalog
    visible = frozenset(visible_rows(ws, snapshot))
    named = [ref.id for text in refs if (ref := MemoryRef.parse(text)) is not None]
    return [catalog.entry(row) for memory_id in named for row in catalog.rows_of_id(memory_id) if row in visible]


def ceiling(found: Iterable[Entry]) -> float | None:
    """Return the least confidence among memories; None where none of them states one."""
    return min((float(entry.confidence) for entry in found if entry.confidence), default=None)


def loader(ws: Workspace, snapshot: Snapshot) -> Callable[[str], Memory | None]:
    """Return what gives the memory that a ref names, each file read once; None where the actor may see none."""
    sees = seer(ws, snapshot)

    @cache
    def load(ref: str) -> Memory | None:
        files = (file_seen(ws, entry.path, sees) for entry in entries(ws, snapshot, [ref]))
        return next((file.memory for file in files if file and file.memory.status != "forgotten"), None)

    return load
