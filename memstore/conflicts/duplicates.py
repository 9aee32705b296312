"""Find duplicates, memories that say nearly the same, and propose to merge them; nothing is changed."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple, Unpack

from memstore.conflicts.compare import Comparer
from memstore.conflicts.conflict import may_be_one
from memstore.conflicts.contradiction import TextVerdict, compare_statements
from memstore.core.short_repr import short_repr
from memstore.core.terms import terms
from memstore.search.filters import Which, filters_of, narrowed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.conflicts.sides import Side
    from memstore.core.view import View


# Two texts are nearly the same if they share this part of their words; measured in docs/conflicts.md.
NEARLY_THE_SAME = 0.8
# In a text with fewer words, a single other word changes everything: `likes tea`, `likes coffee`.
FEWEST_WORDS = 5


def likeness(one: Side, other: Side) -> float:
    """Return the similarity of two memories if they are nearly the same, from 0.8 to 1; else 0.

    It is the share of their words that both have (Jaccard). Memories that contradict each other or give different
    values are not copies, however similar; nor are those with different type, status, subjects, owner or scope.
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
    return found.verdict in (TextVerdict.CONTRADICTS, TextVerdict.OTHER_VALUE)


def groups(alike: Mapping[tuple[str, str], float]) -> Iterator[tuple[list[str], float]]:
    """Yield the connected groups of similar memories, each with the lowest similarity in it.

    Args:
        alike: the similarity of each pair.
    """
    group_of: dict[str, list[str]] = {}
    for one, other in alike:
        joined = sorted({*group_of.get(one, [one]), *group_of.get(other, [other])})
        group_of |= dict.fromkeys(joined, joined)
    for group in {id(group): group for group in group_of.values()}.values():
        yield group, min(score for pair, score in alike.items() if pair[0] in group)


# -- the use case ----------------------------------------------------------------------------------


class Copy(NamedTuple):
    """One of several memories that say nearly the same."""

    ref: str
    path: str
    title: str


class Duplicates(NamedTuple):
    """Memories that say nearly the same, ordered by falling confidence, then by age, oldest first.

    `similarity` is the lowest among the pairs that were compared, from 0 to 1.
    """

    copies: tuple[Copy, ...]
    similarity: float

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def command(self) -> str:
        """The command that merges them."""
        return shlex.join(("memstore", "conflicts", "merge", *(copy.ref for copy in self.copies)))


def dedupe(view: View, **which: Unpack[Which]) -> tuple[Duplicates, ...]:
    """Return groups of active memories that say nearly the same, the most similar first.

    >>> one, two = note(ws.view(), "Bella eats at eight."), note(ws.view(), "Bella eats at eight")
    >>> [found.command for found in dedupe(ws.view())] == [f"memstore conflicts merge {one.ref} {two.ref}"]
    True

    Args:
        view: the vault.
        which: filters of the memories to start from; similar ones are searched among all that the viewer may see.
    """
    comparer = Comparer(view)
    column = comparer.audience.column("path")
    alike: dict[tuple[str, str], float] = {}
    sides: dict[str, Side] = {}
    rows = narrowed(comparer.audience.then, comparer.audience.memories, filters_of(which, now=view.clock.here()))
    for path in view.with_progress("comparing memories", sorted(column[row] for row in rows)):
        side = comparer.side_at(path)
        if side is None or side.memory.ref is None:
            continue
        for other in comparer.alike(side):
            score = likeness(side, other) if other.memory.ref else 0.0
            if score:
                alike[min(path, other.path), max(path, other.path)] = score
                sides |= {path: side, other.path: other}
    found = [_duplicates([sides[path] for path in group], score) for group, score in groups(alike)]
    return tuple(sorted(found, key=lambda one: (-one.similarity, one.copies)))


def _duplicates(sides: list[Side], similarity: float) -> Duplicates:
    ordered = sorted(sides, key=lambda side: (-(side.memory.confidence or 0.0), side.memory.created_at or "", side.ref))
    return Duplicates(tuple(Copy(side.ref, side.path, side.title) for side in ordered), similarity)
