"""Duplicates: which memories say nearly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.rules.analysis import terms
from memstore.rules.conflicts import may_be_one
from memstore.rules.polarity import Verdict, compare_statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.rules.conflicts import Side

# Two texts are nearly the same when they share so many of their words; measured in docs/conflicts.md.
NEARLY_THE_SAME = 0.8
# Of fewer words a single other one changes all: `likes tea`, `likes coffee`.
FEWEST_WORDS = 5


def likeness(one: Side, other: Side) -> float:
    """Return how alike two memories are where they are nearly the same, from 0.8 to 1; else 0.

    It is the share of their words that both have (Jaccard). Memories that contradict each other, or give other
    values, are no copies however alike; nor are those of another type, subject, owner or project.
    """
    if not may_be_one(one.memory, other.memory):
        return 0.0
    ones, others = terms(one.memory.body), terms(other.memory.body)
    if ones == others:
        return 1.0 if ones else 0.0
    if min(len(ones), len(others)) < FEWEST_WORDS:
        return 0.0
    shared = len(set(ones) & set(others)) / len(set(ones) | set(others))
    return shared if shared >= NEARLY_THE_SAME and not _says_otherwise(one, other) else 0.0


def _says_otherwise(one: Side, other: Side) -> bool:
    found = compare_statements([each for each, _ in one.statements], [each for each, _ in other.statements])
    return found.verdict in (Verdict.CONTRADICTS, Verdict.OTHER_VALUE)


def groups(alike: Mapping[tuple[str, str], float]) -> Iterator[tuple[list[str], float]]:
    """Yield what hangs together by likeness, with the least likeness inside.

    Args:
        alike: how alike two are, by pairs.
    """
    group_of: dict[str, list[str]] = {}
    for one, other in alike:
        joined = sorted({*group_of.get(one, [one]), *group_of.get(other, [other])})
        group_of |= dict.fromkeys(joined, joined)
    for group in {id(group): group for group in group_of.values()}.values():
        yield group, min(score for pair, score in alike.items() if pair[0] in group)
