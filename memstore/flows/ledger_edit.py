"""The edit by which a ledger gains lines, and the number that follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.codec import splice
from memstore.codec.ledger import entry_of
from memstore.core.change import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.codec.memory_file import MemoryFile
    from memstore.model.confidence import LedgerLine


def with_lines(file: MemoryFile, number: float, lines: Iterable[LedgerLine], *more: splice.Edit) -> Edit:
    """Return a memory's file with more lines in its ledger, the number, in [0, 1], and whatever else changes."""
    added = [splice.AppendEntry("confidence_history", entry_of(line)) for line in lines]
    after = splice.apply(file, [splice.SetValue("confidence", number), *added, *more])
    return Edit(path=file.path, before=file, after=after)
