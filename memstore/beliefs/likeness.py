"""How alike memories are: by the vectors of an embedder, if there is one, and by the subjects that they share.

Vectors are measured against what any two memories of the vault are: some models find any two texts similar, and others
hardly any; and in a vault about one subject, all are. So a cosine is counted in standard deviations above the mean of
random pairs, less what the two are like to many others anyway: a text that is like everything is like nothing
(docs/references.md, "cross-domain similarity local scaling"). The groups that grow here need no words in common.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from heapq import nlargest
from itertools import combinations
from operator import mul
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.beliefs.topics import overlap
from memstore.search.meaning import numpy_if_there

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from memstore.beliefs.clustering import Vector

    Refs = tuple[str, ...]

# All figures: docs/consolidation.md, "How good it is".
FEWEST, MOST = 3, 5  # memories in a group
# Mean likeness x square root of the number of memories: with vectors, and by what is shared alone.
LEAST_STRENGTH, LEAST_BY_WORDS = 5.0, 7.5
LEAST_OF_MEAN = 0.5  # of a member's likeness to the others in that of all
# On average, in a group: where texts are unlike, what is a little alike stands out, too.
LEAST_COSINE, LEAST_SHARED = 0.3, 0.55
OF_SHARED = 1.5  # of what two memories share, against one standard deviation of their cosine
NEIGHBOURS = 12  # of a memory, among which its group grows
_CANDIDATES = 60
# The nearest ones from here on, too far to be of one pattern, tell how like everything a memory is.
_LIKE_ANYWAY = 20
# Memories that are nearer in time tell of one occasion: a week apart, or a twentieth of the time from first to last.
_DAYS, _OF_ALL = 7, 20
# In short texts that share hardly anything, one word would stand out.
_LEAST_SPREAD = 0.2
_FEWEST_PAIRS = 100
_MOST_PAIRS = 4_000
_STEPS = 24
_DECIMALS = 6
_AT_ONCE = 512


class Likeness:
    """How alike the memories of one partition are.

    Args:
        days: the day on which each memory was made, counted from any fixed day, by ref; None if it is unknown.
        vectors: the vector of each memory, of length 1, by ref; none without an embedder.
        shared: how much pairs of them share, by both refs in either order; a pair that is not there shares nothing.
    """

    def __init__(
        self,
        days: Mapping[str, int | None],
        vectors: Mapping[str, Vector] = MappingProxyType({}),
        shared: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
    ) -> None:
        self._refs = [*days]
        self._place = {ref: at for at, ref in enumerate(self._refs)}
        self._days = [days[ref] for ref in self._refs]
        known = [day for day in self._days if day is not None]
        self._apart = min(_DAYS, (max(known, default=0) - min(known, default=0)) / _OF_ALL)
        self._rows = [array("d", vectors[ref].values()) for ref in self._refs] if vectors else []
        rows = (shared.get(ref, {}) for ref in self._refs)
        self._shared = [{self._place[other]: OF_SHARED * value for other, value in row.items()} for row in rows]
        self._cosines = self._of_any_two(self._cosine)
        self._like_anyway = [0.0] * len(self._refs)
        self._candidates = [*map(self._closest, range(len(self._refs)), self._products())]
        self._mean, spread = self._of_any_two(self._before_scaling)
        self._spread = max(spread, _LEAST_SPREAD)

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
        return sum(map(mul, self._rows[one], self._rows[other])) if self._rows else 0.0

    def _products(self) -> Iterator[Any]:
        """Yield for each memory its cosine with every memory; nothing for each without vectors."""
        if self._rows and (numpy := numpy_if_there()):
            matrix = numpy.array(self._rows)
            for at in range(0, len(matrix), _AT_ONCE):
                yield from matrix[at : at + _AT_ONCE] @ matrix.T
            return
        for row in self._rows:
            yield [sum(map(mul, row, other)) for other in self._rows]
        yield from ([] for _ in self._refs[len(self._rows) :])

    def _closest(self, own: int, products: Any) -> list[int]:
        """Return the memories that may be most like one of them, and keep how like everything it is."""
        mean, spread = self._cosines
        shared = self._shared[own]
        if not self._rows:
            return nlargest(_CANDIDATES, sorted(shared), key=shared.__getitem__)
        near = [(at, (value - mean) / spread) for at, value in _highest(products, _CANDIDATES + 1) if at != own]
        self._like_anyway[own] = sum(value for _, value in near[_LIKE_ANYWAY:]) / max(1, len(near[_LIKE_ANYWAY:]))
        values = {at: value + shared.get(at, 0.0) for at, value in near}
        values |= {at: (float(products[at]) - mean) / spread + value for at, value in shared.items()}
        return nlargest(_CANDIDATES, sorted(values), key=lambda at: round(values[at], _DECIMALS))

    def _before_scaling(self, one: int, other: int) -> float:
        """Return how alike two memories are: their cosine, less what they are like anyway, and what they share."""
        mean, spread = self._cosines
        anyway = (self._like_anyway[one] + self._like_anyway[other]) / 2
        return (self._cosine(one, other) - mean) / spread - anyway + self._shared[one].get(other, 0.0)

    def _alike(self, one: int, other: int) -> float:
        return (self._before_scaling(one, other) - self._mean) / self._spread

    @property
    def has_meaning(self) -> bool:
        """Whether vectors tell, too, and not only what is shared."""
        return bool(self._rows)

    @property
    def is_measured(self) -> bool:
        """Whether there are enough memories to tell what is usual."""
        return len(self._refs) * (_STEPS - 1) >= _FEWEST_PAIRS

    def between(self, one: str, other: str) -> float:
        """Return how alike two memories are, in standard deviations above the mean."""
        return self._alike(self._place[one], self._place[other])

    def shared(self, one: str, other: str) -> float:
        """Return how much two memories share."""
        return self._shared[self._place[one]].get(self._place[other], 0.0) / OF_SHARED

    def nearest(self, ref: str) -> list[tuple[float, str]]:
        """Return the memories that are most like one of them, with how alike they are, the most alike first."""
        first = self._place[ref]
        alike = ((round(self._alike(first, at), _DECIMALS), self._refs[at]) for at in self._candidates[first])
        return sorted(alike, key=lambda found: (-found[0], found[1]))

    def groups(self) -> list[Refs]:
        """Return groups of memories that are more alike than usual, the strongest first.

        Two of them have at most half of the smaller one's memories in common.
        """
        if not self.is_measured:
            return []
        least = LEAST_STRENGTH if self._rows else LEAST_BY_WORDS
        some = {group for at in range(len(self._refs)) if (group := self._grown(at)) and group.strength >= least}
        grown = [group for group in some if self._stands_out(group)]
        chosen: dict[int, list[_Group]] = defaultdict(list)
        found = []
        for one in sorted(grown, key=lambda one: (-one.strength, one.of)):
            if not any(overlap(one.of, other.of) for at in one.of for other in chosen[at]):
                found.append(tuple(self._refs[at] for at in one.of))
                for at in one.of:
                    chosen[at].append(one)
        return found

    def _stands_out(self, group: _Group) -> bool:
        pairs = [*combinations(group.of, 2)]
        shared = math.fsum(self._shared[one].get(other, 0.0) for one, other in pairs)
        cosines = math.fsum(self._cosine(one, other) for one, other in pairs)
        return cosines >= LEAST_COSINE * len(pairs) or shared >= LEAST_SHARED * OF_SHARED * len(pairs)

    def _grown(self, first: int) -> _Group | None:
        """Return the group that grows from a memory by the one that is most like all of its members; None if small.

        Members of one occasion are not both in it. Those that are less like the others leave it in the end.
        """
        near = self._near(first)
        links = {(one, other): self._alike(one, other) for one, other in combinations([first, *near], 2)}
        links |= {(other, one): value for (one, other), value in links.items()}

        def to_all(one: int) -> float:
            return round(math.fsum(links[one, other] for other in members if other != one), _DECIMALS)

        members = [first]
        while len(members) < MOST and (free := [at for at in near if self._are_apart(at, members)]):
            members.append(max(free, key=lambda at: (to_all(at), -at)))
        while len(members) >= FEWEST:
            sums = {one: to_all(one) for one in members}
            mean = math.fsum(sums.values()) / len(members)
            weakest = min(members, key=lambda at: (sums[at], at))
            if len(members) == FEWEST or sums[weakest] >= LEAST_OF_MEAN * mean:
                return _Group(
                    round(mean / (len(members) - 1) * math.sqrt(len(members)), _DECIMALS), tuple(sorted(members))
                )
            members.remove(weakest)
        return None

    def _near(self, first: int) -> list[int]:
        """Return the memories among which a group grows: those most like the first, more than any two usually are."""
        alike = {at: round(self._alike(first, at), _DECIMALS) for at in self._candidates[first]}
        some = sorted(at for at in alike if alike[at] > 0 and self._are_apart(at, [first]))
        return nlargest(NEIGHBOURS, some, key=alike.__getitem__)

    def _are_apart(self, one: int, others: Collection[int]) -> bool:
        """Whether a memory is none of some others, and tells of another occasion than each."""
        day, days = self._days[one], [self._days[other] for other in others]
        return one not in others and all(day is None or its is None or abs(day - its) >= self._apart for its in days)


class _Group(NamedTuple):
    strength: float
    of: tuple[int, ...]


def _highest(row: Any, count: int) -> list[tuple[int, float]]:
    """Return the places of the highest values of a row, and the values, the highest first."""
    if numpy := numpy_if_there():
        row = numpy.asarray(row)
        some = numpy.argpartition(-row, min(count, len(row)) - 1)[:count].tolist()
    else:
        some = range(len(row))
    return nlargest(count, ((at, float(row[at])) for at in sorted(some)), key=lambda found: found[1])
