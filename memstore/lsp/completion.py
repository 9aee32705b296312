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

    from memstore.lsp.desk import Bench, Sheet

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


def completions(bench: Bench, sheet: Sheet, offset: int) -> list[Offer]:
    """Return what could be typed at an offset, the likeliest first, at most `MOST`."""
    text = sheet.text
    head, line = cursor.head_of(text), text.line_of(offset)
    before = text.source[text.line_start(line) : offset]
    if found := _FRAGMENT.search(before):
        return [*_fragments(bench, sheet, found[1], found[2], offset)][:MOST]
    if found := _WIKI.search(before):
        return _notes(bench, sheet, found[1], offset)
    if head and head.start <= line < head.end:
        return _in_head(bench, sheet, head, offset)
    return _in_body(bench, sheet, before, offset)


def _in_head(bench: Bench, sheet: Sheet, head: cursor.Head, offset: int) -> list[Offer]:
    text, key = sheet.text, cursor.key_at(sheet.text, offset)
    if key is not None:
        typed = text.source[key.value.start : offset]
        return _first(_values(bench, key, offset, typed), typed)
    start = text.line_start(text.line_of(offset))
    before = text.source[start:offset]
    return [*_keys(bench, sheet, head, before, TextSpan(start, offset))] if _KEY.match(before) else []


def _in_body(bench: Bench, sheet: Sheet, before: str, offset: int) -> list[Offer]:
    if found := _MARKDOWN.search(before):
        return _paths(bench, sheet, found[1], TextSpan(offset - len(found[1]), offset))
    if found := _REF.search(before):
        return _first(_refs(bench, TextSpan(offset - len(found[1]), offset), found[1]), found[1])
    if found := _TAG.search(before):
        typed = found[1]  # which counts as a tag of this text by now
        offers = _first(_tags(bench, TextSpan(offset - len(typed), offset)), typed)
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


def _keys(bench: Bench, sheet: Sheet, head: cursor.Head, typed: str, span: TextSpan) -> Iterator[Offer]:
    there = {sheet.text.line(at).partition(":")[0] for at in range(head.start, head.end)}
    plain = bench.view.config.mixed and "id" not in there
    usual = ("title", "tags", "aliases", "date") if plain else ("type", "title", *sorted(USUAL), *_KEYS)
    for name in dict.fromkeys(usual):
        if name.startswith(typed) and name not in there:
            meaning = KEY_MEANINGS.get(name, "")
            key = _KEYS.get(name)
            shape = (", ".join(key.choices) if key.choices else key.shape.value) if key else ""
            yield Offer(name, f"{name}: ", span, types.CompletionItemKind.Property, meaning, shape)


def _values(bench: Bench, at: cursor.TypedKey, offset: int, typed: str) -> Iterator[Offer]:
    key, span = _KEYS.get(at.name), TextSpan(at.value.start, max(at.value.end, offset))
    words = _words_of(bench, at.name)
    if words:
        yield from (Offer(one, one, span, types.CompletionItemKind.EnumMember) for one in words)
    elif key is None:
        return
    elif key.shape in _OF_ENTITIES:
        yield from _entities(bench, span, anyone=key.shape is Shape.GRANTS)
    elif key.shape in _OF_REFS:
        yield from _refs(bench, span, typed)
    elif at.name in ("tags", "aliases", "scope"):
        yield from _items(bench, at.name, span)
    elif key.shape is Shape.INSTANT:
        now = instant(bench.view.clock.now())
        yield Offer(now, f'"{now}"', span, types.CompletionItemKind.Value, "now")


def _words_of(bench: Bench, name: str) -> Sequence[str]:
    """Return the words that a key's value is one of; none if it may be another."""
    key = _KEYS.get(name)
    if name == "type":
        return MEMORY_TYPES
    if key is None or key.choices:
        return key.choices if key else ()
    if key.shape is Shape.CONTEXT and bench.view.is_owners:
        return sorted(bench.view.of(RIGHTS).policy.contexts)
    return ("true", "false") if key.shape is Shape.FLAG else ()


def _entities(bench: Bench, span: TextSpan, *, anyone: bool) -> Iterator[Offer]:
    """Yield who is registered, for the vault's owner; others are offered those whom visible memories name."""
    view = bench.view
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


def _items(bench: Bench, name: str, span: TextSpan) -> Iterator[Offer]:
    column = bench.view.column(name)
    counts: dict[str, int] = {}
    for row in filled(bench.view.texts, column):
        for one in column[row].split(ITEM_SEPARATOR):
            counts[one] = counts.get(one, 0) + 1
    for one in sorted(counts, key=lambda one: (-counts[one], one)):
        if one.isprintable():
            yield Offer(one, one, span, types.CompletionItemKind.Keyword, f"{counts[one]}")


def _tags(bench: Bench, span: TextSpan) -> Iterator[Offer]:
    return (one for one in _items(bench, "tags", span) if " " not in one.text)


def _refs(bench: Bench, span: TextSpan, typed: str = "") -> Iterator[Offer]:
    """Yield the refs of the newest memories whose ref or title has what was typed."""
    view, wanted = bench.view, typed.strip("\"' ").casefold()
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


def _notes(bench: Bench, sheet: Sheet, typed: str, offset: int) -> list[Offer]:
    """Return the notes that `[[` could go on with, those in the same folder first, then the newest."""
    view, names = bench.view, bench.links.names
    span = TextSpan(offset - len(typed), offset)
    closing = "" if sheet.text.source[offset : offset + 2] == "]]" else "]]"
    wanted, here = folded(typed), posixpath.dirname(sheet.path)
    made, sources, kinds = (view.column(name) for name in ("created_at", "source_type", "type"))
    rows = {**names.containing(wanted)}
    if typed.startswith("m_") or ":" in typed:
        called = ((note.row, note.id, f"{kinds[note.row]}:{note.id}") for note in names.notes if note.id)
        rows |= {row: True for row, *refs in called if any(ref.startswith(typed) for ref in refs)}
    own = bench.links.row_of(sheet.path)

    def rank(row: int) -> tuple[bool, bool, str]:
        return rows[row], posixpath.dirname(names[row].path) == here, made[row]

    offers = []
    for row in nlargest(MOST, sorted((row for row in rows if row != own), key=lambda row: names[row].path), key=rank):
        note = names[row]
        title = shown_title(note.title, sources[note.row])
        target = _target_of(bench, sheet, note.path, note.title, f"{kinds[note.row]}:{note.id}" if note.id else "")
        if target is not None:
            kind = types.CompletionItemKind.File
            offers.append(Offer(title or target, f"{target}{closing}", span, kind, note.path))
    return offers


def _target_of(bench: Bench, sheet: Sheet, path: str, title: str, ref: str) -> str | None:
    """Return the shortest name by which `[[…]]` leads to a note: its stem, its title, its path, its ref."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    for name in (stem, title, path.removesuffix(".md"), ref):
        if not name or re.search(r"[\[\]|#\x00-\x1f]", name):
            continue
        rows = bench.links.names.led_to(cursor.wiki(name), of=sheet.path)
        if [*rows] == [bench.links.row_of(path)]:
            return name
    return None


def _fragments(bench: Bench, sheet: Sheet, target: str, typed: str, offset: int) -> Iterator[Offer]:
    """Yield what can follow `[[note#`: headings, blocks, and lines of the note as it is now, for a citation."""
    row = next(iter(bench.links.names.led_to(cursor.wiki(target), of=sheet.path)), None) if target else None
    path = sheet.path if not target else None if row is None else bench.links.names[row].path
    text = bench.text_of(path) if path else None
    if path is None or text is None:
        return
    span = TextSpan(offset - len(typed), offset)
    closing = "" if sheet.text.source[offset : offset + 2] == "]]" else "]]"
    wanted = folded(typed)
    if (lines := re.match(r"L(\d+)(?:-L?(\d+))?\Z", typed)) and target:
        first, last = int(lines[1]), int(lines[2] or lines[1])
        data = bench.bytes_on_disk(path)
        if 1 <= first <= last <= text.line_count and data is not None:
            blob = blob_id(data, bench.object_format)[:10]
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


def _paths(bench: Bench, sheet: Sheet, typed: str, span: TextSpan) -> list[Offer]:
    from urllib.parse import quote

    folder = posixpath.dirname(sheet.path) or "."
    offers = []
    for note in sorted(bench.links.names.notes, key=lambda note: note.path):
        relative = posixpath.relpath(note.path, folder)
        if note.path != sheet.path:
            offers.append(Offer(relative, quote(relative), span, types.CompletionItemKind.File, note.title))
    return _first(offers, typed)
