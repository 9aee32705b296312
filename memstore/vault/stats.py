"""Count the memories and plain notes of a vault, by kind, and their words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from memstore.core.short_repr import short_repr
from memstore.search import INDEX
from memstore.search.filters import Which, filters_of, narrowed
from memstore.search.ranker import Audience

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstore.core.view import View

    Counts = tuple[tuple[str, int], ...]

_YEAR_AND_MONTH = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How many memories and plain notes there are, by kind, and how many words; absent values are counted as empty.

    Types, statuses and authors are those of the `total` of memories; `months` and `words` are of the `notes`, too.
    `left_out` is how many files can't be read, as far as the viewer may know.
    """

    total: int
    notes: int
    words: int
    types: Counts
    statuses: Counts
    months: Counts
    authors: Counts
    left_out: int

    __repr__ = short_repr


def stats(view: View, *, at: str | None = None, **which: Unpack[Which]) -> Stats:
    """Return the counts of the memories and notes that pass filters, of all without any, now or as of `at`.

    Raises:
        UsageError: a filter is invalid.
        UsageError: `at` is neither a date nor a commit.
    """
    then = view.at(at, with_clock=True)
    audience = Audience(then)
    texts = narrowed(then, audience.rows, filters_of(which, now=view.clock.here())) if which else audience.rows
    rows = texts if len(audience.rows) == len(audience.memories) else sorted({*texts}.intersection(audience.memories))

    def cells(name: str, among: Sequence[int] = rows) -> list[str]:
        column = audience.column(name)
        return [column[row] for row in among]

    return Stats(
        total=len(rows),
        notes=len(texts) - len(rows),
        words=then.of(INDEX).word_count(texts),
        types=_counted(cells("type")),
        statuses=_counted(status or "active" for status in cells("status")),
        months=tuple(sorted(_counted(time[:_YEAR_AND_MONTH] for time in cells("created_at", texts)))),
        authors=_counted(cells("author")),
        left_out=audience.left_out,
    )


def _counted(values: Iterable[str]) -> Counts:
    return tuple(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))
