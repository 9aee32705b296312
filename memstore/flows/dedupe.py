"""Find memories that say nearly the same, and propose to make one of them; nothing is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.flows.compare import Comparer
from memstore.flows.narrow import narrowed
from memstore.model.one_line import one_line
from memstore.model.retrieval import NO_FILTERS
from memstore.rules.duplicates import groups, likeness

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.model.retrieval import Filters
    from memstore.rules.conflicts import Side


class Copy(NamedTuple):
    """One of several memories that say nearly the same."""

    ref: str
    path: str
    title: str


class Duplicates(NamedTuple):
    """Memories that say nearly the same, the one held surest first, then the oldest.

    `similarity` is that of the two least alike among those that were compared, from 0 to 1.
    """

    copies: tuple[Copy, ...]
    similarity: float

    def __repr__(self) -> str:
        return one_line(self)

    @property
    def command(self) -> str:
        """What makes one memory of them."""
        return " ".join(("memstore merge", *(copy.ref for copy in self.copies)))


def dedupe(view: View, filters: Filters = NO_FILTERS) -> tuple[Duplicates, ...]:
    """Return groups of active memories that say nearly the same, the most alike first.

    >>> one, two = note(ws.view(), "Bella eats at eight."), note(ws.view(), "Bella eats at eight")
    >>> [found.command for found in dedupe(ws.view())] == [f"memstore merge {one.ref} {two.ref}"]
    True

    Args:
        view: the vault.
        filters: which memories; those that are alike are looked for among all that the viewer may see.
    """
    comparer = Comparer(view)
    column = comparer.audience.column("path")
    alike: dict[tuple[str, str], float] = {}
    sides: dict[str, Side] = {}
    for path in sorted(column[row] for row in narrowed(comparer.audience.then, comparer.audience.rows, filters)):
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
