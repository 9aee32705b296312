"""A snapshot held in memory: files in, catalogue and index out."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.adapters.memory_index import MemoryIndex
from memstore.model.catalog import ITEM_SEPARATOR, Entry, FileKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memstore.codec.memory_file import ReadFile
    from memstore.rules.searchable import Searchable

COLUMNS = Entry._fields
LIST_COLUMNS = frozenset(name for name, default in Entry._field_defaults.items() if default == ())


class Document(NamedTuple):
    """What is known of one file: its entry, and what is searched of it; None where it is no readable memory."""

    entry: Entry
    searchable: Searchable | None


def document_of(file: ReadFile, blob: str) -> Document:
    """Return what is known of a file that was read; `blob` is the git blob id of its bytes."""
    from memstore.codec.catalog_entry import entry_of
    from memstore.codec.memory_file import MemoryFile
    from memstore.rules.searchable import searchable

    return Document(entry_of(file, blob), searchable(file.memory) if isinstance(file, MemoryFile) else None)


def cell(entry: Entry, column: str) -> str:
    """Return a field of an entry as a catalogue's column holds it."""
    if column == "kind":
        return entry.kind.value
    value = getattr(entry, column)
    return ITEM_SEPARATOR.join(value) if column in LIST_COLUMNS else str(value)


def entry_of_cells(cells: dict[str, str]) -> Entry:
    """Return the entry of a row's cells, by column."""
    values = {
        name: tuple(text.split(ITEM_SEPARATOR)) if text else () for name, text in cells.items() if name in LIST_COLUMNS
    }
    return Entry(**cells | values | {"kind": FileKind(cells["kind"])})  # type: ignore[arg-type]


class MemoryCatalog:
    """Entries in a list, a row each."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries

    @cached_property
    def memories(self) -> Sequence[int]:
        """The rows of readable memories, ascending."""
        return self._rows(FileKind.MEMORY)

    @cached_property
    def broken(self) -> Sequence[int]:
        """The rows of files that mean to be memories and can't be read."""
        return self._rows(FileKind.BROKEN)

    @cached_property
    def plain(self) -> Sequence[int]:
        """The rows of Markdown files without a fence."""
        return self._rows(FileKind.PLAIN)

    def column(self, name: str) -> Sequence[str]:
        """Return a field of `Entry` for every row, dead ones included; lists joined by `ITEM_SEPARATOR`."""
        return [cell(entry, name) for entry in self._entries]

    def entry(self, row: int) -> Entry:
        """Return all that is known of a row."""
        return self._entries[row]

    def rows_of_id(self, memory_id: str) -> Sequence[int]:
        """Return the rows of live memories with this id (two where a copy was left lying about)."""
        return self._by_id.get(memory_id, [])

    def edges(self) -> None:
        """Return None: nobody keeps the edges."""

    @cached_property
    def _by_id(self) -> dict[str, list[int]]:
        found = defaultdict(list)
        for row in self.memories:
            if self._entries[row].id:
                found[self._entries[row].id].append(row)
        return dict(found)

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
    """The snapshot of files that were read; the index is made when it is first asked for, since listing needs none."""

    def __init__(self, documents: Sequence[tuple[ReadFile, str]]) -> None:
        from memstore.codec.catalog_entry import entry_of

        self.catalog = MemoryCatalog([entry_of(file, blob) for file, blob in documents])
        self.state, self.is_certain = None, True
        self._documents = documents

    @cached_property
    def index(self) -> MemoryIndex:
        """Where terms stand."""
        return snapshot_of_documents([document_of(file, blob) for file, blob in self._documents]).index


def snapshot_of_files(files: Iterable[tuple[str, bytes]], *, blob_id: Callable[[bytes], str]) -> LazySnapshot:
    """Return the snapshot of files given by path and bytes, a row each in that order."""
    from memstore.codec import memory_file

    return LazySnapshot([(memory_file.read(path, data), blob_id(data)) for path, data in files])
