"""How a caller names a memory: by a text, or by any value that has a `ref`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from memstore.core.ids import MemoryRef

if TYPE_CHECKING:
    from collections.abc import Iterable


class HasRef(Protocol):
    """Anything that has a memory's ref: the result of `add`, a hit, a memory, an entry of a list."""

    @property
    def ref(self) -> MemoryRef | str | None:
        """The memory's ref; None if it has no id."""


# Whatever names a memory: its ref, its id, a unique prefix of the id, its path, or a value that has a `ref`.
Named = str | MemoryRef | HasRef
Names = Named | Sequence[Named]
# One text or several: where a caller gives a single text, it is the only one.
OneOrMore = Sequence[str]


def ref_of(memory: Named) -> str:
    """Return the text that names a memory; raise `TypeError` for a value that is neither a text nor has a `ref`."""
    if isinstance(memory, str | MemoryRef):
        return str(memory)
    if not hasattr(memory, "ref"):
        raise TypeError(f"a memory is named by its ref or by a value that has one, not by {type(memory).__name__}")
    name = memory.ref if memory.ref is not None else getattr(memory, "path", None)
    if name is None:
        raise TypeError(f"this {type(memory).__name__} has neither a ref nor a path")
    return str(name)


def refs_of(memories: Names) -> list[str]:
    """Return the texts that name one memory or several."""
    if isinstance(memories, str | MemoryRef) or hasattr(memories, "ref"):
        return [ref_of(cast("Named", memories))]
    return [ref_of(memory) for memory in cast("Iterable[Named]", memories)]
