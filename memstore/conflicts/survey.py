"""All open conflicts of a vault: statements are compared only with those on the same topic, a bounded number of each.

The time grows with the number of statements. Two are on one topic if they share a rare word, or two frequent ones; or
if one is evidence against a state that the other tells of, and they share any word. What was compared is remembered.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts.gists import (
    compared_before,
    is_worth_comparing,
    keep_compared,
    keep_gists,
    kept_gists,
    pair_of,
)
from memstore.conflicts.sides import side_of
from memstore.core.terms import fold
from memstore.search.aliases import aliases_of
from memstore.search.index import claim_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from memstore.conflicts.gists import Gist
    from memstore.conflicts.sides import Side
    from memstore.core.conflict import Conflict
    from memstore.core.memory import Claim
    from memstore.core.view import View
    from memstore.search.aliases import Aliases

# A word of more statements than this is frequent. With so many others on a topic a statement is looked at, the nearest
# in the order of paths, of those with so many that share most words, and with so many of these it is compared.
MOST_ON_A_TOPIC, MOST_NEAR, MOST_COMPARED = 24, 30, 8
# So many statements with words that a state excludes are looked at, for each statement of a state.
_MOST_EVIDENCE = 200


class Said(NamedTuple):
    """What one memory says: its path, the gists of its statements, and its claims (`_claim`)."""

    path: str
    gists: Sequence[Gist]
    claims: Sequence[str]


class Topics:
    """Statements by what they are about, each given by its number; `left_out` counts those that were not looked at.

    Args:
        gists: the statements, in order.
    """

    def __init__(self, gists: Sequence[Gist]) -> None:
        self._gists = gists
        self._frequency = Counter(word for gist in gists for word in gist.topic)
        self._on: defaultdict[str, list[int]] = defaultdict(list)
        self._telling: defaultdict[str, list[int]] = defaultdict(list)
        excluded = frozenset(chain.from_iterable(gist.against for gist in gists))
        for at, gist in enumerate(gists):
            for word in excluded.intersection(chain(gist.topic, gist.roots)) if excluded else ():
                self._telling[word].append(at)
        self.left_out = 0

    def pairs(self, places: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yield the pairs of statements that are worth comparing, the earlier one first; `places` are all, in order."""
        for at in places:
            gist = self._gists[at]
            near: Counter[int] = Counter()
            for key in self._keys(gist):
                before = self._on[key]
                near.update(before[-MOST_ON_A_TOPIC:])
                self.left_out += max(0, len(before) - MOST_ON_A_TOPIC)
                before.append(at)
            near.update(self._evidence(gist))
            close = (other for other, _ in near.most_common(MOST_NEAR) if is_worth_comparing(self._gists[other], gist))
            found = [*islice(close, MOST_COMPARED + 1)]
            self.left_out += len(found) > MOST_COMPARED
            yield from ((min(at, other), max(at, other)) for other in found[:MOST_COMPARED])

    def _keys(self, gist: Gist) -> Iterator[str]:
        """Yield the rare words of a statement, and its pairs of frequent ones."""
        rare = [word for word in sorted(gist.topic) if self._frequency[word] <= MOST_ON_A_TOPIC]
        yield from (word for word in rare if self._frequency[word] > 1)
        frequent = sorted(gist.topic.difference(rare), key=lambda word: (self._frequency[word], word))
        yield from map(" ".join, combinations(sorted(frequent[:_MOST_FREQUENT]), 2))

    def _evidence(self, gist: Gist) -> Iterable[int]:
        if not gist.against:
            return ()
        words = sorted(gist.against & self._telling.keys(), key=lambda word: (len(self._telling[word]), word))
        told = islice(chain.from_iterable(self._telling[word] for word in words), _MOST_EVIDENCE)
        return [at for at in told if self._gists[at] is not gist and gist.topic & self._gists[at].topic]


# So many of its frequent words, the rarest ones, tell what a statement is about.
_MOST_FREQUENT = 4


def said_by_all(view: View, rows: Iterable[tuple[str, str]]) -> list[Said]:
    """Return what memories say, given by their paths and blobs; it is worked out once for each blob."""
    aliases = aliases_of(view)
    return [one for path, blob in rows if (one := _said(view, path, blob, aliases))]


def _said(view: View, path: str, blob: str, aliases: Aliases) -> Said | None:
    kept = kept_gists(view, blob, aliases)
    if kept is None:
        file = view.read(path)
        if file is None:
            return None
        from memstore.conflicts.gisting import gists_of

        kept = gists_of(file, aliases), [*map(_claim, file.memory.claims)]
        if not view.is_past:
            keep_gists(view, blob, *kept, aliases)
    return Said(path, *kept) if any(kept) else None


def _claim(claim: Claim) -> str:
    """Return the normalized subject, attribute and value of a claim, in one text."""
    return _PART.join((*claim_key(claim), " ".join(fold(claim.value).split())))


_PART = "\x1f"


def conflicts_among(view: View, said: Sequence[Said], wanted: AbstractSet[str]) -> tuple[list[Conflict], int]:
    """Return the open conflicts of memories with each other, and how many pairs on one topic were left out.

    Args:
        view: the vault, which remembers what was compared.
        said: what they say, in the order of their paths.
        wanted: the paths of those whose conflicts are wanted; such a one comes first in each.
    """
    owners = [at for at, one in enumerate(said) for _ in one.gists]
    gists = [gist for one in said for gist in one.gists]
    topics = Topics(gists)
    apart, compared = compared_before(view), set[str]()
    found: defaultdict[tuple[int, int], list[tuple[Gist, Gist]]] = defaultdict(list)
    try:
        for at, other in topics.pairs(view.with_progress("comparing statements", range(len(gists)))):
            this, that = gists[at], gists[other]
            paths = said[owners[at]].path, said[owners[other]].path
            if paths[0] == paths[1] or this.text == that.text or wanted.isdisjoint(paths):
                continue
            pair = pair_of(this, that)
            if pair not in apart and are_in_conflict(this, that):
                found[owners[at], owners[other]].append((this, that))
            else:
                compared.add(pair)
    except BaseException:
        keep_compared(view, compared | apart)  # the next run goes on from here
        raise
    keep_compared(view, compared)
    claiming, not_paired = _claiming(said)
    for both in claiming:
        found.setdefault(both, [])
    conflicts = []
    for (one, other), pairs in view.with_progress("comparing memories", [*found.items()]):
        paths = said[one].path, said[other].path
        if paths[0] in wanted:
            conflicts.append(_conflict(view, *paths, pairs))
        elif paths[1] in wanted:
            conflicts.append(_conflict(view, paths[1], paths[0], [(that, this) for this, that in pairs]))
    return [one for one in conflicts if one], topics.left_out + not_paired


def _claiming(said: Sequence[Said]) -> tuple[list[tuple[int, int]], int]:
    """Return pairs of memories that claim different values of one attribute of one subject, and how many are left out.

    Each is paired with the nearest before it in the order of paths, at most `MOST_ON_A_TOPIC` of them.
    """
    by_key: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)
    pairs, left_out = dict[tuple[int, int], None](), 0
    for at, one in enumerate(said):
        for claim in dict.fromkeys(one.claims):
            key, _, value = claim.rpartition(_PART)
            before = by_key[key]
            others = chain.from_iterable(reversed(before[one]) for one in reversed(before) if one != value)
            found = [*islice(others, MOST_ON_A_TOPIC + 1)]
            left_out += len(found) > MOST_ON_A_TOPIC
            pairs.update(dict.fromkeys((other, at) for other in found[:MOST_ON_A_TOPIC] if other != at))
            before.setdefault(value, []).append(at)
    return [*pairs], left_out


def are_in_conflict(one: Gist, other: Gist) -> bool:
    """Whether two statements are in conflict if one person wrote both on one day; if not, they never are."""
    from memstore.conflicts.contradiction import CONFLICTS, compare_pair
    from memstore.conflicts.statements import statement_of

    found = compare_pair(statement_of(one.text, one.about), statement_of(other.text, other.about))
    return found.verdict in CONFLICTS


def _conflict(view: View, one: str, other: str, pairs: Sequence[tuple[Gist, Gist]]) -> Conflict | None:
    """Return the conflict of two memories, of which only these statements are compared."""
    from memstore.conflicts.conflict import conflict

    sides = [_side(view, path, [pair[at] for pair in pairs]) for at, path in enumerate((one, other))]
    if not (sides[0] and sides[1]):
        return None
    return conflict(sides[0], sides[1], pairs=[(at, at) for at in range(len(pairs))])


def _side(view: View, path: str, gists: Sequence[Gist]) -> Side | None:
    from memstore.conflicts.statements import statement_of

    file = view.read(path)
    said = [(statement_of(gist.text, gist.about, gist.written), gist.line_start, gist.line_end) for gist in gists]
    return side_of(file, said) if file else None
