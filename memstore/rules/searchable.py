"""What of a memory is indexed, as terms by field."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memstore.model.memory import Memory

# To be raised when the same memory gives other terms than before: indexes of another version are built again.
VERSION = 1


class Searchable(NamedTuple):
    """The terms of one memory in order: of its body, and of its head (title, aliases, the words of its date)."""

    text: list[str]
    head: list[str]


def searchable(memory: Memory) -> Searchable:
    """Return the terms under which a memory is found."""
    from memstore.rules import analysis

    head = [memory.title or "", *memory.aliases, date_words(memory.created_at)]
    return Searchable(text=analysis.terms(memory.body), head=analysis.terms(" . ".join(head)))


def date_words(instant: str | None) -> str:
    """Return a time's date as people say it: "8 May 2023"; empty where there is none."""
    if not instant:
        return ""
    day = date.fromisoformat(instant[:10])
    return f"{day.day} {day:%B} {day.year}"
