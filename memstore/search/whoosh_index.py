"""The search index on disk, in Whoosh's own format: any Whoosh 2.7 can read it.

A document is a memory: the terms of its body and of its head with their positions, and the number of the catalogue's
row that describes it. Lengths are kept in the manifest, since Whoosh rounds them to a byte.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from memstore.adapters.manifest import DamagedError
from memstore.adapters.whoosh_segment import Segment, SegmentFacts, positions_of
from memstore.model.catalog import Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from memstore.adapters.whoosh_segment import Block

FileMarks = dict[str, list[int]]


class Generation(NamedTuple):
    """One state of the index: the folder it lies in, Whoosh's number for it, its segments, and its files' marks."""

    folder: str
    number: int
    segments: Sequence[SegmentFacts]
    files: FileMarks

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Generation:
        """Return the state that a manifest names."""
        return cls(**facts)._replace(segments=[SegmentFacts(*each) for each in facts["segments"]])


class WhooshIndex:
    """Where terms stand, for the rows that have a document; rows may be dead to the catalogue and live here.

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
        """Return the rows that hold a term, ascending, and how often each does."""
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
        """Return how many rows hold a term in their text; deleted ones may be counted."""
        with _damage("the search index can't be read"):
            return sum(segment.frequency(Field.TEXT.value, term) for segment in self._segments)

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return where a term stands in the field of each row, counted in terms from 0; empty where it does not."""
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
        """Return all terms of both fields that begin with `prefix`, sorted; dead rows' terms may be among them."""
        with _damage("the search index can't be read"):
            found = (segment.terms(of.value, prefix) for segment in self._segments for of in Field)
            return sorted(set(chain.from_iterable(found)))

    def _read(self, field: Field, term: str) -> list[tuple[Segment, list[Block]]]:
        key = (field, term)
        if key not in self._blocks:
            with _damage("the search index can't be read"):
                self._blocks[key] = [(segment, list(segment.blocks(field.value, term))) for segment in self._segments]
        return self._blocks[key]


@contextmanager
def _damage(what: str) -> Iterator[None]:
    """Tell whatever reading damaged bytes leads to as damage."""
    try:
        yield
    except DamagedError:
        raise
    except Exception as error:
        raise DamagedError(what) from error


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
