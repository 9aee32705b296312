"""What a frontmatter tells of other memories: to others than the owner, nothing of those that they may not see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.flows.visible import sees_unreadable, visible_rows
from memstore.model.ids import MemoryRef
from memstore.model.keys import KEYS, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace

_NAMES_MEMORIES = frozenset(
    key.name for key in KEYS if key.shape in (Shape.REFS, Shape.SOURCES, Shape.HEIRS, Shape.ENTRIES)
)


def told(ws: Workspace, snapshot: Snapshot, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a frontmatter without refs to memories that are hidden from the viewer, or don't exist.

    The vault's owner alone is told all of them.
    """
    if sees_unreadable(ws) or _NAMES_MEMORIES.isdisjoint(values):
        return dict(values)
    ids = snapshot.catalog.column("id")
    there = {ids[row] for row in visible_rows(ws, snapshot)}

    def is_told(text: str) -> bool:
        ref = MemoryRef.parse(text)
        return ref is None or ref.id in there

    return {name: _told(value, is_told) if name in _NAMES_MEMORIES else value for name, value in values.items()}


def _told(value: Any, is_told: Callable[[str], bool]) -> Any:
    match value:
        case str():
            return value if is_told(value) else None
        case list():
            return [kept for item in value if (kept := _told(item, is_told)) is not None]
        case dict():
            return {name: kept for name, item in value.items() if (kept := _told(item, is_told)) is not None}
        case _:
            return value
