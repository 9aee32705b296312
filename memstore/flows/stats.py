"""Counts of what is in a vault, over the memories that the viewer may see."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.flows.audience import Audience
from memstore.flows.narrow import narrowed
from memstore.model.one_line import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.core.view import View
    from memstore.model.retrieval import Filters

    Counts = tuple[tuple[str, int], ...]

_YEAR_AND_MONTH = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How many memories there are, of which kinds, and how many words; absent values are counted as empty.

    `left_out` is how many files can't be read, as far as the viewer may know.
    """

    total: int
    words: int
    types: Counts
    statuses: Counts
    months: Counts
    authors: Counts
    left_out: int

    __repr__ = one_line


def stats(view: View, filters: Filters | None = None, *, at: str | None = None) -> Stats:
    """Return the counts of the memories that `filters` let through, all of them by default, now or as of `at`.

    Raises:
        UsageError: `at` is neither a date nor a commit.
    """
    then = view.at(at)
    audience = Audience(then)
    rows = audience.rows if filters is None else narrowed(then, audience.rows, filters)

    def cells(name: str) -> list[str]:
        column = audience.column(name)
        return [column[row] for row in rows]

    return Stats(
        total=len(rows),
        words=sum(audience.lengths[row] for row in rows),
        types=_counted(cells("type")),
        statuses=_counted(status or "active" for status in cells("status")),
        months=tuple(sorted(_counted(time[:_YEAR_AND_MONTH] for time in cells("created_at")))),
        authors=_counted(cells("author")),
        left_out=audience.left_out,
    )


def _counted(values: Iterable[str]) -> Counts:
    return tuple(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))
