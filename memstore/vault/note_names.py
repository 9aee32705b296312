"""The names by which people refer to the notes that a view shows: path, file stem, title, alias.

A link's target is first tried as a path, with or without suffix, relative to the linking note's folder and then to the
vault's folder; then, for `[[…]]`, as a file stem, as a title, as an alias, and for `[…](…)` as an alias alone. The
first of these with a match decides; among several matches, the note nearest to the vault's folder comes first, then the
first by path. Case makes no difference. What other programs call a file, like `a/b` for `a___b.md`, counts as an alias
(`core.places.page_names`). Notes that the view does not show are not considered.
"""

from __future__ import annotations

import posixpath
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.ids import MemoryRef
from memstore.core.places import page_names, stem_of, without_suffix
from memstore.files import FILES
from memstore.files.links import LinkKind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from memstore.core.view import View
    from memstore.files.links import TextLink
    from memstore.files.memory_file import ReadFile


class Note(NamedTuple):
    """A file that links can lead to; `id` and `title` are empty if it has none."""

    row: int
    path: str
    id: str
    title: str
    aliases: tuple[str, ...]


def notes_of(view: View, rows: Iterable[int]) -> list[Note]:
    """Return the notes of these rows."""
    paths, ids, titles, aliases = (view.column(name) for name in ("path", "id", "title", "aliases"))
    return [
        Note(row, paths[row], ids[row], titles[row], tuple(filter(None, cell.split(ITEM_SEPARATOR))) if cell else ())
        for row in rows
        for cell in (aliases[row],)
    ]


def all_notes(view: View) -> list[Note]:
    """Return all notes that links can lead to; for the vault's owner also plain notes and unreadable files."""
    return notes_of(view, sorted({*view.rows, *view.plain, *view.broken}))


# The kinds of names, and by which of each kind a note is called; all are folded, but for an id.
_KINDS: Mapping[str, Callable[[Note], Iterable[str]]] = {
    "path": lambda note: (folded(note.path),),
    "bare path": lambda note: (without_suffix(folded(note.path)),),
    "stem": lambda note: (stem_of(folded(note.path)),),
    "id": lambda note: (note.id,),
    "title": lambda note: (folded(note.title),),
    "alias": lambda note: map(folded, (*note.aliases, *page_names(note.path))),
}


class NoteNames:
    """Notes by their names; those of a kind are read when a name of that kind is first looked for.

    Args:
        notes: the notes.
    """

    def __init__(self, notes: Iterable[Note]) -> None:
        self._notes = {note.row: note for note in notes}
        self._tables: dict[str, dict[str, list[int]]] = {}

    def _called(self, kind: str, name: str) -> Sequence[int]:
        """Return the rows that have a name of this kind, nearest first."""
        if kind not in self._tables:
            table = self._tables[kind] = defaultdict(list)
            for note in self._notes.values():
                for each in filter(None, _KINDS[kind](note)):
                    table[each].append(note.row)
            for rows in table.values():
                if len(rows) > 1:
                    rows.sort(key=self._nearness)
        return self._tables[kind].get(name, ())

    def _nearness(self, row: int) -> tuple[int, str]:
        """Return the key that sorts rows: those nearest to the vault's folder first, then by path."""
        path = self._notes[row].path
        return path.count("/"), path

    def replaced(self, gone: Iterable[int], new: Iterable[Note]) -> NoteNames:
        """Return these names without the notes of some rows and with others, at a cost that depends on these few."""
        after = NoteNames(self._notes.values())
        after._tables = {kind: copy(table) for kind, table in self._tables.items()}
        after.replace(gone, new)
        return after

    def replace(self, gone: Iterable[int], new: Iterable[Note]) -> None:
        """Take out the notes of some rows, and put others in."""
        for row in gone:
            note = self._notes.pop(row)
            for kind, table in self._tables.items():
                for name in filter(None, _KINDS[kind](note)):
                    table[name] = [other for other in table[name] if other != row]
        for note in new:
            self._notes[note.row] = note
            for kind, table in self._tables.items():
                for name in filter(None, _KINDS[kind](note)):
                    table[name] = sorted([*table[name], note.row], key=self._nearness)

    @property
    def notes(self) -> Collection[Note]:
        """All notes, in no order."""
        return self._notes.values()

    def __getitem__(self, row: int) -> Note:
        return self._notes[row]

    def __len__(self) -> int:
        return len(self._notes)

    def row_of(self, path: str) -> int | None:
        """Return the row of the note at exactly this path; None if there is none."""
        return next((row for row in self._called("path", folded(path)) if self._notes[row].path == path), None)

    def moved(self, row: int, path: str) -> NoteNames:
        """Return these names as they would be with the note of a row at another path."""
        return NoteNames((self._notes | {row: self._notes[row]._replace(path=path)}).values())

    def led_to(self, link: TextLink, *, of: str) -> Sequence[int]:
        """Return the rows that a link may lead to, the one it does lead to first; empty if it leads nowhere.

        Args:
            link: the link.
            of: the path of the file that contains it.
        """
        target = folded(link.target)
        folder = "" if target.startswith("/") else posixpath.dirname(folded(of))
        found = self._at(f"{folder}/{target}") or self._at(target)
        if found:
            return found
        if link.kind is LinkKind.MARKDOWN:  # an imported file has the path that it had as an alias
            return self._called("alias", target.lstrip("./"))
        found = self._of_ref(link.target) or self._of_stem(target) or self._called("title", target)
        return found or [*dict.fromkeys(self._called("alias", target))]

    def _at(self, path: str) -> Sequence[int]:
        place = posixpath.normpath(f"./{path}")
        return self._called("path", place) or self._called("bare path", place)

    def _of_ref(self, target: str) -> Sequence[int]:
        ref = MemoryRef.parse(target)
        return self._called("id", ref.id if ref else target)

    def _of_stem(self, target: str) -> Sequence[int]:
        """Return the notes with this file stem; if folders precede it, only those whose path ends with them."""
        whole = without_suffix(target)
        found = self._called("stem", stem_of(whole)) if not whole.endswith("/") else ()
        if "/" not in whole:
            return found
        return [row for row in found if without_suffix(folded(self._notes[row].path)).endswith(f"/{whole.lstrip('/')}")]

    def containing(self, part: str) -> Mapping[int, bool]:
        """Return the rows of notes with `part`, folded, in a stem, title or alias, and whether one begins with it."""
        found: dict[int, bool] = {}
        for kind in ("stem", "title", "alias"):
            self._called(kind, "")
            for name in [name for name in self._tables[kind] if part in name]:
                begins = name.startswith(part)
                for row in self._tables[kind][name]:
                    found[row] = found.get(row, False) or begins
        return found

    def called(self, name: str, *, here: str = "") -> Sequence[int]:
        """Return the rows of all notes that a person may mean by a name: a path without suffix, stem, title or alias.

        Args:
            name: what was typed.
            here: the person's current folder, relative to the vault's.
        """
        asked = folded(name)
        by_path = [*self._at(f"{folded(here)}/{asked}"), *self._at(asked)]
        by_name = (row for kind in ("stem", "title", "alias") for row in self._called(kind, asked))
        return [*dict.fromkeys([*by_path, *by_name])]


def names_of(files: Iterable[ReadFile]) -> NoteNames:
    """Return the names of notes that the work tree does not have."""
    from memstore.files.catalog_entry import entry_of

    entries = [entry_of(file, "") for file in files]
    return NoteNames(Note(row, one.path, one.id, one.title, one.aliases) for row, one in enumerate(entries))


class LinkTable:
    """The links of all notes that a view shows, and where they lead.

    Args:
        view: the vault.
        names: the names of all its notes, if they are known already.
        files: those of its other files, if they are known already.
    """

    def __init__(self, view: View, names: NoteNames | None = None, files: FileNames | None = None) -> None:
        self._view = view
        self.names = names or NoteNames(all_notes(view))
        self._cells = view.column("links")
        if files is not None:
            self.files = files

    def laid_over(self, view: View, paths: Collection[str]) -> LinkTable:
        """Return the links of a view that differs from this one's in the notes at these paths alone."""
        before, column = self._view.column("path"), view.column("path")
        if column[: len(before)] != before:
            return LinkTable(view, files=self.files)  # the rows are others
        gone = [row for path in paths if (row := self.row_of(path)) is not None]
        shown = (view.rows, view.plain, view.broken)
        rows = {*gone, *range(len(before), len(column))}
        new = [row for row in rows if column[row] in paths and any(_has(sorted_rows, row) for sorted_rows in shown)]
        return LinkTable(view, self.names.replaced(gone, notes_of(view, new)), self.files)

    @property
    def notes(self) -> Collection[Note]:
        """The notes that the view shows."""
        return self.names.notes

    def row_of(self, path: str) -> int | None:
        """Return the row of the note at a path; None if there is none."""
        return self.names.row_of(path)

    def links_of(self, row: int) -> Iterator[tuple[int, TextLink]]:
        """Yield the links of a note with their lines in the file, in text order."""
        from memstore.files.catalog_entry import links_of_items

        cell = self._cells[row]
        return links_of_items(cell.split(ITEM_SEPARATOR) if cell else ())

    def led_to(self, row: int, link: TextLink) -> Sequence[int]:
        """Return the rows that a link of a note may lead to; see `NoteNames.led_to`."""
        return self.names.led_to(link, of=self.names[row].path)

    def leading_to(self, row: int) -> Iterator[tuple[Note, int, TextLink]]:
        """Yield the links of other notes that lead to this one, each with its note and file line, by path and line."""
        note = self.names[row]
        names = (stem_of(note.path), *page_names(note.path), note.title, note.id, *note.aliases)
        known = {folded(name) for name in names if name}
        cells = self._cells
        near = [
            other
            for other in self.notes
            if (cell := cells[other.row]) and ("%" in cell or any(map(folded(cell).__contains__, known)))
        ]
        for other in sorted(near, key=lambda other: other.path):
            if other.row != row:
                for line, link in self.links_of(other.row):
                    # For most links, the last word shows that they lead elsewhere.
                    may_lead = known & {last_word(link.target), folded(link.target), link.target.partition(":")[2]}
                    if may_lead and [*self.led_to(other.row, link)][:1] == [row]:
                        yield other, line, link

    def dangling(self, row: int) -> Iterator[tuple[int, TextLink]]:
        """Yield the links of a note that lead nowhere, with their file lines."""
        for line, link in self.links_of(row):
            if self.is_lost(row, link):
                yield line, link

    def is_lost(self, row: int, link: TextLink) -> bool:
        """Return whether a link of a note leads to no note and to no other file, as far as the viewer may know."""
        if self.led_to(row, link) or not (link.must_name_note or link.may_name_file):
            return False
        return not self.files.holds(link, of=self.names[row].path)

    @cached_property
    def files(self) -> FileNames:
        """The files that are no notes."""
        return FileNames(self._view.of(FILES).below(self._view.root) or ())


def _has(rows: Sequence[int], row: int) -> bool:
    """Whether a row is among some, ascending."""
    at = bisect_left(rows, row)
    return at < len(rows) and rows[at] == row


class FileNames:
    """The paths of a vault's files: pictures, canvases and whatever else a link may lead to."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = {folded(path) for path in paths}
        self._names = {path.rpartition("/")[2] for path in self._paths}

    def holds(self, link: TextLink, *, of: str) -> bool:
        """Return whether there is a file that a link in the file `of` leads to.

        What is in a hidden folder or outside of the vault is taken to be there. A path is relative to the linking
        file's folder or to the vault's; `[[…]]` may have the name alone.
        """
        target = folded(link.target)
        beside = posixpath.normpath(f"./{posixpath.dirname(folded(of))}/{target}")
        if beside.startswith(".") or "/." in beside or beside in self._paths:
            return True
        if posixpath.normpath(f"./{target}") in self._paths:
            return True
        return link.kind is LinkKind.WIKI and target in self._names


def last_word(target: str) -> str:
    """Return the file stem that a link may mean, folded for comparison."""
    return stem_of(folded(target).rstrip("/"))


def folded(text: str) -> str:
    """Return a name folded for comparison: without case, with single spaces, accents and apostrophes in one form."""
    plain = text if text.isascii() else unicodedata.normalize("NFC", text).replace("’", "'")
    return " ".join(plain.casefold().split())
