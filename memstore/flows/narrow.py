"""Filters applied to a snapshot; for keys that the catalogue does not hold, the files that are left are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.errors import VaultError
from memstore.rules import filters as rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.flows.audience import View
    from memstore.model.retrieval import Filters


def narrowed(then: View, rows: Sequence[int], *filters: Filters) -> Sequence[int]:
    """Return those of `rows` that all the filters let through, ascending; active memories alone unless they say.

    `min_confidence` is left to the caller: a list compares what is stored, a search its results' quality.

    Args:
        then: the vault at the time in question.
        rows: the rows that the viewer may see.
        filters: they hold together.
    """
    left = _trusted(then, rules.matching(rows, filters, then.snapshot.catalog.column), filters)
    conditions = rules.unknown_keys(filters)
    if not conditions:
        return left
    kept = []
    for row in left:
        values = values_of(then, row)
        if all(rules.holds(where, texts_at(values, where.key)) for where in conditions):
            kept.append(row)
    return kept


def _trusted(then: View, rows: Sequence[int], filters: Sequence[Filters]) -> Sequence[int]:
    """Return the rows that others vouch for as far as the filters ask; only files with attestations are verified."""
    least = max((asked.min_trust or 0.0 for asked in filters), default=0.0)
    levels = {asked.level for asked in filters if asked.level}
    if not least and not levels:
        return rows
    from memstore.flows.trust_level import TrustReader
    from memstore.rules.trust import Level

    lowest = max((Level[level.upper()] for level in levels), default=Level.UNVERIFIED)
    reader = TrustReader(then)
    found = [(row, reader.of_row(row)) for row in rows]
    reader.keep()
    return [row for row, trust in found if trust.score >= least and trust.level >= lowest]


def values_of(then: View, row: int) -> dict[str, Any]:
    """Return the frontmatter of a row's file; nothing where it can't be read any more."""
    from memstore.codec import memory_file

    path = then.snapshot.catalog.entry(row).path
    try:
        file = memory_file.read(path, then.read(path))
    except VaultError:
        return {}
    return file.front.values if isinstance(file, memory_file.MemoryFile) else {}


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
