"""The first stage of a search: find and score matching memories from the index alone.

A `Ranker`, here `IndexRanker`, does this and keeps columns and postings to itself. `Audience` has everything else that
a search needs from a view, computed once for many queries; `Candidates` are the memories that match one query.
"""

from __future__ import annotations

import heapq
import weakref
from collections import Counter, defaultdict
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.core import terms
from memstore.core.catalog import ITEM_SEPARATOR, Field, filled
from memstore.core.ids import MemoryRef
from memstore.core.keys import EXTERNAL
from memstore.core.languages import ANY_OTHER, ENGLISH, OTHERS, language_term, stemmer
from memstore.core.memory import STACK_MARK
from memstore.search import INDEX, quality, ranking
from memstore.search.clauses import Need, Phrase, Prefix, Word
from memstore.search.matching import Matcher, all_terms, holds_alias, phrase_counts
from memstore.search.ranking import Demands
from memstore.search.retrieval import Ranked, Sort, Unit
from memstore.search.uses import uses_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.core.config import QualityProfile
    from memstore.core.view import View
    from memstore.search.clauses import Clause, Query
    from memstore.search.library import SearchIndex
    from memstore.search.meaning import Similar
    from memstore.search.usage_log import Use

    Postings = tuple[Sequence[int], Sequence[int]]


# A stem may be shorter than its word, so beginnings of a prefix with at least this many letters may be stems, too.
SHORTEST_STEM = 3
# Up to this many rows, reading their entries is faster than reading one or two columns of a large vault.
FEW_ROWS = 200


def in_order(audience: Audience, rows: Iterable[int], keys: Mapping[int, float]) -> list[int]:
    """Return rows sorted by their keys, ties by name; names are read only for ties."""
    rows = list(rows)
    counts = Counter(keys[row] for row in rows)
    name = audience.names([row for row in rows if counts[keys[row]] > 1])
    return sorted(rows, key=lambda row: (keys[row], name(row) if counts[keys[row]] > 1 else ("", "")))


def best_first(audience: Audience, rows: Iterable[int], keys: Mapping[int, float], first: int) -> list[int]:
    """Return the first rows in the order of `in_order`, without sorting the rest."""
    rows = list(rows)
    if len(rows) > first:
        last = heapq.nsmallest(first, [keys[row] for row in rows])[-1] if first else 0.0
        rows = [row for row in rows if keys[row] <= last]
    return in_order(audience, rows, keys)[:first]


def relevance_keys(scores: Mapping[int, float]) -> dict[int, float]:
    """Return the sort keys of rows with these scores; the smallest key comes first."""
    return {row: -round(score, 9) for row, score in scores.items()}


class ContentOrigin(IntEnum):
    """Whose words a memory has: its author's, its author's after external ones (docs/adr/0038), or somebody else's."""

    OWN = 0
    DERIVED = 1
    EXTERNAL = 2


class Audience:
    """Everything that a search needs from a view, computed once for many queries.

    Args:
        then: the vault at the time in question.
    """

    def __init__(self, then: View) -> None:
        self.then = then
        self.rows, self.memories = then.texts, then.rows
        self._columns: dict[str, Sequence[str]] = {}

    @cached_property
    def left_out(self) -> int:
        """The number of files that can't be read, as far as the viewer may know."""
        return len(self.then.broken)

    def column(self, name: str) -> Sequence[str]:
        """Return a column of the catalogue; it is fetched only once."""
        if name not in self._columns:
            self._columns[name] = self.then.column(name)
        return self._columns[name]

    @cached_property
    def in_others(self) -> Mapping[int, str]:
        """The language of each memory that is not in English, by row; usually empty."""
        if not self.then.holding(Field.HEAD, ANY_OTHER):
            return {}
        return {row: one for one in OTHERS for row in self.then.holding(Field.HEAD, language_term(one))}

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages other than English that memories are in."""
        return tuple(sorted(set(self.in_others.values())))

    def language_of(self, row: int) -> str:
        """Return the language that a memory is in."""
        return self.in_others.get(row, ENGLISH)

    @cached_property
    def has_external(self) -> bool:
        """Whether there are external memories at all, or any derived from a loaded stack."""
        return EXTERNAL in self.column("source_type") or any(STACK_MARK in cell for cell in self.column("derived_from"))

    def own_first(self, rows: Iterable[int]) -> list[list[int]]:
        """Return rows in groups by `ContentOrigin`: however well those from outside match, they come last."""
        if not self.has_external:
            return [[*rows]]
        groups: list[list[int]] = [[] for _ in ContentOrigin]
        for row in rows:
            groups[self.origin(row)].append(row)
        return groups

    def origin(self, row: int) -> ContentOrigin:
        """Return whose words a memory has."""
        if self.column("source_type")[row] == EXTERNAL:
            return ContentOrigin.EXTERNAL
        is_derived = self.has_external and self.column("derived_from")[row] and row in self._hearsay
        return ContentOrigin.DERIVED if is_derived else ContentOrigin.OWN

    @cached_property
    def _hearsay(self) -> frozenset[int]:
        """The memories derived from external ones, over any number of links, none of which anybody vouches for."""
        ids, kinds, sources = map(self.column, ("id", "source_type", "derived_from"))
        derived: defaultdict[str, list[int]] = defaultdict(list)
        for row in self.memories:
            for ref in map(MemoryRef.parse, sources[row].split(ITEM_SEPARATOR) if sources[row] else ()):
                if ref:
                    derived[ref.id].append(row)
        of_stacks = [row for row in self.memories if STACK_MARK in sources[row] and not self._is_vouched(row)]
        waiting = [row for row in self.memories if kinds[row] == EXTERNAL and not self._is_vouched(row)] + of_stacks
        found = {*of_stacks}
        while waiting:
            reached = [row for row in derived.pop(ids[waiting.pop()], ()) if not self._is_vouched(row)]
            found.update(reached)
            waiting += reached
        return frozenset(found)

    def _is_vouched(self, row: int) -> bool:
        file = self.then.read(self.then.entry(row).path) if self.column("attested")[row] else None
        return file is not None and self.then.is_vouched(file.memory)

    def names(self, rows: Sequence[int]) -> Callable[[int], tuple[str, str]]:
        """Return a function that gives the tie-breaking key of each of these rows: the ref, then the path."""
        if len(rows) <= FEW_ROWS:  # whole columns need not be read for them
            entries = {row: self.then.entry(row) for row in rows}
            return lambda row: (entries[row].ref or "", entries[row].path)
        ids, types, paths = map(self.column, ("id", "type", "path"))
        return lambda row: (f"{types[row]}:{ids[row]}" if ids[row] else "", paths[row])

    def quality(self, row: int, *, cites: bool, now: datetime, profile: QualityProfile) -> float:
        """Return a memory's quality without its conflicts, given whether it cites lines that still stand."""
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

    @cached_property
    def _uses(self) -> Mapping[str, Sequence[Use]]:
        return uses_of(self.then)


# -- ranking by a local index -----------------------------------------------------------------------


class IndexRanker:
    """Ranks memories by a local index.

    Args:
        index: the search index of the visible rows.
        generation: the name of the state of the files in the index; None if unknown.
    """

    def __init__(self, index: SearchIndex, generation: str | None = None) -> None:
        # A view keeps its ranker. If the ranker kept the view, both would stay until Python looks for such circles.
        self._index: SearchIndex = weakref.proxy(index)
        self._generation = generation
        self._shown: _Shown | None = None
        self._view: Callable[[], View | None] = lambda: None
        self._last: tuple[tuple[tuple[Clause, ...], str, Unit], Ranked, Mapping[int, float]] | None = None

    def rank(
        self,
        clauses: Sequence[Clause],
        view: View,
        k: int | None,
        *,
        among: Sequence[int] | None = None,
        text: str = "",
        by: Unit = Unit.MEMORY,
    ) -> Ranked:
        """Return the matching memories, the best `k` in order or all; see `Ranker`."""
        if self._shown is None or self._view() is not view:
            self._shown, self._last = _Shown(Audience(weakref.proxy(view)), self._index), None
            self._view = weakref.ref(view)
        audience = self._shown.audience
        # A search first asks which memories match, to filter these alone, then for the best of those that are left.
        asked = (tuple(clauses), text, by)
        if self._last is None or self._last[0] != asked:
            self._last = (asked, *self._matching(self._shown, *asked))
        _, found, scores = self._last
        if among is not None and len(among) < len(audience.rows):
            scores = {row: scores[row] for row in among if row in scores}
        rows = [*scores]
        if k is not None:
            rows = best_first(audience, rows, relevance_keys(scores), k)
        return found._replace(rows=rows, scores=[scores[row] for row in rows], total=len(scores))

    def _matching(
        self, shown: _Shown, clauses: Sequence[Clause], text: str, by: Unit
    ) -> tuple[Ranked, Mapping[int, float]]:
        """Return what is found out about a query, without rows, and the score of every memory that matches."""
        terms_of = {
            language: [shown.terms_of(clause, language) for clause in clauses]
            for language in (ENGLISH, *shown.audience.languages)
        }
        columns = [
            (*shown.postings(clause, each, Field.TEXT), *shown.postings(clause, each, Field.HEAD))
            if clause.need is not Need.MUST_NOT or by is Unit.MEMORY
            else ((), (), (), ())
            for clause, *in_each in zip(clauses, *terms_of.values(), strict=True)
            for each in [dict(zip(terms_of, in_each, strict=True))]
        ]
        weights = [0.0] * len(clauses)
        numbers = [at for at, clause in enumerate(clauses) if clause.need is not Need.MUST_NOT]
        found = ranking.score_memories(
            [columns[at] for at in numbers],
            shown.lengths,
            count=len(shown.audience.rows),
            average=shown.average,
            shares=[clauses[at].weight for at in numbers],
        )
        for at, weight in zip(numbers, found.idfs, strict=True):
            weights[at] = weight
        scores = found.by_row
        if numbers:
            for row in shown.named_in(text):
                scores[row] = ranking.named_score(scores.get(row, 0.0), found.best_possible)
        else:
            scores = dict.fromkeys(shown.audience.rows, 0.0)
        kept = set(scores)
        for clause, column in zip(clauses, columns, strict=True):
            if clause.need is Need.MUST:
                kept &= {*column[0], *column[2]}
            elif clause.need is Need.MUST_NOT:
                kept -= {*column[0], *column[2]}
        if len(kept) < len(scores):
            scores = {row: score for row, score in scores.items() if row in kept}
        ranked = Ranked(
            rows=(),
            scores=(),
            weights=tuple(weights),
            terms=_of_words(clauses, terms_of.pop(ENGLISH)),
            best_possible=found.best_possible,
            total=len(scores),
            generation=self._generation,
            in_others={language: _of_words(clauses, each) for language, each in terms_of.items()},
        )
        return ranked, scores


def _of_words(clauses: Sequence[Clause], terms: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the terms of each clause that asks for a word, empty for the others."""
    return tuple(each if isinstance(clause.asked, Word) else () for clause, each in zip(clauses, terms, strict=True))


class _Shown:
    """The part of an index that a view shows, with statistics over that part only."""

    def __init__(self, audience: Audience, index: SearchIndex) -> None:
        self.audience = audience
        self._index = index

    @cached_property
    def lengths(self) -> Sequence[int]:
        """The number of words in every row's text."""
        return self._index.lengths(Field.TEXT)

    @cached_property
    def average(self) -> float:
        """The mean number of words of a visible memory's text."""
        rows = self.audience.rows
        if not rows:
            return 0.0
        if len(rows) == len(self.lengths):
            return sum(self.lengths) / len(rows)
        return sum(map(self.lengths.__getitem__, rows)) / len(rows)

    def named_in(self, text: str) -> set[int]:
        """Return the rows with an alias that occurs in a text."""
        if not text or not self._aliases:
            return set()
        words = terms.whole_words(text)
        return {row for row, alias in self._aliases if holds_alias(words, alias)}

    @cached_property
    def _aliases(self) -> Sequence[tuple[int, tuple[str, ...]]]:
        """The aliases of visible memories, as folded words, with their rows."""
        column = self.audience.column("aliases")
        return [
            (row, tuple(terms.whole_words(alias)))
            for row in filled(self.audience.rows, column)
            for alias in column[row].split(ITEM_SEPARATOR)
        ]

    def terms_of(self, clause: Clause, language: str) -> tuple[str, ...]:
        """Return the index terms that count as a clause's word; other spellings count only if the word is unknown."""
        match clause.asked:
            case Word() as word:
                first, *spellings = all_terms(word, language)
                known = (first,) if not spellings or self._holds(first) else (first, *spellings)
                return (*known, *map(stemmer(language), word.names))
            case Prefix(start):
                return self._expanded(start, language)
            case _:
                return ()

    def postings(self, clause: Clause, terms: Mapping[str, Sequence[str]], field: Field) -> Postings:
        """Return the visible rows that match a clause in a field, and the counts; its terms are given by language."""
        others = self.audience.in_others
        if not others:
            return self._postings(clause, terms[ENGLISH], field, ENGLISH)
        counts = {
            row: times
            for language, each in terms.items()
            for row, times in zip(*self._postings(clause, each, field, language), strict=True)
            if others.get(row, ENGLISH) == language
        }
        return list(counts), list(counts.values())

    def _postings(self, clause: Clause, terms: Sequence[str], field: Field, language: str) -> Postings:
        if isinstance(clause.asked, Phrase):
            return self._phrases(clause.asked, field, stemmer(language))
        if len(terms) == 1:
            return self._index.postings(field, terms[0])
        counts: dict[int, int] = {}
        for term in terms:
            for row, times in zip(*self._index.postings(field, term), strict=True):
                counts[row] = counts.get(row, 0) + times
        return list(counts), list(counts.values())

    def _holds(self, term: str) -> bool:
        """Whether a visible memory has this term."""
        return any(self._index.postings(field, term)[0] for field in Field)

    def _phrases(self, asked: Phrase, field: Field, stem: Callable[[str], str]) -> Postings:
        """Return the rows with adjacent words that have the terms of a phrase: the index has stems, not words."""
        counts: Counter[int] = Counter()
        for words in (asked.words, *asked.others):
            counts.update(dict(zip(*self._phrase([*map(stem, words)], field), strict=True)))
        return list(counts), list(counts.values())

    def _phrase(self, terms: Sequence[str], field: Field) -> Postings:
        columns = [self._index.postings(field, term)[0] for term in dict.fromkeys(terms)]
        rows = sorted(set(columns[0]).intersection(*columns[1:]))
        positions = {term: self._index.positions(field, term, rows) for term in dict.fromkeys(terms)}
        counts = map(phrase_counts, zip(*(positions[term] for term in terms), strict=True))
        found = [(row, times) for row, times in zip(rows, counts, strict=True) if times]
        return [row for row, _ in found], [times for _, times in found]

    def _expanded(self, start: str, language: str) -> tuple[str, ...]:
        """Return the terms that words beginning with `start` may have; the text decides which ones match."""
        longer = self._index.terms(start)
        shorter = {start[:length] for length in range(SHORTEST_STEM, len(start))}
        if language == ENGLISH:
            shorter |= {stem[:-1] + "i" for stem in shorter | {start} if stem[-1] == "y"}
        else:  # stemming may also change endings: `frequence` is found as `frequent`
            near = self._index.terms(start[:-1]) if len(start) > SHORTEST_STEM else ()
            shorter |= {term for term in near if len(term) <= len(start) + 1}
        shorter.add(stemmer(language)(start))
        return tuple(dict.fromkeys([*longer, *sorted(stem for stem in shorter if self._holds(stem))]))


# -- one query -------------------------------------------------------------------------------------


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
        usual = meaning.VECTOR_WEIGHT_BESIDE_ALSO if self._asked.also else meaning.VECTOR_WEIGHT
        return (usual if self._vector_weight is None else self._vector_weight), alike

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
