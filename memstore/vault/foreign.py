"""Foreign memories: texts of somebody who is neither a member of the vault nor a registered agent (docs/adr/0046).

Where a text comes from makes it foreign, not what its file says: in a loaded stack everything is. A view shows such a
memory as one that was taken in from outside, so that all rules for these hold (docs/adr/0038), and without its
sender's numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memstore.core.ids import is_entity_id
from memstore.core.keys import EXTERNAL

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memstore.access.world import World
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
    """Which memories are foreign: those of these `authors`, or all, if they have one `sender`."""

    authors: Collection[str] = ()
    sender: str | None = None

    def __bool__(self) -> bool:
        return bool(self.authors or self.sender)

    def says(self, author: str | None) -> bool:
        """Whether what somebody wrote is foreign."""
        return self.sender is not None or author in self.authors

    def column(self, name: str, cells: Sequence[str], authors: Sequence[str]) -> Sequence[str]:
        """Return a column of the catalogue as it is shown."""
        shown: str = COLUMNS[name]
        return [shown if self.says(author) else cell for cell, author in zip(cells, authors, strict=True)]

    def entry(self, entry: Entry) -> Entry:
        """Return an entry as it is shown."""
        return entry._replace(**COLUMNS) if self.says(entry.author) else entry

    def file(self, file: MemoryFile) -> MemoryFile:
        """Return a memory's file as it is shown; the original stays available for what was signed."""
        memory = file.memory
        if not self.says(memory.author):
            return file
        values = {name: value for name, value in file.front.values.items() if name not in _NUMBERS}
        shown = replace(memory, source_type=EXTERNAL, original=memory.original or memory, **_NUMBERS)
        return file._replace(front=replace(file.front, values={**values, "source_type": EXTERNAL}), memory=shown)

    def source(self, memory: Memory) -> str:
        """Return where a foreign memory comes from, in words; its own word about that comes second."""
        sender = self.sender or memory.author or ""
        return ", ".join(filter(None, (sender, memory.source or memory.source_entity)))


def strangers(world: World, authors: Collection[str], actor: str) -> frozenset[str]:
    """Return those authors who are no members: neither the owner nor who acts, nor registered, nor in a group."""
    members = {world.owner, actor, *world.entities, *(one.id for group in world.groups.values() for one in group)}
    return frozenset(one for one in authors if is_entity_id(one) and one not in members)
