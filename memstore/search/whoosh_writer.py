"""Write the search index in Whoosh's own format: one new segment per generation, with small segments merged.

Importing this module imports Whoosh, so only writers do it. Whoosh's own writer creates half a dozen objects for every
posting and sorts them all. Here, a term's documents and the values of their postings are in one list, in the order in
which they are added, and blocks are made when they are written. Whoosh can read the result (docs/adr/0007).
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from functools import lru_cache
from itertools import chain
from operator import sub
from pathlib import Path
from pickle import dumps
from struct import Struct
from typing import TYPE_CHECKING, Any

from whoosh.codec.whoosh3 import WHOOSH3_HEADER_MAGIC, W3Codec, W3TermInfo
from whoosh.columns import NumericColumn
from whoosh.fields import COLUMN, FieldType, Schema
from whoosh.filedb.filestore import FileStorage
from whoosh.formats import Positions
from whoosh.index import TOC
from whoosh.reading import SegmentReader
from whoosh.writing import SegmentWriter

from memstore.core.catalog import Field
from memstore.search.whoosh_index import ROW, Generation, Segment, SegmentFacts, file_marks, rows_on_disk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memstore.search.index import Searchable


# From this number of segments on, the small ones are merged.
MOST_SEGMENTS = 4
_NAME = "MAIN"


def write_generation(
    cache_folder: Path,
    before: Generation | None,
    *,
    folder: str,
    documents: Iterable[tuple[int, Searchable]],
    dropped_rows: frozenset[int],
    purge: bool = False,
) -> Generation:
    """Write the next generation of the index; the previous one stays readable until `remove_others`.

    Args:
        cache_folder: the folder of the vault's cache.
        before: the generation to continue from; None for a new index.
        folder: the subfolder for a new index; ignored if `before` is given.
        documents: rows with their terms; consumed one by one and not kept in memory.
        dropped_rows: the rows whose documents are dropped: hidden immediately, and removed from the files when their
            segment is rewritten.
        purge: rewrite all segments that contain a dropped document.
    """
    place = cache_folder / (before.folder if before else folder)
    place.mkdir(mode=0o700, exist_ok=True)
    storage, schema = FileStorage(str(place)), _schema()
    toc = TOC.read(storage, _NAME, gen=before.number, schema=schema) if before else TOC(schema, [], 0)
    writer = _Writer(_Base(storage, toc), compound=False, codec=_codec(), _lk=False)
    writer.drop(place, dropped_rows)
    for row, searchable in documents:
        writer.add_terms(row, searchable)
    writer.commit(mergetype=_merge_dropped if purge else _merge_small)
    segments = [_facts(place, segment) for segment in writer.final_segments]
    return Generation(place.name, writer.generation, segments, file_marks(place, writer.kept_files()))


def remove_others(cache_folder: Path, kept: Generation) -> None:
    """Delete all files of the index that do not belong to the generation `kept`, including those of killed writers."""
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


class _Base:
    """The starting point of a writer: a generation of the index that need not be the newest on disk."""

    indexname = _NAME

    def __init__(self, storage: Any, toc: Any) -> None:
        self.storage, self._toc = storage, toc

    def _read_toc(self) -> Any:
        return self._toc


def _codec() -> Any:
    """Return Whoosh's own format without compression: half as large again, a sixth faster to write and read."""
    return W3Codec(compression=0)


class _Writer(SegmentWriter):  # type: ignore[misc]
    """A writer that takes lists of terms, and keeps the files of the previous generation."""

    def __init__(self, base: _Base, **options: Any) -> None:
        super().__init__(base, **options)
        self.final_segments: list[Any] = []
        self._lists = PostingLists()
        self._column = self.schema[ROW].column_type

    def drop(self, folder: Path, rows: frozenset[int]) -> None:
        """Mark the documents of rows as deleted."""
        for segment in self.segments if rows else ():
            for number, row in enumerate(_rows_on_disk(folder, segment)):
                if row in rows and not segment.is_deleted(number):
                    segment.delete_document(number)

    def add_terms(self, row: int, searchable: Searchable) -> None:
        """Add the document of a row."""
        self.perdocwriter.start_doc(self.docnum)
        self._add_field(Field.HEAD.value, searchable.head)
        self._add_field(Field.TEXT.value, searchable.text)
        self.perdocwriter.add_column_value(ROW, self._column, row)
        self.perdocwriter.finish_doc()
        self._added = True
        self.docnum += 1

    def _add_field(self, field: str, terms: Sequence[str]) -> None:
        self._lists.add(field, self.docnum, terms)
        self.perdocwriter.add_field(field, None, None, len(terms))

    def kept_files(self) -> list[str]:
        """Return the names of the files that belong to the new generation."""
        table = TOC._filename(_NAME, self.generation)  # noqa: SLF001
        files = (segment.list_files(self.storage) for segment in self.final_segments)
        return [table, *chain.from_iterable(files)]

    def add_postings_to_pool(self, reader: Any, startdoc: int, docmap: dict[int, int] | None) -> None:
        """Add the postings of a segment that is being merged."""
        folder = Path(self.storage.folder)
        segment = Segment(folder, _facts(folder, reader.segment()))  # Whoosh's own reader takes ten times as long
        for field, term in ((of.value, term) for of in Field for term in segment.terms(of.value, "")):
            for block in segment.blocks(field, term):
                for document, value in zip(block.documents, block.values, strict=True):
                    moved = startdoc + document if docmap is None else docmap.get(document)
                    if moved is not None:
                        self._lists.add_value(field, term, moved, value)

    def _flush_segment(self) -> None:
        self.perdocwriter.close()
        self._lists.write(self.fieldwriter, self.schema, _lengths(self.storage, self.get_segment()))
        self.fieldwriter.close()

    def _commit_toc(self, segments: list[Any]) -> None:
        self.final_segments = segments
        # A writer that was killed before the manifest named its generation may have left a table with this number. It
        # is unused, but Whoosh would refuse to replace it, so every later command would fail.
        table = TOC._filename(_NAME, self.generation)  # noqa: SLF001
        if self.storage.file_exists(table):
            self.storage.delete_file(table)
        TOC(_schema(), segments, self.generation).write(self.storage, _NAME)


def _schema() -> Any:
    """Return the schema that is written into the index; it uses only Whoosh's own classes."""
    fields = {field.value: FieldType(Positions(), None, scorable=True) for field in Field}
    return Schema(**fields, **{ROW: COLUMN(NumericColumn("I"))})


def _facts(folder: Path, segment: Any) -> SegmentFacts:
    """Return the data of a segment for the manifest."""
    rows = _rows_on_disk(folder, segment)
    first = rows[0] if rows else 0
    is_in_order = rows == array("q", range(first, first + len(rows)))
    return SegmentFacts(
        segment.segment_id(), len(rows), sorted(segment.deleted_docs()), first_row=first if is_in_order else None
    )


def _rows_on_disk(folder: Path, segment: Any) -> array[int]:
    return rows_on_disk(folder, segment.segment_id(), segment.doc_count_all())


def _lengths(storage: Any, segment: Any) -> dict[str, bytes]:
    """Return the lengths of a new segment's fields as Whoosh stores them, rounded to a byte."""
    lengths = {}
    for field in Field:
        name = segment.make_filename(f"._{field.value}_len.col")
        if storage.file_exists(name):
            with storage.open_file(name) as column:
                lengths[field.value] = bytes(column.read())
    return lengths


def _merge_small(writer: Any, segments: list[Any]) -> list[Any]:
    """Add small segments to the writer's own if there are too many, and return the segments to keep.

    Whoosh's own policy keeps up to a dozen segments, all of which every search has to open. Here, the small ones are
    merged when there are too many, together with the large one if they have at least half as many documents.
    """
    if len(segments) < MOST_SEGMENTS and not any(_mostly_deleted(segment) for segment in segments):
        return segments
    *small, large = sorted(segments, key=lambda segment: segment.doc_count())
    whole = _mostly_deleted(large) or 2 * sum(segment.doc_count() for segment in small) >= large.doc_count()
    return _merged(writer, segments) if whole else [large, *_merged(writer, small)]


def _merge_dropped(writer: Any, segments: list[Any]) -> list[Any]:
    """Add segments with deleted documents to the writer's own, and return the others, which are kept."""
    kept = [segment for segment in segments if not segment.has_deletions()]
    return kept + _merged(writer, [segment for segment in segments if segment.has_deletions()])


def _merged(writer: Any, segments: list[Any]) -> list[Any]:
    """Add the live documents of segments to the writer's own; return the segments that remain: none."""
    for segment in segments:
        if not segment.doc_count():
            continue  # a new segment without any document could not be opened
        reader = SegmentReader(writer.storage, writer.schema, segment)
        writer.add_reader(reader)
        reader.close()
    return []


def _mostly_deleted(segment: Any) -> bool:
    return bool(2 * segment.deleted_count() > segment.doc_count_all() > 0)


def _remove(folder: Path) -> None:
    import shutil  # slow to load, because of its compression libraries, and not needed for searching

    shutil.rmtree(folder, ignore_errors=True)


# -- posting lists ---------------------------------------------------------------------------------


# The number of documents in a block, as in Whoosh.
_BLOCK = 128
_INFO_PICKLE = 2
# Whoosh pickles blocks with protocol 2, which writes bytes as text: twice as large, and slower to read.
_BLOCK_PICKLE = 3
_number_of_field = Struct("!H").pack
_count_bytes, _count_of = Struct("!I").pack, Struct("!I").unpack_from
_block_length = Struct("!i").pack
_extent = Struct("!qi").pack


class PostingLists:
    """The postings of the terms of a segment's documents, by field.

    A term's list holds the number of a document and the value of its posting by turns: one flat list a term costs far
    less memory than a pair for every posting.
    """

    def __init__(self) -> None:
        self._fields: dict[str, defaultdict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))

    def add(self, field: str, document: int, terms: Sequence[str]) -> None:
        """Add the terms of a document's field, in order; documents must be added in ascending order."""
        found: dict[str, list[int]] = {}
        for position, term in enumerate(terms):
            if term in found:
                found[term].append(position)
            else:
                found[term] = [position]
        lists = self._fields[field]
        for term, positions in found.items():
            postings = lists[term]  # most terms occur once
            postings += document, _value(positions) if len(positions) > 1 else _value_of_one(positions[0])

    def add_value(self, field: str, term: str, document: int, value: bytes) -> None:
        """Add a posting from an existing segment; a term's documents must be added in ascending order."""
        self._fields[field][term] += document, value

    def write(self, writer: Any, schema: Any, lengths: Mapping[str, bytes]) -> None:
        """Write all lists with Whoosh's writer of terms, and release them.

        Args:
            writer: a `W3FieldWriter`; its private members used here are the same in all versions 2.7.
            schema: the fields by name.
            lengths: for each field, the lengths of all documents as Whoosh stores them: rounded to a byte.
        """
        for field, lists in sorted((field, lists) for field, lists in self._fields.items() if lists):
            writer.start_field(field, schema[field])
            number, at = _number_of_field(writer._fieldid), writer._postfile.tell()  # noqa: SLF001
            for term in sorted(lists):
                packed, facts = _packed_term(lists.pop(term), lengths[field])
                writer._postfile.write(packed)  # noqa: SLF001
                writer._tindex.add(number + term.encode(), facts + _extent(at, len(packed)))  # noqa: SLF001
                at += len(packed)
            writer.finish_field()


def _packed_term(postings: list[Any], lengths: bytes) -> tuple[bytes, bytes]:
    """Return a term's encoded blocks, and its entry in Whoosh's table of terms without their offset and length."""
    documents, values = postings[::2], postings[1::2]
    counts = [_count_of(value)[0] for value in values]
    long = [lengths[document] for document in documents]
    parts = [WHOOSH3_HEADER_MAGIC]
    for start in range(0, len(documents), _BLOCK):
        block = slice(start, start + _BLOCK)
        is_last = start + _BLOCK >= len(documents)
        parts.append(_packed(documents[block], values[block], counts[block], long[block], is_last=is_last))
    most, weight = float(max(counts)), float(sum(counts))
    numbers = (0, weight, len(documents), min(long), max(long), most, documents[0], documents[-1])
    return b"".join(parts), W3TermInfo._struct.pack(*numbers)  # noqa: SLF001 -- as above


def _packed(
    documents: list[int], values: list[bytes], counts: list[int], lengths: list[int], *, is_last: bool
) -> bytes:
    """Return an encoded block; the last block of a term has a negative length."""
    most = max(counts)
    info = dumps((len(documents), documents[-1], float(most), 0, min(lengths), max(lengths)), _INFO_PICKLE)
    weights: object = None if most == 1 else tuple(map(float, counts))
    if most > 1 and min(counts) == most:
        weights = float(most)
    data = dumps((tuple(_steps(documents)), weights, tuple(values)), _BLOCK_PICKLE)
    length = len(info) + len(data)
    return _block_length(-length if is_last else length) + info + data


def _value(positions: list[int]) -> bytes:
    """Return positions as `whoosh.formats.Positions` encodes them."""
    return _count_bytes(len(positions)) + dumps(_steps(positions), 2)


@lru_cache(maxsize=4096)
def _value_of_one(position: int) -> bytes:
    return _value([position])


def _steps(numbers: list[int]) -> list[int]:
    return [numbers[0], *map(sub, numbers[1:], numbers)]
