"""What is said of a place that somebody points at: a note in ten lines, a confidence line by line, a key's meaning."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memstore.beliefs import ledger
from memstore.beliefs.next_lines import held_now
from memstore.cli.key_options import KEY_MEANINGS
from memstore.core.harmless import safe_line
from memstore.core.keys import KEYS
from memstore.core.quotation import shown_title
from memstore.files.memory_file import MemoryFile
from memstore.lsp import cursor
from memstore.lsp.audience import seen_by
from memstore.lsp.text import TextSpan
from memstore.memories.why import of_confidence, of_confidence_now
from memstore.trust.reader import TrustReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.memory import LedgerLine, Memory
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.lsp.open_files import OpenVault, TextDocument

MOST_LINES = 6
_BARS = "▁▂▃▄▅▆▇█"
_KEYS = {key.name: key for key in KEYS}


def hover(vault: OpenVault, document: TextDocument, offset: int) -> tuple[str, TextSpan] | None:
    """Return what is said at an offset, as Markdown, and what it is about; None if there is nothing to say."""
    mention = cursor.mention_at(vault, document, offset)
    if mention is not None:
        row = cursor.row_of(vault, document, mention)
        return None if row is None else (note_card(vault, row), mention.span)
    text, file = document.text, vault.file(document)
    head, line = cursor.head_of(text), text.line_of(offset)
    if head is None or not head.start <= line < head.end:
        return None
    return _of_key(vault, document, file, offset)


def _of_key(vault: OpenVault, document: TextDocument, file: ReadFile, offset: int) -> tuple[str, TextSpan] | None:
    text = document.text
    line = text.line_of(offset)
    name, colon, _ = text.line(line).partition(":")
    span = TextSpan(text.line_start(line), text.line_start(line) + len(text.line(line)))
    here = cursor.key_at(text, offset)
    if isinstance(file, MemoryFile) and "confidence" in (name, here and here.name.removesuffix("_history")):
        return "\n".join(_why(vault.view, file.memory)), span
    if isinstance(file, MemoryFile) and name == "access_grants" and (seen := _seen_by(vault, file.memory)):
        return f"seen by {seen}", span
    if not colon or name not in KEY_MEANINGS:
        return None
    key = _KEYS[name]
    words = f": {', '.join(key.choices)}" if key.choices else f" ({key.shape.value})"
    return f"**{name}**: {KEY_MEANINGS[name]}{words}", TextSpan(span.start, span.start + len(name))


def note_card(vault: OpenVault, row: int) -> str:
    """Return a visible note in about ten lines of Markdown: what `show` says first."""
    view = vault.view
    entry = view.entry(row)
    file = view.text(entry.path)
    title = shown_title(entry.title, entry.source_type) or entry.path
    lines = [f"**{_safe(title)}**", f"`{entry.ref or entry.path}`"]
    if file is None:
        return "\n\n".join(lines)
    memory = file.memory
    if isinstance(file, MemoryFile):
        lines[1] += "".join(f" · {word}" for word in _standing(vault, memory))
    said = [safe_line(line) for line in memory.body.split("\n") if line.strip()][:MOST_LINES]
    external = view.external(memory) if isinstance(file, MemoryFile) else None
    if external is not None:
        lines.append(f"from outside{f', by {_safe(external.source)}' if external.source else ''}:")
    # As it stands: an editor would fetch the pictures that a text names, and follow what it links to.
    fence = "`" * max(3, 1 + max((len(found) for found in re.findall("`+", "".join(said))), default=0))
    return "\n\n".join([*lines, "\n".join([f"{fence}text", *said, fence])])


def _standing(vault: OpenVault, memory: Memory) -> Iterator[str]:
    view = vault.view
    held = held_now(memory, view.clock.now())
    if held is not None:
        yield f"{held:.2f} {sparkline(memory.confidence_history)}".strip()
    if memory.status not in (None, "active"):
        yield str(memory.status)
    if memory.signature or memory.witnesses or memory.anchors:
        yield f"trust: {TrustReader(view).of(memory).level.value}"
    if memory.id and (seen := _seen_by(vault, memory)):
        yield f"seen by {seen}"


def _seen_by(vault: OpenVault, memory: Memory) -> str:
    return _safe(seen_by(vault.saved_view, memory, vault.listeners) or "")


def sparkline(history: Sequence[LedgerLine]) -> str:
    """Return the course of a confidence in one sign for each of its last lines; empty for fewer than two."""
    levels = [after.confidence for _, after in ledger.each_line(history)][-16:] if len(history) > 1 else []
    return "".join(_BARS[min(int(level * len(_BARS)), len(_BARS) - 1)] for level in levels)


def _why(view: View, memory: Memory) -> Iterator[str]:
    for number in (of_confidence(memory), of_confidence_now(memory, view.clock.now())):
        value = "none" if number.value is None else f"{number.value:.4f}"
        yield f"**{number.name} {value}**: {number.meaning}\n"
        yield from (f"- {term.value:+.4f} {_safe(term.name)}: {_safe(term.why)}" for term in number.terms)


def _safe(text: str) -> str:
    """Return a text on one line that means nothing in Markdown."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>#|" else sign for sign in safe_line(text))
