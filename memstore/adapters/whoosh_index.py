"""The search index on disk, in Whoosh's own format: any Whoosh 2.7 can read it.

A document is a memory: the terms of its body and of its head with their positions, and the number of the catalogue's
row that describes it. Lengths are kept in the manifest, since Whoosh rounds them to a byte.
"""

from __future__ import annotations

import os
import sys
from array import array
from functools import cache, cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.adapters.manifest import DamagedError
from memstore.adapters.whoosh_import import import_whoosh
from memstore.ports.search_index import Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from memstore.rules.searchable import Searchable

NAME = "MAIN"
ROW = "row"
# So many segments are searched at once before the small ones are put together.
MOST_SEGMENTS = 4
# Postings are sorted in memory up to this many megabytes, which is more than 100,000 memories need.
_SORT_IN_MEGABYTES = 1024

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
            self._segments = [_Segment(folder, segment) for segment in _toc(folder, generation.number).segments]
        except Exception as error:  # unpickling damaged bytes may raise anything
            raise DamagedError("the search index can't be opened") from error
        self._blocks: dict[tuple[Field, str], list[tuple[_Segment, list[_Block]]]] = {}
        self._places: dict[tuple[Field, str], dict[int, bytes]] = {}

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

    def positions(self, field: Field, term: str, row: int) -> Sequence[int]:
        """Return where a term stands in a row's field, counted in terms from 0; empty where it does not."""
        key = (field, term)
        if key not in self._places:
            self._places[key] = {
                row: value
                for segment, blocks in self._read(field, term)
                for block in blocks
                for row, value in zip(segment.rows_of(block.documents), block.values, strict=True)
            }
        value = self._places[key].get(row)
        positions: list[int] = _format().decode_positions(value) if value is not None else []
        return positions

    def terms(self, prefix: str) -> Sequence[str]:
        """Return all terms of both fields that begin with `prefix`, sorted; dead rows' terms may be among them."""
        start = prefix.encode()
        found = {term for segment in self._segments for field in Field for term in segment.terms(field, start)}
        return sorted(term.decode() for term in found)

    def _read(self, field: Field, term: str) -> list[tuple[_Segment, list[_Block]]]:
        key = (field, term)
        if key not in self._blocks:
            try:
                self._blocks[key] = [
                    (segment, list(segment.blocks(field, term.encode()))) for segment in self._segments
                ]
            except Exception as error:  # as above
                raise DamagedError("the search index can't be read") from error
        return self._blocks[key]


class _Block(NamedTuple):
    """Some postings of a term: document numbers, weights (how often, as floats) and encoded positions."""

    documents: Sequence[int]
    weights: Sequence[float]
    values: Sequence[bytes]


class _Segment:
    """One segment of the index; all its files are opened at once, so that it stays readable when they are removed."""

    def __init__(self, folder: Path, segment: Any) -> None:
        storage = _storage(folder)
        self._reader = segment.codec().terms_reader(storage, segment)
        self._rows = _rows_of_segment(folder, segment)
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

    def blocks(self, field: Field, term: bytes) -> Iterator[_Block]:
        """Yield the postings of a term block by block, as they lie on disk.

        Whoosh's matchers go from posting to posting with half a dozen calls each; a block's three lists are read with
        one. What begins with an underscore here is private to Whoosh, and the same in all its 2.7 releases.
        """
        from whoosh.reading import TermNotFound

        try:
            matcher = self._reader.matcher(field.value, term, _format())
        except TermNotFound:
            return
        while matcher.is_active():
            matcher._read_ids()  # noqa: SLF001
            matcher._read_weights()  # noqa: SLF001
            matcher._read_values()  # noqa: SLF001
            yield _Block(matcher._ids, matcher._weights, matcher._values)  # noqa: SLF001
            matcher._next_block()  # noqa: SLF001

    def terms(self, field: Field, prefix: bytes) -> Iterator[bytes]:
        """Yield the terms of a field that begin with `prefix`."""
        for name, term in self._reader.terms_from(field.value, prefix):
            if name != field.value or not term.startswith(prefix):
                return
            yield term


def write_generation(
    cache_folder: Path,
    before: Generation | None,
    *,
    folder: str,
    documents: Iterable[tuple[int, Searchable]],
    dropped_rows: frozenset[int],
) -> Generation:
    """Write the next state of the index; the one before stays readable until `remove_others`.

    Args:
        cache_folder: the folder of the vault's cache.
        before: the state to go on from; None begins anew.
        folder: the folder in it for a new index; not used to go on.
        documents: rows and what is searched of them.
        dropped_rows: the rows whose documents go.
    """
    import_whoosh()
    from whoosh.index import TOC

    place = cache_folder / (before.folder if before else folder)
    place.mkdir(mode=0o700, exist_ok=True)
    toc = _toc(place, before.number) if before else TOC(_schema(), [], 0)
    writer = _writer_class()(
        _Base(_storage(place), toc), compound=False, codec=_codec(), limitmb=_SORT_IN_MEGABYTES, _lk=False
    )
    writer.drop(place, dropped_rows)
    for row, searchable in documents:
        writer.add_document(text=searchable.text, head=searchable.head, row=row)
    writer.commit(mergetype=_merge_small)
    return Generation(place.name, writer.generation, file_marks(place, writer.kept_files()))


def remove_others(cache_folder: Path, kept: Generation) -> None:
    """Remove all files of the index that do not belong to the state `kept`, those of killed writers among them."""
    for folder in cache_folder.glob("whoosh-*"):
        if folder.name != kept.folder:
            _remove(folder)
    for place in (cache_folder / kept.folder).iterdir():
        if place.name in kept.files:
            continue
        if place.is_dir():
            _remove(place)
        else:
            place.unlink(missing_ok=True)


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


class _Base:
    """What a writer starts from: a state of the index that need not be the newest on disk."""

    indexname = NAME

    def __init__(self, storage: Any, toc: Any) -> None:
        self.storage, self._toc = storage, toc

    def _read_toc(self) -> Any:
        return self._toc


def _codec() -> Any:
    """Return Whoosh's own format without compression: half as large again, written and read a sixth faster."""
    from whoosh.codec.whoosh3 import W3Codec

    return W3Codec(compression=0)


@cache
def _writer_class() -> Any:
    """Return the class of the writer; Whoosh has to be imported for it to be made."""
    from whoosh.index import TOC
    from whoosh.writing import SegmentWriter

    class Writer(SegmentWriter):  # type: ignore[misc]
        """A writer that takes lists of terms, and leaves the files of the state before where they are."""

        def __init__(self, base: _Base, **options: Any) -> None:
            super().__init__(base, **options)
            self.schema = _schema_for_writing()
            self.final_segments: list[Any] = []

        def drop(self, folder: Path, rows: frozenset[int]) -> None:
            """Mark the documents of rows as deleted."""
            for segment in self.segments if rows else ():
                for number, row in enumerate(_rows_of_segment(folder, segment)):
                    if row in rows and not segment.is_deleted(number):
                        segment.delete_document(number)

        def kept_files(self) -> list[str]:
            """Return the names of the files that belong to the state that was written."""
            table = TOC._filename(NAME, self.generation)  # noqa: SLF001
            files = (segment.list_files(self.storage) for segment in self.final_segments)
            return [table, *chain.from_iterable(files)]

        def _flush_segment(self) -> None:
            # As in Whoosh, but for the lengths: it would read each from the file it has just written, for every term.
            self.perdocwriter.close()
            lengths = _Lengths(self.storage, self.get_segment())
            self.fieldwriter.add_postings(self.schema, lengths, self.pool.iter_postings())
            self.fieldwriter.close()

        def _commit_toc(self, segments: list[Any]) -> None:
            self.final_segments = segments
            # A writer that was killed before the manifest named its state left a table of this number: it holds for
            # nobody, and Whoosh would refuse to replace it, with every command from then on.
            table = TOC._filename(NAME, self.generation)  # noqa: SLF001
            if self.storage.file_exists(table):
                self.storage.delete_file(table)
            TOC(_schema(), segments, self.generation).write(self.storage, NAME)

    return Writer


class _Lengths:
    """The lengths of a new segment's fields as Whoosh keeps them, rounded to a byte, read at once."""

    def __init__(self, storage: Any, segment: Any) -> None:
        from whoosh.util.numeric import byte_to_length

        of_byte = [byte_to_length(number) for number in range(256)]
        self._lengths: dict[str, list[int]] = {}
        for field in Field:
            name = segment.make_filename(f"._{field.value}_len.col")
            if storage.file_exists(name):
                with storage.open_file(name) as column:
                    self._lengths[field.value] = [of_byte[number] for number in column.read()]

    def doc_field_length(self, document: int, field: str) -> int:
        """Return the length of a document's field."""
        return self._lengths[field][document]


def _merge_small(writer: Any, segments: list[Any]) -> list[Any]:
    """Return the segments to keep after adding the others to the writer's own: one large one, a few small ones.

    Whoosh's own policy leaves up to a dozen, each of which every search has to open. Here the small ones are put
    together when there are too many, and with the large one when they hold as much as that.
    """
    if len(segments) < MOST_SEGMENTS and not any(_mostly_deleted(segment) for segment in segments):
        return segments
    *small, large = sorted(segments, key=lambda segment: segment.doc_count())
    whole = _mostly_deleted(large) or 2 * sum(segment.doc_count() for segment in small) >= large.doc_count()
    for segment in segments if whole else small:
        from whoosh.reading import SegmentReader

        reader = SegmentReader(writer.storage, writer.schema, segment)
        writer.add_reader(reader)
        reader.close()
    return [] if whole else [large]


def _mostly_deleted(segment: Any) -> bool:
    return bool(2 * segment.deleted_count() > segment.doc_count_all() > 0)


def _ascends(rows: Sequence[int]) -> bool:
    return all(map(int.__lt__, rows, rows[1:]))


def _rows_of_segment(folder: Path, segment: Any) -> array[int]:
    """Return the row of every document of a segment: its column's big-endian integers, without zeros at the end."""
    place = folder / f"{segment.segment_id()}.{ROW}.col"
    column = array("I", place.read_bytes())
    if sys.byteorder == "little":
        column.byteswap()
    missing: int = segment.doc_count_all() - len(column)
    return array("q", [*column, *[0] * missing])


def _toc(folder: Path, generation: int) -> Any:
    from whoosh.index import TOC

    return TOC.read(_storage(folder), NAME, gen=generation, schema=_schema())


def _storage(folder: Path) -> Any:
    from whoosh.filedb.filestore import FileStorage

    return FileStorage(str(folder))


@cache
def _format() -> Any:
    from whoosh.formats import Positions

    return Positions()


@cache
def _schema() -> Any:
    """Return the schema as it is written into the index: nothing but Whoosh's own classes."""
    from whoosh.columns import NumericColumn
    from whoosh.fields import COLUMN, FieldType, Schema

    fields = {field.value: FieldType(_format(), None, scorable=True) for field in Field}
    return Schema(**fields, **{ROW: COLUMN(NumericColumn("I"))})


@cache
def _schema_for_writing() -> Any:
    """Return the same schema with fields that take lists of terms, three times faster than Whoosh's tokens."""
    from pickle import dumps
    from struct import Struct

    from whoosh.fields import FieldType, Schema

    pack = Struct("!I").pack  # as in whoosh.formats.Positions.encode

    class TermsField(FieldType):  # type: ignore[misc]
        def index(self, value: Sequence[str], **_options: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
            places: dict[str, list[int]] = {}
            for position, term in enumerate(value):
                places.setdefault(term, []).append(position)
            for term, positions in places.items():
                count = len(positions)
                steps = positions[:1] + [b - a for a, b in pairwise(positions)]
                yield term.encode(), count, float(count), pack(count) + dumps(steps, 2)

    fields = {field.value: TermsField(_format(), None, scorable=True) for field in Field}
    return Schema(**fields, **{ROW: _schema()[ROW]})


def _remove(folder: Path) -> None:
    import shutil  # with its compression libraries it loads slowly, and searching needs none of it

    shutil.rmtree(folder, ignore_errors=True)
