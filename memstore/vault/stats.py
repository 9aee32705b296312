"""Count the memories of a vault, by kind, and their words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from memstore.core.short_repr import short_repr
from memstore.search import INDEX
from memstore.search.filters import Which, filters_of, narrowed
from memstore.search.ranker import Audience

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.core.view import View

    Counts = tuple[tuple[str, int], ...]

_YEAR_AND_MONTH = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How many memories there are, by kind, and how many words; absent values are counted as empty.

    `left_out` is how many files can't be read, as far as the viewer may know.
    """

    total: int
    words: int
    types: Counts
    statuses: Counts
    months: Counts
    authors: Counts
    left_out: int

    __repr__ = short_repr


def stats(view: View, *, at: str | None = None, **which: Unpack[Which]) -> Stats:
    """Return the counts of the memories that pass filters, of all of them without any, now or as of `at`.

    Raises:
        UsageError: a filter is invalid.
        UsageError: `at` is neither a date nor a commit.
    """
    then = view.at(at)
    audience = Audience(then)
    rows = narrowed(then, audience.memories, filters_of(which, now=view.clock.now())) if which else audience.memories

    def cells(name: str) -> list[str]:
        column = audience.column(name)
        return [column[row] for row in rows]

    return Stats(
        total=len(rows),
        words=then.of(INDEX).word_count(rows),
        types=_counted(cells("type")),
        statuses=_counted(status or "active" for status in cells("status")),
        months=tuple(sorted(_counted(time[:_YEAR_AND_MONTH] for time in cells("created_at")))),
        authors=_counted(cells("author")),
        left_out=audience.left_out,
    )


def _counted(values: Iterable[str]) -> Counts:
    return tuple(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))
