"""A snapshot of two layers: an index, and in memory the files that have changed since it was written.

The rows of the index come first, followed by those of the files that were read again. The index is the one on disk, or
any other snapshot.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from memstore.search.manifest import DamagedError
from memstore.search.memory_snapshot import COLUMNS, MemoryCatalog, MemoryIndex, cell, cells_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memstore.core.catalog import Entry, Field
    from memstore.lineage.edges import EdgeTable
    from memstore.search.index_store import Index, IndexDifference, ReadAnew
    from memstore.search.library import SearchIndex, Snapshot
    from memstore.search.whoosh_index import WhooshIndex


_Answer = TypeVar("_Answer")


class SnapshotBelow:
    """Any snapshot as the lower layer; rows without a file, of which there may be some behind its last, are dead.

    Args:
        snapshot: the snapshot.
        row_count: how many rows the layer has; at least those of the snapshot.
    """

    edges: EdgeTable | None = None

    def __init__(self, snapshot: Snapshot, row_count: int) -> None:
        self._snapshot, self._catalog, self.row_count = snapshot, snapshot.catalog, row_count
        self.identity = snapshot.state
        self.broken, self.plain, self.sealed = self._catalog.broken, self._catalog.plain, self._catalog.sealed

    @cached_property
    def dead(self) -> Sequence[int]:
        """The rows without a file."""
        living = {*self._catalog.texts, *self.broken, *self.sealed}
        return [row for row in range(self.row_count) if row not in living]

    def column(self, name: str) -> Sequence[str]:
        """Return a field of the entries, by row."""
        cells = self._catalog.column(name)
        return [*cells, *[""] * (self.row_count - len(cells))]

    def cells(self, row: int) -> dict[str, str]:
        """Return the fields of a row, by column."""
        return dict(zip(COLUMNS, cells_of(self.entry(row)), strict=True))

    def entry(self, row: int) -> Entry:
        """Return the entry of a row."""
        return self._catalog.entry(row)

    def lengths(self, field: Field) -> Sequence[int]:
        """Return the number of terms of a field, by row."""
        lengths = self._snapshot.index.lengths(field)
        return [*lengths, *[0] * (self.row_count - len(lengths))]

    def search_index(self) -> SearchIndex:
        """Return the snapshot's search index."""
        return self._snapshot.index


class LayeredCatalog:
    """The catalogue of the files of both layers."""

    def __init__(self, index: Index | SnapshotBelow, difference: IndexDifference) -> None:
        self._index = index
        self._dead = difference.dead
        self._moved = {row: stat.path for row, stat in difference.moved.items()}
        self._above = MemoryCatalog([each.document.entry for each in difference.read])
        self._columns: dict[str, Sequence[str]] = {}
        self._difference = difference

    @cached_property
    def memories(self) -> Sequence[int]:
        """The rows of readable memories, ascending."""
        return self._all_but([*self._index.broken, *self._index.plain, *self._index.sealed], self._above.memories)

    @cached_property
    def texts(self) -> Sequence[int]:
        """The rows of memories and plain notes, ascending."""
        return self._all_but([*self._index.broken, *self._index.sealed], self._above.texts)

    def _all_but(self, left_out: Sequence[int], above: Sequence[int]) -> Sequence[int]:
        """Return the live rows of the lower layer except some, followed by rows of the upper layer."""
        without = {*left_out, *self._index.dead, *self._dead}
        below: Sequence[int] = range(self._index.row_count)
        if without:
            below = [row for row in below if row not in without]
        return [*below, *self._raised(above)] if above else below

    @cached_property
    def broken(self) -> Sequence[int]:
        """The rows of files that are meant to be memories but can't be read."""
        return [*self._living(self._index.broken), *self._raised(self._above.broken)]

    @cached_property
    def sealed(self) -> Sequence[int]:
        """The rows of sealed files that no key here opens."""
        return [*self._living(self._index.sealed), *self._raised(self._above.sealed)]

    @cached_property
    def plain(self) -> Sequence[int]:
        """The rows of Markdown files that are not memories."""
        return [*self._living(self._index.plain), *self._raised(self._above.plain)]

    def column(self, name: str) -> Sequence[str]:
        """Return a field of `Entry` for every row, including dead ones; lists are joined by `ITEM_SEPARATOR`."""
        if name not in self._columns:
            below, above = self._index.column(name), self._above.column(name)
            if name == "path" and self._moved:
                below = [self._moved.get(row, path) for row, path in enumerate(below)]
            self._columns[name] = [*below, *above] if above else below
        return self._columns[name]

    def entry(self, row: int) -> Entry:
        """Return the entry of a row."""
        if row >= self._index.row_count:
            return self._above.entry(row - self._index.row_count)
        entry = self._index.entry(row)
        if row in self._moved:
            return entry._replace(path=self._moved[row])
        return entry

    def rows_of_id(self, memory_id: str) -> Sequence[int]:
        """Return the rows of live memories with this id (more than one if a file was copied)."""
        found: list[int] = []
        if not memory_id:
            return found
        ids = self._index.column("id")
        row = -1
        try:
            while True:
                row = ids.index(memory_id, row + 1)
                if row not in self._dead:
                    found.append(row)
        except ValueError:  # no more of them
            return [*found, *self._raised(self._above.rows_of_id(memory_id))]

    def edges(self) -> EdgeTable | None:
        """Return the edges of lineage among all memories; None if files changed and two memories share an id."""
        difference, count = self._difference, self._index.row_count
        if not (difference.read or difference.gone or difference.moved):
            return self._index.edges
        from memstore.lineage.edges import EdgeChanges, Rows, changed, has_copies

        if self._index.edges is None or has_copies(self.column("id"), self.memories):
            return None
        read = range(count, count + len(difference.read))
        changes = EdgeChanges(Rows.of(self.column, self.memories), self._dead, read, self._moved)
        return changed(self._index.edges, changes, self._links)

    def _links(self, row: int) -> list[str]:
        """Return the fields of a row that name other memories."""
        from memstore.core.catalog import EdgeKind  # not needed for a search

        if row < self._index.row_count:
            cells = self._index.cells(row)
            return [cells[kind.value] for kind in EdgeKind]
        entry = self._above.entry(row - self._index.row_count)
        return [cell(entry, kind.value) for kind in EdgeKind]

    def _living(self, rows: Sequence[int]) -> list[int]:
        return [row for row in rows if row not in self._dead]

    def _raised(self, rows: Sequence[int]) -> list[int]:
        return [row + self._index.row_count for row in rows]


class LayeredIndex:
    """The search index of both layers.

    Args:
        index: the index on disk; its search index is opened when the first term is looked up.
        difference: the changes since it was written.
        rebuilt: makes an index of the rows on disk from the files themselves; called if the one on disk is damaged.
    """

    def __init__(
        self, index: Index | SnapshotBelow, difference: IndexDifference, *, rebuilt: Callable[[], MemoryIndex]
    ) -> None:
        self._index = index
        self._dead = difference.dead
        self._rebuilt = rebuilt
        self._below: SearchIndex | WhooshIndex | None = None
        documents = ((index.row_count + i, each.document.searchable) for i, each in enumerate(difference.read))
        self._above = MemoryIndex(
            ((row, terms) for row, terms in documents if terms), row_count=index.row_count + len(difference.read)
        )
        self._lengths: dict[Field, Sequence[int]] = {}

    def postings(self, field: Field, term: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the live rows that contain a term, ascending, and the count in each."""
        rows, counts = self._ask(lambda below: below.postings(field, term))
        if self._dead:
            live = [i for i, row in enumerate(rows) if row not in self._dead]
            rows, counts = [rows[i] for i in live], [counts[i] for i in live]
        rows_above, counts_above = self._above.postings(field, term)
        return ([*rows, *rows_above], [*counts, *counts_above]) if rows_above else (rows, counts)

    def frequency(self, term: str) -> int:
        """Return how many rows have a term in their text, including dead ones."""
        return self._ask(lambda below: below.frequency(term)) + self._above.frequency(term)

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return the positions of a term in a field of each row, counted in terms from 0; empty if it is absent."""
        count = self._index.row_count
        lower = [row for row in rows if row < count]
        below = iter(self._ask(lambda below: below.positions(field, term, lower)) if lower else ())
        if len(lower) == len(rows):
            return list(below)
        above = iter(self._above.positions(field, term, [row for row in rows if row >= count]))
        return [next(below if row < count else above) for row in rows]

    def lengths(self, field: Field) -> Sequence[int]:
        """Return the number of terms of a field for every row, including dead ones."""
        if field not in self._lengths:
            below, above = self._index.lengths(field), self._above.lengths(field)[self._index.row_count :]
            self._lengths[field] = [*below, *above] if above else below
        return self._lengths[field]

    def terms(self, prefix: str) -> Sequence[str]:
        """Return all terms of both fields that begin with `prefix`, sorted; terms of dead rows may be included."""
        below = self._ask(lambda below: below.terms(prefix))
        above = self._above.terms(prefix)
        return sorted({*below, *above}) if above else below

    def _ask(self, question: Callable[[SearchIndex | WhooshIndex], _Answer]) -> _Answer:
        """Return the lower layer's answer; if that layer turns out to be damaged, rebuild it from the files first."""
        try:
            below = self._below = self._below or self._index.search_index()
            return question(below)
        except DamagedError:
            below = self._below = self._rebuilt()
            return question(below)


class LayeredSnapshot:
    """Catalogue and index with the same rows."""

    def __init__(
        self,
        index: Index | SnapshotBelow,
        difference: IndexDifference,
        *,
        rebuilt: Callable[[], MemoryIndex] = MemoryIndex.empty,
        is_certain: bool = True,
    ) -> None:
        self._layers = index, difference
        self._rebuilt = rebuilt
        self.is_certain = is_certain
        self.catalog = LayeredCatalog(index, difference)

    @cached_property
    def index(self) -> LayeredIndex:
        """The search index; that of the upper layer is made when it is first asked for."""
        return LayeredIndex(*self._layers, rebuilt=self._rebuilt)

    def laid_over(self, files: Iterable[ReadAnew]) -> LayeredSnapshot:
        """Return this snapshot with other contents of these files; see `search.library.Library.laid_over`."""
        index, difference = self._layers
        after = difference.laid_over(files, index.column("path"))
        return LayeredSnapshot(index, after, rebuilt=self._rebuilt, is_certain=self.is_certain)

    @property
    def state(self) -> str | None:
        """A name for this state of the files; None if not all of them were checked."""
        index, difference = self._layers
        if not self.is_certain or index.identity is None:
            return None
        above = [(each.row, each.document.entry.path, each.document.entry.blob) for each in difference.read]
        moved = sorted((row, stat.path) for row, stat in difference.moved.items())
        return repr((index.identity, above, sorted(difference.gone), moved))
