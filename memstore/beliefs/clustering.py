"""Clustering of texts that say similar things, by average linkage over vectors of words or of an embedder.

The clusters depend only on the texts and their names, never on the order of the input.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from operator import mul
from typing import TYPE_CHECKING, Any, TypeVar

from memstore.search.meaning import Dense, numpy_if_there

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Vector = Mapping[Any, float]

TEXT_THRESHOLD = 0.20  # measured for stems without names; docs/consolidation.md, "Clusters"
EMBEDDING_THRESHOLD = 0.75  # seed 002, "Consolidation Pipeline Pattern"
# A matrix is rebuilt when a smaller fraction of its rows than this is still in use.
_WORTH_KEEPING = 0.5
# Sums of floats differ in the last digits with their order; smaller differences count as ties.
_DECIMALS = 10
_TIE = 10.0**-_DECIMALS
_Name = TypeVar("_Name", int, str)


class Weights:
    """The TF-IDF weights of terms among the given documents.

    A term that all documents have still has some weight; otherwise, a few very similar documents would not be similar.

    Args:
        documents: the terms of each document.

    Source: docs/references.md, "term weights"; ln((1 + N) / (1 + df)) + 1.
    """

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._frequencies = Counter(term for terms in documents for term in set(terms))
        self._size = len(documents)

    def vector(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the vector of these terms, with length 1; an empty one if there are no terms."""
        counts = sorted(Counter(terms).items())
        return unit({term: count * self._weight(term) for term, count in counts})

    def _weight(self, term: str) -> float:
        return math.log((1 + self._size) / (1 + self._frequencies[term])) + 1


def unit(vector: dict[str, float]) -> dict[str, float]:
    """Return the vector scaled to length 1; an empty one if its length is 0."""
    length = math.sqrt(math.fsum(value * value for value in vector.values()))
    return {key: value / length for key, value in vector.items()} if length else {}


def cosine(left: Vector, right: Vector) -> float:
    """Return the cosine similarity of two vectors, in [-1, 1]; 0 if one is empty."""
    dot = math.fsum(value * right[key] for key, value in left.items() if key in right)
    lengths = math.sqrt(_square(left) * _square(right))
    return dot / lengths if lengths else 0.0


def _square(vector: Vector) -> float:
    return math.fsum(value * value for value in vector.values())


def likeness(vectors: Sequence[Vector]) -> float:
    """Return the mean cosine of any two of these vectors of length 1 or 0, in [0, 1]; 0 of fewer than two."""
    count = len(vectors)
    pairs = _square(centre(vectors)) - math.fsum(map(_square, vectors))
    return max(0.0, min(1.0, pairs / (count * (count - 1)))) if count > 1 else 0.0


def centre(vectors: Iterable[Vector]) -> dict[Any, float]:
    """Return the sum of vectors, which points in their mean direction."""
    total: dict[Any, float] = defaultdict(float)
    for vector in vectors:
        for key, value in vector.items():
            total[key] += value
    return dict(total)


def average_link(vectors: Mapping[_Name, Vector], threshold: float) -> list[tuple[_Name, ...]]:
    """Return the clusters of two names or more whose vectors are similar on average; clusters and names are sorted.

    Two clusters are joined while the mean similarity between their members is at least `threshold`, the most similar
    pair first; among equals, the pair whose names come first.

    Args:
        vectors: a vector of length 1 for each name.
        threshold: in (0, 1].
    """
    names = sorted(vectors)
    found = _Clusters([vectors[name] for name in names]).joined(threshold)
    return sorted(tuple(names[i] for i in sorted(members)) for members in found if len(members) > 1)


class _Clusters:
    """The clusters during the computation; each is named by its first member.

    The nearest-neighbour chain finds the same tree as joining the best pair again and again. The mean similarity of all
    pairs between two clusters is the product of the clusters' mean vectors.

    Args:
        vectors: one for each member.
    """

    def __init__(self, vectors: Sequence[Vector]) -> None:
        self._sums = {i: vector for i, vector in enumerate(vectors) if vector}
        self._members = {i: [i] for i in self._sums}
        is_dense = any(isinstance(vector, Dense) for vector in self._sums.values())
        self._means: _Postings | _Rows = _Rows() if is_dense else _Postings()
        for i, vector in self._sums.items():
            self._means.put(i, vector)

    def joined(self, threshold: float) -> list[list[int]]:
        """Return the members of each final cluster; can be called only once."""
        done: list[list[int]] = []
        chain: list[int] = []
        while self._sums:
            if not chain:
                chain.append(next(iter(self._sums)))  # the first: a joined cluster keeps its first member's place
            last, before = chain[-1], chain[-2] if len(chain) > 1 else None
            other = self._nearest(last, before, threshold)
            if other is None:
                # Joining others can't raise their mean similarity above the best one now: this cluster is complete.
                done.append(self._leave(chain.pop()))
            elif other == before:
                del chain[-2:]
                self._join(*sorted((other, last)))
            else:
                chain.append(other)
        return done

    def _nearest(self, last: int, before: int | None, threshold: float) -> int | None:
        """Return the cluster most similar to the last; among equals the one before it in the chain, then the first."""
        near = self._means.near(last, threshold - _TIE)
        ranks = {other: (round(alike, _DECIMALS), other == before, -other) for other, alike in near if other != last}
        return max(ranks, key=ranks.__getitem__, default=None)

    def _join(self, first: int, second: int) -> None:
        members = self._members[first] + self._members[second]
        total = centre((self._sums[first], self._sums[second]))
        self._leave(second)
        self._sums[first], self._members[first] = total, members
        self._means.put(first, {key: value / len(members) for key, value in total.items()})

    def _leave(self, cluster: int) -> list[int]:
        self._means.drop(cluster)
        del self._sums[cluster]
        return self._members.pop(cluster)


class _Postings:
    """Sparse vectors, with an index of the vectors that have each key."""

    def __init__(self) -> None:
        self._vectors: dict[int, Vector] = {}
        self._postings: dict[object, dict[int, float]] = defaultdict(dict)

    def put(self, name: int, vector: Vector) -> None:
        """Add a vector, or replace an earlier one that had no other keys."""
        self._vectors[name] = vector
        for key, value in vector.items():
            self._postings[key][name] = value

    def drop(self, name: int) -> None:
        """Let a vector go."""
        for key in self._vectors.pop(name):
            del self._postings[key][name]

    def near(self, name: int, least: float) -> Iterator[tuple[int, float]]:
        """Yield what has at least that product with a vector, itself included."""
        products: dict[int, float] = defaultdict(float)
        for key, value in self._vectors[name].items():
            for other, its in self._postings[key].items():
                products[other] += value * its
        return ((other, product) for other, product in products.items() if product >= least)


class _Rows:
    """Dense vectors, all compared with one another; with numpy if it is installed."""

    def __init__(self) -> None:
        self._rows: dict[int, array[float]] = {}
        self._matrix: Any = None
        self._names: list[int] = []

    def put(self, name: int, vector: Vector) -> None:
        """Add a vector, or replace an earlier one."""
        self._rows[name] = array("d", vector.values())
        if self._matrix is not None:
            self._matrix[self._names.index(name)] = self._rows[name]

    def drop(self, name: int) -> None:
        """Let a vector go."""
        del self._rows[name]
        if self._matrix is not None:
            self._matrix[self._names.index(name)] = 0.0
            if len(self._rows) < len(self._names) * _WORTH_KEEPING:
                self._matrix = None

    def near(self, name: int, least: float) -> Iterator[tuple[int, float]]:
        """Yield what has at least that product with a vector, itself included."""
        row = self._rows[name]
        if numpy := numpy_if_there():
            if self._matrix is None:
                self._names = [*self._rows]
                self._matrix = numpy.array([*self._rows.values()])
            products = self._matrix @ numpy.array(row)
            found = numpy.flatnonzero(products >= least)
            return ((self._names[at], float(products[at])) for at in found if self._names[at] in self._rows)
        every = ((other, sum(map(mul, row, its))) for other, its in self._rows.items())
        return ((other, product) for other, product in every if product >= least)
