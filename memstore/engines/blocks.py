"""Blocks: what documents of one class, from one range of numbers, have in a field under a term.

A document has a count there, and that many units of detail:

- in `text` and `head` under a term: how often it occurs, and the positions;
- in `text length` and `head length`: the number of terms;
- in a column of the catalogue: the length of the cell, and its bytes; empty cells are left out;
- in `kind` under a kind of file: 1.

A block is stored as numbers and counts, which most questions need alone, and the details one after the other.
"""

from __future__ import annotations

import sys
from array import array
from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.catalog import Field
from memstore.search.memory_snapshot import COLUMNS, cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memstore.search.memory_snapshot import Document

# How many numbers a block spans: a change of one document writes a block for each of its terms anew.
SPAN = 1024
KIND = "kind"


class BlockKey(NamedTuple):
    """Where something is found: a field, and a term in it, empty for lengths and columns."""

    field: str
    term: bytes = b""


def length_of(field: Field) -> BlockKey:
    """Return the key of the number of terms in a field."""
    return BlockKey(f"{field.value} length")


def encoded(text: str) -> bytes:
    """Return a text in bytes; names of files may be no UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def decoded(data: bytes) -> str:
    """Return the text of bytes; see `encoded`."""
    return data.decode("utf-8", "surrogateescape")


def cells(document: Document) -> list[bytes]:
    """Return the cells of a document, in the order of `COLUMNS`."""
    return [*map(encoded, cells_of(document.entry))]


def found_in(document: Document) -> Iterator[tuple[str, bytes, int, bytes]]:
    """Yield field and term of each key that a document has something under, with the count and the details."""
    yield KIND, document.entry.kind.value.encode(), 1, b""
    for name, cell in zip(COLUMNS, cells(document), strict=True):
        if cell and name != KIND:
            yield name, b"", len(cell), cell
    if document.searchable is None:
        return
    for field, terms in ((Field.TEXT, document.searchable.text), (Field.HEAD, document.searchable.head)):
        positions: dict[str, list[int]] = {}
        for at, term in enumerate(terms):
            positions.setdefault(term, []).append(at)
        yield *length_of(field), len(terms), b""
        name, detail, at = field.value, packed([*chain.from_iterable(positions.values())]), 0
        unit = len(detail) // (len(terms) or 1)
        for term, places in positions.items():
            yield name, encoded(term), len(places), detail[at : at + unit * len(places)]
            at += unit * len(places)


# -- as bytes --------------------------------------------------------------------------------------


def packed(numbers: Sequence[int]) -> bytes:
    """Return numbers below 2**31 in four bytes each, the lowest first."""
    return _as_stored(array("i", numbers)).tobytes()


def unpacked(data: bytes) -> array[int]:
    """Return packed numbers."""
    found = array("i")
    found.frombytes(data)
    return _as_stored(found)


def _as_stored(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def block_of(entries: Mapping[int, tuple[int, bytes]]) -> tuple[int, bytes, bytes]:
    """Return the size of a block, its numbers and counts, and its details, given by number."""
    numbers = sorted(entries)
    counts = [entries[number][0] for number in numbers]
    return len(numbers), packed([*numbers, *counts]), b"".join(entries[number][1] for number in numbers)


def counted_in(data: bytes) -> tuple[array[int], array[int]]:
    """Return the numbers and counts of a block."""
    both = unpacked(data)
    size = len(both) // 2
    return both[:size], both[size:]


def details_in(counts: Iterable[int], detail: bytes) -> Iterator[bytes]:
    """Yield the details of each document of a block."""
    counts = [*counts]
    unit = len(detail) // (sum(counts) or 1)
    for end, count in zip(accumulate(counts), counts, strict=True):
        yield detail[(end - count) * unit : end * unit]


def entries_in(counted: bytes, detail: bytes) -> dict[int, tuple[int, bytes]]:
    """Return the count and the details of each document of a block, by number."""
    numbers, counts = counted_in(counted)
    return dict(zip(numbers, zip(counts, details_in(counts, detail), strict=True), strict=True))
