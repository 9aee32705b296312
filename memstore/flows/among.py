"""Conflicts among the results of one search: what a reader would otherwise have to notice.

Only results are compared with each other, and only where two of their sentences share half of their words, or both
make claims: a search must stay quick. `show`, `why` and `conflicts` look at the whole vault.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.errors import VaultError
from memstore.flows.visible import sees
from memstore.rules import analysis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.flows.audience import View
    from memstore.model.conflict import Conflict
    from memstore.model.retrieval import Hit
    from memstore.rules.conflicts import Side

_SENTENCE_END = re.compile(r"[.!?;]\s|\n")
# With longer results, what is compared would cost more than the search; their first sentences stand for them.
MOST_SENTENCES = 8
SHARED_WORDS = 0.5
_STOP_TERMS = frozenset(map(analysis.term_of, analysis.STOP_WORDS)) | analysis.STOP_WORDS
# What all results share is a word of the query.
FEWEST_SHARED = 2
# Whoever asks for more results than this reads them with a program; comparing all of them would take minutes.
MOST_COMPARED = 100


class Compared(NamedTuple):
    """What of a result is compared: its sentences as sets of words, and whether its memory makes claims."""

    path: str
    sentences: Sequence[set[str]]
    makes_claims: bool


class Among:
    """The results of one search so far, each compared with all before it.

    Args:
        then: the vault at the time in question.
    """

    def __init__(self, then: View) -> None:
        self._then = then
        self._compared: list[Compared] = []
        self._sides: dict[str, Side | None] = {}
        # By the paths of both files: passages of one memory share its conflicts.
        self._found: dict[str, dict[str, Conflict | None]] = {}

    def conflicts_of(self, hit: Hit) -> tuple[Conflict, ...]:
        """Return the open conflicts of a result with others."""
        return tuple(one for one in self._found.get(hit.path, {}).values() if one)

    def add(self, hits: Sequence[Hit]) -> None:
        """Add results; those beyond the first hundred are compared with none."""
        for hit in hits[: max(0, MOST_COMPARED - len(self._compared))]:
            one = Compared(hit.path, _sentences(hit), _makes_claims(self._then, hit))
            for other in self._compared:
                if _may_conflict(one, other) and other.path not in self._found.get(one.path, {}):
                    self._compare(other.path, one.path)
            self._compared.append(one)

    def _compare(self, *paths: str) -> None:
        from memstore.rules.conflicts import conflict

        sides = [self._side(path) for path in paths]
        for mine, theirs in (sides, sides[::-1]):
            if mine and theirs:
                one = conflict(mine, theirs, opposes=self._then.ws.lexicon.opposes)
                self._found.setdefault(mine.path, {})[theirs.path] = one

    def _side(self, path: str) -> Side | None:
        if path not in self._sides:
            self._sides[path] = _side(self._then, path)
        return self._sides[path]


def _may_conflict(one: Compared, other: Compared) -> bool:
    if one.path == other.path:
        return False
    return (one.makes_claims and other.makes_claims) or _alike(one.sentences, other.sentences)


def _sentences(hit: Hit) -> list[set[str]]:
    texts = [hit.title, *_SENTENCE_END.split(hit.content)][:MOST_SENTENCES]
    words = ({analysis.term_of(word) for word in analysis.words(text)} - _STOP_TERMS for text in texts)
    return [each for each in words if len(each) > 1]  # one word alone states nothing


def _alike(ones: Sequence[set[str]], others: Sequence[set[str]]) -> bool:
    return any(_shares(one, other) for one in ones for other in others)


def _shares(one: set[str], other: set[str]) -> bool:
    """Whether two sentences share half of the shorter one's words; one word is too few where there are more."""
    shorter = min(len(one), len(other))
    return len(one & other) >= max(SHARED_WORDS * shorter, min(FEWEST_SHARED, shorter - 1), 1)


def _makes_claims(then: View, hit: Hit) -> bool:
    try:
        return b"\nclaims:" in then.read(hit.path)
    except VaultError:
        return False


def _side(then: View, path: str) -> Side | None:
    """Return what of a result is compared: what its file says now, if it is still the viewer's to see."""
    from memstore.codec.memory_file import MemoryFile, read
    from memstore.flows.compare import side_of

    try:
        file = read(path, then.read(path))
    except VaultError:
        return None
    return side_of(file) if isinstance(file, MemoryFile) and sees(then.ws, file.memory) else None
