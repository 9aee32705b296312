"""Fusion: how well memories match by their words and by their meaning, as one score."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from operator import mul
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

VECTOR_WEIGHT = 0.3  # against 0.7 for words
# What is less like the query is not found by its meaning alone; seed 002's minimum vector similarity.
LEAST_SIMILARITY = 0.25


def unit(vector: Iterable[float]) -> array[float]:
    """Return a vector of length 1 that points the same way; zeros where it points nowhere, or is not finite."""
    found = array("f", vector)
    length = math.sqrt(sum(map(mul, found, found)))
    return array("f", (value / length if 0 < length < math.inf else 0.0 for value in found))


def similarity(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the cosine of two vectors of length 1, in [0,1]: what points away is as unlike as can be."""
    return min(1.0, max(0.0, float(sum(map(mul, left, right)))))


def fused(
    lexical: Mapping[int, float], similar: Mapping[int, float], *, vector_weight: float = VECTOR_WEIGHT
) -> dict[int, float]:
    """Return a score in [0,1] for whatever has one of the two.

    Args:
        lexical: scores of any scale, 0 or more; they count as shares of the best.
        similar: similarities in [0,1], which count as they are: the best may still be far off.
        vector_weight: what these weigh, in [0,1]; with 0 the lexical order stands.
    """
    top = max(lexical.values(), default=0.0) or 1.0
    rows = [*lexical, *(row for row in similar if row not in lexical)]
    words = 1 - vector_weight
    return {row: words * lexical.get(row, 0.0) / top + vector_weight * similar.get(row, 0.0) for row in rows}


class Dense(Mapping[int, float]):
    """A vector of an embedder: all of its numbers, by their place.

    Args:
        numbers: of a length that all vectors share.
    """

    __slots__ = ("_numbers",)

    def __init__(self, numbers: Sequence[float]) -> None:
        self._numbers = numbers

    def __getitem__(self, at: int) -> float:
        return self._numbers[at]

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._numbers)))

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, at: object) -> bool:
        return isinstance(at, int) and 0 <= at < len(self._numbers)
