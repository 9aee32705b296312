"""Topics that memories may share although their words differ: families of words, names, rare words.

A sign is a term, or a family (`@coffee`: espresso, mocha). What two memories share tells how alike they are, beside
their vectors (`beliefs.likeness`).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

from memstore.beliefs.wording import told_words
from memstore.core.terms import term_of, words
from memstore.core.word_lists import word_lists

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memstore.beliefs.pooled import Pooled

FAMILY = "@"
# A sign in more memories than this is a subject of the whole vault, and does not bring memories together.
MOST = 40
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


class Signs:
    """The signs of memories of one partition.

    Args:
        part: the memories.
    """

    def __init__(self, part: Sequence[Pooled]) -> None:
        self.of = {one.ref: signs_of(one.text, one.terms) for one in part}
        self.names = _names(one.text for one in part)
        self.having = _memories_by_sign(self.of)
        self._wider = {one.ref: _signs(one.text, one.terms, _wider_families()) for one in part}
        self._sharing = _memories_by_sign(self._wider)
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

    def shared(self, *, of_word: float = _OF_A_WORD) -> Mapping[str, Mapping[str, float]]:
        """Return how much pairs of memories share, by both refs: the weights of their families, names and words.

        A family counts only if they have different words for it, as one word may have several senses; and less the more
        families these words are in. Signs of very many memories connect nothing.

        Args:
            of_word: the weight of a word in common, in [0, 1]; with the highest, words that are in families count, too.
        """
        found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for sign, refs in self._sharing.items():
            if not 1 < len(refs) <= max(MOST, len(self.of) // _MOST_OF_ALL) or not (
                worth := self._worth(sign, of_word)
            ):
                continue
            told = {ref: self._wider[ref][sign] for ref in refs}
            parts = {ref: self._part(sign, of) for ref, of in told.items()}
            for one, other in combinations(refs, 2):
                if not sign.startswith(FAMILY) or len(told[one] | told[other]) > 1:
                    value = worth * self.weight_of(len(refs)) * min(parts[one], parts[other])
                    found[one][other] += value
                    found[other][one] += value
        return found

    def common(self, refs: Collection[str]) -> list[str]:
        """Return the signs that at least two of some memories have, those that say most about them first."""
        counts = Counter(sign for ref in refs for sign in self._wider[ref])
        worth = {
            sign: (count - 1) * self.weight_of(len(self._sharing[sign])) * self._worth(sign)
            for sign, count in counts.items()
            if count > 1 and sign not in _measures() and self._worth(sign)
        }
        return sorted(worth, key=lambda sign: (-round(worth[sign], 10), sign))

    def are_linked(self, one: str, other: str) -> bool:
        """Whether two memories share a family of words, or more than one word: a single one may be by chance."""
        mine, its = self._wider[one], self._wider[other]
        return any(sign.startswith(FAMILY) and sign in its for sign in mine) or shared_signs(mine, its) > 1

    def terms(self, ref: str, signs: Iterable[str]) -> frozenset[str]:
        """Return the terms of a memory that carry some signs."""
        return frozenset[str]().union(*(self._wider[ref].get(sign, ()) for sign in signs))

    def _worth(self, sign: str, of_word: float = _OF_A_WORD) -> float:
        if of_word == 1 or sign.startswith(FAMILY) or sign in self.names:
            return 1.0
        return 0.0 if sign in _wider_families() else of_word

    def _part(self, sign: str, told: Iterable[str]) -> float:
        """Return the part of a sign that these words for it belong to it, in (0, 1]."""
        if not sign.startswith(FAMILY):
            return 1.0
        return 1 / math.sqrt(min(len(_wider_families()[term]) for term in told))


def _memories_by_sign(of: Mapping[str, Iterable[str]]) -> Mapping[str, Sequence[str]]:
    """Return the memories that have each sign."""
    having: dict[str, list[str]] = defaultdict(list)
    for ref, signs in of.items():
        for sign in signs:
            having[sign].append(ref)
    return having


def overlap(ones: Collection[object], others: Collection[object]) -> bool:
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
