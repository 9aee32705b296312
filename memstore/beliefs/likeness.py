"""How alike memories are: by the vectors of an embedder, and by the subjects that they share.

It is measured against what any two memories of the vault are. Some models find any two texts similar, and others
hardly any; and in a vault about one subject, all are. So likeness is counted in standard deviations above the mean of
random pairs. The groups that grow here need no words in common.
"""

from __future__ import annotations

import math
from array import array
from operator import mul
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.beliefs.clustering import cosine
from memstore.search.meaning import numpy_if_there

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from memstore.beliefs.clustering import Vector

    Refs = tuple[str, ...]

# All figures: docs/consolidation.md, "By meaning".
FEWEST, MOST = 3, 5  # memories in a group
LEAST_STRENGTH = 4.9  # mean likeness x square root of the number of memories
LEAST_COSINE = 0.3  # on average: in a vault of unlike texts, what is a little alike stands out, too
NEIGHBOURS = 20
_FEWEST_PAIRS = 100
_MOST_PAIRS = 4_000
_STEPS = 24
_DECIMALS = 6
_AT_ONCE = 512


class Likeness:
    """How alike the memories of one partition are.

    Args:
        vectors: the vector of each memory, of length 1, by ref.
        shared: how much pairs of them share, by both refs in either order; a pair that is not there shares nothing.
    """

    def __init__(
        self, vectors: Mapping[str, Vector], shared: Mapping[str, Mapping[str, float]] = MappingProxyType({})
    ) -> None:
        self._refs = sorted(vectors)
        self._place = {ref: at for at, ref in enumerate(self._refs)}
        self._vectors = [vectors[ref] for ref in self._refs]
        rows = (shared.get(ref, {}) for ref in self._refs)
        self._shared = [{self._place[other]: value for other, value in row.items()} for row in rows]
        self._cosines = self._of_any_two(self._cosine)
        self._mean, self._spread = self._of_any_two(self._before_scaling)

    def _of_any_two(self, alike: Callable[[int, int], float]) -> tuple[float, float]:
        """Return the mean of pairs, and their standard deviation, in which all memories occur equally often."""
        count = len(self._refs)
        pairs = [(at, (at * step + step) % count) for step in range(1, _STEPS) for at in range(count)]
        found = [alike(one, other) for one, other in pairs[:_MOST_PAIRS] if one != other]
        if len(found) < _FEWEST_PAIRS:
            return 0.0, 1.0
        mean = math.fsum(found) / len(found)
        return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in found) / len(found)) or 1.0

    def _cosine(self, one: int, other: int) -> float:
        return cosine(self._vectors[one], self._vectors[other])

    def _before_scaling(self, one: int, other: int) -> float:
        """Return how alike two memories are: their cosine, in standard deviations, and what they share."""
        mean, spread = self._cosines
        return (self._cosine(one, other) - mean) / spread + self._shared[one].get(other, 0.0)

    @property
    def is_measured(self) -> bool:
        """Whether there are enough memories to tell what is usual."""
        return len(self._refs) * (_STEPS - 1) >= _FEWEST_PAIRS

    def between(self, one: str, other: str) -> float:
        """Return how alike two memories are, in standard deviations above the mean."""
        return self._alike(self._place[one], self._place[other])

    def within(self, refs: Collection[str]) -> float:
        """Return the mean likeness of all pairs of some memories, of which there must be two."""
        chosen = sorted(refs)
        found = [self.between(one, other) for at, one in enumerate(chosen) for other in chosen[:at]]
        return math.fsum(found) / len(found)

    def strength(self, refs: Collection[str]) -> float:
        """Return how much some memories, of which there must be two, stand out from the others."""
        return round(self.within(refs) * math.sqrt(len(refs)), _DECIMALS)

    def groups(self) -> list[Refs]:
        """Return groups of memories that are more alike than usual, the strongest first.

        A group grows from each memory, by the one that is most like all of its members. Two of the groups that are
        returned have at most half of the smaller one's memories in common.
        """
        if not self.is_measured or len(self._refs) < FEWEST:
            return []
        near = self._near()
        grown = {group for at in range(len(self._refs)) for group in self._grown(at, near)}
        strong = sorted((one for one in grown if self._is_strong(one)), key=lambda one: (-one.strength, one.of))
        chosen: list[frozenset[int]] = []
        for one in strong:
            if not any(2 * len(one.members & other) > min(len(one.of), len(other)) for other in chosen):
                chosen.append(one.members)
        return [tuple(self._refs[at] for at in sorted(group)) for group in chosen]

    def _is_strong(self, group: _Group) -> bool:
        found = [self._cosine(one, other) for at, one in enumerate(group.of) for other in group.of[:at]]
        return group.strength >= LEAST_STRENGTH and math.fsum(found) >= LEAST_COSINE * len(found)

    def _grown(self, first: int, near: Sequence[Mapping[int, float]]) -> Iterator[_Group]:
        """Yield the groups that grow from a memory, of each size."""
        members = [first]
        sums = dict(near[first])  # how alike a memory is to all members together
        total = 0.0
        while len(members) < MOST and sums:
            best = max(sums, key=lambda at: (round(sums[at], _DECIMALS), -at))
            total += sums.pop(best)
            members.append(best)
            for at in {*sums, *near[best]}.difference(members):
                if at not in sums:
                    sums[at] = math.fsum(self._alike(at, one) for one in members)
                else:
                    sums[at] += near[best][at] if at in near[best] else self._alike(at, best)
            if len(members) >= FEWEST:
                pairs = len(members) * (len(members) - 1) / 2
                strength = round(total / pairs * math.sqrt(len(members)), _DECIMALS)
                yield _Group(strength, tuple(sorted(members)))

    def _alike(self, one: int, other: int) -> float:
        return (self._before_scaling(one, other) - self._mean) / self._spread

    def _near(self) -> list[dict[int, float]]:
        """Return for each memory those that are most like it, with how alike they are."""
        mean, spread = self._cosines
        found = []
        for at, cosines in enumerate(self._rows()):
            row = [(value - mean) / spread for value in cosines]
            for other, value in self._shared[at].items():
                row[other] += value
            found.append({other: (value - self._mean) / self._spread for other, value in _highest(row, at)})
        return found

    def _rows(self) -> Iterator[Any]:
        """Yield for each memory its cosine with every memory."""
        if numpy := numpy_if_there():
            matrix = numpy.array([array("d", vector.values()) for vector in self._vectors])
            for at in range(0, len(matrix), _AT_ONCE):
                yield from matrix[at : at + _AT_ONCE] @ matrix.T
            return
        plain = [array("d", vector.values()) for vector in self._vectors]
        for row in plain:
            yield [sum(map(mul, row, other)) for other in plain]


class _Group(NamedTuple):
    strength: float
    of: tuple[int, ...]

    @property
    def members(self) -> frozenset[int]:
        return frozenset(self.of)


def _highest(row: Any, own: int) -> list[tuple[int, float]]:
    """Return the places of the highest values of a row, without its own, and the values."""
    if numpy := numpy_if_there():
        row = numpy.asarray(row)
        some = numpy.argpartition(-row, min(NEIGHBOURS, len(row) - 1))[: NEIGHBOURS + 1].tolist()
    else:
        some = sorted(range(len(row)), key=lambda at: -row[at])[: NEIGHBOURS + 1]
    return [(at, float(row[at])) for at in sorted(some) if at != own]
