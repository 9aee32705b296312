"""Sides: what a memory says of a belief, or of another memory: the same, the opposite, much the same, or nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from memstore.rules.consolidation import SHARED_BY, Polarity
from memstore.rules.polarity import Verdict, compare_statements, near_topic
from memstore.rules.statements import statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.rules.statements import Statement


def side_of(said: str, other: str) -> Polarity | None:
    """Return how another text stands to what is said.

    What held at another time denies nothing. Where the two can't be laid side by side word by word, `ALIKE` means that
    a sentence shares two thirds of the topic and denies as much: enough to be asked about, never to be recorded
    unasked.
    """
    ones, others = _statements(said), _statements(other)
    found = compare_statements(ones, others)
    match found.verdict:
        case Verdict.AGREES:
            return Polarity.SAME
        case Verdict.CONTRADICTS | Verdict.OTHER_VALUE:
            return None if found.at_other_times else Polarity.OPPOSED
        case _:
            return Polarity.ALIKE if _is_alike(ones, others) else None


@lru_cache(maxsize=20_000)
def _statements(text: str) -> tuple[Statement, ...]:
    return tuple(statements(text))


def _is_alike(ones: Sequence[Statement], others: Sequence[Statement]) -> bool:
    part, whole = SHARED_BY
    return any(
        near_topic(one, other)
        and len(one.topic & other.topic) * whole >= part * len(one.topic)
        and len(one.negations) == len(other.negations)
        for one in ones
        for other in others
    )
