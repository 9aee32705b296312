"""What a memory says of other memories: to others than the owner, nothing of those that they may not see."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memstore.model.catalog import Entry
from memstore.model.ids import MemoryRef
from memstore.model.keys import KEYS, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from memstore.codec.memory_file import MemoryFile

# Keys of the frontmatter whose values name memories, and the catalogue's columns that do.
NAMES_MEMORIES = frozenset(
    key.name for key in KEYS if key.shape in (Shape.REFS, Shape.SOURCES, Shape.HEIRS, Shape.ENTRIES)
)
_REQUIRED = {key.name: {part.name for part in key.entry if part.required} for key in KEYS if key.shape is Shape.ENTRIES}
COLUMNS_OF_REFS = (NAMES_MEMORIES & {*Entry._fields}) | {"evidence", "cites"}


def shown_refs(ids: Collection[str] | None) -> Callable[[str], bool]:
    """Return what tells whether a text may be shown: any that names no memory, and refs to these; to all, for None."""

    def is_shown(text: str) -> bool:
        ref = MemoryRef.parse(text.rpartition(" ")[2])  # an item of the column `evidence` is `op ref`
        return ref is None or ids is None or ref.id in ids

    return is_shown


def shown_values(values: Mapping[str, Any], is_shown: Callable[[str], bool]) -> dict[str, Any]:
    """Return the values of a frontmatter without refs that are not shown."""
    return {name: _shown(value, is_shown) if name in NAMES_MEMORIES else value for name, value in values.items()}


def redacted(file: MemoryFile, is_shown: Callable[[str], bool]) -> MemoryFile:
    """Return a file whose values and memory name nothing that is not shown; what was signed stays at hand."""
    from memstore.codec.memory_file import memory_of

    values = shown_values(file.front.values, is_shown)
    if values == file.front.values:
        return file
    whole = {name: _whole_entries(name, value) for name, value in values.items()}
    memory = replace(memory_of(whole, file.text.body), original=file.memory)
    return replace(file, front=replace(file.front, values=values), memory=memory)


def _whole_entries(name: str, value: Any) -> Any:
    """Return the entries of a list that still have what they must have; any other value as it is."""
    if name not in _REQUIRED or not isinstance(value, list):
        return value
    return [item for item in value if isinstance(item, dict) and _REQUIRED[name] <= item.keys()]


def _shown(value: Any, is_shown: Callable[[str], bool]) -> Any:
    match value:
        case str():
            return value if is_shown(value) else None
        case list():
            return [kept for item in value if (kept := _shown(item, is_shown)) is not None]
        case dict():
            return {name: kept for name, item in value.items() if (kept := _shown(item, is_shown)) is not None}
        case _:
            return value
