"""Seed 004's JSON, `memory-v0.1`: from bytes to the values of a frontmatter and a body, and back.

Anything without a place in that format goes into its member `memstore`. Who may see a memory is never exported. Members
that the format doesn't have are kept as they are, and are given back by the export.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.change import Skipped
from memstore.core.errors import FormatError
from memstore.core.ids import (
    ID_ALPHABET,
    ID_RANDOM_CHARACTERS,
    MEMORY_TYPES,
    MemoryRef,
    is_entity_id,
    is_memory_id,
)
from memstore.core.keys import ANCHOR_KEYS, ANCHOR_TYPES, ATTESTATIONS, WITNESS_KEYS
from memstore.files.json_stream import items
from memstore.files.shapes import is_absent, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memstore.files.json_stream import Item

SCHEMA = "https://anamnesis.dev/schemas/memory-v0.1.json"
_VERSION = re.compile(r"\bmemory-v(\d{1,6})\.(\d{1,6})\b")
# Frontmatter keys that come from the seed's format; nothing else reads them.
VERSION, HANDLES, FOREIGN_SIGNATURE = "version", "handles", "foreign_signature"
# Members that the format doesn't have: by the part that they stand in, and there by the entry if it is a list.
FOREIGN_MEMBERS = "foreign_members"
_BROUGHT = frozenset({VERSION, HANDLES, FOREIGN_SIGNATURE, FOREIGN_MEMBERS})
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
    "lineage": frozenset({"supersedes", "superseded_by", "derived_from", "chain_depth", "types"}),
    "witnesses": frozenset({"signature", *(key.name for key in WITNESS_KEYS if key.name != "sig")}),
    "anchors": frozenset(key.name for key in ANCHOR_KEYS),
}
# What an entry of a list says that a later version may say in other words, and the words that are known.
_WORDS = {"witnesses": ("attestation", ATTESTATIONS), "anchors": ("type", ANCHOR_TYPES)}
_TOP, _UNREAD = "document", "unread"
_OTHER_TYPE = "note"  # of a memory whose type only a later version knows
# What stands in for a memory that isn't here: only such a mark is one, and not any word.
_ABSENT = re.compile(r"context:(m(?:em)?_[a-z0-9_-]+)")
Document = dict[str, Any]


class Foreign(NamedTuple):
    """A memory in the seed's format: the values of its frontmatter, and its body.

    `unknown` are the members that the format doesn't have; `version` is the later version of it that the document says
    it has, as `memory-v0.2`, or None.
    """

    values: dict[str, Any]
    body: str
    unknown: tuple[str, ...] = ()
    version: str | None = None


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
    """Return the type that a document claims, unchecked; one that only a later version knows makes a note."""
    claimed = _map(document, "content").get("type")
    return _OTHER_TYPE if later_version(document) and claimed not in MEMORY_TYPES else claimed


def later_version(document: Document) -> str | None:
    """Return the version of the format that a document says it has, like `memory-v0.2`; None if that is known."""
    found = _VERSION.search(str(document.get("$schema")))
    return found[0] if found and (int(found[1]), int(found[2])) > (0, 1) else None


def read_memory(document: Document, *, entity_of: Callable[[str], str], ref_of: Callable[[str], str | None]) -> Foreign:
    """Return the content of a document; its trust and chain depth are mere claims, and are not read.

    Args:
        document: one memory, as in `Placed`.
        entity_of: returns the entity that a handle names.
        ref_of: returns the ref of the memory that an id names; None if there is none.

    Raises:
        FormatError: it has not the right form, or says who may see it.
    """
    memory_id = id_of(document)
    read = _Reader(document, memory_id)
    content, provenance, lineage = (read.part(document, name) for name in ("content", "provenance", "lineage"))
    author, context = (read.part(provenance, name, "provenance.") for name in ("author", "context"))
    if (kind := type_of(document)) != content.get("type"):
        read.keep("content", {"type": content.get("type")})
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
        "type": kind,
        "title": content.get("summary"),
        "tags": content.get("tags"),
        "author": entity(author.get("agent_id")),
        "platform": author.get("platform"),
        **_signature(author),
        "created_at": provenance.get("created_at"),
        "origin": {name: context[name] for name in ("session_id", "trigger") if context.get(name)} or None,
        "confidence": context.get("confidence"),
        "witnesses": [_witness(one, entity) for one in read.entries("witnesses")],
        "anchors": [_in_order(one, ANCHOR_KEYS) for one in read.entries("anchors")],
        **_lineage(lineage, ref_of, kind=kind),
        FOREIGN_MEMBERS: read.kept or None,
    }
    body = content.get("body") or ""
    if not isinstance(body, str):
        raise FormatError(f"{memory_id}: `content.body` must be a text")
    return Foreign({**values, HANDLES: handles or None}, body, tuple(read.unknown()), later_version(document))


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
        "anchors": [{**one} for one in values.get("anchors") or []],
        "lineage": {
            "supersedes": _each(values.get("supersedes"), _bare),
            "superseded_by": _each(values.get("superseded_by"), _bare),
            "derived_from": _each(values.get("derived_from") or [], _bare),
            "chain_depth": chain_depth,
            **_types(values),
        },
        "trust": trust,
    }
    _give_back(document, values.get(FOREIGN_MEMBERS))
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


class _Reader:
    """Reads the parts of a document, and keeps the members that the format doesn't have.

    Raises:
        FormatError: the document says who may see it.
    """

    def __init__(self, document: Document, memory_id: str) -> None:
        self.kept: dict[str, Any] = {}
        self._document, self._id = document, memory_id
        self._later = later_version(document)
        if decided := sorted(document.keys() & STAYS):
            raise FormatError(f"{memory_id}: `{decided[0]}` is decided by each vault for itself", hint="remove it")
        self._keep_unknown(document, _TOP, _MEMBERS[""])

    def part(self, value: Document, name: str, above: str = "") -> Document:
        """Return a part of a document; raise `FormatError` if it is not an object."""
        found = value.get(name)
        if found is not None and not isinstance(found, dict):
            raise FormatError(f"{self._id}: `{above}{name}` must be an object")
        self._keep_unknown(found or {}, f"{above}{name}", _MEMBERS[f"{above}{name}"])
        return found or {}

    def entries(self, name: str) -> list[Document]:
        """Return a list of a document; what a later version has in it under another word is kept as it is."""
        found = self._document.get(name) or []
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise FormatError(f"{self._id}: `{name}` must be a list of objects")
        word, known = _WORDS[name]
        unread = [one for one in found if self._later and one.get(word) not in known]
        if unread:
            self.keep(name, {_UNREAD: unread})
        read = [one for one in found if one not in unread]
        for entry, called in zip(read, _names(read), strict=True):
            if more := {one: entry[one] for one in entry if one not in _MEMBERS[name]}:
                self.keep(name, {called: more})
        return read

    def keep(self, where: str, members: Document) -> None:
        """Keep members that stand in a part."""
        self.kept.setdefault(where, {}).update(members)

    def unknown(self) -> Iterator[str]:
        """Yield the names of what was kept."""
        for where, members in self.kept.items():
            names = {
                name: None
                for called, one in members.items()
                for name in (one if where in _WORDS and called != _UNREAD else [called])
            }
            yield from (name if where == _TOP else where if name == _UNREAD else f"{where}.{name}" for name in names)

    def _keep_unknown(self, value: Document, where: str, known: frozenset[str]) -> None:
        if unknown := {name: item for name, item in value.items() if name not in known}:
            self.keep(where, unknown)


def _names(entries: list[Document]) -> list[str]:
    """Return a name for each entry of a list, by which its own members are found again."""
    seen: Counter[str] = Counter()
    names = []
    for one in entries:
        said = [one.get(key) for key in ("agent_id", "witnessed_at", "reference", "created_at")]
        name = " ".join(str(word) for word in said if word is not None)
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


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
    type, unless memstore exported it with its own.
    """
    named = _map(lineage, "types")
    types = {name: one for name, one in named.items() if one in MEMORY_TYPES}

    def ref(text: object, otherwise: object) -> object:
        if not isinstance(text, str) or not is_memory_id(text):
            return text
        return ref_of(text) or f"{types.get(text, otherwise)}:{text}"

    def heir(text: object) -> object:
        return ref(text, kind)

    def source(text: object) -> object:
        return ref(text, "context")

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


def _bare(text: object) -> object:
    """Return the id of a memory as other readers know it; anything else as it is."""
    ref, absent = MemoryRef.parse(str(text)), _ABSENT.fullmatch(str(text))
    return ref.id if ref else absent[1] if absent else text


def _types(values: Mapping[str, Any]) -> Document:
    """Return the types that bare ids don't say, by id; nothing if there are none."""
    named = [text for name in ("supersedes", "superseded_by", "derived_from") for text in listed(values.get(name))]
    refs = [ref for text in named if (ref := MemoryRef.parse(str(text)))]
    return {"types": {ref.id: ref.type for ref in refs}} if refs else {}


def _give_back(document: Document, kept: object) -> None:
    """Put members that came with a document back into their places, unless something else is there now."""
    if not isinstance(kept, dict):
        return
    for where, members in kept.items():
        if not isinstance(members, dict):
            continue
        if where in _WORDS:
            _give_back_entries(document[where], members)
            continue
        part: object = document
        for name in () if where == _TOP else str(where).split("."):
            part = part.get(name) if isinstance(part, dict) else None
        if isinstance(part, dict):
            part.update({name: item for name, item in members.items() if name not in part and name not in STAYS})
    kind = kept.get("content")
    if isinstance(kind, dict) and kind.get("type") and document["content"]["type"] == _OTHER_TYPE:
        document["content"]["type"] = kind["type"]


def _give_back_entries(entries: list[Document], members: Document) -> None:
    for entry, called in zip(entries, _names(entries), strict=True):
        more = members.get(called)
        if isinstance(more, dict):
            entry.update({name: item for name, item in more.items() if name not in entry})
    unread = members.get(_UNREAD)
    entries += unread if isinstance(unread, list) else []


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
