"""Foreign memories: all of a loaded stack (docs/adr/0046).

Where a text comes from makes it foreign, not what its file says. A view shows such a
memory as one that was taken in from outside, so that all rules for these hold (docs/adr/0038), and without its
sender's numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memstore.core.keys import EXTERNAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.catalog import Entry
    from memstore.core.memory import Memory
    from memstore.files.memory_file import MemoryFile

# What its sender says of it and would count here: how sure they are, how much it matters, by which stream it came.
_NUMBERS: Mapping[str, Any] = {
    "confidence": None,
    "confidence_history": (),
    "importance": None,
    "channel": None,
    "foundational": False,
}
# The columns of the catalogue in which it is shown otherwise than its file has it.
COLUMNS: Mapping[str, Any] = {
    "source_type": EXTERNAL, **dict.fromkeys(("confidence", "importance", "channel"), "")
}  # fmt: skip


@dataclass(frozen=True)
class ForeignMemories:
    """How the memories of a `sender` are shown."""

    sender: str

    @staticmethod
    def column(name: str, cells: Sequence[str]) -> Sequence[str]:
        """Return a column of the catalogue as it is shown."""
        shown: str = COLUMNS[name]
        return [shown] * len(cells)

    @staticmethod
    def entry(entry: Entry) -> Entry:
        """Return an entry as it is shown."""
        return entry._replace(**COLUMNS)

    @staticmethod
    def file(file: MemoryFile) -> MemoryFile:
        """Return a memory's file as it is shown; the original stays available for what was signed."""
        memory = file.memory
        values = {name: value for name, value in file.front.values.items() if name not in _NUMBERS}
        shown = replace(memory, source_type=EXTERNAL, original=memory.original or memory, **_NUMBERS)
        return file._replace(front=replace(file.front, values={**values, "source_type": EXTERNAL}), memory=shown)

    def source(self, memory: Memory) -> str:
        """Return where a foreign memory comes from, in words; its own word about that comes second."""
        return ", ".join(filter(None, (self.sender, memory.source or memory.source_entity)))
