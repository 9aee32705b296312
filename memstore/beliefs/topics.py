"""Topics that memories may share although their words differ: families of words, names, rare words.

A sign is a term, or a family (`@coffee`: espresso, mocha). Two signs that come together more often than by chance make
a topic. Or one sign brings memories together, and what else they share decides whether they belong together. The same
memories give the same topics, whatever their order.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations, permutations
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs.clustering import average_link, unit
from memstore.beliefs.wording import told_words
from memstore.core.terms import term_of, words
from memstore.core.word_lists import word_lists

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memstore.beliefs.consolidation import Pooled

    Refs = tuple[str, ...]

FAMILY = "@"
FEWEST = 3
# A sign in more memories than this is a subject of the whole vault, and does not bring memories together.
MOST = 40
# Up to this many memories with one sign form one topic; of more, only those that share something else too.
MOST_TOGETHER = 6
FEWEST_LINKED = 2
# All figures: docs/consolidation.md, "How good it is".
THRESHOLD = 0.10
LEAST_SHARED = 0.5
LEAST_LINKED = 0.40
NEARLY_ALL = 0.75
LEAST_OF_ONE_WORD = 1.2
_OF_A_NAME, _OF_THE_WORD = 1.5, 0.7
# Two signs come together so often by a chance of less than one in a hundred.
LEAST_SURPRISE = 2.0
_OF_A_WORD = 0.4  # of the weight of a family or a name
_MOST_OF_ALL = 50
_NAME = re.compile(r"(?<![.!?\"“:…(] )(?<!^)(?<!\n)\b[^\W\d_a-z]\w+")
_PLAIN = re.compile(r"\b[a-zà-öø-ÿ]\w*")


@cache
def _families() -> Mapping[str, Sequence[str]]:
    """Return the family of each term."""
    lists = word_lists("beliefs")
    return {term: of[:1] for term, of in _by_term(f"{lists['families']}{lists['circumstances']}").items()}


@cache
def _wider_families() -> Mapping[str, Sequence[str]]:
    """Return all families of each term, those of the wider lists, too."""
    wider, narrow = _by_term(word_lists("beliefs")["wider"]), _families()
    return {term: tuple(dict.fromkeys((*narrow.get(term, ()), *wider.get(term, ())))) for term in (*narrow, *wider)}


def _by_term(text: str) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in (line.split() for line in text.splitlines() if line.strip()):
        for term in dict.fromkeys(map(term_of, line)):
            found[term] = (*found.get(term, ()), FAMILY + line[0])
    return found


@cache
def circumstances() -> frozenset[str]:
    """Return the families of words about time and means."""
    return frozenset(FAMILY + line.split()[0] for line in word_lists("beliefs")["circumstances"].splitlines() if line)


@cache
def _measures() -> frozenset[str]:
    return frozenset(map(term_of, word_lists("beliefs")["measures"].split()))


def signs_of(text: str, terms: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the signs of a text, each with the terms that carry it.

    Args:
        text: any text.
        terms: its terms, as returned by `content_terms`.
    """
    return _signs(text, terms, _families())


def _signs(text: str, terms: Iterable[str], families: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for word in told_words(text):
        for family in families.get(term := term_of(word), ()):
            found[family].add(term)
    for term in terms:
        found[term].add(term)
    return {sign: frozenset(of) for sign, of in found.items()}


def shared_signs(ones: Mapping[str, frozenset[str]], others: Mapping[str, frozenset[str]]) -> int:
    """Return how many signs two texts share; a family and a word of it count as one."""
    common = [sign for sign in ones if sign in others and sign not in _measures()]
    families = [sign for sign in common if sign.startswith(FAMILY)]
    told = {term for sign in families for term in ones[sign]}
    return len(families) + sum(sign not in told for sign in common if not sign.startswith(FAMILY))


class Topic(NamedTuple):
    """Memories, by ref, brought together by one sign, or by two that all of them have.

    `strength` is how much they share, in rare words per memory, or how unlikely it is that chance brings the two signs
    together so often. `is_dense` if nearly all share more than one sign.
    """

    of: tuple[str, ...]
    refs: Refs
    strength: float
    is_dense: bool = False


class Signs:
    """The signs of memories of one partition.

    Args:
        part: the memories.
    """

    def __init__(self, part: Sequence[Pooled]) -> None:
        self.of = {one.ref: signs_of(one.text, one.terms) for one in part}
        self.names = _names(one.text for one in part)
        self.having = _having(self.of)
        self._wider = {one.ref: _signs(one.text, one.terms, _wider_families()) for one in part}
        self._sharing = _having(self._wider)
        self._alone = math.log(1 + len(part))

    def weight(self, sign: str) -> float:
        """Return the weight of a sign, in [0, 1): the rarer, the higher."""
        return self.weight_of(len(self.having[sign]))

    def weight_of(self, count: int) -> float:
        """Return the weight of a sign that so many memories have."""
        return 1 - math.log(1 + count) / self._alone

    def is_telling(self, sign: str) -> bool:
        """Whether a sign says what a memory is about: it is not a time, a number, or too common."""
        return sign not in circumstances() and sign not in _measures() and len(self.having[sign]) <= MOST

    def topics(self) -> list[Topic]:
        """Return the topics, those of two signs first, then the strongest.

        Two of them share at most half of the smaller one's memories.
        """
        of_one = (topic for sign in sorted(self.having) for topic in self._topics_of(sign))
        chosen: list[Topic] = []
        for topic in (*_strongest(self._topics_of_two()), *_strongest(of_one)):
            if not any(overlap(topic.refs, one.refs) for one in chosen):
                chosen.append(topic)
        return chosen

    def _topics_of_two(self) -> Iterator[Topic]:
        """Yield the topics of two signs that occur together more often than chance would have it: dogs and hats."""
        together: dict[tuple[str, str], list[str]] = defaultdict(list)
        for ref, own in sorted(self._wider.items()):
            some = [sign for sign in sorted(own) if FEWEST <= len(self._sharing[sign]) <= MOST]
            for one, other in combinations(some, 2):
                if self._may_join(one, other) and own[one].isdisjoint(own[other]):
                    together[one, other].append(ref)
        for signs, refs in together.items():
            if len(refs) >= FEWEST:
                ones, others = (len(self._sharing[sign]) for sign in signs)
                surprise = self._surprise(ones, others, len(refs))
                if surprise >= LEAST_SURPRISE:
                    yield Topic(signs, tuple(refs), surprise, is_dense=True)

    def shared(self) -> Mapping[str, Mapping[str, float]]:
        """Return how much pairs of memories share, by both refs: the weights of their families, names and words.

        A word of a family counts as that family, and less the more families it is in. Signs of very many memories
        connect nothing.
        """
        found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for sign, refs in self._sharing.items():
            if not 1 < len(refs) <= max(MOST, len(self.of) // _MOST_OF_ALL) or not (worth := self._worth(sign)):
                continue
            parts = {ref: self._part(sign, ref) for ref in refs}
            for one, other in permutations(refs, 2):
                found[one][other] += worth * self.weight_of(len(refs)) * min(parts[one], parts[other])
        return found

    def _worth(self, sign: str) -> float:
        if sign.startswith(FAMILY) or sign in self.names:
            return 1.0
        return 0.0 if sign in _wider_families() else _OF_A_WORD

    def _part(self, sign: str, ref: str) -> float:
        """Return the part of a family that a memory's words for it belong to it, in (0, 1]."""
        if not sign.startswith(FAMILY):
            return 1.0
        return 1 / math.sqrt(min(len(_wider_families()[term]) for term in self._wider[ref][sign]))

    def _may_join(self, one: str, other: str) -> bool:
        """Whether two signs may make a topic: one of them says what it is about, and isn't a word of any sense."""
        both = {one, other}
        tells = any(sign.startswith(FAMILY) or sign in self.names for sign in both)
        return tells and both.isdisjoint(_measures()) and not both <= circumstances()

    def _surprise(self, ones: int, others: int, both: int) -> float:
        """Return how unlikely it is that so many memories have both of two signs by chance, as -log10 of its chance.

        Source: docs/references.md, "hypergeometric distribution".
        """
        size = len(self.of)
        ways = sum(comb(ones, k) * comb(size - ones, others - k) for k in range(both, min(ones, others) + 1))
        return math.log10(comb(size, others)) - math.log10(ways)

    def _topics_of(self, sign: str) -> Iterator[Topic]:
        """Yield the topics of a family or a name: all its memories if they are few, and those that share more.

        Any other word may have several senses, so it doesn't bring memories together.
        """
        refs = tuple(sorted(self.having[sign]))
        if not FEWEST <= len(refs) <= MOST or not (sign.startswith(FAMILY) or sign in self.names):
            return
        if sign in circumstances():
            return
        groups = {refs} if len(refs) <= MOST_TOGETHER else set()
        groups |= {group for group in self._groups(sign, refs) if len(group) >= FEWEST}
        for group in groups:
            shared = Counter(other for ref in group for other in self.of[ref])
            strength = math.fsum((count - 1) * self.weight(other) for other, count in shared.items()) / len(group)
            linked = self._linked(sign, group, shared)
            if strength >= LEAST_SHARED and self._belongs(sign, group, linked, strength):
                yield Topic((sign,), group, strength, is_dense=linked >= NEARLY_ALL * len(group))

    def _belongs(self, sign: str, group: Refs, linked: int, strength: float) -> bool:
        """Whether a group is about one topic.

        Several of its members share more than the sign: in a small group all of them, or two that also share a name. So
        must all that have the same word for it, as they have if it is a name, because naming somebody often is no
        pattern. If nearly each has a word of its own for it, less is enough.
        """
        told = {term for ref in group for term in self.of[ref][sign]}
        if len(told) == 1:
            return linked == len(group) and (sign in self.names or strength >= LEAST_OF_ONE_WORD)
        if len(group) == FEWEST and linked < FEWEST:
            return self._share_name(sign, group)
        in_other_words = linked >= FEWEST_LINKED and len(told) >= max(FEWEST, len(group) - 1)
        return in_other_words or linked >= LEAST_LINKED * len(group)

    def _share_name(self, sign: str, group: Refs) -> bool:
        """Whether two members of a group also share a name."""
        named = Counter(other for ref in group for other, of in self._others(ref, sign) if of and other in self.names)
        return any(count >= FEWEST_LINKED for count in named.values())

    def _linked(self, sign: str, group: Refs, shared: Mapping[str, int]) -> int:
        """Return how many members of a group share more than the sign with another member."""
        return sum(any(shared[other] > 1 for other, of in self._others(ref, sign) if of) for ref in group)

    def _others(self, ref: str, sign: str) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield the other signs of a memory, with the terms that don't also belong to the given sign."""
        own = self.of[ref]
        return ((other, of - own[sign]) for other, of in own.items() if other != sign)

    def _groups(self, sign: str, refs: Refs) -> list[Refs]:
        """Return the groups of memories with a sign that also share something else."""
        vectors = {ref: unit(dict(self._weighed(ref, sign))) for ref in refs}
        return average_link(vectors, THRESHOLD)

    def _weighed(self, ref: str, sign: str) -> Iterator[tuple[str, float]]:
        own = self.of[ref][sign]
        for other, of in self.of[ref].items():
            is_its_word = of <= own
            if other == sign or len(self.having[other]) < 2 or (is_its_word and other.startswith(FAMILY)):  # noqa: PLR2004
                continue
            factor = _OF_THE_WORD if is_its_word else _OF_A_NAME if other in self.names else 1.0
            yield other, factor * self.weight(other)


def _strongest(some: Iterable[Topic]) -> list[Topic]:
    return sorted(some, key=lambda topic: (-round(topic.strength, 10), topic.refs, topic.of))


def _having(of: Mapping[str, Iterable[str]]) -> Mapping[str, Sequence[str]]:
    """Return the memories that have each sign."""
    having: dict[str, list[str]] = defaultdict(list)
    for ref, signs in of.items():
        for sign in signs:
            having[sign].append(ref)
    return having


def overlap(ones: Collection[str], others: Collection[str]) -> bool:
    """Whether two groups have more than half of the smaller one in common."""
    return 2 * len(set(ones).intersection(others)) > min(len(ones), len(others))


def _names(texts: Iterable[str]) -> frozenset[str]:
    """Return the terms of names: words capitalized inside a sentence, and never written without a capital."""
    high: set[str] = set()
    plain: set[str] = set()
    for text in texts:
        high.update(word for name in _NAME.findall(text) for word in words(name))
        plain.update(word for name in _PLAIN.findall(text) for word in words(name))
    return frozenset(map(term_of, high - plain))


def shown(signs: Iterable[str]) -> str:
    """Return signs as they are shown to people."""
    return ", ".join(sign.removeprefix(FAMILY) for sign in signs)
