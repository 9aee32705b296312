"""What is said above a note and beside its refs: how much leads to it, what it rests on, who sees it; titles of ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.quotation import shown_title
from memstore.files.memory_file import MemoryFile
from memstore.lsp import cursor, navigation
from memstore.lsp.audience import seen_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.lsp.open_files import OpenVault, TextDocument

_FOR, _AGAINST = frozenset({"support", "partial"}), frozenset({"contradict"})


def lenses(vault: OpenVault, document: TextDocument) -> Iterator[str]:
    """Yield what is said above an open note, as far as the viewer may know."""
    row = vault.links.row_of(document.path)
    if row is None:
        return
    if links := sum(1 for _ in vault.links.leading_to(row)):
        yield _counted(links, "link leads here", "links lead here")
    if others := len(navigation.dependents(vault, row)):
        yield _counted(others, "memory names it", "memories name it")
    file = vault.file(document)
    if not isinstance(file, MemoryFile):
        return
    ops = [line.op for line in file.memory.confidence_history]
    speaks_for, against = (sum(op in known for op in ops) for known in (_FOR, _AGAINST))
    if speaks_for or against:
        yield f"evidence: {speaks_for} for, {against} against"
    if file.memory.id and (seen := seen_by(vault.saved_view, file.memory, vault.listeners)):
        yield f"seen by {seen}"


def _counted(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"


def titles(vault: OpenVault, document: TextDocument) -> Iterator[tuple[int, str]]:
    """Yield, after each ref that is written as an id, where it ends and the title of its memory."""
    named, kinds = vault.view.column("title"), vault.view.column("source_type")
    for mention in cursor.mentions(vault, document):
        row = cursor.row_of(vault, document, mention) if mention.ref else None
        if row is not None and named[row]:
            yield mention.span.end, shown_title(named[row], kinds[row])
