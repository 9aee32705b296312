"""Posting lists of a new segment: gathered in memory as plain numbers, written in order, in Whoosh's own format.

Whoosh's writer makes half a dozen objects for every posting and sorts them all. Here a term's places lie in one array,
a number each, in the order in which they come; blocks are made when they are written. Whoosh reads what comes of it
like its own (docs/adr/0007).
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from functools import lru_cache
from itertools import pairwise
from pickle import dumps
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple

from whoosh.codec.whoosh3 import WHOOSH3_HEADER_MAGIC, W3TermInfo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# A place is a document's number, shifted by so many bits, and the position in it.
_POSITION_BITS = 32
_POSITION = (1 << _POSITION_BITS) - 1
# So many documents are a block, as Whoosh has it.
_BLOCK = 128
_INFO_PICKLE = 2
# Whoosh pickles blocks with protocol 2, which spells out bytes as text: twice as large, and slower to read.
_BLOCK_PICKLE = 3
_number_of_field = Struct("!H").pack
_count_bytes = Struct("!I").pack
_block_length = Struct("!i").pack
_extent = Struct("!qi").pack


class PostingLists:
    """Where the terms of a segment's documents stand, by field."""

    def __init__(self) -> None:
        self._fields: dict[str, defaultdict[str, array[int]]] = defaultdict(lambda: defaultdict(_places))

    def add(self, field: str, document: int, terms: Iterable[str]) -> None:
        """Add the terms of a document's field, in their order; documents come in ascending order."""
        lists = self._fields[field]
        for place, term in enumerate(terms, document << _POSITION_BITS):
            lists[term].append(place)

    def add_positions(self, field: str, term: str, document: int, positions: Iterable[int]) -> None:
        """Add a posting that was written before; a term's documents come in ascending order."""
        self._fields[field][term].extend([document << _POSITION_BITS | position for position in positions])

    def write(self, writer: Any, schema: Any, lengths: Mapping[str, bytes]) -> None:
        """Write all lists with Whoosh's writer of terms, and let go of them.

        Args:
            writer: a `W3FieldWriter`; what begins with an underscore is private to it, and the same in all of 2.7.
            schema: the fields by name.
            lengths: of each field, the lengths of all documents as Whoosh keeps them: rounded to a byte.
        """
        for field, lists in sorted((field, lists) for field, lists in self._fields.items() if lists):
            writer.start_field(field, schema[field])
            for term in sorted(lists):
                facts = _write_term(writer._postfile, lists.pop(term), lengths[field])  # noqa: SLF001
                writer._tindex.add(_number_of_field(writer._fieldid) + term.encode(), facts)  # noqa: SLF001
            writer.finish_field()


def _places() -> array[int]:
    return array("Q")


class _Block(NamedTuple):
    """Up to 128 documents that hold a term, and its positions in each."""

    documents: list[int]
    positions: list[list[int]]


def _blocks(places: Sequence[int]) -> Iterator[_Block]:
    block = _Block([], [])
    last = -1
    here: list[int] = []
    for place in places:
        document = place >> _POSITION_BITS
        if document != last:
            if len(block.documents) == _BLOCK:
                yield block
                block = _Block([], [])
            here = [place & _POSITION]
            block.documents.append(document)
            block.positions.append(here)
            last = document
        else:
            here.append(place & _POSITION)
    yield block


def _write_term(file: Any, places: Sequence[int], lengths: bytes) -> bytes:
    """Write a term's blocks, and return what Whoosh's table of terms says of it."""
    start = file.tell()
    file.write(WHOOSH3_HEADER_MAGIC)
    documents, shortest, longest, most = 0, 255, 0, 0
    blocks = _blocks(places)
    block: _Block | None = next(blocks)
    while block:
        following = next(blocks, None)
        counts = list(map(len, block.positions))
        block_lengths = [lengths[document] for document in block.documents]
        here = (max(counts), min(block_lengths), max(block_lengths))
        file.write(_packed(block, counts, here, is_last=following is None))
        documents += len(counts)
        most, shortest, longest = max(most, here[0]), min(shortest, here[1]), max(longest, here[2])
        block = following
    first, last = places[0] >> _POSITION_BITS, places[-1] >> _POSITION_BITS
    numbers = (0, float(len(places)), documents, shortest, longest, float(most), first, last)
    facts: bytes = W3TermInfo._struct.pack(*numbers)  # noqa: SLF001 -- as above
    return facts + _extent(start, file.tell() - start)


def _packed(block: _Block, counts: list[int], most_and_lengths: tuple[int, int, int], *, is_last: bool) -> bytes:
    """Return a block as it lies on disk; the last of a term has a negative length."""
    most, shortest, longest = most_and_lengths
    documents = block.documents
    info = dumps((len(documents), documents[-1], float(most), 0, shortest, longest), _INFO_PICKLE)
    weights: object = None if most == 1 else tuple(map(float, counts))
    if most > 1 and min(counts) == most:
        weights = float(most)
    values = tuple([_value(positions) for positions in block.positions])
    data = dumps((tuple(_steps(documents)), weights, values), _BLOCK_PICKLE)
    length = len(info) + len(data)
    return _block_length(-length if is_last else length) + info + data


def _value(positions: list[int]) -> bytes:
    """Return positions as `whoosh.formats.Positions` encodes them."""
    if len(positions) == 1:
        return _value_of_one(positions[0])
    return _count_bytes(len(positions)) + dumps(_steps(positions), 2)


@lru_cache(maxsize=4096)
def _value_of_one(position: int) -> bytes:
    return _count_bytes(1) + dumps([position], 2)


def _steps(numbers: list[int]) -> list[int]:
    return [numbers[0], *[b - a for a, b in pairwise(numbers)]]
