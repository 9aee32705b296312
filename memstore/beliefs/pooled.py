"""A memory as the search for patterns sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstore.core.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """A memory that could be part of a pattern.

    `terms` are what it is about, `roots` are its independent origins, `depth` counts the layers of beliefs below it.
    """

    memory: Memory
    text: str
    terms: tuple[str, ...]
    roots: tuple[str, ...]
    depth: int = 0

    @property
    def ref(self) -> str:
        """The memory's ref."""
        return str(self.memory.ref)
