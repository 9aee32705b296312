"""Open conflicts: of one memory, or of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.flows.compare import Comparer
from memstore.flows.narrow import narrowed
from memstore.model.retrieval import NO_FILTERS

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.model.conflict import Conflict
    from memstore.model.retrieval import Filters


def conflicts(view: View, ref: str | None = None, filters: Filters = NO_FILTERS) -> tuple[Conflict, ...]:
    """Return the open conflicts that the viewer may see both sides of, the gravest first; each pair once.

    >>> tea, no_tea = note(ws.view(), "Sean likes tea."), note(ws.view(), "Sean dislikes tea.")
    >>> [(found.conflict_type.value, found.penalty, found.rule) for found in conflicts(ws.view())]
    [('contradiction', 0.3, 'antonyms')]

    Args:
        view: the vault.
        ref: only those of this memory, which then stands first in each.
        filters: which memories' conflicts are wanted; all active ones' by default.

    Raises:
        NotFoundError: there is no such memory that the viewer may see.
    """
    comparer = Comparer(view)
    then = comparer.audience.then
    if ref is not None:
        paths = [view.find(ref).path]
    else:
        column = comparer.audience.column("path")
        paths = sorted(column[row] for row in narrowed(then, comparer.audience.rows, filters))
    found: dict[frozenset[str], Conflict] = {}
    for path in paths:
        side = comparer.side_at(path)
        for conflict in comparer.conflicts(side) if side else ():
            found.setdefault(frozenset(conflict.refs), conflict)
    return tuple(sorted(found.values(), key=lambda one: (-one.penalty, one.refs)))
