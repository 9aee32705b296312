"""Going about: where something is defined, what leads to it, and what a text and the vault consist of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.catalog import filled
from memstore.core.errors import MemstoreError, nearest
from memstore.core.ids import MemoryRef
from memstore.core.keys import REF_KEYS
from memstore.core.quotation import shown_title
from memstore.files.links import LinkKind
from memstore.lsp import cursor
from memstore.vault.note_names import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.finding import Finding
    from memstore.lsp.open_files import OpenVault, TextDocument
    from memstore.lsp.text import Text, TextSpan

MOST_SYMBOLS = 100


class NotePlace(NamedTuple):
    """A place in a file of the vault: its path, and lines from 0, `end` inclusive."""

    path: str
    start: int
    end: int


def definition(vault: OpenVault, document: TextDocument, offset: int) -> NotePlace | None:
    """Return where the link, citation or ref at an offset leads: a note, or a heading, block or lines in it."""
    mention = cursor.mention_at(vault, document, offset)
    row = None if mention is None else cursor.row_of(vault, document, mention)
    if mention is None or row is None:
        return None
    path = vault.view.column("path")[row] if vault.links.row_of(document.path) != row else document.path
    if mention.lines is not None:
        return NotePlace(path, mention.lines[0] - 1, mention.lines[1] - 1)
    line = _line_of_fragment(vault, path, mention.link.fragment) if mention.link and mention.link.fragment else 0
    return NotePlace(path, line, line)


def _line_of_fragment(vault: OpenVault, path: str, fragment: str) -> int:
    text = vault.text_of(path)
    if text is None:
        return 0
    if fragment.startswith("^"):
        return cursor.block_line(text, fragment[1:]) or 0
    wanted = folded(fragment.rpartition("#")[2])
    same = (one.line for one in cursor.headings(text) if wanted in (folded(one.words), slug(one.words)))
    return next(same, 0)


def slug(words: str) -> str:
    """Return a heading as a Markdown link names it."""
    return re.sub(r"[^\w\- ]", "", folded(words)).replace(" ", "-")


def pointed_at(vault: OpenVault, document: TextDocument, offset: int) -> int | None:
    """Return the row of the note that is pointed at: by a link or ref, else the one that is open."""
    mention = cursor.mention_at(vault, document, offset)
    return vault.links.row_of(document.path) if mention is None else cursor.row_of(vault, document, mention)


def references(vault: OpenVault, row: int) -> Iterator[NotePlace]:
    """Yield what leads to a note: links by path and line, then the lines that name its ref, once each."""
    seen = set()
    for note, line, _ in vault.links.leading_to(row):
        seen.add((note.path, line - 1))
        yield NotePlace(note.path, line - 1, line - 1)
    memory_id = vault.view.column("id")[row]
    paths = vault.view.column("path")
    for path in sorted(paths[at] for at in dependents(vault, row)):
        text = vault.text_of(path)
        for at in range(text.line_count) if text else ():
            if text and memory_id in text.line(at) and (path, at) not in seen and names_id(text.line(at), memory_id):
                yield NotePlace(path, at, at)


def names_id(line: str, memory_id: str) -> bool:
    """Whether a line names a memory by its ref."""
    return any(ref.id == memory_id for found in cursor.REF.finditer(line) if (ref := MemoryRef.parse(found[0])))


def dependents(vault: OpenVault, row: int) -> set[int]:
    """Return the rows of the memories that name one in their keys, their history, or a citation."""
    view = vault.view
    memory_id = view.column("id")[row]
    columns = [view.column(name) for name in (*REF_KEYS, "evidence", "cites")]
    rows = {at for column in columns for at in filled(view.rows, column) if memory_id in column[at]}
    return rows - {row} if memory_id else set()


class Symbol(NamedTuple):
    """A heading or a key of a text, with the lines that it heads, from 0, `end` exclusive, and what is below it."""

    name: str
    line: int
    end: int
    is_key: bool = False
    below: tuple[Symbol, ...] = ()


def symbols(text: Text) -> list[Symbol]:
    """Return the keys of a text's frontmatter and its headings, nested."""
    head = cursor.head_of(text)
    lines = range(head.start, head.end) if head else range(0)
    keys = [(at, found[1]) for at in lines if (found := re.match(r"([\w-]+):", text.line(at)))]
    ends = [*(at for at, _ in keys[1:]), lines.stop]
    named = [Symbol(name, at, end, is_key=True) for (at, name), end in zip(keys, ends, strict=False)]
    return named + _nested(cursor.headings(text))


def _nested(found: Sequence[cursor.Heading]) -> list[Symbol]:
    done = []
    at = 0
    while at < len(found):
        one = found[at]
        below = next((i for i in range(at + 1, len(found)) if found[i].depth <= one.depth), len(found))
        inner = tuple(_nested(found[at + 1 : below]))
        done.append(Symbol(one.words or "(no words)", one.line, max(one.end, one.line + 1), below=inner))
        at = below
    return done


def folds(text: Text) -> list[tuple[int, int, bool]]:
    """Return what can be folded: its first and last line, from 0, and whether it is frontmatter."""
    head = cursor.head_of(text)
    found = [(0, head.end, True)] if head and head.is_closed else []
    inner = [one for one in symbols(text) if one.is_key and one.end - one.line > 1]
    found += [(one.line, one.end - 1, True) for one in inner]
    for one in cursor.headings(text):
        last = one.end - 1
        while last > one.line and not text.line(last).strip():
            last -= 1
        found += [(one.line, last, False)] if last > one.line else []
    return found


class Named(NamedTuple):
    """A note by its title, or a heading in it, and where that is."""

    name: str
    container: str
    place: NotePlace


def workspace_symbols(vault: OpenVault, query: str) -> list[Named]:
    """Return the notes whose title, alias or path has the words of a query, then those that a search finds by them."""
    view = vault.view
    words = folded(query).split()
    titles, paths, aliases, kinds = (view.column(name) for name in ("title", "path", "aliases", "source_type"))
    found: dict[int, None] = {}
    for row in view.texts:
        name = folded(f"{titles[row]} {paths[row]} {aliases[row]}")
        if all(word in name for word in words):
            found[row] = None
    rows = sorted(found, key=lambda row: (not folded(titles[row]).startswith(folded(query)), titles[row], paths[row]))
    named = [
        Named(shown_title(titles[row], kinds[row]) or paths[row], paths[row], NotePlace(paths[row], 0, 0))
        for row in rows[:MOST_SYMBOLS]
    ]
    return named + (_found_by_words(vault, query, {paths[row] for row in rows}) if len(named) < MOST_SYMBOLS else [])


def _found_by_words(vault: OpenVault, query: str, known: set[str]) -> list[Named]:
    from memstore.memories.search import search

    if not query.strip():
        return []
    try:
        hits = search(vault.view, query, max_results=MOST_SYMBOLS // 4).hits
    except MemstoreError:
        return []
    return [
        Named(shown_title(hit.title, hit.source_type) or hit.path, hit.path, NotePlace(hit.path, first - 1, last - 1))
        for hit in hits
        if hit.path not in known
        for first, last in [(hit.citation.line_start, hit.citation.line_end)]
    ]


def document_links(vault: OpenVault, document: TextDocument) -> Iterator[tuple[TextSpan, NotePlace]]:
    """Yield each link, citation and ref of a text that leads to a note, and where that is."""
    paths = vault.view.column("path")
    for mention in cursor.mentions(vault, document):
        row = cursor.row_of(vault, document, mention)
        if row is not None and row != vault.links.row_of(document.path):
            line = mention.lines[0] - 1 if mention.lines else 0
            yield mention.span, NotePlace(paths[row], line, line)


def similar_link(vault: OpenVault, document: TextDocument, dangling: Finding) -> tuple[TextSpan, str] | None:
    """Return where a link is that leads nowhere, and how the most similar one would be written that leads somewhere."""
    text = document.text
    for mention in cursor.mentions(vault, document):
        link, written = mention.link, text.source[mention.span.start : mention.span.end]
        is_it = link is not None and dangling.text.startswith(link.written)
        if link is None or not is_it or text.line_of(mention.span.start) != text.line_of(text.span_of(dangling).start):
            continue
        notes = vault.links.names.notes
        names = {name for note in notes for name in (note.path.rpartition("/")[2].removesuffix(".md"), note.title)}
        near = nearest(link.target, (name for name in names if not re.search(r"[\[\]|#\n]", name)))
        return (mention.span, written.replace(link.target, near, 1)) if near and link.kind is LinkKind.WIKI else None
    return None
