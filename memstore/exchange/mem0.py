"""Memories of mem0, as JSON from its `get_all` or its export.

Source: docs/references.md, "formats of other programs".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.core.errors import FormatError
from memstore.exchange.draft import CitedLines, Draft, Original, Skipped, one_line, plain, time_of, words
from memstore.exchange.json_stream import items
from memstore.exchange.originals import json_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.exchange.source import ImportSource

_LISTS = ("results", "memories")
_TEXTS = ("memory", "content", "text")


def read(source: ImportSource) -> Iterator[Draft | Skipped]:
    """Yield a note for each memory; in mem0, a memory is what a model wrote down about somebody."""
    names = source.matching(r"(?:.*/)?[^/]+\.jsonl?") if source.is_folder else source.names
    if not names:
        raise FormatError(f"there is no JSON in {source.name}", hint="name the file itself")
    for name in names:
        with source.stream(name) as stream:
            for item in items(stream, source.where(name), under=_LISTS):
                yield _draft(source, name, source.where(name, item.line), item.value)


def _draft(source: ImportSource, name: str, where: str, value: Any) -> Draft | Skipped:
    if not isinstance(value, dict):
        raise FormatError(f"{where}: this is not a memory", hint='a memory is {"id": …, "memory": …}')
    memory_id, text = value.get("id"), next((value[key] for key in _TEXTS if isinstance(value.get(key), str)), None)
    if not isinstance(memory_id, str) or text is None:
        raise FormatError(f"{where}: the memory has no `id` or no `memory`", hint='a memory is {"id": …, "memory": …}')
    if not text.strip():
        return Skipped(where, "it has no text")
    until = time_of(value.get("expiration_date"))
    known = {"id", *_TEXTS, "created_at", "categories", *(["expiration_date"] if until else [])}
    rest = {key: item for key, item in value.items() if key not in known and item not in (None, "", [], {})}
    whose = one_line(value.get("user_id")) or one_line(value.get("agent_id"))
    return Draft(
        key=memory_id,
        where=where,
        type="note",
        body=text,
        source=f"mem0, of {whose}" if whose else "mem0",
        source_type="told_by_agent",
        created_at=time_of(value.get("created_at")) or source.saved_at(name),
        cites=(CitedLines(Original(f"{memory_id}.json", json_line(value)), 1, 1),),
        values={
            "platform": "mem0",
            "tags": words(value.get("categories")),
            "valid_until": until[:10] if until else None,
            **({"mem0": plain(rest)} if rest else {}),
        },
    )
