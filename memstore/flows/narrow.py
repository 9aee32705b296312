"""Filters applied to a snapshot; for keys that the catalogue does not hold, the files that are left are read."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from memstore.rules import filters as rules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.core.view import View
    from memstore.model.retrieval import Filters


def narrowed(then: View, rows: Sequence[int], *filters: Filters) -> Sequence[int]:
    """Return those of `rows` that all the filters let through, ascending; active memories alone unless they say.

    `min_confidence` is left to the caller: a list compares what is stored, a search its results' quality.

    Args:
        then: the vault at the time in question.
        rows: the rows that the viewer may see.
        filters: they hold together.
    """
    left = _trusted(then, rules.matching(rows, filters, then.column), filters)
    conditions = rules.unknown_keys(filters)
    if not conditions:
        return left
    values = reader_of_values(then)
    return [row for row in left if all(rules.holds(one, texts_at(values(row), one.key)) for one in conditions)]


def _trusted(then: View, rows: Sequence[int], filters: Sequence[Filters]) -> Sequence[int]:
    """Return the rows that others vouch for as far as the filters ask; only files with attestations are verified."""
    least = max((asked.min_trust or 0.0 for asked in filters), default=0.0)
    levels = {asked.level for asked in filters if asked.level}
    if not least and not levels:
        return rows
    return then.vouched_for(rows, least=least, levels=levels)


def reader_of_values(then: View) -> Callable[[int], dict[str, Any]]:
    """Return what reads the frontmatter of a visible row's file, as far as it may be told; each file once.

    A file that can't be read any more, or is not the viewer's to see, says nothing.
    """

    @cache
    def values(row: int) -> dict[str, Any]:
        file = then.read(then.entry(row).path)
        return file.front.values if file else {}

    return values


def texts_at(values: dict[str, Any], key: str) -> list[str]:
    """Return the values of a key as texts; `origin.session_id` means the part of a map, or of the maps in a list."""
    found: list[Any] = [values]
    for name in key.split("."):
        found = [item[name] for item in found if isinstance(item, dict) and name in item]
        found = [part for item in found for part in (item if isinstance(item, list) else [item])]
    return [_text(item) for item in found if item is not None and item not in ("", {})]


def _text(value: object) -> str:
    """Return a value as the file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
