"""The first stage of a search: the memories that match, scored by the index alone.

`Audience` holds what the viewer may see, with statistics over just that, computed once for many queries; `Candidates`
are the memories that match one query.
"""

from __future__ import annotations

import heapq
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.core import terms
from memstore.core import terms as analysis
from memstore.core.catalog import ITEM_SEPARATOR, Field
from memstore.search import quality, ranking
from memstore.search.matching import Matcher, holds_alias, phrase_counts
from memstore.search.ranking import Demands
from memstore.search.retrieval import Need, Phrase, Prefix, Sort, Unit, Word
from memstore.search.uses import uses_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from memstore.core.config import QualityProfile
    from memstore.core.view import View
    from memstore.search.retrieval import Clause
    from memstore.search.uses import Use

    Postings = tuple[Sequence[int], Sequence[int]]
    from collections.abc import Iterator, Sequence

    from memstore.search.retrieval import Query


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
        self.rows, self.memories = then.texts, then.rows
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


# -- one query -------------------------------------------------------------------------------------


# As many files are read at once for one ranking of passages: more found nothing more (docs/search.md).
FILES_AT_ONCE = 20


class Candidates:
    """The memories that match one query.

    `scores` holds their scores by row, `weights` what each clause of the query weighs, `best_possible` what a memory
    that is all about the query would score; it is 0 where a query has only filters. `by_meaning` are the rows that
    match by their meaning alone.

    Args:
        audience: the memories that the viewer may see.
        allowed: the rows of those that the filters let through.
        asked: the query.
        by: what is looked for; passages answer for themselves for what they must not hold.
        similar: how like the query in meaning allowed rows are, in [0,1]; empty where nothing tells.
        vector_weight: what that weighs against the words, in [0,1]; None is what it weighs in a search.
    """

    def __init__(
        self,
        audience: Audience,
        allowed: Sequence[int],
        asked: Query,
        by: Unit,
        similar: Mapping[int, float] | None = None,
        *,
        vector_weight: float | None = None,
    ) -> None:
        self.audience = audience
        self._clauses = asked.clauses
        self._terms = [audience.terms_of(clause) for clause in asked.clauses]
        self._by = by
        self.weights = [0.0] * len(asked.clauses)
        self.best_possible = 0.0
        self.scores = self._scored(allowed, self._named(asked))
        self.by_meaning: frozenset[int] = frozenset()
        if similar and self.best_possible:
            self._fuse(similar, vector_weight)

    @property
    def matcher(self) -> Matcher:
        """What finds the query's clauses in texts."""
        return Matcher(self._clauses, self._terms)

    @property
    def demands(self) -> Demands:
        """What a passage must hold and must not, by itself; a memory has answered for that already."""
        if self._by is Unit.MEMORY:
            return Demands()
        return Demands(must=self._numbers(Need.MUST), must_not=self._numbers(Need.MUST_NOT))

    def blocks(self, rows: Sequence[int], sort: Sort, quality_of: Callable[[int], float]) -> Iterator[list[int]]:
        """Yield rows in order, best first, as many at a time as files are read at once.

        Args:
            rows: which.
            sort: the order.
            quality_of: gives a row's quality; asked only where that orders them.
        """
        keys = self._keys(rows, sort, quality_of)
        start = 0
        if len(rows) > FILES_AT_ONCE:
            # Mostly nothing more is asked for, so all the others need not be put in order.
            last = heapq.nsmallest(FILES_AT_ONCE, keys.values())[-1]
            yield self._ordered([row for row in rows if keys[row] <= last], keys)[:FILES_AT_ONCE]
            start = FILES_AT_ONCE
        ordered = self._ordered(rows, keys)
        for at in range(start, len(ordered), FILES_AT_ONCE):
            yield ordered[at : at + FILES_AT_ONCE]

    def _ordered(self, rows: Sequence[int], keys: Mapping[int, float]) -> list[int]:
        """Return rows by their keys; where these are the same, names decide, and only there they are read."""
        counts = Counter(keys[row] for row in rows)
        name = self.audience.names([row for row in rows if counts[keys[row]] > 1])
        return sorted(rows, key=lambda row: (keys[row], name(row) if counts[keys[row]] > 1 else ("", "")))

    def _keys(self, rows: Sequence[int], sort: Sort, quality_of: Callable[[int], float]) -> dict[int, float]:
        """Return by what each row is ordered; the smallest stands first."""
        audience = self.audience
        match sort:
            case Sort.TITLE | Sort.PATH:
                texts = audience.column(sort.value)
                ordered = sorted({texts[row].casefold() for row in rows})
                place = {text: float(at) for at, text in enumerate(ordered)}
                return {row: place[texts[row].casefold()] for row in rows}
            case Sort.CONFIDENCE:
                held = audience.column("confidence")
                return {row: -float(held[row] or -1.0) for row in rows}
            case Sort.QUALITY:
                scores = self.scores if self.best_possible else dict.fromkeys(rows, 1.0)
                return {row: -scores[row] * quality_of(row) for row in rows}
            case Sort.RELEVANCE if self.best_possible:
                return {row: -round(self.scores[row], 9) for row in rows}
            case _:
                times = audience.column("created_at")
                order = {time: -float(at) for at, time in enumerate(sorted({times[row] for row in rows}))}
                return {row: order[times[row]] for row in rows}

    def _scored(self, allowed: Sequence[int], named: set[int]) -> dict[int, float]:
        numbers = [at for at, clause in enumerate(self._clauses) if clause.need is not Need.MUST_NOT]
        if not numbers:
            return dict.fromkeys(self._without(set(allowed)), 0.0)
        columns = [(*self._postings(at, Field.TEXT), *self._postings(at, Field.HEAD)) for at in numbers]
        audience = self.audience
        found = ranking.score_memories(columns, audience.lengths, count=len(audience.rows), average=audience.average)
        for at, weight in zip(numbers, found.idfs, strict=True):
            self.weights[at] = weight
        self.best_possible = found.best_possible
        scores = found.by_row
        for row in named:
            scores[row] = ranking.named_score(scores.get(row, 0.0), found.best_possible)
        kept = scores.keys() & allowed if len(allowed) < len(audience.rows) else set(scores)
        for at, column in zip(numbers, columns, strict=True):
            if self._clauses[at].need is Need.MUST:
                kept &= {*column[0], *column[2]}
        kept = self._without(kept)
        return scores if len(kept) == len(scores) else {row: score for row, score in scores.items() if row in kept}

    def _fuse(self, similar: Mapping[int, float], vector_weight: float | None) -> None:
        """Put meaning into the scores, on their own scale; what must be found is found by its words alone."""
        from memstore.search import meaning

        words = self.scores
        like = {row for row, alike in similar.items() if alike >= meaning.LEAST_SIMILARITY and row not in words}
        if not self._numbers(Need.MUST):
            self.by_meaning = frozenset(self._without(like))
        near = {row: alike for row, alike in similar.items() if row in words or row in self.by_meaning}
        scale = max(words.values(), default=self.best_possible)
        weight = meaning.VECTOR_WEIGHT if vector_weight is None else vector_weight
        found = meaning.fused(words, near, vector_weight=weight)
        self.scores = {row: score * scale for row, score in found.items()}

    def _without(self, rows: set[int]) -> set[int]:
        """Return the rows that hold nothing of what they must not."""
        if self._by is Unit.MEMORY:
            for at in self._numbers(Need.MUST_NOT):
                rows = rows - {*self._postings(at, Field.TEXT)[0], *self._postings(at, Field.HEAD)[0]}
        return rows

    def _named(self, asked: Query) -> set[int]:
        """Return the rows of which an alias stands in the query."""
        if not asked.clauses or not self.audience.aliases:
            return set()
        words = terms.words(asked.text)
        return {row for row, alias in self.audience.aliases if holds_alias(words, alias)}

    def _numbers(self, need: Need) -> frozenset[int]:
        return frozenset(at for at, clause in enumerate(self._clauses) if clause.need is need)

    def _postings(self, number: int, field: Field) -> tuple[Sequence[int], Sequence[int]]:
        return self.audience.postings(self._clauses[number], self._terms[number], field)
