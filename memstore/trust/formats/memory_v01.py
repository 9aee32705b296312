"""Seed 004's JSON, `memory-v0.1`: from bytes to the values of a frontmatter and a body, and back.

Anything without a place in that format goes into its member `memstore`. Who may see a memory is never exported.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.change import Skipped
from memstore.core.errors import FormatError
from memstore.core.ids import ID_ALPHABET, ID_RANDOM_CHARACTERS, is_entity_id, is_memory_id
from memstore.core.keys import ANCHOR_KEYS, WITNESS_KEYS
from memstore.files.json_stream import items
from memstore.files.shapes import is_absent, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.files.json_stream import Item

SCHEMA = "https://anamnesis.dev/schemas/memory-v0.1.json"
# Frontmatter keys that come from the seed's format; nothing else reads them.
VERSION, HANDLES, FOREIGN_SIGNATURE = "version", "handles", "foreign_signature"
_BROUGHT = frozenset({VERSION, HANDLES, FOREIGN_SIGNATURE})
# Each vault decides by itself who may see a memory.
STAYS = frozenset(
    {
        "owner", "context", "access_grants", "access_denies", "consent_grants",
        "upstream_grants", "generalized", "generalization",
    }
)  # fmt: skip
_HAS_A_PLACE = frozenset(
    {
        "id", "type", "title", "tags", "author", "platform", "signature", "created_at", "origin", "confidence",
        "witnesses", "anchors", "supersedes", "superseded_by", "derived_from",
    }
)  # fmt: skip
_MEMBERS = {
    "": frozenset(
        {"$schema", "id", "version", "content", "provenance", "witnesses", "anchors", "lineage", "trust", "memstore"}
    ),
    "content": frozenset({"type", "summary", "body", "tags"}),
    "provenance": frozenset({"author", "created_at", "context"}),
    "provenance.author": frozenset({"agent_id", "platform", "signature", "signed"}),
    "provenance.context": frozenset({"session_id", "trigger", "confidence"}),
    "lineage": frozenset({"supersedes", "superseded_by", "derived_from", "chain_depth"}),
    "witnesses": frozenset({"signature", *(key.name for key in WITNESS_KEYS if key.name != "sig")}),
    "anchors": frozenset(key.name for key in ANCHOR_KEYS),
}
Document = dict[str, Any]


class Foreign(NamedTuple):
    """A memory in the seed's format: the values of its frontmatter, and its body."""

    values: dict[str, Any]
    body: str


class Placed(NamedTuple):
    """A memory in the seed's format, as it was read, and its place in the source, for messages."""

    where: str
    document: Document


def read(path: str, data: bytes) -> tuple[Placed | Skipped, ...]:
    """Return the documents in a file, in order: one object, a list of them, or one per line; and what can't be read.

    Raises:
        FormatError: there are none.
    """
    found = tuple(_read(f"{path}:{item.line}", item) for item in items(BytesIO(data), under=("memories",)))
    if not found:
        raise FormatError(f"there are no memories in {path}", hint="write one object, a list of them, or one per line")
    return found


def _read(where: str, item: Item) -> Placed | Skipped:
    if isinstance(item.value, dict):
        return Placed(where, item.value)
    return Skipped(where, item.why or "this is not an object with a memory", broken=True)


def id_of(document: Document) -> str:
    """Return a document's id.

    Raises:
        FormatError: it has none, or one whose form can't be stored.
    """
    memory_id = document.get("id")
    if not isinstance(memory_id, str) or not is_memory_id(memory_id):
        raise FormatError(
            f"`id` is {memory_id!r}, which is not a valid id",
            hint="use 3 to 64 of a-z, 0-9, _ and -, like mem_abc123",
        )
    return memory_id


def id_for(importer: str, memory_id: str) -> str:
    """Return the id for a memory imported by somebody other than the vault's owner; nobody can choose it."""
    digest = int(hashlib.sha256(f"{importer}\n{memory_id}".encode()).hexdigest(), 16)
    return "m_" + "".join(ID_ALPHABET[digest >> 5 * place & 31] for place in range(ID_RANDOM_CHARACTERS))


def type_of(document: Document) -> object:
    """Return the type that a document claims, unchecked."""
    return _map(document, "content").get("type")


def read_memory(document: Document, *, entity_of: Callable[[str], str], ref_of: Callable[[str], str | None]) -> Foreign:
    """Return the content of a document; its trust and chain depth are mere claims, and are not read.

    Args:
        document: one memory, as in `Placed`.
        entity_of: returns the entity that a handle names.
        ref_of: returns the ref of the memory that an id names; None if there is none.

    Raises:
        FormatError: it has members that could not be kept, or not the right form.
    """
    memory_id = id_of(document)
    _require_known(document, "", memory_id)
    content, provenance, lineage = (_part(document, name, memory_id) for name in ("content", "provenance", "lineage"))
    author, context = (_part(provenance, name, memory_id, "provenance.") for name in ("author", "context"))
    handles: dict[str, str] = {}

    def entity(handle: object) -> object:
        found = entity_of(handle) if isinstance(handle, str) and handle else handle
        if isinstance(found, str) and found != handle:
            handles[found] = str(handle)
        return found

    values = {
        **_own(document, memory_id),
        "id": memory_id,
        VERSION: document.get("version"),
        "type": content.get("type"),
        "title": content.get("summary"),
        "tags": content.get("tags"),
        "author": entity(author.get("agent_id")),
        "platform": author.get("platform"),
        **_signature(author),
        "created_at": provenance.get("created_at"),
        "origin": {name: context[name] for name in ("session_id", "trigger") if context.get(name)} or None,
        "confidence": context.get("confidence"),
        "witnesses": [_witness(one, entity) for one in _entries(document, "witnesses", memory_id)],
        "anchors": [_in_order(one, ANCHOR_KEYS) for one in _entries(document, "anchors", memory_id)],
        **_lineage(lineage, ref_of, kind=content.get("type")),
    }
    body = content.get("body") or ""
    if not isinstance(body, str):
        raise FormatError(f"{memory_id}: `content.body` must be a text")
    return Foreign({**values, HANDLES: handles or None}, body)


def document_of(values: Mapping[str, Any], body: str, *, chain_depth: int, trust: Document) -> Document:
    """Return a memory in the seed's format.

    Args:
        values: its frontmatter, as it was read.
        body: its text.
        chain_depth: how many generations of sources and predecessors are known.
        trust: the seed's member of that name, computed now.
    """
    named = values.get(HANDLES)
    handles = named if isinstance(named, dict) else {}
    origin = values.get("origin") or {}
    own = {
        name: value
        for name, value in values.items()
        if name not in _HAS_A_PLACE | STAYS | _BROUGHT and not is_absent(value)
    }
    document = {
        "$schema": SCHEMA,
        "id": values.get("id"),
        "version": values.get(VERSION) or 1,
        "content": {
            "type": values["type"],
            "summary": values.get("title"),
            "body": body.strip("\r\n"),
            "tags": listed(values.get("tags")),
        },
        "provenance": {
            "author": _author(values, handles),
            "created_at": values.get("created_at"),
            "context": {
                "session_id": origin.get("session_id"),
                "trigger": origin.get("trigger"),
                "confidence": values.get("confidence"),
            },
        },
        "witnesses": [_witness_document(one, handles) for one in values.get("witnesses") or []],
        "anchors": values.get("anchors") or [],
        "lineage": {
            "supersedes": values.get("supersedes"),
            "superseded_by": values.get("superseded_by"),
            "derived_from": values.get("derived_from") or [],
            "chain_depth": chain_depth,
        },
        "trust": trust,
    }
    return {**document, "memstore": own} if own else document


def folded(handle: str) -> str | None:
    """Return the entity id that a handle folds to, `si:babel` for `Babel`; None if its letters are not ASCII.

    A letter that only looks like another is never taken for it.
    """
    plain = unicodedata.normalize("NFC", handle).casefold()
    name = re.sub(r"[^a-z0-9._-]+", "-", plain).strip("-._")
    found = f"si:{name}"
    return found if plain.isascii() and is_entity_id(found) else None


# -- reading -------------------------------------------------------------------------------------


def _map(value: Document, name: str) -> Document:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _part(value: Document, name: str, memory_id: str, above: str = "") -> Document:
    found = value.get(name)
    if found is not None and not isinstance(found, dict):
        raise FormatError(f"{memory_id}: `{above}{name}` must be an object")
    _require_known(found or {}, f"{above}{name}", memory_id)
    return found or {}


def _require_known(value: Document, where: str, memory_id: str) -> None:
    """Reject a member that nothing would keep, so that whatever is imported can be exported again."""
    unknown = sorted(value.keys() - _MEMBERS[where])
    if unknown:
        name = f"{where}.{unknown[0]}" if where else unknown[0]
        raise FormatError(
            f"{memory_id}: memory-v0.1 has no member `{name}`, so it would be lost",
            hint=f'put it into "memstore": {{…}}, or remove it; known: {", ".join(sorted(_MEMBERS[where]))}',
        )


def _entries(document: Document, name: str, memory_id: str) -> list[Document]:
    found = document.get(name) or []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise FormatError(f"{memory_id}: `{name}` must be a list of objects")
    for one in found:
        _require_known(one, name, memory_id)
    return found


def _own(document: Document, memory_id: str) -> Document:
    own = document.get("memstore", {})
    if not isinstance(own, dict):
        raise FormatError(f"{memory_id}: `memstore` must be an object")
    misplaced = sorted(own.keys() & (STAYS | _HAS_A_PLACE | _BROUGHT))
    if misplaced:
        what = "is decided by each vault for itself" if misplaced[0] in STAYS else "has a place of its own"
        raise FormatError(f"{memory_id}: `memstore.{misplaced[0]}` {what}", hint="remove it")
    return own


def _signature(author: Document) -> Document:
    """Return the author's signature if its entry is complete; otherwise whatever is in its place, unchanged."""
    said, signed = author.get("signature"), author.get("signed")
    if not isinstance(signed, dict):
        return {FOREIGN_SIGNATURE: said}
    return {"signature": {**signed, "sig": said}}


def _witness(value: Document, entity: Callable[[object], object]) -> Document:
    return _in_order({**value, "agent_id": entity(value.get("agent_id")), "sig": value.get("signature")}, WITNESS_KEYS)


def _in_order(value: Document, keys: tuple[Any, ...]) -> Document:
    return {key.name: value[key.name] for key in keys if not is_absent(value.get(key.name))}


def _lineage(lineage: Document, ref_of: Callable[[str], str | None], *, kind: object) -> Document:
    """Return the edges with the types of what they name.

    An unknown source stays as a mark; an unknown memory that supersedes this one, or was superseded by it, gets its
    type.
    """

    def heir(text: object) -> object:
        return (ref_of(text) or f"{kind}:{text}") if isinstance(text, str) and is_memory_id(text) else text

    def source(text: object) -> object:
        return (ref_of(text) or f"context:{text}") if isinstance(text, str) and is_memory_id(text) else text

    found = {name: lineage.get(name) for name in ("supersedes", "superseded_by", "derived_from")}
    sources = found["derived_from"]
    return {
        "supersedes": _each(found["supersedes"], heir),
        "superseded_by": _each(found["superseded_by"], heir),
        "derived_from": _each([sources] if isinstance(sources, str) and sources else sources, source),
    }


def _each(value: object, change: Callable[[object], object]) -> object:
    return [change(one) for one in value] if isinstance(value, list) else change(value)


# -- writing -------------------------------------------------------------------------------------


def _author(values: Mapping[str, Any], handles: Mapping[str, Any]) -> Document:
    author, entry = values.get("author"), values.get("signature")
    said = {"agent_id": handles.get(str(author), author), "platform": values.get("platform")}
    if not entry:
        return {**said, "signature": values.get(FOREIGN_SIGNATURE)}
    signed = {name: value for name, value in entry.items() if name != "sig"}
    return {**said, "signature": entry["sig"], "signed": signed}


def _witness_document(entry: Mapping[str, Any], handles: Mapping[str, Any]) -> Document:
    who = entry["agent_id"]
    said = {name: value for name, value in entry.items() if name != "sig"}
    return {**said, "agent_id": handles.get(who, who), "signature": entry.get("sig")}
