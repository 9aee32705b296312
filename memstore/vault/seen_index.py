"""A search index without what is hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.catalog import Field
    from memstore.search.library import SearchIndex

    Postings = tuple[Sequence[int], Sequence[int]]


class SeenIndex:
    """A search index, without the rows that are hidden.

    Args:
        index: that of all rows.
        mask: for every row, whether it is visible; None if all are.
    """

    def __init__(self, index: SearchIndex, mask: bytearray | None) -> None:
        self._index, self._mask = index, mask

    def postings(self, field: Field, term: str) -> Postings:
        found = self._index.postings(field, term)
        if self._mask is None:
            return found
        seen = [(row, times) for row, times in zip(*found, strict=True) if self._mask[row]]
        return [row for row, _ in seen], [times for _, times in seen]

    def frequency(self, term: str) -> int:
        if self._mask is None:
            return self._index.frequency(term)
        from memstore.core.catalog import Field

        return len(self.postings(Field.TEXT, term)[0])

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        return self._index.positions(field, term, rows)

    def lengths(self, field: Field) -> Sequence[int]:
        return self._index.lengths(field)

    def terms(self, prefix: str) -> Sequence[str]:
        return self._index.terms(prefix)
