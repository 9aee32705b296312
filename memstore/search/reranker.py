"""The second stage of a search: read the best memories, score their passages, and cite lines from the same bytes."""

from __future__ import annotations

import sys
from collections import defaultdict
from functools import cached_property, partial
from itertools import accumulate, islice
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from memstore.core import terms
from memstore.core.catalog import FileKind
from memstore.core.config import QualityProfile
from memstore.core.keys import EXTERNAL
from memstore.core.places import stem_of, without_id
from memstore.files.passages import Passage, PassageKind
from memstore.search import INDEX, quality, ranking
from memstore.search.answers import ShownLines, answer_to
from memstore.search.clauses import NO_FILTERS, Filters
from memstore.search.index import date_words, name_words
from memstore.search.matching import holds_alias
from memstore.search.ranker import FILES_AT_ONCE
from memstore.search.ranking import ScoredPassage, Source
from memstore.search.retrieval import Hit, Sort, Unit
from memstore.search.uses import uses_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.core.catalog import Entry
    from memstore.core.conflict import Conflict
    from memstore.core.quotation import External
    from memstore.files.memory_file import MemoryFile
    from memstore.search.clauses import Query
    from memstore.search.explain import Explainer
    from memstore.search.matching import Matcher
    from memstore.search.opened import Opened
    from memstore.search.quality import QualityGrounds
    from memstore.search.ranker import Audience, Candidates
    from memstore.search.usage_log import Use

MOST_MORE = 2
FEW_WORDS = 12  # longest query that is also searched for as typed; in scripts without spaces, each character is a word
# Least share of the best passage's own score for another passage to be shown as well.
WORTH_MORE = 0.5
# Texts with fewer words, such as labels, often occur twice with different meanings.
FEWEST_ALIKE = 5
# A second more of age changes a score in its tenth digit; sums differ with their order in the fifteenth.
_DIGITS = 12


class Wish(NamedTuple):
    """The options of a search: filters, limit, unit and order of the results.

    `facets` has the keys to count values of; `profile` is the formula of quality, None for the one in the vault's
    settings. `explain` requests the parts of each score.
    """

    filters: Filters = NO_FILTERS
    limit: int = 10
    by: Unit = Unit.MEMORY
    sort: Sort = Sort.RELEVANCE
    facets: tuple[str, ...] = ()
    profile: QualityProfile | None = None
    explain: bool = False


class ConflictsAmong(Protocol):
    """Compares the results of one search with each other: `conflicts.among.Among`."""

    def add(self, hits: Sequence[tuple[Hit, Opened]]) -> None:
        """Add results, each with its file."""

    def conflicts_of(self, hit: Hit) -> tuple[Conflict, ...]:
        """Return the open conflicts of a result with other added results."""


class HitReader:
    """Reads the candidates of one query.

    Args:
        candidates: the memories that match.
        asked: the query.
        wish: the options of the search.
        among: compares the results with each other; None if conflicts don't matter.
        now: the current time, in UTC.
    """

    def __init__(
        self, candidates: Candidates, asked: Query, wish: Wish, *, among: ConflictsAmong | None, now: datetime
    ) -> None:
        self._candidates = candidates
        self._asked = asked
        self._then = candidates.audience.then
        self._words = terms.whole_words(asked.text)
        self._asked_words = frozenset(terms.terms(" ".join((asked.text, *asked.also))))
        self._to_answer = terms.is_question(asked.text)
        self._wish = wish
        self._now = now
        self._weights = ranking.passage_weights(candidates.weights)
        self._uses: Mapping[str, Sequence[Use]] = {}
        self._grounds: dict[str, QualityGrounds] = {}
        self._files: dict[str, Opened] = {}
        self._rows: dict[str, int] = {}
        self.lacking: set[int] = set()  # the candidates that were read and do not match the required clauses
        self._among = among
        self._profile = wish.profile or QualityProfile(self._then.config.quality_profile)

    def hits(self) -> tuple[list[Hit], str | None]:
        """Return the hits, best first, and the reason why some are below the required quality, or None.

        It also says if there are none at all.
        """
        least = self._wish.filters.min_confidence
        rows = [*self._candidates.scores]
        if self._wish.facets and self._candidates.letter_by_letter:  # facets count every match
            rows = [row for row in rows if (file := self._then.of(INDEX).opened(row)) and self._holds_all(row, file)]
        if least is None:
            return self._taken(None, 0.0), None
        found = self._taken([row for row in rows if self._quality_of(row, cites=True) >= least], least)
        if found:
            return found, None
        below = self._taken(None, 0.0)
        if not below:
            return [], "nothing matches, whatever its confidence"
        best = max(hit.quality for hit in below)
        return below, f"no result reaches confidence {least:g}; these are the best below it, up to {best:.2f}"

    def file_of(self, hit: Hit) -> Opened:
        """Return the file that a hit was read from."""
        return self._files[hit.path]

    def similarity_of(self, hit: Hit) -> float | None:
        """Return how similar a hit's memory is to the query in meaning, in [0,1]; None without vectors."""
        found = self._candidates.meaning_of(self._rows[hit.path])
        return found and found[1]

    def shown_of(self, hit: Hit) -> ShownLines:
        """Return the visible text of a hit."""
        file = self._files[hit.path]
        cited = range(hit.citation.line_start, hit.citation.line_end + 1)
        above = (heading for one in file.passages if one.line_start in cited for heading in one.headings)
        lines = (hit.citation.excerpt, *(more.excerpt for more in hit.more))
        about = (hit.title, date_words(hit.created_at), *file.entry.tags, *file.entry.aliases)
        return ShownLines((*about, *dict.fromkeys(above)), lines)

    def explained(self, hit: Hit) -> Hit:
        """Return a hit with its explanation completed, if one was requested, by what is known only at the end."""
        if hit.explanation is None:
            return hit
        penalty = sum(conflict.penalty for conflict in hit.conflicts)
        made_of = self._grounds[hit.path]._replace(penalty=penalty)
        explanation = hit.explanation.settled(hit.relevance)
        origin, worth = made_of.base.key, quality.terms(made_of, self._profile)
        return hit._replace(explanation=explanation._replace(quality=worth, origin=origin))

    def place_of(self, entry: Entry) -> tuple[int, Hit | None]:
        """Return the place, from 1, of a memory's first result or of the one that represents it; 0 if there is none."""
        found: list[Hit] = []
        if self._folds:
            said = _FirstSayings()
            for hit in self._coming(None, 0.0):
                self._fold([hit], found, said)
                if hit.path == entry.path:
                    break
        else:
            found = self.hits()[0]
        for place, hit in enumerate(found, 1):
            if hit.path == entry.path or (entry.ref or entry.path) in hit.also:
                return place, hit
        return 0, None

    def _quality_of(self, row: int, *, cites: bool = False) -> float:
        """Return a row's quality without its conflicts, rounded as printed."""
        audience = self._candidates.audience
        return round(audience.quality(row, cites=cites, now=self._now, profile=self._profile), quality.DIGITS)

    def _taken(self, rows: Sequence[int] | None, least: float) -> list[Hit]:
        """Return up to the limit of hits from some rows, or from all, with at least that quality after conflicts.

        Hits that are below it only because of conflicts make room for others, but still count as their opponents.
        """
        coming = self._coming(rows, least)
        looked_at: list[Hit] = []
        taken: list[Hit] = []
        said = _FirstSayings()
        while more := list(islice(coming, min(self._wanted(len(taken)), sys.maxsize))):
            if self._among:
                self._among.add([(hit, self.file_of(hit)) for hit in more])
            self._fold(more, looked_at, said)
            taken = [hit for hit in map(self._with_conflicts, looked_at) if hit.quality >= least]
        if self._wish.sort is Sort.QUALITY:
            taken.sort(key=self._by_quality)
        return taken[: self._wish.limit]

    def _fold(self, more: Sequence[Hit], into: list[Hit], said: _FirstSayings) -> None:
        """Add results; one that says the same as a better one, in the same words, is only listed with that one.

        Args:
            more: further results.
            into: the results so far; extended in place.
            said: what these results say; extended in place.
        """
        for hit in more:
            words = terms.content(hit.content)
            may_fold = self._folds and len(words) >= FEWEST_ALIKE
            at = said.first_of(words, len(into)) if may_fold else len(into)
            if at == len(into) or not self._is_alike(hit, into[at]):
                into.append(hit)
            else:
                into[at] = into[at]._replace(also=(*into[at].also, hit.ref or hit.path))

    def _is_alike(self, one: Hit, other: Hit) -> bool:
        """Whether two results with the same best passage are equal as a whole, including owner, author and source."""
        files = [self._files[hit.path] for hit in (one, other)]
        if len({_said_by(file.entry) for file in files}) > 1:
            return False
        if self._wish.by is Unit.PASSAGE:
            return True
        titles = (terms.content(hit.title) for hit in (one, other))
        return terms.say_the_same(*titles) and terms.say_the_same(*(terms.content(file.text.body) for file in files))

    @property
    def _folds(self) -> bool:
        """Whether a result may represent others; not if results are sorted or selected by other criteria."""
        return self._wish.sort is Sort.RELEVANCE and self._wish.filters.min_confidence is None

    def _wanted(self, taken: int) -> int:
        """Return how many more hits to look at; more than the limit if conflicts decide which are shown."""
        wanted = max(0, self._wish.limit - taken)
        conflicts_decide = self._wish.sort is Sort.QUALITY or self._wish.filters.min_confidence is not None
        return max(wanted, FILES_AT_ONCE) if wanted and conflicts_decide else wanted

    def _coming(self, rows: Sequence[int] | None, least: float) -> Iterator[Hit]:
        """Yield the hits with at least that quality, not counting conflicts, best first."""
        ceiling = 1.0
        blocks = (
            block
            for group in self._own_first(rows)
            for block in self._candidates.blocks(self._wish.sort, self._quality_of, group)
        )
        for block in blocks:
            for hit in self._block(block):
                if hit.quality < least:
                    continue
                if self._wish.sort is not Sort.RELEVANCE:
                    yield hit
                    continue
                # Blocks are ordered by less information than hits within one; a later hit is never shown as better.
                ceiling = min(hit.relevance, ceiling)
                yield hit._replace(relevance=ceiling)

    def _own_first(self, rows: Sequence[int] | None) -> Iterable[Sequence[int] | None]:
        """Return rows, or all for None, in groups: those from outside come after one's own, unless sorted by a key."""
        audience = self._candidates.audience
        if not audience.has_external or self._wish.sort not in (Sort.RELEVANCE, Sort.QUALITY):
            return (rows,)
        return audience.own_first([*self._candidates.scores] if rows is None else rows)

    def _with_conflicts(self, hit: Hit) -> Hit:
        conflicts = self._among.conflicts_of(hit) if self._among else ()
        if not conflicts:
            return hit
        made_of = self._grounds[hit.path]._replace(penalty=sum(conflict.penalty for conflict in conflicts))
        return hit._replace(conflicts=conflicts, quality=self._worth(made_of))

    def _worth(self, made_of: QualityGrounds) -> float:
        """Return a quality, rounded as printed."""
        return round(quality.quality(made_of, self._profile), quality.DIGITS)

    # -- one block of files ----------------------------------------------------------------------

    def _block(self, rows: Sequence[int]) -> list[Hit]:
        files = [
            (row, file) for row in rows if (file := self._then.of(INDEX).opened(row)) and self._holds_all(row, file)
        ]
        scores = self._candidates.scores
        sources = [
            Source(
                file.own_title,
                date_words(file.entry.created_at or None),
                file.passages,
                scores[row],
                self._matcher_of(row) if self._candidates.audience.languages else None,
            )
            for row, file in files
        ]
        candidates = self._candidates
        scored = ranking.score_passages(
            sources,
            self._candidates.matcher,
            self._weights,
            candidates.demands,
            to_answer=self._to_answer,
            answer=answer_to(self._words),
            explain=self._wish.explain,
        )
        self._uses = uses_of(self._then, [file.entry.id for _, file in files])
        hits: list[tuple[float, Hit]] = []
        for (row, file), matching in zip(files, scored, strict=True):
            found = matching or self._of_the_head(row, file) or self._by_meaning(row, file)
            passages = self._with_meaning(row, file, found)
            if not passages:
                self.lacking.add(row)
            if self._wish.by is Unit.PASSAGE:
                hits += self._passage_hits(row, file, passages)
            else:
                hits += self._memory_hit(row, file, passages)
        return self._in_order(hits)

    def _holds_all(self, row: int, file: Opened) -> bool:
        """Whether a memory has everything that must match letter by letter."""
        wanted = self._candidates.letter_by_letter
        if not wanted:
            return True
        entry = file.entry
        texts = [file.text.body, entry.title, *entry.aliases, *entry.tags, date_words(entry.created_at or None)]
        texts += [name_words(entry.path, entry.id), "\n".join(line for _, line in file.own_lines)]
        matcher = self._matcher_of(row)
        held = {clause for text in texts for _, clause in matcher.places(text)}
        if not wanted <= held:
            self.lacking.add(row)
        return wanted <= held

    def _in_order(self, hits: list[tuple[float, Hit]]) -> list[Hit]:
        match self._wish.sort:
            case Sort.RELEVANCE if self._candidates.best_possible:
                hits.sort(key=lambda one: (-round(one[0], _DIGITS), *_place(one[1])))
            case Sort.QUALITY:
                hits.sort(key=lambda one: self._by_quality(one[1]))
            case _:
                pass  # in the order of the block
        return [hit for _, hit in hits]

    def _by_quality(self, hit: Hit) -> tuple[int, float, str, str, int]:
        return (self._candidates.audience.origin(self._rows[hit.path]), -round(hit.combined, 9), *_place(hit))

    def _memory_hit(self, row: int, file: Opened, passages: list[ScoredPassage]) -> list[tuple[float, Hit]]:
        """Return the hit of a memory with its best passages; empty if no passage matches after all."""
        if not passages:
            return []
        best, *others = passages
        matcher = self._matcher_of(row)
        in_title = {clause for _, clause in matcher.places(file.own_title)}
        named, recency = self._named_by(row, file), self._recency(file)
        best_line = max(ranking.line_score(in_title, self._weights), *(one.own for one in passages))
        best_line += ranking.NAMED_SHARE * ranking.line_score(named, self._weights)
        titled = self._titled(row, file)
        words = (ranking.memory_score(self._candidates.words_of(row), best_line) + titled) * recency
        whole = self._candidates.with_meaning(row, words)
        # A passage that matches only through its neighbours is not worth showing in addition to the best.
        worth = [one for one in others if one.own >= WORTH_MORE * best.own and matcher.places(one.passage.text)]
        shown = accumulate((one.joined for one in worth), initial=best.joined)
        more = [one for one, count in zip(worth, islice(shown, 1, None), strict=False) if count <= 1 + MOST_MORE]
        if (typed := self._as_typed(passages)) and not any(_covers(one, typed) for one in (best, *more)):
            more = [*more[: MOST_MORE - 1], typed]
        # Also show the line that matches by meaning.
        more += [one for one in others if not (one.own or any(_covers(other, one) for other in (best, *more)))]
        if best.passage.line_start < file.text.body_line and file.passages:
            # The title matches; the first passage shows the content.
            more = [ScoredPassage(file.passages[0], 0.0, 0.0)]
        hit = self._hit(row, file, best, ranking.relevance(whole, self._candidates.best_possible), more)
        if self._wish.explain:
            made_of = self._explainer.of_memory(row, file, passages, named, titled=titled, recency=recency)
            hit = hit._replace(explanation=made_of)
        return [(whole, hit)]

    @cached_property
    def _explainer(self) -> Explainer:
        from memstore.search.explain import Explainer  # rarely needed

        return Explainer(self._candidates, self._asked, self._weights)

    def _as_typed(self, passages: Sequence[ScoredPassage]) -> ScoredPassage | None:
        """Return the best passage that contains a query of few words exactly as typed, not in other forms."""
        if self._to_answer or not 0 < len(self._words) <= FEW_WORDS:
            return None
        typed = f" {' '.join(self._words)} "
        texts = ((one, (*one.passage.opening, one.passage.text)) for one in passages)
        return next((one for one, said in texts if typed in f" {' '.join(terms.words(' '.join(said)))} "), None)

    def _matcher_of(self, row: int) -> Matcher:
        return self._candidates.matcher_of(row)

    def _named_by(self, row: int, file: Opened) -> set[int]:
        """Return the clauses of the best title or heading that has all its words in the query."""
        named: list[set[int]] = [set()]
        for heading in dict.fromkeys((file.own_title, *(heading for one in file.passages for heading in one.headings))):
            words = terms.words(heading)
            if words and self._asked_words.issuperset(map(terms.term_of, words)):
                named.append({clause for _, clause in self._matcher_of(row).places(heading)})
        return max(named, key=lambda held: ranking.line_score(held, self._weights))

    def _titled(self, row: int, file: Opened) -> float:
        """Return what a memory earns for a title, file name and folders that are looked for; nothing in a question."""
        if self._to_answer:
            return 0.0
        path = file.entry.path
        stem = stem_of(path)
        # A name that memstore made says no more than the title or text that it was made of.
        is_chosen = not file.entry.id or without_id(stem, file.entry.id) == stem
        names = (file.given_title, *((name_words(path, None), *path.split("/")[-3:-1]) if is_chosen else ()))
        shares = [*map(self._share_asked, names[:2])]
        if not max(shares):
            return 0.0
        held = {clause for _, clause in self._matcher_of(row).places(" . ".join(names))}
        return ranking.title_score(held, max(shares), self._weights)

    def _share_asked(self, name: str) -> float:
        """Return the share of the words of a name that the query has, in [0,1]; stop words don't count."""
        words = [word for word in terms.whole_words(name.replace("_", " ")) if word not in terms.stop_words()]
        return sum(terms.term_of(word) in self._asked_words for word in words) / len(words) if words else 0.0

    def _passage_hits(self, row: int, file: Opened, passages: list[ScoredPassage]) -> list[tuple[float, Hit]]:
        found = []
        for one in passages:
            recency = self._recency(file)
            whole = self._score_of(row, one) * recency
            hit = self._hit(row, file, one, ranking.passage_relevance(whole, self._candidates.best_possible), [])
            if self._wish.explain:
                hit = hit._replace(explanation=self._explainer.of_passage(row, file, one, recency=recency))
            found.append((whole, hit))
        return found

    def _of_the_head(self, row: int, file: Opened) -> list[ScoredPassage]:
        """Return the frontmatter line that alone matched; for a query with only filters, the first passage."""
        if not self._candidates.best_possible:
            first = file.passages[0] if file.passages else _line(1, file.entry.title)
            return [ScoredPassage(first, 0.0, 0.0)]
        for text, line in self._texts_of_the_head(file):
            held = {clause for _, clause in self._matcher_of(row).places(text)}
            is_named = holds_alias(self._words, terms.whole_words(text))
            if (held or is_named) and self._candidates.demands.met_by(held):
                passage = _line(line(), text)
                own = ranking.line_score(held, self._weights)
                return [ScoredPassage(passage, own, own + ranking.MEMORY_SHARE * self._candidates.scores[row])]
        return []

    def _with_meaning(self, row: int, file: Opened, passages: list[ScoredPassage]) -> list[ScoredPassage]:
        """Return passages together with the line that is closest in meaning, which comes first if no line matches."""
        alike = self._candidates.alike(row)
        if not (alike and passages):
            return passages
        from memstore.search.meaning import LEAST_SIMILARITY, says_something

        lines = (line for one in file.passages for line in _lines_of(one))
        own = {number: line for number, line in lines if says_something(line.text)}
        close = [number for number in own if alike.get(number, 0.0) >= LEAST_SIMILARITY]
        closest = max(close, key=lambda number: (alike[number], -number), default=None)
        if closest is None or not self._is_allowed(row, own[closest]):
            return passages
        said = ScoredPassage(own[closest], 0.0, ranking.MEMORY_SHARE * self._candidates.scores[row])
        if row in self._candidates.by_meaning:
            return [said]
        if passages[0].passage.line_start < file.text.body_line:
            return [said, *passages]
        return [*passages, said]

    def _score_of(self, row: int, one: ScoredPassage) -> float:
        """Return the score of a passage by words and meaning."""
        most = 1 + ranking.MEMORY_SHARE
        lines = range(one.passage.line_start, one.passage.line_end + 1)
        return self._candidates.with_meaning(row, one.score / most, lines=lines) * most

    def _is_allowed(self, row: int, passage: Passage) -> bool:
        held = {clause for _, clause in self._matcher_of(row).places(passage.text)}
        return self._candidates.demands.met_by(held)

    def _by_meaning(self, row: int, file: Opened) -> list[ScoredPassage]:
        """Return the first allowed passage of a memory that matches by meaning alone."""
        candidates = self._candidates
        if row not in candidates.by_meaning:
            return []
        from memstore.search.meaning import says_something

        for passage in (*file.passages, _line(file.line_of_key("title"), file.entry.title)):
            if says_something(passage.text) and self._is_allowed(row, passage):
                return [ScoredPassage(passage, 0.0, ranking.MEMORY_SHARE * candidates.scores[row])]
        return []

    def _texts_of_the_head(self, file: Opened) -> Iterator[tuple[str, Callable[[], int]]]:
        """Yield what may have matched in the frontmatter, and the file name, each with what finds its line."""
        if file.entry.kind is FileKind.PLAIN:
            yield from _own_lines(file)
        aliases = file.entry.aliases
        named = [at for at, alias in enumerate(aliases) if holds_alias(self._words, terms.whole_words(alias))]
        for at in named:
            yield aliases[at], partial(file.line_of_key, "aliases", at)
        if file.own_title:
            yield file.own_title, partial(file.line_of_key, "title")
        for at, alias in enumerate(aliases):
            yield alias, partial(file.line_of_key, "aliases", at)
        for at, tag in enumerate(file.entry.tags):
            yield tag, partial(file.line_of_key, "tags", at)
        if file.entry.created_at:
            yield date_words(file.entry.created_at), partial(file.line_of_key, "created_at")
        if file.entry.kind is not FileKind.PLAIN:
            yield from _own_lines(file)
        first = file.passages[0].line_start if file.passages else 1
        yield name_words(file.entry.path, file.entry.id), partial(int, first)

    def _hit(self, row: int, file: Opened, best: ScoredPassage, relevance: float, more: Sequence[ScoredPassage]) -> Hit:
        entry = file.entry
        passage = best.passage
        self._files[entry.path], self._rows[entry.path] = file, row
        self._grounds[entry.path] = grounds_of(self._candidates.audience, file, self._uses, self._now)
        return Hit(
            ref=entry.ref,
            path=entry.path,
            title=entry.title,
            type=entry.type,
            created_at=entry.created_at or None,
            content=f"{passage.speaker}: {passage.text}" if passage.speaker else passage.text,
            citation=file.cite(passage.line_start, passage.line_end),
            more=tuple(file.cite(one.passage.line_start, one.passage.line_end) for one in more),
            relevance=relevance,
            quality=self._worth(self._grounds[entry.path]),
            held_confidence=float(entry.confidence) if entry.confidence else None,
            source_type=entry.source_type or "unknown",
            channel=entry.channel or None,
            language=self._candidates.audience.language_of(row),
            status=entry.status or "active",
            external=self._external(file),
            by_also=bool(self._asked.also) and self._is_by_also(row, file),
        )

    def _is_by_also(self, row: int, file: Opened) -> bool:
        """Whether a memory has none of the query's own words, only other words that were given for them."""
        from memstore.search.explain import places_in

        held = places_in(file, self._matcher_of(row))
        return bool(held) and all(self._asked.clauses[number].is_also for number in held)

    def _external(self, file: Opened) -> External | None:
        """Return the origin of an external memory; None for any other."""
        if file.entry.source_type != EXTERNAL:
            return None
        from memstore.files.memory_file import PlainFile, as_if_adopted

        read = as_if_adopted(file.file) if isinstance(file.file, PlainFile) else file.file
        return self._then.external(cast("MemoryFile", read).memory)  # as its entry says

    def _recency(self, file: Opened) -> float:
        days = quality.days_since(file.entry.created_at, self._now)
        return 1.0 if days is None else ranking.recency_factor(days)


def _own_lines(file: Opened) -> Iterator[tuple[str, Callable[[], int]]]:
    return ((line, partial(int, number)) for number, line in file.own_lines)


class _FirstSayings:
    """What the results of one search say, to find those that say the same in the same words.

    Words are stemmed only to compare two texts whose words begin alike: those with the same term do.
    """

    def __init__(self) -> None:
        self._by_initials: defaultdict[str, list[tuple[Sequence[str], int]]] = defaultdict(list)

    def first_of(self, words: Sequence[str], place: int) -> int:
        """Return the place of the first result that says the same as these words; if none does, note their `place`."""
        alike = self._by_initials["".join([word[0] for word in words])]
        for others, at in alike:
            if terms.say_the_same(words, others):
                return at
        alike.append((words, place))
        return place


def _said_by(entry: Entry) -> tuple[object, ...]:
    """Return what distinguishes memories with the same words: type, source, channel, owner, author, attestations."""
    return entry.type, entry.source_type, entry.channel, entry.owner, entry.author, entry.attested


def _covers(one: ScoredPassage, other: ScoredPassage) -> bool:
    return one.passage.line_start <= other.passage.line_start and other.passage.line_end <= one.passage.line_end


def _lines_of(passage: Passage) -> Iterator[tuple[int, Passage]]:
    """Yield the lines of a passage below its headings: the line number, and the line as a passage."""
    said = passage.text.split("\n")
    for number, text in enumerate(said, passage.line_end - len(said) + 1):
        yield number, passage._replace(line_start=number, line_end=number, text=text, opening=())


def _line(number: int, text: str) -> Passage:
    return Passage(PassageKind.HEADING, number, number, text)


def _place(hit: Hit) -> tuple[str, str, int]:
    return hit.ref or "", hit.path, hit.citation.line_start


# -- grounds of quality ----------------------------------------------------------------------------


def grounds_of(audience: Audience, file: Opened, uses: Mapping[str, Sequence[Use]], now: datetime) -> QualityGrounds:
    """Return the values from which the quality of a memory at `now` is computed.

    Args:
        audience: the memories that the viewer may see.
        file: the memory's opened file.
        uses: the uses that count, by memory id; must include this memory's.
        now: the current time, in UTC.
    """
    entry = file.entry
    return quality.grounds(
        confidence=float(entry.confidence) if entry.confidence else None,
        channel=entry.channel,
        source_type=entry.source_type,
        made_at=audience.then.made_at(entry.path, entry.created_at),
        uses=[use.at for use in uses.get(entry.id, ())],
        cites=_cites(audience, file),
        now=now,
    )


def _cites(audience: Audience, file: Opened) -> bool:
    """Whether a memory cites lines of a file that has not changed since."""
    marks_in_text = "[[" in file.text.body and "@" in file.text.body
    if not marks_in_text and not any(source.startswith("file:") for source in file.entry.derived_from):
        return False  # most memories cite nothing, and need not load the module below
    from memstore.search.citations import cites_standing_lines

    return cites_standing_lines(audience, file)
