"""What could be typed next: keys and their values, refs, links, headings, tags, paths."""

from __future__ import annotations

import posixpath
import re
from heapq import nlargest, nsmallest
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from memstore.access import RIGHTS
from memstore.cli.key_options import KEY_MEANINGS, USUAL
from memstore.core.catalog import ITEM_SEPARATOR, filled
from memstore.core.digests import blob_id
from memstore.core.ids import MEMORY_TYPES
from memstore.core.keys import KEYS, Shape
from memstore.core.quotation import shown_title
from memstore.core.times import instant
from memstore.lsp import cursor
from memstore.lsp.text import TextSpan
from memstore.vault.note_names import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memstore.lsp.open_files import OpenVault, TextDocument
    from memstore.vault.note_names import Note

MOST = 100
_KEYS = {key.name: key for key in KEYS}
_OF_ENTITIES = frozenset({Shape.ENTITY, Shape.ENTITIES, Shape.GRANTEE, Shape.GRANTS})
_OF_REFS = frozenset({Shape.REF, Shape.REFS, Shape.SOURCES, Shape.HEIRS})
_WIKI = re.compile(r"!?\[\[([^\[\]|#\n]*)\Z")
_FRAGMENT = re.compile(r"!?\[\[([^\[\]|#\n]*)#([^\[\]|\n]*)\Z")
_MARKDOWN = re.compile(r"\]\(([^()\s]*)\Z")
_TAG = re.compile(r"(?:^|\s)#([\w/-]*)\Z")
_REF = re.compile(rf"\b((?:{'|'.join(MEMORY_TYPES)}):[\w]*)\Z")
_KEY = re.compile(r"[\w-]*\Z")


class Offer(NamedTuple):
    """One thing that could be typed: what is shown, what is put in place of `span`, and a word about it."""

    label: str
    text: str
    span: TextSpan
    kind: types.CompletionItemKind
    about: str = ""
    explained: str = ""


def completions(vault: OpenVault, document: TextDocument, offset: int) -> list[Offer]:
    """Return what could be typed at an offset, the likeliest first, at most `MOST`."""
    text = document.text
    head, line = cursor.head_of(text), text.line_of(offset)
    before = text.source[text.line_start(line) : offset]
    if found := _FRAGMENT.search(before):
        return [*_fragments(vault, document, found[1], found[2], offset)][:MOST]
    if found := _WIKI.search(before):
        return _notes(vault, document, found[1], offset)
    if head and head.start <= line < head.end:
        return _in_head(vault, document, head, offset)
    return _in_body(vault, document, before, offset)


def _in_head(vault: OpenVault, document: TextDocument, head: cursor.Head, offset: int) -> list[Offer]:
    text, key = document.text, cursor.key_at(document.text, offset)
    if key is not None:
        typed = text.source[key.value.start : offset]
        return _first(_values(vault, key, offset, typed), typed)
    start = text.line_start(text.line_of(offset))
    before = text.source[start:offset]
    return [*_keys(vault, document, head, before, TextSpan(start, offset))] if _KEY.match(before) else []


def _in_body(vault: OpenVault, document: TextDocument, before: str, offset: int) -> list[Offer]:
    if found := _MARKDOWN.search(before):
        return _paths(vault, document, found[1], TextSpan(offset - len(found[1]), offset))
    if found := _REF.search(before):
        return _first(_refs(vault, TextSpan(offset - len(found[1]), offset), found[1]), found[1])
    if found := _TAG.search(before):
        typed = found[1]  # which counts as a tag of this text by now
        offers = _first(_tags(vault, TextSpan(offset - len(typed), offset)), typed)
        return [one for one in offers if one.text != typed]
    return []


def _first(offers: Iterable[Offer], typed: str) -> list[Offer]:
    """Return the offers that begin with what was typed, then those that have it within, in their order."""
    wanted = folded(typed.strip("\"' "))
    found = []
    for place, offer in enumerate(offers):
        label, text = folded(offer.label), folded(offer.text)
        if wanted in label or wanted in text:
            found.append((not (label.startswith(wanted) or text.startswith(wanted)), place, offer))
    return [offer for *_, offer in nsmallest(MOST, found)]


def _keys(vault: OpenVault, document: TextDocument, head: cursor.Head, typed: str, span: TextSpan) -> Iterator[Offer]:
    there = {document.text.line(at).partition(":")[0] for at in range(head.start, head.end)}
    plain = vault.view.config.mixed and "id" not in there
    usual = ("title", "tags", "aliases", "date") if plain else ("type", "title", *sorted(USUAL), *_KEYS)
    for name in dict.fromkeys(usual):
        if name.startswith(typed) and name not in there:
            meaning = KEY_MEANINGS.get(name, "")
            key = _KEYS.get(name)
            shape = (", ".join(key.choices) if key.choices else key.shape.value) if key else ""
            yield Offer(name, f"{name}: ", span, types.CompletionItemKind.Property, meaning, shape)


def _values(vault: OpenVault, at: cursor.TypedKey, offset: int, typed: str) -> Iterator[Offer]:
    key, span = _KEYS.get(at.name), TextSpan(at.value.start, max(at.value.end, offset))
    words = _words_of(vault, at.name)
    if words:
        yield from (Offer(one, one, span, types.CompletionItemKind.EnumMember) for one in words)
    elif key is None:
        return
    elif key.shape in _OF_ENTITIES:
        yield from _entities(vault, span, anyone=key.shape is Shape.GRANTS)
    elif key.shape in _OF_REFS:
        yield from _refs(vault, span, typed)
    elif at.name in ("tags", "aliases", "scope"):
        yield from _items(vault, at.name, span)
    elif key.shape is Shape.INSTANT:
        now = instant(vault.view.clock.now())
        yield Offer(now, f'"{now}"', span, types.CompletionItemKind.Value, "now")


def _words_of(vault: OpenVault, name: str) -> Sequence[str]:
    """Return the words that a key's value is one of; none if it may be another."""
    key = _KEYS.get(name)
    if name == "type":
        return MEMORY_TYPES
    if key is None or key.choices:
        return key.choices if key else ()
    if key.shape is Shape.CONTEXT and vault.view.is_owners:
        return sorted(vault.view.of(RIGHTS).policy.contexts)
    return ("true", "false") if key.shape is Shape.FLAG else ()


def _entities(vault: OpenVault, span: TextSpan, *, anyone: bool) -> Iterator[Offer]:
    """Yield who is registered, for the vault's owner; others are offered those whom visible memories name."""
    view = vault.view
    if anyone:
        yield Offer('"*"', '"*"', span, types.CompletionItemKind.EnumMember, "everybody")
    world = view.of(RIGHTS).policy
    named = {*world.entities, *world.groups} if view.is_owners else set()
    for name in ("owner", "author", "subject_ids", "source_entity"):
        column = view.column(name)
        named.update(one for row in filled(view.rows, column) for one in column[row].split(ITEM_SEPARATOR))
    for one in sorted(named):
        kind = "a group" if one.startswith("group:") else ""
        yield Offer(one, one, span, types.CompletionItemKind.EnumMember, kind)


def _items(vault: OpenVault, name: str, span: TextSpan) -> Iterator[Offer]:
    column = vault.view.column(name)
    counts: dict[str, int] = {}
    for row in filled(vault.view.texts, column):
        for one in column[row].split(ITEM_SEPARATOR):
            counts[one] = counts.get(one, 0) + 1
    for one in sorted(counts, key=lambda one: (-counts[one], one)):
        if one.isprintable():
            yield Offer(one, one, span, types.CompletionItemKind.Keyword, f"{counts[one]}")


def _tags(vault: OpenVault, span: TextSpan) -> Iterator[Offer]:
    return (one for one in _items(vault, "tags", span) if " " not in one.text)


def _refs(vault: OpenVault, span: TextSpan, typed: str = "") -> Iterator[Offer]:
    """Yield the refs of the newest memories whose ref or title has what was typed."""
    view, wanted = vault.view, typed.strip("\"' ").casefold()
    ids, kinds, titles, made, sources = (
        view.column(name) for name in ("id", "type", "title", "created_at", "source_type")
    )
    rows = filled(view.rows, ids)
    if wanted:
        rows = (row for row in rows if wanted in f"{kinds[row]}:{ids[row]} {titles[row]}".casefold())
    for row in nlargest(MOST, rows, key=lambda row: (made[row], ids[row])):
        ref = f"{kinds[row]}:{ids[row]}"
        title = shown_title(titles[row], sources[row])
        label = f"{ref}  {title}" if title else ref
        yield Offer(label, ref, span, types.CompletionItemKind.Reference, made[row][:10])


def _notes(vault: OpenVault, document: TextDocument, typed: str, offset: int) -> list[Offer]:
    """Return the notes that `[[` could go on with, those in the same folder first, then the newest."""
    view, names = vault.view, vault.links.names
    span = TextSpan(offset - len(typed), offset)
    closing = "" if document.text.source[offset : offset + 2] == "]]" else "]]"
    wanted, here = folded(typed), posixpath.dirname(document.path)
    made, sources, kinds = (view.column(name) for name in ("created_at", "source_type", "type"))
    rows = {**names.containing(wanted)}
    if typed.startswith("m_") or ":" in typed:
        called = ((note.row, note.id, f"{kinds[note.row]}:{note.id}") for note in names.notes if note.id)
        rows |= {row: True for row, *refs in called if any(ref.startswith(typed) for ref in refs)}
    if "/" in typed:
        rows |= {note.row: True for note in names.notes if note.path.startswith(typed)}
    own = vault.links.row_of(document.path)

    def rank(row: int) -> tuple[bool, bool, str]:
        return rows[row], posixpath.dirname(names[row].path) == here, made[row]

    offers = []
    for row in nlargest(MOST, sorted((row for row in rows if row != own), key=lambda row: names[row].path), key=rank):
        note = names[row]
        title = shown_title(note.title, sources[note.row])
        ref = f"{kinds[note.row]}:{note.id}" if note.id else ""
        target = _target_of(vault, document, note, ref, typed)
        if target is not None:
            kind = types.CompletionItemKind.File
            offers.append(Offer(title or target, f"{target}{closing}", span, kind, note.path))
    return offers


def _target_of(vault: OpenVault, document: TextDocument, note: Note, ref: str, typed: str) -> str | None:
    """Return a name by which `[[…]]` leads to a note: one that goes on from what was typed, else the shortest."""
    path = note.path
    names = (path.rpartition("/")[2].removesuffix(".md"), note.title, path.removesuffix(".md"), ref)
    for name in sorted(names, key=lambda name: not name.startswith(typed)):
        if not name or re.search(r"[\[\]|#\x00-\x1f]", name):
            continue
        rows = vault.links.names.led_to(cursor.wiki(name), of=document.path)
        if [*rows] == [vault.links.row_of(path)]:
            return name
    return None


def _fragments(vault: OpenVault, document: TextDocument, target: str, typed: str, offset: int) -> Iterator[Offer]:
    """Yield what can follow `[[note#`: headings, blocks, and lines of the note as it is now, for a citation."""
    row = next(iter(vault.links.names.led_to(cursor.wiki(target), of=document.path)), None) if target else None
    path = document.path if not target else None if row is None else vault.links.names[row].path
    text = vault.text_of(path) if path else None
    if path is None or text is None:
        return
    span = TextSpan(offset - len(typed), offset)
    closing = "" if document.text.source[offset : offset + 2] == "]]" else "]]"
    wanted = folded(typed)
    if (lines := re.match(r"L(\d+)(?:-L?(\d+))?\Z", typed)) and target:
        first, last = int(lines[1]), int(lines[2] or lines[1])
        data = vault.bytes_on_disk(path)
        if 1 <= first <= last <= text.line_count and data is not None:
            blob = blob_id(data, vault.object_format)[:10]
            mark = f"L{first}" if first == last else f"L{first}-L{last}"
            said = text.line(first - 1).strip()
            yield Offer(f"{mark}@{blob}", f"{mark}@{blob}{closing}", span, types.CompletionItemKind.Reference, said)
    for heading in cursor.headings(text):
        if wanted in folded(heading.words) and not re.search(r"[\[\]|]", heading.words):
            yield Offer(
                heading.words,
                f"{heading.words}{closing}",
                span,
                types.CompletionItemKind.Text,
                f"line {heading.line + 1}",
            )
    for block in cursor.blocks(text):
        if wanted.removeprefix("^") in block:
            yield Offer(f"^{block}", f"^{block}{closing}", span, types.CompletionItemKind.Text)


def _paths(vault: OpenVault, document: TextDocument, typed: str, span: TextSpan) -> list[Offer]:
    from urllib.parse import quote

    folder = posixpath.dirname(document.path) or "."
    offers = []
    for note in sorted(vault.links.names.notes, key=lambda note: note.path):
        relative = posixpath.relpath(note.path, folder)
        if note.path != document.path:
            offers.append(Offer(relative, quote(relative), span, types.CompletionItemKind.File, note.title))
    return _first(offers, typed)
