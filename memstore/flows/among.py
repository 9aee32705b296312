"""Conflicts among the results of one search: what a reader would otherwise have to notice.

Only results are compared with each other, and only where two of their sentences share half of their words, or both
make claims: a search must stay quick. `show`, `why` and `conflicts` look at the whole vault.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.rules import analysis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.codec.opened import Opened
    from memstore.model.conflict import Conflict
    from memstore.model.retrieval import Hit
    from memstore.ports.lexicon import Lexicon
    from memstore.rules.conflicts import Side
    from memstore.rules.gists import Gist

_SENTENCE_END = re.compile(r"[.!?;]\s|\n")
# With longer results, what is compared would cost more than the search; their first sentences stand for them.
MOST_SENTENCES = 8
SHARED_WORDS = 0.5
# What all results share is a word of the query.
FEWEST_SHARED = 2
# Two texts as long as books have so many pairs of sentences that comparing them would take minutes.
MOST_PAIRS = 1_000_000
# Whoever asks for more results than this reads them with a program; comparing all of them would take minutes.
MOST_COMPARED = 100


class Compared:
    """What of a result is compared, taken apart no further than it must be.

    Args:
        hit: the result.
        file: its file as it was read.
    """

    def __init__(self, hit: Hit, file: Opened) -> None:
        self.path = hit.path
        self.sentences = _sentences(hit)
        self.makes_claims = b"\nclaims:" in file.data
        self._file = file

    @cached_property
    def gist(self) -> Gist:
        """The gist of all that its memory states."""
        from memstore.rules.gists import gist

        return gist(tuple(self._file.states()))

    @cached_property
    def side(self) -> Side | None:
        """What of its memory is compared; None where the file is none."""
        from memstore.codec.memory_file import MemoryFile
        from memstore.flows.compare import side_of

        return side_of(self._file.file) if isinstance(self._file.file, MemoryFile) else None


class Among:
    """The results of one search so far, each compared with all before it.

    Args:
        lexicon: tells opposites that the built-in list lacks.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._compared: list[Compared] = []
        # By the paths of both files: passages of one memory share its conflicts.
        self._found: dict[str, dict[str, Conflict | None]] = {}

    def conflicts_of(self, hit: Hit) -> tuple[Conflict, ...]:
        """Return the open conflicts of a result with others."""
        return tuple(one for one in self._found.get(hit.path, {}).values() if one)

    def add(self, hits: Sequence[tuple[Hit, Opened]]) -> None:
        """Add results with their files; those beyond the first hundred are compared with none."""
        for hit, file in hits[: max(0, MOST_COMPARED - len(self._compared))]:
            one = Compared(hit, file)
            for other in self._compared:
                if other.path not in self._found.get(one.path, {}) and self._may_conflict(one, other):
                    self._compare(other, one)
            self._compared.append(one)

    def _may_conflict(self, one: Compared, other: Compared) -> bool:
        if one.path == other.path:
            return False
        if one.makes_claims and other.makes_claims:
            return True
        return _alike(one.sentences, other.sentences) and self._may_contradict(one.gist, other.gist)

    def _may_contradict(self, one: Gist, other: Gist) -> bool:
        from memstore.rules.gists import may_conflict

        if len(one.sentences) * len(other.sentences) > MOST_PAIRS:
            return False
        return may_conflict(one, other, any_opposites=self._lexicon.has_words)

    def _compare(self, one: Compared, other: Compared) -> None:
        from memstore.rules.conflicts import conflict

        for mine, theirs in ((one.side, other.side), (other.side, one.side)):
            if mine and theirs:
                found = conflict(mine, theirs, opposes=self._lexicon.opposes)
                self._found.setdefault(mine.path, {})[theirs.path] = found


def _sentences(hit: Hit) -> list[set[str]]:
    texts = [hit.title, *_SENTENCE_END.split(hit.content)][:MOST_SENTENCES]
    words = (set(analysis.words(text)) - analysis.STOP_WORDS for text in texts)
    terms = (set(map(analysis.term_of, each)) for each in words)
    return [each for each in terms if len(each) > 1]  # one word alone states nothing


def _alike(ones: Sequence[set[str]], others: Sequence[set[str]]) -> bool:
    return any(not one.isdisjoint(other) and _shares(one, other) for one in ones for other in others)


def _shares(one: set[str], other: set[str]) -> bool:
    """Whether two sentences share half of the shorter one's words; one word is too few where there are more."""
    shorter = min(len(one), len(other))
    return len(one & other) >= max(SHARED_WORDS * shorter, min(FEWEST_SHARED, shorter - 1), 1)
