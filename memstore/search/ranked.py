"""The port that orders memories by words, and its answer."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memstore.search.retrieval import Unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.view import View
    from memstore.search.clauses import Clause


class Ranked(NamedTuple):
    """The memories that match some clauses, by row, with their scores.

    `weights` has the weight of each clause, 0 for excluded ones, and `terms` the index terms that count as its word,
    empty for prefixes and phrases. `best_possible` is the highest possible score by words; 0 without clauses that must
    or may match. `total` is the number of matching memories; `rows` may have only the best. Within one `generation`,
    the same row is the same memory; None if unknown. `in_others` has, by language, the terms that count instead in
    memories in other languages than English.
    """

    rows: Sequence[int]
    scores: Sequence[float]
    weights: tuple[float, ...]
    terms: tuple[tuple[str, ...], ...]
    best_possible: float
    total: int
    generation: str | None = None
    in_others: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType({})


class Ranker(Protocol):
    """Ranks memories by words, with statistics over only the memories that a view shows."""

    def rank(
        self,
        clauses: Sequence[Clause],
        view: View,
        k: int | None,
        *,
        among: Sequence[int] | None = None,
        text: str = "",
        by: Unit = Unit.MEMORY,
    ) -> Ranked:
        """Return the memories that match at least one clause, all required ones and no excluded one.

        If all clauses are excluding ones, all other memories match, with a score of 0.

        Args:
            clauses: the clauses of the query.
            view: the memories that the viewer may see.
            k: how many memories to return, best first, ties by ref and path; None for all, in no particular order.
            among: the rows that may match, ascending; all by default.
            text: the query as typed; a memory with an alias that occurs in it ranks above all others.
            by: the unit of results; for passages, excluded words are checked per passage, not here.
        """
