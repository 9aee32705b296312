"""The memories that pass filters, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from memstore.core.errors import UsageError
from memstore.core.short_repr import short_repr
from memstore.search.clauses import Filters
from memstore.search.filters import narrowed
from memstore.search.retrieval import Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.core.catalog import Entry
    from memstore.core.view import View

SORTS = (Sort.CREATED, Sort.TITLE, Sort.CONFIDENCE, Sort.PATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The requested memories; `total` counts them before the limit.

    `left_out` is how many files are meant to be memories but can't be read, as far as the viewer may know.
    """

    entries: tuple[Entry, ...]
    total: int
    left_out: int

    __repr__ = short_repr

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, at: int) -> Entry: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, at: int | slice) -> Entry | tuple[Entry, ...]:
        return self.entries[at]


def list_memories(
    view: View,
    filters: Filters | None = None,
    *,
    sort: Sort = Sort.CREATED,
    limit: int | None = None,
    at: str | None = None,
) -> Listed:
    """Return the memories that match `filters` and that the viewer may see, now or as of a commit or a date.

    Args:
        view: the vault.
        filters: the filters; by default, all active memories match.
        sort: one of `SORTS`; newest, surest or alphabetically first comes first.
        limit: how many at most.
        at: a commit or a date.

    Raises:
        UsageError: this sort needs a query, or `at` is neither a date nor a commit.
    """
    if sort not in SORTS:
        raise UsageError(f"a list can't be sorted by {sort.value}", hint=f"sort by {', '.join(s.value for s in SORTS)}")
    asked = filters or Filters()
    then = view.at(at, with_clock=True)
    rows = narrowed(then, then.texts, asked)
    found = _sorted(_confident(rows, asked.min_confidence, then), sort, then)
    entries = tuple(then.entry(row) for row in found[:limit])
    view.note_shown("list", (entry.id for entry in entries))
    return Listed(
        entries=entries,
        total=len(found),
        left_out=len(then.broken),
    )


def _confident(rows: Sequence[int], least: float | None, view: View) -> Sequence[int]:
    """Return the rows whose author has at least this confidence; rows without a confidence are left out."""
    if least is None:
        return rows
    held = view.column("confidence")
    return [row for row in rows if held[row] and float(held[row]) >= least]


def _sorted(rows: Sequence[int], sort: Sort, view: View) -> list[int]:
    """Return the rows in order; equal ones by path."""
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
