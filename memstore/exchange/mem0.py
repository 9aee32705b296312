"""Memories of mem0, as JSON from its `get_all` or its export.

Source: docs/references.md, "formats of other programs".
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from memstore.core.change import Skipped
from memstore.core.errors import FormatError
from memstore.exchange.draft import CitedLines, Draft, Original, one_line, plain, sound, time_of, when, words
from memstore.exchange.originals import json_line
from memstore.files.json_stream import items

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.exchange.source import ImportSource

_LISTS = ("results", "memories")
_TEXTS = ("memory", "content", "text")
_RELATION = ("source", "relationship", "target")


def read(source: ImportSource) -> Iterator[Draft | Skipped]:
    """Yield a note for each memory; in mem0, a memory is what a model wrote down about somebody."""
    names = source.matching(r"(?:.*/)?[^/]+\.jsonl?") if source.is_folder else source.names
    if not names:
        raise FormatError(f"there is no JSON in {source.name}", hint="name the file itself")
    for name in names:
        with source.stream(name) as stream:
            for item in items(stream):
                where = source.where(name, item.line)
                if item.why:
                    yield Skipped(where, item.why, broken=True)
                    continue
                for relation in _listed(item.value, ("relations",)) or ():
                    yield _relation(where, relation)
                found = _listed(item.value, _LISTS)
                for number, value in enumerate([item.value] if found is None else found, 1):
                    place = where if found is None else f"{where}, {one_line(_id_of(value)) or f'memory {number}'}"
                    yield from sound(place, partial(_draft, place, value))


def _id_of(value: object) -> object:
    return value.get("id") if isinstance(value, dict) else None


def _listed(value: Any, names: tuple[str, ...]) -> list[Any] | None:
    """Return the first list that an object has under one of these names; None if there is none."""
    found = (value.get(name) for name in names) if isinstance(value, dict) else ()
    return next((one for one in found if isinstance(one, list)), None)


def _relation(where: str, value: Any) -> Draft | Skipped:
    """Return a note that says how two things are related, as mem0 up to version 1 kept in a graph."""
    parts = [one_line(value.get(key)) for key in _RELATION] if isinstance(value, dict) else []
    if not all(parts) or not parts:
        return Skipped(where, "it is a relation that names nothing")
    line = json_line(value)
    return Draft(
        key=f"relation/{'/'.join(parts)}",
        where=where,
        type="note",
        title=" ".join(parts),
        body=" ".join(parts),
        source="mem0, a relation",
        source_type="told_by_agent",
        cites=(CitedLines(Original("relation.json", line), 1, 1),),
        values={"platform": "mem0", "entities": [parts[0], parts[2]]},
    )


def _draft(where: str, value: Any) -> Iterator[Draft | Skipped]:
    if not isinstance(value, dict):
        raise FormatError("this is not a memory", where=where, hint='a memory is {"id": …, "memory": …}')
    memory_id, text = value.get("id"), next((value[key] for key in _TEXTS if isinstance(value.get(key), str)), None)
    memory_id = str(memory_id) if isinstance(memory_id, str | int) and not isinstance(memory_id, bool) else None
    if memory_id is None or text is None:
        raise FormatError(
            "the memory has no `id` or no `memory`", where=where, hint='a memory is {"id": …, "memory": …}'
        )
    if not text.strip():
        yield Skipped(where, "it has no text")
        return
    until = time_of(value.get("expiration_date"))
    known = {"id", *_TEXTS, "created_at", "categories", *(["expiration_date"] if until else [])}
    rest = {key: item for key, item in value.items() if key not in known and item not in (None, "", [], {})}
    metadata = value.get("metadata")
    whose = one_line(value.get("user_id")) or one_line(value.get("agent_id"))
    yield Draft(
        key=memory_id,
        where=where,
        type="note",
        body=text,
        source=f"mem0, of {whose}" if whose else "mem0",
        source_type="told_by_agent",
        made=when(value.get("created_at"), value.get("updated_at")),
        user=one_line(value.get("user_id") or (metadata.get("user_id") if isinstance(metadata, dict) else None)),
        cites=(CitedLines(Original(f"{memory_id}.json", json_line(value)), 1, 1),),
        values={
            "platform": "mem0",
            "tags": words(value.get("categories")),
            "valid_until": until[:10] if until else None,
            **({"mem0": plain(rest)} if rest else {}),
        },
    )
