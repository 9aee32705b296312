"""What of a memory is indexed, as terms by field."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memstore.model.confidence import Claim
    from memstore.model.memory import Memory

# To be raised when the same memory gives other terms than before: indexes of another version are built again.
VERSION = 4


class Searchable(NamedTuple):
    """The terms of one memory in order: of its body, and of its head (title, aliases, the words of its date)."""

    text: list[str]
    head: list[str]


def searchable(memory: Memory) -> Searchable:
    """Return the terms under which a memory is found."""
    from memstore.rules import analysis

    head = [memory.title or "", *memory.aliases, date_words(memory.created_at)]
    claims = [claim_term(claim) for claim in memory.claims]
    return Searchable(text=analysis.terms(memory.body), head=analysis.terms(" . ".join(head)) + claims)


def claim_term(claim: Claim) -> str:
    """Return the term under which memories with a claim of this subject and attribute are found.

    It begins with a character that no query can hold, so that nothing else finds it.
    """
    return "\x1f".join(("", *claim_key(claim)))


def claim_key(claim: Claim) -> tuple[str, str]:
    """Return what makes two claims answers to one question: subject and attribute, however they are written."""
    from memstore.rules.analysis import fold

    return " ".join(fold(claim.subject).split()), " ".join(fold(claim.attribute).replace("_", " ").split())


def date_words(instant: str | None) -> str:
    """Return a time's date as people say it: "8 May 2023"; empty where there is none."""
    if not instant:
        return ""
    day = date.fromisoformat(instant[:10])
    return f"{day.day} {day:%B} {day.year}"
