"""The memories that match one query, the best of them first, with meaning if there are vectors."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memstore.core.languages import ENGLISH
from memstore.search import INDEX
from memstore.search.clauses import Need, Phrase, Prefix
from memstore.search.matching import Matcher
from memstore.search.ranker import best_first, in_order, relevance_keys
from memstore.search.ranking import Demands
from memstore.search.retrieval import Sort, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memstore.search.clauses import Query
    from memstore.search.meaning import Similar
    from memstore.search.ranked import Ranked
    from memstore.search.ranker import Audience

    Postings = tuple[Sequence[int], Sequence[int]]

# How many files are read for one ranking of passages; reading more did not find more (docs/search.md).
FILES_AT_ONCE = 20


class Candidates:
    """The memories that match one query.

    `scores` has their scores by row, at first perhaps only of the best ones; `weights` has the weight of each clause;
    `best_possible` is the highest possible score by words, 0 if the query has only filters. `by_meaning` has the rows
    that match by meaning alone; `total` is the number of all matching memories.

    Args:
        audience: the memories that the viewer may see.
        allowed: the rows of those that pass the filters.
        asked: the query.
        by: the unit of results; for passages, excluded words are checked per passage.
        similar: the similarity in meaning of allowed rows to the query; None if unknown.
        vector_weight: the weight of that similarity against the words, in [0,1]; None for the usual weight.
        best: how many are usually needed, in the order of relevance; None for all, in any order.
    """

    def __init__(
        self,
        audience: Audience,
        allowed: Sequence[int],
        asked: Query,
        by: Unit,
        similar: Similar | None = None,
        *,
        vector_weight: float | None = None,
        best: int | None = None,
    ) -> None:
        self.audience = audience
        self._allowed = allowed
        self._asked = asked
        self._by = by
        asks = any(clause.need is not Need.MUST_NOT for clause in asked.clauses)
        # How many are already in order; 0 if all are there, unordered.
        has_meaning = similar is not None and bool(similar.rows)
        in_any_order = best is None or has_meaning or audience.has_external or not asks
        self._best = 0 if best is None or in_any_order else -(-max(best, 1) // FILES_AT_ONCE) * FILES_AT_ONCE
        found = self._ranked = self._rank(self._best or None)
        self.weights, self.best_possible, self.total = found.weights, found.best_possible, found.total
        self.scores = dict(zip(found.rows, found.scores, strict=True))
        self.by_meaning: frozenset[int] = frozenset()
        self._words: Mapping[int, float] = self.scores
        self._similar: Similar | None = None
        self._vector_weight = vector_weight
        if similar and similar.rows and self.best_possible:
            self._fuse(similar)

    def _rank(self, k: int | None) -> Ranked:
        asked, then = self._asked, self.audience.then
        return then.of(INDEX).ranker.rank(asked.clauses, then, k, among=self._allowed, text=asked.text, by=self._by)

    @cached_property
    def matchers(self) -> Mapping[str, Matcher]:
        """The matchers for the query's clauses, by the language of the text."""
        terms = {ENGLISH: self._ranked.terms, **self._ranked.in_others}
        return {language: Matcher(self._asked.clauses, each, language) for language, each in terms.items()}

    @property
    def matcher(self) -> Matcher:
        """The matcher for the query's clauses in English texts."""
        return self.matchers[ENGLISH]

    def matcher_of(self, row: int) -> Matcher:
        """Return the matcher for the query's clauses in the language of a memory."""
        return self.matchers[self.audience.language_of(row)]

    @property
    def letter_by_letter(self) -> frozenset[int]:
        """The numbers of the clauses that a memory must match letter by letter; the index only knows their terms."""
        return frozenset(
            at
            for at in self._numbers(Need.MUST)
            if not isinstance(asked := self._asked.clauses[at].asked, Prefix)
            and (isinstance(asked, Phrase) or asked.whole)
        )

    @property
    def demands(self) -> Demands:
        """The clauses that a passage itself must or must not match; empty for memories, which are already checked."""
        if self._by is Unit.MEMORY:
            return Demands()
        return Demands(must=self._numbers(Need.MUST), must_not=self._numbers(Need.MUST_NOT))

    def blocks(
        self, sort: Sort, quality_of: Callable[[int], float], rows: Sequence[int] | None = None
    ) -> Iterator[list[int]]:
        """Yield rows in order, best first, in blocks of as many files as are read at once.

        Args:
            sort: the order; must be relevance if only the best were requested.
            quality_of: returns a row's quality; called only if the order depends on it.
            rows: the rows to yield; by default all that match.
        """
        start = self._best
        yield from _chunks([*self.scores][:start])
        if start and not self._rest():
            return
        rows = [*self.scores] if rows is None else rows
        keys = self._keys(rows, sort, quality_of)
        first: list[int] = []
        if not start and len(rows) > FILES_AT_ONCE:
            # Usually no more are needed, so the rest is not sorted yet.
            first = best_first(self.audience, rows, keys, FILES_AT_ONCE)
            if self._similar and sort is Sort.RELEVANCE:
                # How much a line adds to the words is known only after reading it.
                words = relevance_keys({row: self._words[row] for row in rows if row in self._words})
                first = [*dict.fromkeys((*first, *best_first(self.audience, [*words], words, FILES_AT_ONCE)))]
            yield first
        known = frozenset(first)
        yield from _chunks([row for row in in_order(self.audience, rows, keys)[start:] if row not in known])

    def _rest(self) -> bool:
        """Load the scores of all other rows; return False if there are none, or if rows have changed meanwhile."""
        if self.total <= self._best:
            return False
        found = self._rank(None)
        if found.generation != self._ranked.generation:
            return False
        self._words = self.scores = dict(zip(found.rows, found.scores, strict=True))
        return True

    def _keys(self, rows: Sequence[int], sort: Sort, quality_of: Callable[[int], float]) -> dict[int, float]:
        """Return the sort key of each row; the smallest comes first."""
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
                return relevance_keys({row: self.scores[row] for row in rows})
            case _:
                times = audience.column("created_at")
                order = {time: -float(at) for at, time in enumerate(sorted({times[row] for row in rows}))}
                return {row: order[times[row]] for row in rows}

    def words_of(self, row: int) -> float:
        """Return the score of a row by its words alone."""
        return self._words.get(row, 0.0)

    def with_meaning(self, row: int, score: float, *, lines: range | None = None) -> float:
        """Return the score of a row by words and meaning; of a passage, if its lines are given."""
        found = self.meaning_of(row, lines=lines)
        if found is None:
            return score
        from memstore.search import meaning

        weight, alike = found
        return meaning.fused(score / self.best_possible, alike, vector_weight=weight) * self.best_possible

    def meaning_of(self, row: int, *, lines: range | None = None) -> tuple[float, float] | None:
        """Return the weight of meaning, and the similarity of a row or some of its lines; None without vectors."""
        if self._similar is None:
            return None
        from memstore.search import meaning

        if lines is None:
            alike = self._similar.rows.get(row, 0.0)
        else:
            its = self.alike(row)
            alike = max((its[line] for line in lines if line in its), default=0.0)
        return (meaning.VECTOR_WEIGHT if self._vector_weight is None else self._vector_weight), alike

    def alike(self, row: int) -> Mapping[int, float]:
        """Return the similarity in meaning of a row's lines to the query, by line number; 0 is the whole memory."""
        return self._similar.lines.get(row, {}) if self._similar else {}

    def _fuse(self, similar: Similar) -> None:
        """Add meaning to the scores, on the same scale; with required clauses, no row matches by meaning alone."""
        from memstore.search import meaning

        words = self.scores
        close = (row for row, alike in similar.rows.items() if alike >= meaning.LEAST_SIMILARITY)
        like = sorted(row for row in close if row not in words)
        if not self._numbers(Need.MUST):
            barred = [clause for clause in self._asked.clauses if clause.need is Need.MUST_NOT]
            then = self.audience.then
            self.by_meaning = frozenset(then.of(INDEX).ranker.rank(barred, then, None, among=like, by=self._by).rows)
        self._similar = similar
        self.scores = {row: self.with_meaning(row, self.words_of(row)) for row in (*words, *sorted(self.by_meaning))}
        self.total = len(self.scores)

    def _numbers(self, need: Need) -> frozenset[int]:
        return frozenset(at for at, clause in enumerate(self._asked.clauses) if clause.need is need)


def _chunks(rows: Sequence[int]) -> Iterator[list[int]]:
    for at in range(0, len(rows), FILES_AT_ONCE):
        yield [*rows[at : at + FILES_AT_ONCE]]
