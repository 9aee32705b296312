"""The search index on disk, in Whoosh's own format: any Whoosh 2.7 can read it.

A document is a memory: the terms of its body and of its head with their positions, and the number of the catalogue's
row that describes it. Lengths are kept in the manifest, since Whoosh rounds them to a byte.
"""

from __future__ import annotations

import os
import sys
from array import array
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.adapters.manifest import DamagedError
from memstore.adapters.whoosh_import import import_whoosh
from memstore.ports.search_index import Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

NAME = "MAIN"
ROW = "row"

FileMarks = dict[str, list[int]]


class Generation(NamedTuple):
    """One state of the index: the folder it lies in, Whoosh's number for it, and what its files looked like."""

    folder: str
    number: int
    files: FileMarks


class WhooshIndex:
    """Where terms stand, for the rows that have a document; rows may be dead to the catalogue and live here.

    Raises:
        DamagedError: (on construction and later) files are missing, or not as they were written.
    """

    def __init__(self, cache_folder: Path, generation: Generation) -> None:
        folder = cache_folder / generation.folder
        if file_marks(folder, generation.files) != generation.files:
            raise DamagedError("files of the search index are missing or changed")
        import_whoosh()
        try:
            self._segments = [_Segment(folder, segment) for segment in read_toc(folder, generation.number).segments]
        except Exception as error:  # unpickling damaged bytes may raise anything
            raise DamagedError("the search index can't be opened") from error
        self._blocks: dict[tuple[Field, str], list[tuple[_Segment, list[Block]]]] = {}

    def postings(self, field: Field, term: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the rows that hold a term, ascending, and how often each does."""
        rows: list[int] = []
        counts: list[int] = []
        for segment, blocks in self._read(field, term):
            for block in blocks:
                rows += segment.rows_of(block.documents)
                counts += map(int, block.weights)
        if any(segment.has_deletions for segment in self._segments):
            live = [i for i, row in enumerate(rows) if row >= 0]
            rows, counts = [rows[i] for i in live], [counts[i] for i in live]
        if not _ascends(rows):
            order = sorted(range(len(rows)), key=rows.__getitem__)
            rows, counts = [rows[i] for i in order], [counts[i] for i in order]
        return rows, counts

    def frequency(self, term: str) -> int:
        """Return how many rows hold a term in their text; deleted ones may be counted."""
        try:
            return sum(segment.frequency(Field.TEXT, term.encode()) for segment in self._segments)
        except Exception as error:  # as above
            raise DamagedError("the search index can't be read") from error

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return where a term stands in the field of each row, counted in terms from 0; empty where it does not."""
        wanted = set(rows)
        values = {
            row: value
            for segment, blocks in self._read(field, term)
            for block in blocks
            for row, value in zip(segment.rows_of(block.documents), block.values, strict=True)
            if row in wanted
        }
        decoded = _format().decode_positions
        return [decoded(values[row]) if row in values else () for row in rows]

    def terms(self, prefix: str) -> Sequence[str]:
        """Return all terms of both fields that begin with `prefix`, sorted; dead rows' terms may be among them."""
        start = prefix.encode()
        found = {term for segment in self._segments for field in Field for term in segment.terms(field, start)}
        return sorted(term.decode() for term in found)

    def _read(self, field: Field, term: str) -> list[tuple[_Segment, list[Block]]]:
        key = (field, term)
        if key not in self._blocks:
            try:
                self._blocks[key] = [
                    (segment, list(segment.blocks(field, term.encode()))) for segment in self._segments
                ]
            except Exception as error:  # as above
                raise DamagedError("the search index can't be read") from error
        return self._blocks[key]


class Block(NamedTuple):
    """Some postings of a term: document numbers, weights (how often, as floats) and encoded positions."""

    documents: Sequence[int]
    weights: Sequence[float]
    values: Sequence[bytes]


class _Segment:
    """One segment of the index; all its files are opened at once, so that it stays readable when they are removed."""

    def __init__(self, folder: Path, segment: Any) -> None:
        self._reader = segment.codec().terms_reader(open_storage(folder), segment)
        self._rows = rows_of_segment(folder, segment)
        for number in segment.deleted_docs():
            self._rows[number] = -1
        self.has_deletions: bool = segment.has_deletions()

    def __del__(self) -> None:
        if hasattr(self, "_reader"):
            self._reader.close()

    @cached_property
    def _first_row(self) -> int | None:
        """The row of document 0 where all rows count on from it, as after a first build; else None."""
        first = self._rows[0] if self._rows else 0
        return first if self._rows == array("q", range(first, first + len(self._rows))) else None

    def rows_of(self, documents: Sequence[int]) -> Sequence[int]:
        """Return the rows of documents; -1 for deleted ones."""
        if self._first_row == 0:
            return documents
        rows = self._rows
        return [rows[number] for number in documents]

    def blocks(self, field: Field, term: bytes) -> Iterator[Block]:
        """Yield the postings of a term block by block, as they lie on disk."""
        return blocks_of(self._reader, field.value, term)

    def frequency(self, field: Field, term: bytes) -> int:
        """Return how many documents hold a term, by the term's own record, without its postings."""
        from whoosh.reading import TermNotFound

        try:
            return int(self._reader.term_info(field.value, term).doc_frequency())
        except (KeyError, TermNotFound):
            return 0

    def terms(self, field: Field, prefix: bytes) -> Iterator[bytes]:
        """Yield the terms of a field that begin with `prefix`."""
        for name, term in self._reader.terms_from(field.value, prefix):
            if name != field.value or not term.startswith(prefix):
                return
            yield term


def blocks_of(terms_reader: Any, field: str, term: bytes) -> Iterator[Block]:
    """Yield the postings of a term block by block, as they lie on disk.

    Whoosh's matchers go from posting to posting with half a dozen calls each; a block's three lists are read with
    one. What begins with an underscore here is private to Whoosh, and the same in all its 2.7 releases.
    """
    from whoosh.reading import TermNotFound

    try:
        matcher = terms_reader.matcher(field, term, _format())
    except TermNotFound:
        return
    while matcher.is_active():
        matcher._read_ids()  # noqa: SLF001
        matcher._read_weights()  # noqa: SLF001
        matcher._read_values()  # noqa: SLF001
        yield Block(matcher._ids, matcher._weights, matcher._values)  # noqa: SLF001
        matcher._next_block()  # noqa: SLF001


def file_marks(folder: Path, names: Iterable[str]) -> FileMarks:
    """Return what tells whether files were touched: size, times in nanoseconds, inode; missing ones are left out."""
    marks = {}
    for name in names:
        try:
            status = os.stat(folder / name)  # noqa: PTH116 -- half the time of Path.stat, on every search
        except OSError:
            continue
        marks[name] = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
    return marks


def _ascends(rows: Sequence[int]) -> bool:
    return all(map(int.__lt__, rows, rows[1:]))


def rows_of_segment(folder: Path, segment: Any) -> array[int]:
    """Return the row of every document of a segment: its column's big-endian integers, without zeros at the end."""
    place = folder / f"{segment.segment_id()}.{ROW}.col"
    column = array("I", place.read_bytes())
    if sys.byteorder == "little":
        column.byteswap()
    missing: int = segment.doc_count_all() - len(column)
    return array("q", [*column, *[0] * missing])


def read_toc(folder: Path, generation: int) -> Any:
    """Return Whoosh's table of contents of a state."""
    from whoosh.index import TOC

    return TOC.read(open_storage(folder), NAME, gen=generation, schema=schema())


def open_storage(folder: Path) -> Any:
    """Return a folder as Whoosh's storage."""
    from whoosh.filedb.filestore import FileStorage

    return FileStorage(str(folder))


@cache
def _format() -> Any:
    from whoosh.formats import Positions

    return Positions()


@cache
def schema() -> Any:
    """Return the schema as it is written into the index: nothing but Whoosh's own classes."""
    from whoosh.columns import NumericColumn
    from whoosh.fields import COLUMN, FieldType, Schema

    fields = {field.value: FieldType(_format(), None, scorable=True) for field in Field}
    return Schema(**fields, **{ROW: COLUMN(NumericColumn("I"))})
