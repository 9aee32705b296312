"""What a memory tells of other memories: to others than the owner, nothing of those that they may not see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.flows.visible import sees_unreadable, visible_rows
from memstore.model.catalog import ITEM_SEPARATOR
from memstore.model.ids import MemoryRef
from memstore.model.keys import KEYS, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstore.codec.memory_file import MemoryFile
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace

_NAMES_MEMORIES = frozenset(
    key.name for key in KEYS if key.shape in (Shape.REFS, Shape.SOURCES, Shape.HEIRS, Shape.ENTRIES)
)


def teller(ws: Workspace, snapshot: Snapshot) -> Callable[[str], bool]:
    """Return what tells whether a text may be told: any that names no memory, and refs to those that are seen.

    The vault's owner alone is told all of them.
    """
    if sees_unreadable(ws):
        return _all
    ids = snapshot.catalog.column("id")
    there = {ids[row] for row in visible_rows(ws, snapshot)}

    def is_told(text: str) -> bool:
        ref = MemoryRef.parse(text)
        return ref is None or ref.id in there

    return is_told


def _all(_: str) -> bool:
    return True


def told(ws: Workspace, snapshot: Snapshot, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a frontmatter without refs to memories that are hidden from the viewer, or don't exist."""
    if _NAMES_MEMORIES.isdisjoint(values):
        return dict(values)
    return told_by(teller(ws, snapshot), values)


def told_by(is_told: Callable[[str], bool], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a frontmatter that may be told, by what `teller` made for many."""
    return {name: _told(value, is_told) if name in _NAMES_MEMORIES else value for name, value in values.items()}


def is_all_told(ws: Workspace, snapshot: Snapshot, file: MemoryFile) -> bool:
    """Whether all that a file's frontmatter says may be told, so that its very bytes may be shown."""
    return told(ws, snapshot, file.front.values) == told_by(_all, file.front.values)


def told_columns(ws: Workspace, snapshot: Snapshot) -> Callable[[str], Sequence[str]]:
    """Return the catalogue's columns, those of refs without what may not be told."""
    column = snapshot.catalog.column
    if sees_unreadable(ws):
        return column
    is_told = teller(ws, snapshot)

    def told_column(name: str) -> Sequence[str]:
        if name not in _NAMES_MEMORIES:
            return column(name)
        cells = {cell: ITEM_SEPARATOR.join(filter(is_told, cell.split(ITEM_SEPARATOR))) for cell in set(column(name))}
        return [cells[cell] for cell in column(name)]

    return told_column


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
