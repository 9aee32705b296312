"""Did you mean: a query that finds something, from the words of the memories that the viewer may see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memstore.model.catalog import Field
from memstore.model.retrieval import Word
from memstore.rules import analysis
from memstore.rules.matching import within_edits

if TYPE_CHECKING:
    from memstore.flows.audience import Audience
    from memstore.model.retrieval import Query

SHORTEST_CORRECTED = 4
LETTERS_FOR_TWO_SLIPS = 8


def suggestion(audience: Audience, asked: Query) -> str | None:
    """Return the query with each word that stands nowhere replaced by the nearest one that does; None without any."""
    text = asked.text
    for clause in asked.clauses:
        if isinstance(clause.asked, Word) and not audience.holds(clause.asked.term):
            typed = next(
                (word for word in analysis.words(asked.text) if analysis.term_of(word) == clause.asked.term), ""
            )
            word = _nearest_word(audience, typed)
            if word:
                text = re.sub(rf"(?i)(?<!\w){re.escape(typed)}(?!\w)", word, text)
    return text if text != asked.text else None


def _nearest_word(audience: Audience, typed: str) -> str | None:
    """Return the word nearest to one that stands nowhere, as a memory spells it."""
    if len(typed) < SHORTEST_CORRECTED:
        return None
    most = 2 if len(typed) >= LETTERS_FOR_TWO_SLIPS else 1
    term = analysis.term_of(typed)
    for edits in range(1, most + 1):
        near = [known for known in audience.then.terms("") if within_edits(term, known, edits)]
        counted = [(-_rows_holding(audience, known), known) for known in near]
        for count, known in sorted(counted):
            if count and (word := _spelt(audience, known)):
                return word
    return None


def _rows_holding(audience: Audience, term: str) -> int:
    return sum(len(audience.rows_of(term, field)) for field in Field)


def _spelt(audience: Audience, term: str) -> str | None:
    """Return a word of which `term` is the stem, from a memory that has it."""
    for field in Field:
        # The first by name: rows stand as files came, hidden ones among them.
        rows = audience.rows_of(term, field)
        for row in sorted(rows, key=audience.names(rows))[:1]:
            file = audience.then.opened(row)
            if file is None:
                continue
            entry = file.entry
            words = analysis.words(" ".join((file.text.body, entry.title, *entry.aliases)))
            found = sorted((word for word in set(words) if analysis.term_of(word) == term), key=lambda w: (len(w), w))
            if found:
                return found[0]
    return None
