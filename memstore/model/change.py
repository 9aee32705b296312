"""What happened to one memory between two states of the vault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstore.model.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """A memory before and after, with the paths of its file; None on the side where it is not there."""

    before: Memory | None
    after: Memory | None
    path_before: str | None
    path_after: str | None

    @property
    def memory(self) -> Memory:
        """The memory as it is, or as it last was."""
        memory = self.after or self.before
        if memory is None:
            raise ValueError("a change of nothing")
        return memory

    @property
    def name(self) -> str:
        """What the memory is called where its text must not show: its ref, or its path where it has none."""
        ref = self.memory.ref
        return str(ref) if ref else self.path_after or self.path_before or ""

    @property
    def is_move(self) -> bool:
        """Whether the file got another name."""
        return bool(self.path_before and self.path_after and self.path_before != self.path_after)
