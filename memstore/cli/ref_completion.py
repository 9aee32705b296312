"""A shell's completions for the names of memories, and for tags."""

from __future__ import annotations

from heapq import nsmallest
from typing import TYPE_CHECKING, Any

from memstore.core.errors import MemstoreError
from memstore.core.harmless import safe_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem

    from memstore.cli.session import CliSession
    from memstore.core.view import View

# A shell shows a screenful; more would only be slow.
MOST_REFS = 200


def complete_refs(session: CliSession, incomplete: str, *, by_name: bool = False) -> list[CompletionItem[Any]]:
    """Return the names, beginning with `incomplete`, of memories that the viewer may see; empty without a vault.

    These are refs and ids; with `by_name` a title instead, if it means only this memory, or a path, also of plain
    notes. They may begin with `[[`.
    """
    from click.shell_completion import CompletionItem

    try:
        view = session.view()
        rows = view.texts if by_name else view.rows
        columns = [view.column(name) for name in ("path", "id", "title", "type")]
    except (MemstoreError, OSError):
        return []  # a shell can't show an error
    typed = incomplete.removeprefix("[[")
    opening, closing = ("[[", "]]") if typed != incomplete else ("", "")
    titled = _titled(view, rows, typed) if by_name else frozenset()
    found = []
    for row in rows:
        path, memory_id, title, kind = (column[row] for column in columns)
        ref = f"{kind}:{memory_id}" if memory_id else ""
        name = next((name for name in (ref, memory_id) if name and name.startswith(typed)), "")
        if row in titled:
            found.append((title, ref or path))
        elif name:
            found.append((name, title))
        elif by_name and typed and (here := session.from_here(path)).startswith(typed) and here.isprintable():
            found.append((here, title))
    # Sorted, because the order of rows would reveal hidden ones.
    found.sort(key=lambda item: (item[0].casefold(), *item))
    return [CompletionItem(f"{opening}{name}{closing}", help=safe_line(about)) for name, about in found[:MOST_REFS]]


def complete_tags(session: CliSession, incomplete: str) -> list[str]:
    """Return the tags, beginning with `incomplete`, of what the viewer may see, perhaps behind `+` or `-`."""
    from memstore.core.catalog import ITEM_SEPARATOR, filled

    sign = incomplete[:1] if incomplete[:1] in ("+", "-") else ""
    typed = incomplete.removeprefix(sign).casefold()
    try:
        view = session.view()
        column = view.column("tags")
        cells = {column[row] for row in filled(view.texts, column)}
    except (MemstoreError, OSError):
        return []
    tags = {tag for cell in cells for tag in cell.split(ITEM_SEPARATOR)}
    return sorted(f"{sign}{tag}" for tag in tags if tag.isprintable() and tag.casefold().startswith(typed))[:MOST_REFS]


def _titled(view: View, rows: Sequence[int], typed: str) -> frozenset[int]:
    """Return the rows whose titles begin with what was typed so far, can be typed as they are, and mean only them."""
    from memstore.core.places import page_names, stem_of, without_suffix
    from memstore.vault.note_names import NoteNames, folded, notes_of

    start = folded(typed)
    notes = notes_of(view, rows)
    begin = {note.row: title for note in notes if note.title and (title := folded(note.title)).startswith(start)}
    first = nsmallest(MOST_REFS, begin, key=lambda row: (begin[row], row))  # as many as can be offered
    wanted = {begin[row] for row in first}
    alike = [
        note
        for note in (notes if wanted else ())
        if begin.get(note.row) in wanted
        or folded(stem_of(note.path)) in wanted
        or folded(without_suffix(note.path)) in wanted
        or not wanted.isdisjoint(map(folded, (*note.aliases, *page_names(note.path))))
    ]
    names = NoteNames(alike)
    return frozenset(
        row
        for row in first
        if (title := names[row].title).isprintable() and not {*title} & {*"[]|#"} and list(names.called(title)) == [row]
    )
