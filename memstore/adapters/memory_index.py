"""The search index in memory: for what changed since the one on disk was written, for past revisions, and for tests."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import takewhile
from operator import attrgetter
from typing import TYPE_CHECKING

from memstore.model.catalog import Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memstore.rules.searchable import Searchable

_TERMS_OF = {Field.TEXT: attrgetter("text"), Field.HEAD: attrgetter("head")}


class MemoryIndex:
    """Where terms stand, in plain dicts.

    Args:
        documents: rows and what is searched of them, in ascending order of rows.
        row_count: the number of rows there are, those without a document included; by default up to the last document.
    """

    def __init__(self, documents: Iterable[tuple[int, Searchable]], *, row_count: int = 0) -> None:
        self._lengths: dict[Field, list[int]] = {field: [0] * row_count for field in Field}
        self._places: dict[Field, dict[str, dict[int, list[int]]]] = {field: defaultdict(dict) for field in Field}
        self._sorted_terms: list[str] | None = None
        for row, document in documents:
            for field in Field:
                self._add(field, row, _TERMS_OF[field](document))

    @classmethod
    def empty(cls) -> MemoryIndex:
        """Return the index of nothing."""
        return cls(())

    def postings(self, field: Field, term: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the live rows that hold a term, ascending, and how often each does."""
        places: Mapping[int, list[int]] = self._places[field].get(term, {})
        return list(places), [len(positions) for positions in places.values()]

    def frequency(self, term: str) -> int:
        """Return how many rows hold a term in their text."""
        return len(self._places[Field.TEXT].get(term, {}))

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return where a term stands in the field of each row, counted in terms from 0; empty where it does not."""
        places = self._places[field].get(term, {})
        return [places.get(row, ()) for row in rows]

    def lengths(self, field: Field) -> Sequence[int]:
        """Return the number of terms of a field for every row, dead ones included."""
        return self._lengths[field]

    def terms(self, prefix: str) -> Sequence[str]:
        """Return all terms of both fields that begin with `prefix`, sorted; dead rows' terms may be among them."""
        if self._sorted_terms is None:
            self._sorted_terms = sorted({term for places in self._places.values() for term in places})
        terms = self._sorted_terms
        start = bisect_left(terms, prefix)
        return list(takewhile(lambda term: term.startswith(prefix), (terms[i] for i in range(start, len(terms)))))

    def _add(self, field: Field, row: int, terms: Sequence[str]) -> None:
        lengths, places = self._lengths[field], self._places[field]
        lengths.extend([0] * (row + 1 - len(lengths)))
        lengths[row] = len(terms)
        for position, term in enumerate(terms):
            places[term].setdefault(row, []).append(position)
