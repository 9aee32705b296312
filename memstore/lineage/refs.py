"""What the memories that another is made of, or rests on, say themselves."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memstore.model.ids import MemoryRef

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memstore.core.view import View
    from memstore.model.catalog import Entry
    from memstore.model.memory import Memory


def entries(view: View, refs: Iterable[str]) -> list[Entry]:
    """Return the memories that refs name, as far as the actor may see them; what is none is left out."""
    named = [ref.id for text in refs if (ref := MemoryRef.parse(text)) is not None]
    return [view.entry(row) for memory_id in named for row in view.rows_of_id(memory_id)]


def ceiling(found: Iterable[Entry]) -> float | None:
    """Return the least confidence among memories; None where none of them states one."""
    return min((float(entry.confidence) for entry in found if entry.confidence), default=None)


def loader(view: View) -> Callable[[str], Memory | None]:
    """Return what gives the memory that a ref names, each file read once; None where the actor may see none."""

    @cache
    def load(ref: str) -> Memory | None:
        files = (view.read(entry.path) for entry in entries(view, [ref]))
        return next((file.memory for file in files if file and file.memory.status != "forgotten"), None)

    return load
