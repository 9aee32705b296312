"""Ranking: how well memories, and passages of the best of them, match a query. BM25 twice.

The weights were measured on public conversations (docs/search.md). Scores are sums over a query's clauses, at most
`best_possible` for words alone.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import TYPE_CHECKING, NamedTuple

from memstore.files.passages import MOST_LINES

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from memstore.files.passages import Passage
    from memstore.search.matching import Matcher

    Counts = Mapping[int, int]

K1 = 0.9
B = 0.4
HEAD_WEIGHT = 0.6  # of an occurrence in title, aliases or date, against one in the text

# Passages are short and of like use whatever their length, so length counts less.
PASSAGE_B = 0.15
ABOVE_WEIGHT = 0.5  # in the memory's title and the headings above the passage
SPEAKER_WEIGHT = 1.0
DATE_WEIGHT = 0.3
NEIGHBOUR_WEIGHT = 0.3  # in the passages before and after
NEXT_BUT_ONE_WEIGHT = 0.1  # in those beside them
# In conversations, for a query that is a question: who answers seldom says again what was asked.
QUESTION_WEIGHT = 0.7  # in the passage before, where another one asks
ASKING_COST = 0.4  # of its own score, what a passage loses that only asks; its memory is about it all the same
PAIR_BONUS = 0.6  # for two words of the query side by side
# Of a word's weight, where it stands letter by letter and not in another form: for who looks a word up. Answers to a
# question have their own forms of its words (lines of LoCoMo: MRR 0.620 with none, 0.612 with 0.15).
TYPED_BONUS = 0.3
ANSWER_BONUS = 1.2  # for what a question asks for, as `when` for a time: two pairs
SPEAKER_BONUS = 0.6  # for a line of a conversation that is said by one whom the query names
MEMORY_SHARE = 0.6  # of the memory's score, added to each of its passages'
# Passages on neighbouring lines are one result where each holds something of the query, and at least this of the score
# of the best of them (docs/search.md).
JOIN_SHARE = 0.8
MOST_JOINED = 3
PASSAGE_SHARE = 1.5  # of the best passage's own score, added to its memory's

# Of what a title or heading weighs that stands in the query as a whole, added to its memory's best line: for who asks
# for it by its name (docs/search.md).
NAMED_SHARE = 0.5

# How far the best result can be relied on to answer at all (docs/search.md, "Weak answers"): its relevance, the share
# of the names in the query that stand in it, and that so many rare words stand there by more than chance; where vectors
# count, whose part chance does not tell, by how much its memory stands out above the next.
RELEVANCE_SHARE = 2.0
NAMES_SHARE = 2.0
WEAK_BELOW = 3.7
NAMES_SHARE_BY_MEANING = 0.6
LEAD_SHARE = 0.4
NEXT = 4
WEAK_BELOW_BY_MEANING = 0.86

# Recency orders what is otherwise alike.
MOST_BY_RECENCY = 0.02
RECENCY_DAYS = 365.0


def idf(count: int, holding: int) -> float:
    """Return what a word tells when `holding` of `count` memories have it: Robertson and Spärck Jones, above 0.

    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with 1 added inside the logarithm.
    """
    return log(1 + (count - holding + 0.5) / (holding + 0.5))


class MemoryScores:
    """The scores of memories by row, and what each clause weighs."""

    def __init__(self) -> None:
        self.by_row: dict[int, float] = {}
        self.idfs: list[float] = []

    @property
    def best_possible(self) -> float:
        """What a memory that is all about the query would score."""
        return sum(self.idfs) * (K1 + 1)


def score_memories(
    clauses: Iterable[tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int]]],
    lengths: Sequence[int],
    *,
    count: int,
    average: float,
) -> MemoryScores:
    """Return BM25 scores of the memories that hold at least one clause.

    Args:
        clauses: for each, rows and counts in texts, then rows and counts in heads: of visible memories alone.
        lengths: words of each row's text.
        count: how many memories are visible.
        average: their mean length.
    """
    out = MemoryScores()
    scores = out.by_row
    base, slope = K1 * (1 - B), K1 * B / (average or 1.0)
    for text_rows, text_counts, head_rows, head_counts in clauses:
        heads = dict(zip(head_rows, head_counts, strict=True))
        also = len(heads.keys() & set(text_rows)) if heads else 0
        weight = idf(count, len(text_rows) + len(heads) - also)
        out.idfs.append(weight)
        top = weight * (K1 + 1)
        get = scores.get
        if not heads:
            for row, times in zip(text_rows, text_counts, strict=True):
                scores[row] = get(row, 0.0) + top * times / (times + base + slope * lengths[row])
            continue
        take = heads.pop
        for row, times in zip(text_rows, text_counts, strict=True):
            tf = times + HEAD_WEIGHT * take(row, 0)
            scores[row] = get(row, 0.0) + top * tf / (tf + base + slope * lengths[row])
        for row, times in heads.items():
            tf = HEAD_WEIGHT * times
            scores[row] = get(row, 0.0) + top * tf / (tf + base + slope * lengths[row])
    return out


def recency_factor(days: float) -> float:
    """Return by how much a score is raised for being new: 1.02 today, falling to 1."""
    return 1 + MOST_BY_RECENCY * exp(-max(days, 0.0) / RECENCY_DAYS)


# -- passages ------------------------------------------------------------------------------------


class Source(NamedTuple):
    """One memory that was read: its title, the words of its date, its passages, and its score.

    `matcher` finds the clauses in it, where it is in another language than most.
    """

    title: str
    date: str
    passages: Sequence[Passage]
    score: float
    matcher: Matcher | None = None


class LinePart(NamedTuple):
    """What of a passage's score comes from where.

    `kind` is "word", "pair" or "typed" for what is the passage's own, else "speaker", "answer" or "asking". A word has
    the number of its clause, and `places`: where it stands around the passage, and how often.
    """

    kind: str
    points: float
    clause: int | None = None
    places: tuple[tuple[str, int], ...] = ()


class ScoredPassage(NamedTuple):
    """A passage that matches: `own` is its score without its memory's share, whether it tells or asks.

    It may be `joined` passages on neighbouring lines; then the scores are those of the best. `parts` are what the score
    is made of, where that was asked for; those of its own sum up to `own`.
    """

    passage: Passage
    own: float
    score: float
    joined: int = 1
    parts: tuple[LinePart, ...] = ()


class Demands(NamedTuple):
    """The numbers of the clauses that a passage or its title must hold, and of those that neither may hold."""

    must: frozenset[int] = frozenset()
    must_not: frozenset[int] = frozenset()

    def met_by(self, held: set[int]) -> bool:
        """Whether a text that holds these clauses may be shown."""
        return self.must <= held and self.must_not.isdisjoint(held)


class _Matched(NamedTuple):
    """What of a passage matches: counts by clause in its text, its speaker and above it; the words side by side.

    `opening` counts those in the headings among its lines, `opening_length` the words of these; `typed` are the clauses
    whose word stands in either letter by letter.
    `asks` is the share of it that is questions, in [0,1], and `is_answered` whether it ends with one.
    """

    passage: Passage
    length: int
    asks: float
    is_answered: bool
    text: Counts
    speaker: Counts
    above: Sequence[Counts]
    opening: Counts
    opening_length: int
    pairs: int
    typed: set[int]


def passage_weights(idfs: Sequence[float]) -> list[float]:
    """Return what each clause weighs in passages: as the square root of its idf, all together what they weigh there.

    The memories were found by the rare words already; which of their passages says it, the others tell as well.
    """
    roots = [sqrt(weight) for weight in idfs]
    scale = sum(idfs) / (sum(roots) or 1.0)
    return [root * scale for root in roots]


def score_passages(
    sources: Sequence[Source],
    matcher: Matcher,
    weights: Sequence[float],
    demands: Demands,
    *,
    to_answer: bool = False,
    answer: re.Pattern[str] | None = None,
    explain: bool = False,
) -> list[list[ScoredPassage]]:
    """Return for each source its matching passages, the best first.

    A passage matches by its own words, by those of the headings that are among its lines, or of the passages beside
    it, and meets the demands by itself or with what stands above it: its headings, the memory's title.

    Args:
        sources: the memories that were read; passages are compared across them.
        matcher: finds the query's clauses.
        weights: what each clause weighs in a passage (`passage_weights`).
        demands: what a passage must and must not hold.
        to_answer: whether the query is a question; then who speaks and only asks tells less, and the next one more.
        answer: what the kind of thing looks like that is asked for, where the query tells.
        explain: whether each says what its score is made of.
    """
    reader = _Reader(matcher, to_answer=to_answer, answer=answer, explain=explain)
    others = {id(one): reader.of_other(one) for source in sources if (one := source.matcher)}
    readers = [others.get(id(source.matcher), reader) for source in sources]
    matched = [
        [reader.read(passage) for passage in source.passages] for source, reader in zip(sources, readers, strict=True)
    ]
    lengths = [one.length for many in matched for one in many]
    norm = K1 * PASSAGE_B / (sum(lengths) / len(lengths)) if lengths else 0.0
    return [
        _ranked(source, many, reader, weights, demands, norm)
        for source, many, reader in zip(sources, matched, readers, strict=True)
    ]


class _Reader:
    """Counts clauses in passages and what stands above them; headings are read once."""

    def __init__(self, matcher: Matcher, *, to_answer: bool, answer: re.Pattern[str] | None, explain: bool) -> None:
        self.explain = explain
        self._answer = answer
        self._matcher = matcher
        self._to_answer = to_answer
        self._counts: dict[str, Counts] = {"": {}}

    def of_other(self, matcher: Matcher) -> _Reader:
        """Return the reader of texts in another language."""
        return _Reader(matcher, to_answer=self._to_answer, answer=self._answer, explain=self.explain)

    def read(self, passage: Passage) -> _Matched:
        text = passage.text
        opening = "\n".join(passage.opening)
        asks = asking(text) if self._to_answer and passage.speaker else 0.0
        places = self._matcher.places(text)
        return _Matched(
            passage,
            # The number of words, near enough.
            text.count(" ") + text.count("\n") + 1,
            asks,
            asks > 0 and text.rstrip().endswith("?"),
            _counted(places),
            self.counts(passage.speaker),
            [counts for heading in passage.headings if (counts := self.counts(heading))],
            (in_opening := self.counts(opening)),
            opening.count(" ") + len(passage.opening),
            self._matcher.pairs(places) if len(places) > 1 else 0,
            self._matcher.as_typed(f"{text}\n{opening}") if (places or in_opening) and not self._to_answer else set(),
        )

    def holds_answer(self, text: str) -> bool:
        """Whether a text holds what a question asks for."""
        return self._answer is not None and self._answer.search(text) is not None

    def counts(self, text: str) -> Counts:
        if text not in self._counts:
            self._counts[text] = _counted(self._matcher.places(text))
        return self._counts[text]


def _counted(places: Sequence[tuple[int, int]]) -> Counts:
    counts: dict[int, int] = {}
    for _, clause in places:
        counts[clause] = counts.get(clause, 0) + 1
    return counts


def _ranked(
    source: Source,
    matched: list[_Matched],
    reader: _Reader,
    weights: Sequence[float],
    demands: Demands,
    norm: float,
) -> list[ScoredPassage]:
    title, date = reader.counts(source.title), reader.counts(source.date)
    nothing: Counts = {}
    texts = [nothing, nothing, *(one.text for one in matched), nothing, nothing]
    found = []
    shares = _shares_of_before(matched)
    # A passage, the two before it, and the two after it.
    around = zip(matched, texts, texts[1:], shares, texts[3:], texts[4:], strict=False)
    for one, further, before, share, after, beyond in around:
        if not (one.text or one.speaker or one.opening or before or after):
            continue
        if not demands.met_by({*one.text, *one.speaker, *title}.union(*one.above)):
            continue
        places = (
            ("line", one.text, 1.0),
            ("speaker", one.speaker, SPEAKER_WEIGHT),
            ("title", title, ABOVE_WEIGHT),
            ("date", date, DATE_WEIGHT),
            ("before", before, share),
            ("after", after, NEIGHBOUR_WEIGHT),
            ("near", further, NEXT_BUT_ONE_WEIGHT),
            ("near", beyond, NEXT_BUT_ONE_WEIGHT),
            *(("heading", counts, ABOVE_WEIGHT) for counts in one.above),
        )
        tf: dict[int, float] = {}
        for _, counts, weight in places:
            for clause, times in counts.items():
                tf[clause] = tf.get(clause, 0.0) + weight * times
        of_words = _points(tf, weights, norm * one.length)
        in_headings = _points(one.opening, weights, norm * one.opening_length)
        # Headings among its lines are lines by themselves: others stand below them.
        own = max(sum(of_words.values()) + PAIR_BONUS * one.pairs, sum(in_headings.values()))
        own += TYPED_BONUS * sum(weights[clause] for clause in one.typed)
        # Which line of a memory answers says little of which memory is about it.
        answers = ANSWER_BONUS * reader.holds_answer(one.passage.text)
        bonus = SPEAKER_BONUS * bool(one.speaker) + answers
        score = (own + bonus) * (1 - ASKING_COST * one.asks) + MEMORY_SHARE * source.score
        scored = ScoredPassage(one.passage, own, score)
        if reader.explain:
            by_headings = sum(in_headings.values()) > sum(of_words.values()) + PAIR_BONUS * one.pairs
            parts = _word_parts(in_headings, [("heading", one.opening, 1.0)]) if by_headings else []
            parts = parts or [*_word_parts(of_words, places), LinePart("pair", PAIR_BONUS * one.pairs)]
            parts += [LinePart("typed", TYPED_BONUS * weights[clause], clause) for clause in sorted(one.typed)]
            parts += [LinePart("speaker", SPEAKER_BONUS * bool(one.speaker)), LinePart("answer", answers)]
            parts += [LinePart("asking", -(own + bonus) * ASKING_COST * one.asks)]
            scored = scored._replace(parts=tuple(part for part in parts if part.points))
        found.append(scored)
    matching = {one.passage.line_start for one in matched if one.text or one.speaker}
    return _joined(found, matching)


def _joined(found: Sequence[ScoredPassage], matching: AbstractSet[int]) -> list[ScoredPassage]:
    """Return passages, the best first, each with those on the lines beside it that are nearly as good.

    Args:
        found: passages in the order of their lines.
        matching: the first lines of those that hold something of the query, or are said by one whom it names.
    """
    starting = {one.passage.line_start: one for one in found if one.passage.line_start in matching}
    ending = {one.passage.line_end: one for one in starting.values()}
    taken: set[int] = set()
    joined = []
    for best in sorted(found, key=lambda scored: (-scored.score, scored.passage.line_start)):
        if best.passage.line_start in taken:
            continue
        run = [best.passage]
        while len(run) < MOST_JOINED:
            # A heading begins something else.
            above = None if run[0].opening else ending.get(run[0].line_start - 1)
            below = starting.get(run[-1].line_end + 1)
            beside = [one for one in (above, None if below and below.passage.opening else below) if one]
            good = [one for one in beside if one.score >= JOIN_SHARE * best.score]
            free = [one for one in good if one.passage.line_start not in taken and _fits(one.passage, run)]
            if not free:
                break
            next_best = max(free, key=lambda scored: scored.score).passage
            run = sorted([*run, next_best], key=lambda passage: passage.line_start)
            taken.add(next_best.line_start)
        taken.add(best.passage.line_start)
        joined.append(best._replace(passage=_run(best.passage, run), joined=len(run)) if len(run) > 1 else best)
    return joined


def _fits(passage: Passage, run: Sequence[Passage]) -> bool:
    """Whether passages are no more lines together than one may have."""
    return max(passage.line_end, run[-1].line_end) - min(passage.line_start, run[0].line_start) < MOST_LINES


def _run(best: Passage, run: Sequence[Passage]) -> Passage:
    """Return passages on lines beside each other as one, of the kind of the best."""
    said = (f"{one.speaker}: {one.text}" if one.speaker else one.text for one in run)
    return best._replace(
        line_start=run[0].line_start,
        line_end=run[-1].line_end,
        text="\n".join(said),
        speaker="",
        opening=run[0].opening,
    )


def _points(tf: Mapping[int, float], weights: Sequence[float], length: float) -> dict[int, float]:
    """Return what each clause gives a passage of this length, which is in units of the mean one times K1 * B."""
    dampening = K1 * (1 - PASSAGE_B) + length
    return {clause: (K1 + 1) * weights[clause] * times / (times + dampening) for clause, times in tf.items()}


def _word_parts(points: Mapping[int, float], places: Iterable[tuple[str, Counts, float]]) -> list[LinePart]:
    """Return what each clause gives, with where it stands."""
    where: dict[int, dict[str, int]] = {clause: {} for clause in points}
    for name, counts, _ in places:
        for clause, times in counts.items():
            where[clause][name] = where[clause].get(name, 0) + times
    return [LinePart("word", points[clause], clause, tuple(where[clause].items())) for clause in sorted(points)]


def asking(text: str) -> float:
    """Return what share of a text is questions, in [0,1]."""
    if "?" not in text:
        return 0.0
    # Each part ends with a question, which begins after the last full stop in it.
    parts = f"{text} ".replace("\n", " ").split("? ")[:-1]
    return sum(len(part) - max(part.rfind(". "), part.rfind("! ")) for part in parts) / len(text)


def _shares_of_before(matched: Sequence[_Matched]) -> Iterator[float]:
    """Yield for each passage what the words of the one before it weigh in it."""
    asker = ""
    for one in matched:
        answers = asker and one.passage.speaker not in ("", asker)
        yield QUESTION_WEIGHT if answers else NEIGHBOUR_WEIGHT
        asker = one.passage.speaker if one.is_answered else ""


def memory_score(score: float, best_line: float) -> float:
    """Return a memory's score with what its best passage, or its title, adds, on the scale of the first."""
    return (score + PASSAGE_SHARE * best_line) / (1 + PASSAGE_SHARE)


def passage_relevance(score: float, best_possible: float) -> float:
    """Return a passage's score as relevance in [0,1]."""
    return relevance(score / (1 + MEMORY_SHARE), best_possible)


def relevance(score: float, best_possible: float) -> float:
    """Return a memory's score as relevance in [0,1]."""
    return min(1.0, max(0.0, score / best_possible)) if best_possible > 0 else 1.0


def lead(scores: Iterable[float]) -> float:
    """Return by what share the best of some memories' scores stands above the mean of the next four, in [0,1].

    One that is alone stands above nothing.
    """
    best, *others = sorted(scores, reverse=True)[: NEXT + 1]
    return (best - sum(others) / len(others)) / best if others and best > 0 else 0.0


def more_than_chance(weights: Iterable[float], count: int) -> float:
    """Return how far words stand together in one memory by more than chance: 1 for one that stands nowhere else.

    Spread by lot, words with these idf would stand together in about count * exp(-sum of idf) of all memories.

    Args:
        weights: the idf of the words.
        count: how many memories there are.
    """
    return sum(weights) / idf(max(count, 1), 1)


def is_weak(relevance: float, names: float, evidence: float) -> bool:
    """Whether the best result, which lacks something of the query, may well not answer.

    Args:
        relevance: its relevance, in [0,1].
        names: the share of the query's names that stand in what of it is shown, in [0,1]; 1 where it has none.
        evidence: how far what stands there does so by more than chance.
    """
    return evidence + RELEVANCE_SHARE * relevance + NAMES_SHARE * names < WEAK_BELOW


def is_weak_by_meaning(relevance: float, names: float, lead: float) -> bool:
    """Whether the best result may well not answer, where vectors count; see `is_weak`.

    Args:
        relevance: its relevance, in [0,1].
        names: as there.
        lead: of its memory over the next.
    """
    return relevance + NAMES_SHARE_BY_MEANING * names + LEAD_SHARE * lead < WEAK_BELOW_BY_MEANING


def named_score(score: float, best_possible: float) -> float:
    """Return the score of a memory that the query names by an alias: above every other's."""
    return score + (1 + PASSAGE_SHARE) * best_possible


def line_score(held: Iterable[int], weights: Sequence[float]) -> float:
    """Return the own score of one line of a frontmatter that holds these clauses; weights are those in passages."""
    return sum(weights[clause] for clause in held) * (K1 + 1) / (1 + K1)
