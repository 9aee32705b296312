"""The first stage of a search: the memories that match, scored by the index alone."""

from __future__ import annotations

import heapq
from collections import Counter
from typing import TYPE_CHECKING

from memstore.model.catalog import Field
from memstore.model.retrieval import Need, Sort, Unit
from memstore.rules import analysis, ranking
from memstore.rules.matching import Matcher, holds_alias
from memstore.rules.ranking import Demands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memstore.flows.audience import Audience
    from memstore.model.retrieval import Query

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
        from memstore.rules import fusion

        words = self.scores
        like = {row for row, alike in similar.items() if alike >= fusion.LEAST_SIMILARITY and row not in words}
        if not self._numbers(Need.MUST):
            self.by_meaning = frozenset(self._without(like))
        near = {row: alike for row, alike in similar.items() if row in words or row in self.by_meaning}
        scale = max(words.values(), default=self.best_possible)
        weight = fusion.VECTOR_WEIGHT if vector_weight is None else vector_weight
        found = fusion.fused(words, near, vector_weight=weight)
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
        words = analysis.words(asked.text)
        return {row for row, alias in self.audience.aliases if holds_alias(words, alias)}

    def _numbers(self, need: Need) -> frozenset[int]:
        return frozenset(at for at, clause in enumerate(self._clauses) if clause.need is need)

    def _postings(self, number: int, field: Field) -> tuple[Sequence[int], Sequence[int]]:
        return self.audience.postings(self._clauses[number], self._terms[number], field)
