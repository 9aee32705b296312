"""A vault's files as the database has them: a snapshot of what one ticket opens, read as it is asked for."""

from __future__ import annotations

from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, LiteralString

from memstore.core.catalog import Field, FileKind
from memstore.engines.blocks import (
    KIND,
    SPAN,
    BlockKey,
    counted_in,
    decoded,
    details_in,
    encoded,
    length_of,
    unpacked,
)
from memstore.engines.database import errors_told
from memstore.search.memory_snapshot import COLUMNS, CatalogByKind, entry_of_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.catalog import Entry
    from memstore.engines.database import Session

    Postings = tuple[Sequence[int], Sequence[int]]


COLUMNS_READ: tuple[LiteralString, ...] = ("counted", "counted, detail", "class, counted", "size")


class Blocks:
    """The blocks of a vault that somebody sees, in one state of it: `rows`, `terms` and `cells` read them.

    Args:
        vault: the number of the vault.
    """

    def __init__(self, vault: int) -> None:
        self._vault = vault
        self._counted: dict[BlockKey, Postings] = {}

    def counted(self, key: BlockKey) -> Postings:
        """Return the documents under a key, ascending, and their counts."""
        if key not in self._counted:
            blocks = [counted_in(data) for (data,) in self.rows(key, "counted")]
            numbers = [*chain.from_iterable(numbers for numbers, _ in blocks)]
            counts = [*chain.from_iterable(counts for _, counts in blocks)]
            if any(one[0][-1] > other[0][0] for one, other in pairwise(blocks)):
                order = sorted(range(len(numbers)), key=numbers.__getitem__)
                numbers, counts = [numbers[at] for at in order], [counts[at] for at in order]
            self._counted[key] = numbers, counts
        return self._counted[key]

    def details(self, key: BlockKey, among: Sequence[int] | None = None) -> Iterator[tuple[int, bytes]]:
        """Yield the details of documents under a key, in no particular order; by default of all."""
        spans = None if among is None else sorted({number // SPAN for number in among})
        for counted, detail in self.rows(key, "counted, detail", spans):
            numbers, counts = counted_in(counted)
            yield from zip(numbers, details_in(counts, detail), strict=True)

    def audiences(self, key: BlockKey) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield classes and documents of theirs under a key."""
        for audience, counted in self.rows(key, "class, counted"):
            yield audience, counted_in(counted)[0]

    def size(self, key: BlockKey) -> int:
        """Return how many documents there are under a key."""
        if key in self._counted:
            return len(self._counted[key][0])
        return sum(size for (size,) in self.rows(key, "size"))

    def rows(
        self, key: BlockKey, columns: LiteralString, spans: Sequence[int] | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """Yield columns of the blocks under a key, one of `COLUMNS_READ`; by default of all spans."""
        raise NotImplementedError

    def terms(self, prefix: str) -> list[str]:
        """Return the terms of text and head that begin with a prefix, sorted."""
        raise NotImplementedError

    def cells(self, number: int) -> list[bytes] | None:
        """Return the cells of a document; None if there is none to be seen."""
        raise NotImplementedError


class SessionBlocks(Blocks):
    """The blocks that one session sees, in one transaction.

    Args:
        opened: the session, in a transaction that reads the same whatever is written meanwhile.
        vault: the number of the vault.
    """

    def __init__(self, opened: Session, vault: int) -> None:
        super().__init__(vault)
        self._opened = opened

    def terms(self, prefix: str) -> list[str]:
        """See `Blocks`."""
        begin = encoded(prefix)
        after = _after(begin)
        query: LiteralString = "SELECT DISTINCT term FROM memstore.block WHERE vault = %s AND field = ANY (%s)"
        values: list[object] = [self._vault, [field.value for field in Field]]
        query, values = query + " AND term >= %s", [*values, begin]
        if after:
            query, values = query + " AND term < %s", [*values, after]
        return sorted(decoded(term) for (term,) in self._found(query, values))

    def cells(self, number: int) -> list[bytes] | None:
        """See `Blocks`."""
        query: LiteralString = "SELECT cells FROM memstore.document WHERE vault = %s AND number = %s"
        return next((cells for (cells,) in self._found(query, [self._vault, number])), None)

    def rows(
        self, key: BlockKey, columns: LiteralString, spans: Sequence[int] | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """See `Blocks`."""
        query: LiteralString = f"SELECT {columns} FROM memstore.block WHERE vault = %s AND field = %s AND term = %s"  # noqa: S608 - constants
        values: list[object] = [self._vault, key.field, key.term]
        if spans is not None:
            query, values = query + " AND block = ANY (%s)", [*values, spans]
        return self._found(query + " ORDER BY block, class", values)

    def _found(self, query: LiteralString, values: list[object]) -> Iterator[tuple[Any, ...]]:
        with errors_told(), self._opened.cursor(binary=True) as cursor:
            yield from cursor.execute(query, values)


def _after(prefix: bytes) -> bytes | None:
    """Return the first bytes after all that begin with these; None if none follow."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


class EngineCatalog(CatalogByKind):
    """The catalogue of the documents to be seen; rows are the documents' numbers. Sealed files stay sealed."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._columns: dict[str, Sequence[str]] = {}
        self._entries: dict[int, Entry] = {}

    @cached_property
    def size(self) -> int:
        """The number of rows, including those of which nothing is seen."""
        return max((rows[-1] for rows in map(self._rows, FileKind) if rows), default=-1) + 1

    def column(self, name: str) -> Sequence[str]:
        """Return a field of `Entry` for every row, including dead ones; lists are joined by `ITEM_SEPARATOR`."""
        if name not in self._columns:
            cells = [""] * self.size
            if name == KIND:
                for kind in FileKind:
                    for row in self._rows(kind):
                        cells[row] = kind.value
            else:
                for row, cell in self._blocks.details(BlockKey(name)):
                    cells[row] = decoded(cell)
            self._columns[name] = cells
        return self._columns[name]

    def entry(self, row: int) -> Entry:
        """Return the entry of a row."""
        if row not in self._entries:
            cells = self._blocks.cells(row)
            if cells is None:
                raise KeyError(row)
            self._entries[row] = entry_of_cells(dict(zip(COLUMNS, map(decoded, cells), strict=True)))
        return self._entries[row]

    def _rows(self, kind: FileKind) -> Sequence[int]:
        return self._blocks.counted(BlockKey(KIND, kind.value.encode()))[0]


class EngineIndex:
    """The positions of terms in the documents to be seen."""

    def __init__(self, blocks: Blocks, catalog: EngineCatalog) -> None:
        self._blocks, self._catalog = blocks, catalog
        self._lengths: dict[Field, Sequence[int]] = {}

    def postings(self, field: Field, term: str) -> Postings:
        """Return the rows that contain a term, ascending, and the count in each."""
        return self._blocks.counted(BlockKey(field.value, encoded(term)))

    def frequency(self, term: str) -> int:
        """Return how many rows have a term in their text."""
        return self._blocks.size(BlockKey(Field.TEXT.value, encoded(term)))

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return the positions of a term in a field of each row, counted in terms from 0; empty if it is absent."""
        found = dict(self._blocks.details(BlockKey(field.value, encoded(term)), rows)) if rows else {}
        return [unpacked(found[row]) if row in found else () for row in rows]

    def lengths(self, field: Field) -> Sequence[int]:
        """Return the number of terms of a field for every row, 0 where nothing is seen."""
        if field not in self._lengths:
            lengths = [0] * self._catalog.size
            for row, length in zip(*self._blocks.counted(length_of(field)), strict=True):
                lengths[row] = length
            self._lengths[field] = lengths
        return self._lengths[field]

    def terms(self, prefix: str) -> Sequence[str]:
        """Return all terms of both fields that begin with `prefix`, sorted."""
        return self._blocks.terms(prefix)


class EngineSnapshot:
    """Catalogue and index of what a session sees of a vault.

    Args:
        blocks: what it sees.
        state: a name for this state of the files.
    """

    is_certain = True

    def __init__(self, blocks: Blocks, state: str) -> None:
        self.state: str | None = state
        self.blocks = blocks
        self.catalog = EngineCatalog(blocks)
        self.index = EngineIndex(blocks, self.catalog)
