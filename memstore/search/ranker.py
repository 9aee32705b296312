"""What a search works on: the memories that the viewer may see, with statistics over just these."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memstore.flows.uses import uses_of
from memstore.model.catalog import ITEM_SEPARATOR, Field
from memstore.model.retrieval import Phrase, Prefix, Word
from memstore.rules import analysis, quality
from memstore.rules.matching import phrase_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from memstore.core.view import View
    from memstore.model.config import QualityProfile
    from memstore.model.retrieval import Clause
    from memstore.ports.usage import Use

    Postings = tuple[Sequence[int], Sequence[int]]

# A stem may be shorter than the word it is the stem of; the beginnings of a prefix that may be one.
SHORTEST_STEM = 3
# Reading the entries of so many rows takes less time than reading a column or two of a large vault.
FEW_ROWS = 200


class Audience:
    """What a search asks of a view, computed once for many queries.

    Args:
        then: the vault at the time in question.
    """

    def __init__(self, then: View) -> None:
        self.then = then
        self.rows = then.rows
        self._columns: dict[str, Sequence[str]] = {}

    @cached_property
    def lengths(self) -> Sequence[int]:
        """The words of every row's text."""
        return self.then.lengths(Field.TEXT)

    @cached_property
    def average(self) -> float:
        """The mean number of words of a visible memory's text."""
        if not self.rows:
            return 0.0
        if len(self.rows) == len(self.lengths):
            return sum(self.lengths) / len(self.rows)
        return sum(map(self.lengths.__getitem__, self.rows)) / len(self.rows)

    @cached_property
    def left_out(self) -> int:
        """How many files can't be read, as far as the viewer may know."""
        return len(self.then.broken)

    @cached_property
    def aliases(self) -> Sequence[tuple[int, tuple[str, ...]]]:
        """The aliases of visible memories, as folded words, with their rows."""
        column = self.column("aliases")
        return [
            (row, tuple(analysis.words(alias)))
            for row in self.rows
            if column[row]
            for alias in column[row].split(ITEM_SEPARATOR)
        ]

    def column(self, name: str) -> Sequence[str]:
        """Return a column of the catalogue; fetched once."""
        if name not in self._columns:
            self._columns[name] = self.then.column(name)
        return self._columns[name]

    def names(self, rows: Sequence[int]) -> Callable[[int], tuple[str, str]]:
        """Return what orders these rows where they are otherwise alike: the ref, then the path."""
        if len(rows) <= FEW_ROWS:  # whole columns need not be read for them
            entries = {row: self.then.entry(row) for row in rows}
            return lambda row: (entries[row].ref or "", entries[row].path)
        ids, types, paths = map(self.column, ("id", "type", "path"))
        return lambda row: (f"{types[row]}:{ids[row]}" if ids[row] else "", paths[row])

    def quality(self, row: int, *, cites: bool, now: datetime, profile: QualityProfile) -> float:
        """Return how far a memory may be relied on but for its conflicts, if it cites lines that stand or does not."""
        held = self.column("confidence")[row]
        made_of = quality.grounds(
            confidence=float(held) if held else None,
            channel=self.column("channel")[row],
            source_type=self.column("source_type")[row],
            made_at=self.then.made_at(self.column("path")[row], self.column("created_at")[row]),
            uses=[use.at for use in self._uses.get(self.column("id")[row], ())],
            cites=cites,
            now=now,
        )
        return quality.quality(made_of, profile)

    def terms_of(self, clause: Clause) -> tuple[str, ...]:
        """Return the index terms that count as a clause's word: its other spellings where it stands nowhere itself."""
        match clause.asked:
            case Word(term, spellings):
                return (term,) if not spellings or self.holds(term) else (term, *spellings)
            case Prefix(start):
                return self._expanded(start)
            case _:
                return ()

    def postings(self, clause: Clause, terms: Sequence[str], field: Field) -> Postings:
        """Return the visible rows that hold a clause in a field, and how often."""
        if isinstance(clause.asked, Phrase):
            return self._phrase(clause.asked.terms, field)
        if len(terms) == 1:
            return self.then.postings(field, terms[0])
        counts: dict[int, int] = {}
        for term in terms:
            for row, times in zip(*self.then.postings(field, term), strict=True):
                counts[row] = counts.get(row, 0) + times
        return list(counts), list(counts.values())

    def holds(self, term: str) -> bool:
        """Whether a visible memory has this term."""
        return any(self.rows_of(term, field) for field in Field)

    def frequency(self, term: str) -> int:
        """Return how many visible memories hold a term in their text, about: some that are gone may be counted."""
        return self.then.frequency(term)

    def rows_of(self, term: str, field: Field) -> Sequence[int]:
        """Return the visible rows that hold a term in a field."""
        return self.then.postings(field, term)[0]

    @cached_property
    def _uses(self) -> Mapping[str, Sequence[Use]]:
        return uses_of(self.then)

    def _phrase(self, terms: Sequence[str], field: Field) -> Postings:
        columns = [self.then.postings(field, term)[0] for term in dict.fromkeys(terms)]
        rows = sorted(set(columns[0]).intersection(*columns[1:]))
        positions = {term: self.then.positions(field, term, rows) for term in dict.fromkeys(terms)}
        counts = map(phrase_counts, zip(*(positions[term] for term in terms), strict=True))
        found = [(row, times) for row, times in zip(rows, counts, strict=True) if times]
        return [row for row, _ in found], [times for _, times in found]

    def _expanded(self, start: str) -> tuple[str, ...]:
        """Return the terms that words beginning with `start` may have; which of them do, the text tells."""
        longer = self.then.terms(start)
        shorter = {start[:length] for length in range(SHORTEST_STEM, len(start))}
        shorter |= {stem[:-1] + "i" for stem in shorter | {start} if stem[-1] == "y"}
        shorter.add(analysis.term_of(start))
        return tuple(dict.fromkeys([*longer, *sorted(stem for stem in shorter if self.holds(stem))]))
