"""Redaction: refs to hidden memories are left out of what is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memstore.core.catalog import Entry
from memstore.core.ids import MemoryRef
from memstore.core.keys import KEYS, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from memstore.files.memory_file import MemoryFile


# Keys of the frontmatter, and columns of the catalogue, whose values name memories.
NAMES_MEMORIES = frozenset(
    key.name for key in KEYS if key.shape in (Shape.REFS, Shape.SOURCES, Shape.HEIRS, Shape.ENTRIES)
)
COLUMNS_OF_REFS = (NAMES_MEMORIES & {*Entry._fields}) | {"evidence", "cites"}


# With what a memory was quarantined, and why, may name what others don't see.
_OF_ITS_OWNER = frozenset({"quarantine"})


def shown_refs(ids: Collection[str] | None) -> Callable[[str], bool]:
    """Return a predicate for texts that may be shown: any but refs to other ids than these; None means all."""

    def is_shown(text: str) -> bool:
        ref = MemoryRef.parse(text.rpartition(" ")[2])  # an item of the column `evidence` is `op ref`
        return ref is None or ids is None or ref.id in ids

    return is_shown


def shown_values(values: Mapping[str, Any], is_shown: Callable[[str], bool]) -> dict[str, Any]:
    """Return the values of a frontmatter without refs that are not shown, and without what only its owner may know."""
    said = {name: value for name, value in values.items() if name not in _OF_ITS_OWNER}
    return {name: _visible_value(value, is_shown) if name in NAMES_MEMORIES else value for name, value in said.items()}


def redacted(file: MemoryFile, is_shown: Callable[[str], bool]) -> MemoryFile:
    """Return a file whose values and memory contain no hidden refs; the signed original stays available."""
    values = shown_values(file.front.values, is_shown)
    if values == file.front.values:
        return file
    from memstore.files.memory_file import memory_of
    from memstore.files.shapes import whole_entries

    # Everything else is taken from the memory: a key in another program's form is not read as ours.
    changed = {name: whole_entries(name, value) for name, value in values.items() if value != file.front.values[name]}
    changed |= dict.fromkeys(file.front.values.keys() - values.keys())
    left = memory_of({"type": file.memory.type, **changed}, "")
    memory = replace(file.memory, original=file.memory, **{name: getattr(left, name) for name in changed})
    return file._replace(front=replace(file.front, values=values), memory=memory)


def _visible_value(value: Any, is_shown: Callable[[str], bool]) -> Any:
    match value:
        case str():
            return value if is_shown(value) else None
        case list():
            return [kept for item in value if (kept := _visible_value(item, is_shown)) is not None]
        case dict():
            return {name: kept for name, item in value.items() if (kept := _visible_value(item, is_shown)) is not None}
        case _:
            return value
