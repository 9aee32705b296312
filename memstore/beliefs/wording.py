"""What a text is about, and which of its sentences can be understood without the others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memstore.rules.analysis import STOP_WORDS, term_of, words
from memstore.rules.statements import statements
from memstore.rules.word_lists import (
    ADDRESS,
    AT_ONE_TIME,
    CALENDAR,
    OBLIGATIONS,
    OPENERS,
    POINTERS,
    RULES_BEGIN,
    SMALL_TALK,
    listed,
)

if TYPE_CHECKING:
    from collections.abc import Collection

_DATE = re.compile(r"\d{1,4}(?:[.:]\d{1,4})*(?:st|nd|rd|th|am|pm|h)?")
_SAYING_NOTHING = STOP_WORDS | listed(CALENDAR) | listed(SMALL_TALK)
# By their stems, too: what `make` says no more than, `making` says no more than.
_EMPTY_TERMS = frozenset(map(term_of, listed(SMALL_TALK)))
_ADDRESS, _OBLIGATIONS, _AT_ONE_TIME = listed(ADDRESS), listed(OBLIGATIONS), listed(AT_ONE_TIME)
_OPENERS, _POINTERS, _RULES_BEGIN = listed(OPENERS), listed(POINTERS), listed(RULES_BEGIN)
# A question states nothing.
_QUESTION = re.compile(r"[^.!?\n]*\?")


def content_terms(text: str, names: Collection[str] = ()) -> list[str]:
    """Return what a text is about: the stems of what it states, without small talk, dates and names.

    Args:
        text: any text.
        names: words, folded as `analysis.words` folds them.
    """
    return [
        term
        for word in words(_QUESTION.sub(" ", text))
        if len(word) > 1 and word not in _SAYING_NOTHING and word not in names and not _DATE.fullmatch(word)
        if (term := term_of(word)) not in _EMPTY_TERMS
    ]


def stands_alone(sentence: str) -> bool:
    """Whether a sentence can be understood where nothing stands before it, and tells what is so.

    What begins with `it` or `that` points at something that was said before. What is said to somebody (`you`, `thanks`)
    tells nothing lasting of whom the memory is about, unless it is a rule (`you must`, `never ask`).
    """
    said = words(sentence)
    first = next((word for word in said if word not in _OPENERS), "")
    is_rule = first in _RULES_BEGIN or not _OBLIGATIONS.isdisjoint(said)
    return bool(first) and first not in _POINTERS and (is_rule or _ADDRESS.isdisjoint(said))


def denies(sentence: str) -> bool:
    """Whether a sentence denies something: `no test failed`, `nobody deletes backups`."""
    return any(statement.negations for statement in statements(sentence))


def is_lasting(sentence: str) -> bool:
    """Whether a sentence tells of no one time: what happened yesterday is an event, and no belief."""
    return _AT_ONE_TIME.isdisjoint(words(sentence))
