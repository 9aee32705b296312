"""Clustering: which texts say alike things, by average link over TF-IDF vectors, in pure Python.

The clusters depend on the texts and their names alone, never on the order in which they come.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Vector = Mapping[str, float]

TEXT_THRESHOLD = 0.20  # measured for stems without names; docs/consolidation.md, "Clusters"
EMBEDDING_THRESHOLD = 0.75  # seed 002, "Consolidation Pipeline Pattern"
# An embedder's vectors have no zeros to skip: time grows with the square, 10 s for so many of 384 numbers.
MOST_EMBEDDED = 500
# Sums of floats differ in the last digits with their order; what differs by less is a tie.
_DECIMALS = 10
_TIE = 10.0**-_DECIMALS


class Weights:
    """How much each term tells of a document among the given ones: TF-IDF.

    A term that all have still weighs something, so that a few documents that are all alike are found alike.

    Args:
        documents: the terms of each.

    Source: docs/references.md, "term weights"; ln((1 + N) / (1 + df)) + 1.
    """

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._frequencies = Counter(term for terms in documents for term in set(terms))
        self._size = len(documents)

    def vector(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the vector of these terms, of length 1; an empty one where there are none."""
        counts = sorted(Counter(terms).items())
        return _unit({term: count * self._weight(term) for term, count in counts})

    def _weight(self, term: str) -> float:
        return math.log((1 + self._size) / (1 + self._frequencies[term])) + 1


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(math.fsum(value * value for value in vector.values()))
    return {key: value / length for key, value in vector.items()} if length else {}


def cosine(left: Vector, right: Vector) -> float:
    """Return how alike two vectors are, in [-1, 1]; 0 where one is empty."""
    dot = math.fsum(value * right[key] for key, value in left.items() if key in right)
    lengths = math.sqrt(_square(left) * _square(right))
    return dot / lengths if lengths else 0.0


def _square(vector: Vector) -> float:
    return math.fsum(value * value for value in vector.values())


def centre(vectors: Iterable[Vector]) -> dict[str, float]:
    """Return the sum of vectors, which points where they point on the whole."""
    total: dict[str, float] = defaultdict(float)
    for vector in vectors:
        for key, value in vector.items():
            total[key] += value
    return dict(total)


def average_link(vectors: Mapping[str, Vector], threshold: float) -> list[tuple[str, ...]]:
    """Return the clusters in which names are alike on average, each sorted, the list sorted; none of one alone.

    Two clusters join while the mean similarity between their members is at least `threshold`, the most alike first,
    of equals those whose names come first.

    Args:
        vectors: a vector of length 1 for each name.
        threshold: in (0, 1].
    """
    clusters = _Clusters([vectors[name] for name in sorted(vectors)])
    names = sorted(vectors)
    found = clusters.joined(threshold)
    return sorted(tuple(names[i] for i in sorted(members)) for members in found if len(members) > 1)


class _Clusters:
    """Clusters on the way; each is called by its first member.

    The nearest-neighbour chain finds the same tree as joining the best pair again and again. The mean of all pairs of
    two clusters is the product of their sums by their sizes, and an inverted index gives that for all others at once.

    Args:
        vectors: one for each member.
    """

    def __init__(self, vectors: Sequence[Vector]) -> None:
        self._sums = {i: dict(vector) for i, vector in enumerate(vectors) if vector}
        self._members = {i: [i] for i in self._sums}
        self._postings: dict[str, dict[int, float]] = defaultdict(dict)
        for i, vector in self._sums.items():
            for key, value in vector.items():
                self._postings[key][i] = value

    def joined(self, threshold: float) -> list[list[int]]:
        """Return the members of each cluster in the end; one use."""
        done: list[list[int]] = []
        chain: list[int] = []
        while self._sums:
            if not chain:
                chain.append(next(iter(self._sums)))  # the first: a joined cluster keeps its first member's place
            last, before = chain[-1], chain[-2] if len(chain) > 1 else None
            other = self._nearest(last, before, threshold)
            if other is None:
                # Whatever else joins, the mean to it can't get higher than the best: this cluster is complete.
                done.append(self._leave(chain.pop()))
            elif other == before:
                del chain[-2:]
                self._join(*sorted((other, last)))
            else:
                chain.append(other)
        return done

    def _nearest(self, last: int, before: int | None, threshold: float) -> int | None:
        """Return the cluster that is most like the last, of equals the one before it, then the first."""
        products: dict[int, float] = defaultdict(float)
        for key, value in self._sums[last].items():
            for other, its in self._postings[key].items():
                products[other] += value * its
        products.pop(last, None)
        size = len(self._members[last])
        best, highest = None, (threshold, False, -math.inf)
        for other, product in products.items():
            alike = product / (size * len(self._members[other]))
            if alike >= highest[0] - _TIE:
                rank = (round(alike, _DECIMALS), other == before, -other)
                if rank >= highest:
                    best, highest = other, rank
        return best

    def _join(self, first: int, second: int) -> None:
        members = self._members[first] + self._members[second]
        total = centre((self._sums[first], self._sums[second]))
        self._leave(second)
        self._sums[first], self._members[first] = total, members
        for key, value in total.items():
            self._postings[key][first] = value

    def _leave(self, cluster: int) -> list[int]:
        for key in self._sums.pop(cluster):
            del self._postings[key][cluster]
        return self._members.pop(cluster)
