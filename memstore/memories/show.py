"""List memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.errors import UsageError
from memstore.flows.narrow import narrowed
from memstore.model.one_line import one_line
from memstore.model.retrieval import Filters, Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.core.view import View
    from memstore.model.catalog import Entry

SORTS = (Sort.CREATED, Sort.TITLE, Sort.CONFIDENCE, Sort.PATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The memories that were asked for; `total` counts them before the limit.

    `left_out` is how many files mean to be memories and can't be read, as far as the viewer may know.
    """

    entries: tuple[Entry, ...]
    total: int
    left_out: int

    __repr__ = one_line

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def list_memories(
    view: View,
    filters: Filters | None = None,
    *,
    sort: Sort = Sort.CREATED,
    limit: int | None = None,
    at: str | None = None,
) -> Listed:
    """Return the memories that `filters` let through and the viewer may see, now or as of a commit or a date.

    Args:
        view: the vault.
        filters: which ones; all active ones by default.
        sort: one of `SORTS`; newest, surest or first stands first.
        limit: how many at most.
        at: a commit or a date.

    Raises:
        UsageError: results can't be sorted so without a query, or `at` is neither a date nor a commit.
    """
    if sort not in SORTS:
        raise UsageError(f"a list has no {sort.value}", hint=f"sort by {', '.join(s.value for s in SORTS)}")
    asked = filters or Filters()
    then = view.at(at)
    rows = narrowed(then, then.rows, asked)
    found = _sorted(_confident(rows, asked.min_confidence, then), sort, then)
    entries = tuple(then.entry(row) for row in found[:limit])
    view.note_shown("list", (entry.id for entry in entries))
    return Listed(
        entries=entries,
        total=len(found),
        left_out=len(then.broken),
    )


def _confident(rows: Sequence[int], least: float | None, view: View) -> Sequence[int]:
    """Return the rows whose author holds at least that confidence; one that names none holds none."""
    if least is None:
        return rows
    held = view.column("confidence")
    return [row for row in rows if held[row] and float(held[row]) >= least]


def _sorted(rows: Sequence[int], sort: Sort, view: View) -> list[int]:
    """Return the rows in order; what stands alike stands by path."""
    paths = view.column("path")
    by_path = sorted(rows, key=paths.__getitem__)
    if sort is Sort.PATH:
        return by_path
    column = view.column({Sort.TITLE: "title", Sort.CREATED: "created_at", Sort.CONFIDENCE: "confidence"}[sort])
    key: Callable[[int], str | float]
    if sort is Sort.TITLE:
        return sorted(by_path, key=lambda row: column[row].casefold())
    key = column.__getitem__ if sort is Sort.CREATED else lambda row: float(column[row] or -1)
    return sorted(by_path, key=key, reverse=True)
