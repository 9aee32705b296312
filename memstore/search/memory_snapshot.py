"""A snapshot held in memory, made from files: a catalogue and a search index.

It is used for files that changed since the index on disk was written, for past revisions, and for tests. A file's
bytes are read immediately, but parsed only when needed.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import defaultdict
from functools import cached_property
from itertools import takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.catalog import ITEM_SEPARATOR, Entry, Field, FileKind, filled
from memstore.core.config import LANGUAGES
from memstore.core.errors import SealedError, TooLargeError, VaultError
from memstore.files.vault import note_bytes
from memstore.files.walk import is_racy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memstore.files.memory_file import BrokenFile, ReadFile
    from memstore.files.vault import FileStat, VaultFiles
    from memstore.search.index import Searchable


COLUMNS = Entry._fields
LIST_COLUMNS = frozenset(name for name, default in Entry._field_defaults.items() if default == ())


class Document(NamedTuple):
    """One file: its entry, and its terms for searching, or None if the file can't be read."""

    entry: Entry
    searchable: Searchable | None


def document_of(file: ReadFile, blob: str, *, languages: Sequence[str] = LANGUAGES) -> Document:
    """Return the document of a file that was read.

    Args:
        file: the file.
        blob: the git blob id of its bytes.
        languages: the languages that it may be written in.
    """
    from memstore.files.catalog_entry import entry_of
    from memstore.files.memory_file import MemoryFile, PlainFile, own_keys, own_lines
    from memstore.search.index import searchable

    entry = entry_of(file, blob)
    match file:
        case MemoryFile(memory=memory):
            head = "\n".join(line for _, line in own_lines(file))
            keys = own_keys(file)
            return Document(entry, searchable(memory, entry.path, head=head, keys=keys, languages=languages))
        case PlainFile(memory=memory, text=text):
            keys = own_keys(file)
            return Document(entry, searchable(memory, entry.path, head=text.head, keys=keys, languages=languages))
        case _:
            return Document(entry, None)


def cell(entry: Entry, column: str) -> str:
    """Return a field of an entry in the form used in the catalogue's columns."""
    if column == "kind":
        return entry.kind.value
    value = getattr(entry, column)
    return ITEM_SEPARATOR.join(value) if column in LIST_COLUMNS else str(value)


def cells_of(entry: Entry) -> Iterator[str]:
    """Yield all fields of an entry in the form used in the catalogue's columns, in the order of `COLUMNS`."""
    for value in entry:
        if isinstance(value, str):
            yield value
        elif isinstance(value, FileKind):
            yield value.value
        else:
            yield ITEM_SEPARATOR.join(value)


def entry_of_cells(cells: dict[str, str]) -> Entry:
    """Return the entry made from a row's cells, given by column."""
    values = {
        name: tuple(text.split(ITEM_SEPARATOR)) if text else () for name, text in cells.items() if name in LIST_COLUMNS
    }
    return Entry(**cells | values | {"kind": FileKind(cells["kind"])})  # type: ignore[arg-type]


class CatalogByKind:
    """What a catalogue knows by the kinds of its rows and by their ids; its edges are not stored."""

    @cached_property
    def memories(self) -> Sequence[int]:
        """The rows of readable memories, ascending."""
        return self._rows(FileKind.MEMORY)

    @cached_property
    def broken(self) -> Sequence[int]:
        """The rows of files that are meant to be memories but can't be read."""
        return self._rows(FileKind.BROKEN)

    @cached_property
    def plain(self) -> Sequence[int]:
        """The rows of Markdown files that are not memories."""
        return self._rows(FileKind.PLAIN)

    @cached_property
    def sealed(self) -> Sequence[int]:
        """The rows of sealed files that no key here opens."""
        return self._rows(FileKind.SEALED)

    @cached_property
    def texts(self) -> Sequence[int]:
        """The rows of memories and plain notes, ascending."""
        return sorted((*self.memories, *self.plain)) if self.plain else self.memories

    def rows_of_id(self, memory_id: str) -> Sequence[int]:
        """Return the rows of live memories with this id (more than one if a file was copied)."""
        return self._by_id.get(memory_id, [])

    def edges(self) -> None:
        """Return None: the edges are not stored."""

    @cached_property
    def _by_id(self) -> dict[str, list[int]]:
        ids, found = self.column("id"), dict[str, list[int]]()
        for row in filled(self.memories, ids):
            found.setdefault(ids[row], []).append(row)
        return found

    def column(self, name: str) -> Sequence[str]:
        """Return a field of `Entry` for every row, including dead ones; lists are joined by `ITEM_SEPARATOR`."""
        raise NotImplementedError

    def _rows(self, kind: FileKind) -> Sequence[int]:
        raise NotImplementedError


class MemoryCatalog(CatalogByKind):
    """A catalogue made from a list of entries, one per row."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries

    def column(self, name: str) -> Sequence[str]:
        """Return a field of `Entry` for every row, including dead ones; lists are joined by `ITEM_SEPARATOR`."""
        return [cell(entry, name) for entry in self._entries]

    def entry(self, row: int) -> Entry:
        """Return the entry of a row."""
        return self._entries[row]

    def _rows(self, kind: FileKind) -> Sequence[int]:
        return [row for row, entry in enumerate(self._entries) if entry.kind is kind]


class MemorySnapshot:
    """Catalogue and index with the same rows."""

    state = None
    is_certain = True

    def __init__(self, catalog: MemoryCatalog, index: MemoryIndex) -> None:
        self.catalog, self.index = catalog, index


def snapshot_of_documents(documents: Sequence[Document]) -> MemorySnapshot:
    """Return the snapshot with these documents as its rows."""
    searched = ((row, document.searchable) for row, document in enumerate(documents))
    return MemorySnapshot(
        MemoryCatalog([document.entry for document in documents]),
        MemoryIndex(((row, terms) for row, terms in searched if terms), row_count=len(documents)),
    )


class LazySnapshot:
    """The snapshot of files that were read; the index is made on first use, because listing does not need it."""

    def __init__(self, documents: Sequence[tuple[ReadFile, str]], languages: Sequence[str]) -> None:
        from memstore.files.catalog_entry import entry_of

        self.catalog = MemoryCatalog([entry_of(file, blob) for file, blob in documents])
        self.state, self.is_certain = None, True
        self._documents, self._languages = documents, languages

    @cached_property
    def index(self) -> MemoryIndex:
        """The search index."""
        languages = self._languages
        return snapshot_of_documents([document_of(*each, languages=languages) for each in self._documents]).index


def snapshot_of_files(
    files: Iterable[tuple[str, bytes]],
    *,
    blob_id: Callable[[bytes], str],
    mixed: bool = False,
    languages: Sequence[str] = LANGUAGES,
) -> LazySnapshot:
    """Return the snapshot of files given as path and bytes, one row each, in that order."""
    from memstore.files import memory_file

    read = [(memory_file.read(path, data, mixed=mixed), blob_id(data)) for path, data in files]
    return LazySnapshot(read, languages)


# -- the index -------------------------------------------------------------------------------------


_TERMS_OF = {Field.TEXT: attrgetter("text"), Field.HEAD: attrgetter("head")}


class MemoryIndex:
    """A search index in plain dicts.

    Args:
        documents: rows with their terms, in ascending order of rows.
        row_count: the number of rows, including those without a document; by default up to the last document.
    """

    def __init__(self, documents: Iterable[tuple[int, Searchable]], *, row_count: int = 0) -> None:
        self._lengths: dict[Field, list[int]] = {field: [0] * row_count for field in Field}
        self._places: dict[Field, dict[str, dict[int, list[int]]]] = {field: defaultdict(dict) for field in Field}
        self._sorted_terms: list[str] | None = None
        for row, document in documents:
            for field in Field:
                self._add(field, row, _TERMS_OF[field](document))

    @classmethod
    def empty(cls) -> MemoryIndex:
        """Return an empty index."""
        return cls(())

    def postings(self, field: Field, term: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the live rows that contain a term, ascending, and the count in each."""
        places: Mapping[int, list[int]] = self._places[field].get(term, {})
        return list(places), [len(positions) for positions in places.values()]

    def frequency(self, term: str) -> int:
        """Return how many rows have a term in their text."""
        return len(self._places[Field.TEXT].get(term, {}))

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return the positions of a term in a field of each row, counted in terms from 0; empty if it is absent."""
        places = self._places[field].get(term, {})
        return [places.get(row, ()) for row in rows]

    def lengths(self, field: Field) -> Sequence[int]:
        """Return the number of terms of a field for every row, including dead ones."""
        return self._lengths[field]

    def terms(self, prefix: str) -> Sequence[str]:
        """Return all terms of both fields that begin with `prefix`, sorted; terms of dead rows may be included."""
        if self._sorted_terms is None:
            self._sorted_terms = sorted({term for places in self._places.values() for term in places})
        terms = self._sorted_terms
        start = bisect_left(terms, prefix)
        return list(takewhile(lambda term: term.startswith(prefix), (terms[i] for i in range(start, len(terms)))))

    def _add(self, field: Field, row: int, terms: Sequence[str]) -> None:
        lengths, places = self._lengths[field], self._places[field]
        lengths.extend([0] * (row + 1 - len(lengths)))
        lengths[row] = len(terms)
        for position, term in enumerate(terms):
            places[term].setdefault(row, []).append(position)


# -- reading files ---------------------------------------------------------------------------------


class LoadedFile:
    """The bytes of a file, its blob id (empty if it can't be read), and its document."""

    def __init__(
        self,
        stat: FileStat,
        data: bytes | ReadFile,
        blob: str,
        *,
        mixed: bool = False,
        languages: Sequence[str] = LANGUAGES,
    ) -> None:
        self.stat, self.blob, self._mixed, self._languages = stat, blob, mixed, languages
        self._data: Any = data
        self._document: Document | None = None

    @property
    def document(self) -> Document:
        """The document of the file; parsed on first use."""
        if self._document is None:
            from memstore.files import memory_file

            data = self._data
            file = memory_file.read(self.stat.path, data, mixed=self._mixed) if isinstance(data, bytes) else data
            self._document = document_of(file, self.blob, languages=self._languages)
            self._data = None
        return self._document


class FileReader:
    """Reads files of a vault and caches those of the last `load_all`.

    Args:
        vault: the vault.
        blob_id: returns the blob id of bytes.
        languages: the languages that texts may be written in.
    """

    def __init__(self, vault: VaultFiles, blob_id: Callable[[bytes], str], languages: Sequence[str]) -> None:
        self._vault, self._languages = vault, languages
        self._blob_id = blob_id
        self._last: dict[FileStat, LoadedFile] = {}

    def load_all(self, stats: Iterable[FileStat]) -> Iterator[LoadedFile | None]:
        """Yield the files with these stats, None for missing ones."""
        began_ns = time.time_ns()
        last, self._last = self._last, {}
        for stat in stats:
            file = last.get(stat) or self.load(stat)
            if file and not is_racy(stat.mtime_ns, stat.ctime_ns, began_ns):
                self._last[stat] = file
            yield file

    def forget(self) -> None:
        """Clear the cache."""
        self._last = {}

    def load(self, stat: FileStat) -> LoadedFile | None:
        """Return the file at the path of a stat; None if there is none."""
        path = stat.path
        try:
            data = note_bytes(self._vault, path)
        except TooLargeError:
            return LoadedFile(stat, _unreadable(path), "")
        except SealedError as error:
            from memstore.files.memory_file import unopened

            return LoadedFile(stat, unopened(path, error, mixed=self._vault.mixed), "")
        except VaultError as error:
            return None if isinstance(error.__cause__, FileNotFoundError) else LoadedFile(stat, _unreadable(path), "")
        if self._vault.mixed and _is_registry(path, data):
            return None  # it became a registry after the walk saw a note there
        return LoadedFile(stat, data, self._blob_id(data), mixed=self._vault.mixed, languages=self._languages)


def _is_registry(path: str, data: bytes) -> bool:
    from memstore.files import plain_note  # not needed for a search in an unchanged vault, which reads no file

    return plain_note.is_registry(path, data)


def _unreadable(path: str) -> BrokenFile:
    """Return a broken file for an existing file that can't be read; the checks report its findings."""
    from memstore.files.memory_file import BrokenFile

    return BrokenFile(path, b"", ())
