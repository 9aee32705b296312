"""What holds for every search index: Whoosh's on disk, and its twin in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.adapters.memory_index import MemoryIndex
from memstore.ports.search_index import Field
from memstore.rules.searchable import Searchable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.ports.search_index import SearchIndex

DOCUMENTS = [
    (0, Searchable(text=["the", "tea", "is", "hot", "and", "the", "pot", "is", "hot"], head=["tea"])),
    (2, Searchable(text=["hot", "naïve", "日"], head=[])),
    (3, Searchable(text=[], head=["hot", "tea", "hot"])),
]


def in_memory(documents: Sequence[tuple[int, Searchable]], row_count: int) -> SearchIndex:
    return MemoryIndex(documents, row_count=row_count)


@pytest.fixture(params=["memory"])
def index(request: pytest.FixtureRequest) -> SearchIndex:
    return in_memory(DOCUMENTS, 5)


def listed(postings: tuple[Sequence[int], Sequence[int]]) -> list[tuple[int, int]]:
    return list(zip(*postings, strict=True))


def test_postings_are_rows_with_counts(index: SearchIndex) -> None:
    assert listed(index.postings(Field.TEXT, "hot")) == [(0, 2), (2, 1)]
    assert listed(index.postings(Field.HEAD, "hot")) == [(3, 2)]
    assert listed(index.postings(Field.TEXT, "日")) == [(2, 1)]
    assert listed(index.postings(Field.TEXT, "cold")) == []


def test_positions_count_terms_from_0(index: SearchIndex) -> None:
    assert list(index.positions(Field.TEXT, "hot", 0)) == [3, 8]
    assert list(index.positions(Field.HEAD, "hot", 3)) == [0, 2]
    assert list(index.positions(Field.TEXT, "hot", 3)) == []
    assert list(index.positions(Field.TEXT, "cold", 0)) == []


def test_lengths_are_exact_and_cover_every_row(index: SearchIndex) -> None:
    assert list(index.lengths(Field.TEXT)) == [9, 0, 3, 0, 0]
    assert list(index.lengths(Field.HEAD)) == [1, 0, 0, 3, 0]


def test_terms_by_prefix(index: SearchIndex) -> None:
    assert list(index.terms("t")) == ["tea", "the"]
    assert list(index.terms("ho")) == ["hot"]
    assert list(index.terms("日")) == ["日"]
    assert list(index.terms("x")) == []
    assert list(index.terms("")) == ["and", "hot", "is", "naïve", "pot", "tea", "the", "日"]
