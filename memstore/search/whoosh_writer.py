"""Writing the search index: one new segment a state, small ones put together, in Whoosh's own format.

Importing this module imports Whoosh: only who writes does it.
"""

from __future__ import annotations

from array import array
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whoosh.codec.whoosh3 import W3Codec
from whoosh.columns import NumericColumn
from whoosh.fields import COLUMN, FieldType, Schema
from whoosh.filedb.filestore import FileStorage
from whoosh.formats import Positions
from whoosh.index import TOC
from whoosh.reading import SegmentReader
from whoosh.writing import SegmentWriter

from memstore.adapters.posting_lists import PostingLists
from memstore.adapters.whoosh_index import Generation, file_marks
from memstore.adapters.whoosh_segment import ROW, Segment, SegmentFacts, positions_of, rows_on_disk
from memstore.model.catalog import Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstore.rules.searchable import Searchable

# So many segments are searched at once before the small ones are put together.
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
    """Write the next state of the index; the one before stays readable until `remove_others`.

    Args:
        cache_folder: the folder of the vault's cache.
        before: the state to go on from; None begins anew.
        folder: the folder in it for a new index; not used to go on.
        documents: rows and what is searched of them; taken one by one, and not kept.
        dropped_rows: the rows whose documents go: out of sight at once, out of the files when their segment is written
            anew.
        purge: write all segments anew that hold a dropped document.
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


class _Base:
    """What a writer starts from: a state of the index that need not be the newest on disk."""

    indexname = _NAME

    def __init__(self, storage: Any, toc: Any) -> None:
        self.storage, self._toc = storage, toc

    def _read_toc(self) -> Any:
        return self._toc


def _codec() -> Any:
    """Return Whoosh's own format without compression: half as large again, written and read a sixth faster."""
    return W3Codec(compression=0)


class _Writer(SegmentWriter):  # type: ignore[misc]
    """A writer that takes lists of terms, and leaves the files of the state before where they are."""

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
        """Return the names of the files that belong to the state that was written."""
        table = TOC._filename(_NAME, self.generation)  # noqa: SLF001
        files = (segment.list_files(self.storage) for segment in self.final_segments)
        return [table, *chain.from_iterable(files)]

    def add_postings_to_pool(self, reader: Any, startdoc: int, docmap: dict[int, int] | None) -> None:
        """Take over the postings of a segment that is put together with others."""
        folder = Path(self.storage.folder)
        segment = Segment(folder, _facts(folder, reader.segment()))  # Whoosh's own reader takes ten times as long
        for field, term in ((of.value, term) for of in Field for term in segment.terms(of.value, "")):
            for block in segment.blocks(field, term):
                for document, value in zip(block.documents, block.values, strict=True):
                    moved = startdoc + document if docmap is None else docmap.get(document)
                    if moved is not None:
                        self._lists.add_positions(field, term, moved, positions_of(value))

    def _flush_segment(self) -> None:
        self.perdocwriter.close()
        self._lists.write(self.fieldwriter, self.schema, _lengths(self.storage, self.get_segment()))
        self.fieldwriter.close()

    def _commit_toc(self, segments: list[Any]) -> None:
        self.final_segments = segments
        # A writer that was killed before the manifest named its state left a table of this number: it holds for
        # nobody, and Whoosh would refuse to replace it, with every command from then on.
        table = TOC._filename(_NAME, self.generation)  # noqa: SLF001
        if self.storage.file_exists(table):
            self.storage.delete_file(table)
        TOC(_schema(), segments, self.generation).write(self.storage, _NAME)


def _schema() -> Any:
    """Return the schema as it is written into the index: nothing but Whoosh's own classes."""
    fields = {field.value: FieldType(Positions(), None, scorable=True) for field in Field}
    return Schema(**fields, **{ROW: COLUMN(NumericColumn("I"))})


def _facts(folder: Path, segment: Any) -> SegmentFacts:
    """Return what the manifest is to know of a segment."""
    rows = _rows_on_disk(folder, segment)
    first = rows[0] if rows else 0
    is_in_order = rows == array("q", range(first, first + len(rows)))
    return SegmentFacts(
        segment.segment_id(), len(rows), sorted(segment.deleted_docs()), first_row=first if is_in_order else None
    )


def _rows_on_disk(folder: Path, segment: Any) -> array[int]:
    return rows_on_disk(folder, segment.segment_id(), segment.doc_count_all())


def _lengths(storage: Any, segment: Any) -> dict[str, bytes]:
    """Return the lengths of a new segment's fields as Whoosh keeps them, rounded to a byte."""
    lengths = {}
    for field in Field:
        name = segment.make_filename(f"._{field.value}_len.col")
        if storage.file_exists(name):
            with storage.open_file(name) as column:
                lengths[field.value] = bytes(column.read())
    return lengths


def _merge_small(writer: Any, segments: list[Any]) -> list[Any]:
    """Return the segments to keep after adding the others to the writer's own: one large one, a few small ones.

    Whoosh's own policy leaves up to a dozen, each of which every search has to open. Here the small ones are put
    together when there are too many, and with the large one when they hold as much as that.
    """
    if len(segments) < MOST_SEGMENTS and not any(_mostly_deleted(segment) for segment in segments):
        return segments
    *small, large = sorted(segments, key=lambda segment: segment.doc_count())
    whole = _mostly_deleted(large) or 2 * sum(segment.doc_count() for segment in small) >= large.doc_count()
    return _merged(writer, segments) if whole else [large, *_merged(writer, small)]


def _merge_dropped(writer: Any, segments: list[Any]) -> list[Any]:
    """Return the segments to keep: those without a deleted document, the others being added to the writer's own."""
    kept = [segment for segment in segments if not segment.has_deletions()]
    return kept + _merged(writer, [segment for segment in segments if segment.has_deletions()])


def _merged(writer: Any, segments: list[Any]) -> list[Any]:
    """Add the live documents of segments to the writer's own, and return what is left of them: nothing."""
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
    import shutil  # with its compression libraries it loads slowly, and searching needs none of it

    shutil.rmtree(folder, ignore_errors=True)
