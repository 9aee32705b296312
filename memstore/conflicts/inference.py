"""Conflicts that no rule decides, found by an NLI model of the user's; only where the user has chosen one.

The model is asked about few pairs of sentences: those that share most words and are about the same subject at the same
time. If it says in both directions that one contradicts the other, that is reported like any other conflict.
"""

from __future__ import annotations

import hashlib
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memstore.conflicts.conflict import are_days_apart, decided, have_one_speaker, may_differ
from memstore.conflicts.contradiction import may_exclude
from memstore.conflicts.frames import named
from memstore.conflicts.gists import is_enough
from memstore.conflicts.statements import near_in_any_order
from memstore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memstore.conflicts.sides import Side
    from memstore.conflicts.statements import Statement
    from memstore.core.conflict import Lines
    from memstore.search.local_state import DerivedCache


class NliModel(Protocol):
    """Says whether sentences contradict each other. Its answer about a pair depends on that pair alone."""

    @property
    def name(self) -> str:
        """The name under which its answers are kept; it must change whenever they would."""

    def contradictions(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """Return for each pair how sure it is that the first sentence excludes the second one, in [0,1].

        Raises:
            UsageError: it can't be asked.
        """


class Exclusion(NamedTuple):
    """Two memories that the model finds in conflict, and the lines of both."""

    one: Side
    other: Side
    mine: Lines
    theirs: Lines


class _Pair(NamedTuple):
    """Two statements of two memories, and the share of the shorter one's words that both have."""

    left: Statement
    right: Statement
    share: float
    found: Exclusion

    @property
    def texts(self) -> tuple[str, str]:
        """Both sentences, with the names that pronouns at their beginning stand for."""
        return named(self.left.text, self.left.about), named(self.right.text, self.right.about)

    @property
    def order(self) -> tuple[float, str, str, Lines, Lines]:
        """The key to sort by, the closest first."""
        return -self.share, self.found.one.path, self.found.other.path, self.found.mine, self.found.theirs

    @property
    def is_open(self) -> bool:
        """Whether the statements may exclude each other although no rule says so."""
        return may_exclude(self.left, self.right, days_apart=are_days_apart(self.found.one, self.found.other))


MOST_ASKED = 16  # pairs of sentences in one call: of a memory with those like it, or of a search's results
MOST_KEPT = 5000
KEPT_AS = "nli"  # the name of the answers in the cache
_VERSION = 1


class Inference:
    """The user's model; after an error it is not asked again, and `problem` says why.

    Args:
        model: the model.
        least: how sure it must be of a contradiction, in both directions, in [0,1].
    """

    def __init__(self, model: NliModel, *, least: float) -> None:
        self._model, self._least = model, least
        self.problem = ""

    @property
    def mark(self) -> str:
        """A digest of its files: without their place, which is this machine's."""
        return self._model.name.rpartition(":")[2]

    def excludes(self, first: str, second: str) -> bool:
        """Return whether the model is sure in both directions that one sentence excludes the other.

        Raises:
            UsageError: it can't be asked.
        """
        return min(self._model.contradictions([(first, second), (second, first)])) >= self._least

    def conflicts(self, pairs: Iterable[tuple[Side, Side]], kept: DerivedCache) -> list[Exclusion]:
        """Return which of these pairs of memories are in conflict according to the model.

        Args:
            pairs: memories that no rule finds in conflict, each with the statements to compare.
            kept: where earlier answers are kept, by a digest of both sentences.
        """
        close = sorted((one for pair in pairs for one in _close(*pair)), key=lambda one: one.order)
        asked = [*islice((one for one in close if one.is_open), MOST_ASKED)]
        if not asked or self.problem:
            return []
        try:
            there = self._sure({one.texts: one.found for one in reversed(asked)}, kept)
            back = self._sure({texts[::-1]: found for texts, found in there.items()}, kept)
        except UsageError as error:
            self.problem = f"{error}; conflicts are found by rules alone"
            return []
        found = {(one.one.path, one.other.path): one for one in back.values()}  # of each two memories the closest
        return list(found.values())

    def _sure(self, asked: Mapping[tuple[str, str], Exclusion], kept: DerivedCache) -> dict[tuple[str, str], Exclusion]:
        """Return those of which the model is sure in this direction; new answers are kept."""
        state = f"{KEPT_AS} {_VERSION} {self._model.name}"
        known = {**kept.last(KEPT_AS, state)}
        missing = {key: texts for texts in asked if (key := _digest(texts)) not in known}
        if missing:
            answers = self._model.contradictions([*missing.values()])
            known |= {key: [f"{answer:.6f}"] for key, answer in zip(missing, answers, strict=True)}
            kept.keep(KEPT_AS, state, dict([*known.items()][-MOST_KEPT:]))
        return {texts: found for texts, found in asked.items() if float(known[_digest(texts)][0]) >= self._least}


def _digest(texts: tuple[str, str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


def _close(one: Side, other: Side) -> Iterator[_Pair]:
    """Yield the statements of two memories that share enough words to be about the same thing."""
    if may_differ(one.memory, other.memory) or decided(one, other):
        return
    is_one_speaker = have_one_speaker(one, other)
    for left, mine in one.statements:
        for right, theirs in other.statements:
            shared, shorter = len(left.topic & right.topic), min(len(left.topic), len(right.topic))
            if not (is_enough(shared, shorter) and near_in_any_order(left, right)):
                continue
            if is_one_speaker or not (left.of_speaker or right.of_speaker):
                yield _Pair(left, right, shared / shorter, Exclusion(one, other, mine, theirs))
