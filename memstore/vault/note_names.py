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
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.ids import MemoryRef
from memstore.core.places import page_names, stem_of, without_suffix
from memstore.files import FILES
from memstore.files.links import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
        Note(row, paths[row], ids[row], titles[row], tuple(filter(None, aliases[row].split(ITEM_SEPARATOR))))
        for row in rows
    ]


def all_notes(view: View) -> list[Note]:
    """Return all notes that links can lead to; for the vault's owner also plain notes and unreadable files."""
    return notes_of(view, sorted({*view.rows, *view.plain, *view.broken}))


class NoteNames:
    """Notes by their names.

    Args:
        notes: the notes.
    """

    def __init__(self, notes: Iterable[Note]) -> None:
        self._notes = {note.row: note for note in notes}
        self._paths: dict[str, list[int]] = defaultdict(list)
        self._bare: dict[str, list[int]] = defaultdict(list)
        self._stems: dict[str, list[int]] = defaultdict(list)
        self._titles: dict[str, list[int]] = defaultdict(list)
        self._aliases: dict[str, list[int]] = defaultdict(list)
        self._ids: dict[str, list[int]] = defaultdict(list)
        for note in sorted(self._notes.values(), key=lambda note: (note.path.count("/"), note.path)):
            path = folded(note.path)
            self._paths[path].append(note.row)
            self._bare[without_suffix(path)].append(note.row)
            self._stems[stem_of(path)].append(note.row)
            self._ids[note.id].append(note.row)
            self._titles[folded(note.title)].append(note.row)
            for alias in (*note.aliases, *page_names(note.path)):
                self._aliases[folded(alias)].append(note.row)
        for table in (self._ids, self._titles, self._aliases):
            table.pop("", None)

    def __getitem__(self, row: int) -> Note:
        return self._notes[row]

    def __len__(self) -> int:
        return len(self._notes)

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
            return self._aliases.get(target.lstrip("./"), ())
        named = self._titles.get(target) or dict.fromkeys(self._aliases.get(target, ()))
        return self._of_ref(link.target) or self._of_stem(target) or [*named]

    def _at(self, path: str) -> Sequence[int]:
        place = posixpath.normpath(f"./{path}")
        return self._paths.get(place) or self._bare.get(place) or ()

    def _of_ref(self, target: str) -> Sequence[int]:
        ref = MemoryRef.parse(target)
        return self._ids.get(ref.id if ref else target, ())

    def _of_stem(self, target: str) -> Sequence[int]:
        """Return the notes with this file stem; if folders precede it, only those whose path ends with them."""
        whole = without_suffix(target)
        found = self._stems.get(stem_of(whole), ()) if not whole.endswith("/") else ()
        if "/" not in whole:
            return found
        return [row for row in found if without_suffix(folded(self._notes[row].path)).endswith(f"/{whole.lstrip('/')}")]

    def called(self, name: str, *, here: str = "") -> Sequence[int]:
        """Return the rows of all notes that a person may mean by a name: a path without suffix, stem, title or alias.

        Args:
            name: what was typed.
            here: the person's current folder, relative to the vault's.
        """
        asked = folded(name)
        by_path = [*self._at(f"{folded(here)}/{asked}"), *self._at(asked)]
        tables = (self._stems, self._titles, self._aliases)
        return [*dict.fromkeys([*by_path, *(row for table in tables for row in table.get(asked, ()))])]


def names_of(files: Iterable[ReadFile]) -> NoteNames:
    """Return the names of notes that the work tree does not have."""
    from memstore.files.catalog_entry import entry_of

    entries = [entry_of(file, "") for file in files]
    return NoteNames(Note(row, one.path, one.id, one.title, one.aliases) for row, one in enumerate(entries))


class LinkTable:
    """The links of all notes that a view shows, and where they lead.

    Args:
        view: the vault.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self.notes = all_notes(view)
        self.names = NoteNames(self.notes)
        self._cells = view.column("links")

    def row_of(self, path: str) -> int | None:
        """Return the row of the note at a path; None if there is none."""
        return self._rows.get(path)

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
        for other in sorted(self.notes, key=lambda other: other.path):
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
        return not self._files.holds(link, of=self.names[row].path)

    @cached_property
    def _rows(self) -> Mapping[str, int]:
        return {note.path: note.row for note in self.notes}

    @cached_property
    def _files(self) -> FileNames:
        return FileNames(self._view.of(FILES).below(self._view.root) or ())


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
