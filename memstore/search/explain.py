"""Explain a result's score term by term; computed only on request.

Entry points: `Explainer.of_memory` and `Explainer.of_passage`. Every number is a share of the relevance, and the parts
of a result add up to it. There is no second scoring method: the share of a word in a memory's score comes from the
ranker, queried for that word alone, and passages keep their own parts (`ranking.LinePart`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memstore.core.catalog import FileKind
from memstore.search import INDEX, ranking
from memstore.search.clauses import Need, Phrase, Prefix
from memstore.search.explanation import LEAST_TOLD, Explanation, ScorePart
from memstore.search.index import date_words, name_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memstore.search.clauses import Clause, Query
    from memstore.search.matching import Matcher
    from memstore.search.opened import Opened
    from memstore.search.ranker import Candidates
    from memstore.search.ranking import ScoredPassage


def name_of(clause: Clause) -> str:
    """Return what a clause asks for, as a user would write it."""
    match clause.asked:
        case Prefix(start):
            return f"{start}*"
        case Phrase(words):
            return f'"{" ".join(words)}"'
        case word:
            return word.typed or word.term


def places_in(file: Opened, matcher: Matcher) -> dict[int, dict[str, int]]:
    """Return where in a memory the clauses of a query match and how often: clause number to place to count."""
    entry = file.entry
    texts = [("text", file.text.body), ("title", file.own_title)]
    texts += [("alias", alias) for alias in entry.aliases] + [("tag", tag) for tag in entry.tags]
    texts += [("date", date_words(entry.created_at or None)), ("name", name_words(entry.path, entry.id))]
    texts += [("frontmatter", file.text.head)] if entry.kind is FileKind.PLAIN else []
    found: dict[int, dict[str, int]] = {}
    for where, text in texts:
        for _, clause in matcher.places(text):
            its = found.setdefault(clause, {})
            its[where] = its.get(where, 0) + 1
    return found


class Explainer:
    """Explains the results of one query.

    Args:
        candidates: the memories that match the query.
        asked: the query.
        weights: the weight of each of its clauses in passages.
    """

    def __init__(self, candidates: Candidates, asked: Query, weights: Sequence[float]) -> None:
        self._candidates = candidates
        self._asked = asked
        self._weights = weights
        self._names = [name_of(clause) for clause in asked.clauses]
        self._also = {name_of(clause) for clause in asked.clauses if clause.is_also}
        self._best_possible = candidates.best_possible
        self._of_row = cache(self._memory_parts)

    def of_memory(
        self,
        row: int,
        file: Opened,
        passages: Sequence[ScoredPassage],
        named: Iterable[int],
        *,
        titled: float,
        recency: float,
    ) -> Explanation:
        """Return the explanation of a memory that is a result.

        Args:
            row: its row.
            file: its file.
            passages: the matching passages, best first.
            named: the clauses of its title or of a heading, if the whole of it occurs in the query.
            titled: what its title, file name and folders add (`ranking.title_score`).
            recency: the factor by which being new raises its score.
        """
        if not self._best_possible:
            return Explanation((ScorePart("filter", 1.0),), status=file.entry.status or "active")
        of_line = ranking.PASSAGE_SHARE / (1 + ranking.PASSAGE_SHARE)
        line, own = self._best_line(row, file, passages)
        if points := ranking.NAMED_SHARE * ranking.line_score(named, self._weights):
            said = " ".join(self._names[clause] for clause in sorted(named))
            own.append(ScorePart("named", points / self._best_possible, said))
        made_of = [*_scaled(self._of_row(row, file), 1 - of_line), *_scaled(own, of_line)]
        if titled:
            made_of.append(ScorePart("named", titled / self._best_possible))
        words = _newer(made_of, recency)
        parts = _parts_with_meaning(words, self._candidates.meaning_of(row))
        chosen = (part for part in self._parts_of_line(row, passages[0]) if part.kind in _OF_THE_LINE)
        return Explanation(self._told(parts), line, tuple(chosen), status=file.entry.status or "active")

    def of_passage(self, row: int, file: Opened, one: ScoredPassage, *, recency: float) -> Explanation:
        """Return the explanation of a passage that is a result; see `of_memory`."""
        if not self._best_possible:
            return Explanation((ScorePart("filter", 1.0),), status=file.entry.status or "active")
        share = ranking.MEMORY_SHARE * self._candidates.scores[row] / self._best_possible
        words = _scaled([*self._parts_of_line(row, one), ScorePart("whole", share)], 1 / (1 + ranking.MEMORY_SHARE))
        lines = range(one.passage.line_start, one.passage.line_end + 1)
        parts = _newer(_parts_with_meaning(words, self._candidates.meaning_of(row, lines=lines)), recency)
        return Explanation(self._told(parts), one.passage.line_start, status=file.entry.status or "active")

    def _told(self, parts: Iterable[ScorePart]) -> tuple[ScorePart, ...]:
        """Return the parts, each with whether its term is one of the other words."""
        return tuple(part._replace(by_also=part.term in self._also) if self._also else part for part in parts)

    def _memory_parts(self, row: int, file: Opened) -> tuple[ScorePart, ...]:
        """Return the score of each clause in the memory as a whole, and of an alias that occurs in the query."""
        places = places_in(file, self._candidates.matcher_of(row))
        parts = []
        for number, clause in enumerate(self._asked.clauses):
            points = self._alone(row, [clause]) if clause.need is not Need.MUST_NOT else 0.0
            if points:
                where = tuple(places.get(number, {}).items())
                parts.append(ScorePart("memory", points / self._best_possible, self._names[number], where))
        alias = self._candidates.words_of(row) / self._best_possible - sum(part.points for part in parts)
        return (*parts, ScorePart("alias", alias)) if alias > LEAST_TOLD else tuple(parts)

    def _alone(self, row: int, clauses: Sequence[Clause]) -> float:
        """Return the score of a row for some clauses only."""
        then = self._candidates.audience.then
        return sum(then.of(INDEX).ranker.rank(clauses, then, None, among=[row]).scores)

    def _best_line(self, row: int, file: Opened, passages: Sequence[ScoredPassage]) -> tuple[int, list[ScorePart]]:
        """Return the line that counts for a memory, or 0 for its title, and the parts of its score."""
        best = max(passages, key=lambda one: one.own)
        in_title = self._counts(row, file.own_title)
        if ranking.line_score(in_title, self._weights) > best.own:
            return 0, self._of_the_head(in_title, "title")
        own = [part for part in self._parts_of_line(row, best) if part.kind not in _OF_THE_LINE]
        return (best.passage.line_start if own else 0), own

    def _parts_of_line(self, row: int, one: ScoredPassage) -> Iterator[ScorePart]:
        """Yield the parts of a passage's score, without its memory's share."""
        if one.own and not one.parts:
            yield from self._of_the_head(self._counts(row, one.passage.text), "line")
        for part in one.parts:
            term = None if part.clause is None else self._names[part.clause]
            kind = "line" if part.kind == "word" else part.kind
            yield ScorePart(kind, part.points / self._best_possible, term, part.places)

    def _of_the_head(self, counts: dict[int, int], where: str) -> list[ScorePart]:
        """Return the parts of the score of a title or line that has no parts of its own, one for each clause."""
        points = {clause: ranking.line_score([clause], self._weights) / self._best_possible for clause in counts}
        return [ScorePart("line", points[one], self._names[one], ((where, counts[one]),)) for one in sorted(counts)]

    def _counts(self, row: int, text: str) -> dict[int, int]:
        counts: dict[int, int] = {}
        for _, clause in self._candidates.matcher_of(row).places(text):
            counts[clause] = counts.get(clause, 0) + 1
        return counts


_OF_THE_LINE = frozenset({"speaker", "answer", "asking"})


def _scaled(parts: Iterable[ScorePart], factor: float) -> list[ScorePart]:
    return [part._replace(points=part.points * factor) for part in parts]


def _newer(parts: list[ScorePart], recency: float) -> list[ScorePart]:
    """Return the parts, and one more for being new if that adds anything."""
    added = (recency - 1) * sum(part.points for part in parts)
    return [*parts, ScorePart("recent", added)] if added else parts


def _parts_with_meaning(parts: list[ScorePart], meaning: tuple[float, float] | None) -> list[ScorePart]:
    """Return the parts, scaled to make room for the meaning, if there is one: its weight and its similarity."""
    if meaning is None:
        return parts
    weight, alike = meaning
    return [*_scaled(parts, 1 - weight), ScorePart("meaning", weight * alike)]
