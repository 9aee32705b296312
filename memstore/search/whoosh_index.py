"""The search index on disk, in Whoosh's own format, read without Whoosh (docs/adr/0020).

A document is a memory: the terms of its body and head with their positions, and its row in the catalogue. Lengths are
stored in the manifest, because Whoosh rounds them to a byte. Any Whoosh 2.7 can read the index.

Three files of a segment are read: `.trm`, a sorted table of all terms with statistics; `.pst`, the postings; and the
column of the documents' rows. Only the variant that `whoosh_writer` writes is supported: with positions, uncompressed,
nothing inlined. All numbers are big-endian.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import os
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import accumulate, chain, repeat
from mmap import ACCESS_READ, mmap
from pathlib import Path
from pickle import Unpickler
from struct import Struct
from typing import Any, NamedTuple, NoReturn

from memstore.core.catalog import Field
from memstore.search.manifest import DamagedError

FileMarks = dict[str, list[int]]


class Generation(NamedTuple):
    """One state of the index: its folder, Whoosh's number for it, its segments, and the marks of its files."""

    folder: str
    number: int
    segments: "Sequence[SegmentFacts]"
    files: FileMarks

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> "Generation":
        """Return the state that a manifest names."""
        return cls(**facts)._replace(segments=[SegmentFacts(*each) for each in facts["segments"]])


# As many terms as some dozen queries have.
_MOST_KEPT = 256


class WhooshIndex:
    """The search index of the rows that have a document; a row that is dead in the catalogue may still be live here.

    Raises:
        DamagedError: (on construction and later) files are missing, or not as they were written.
    """

    def __init__(self, cache_folder: Path, generation: Generation) -> None:
        folder = cache_folder / generation.folder
        if file_marks(folder, generation.files) != generation.files:
            raise DamagedError("files of the search index are missing or changed")
        with _damage("the search index can't be opened"):
            self._segments = [Segment(folder, facts) for facts in generation.segments]
        self._blocks: dict[tuple[Field, str], list[tuple[Segment, list[Block]]]] = {}

    def postings(self, field: Field, term: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the rows that contain a term, ascending, and the count in each."""
        rows: list[int] = []
        counts: list[int] = []
        for segment, blocks in self._read(field, term):
            for block in blocks:
                rows += segment.rows_of(block.documents)
                counts += block.counts
        if any(segment.has_deletions for segment in self._segments):
            live = [i for i, row in enumerate(rows) if row >= 0]
            rows, counts = [rows[i] for i in live], [counts[i] for i in live]
        if not _ascends(rows):
            order = sorted(range(len(rows)), key=rows.__getitem__)
            rows, counts = [rows[i] for i in order], [counts[i] for i in order]
        return rows, counts

    def frequency(self, term: str) -> int:
        """Return how many rows have a term in their text; deleted ones may be included."""
        with _damage("the search index can't be read"):
            return sum(segment.frequency(Field.TEXT.value, term) for segment in self._segments)

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return the positions of a term in a field of each row, counted in terms from 0; empty if it is absent."""
        wanted = set(rows)
        with _damage("the search index can't be read"):
            values = {
                row: value
                for segment, blocks in self._read(field, term)
                for block in blocks
                for row, value in zip(segment.rows_of(block.documents), block.values, strict=True)
                if row in wanted
            }
            return [positions_of(values[row]) if row in values else () for row in rows]

    def terms(self, prefix: str) -> Sequence[str]:
        """Return all terms of both fields that begin with `prefix`, sorted; terms of dead rows may be included."""
        with _damage("the search index can't be read"):
            found = (segment.terms(of.value, prefix) for segment in self._segments for of in Field)
            return sorted(set(chain.from_iterable(found)))

    def _read(self, field: Field, term: str) -> "list[tuple[Segment, list[Block]]]":
        key = (field, term)
        if key not in self._blocks:
            if len(self._blocks) >= _MOST_KEPT:  # a server is asked for ever new words
                self._blocks.clear()
            with _damage("the search index can't be read"):
                self._blocks[key] = [(segment, list(segment.blocks(field.value, term))) for segment in self._segments]
        return self._blocks[key]


@contextmanager
def _damage(what: str) -> Iterator[None]:
    """Turn any error from reading damaged bytes into `DamagedError`."""
    try:
        yield
    except DamagedError:
        raise
    except Exception as error:
        raise DamagedError(what) from error


def file_marks(folder: Path, names: Iterable[str]) -> FileMarks:
    """Return size, times (ns) and inode of each file, which show whether it was changed; missing files are left out."""
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


# -- one segment -----------------------------------------------------------------------------------


ROW = "row"

_INT = Struct("!i")
_LENGTHS = Struct("!ii")
_FIELD = Struct("!H")
# The data of a term: whether its postings are inlined, its weight, the number of documents, their minimum and maximum
# length, the maximum weight, the first and last document; then the offset and length of its postings in `.pst`.
_FACTS = Struct("!BfIBBfIIqi")
_MAGIC = b"W3Bl"
_NO_FIELD = 0xFFFF
_BYTES_OF_COUNT = 4


class SegmentFacts(NamedTuple):
    """The data of a segment in the manifest.

    The names of its files begin with `name`; `documents` is their number, `deleted` the numbers of deleted ones;
    `first_row` is the row of document 0 if rows are consecutive, as after a first build, else None.
    """

    name: str
    documents: int
    deleted: Sequence[int]
    first_row: int | None


class Block(NamedTuple):
    """Some postings of a term: document numbers, the counts in them, and the encoded positions."""

    documents: Sequence[int]
    counts: Sequence[int]
    values: Sequence[bytes]


class Segment:
    """A segment. Its files are opened immediately, so it stays readable after they are deleted.

    If bytes are damaged, its methods may raise any exception.
    """

    def __init__(self, folder: Path, facts: SegmentFacts) -> None:
        self._facts = facts
        self._terms = _TermTable(_mapped(folder / f"{facts.name}.trm"))
        self._postings = _mapped(folder / f"{facts.name}.pst")
        self._rows = None if facts.first_row == 0 and not facts.deleted else _rows(folder, facts)

    @property
    def has_deletions(self) -> bool:
        """Whether documents are deleted."""
        return bool(self._facts.deleted)

    def rows_of(self, documents: Sequence[int]) -> Sequence[int]:
        """Return the rows of documents; -1 for deleted ones."""
        rows = self._rows
        return documents if rows is None else [rows[number] for number in documents]

    def frequency(self, field: str, term: str) -> int:
        """Return how many documents have a term in a field, including deleted ones."""
        return self._terms.find(field, term.encode()).documents

    def blocks(self, field: str, term: str) -> Iterator[Block]:
        """Yield the postings of a term block by block, in their order on disk."""
        found = self._terms.find(field, term.encode())
        if not found.documents:
            return
        file = BytesIO(self._postings[found.start : found.start + found.length])
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("no postings here")
        is_last = False
        while not is_last:
            is_last = _INT.unpack(file.read(_INT.size))[0] < 0
            pickles = _PlainUnpickler(file)
            count, *_ = pickles.load()
            steps, weights, values = pickles.load()
            yield Block(list(accumulate(steps)), _counts(weights, count), values)

    def terms(self, field: str, prefix: str) -> Iterator[str]:
        """Yield the terms of a field that begin with `prefix`, in the order of their bytes."""
        return map(bytes.decode, self._terms.beginning_with(field, prefix.encode()))


class _Term(NamedTuple):
    """The number of documents with a term, and the offset and length of its postings in their file."""

    documents: int
    start: int
    length: int


_NO_TERM = _Term(0, 0, 0)


class _TermTable:
    """The table of terms: sorted keys, each with a value, followed by a list of their offsets.

    Whoosh finds a key with a hash table in between; a binary search needs no hash, and also finds prefixes.
    """

    def __init__(self, data: mmap | bytes) -> None:
        self._data = data
        end = len(data) - _INT.size
        (length,) = _INT.unpack_from(data, end)
        extras = _unpickled(data[end - length : end])
        self._fields: dict[str, int] = extras["fieldmap"]
        self._count: int = extras["indexlen"]
        self._place = Struct(f"!{extras['indextype']}")
        self._places = end - self._count * self._place.size

    def find(self, field: str, term: bytes) -> _Term:
        key = self._key(field, term)
        position = self._first_from(key)
        found, end = self._at(position) if position < self._count else (b"", 0)
        if found != key:
            return _NO_TERM
        _, _, documents, *_, start, length = _FACTS.unpack_from(self._data, end)
        return _Term(documents, start, length)

    def beginning_with(self, field: str, prefix: bytes) -> Iterator[bytes]:
        start = self._key(field, prefix)
        for position in range(self._first_from(start), self._count):
            key, _ = self._at(position)
            if not key.startswith(start):
                return
            yield key[_FIELD.size :]

    def _key(self, field: str, term: bytes) -> bytes:
        return _FIELD.pack(self._fields.get(field, _NO_FIELD)) + term

    def _first_from(self, key: bytes) -> int:
        return bisect_left(range(self._count), key, key=lambda position: self._at(position)[0])

    def _at(self, position: int) -> tuple[bytes, int]:
        """Return a key, and the offset of its end, where its value begins."""
        (start,) = self._place.unpack_from(self._data, self._places + position * self._place.size)
        length, _ = _LENGTHS.unpack_from(self._data, start)
        start += _LENGTHS.size
        return self._data[start : start + length], start + length


class _PlainUnpickler(Unpickler):
    """Loads only numbers, texts and lists of them; a file can't make it call any function."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise ValueError(f"{module}.{name} in a search index")


def _unpickled(data: bytes) -> Any:
    return _PlainUnpickler(BytesIO(data)).load()


def positions_of(value: bytes) -> list[int]:
    """Return the positions in a posting's value, ascending."""
    return list(accumulate(_unpickled(value[_BYTES_OF_COUNT:])))


def rows_on_disk(folder: Path, name: str, documents: int) -> "array[int]":
    """Return the row of every document of a segment: its column's integers, without zeros at the end."""
    column = array("I", (folder / f"{name}.{ROW}.col").read_bytes())
    if sys.byteorder == "little":
        column.byteswap()
    return array("q", [*column, *[0] * (documents - len(column))])


def _rows(folder: Path, facts: SegmentFacts) -> Sequence[int]:
    """Return the row of every document, -1 for a deleted one."""
    if facts.first_row is None:
        rows = rows_on_disk(folder, facts.name, facts.documents)
    else:
        rows = array("q", range(facts.first_row, facts.first_row + facts.documents))
    for number in facts.deleted:
        rows[number] = -1
    return rows


def _mapped(place: Path) -> mmap | bytes:
    with place.open("rb") as file:
        return mmap(file.fileno(), 0, access=ACCESS_READ) if os.fstat(file.fileno()).st_size else b""


def _counts(weights: tuple[float, ...] | float | None, count: int) -> Sequence[int]:
    """Return the counts of a block; Whoosh stores them as weights: none if all are 1, and one if all are equal."""
    if isinstance(weights, tuple):
        return list(map(int, weights))
    return list(repeat(1 if weights is None else int(weights), count))
