"""Ranking: score memories, and then the passages of the best ones, against a query; both with BM25.

The weights were tuned on public conversations (docs/search.md). Scores are sums over a query's clauses; for words
alone, they are at most `best_possible`.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import repeat
from math import exp, log, sqrt
from typing import NamedTuple

from memstore.files.passages import MOST_LINES, Passage
from memstore.search.matching import Matcher

Counts = Mapping[int, int]

K1 = 0.9
B = 0.4
HEAD_WEIGHT = 0.6  # of an occurrence in title, aliases or date, relative to one in the text

# Passages are short, and short and long ones are about equally useful, so length counts less.
PASSAGE_B = 0.15
ABOVE_WEIGHT = 0.5  # in the memory's title and the headings above the passage
SPEAKER_WEIGHT = 1.0
DATE_WEIGHT = 0.3
NEIGHBOUR_WEIGHT = 0.3  # in the passages before and after
NEXT_BUT_ONE_WEIGHT = 0.1  # in the passages two before and two after
# In conversations, if the query is a question: an answer rarely repeats the words of its question.
QUESTION_WEIGHT = 0.7  # in the passage before, if somebody else asks a question there
ASKING_COST = 0.4  # share of its own score that a passage loses if it only asks; its memory loses nothing
PAIR_BONUS = 0.6  # for two adjacent words of the query
# Share of a word's weight, added if the word occurs letter by letter and not in another form: for looking up a word.
# Not for questions, because answers use other forms of their words (lines of LoCoMo: MRR 0.620 without, 0.612 with
# 0.15).
TYPED_BONUS = 0.3
ANSWER_BONUS = 1.2  # for the kind of answer that a question asks for, such as a time for `when`: two pairs
SPEAKER_BONUS = 0.6  # for a line of a conversation that has a speaker
MEMORY_SHARE = 0.6  # of the memory's score, added to the score of each of its passages
# Passages on adjacent lines become one result if each matches the query and has at least this share of the best
# one's score (docs/search.md).
JOIN_SHARE = 0.8
MOST_JOINED = 3
PASSAGE_SHARE = 1.5  # of the best passage's own score, added to its memory's

# Share of the weight of a title or heading that occurs as a whole in the query, added to its memory's best line: for
# queries that name it (docs/search.md).
NAMED_SHARE = 0.5
# Most that a title adds to the score of its memory, relative to the weight of the query, where the query isn't a
# question: titles are what people look notes up by (docs/search.md, "Looking notes up").
TITLE_SHARE = 1.5
LINKED_COST = 0.3  # share of its own score that a passage loses if it consists of links and addresses only

# How likely the best result is to answer at all (docs/search.md, "Weak answers"): its relevance, the share of the
# query's names in it, and how far its rare words occur together by more than chance; with vectors, its similarity in
# meaning instead of its relevance.
RELEVANCE_SHARE = 2.0
NAMES_SHARE = 2.0
WEAK_BELOW = 3.5
SIMILARITY_SHARE = 8.0
WEAK_BELOW_BY_MEANING = 5.75

# Recency only orders results that are otherwise equal.
MOST_BY_RECENCY = 0.02
RECENCY_DAYS = 365.0


def idf(count: int, holding: int) -> float:
    """Return the weight of a word that `holding` of `count` memories have: Robertson and Spärck Jones, above 0.

    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with 1 added inside the logarithm.
    """
    return log(1 + (count - holding + 0.5) / (holding + 0.5))


class MemoryScores:
    """The scores of memories by row, and the weight of each clause."""

    def __init__(self) -> None:
        self.by_row: dict[int, float] = {}
        self.idfs: list[float] = []

    @property
    def best_possible(self) -> float:
        """The upper limit of a memory's score."""
        return sum(self.idfs) * (K1 + 1)


def score_memories(
    clauses: Iterable[tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int]]],
    lengths: Sequence[int],
    *,
    count: int,
    average: float,
    shares: Iterable[float] = repeat(1.0),
) -> MemoryScores:
    """Return the BM25 scores of the memories that match at least one clause.

    Args:
        clauses: for each, rows and counts in texts, then rows and counts in heads; only of visible memories.
        lengths: the number of words of each row's text.
        count: the number of visible memories.
        average: the mean length of their texts in words.
        shares: what each clause counts relative to others.
    """
    out = MemoryScores()
    scores = out.by_row
    base, slope = K1 * (1 - B), K1 * B / (average or 1.0)
    for (text_rows, text_counts, head_rows, head_counts), share in zip(clauses, shares, strict=False):
        heads = dict(zip(head_rows, head_counts, strict=True))
        also = len(heads.keys() & set(text_rows)) if heads else 0
        weight = share * idf(count, len(text_rows) + len(heads) - also)
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
    """Return the factor for a memory's age in days: 1.02 today, falling to 1."""
    return 1 + MOST_BY_RECENCY * exp(-max(days, 0.0) / RECENCY_DAYS)


# -- passages ------------------------------------------------------------------------------------


class Source(NamedTuple):
    """One memory that was read: its title, the words of its date, its passages, and its score.

    `matcher` is used instead of the usual one if the memory may be in another language.
    """

    title: str
    date: str
    passages: Sequence[Passage]
    score: float
    matcher: Matcher | None = None


class LinePart(NamedTuple):
    """One part of a passage's score, and its origin.

    `kind` is "word", "pair" or "typed" for parts of the passage's own score, else "speaker", "answer" or "asking". A
    word has the number of its clause, and `places`: where in or around the passage it occurs, and how often.
    """

    kind: str
    points: float
    clause: int | None = None
    places: tuple[tuple[str, int], ...] = ()


class ScoredPassage(NamedTuple):
    """A matching passage: `own` is its score without bonuses, the cost of asking, and its memory's share.

    It may consist of `joined` passages on adjacent lines; then the scores are those of the best. `parts` has the parts
    of the score, if requested; those of the passage's own score add up to `own`.
    """

    passage: Passage
    own: float
    score: float
    joined: int = 1
    parts: tuple[LinePart, ...] = ()


class Demands(NamedTuple):
    """The numbers of the clauses that a passage or its title must match, and of those that neither may match."""

    must: frozenset[int] = frozenset()
    must_not: frozenset[int] = frozenset()

    def met_by(self, held: set[int]) -> bool:
        """Whether a text that matches these clauses may be shown."""
        return self.must <= held and self.must_not.isdisjoint(held)


class _Matched(NamedTuple):
    """The matches in a passage: counts by clause in its text, its speaker and above it, and the adjacent pairs.

    `opening` has the counts in the headings among its lines, `opening_length` the number of words of these; `typed` has
    the clauses with a word that occurs letter by letter in text or headings.
    `asks` is the share of questions in the text, in [0,1]; `is_answered` says whether it ends with a question.
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
    """Return the weight of each clause in passages: the square root of its idf, scaled to the same sum as the idfs.

    Rare words have already found the memories; to choose among their passages, common words are useful, too.
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
    """Return the matching passages of each source, best first.

    A passage matches by its own words, those of headings among its lines, or those of adjacent passages. It meets the
    demands by itself or together with the headings above it and the memory's title.

    Args:
        sources: the memories that were read; passages are compared across them.
        matcher: finds the query's clauses.
        weights: the weight of each clause in a passage (`passage_weights`).
        demands: the clauses that a passage must and must not match.
        to_answer: whether the query is a question; if so, a speaker who only asks counts less, the next one more.
        answer: a pattern for the kind of answer that the query asks for, if known.
        explain: whether to return the parts of each score.
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
    """Counts clauses in passages and in the headings above them; each heading is read only once."""

    def __init__(self, matcher: Matcher, *, to_answer: bool, answer: re.Pattern[str] | None, explain: bool) -> None:
        self.explain = explain
        self._answer = answer
        self._matcher = matcher
        self._to_answer = to_answer
        self._counts: dict[str, Counts] = {"": {}}

    def of_other(self, matcher: Matcher) -> "_Reader":
        """Return a reader for texts in another language."""
        return _Reader(matcher, to_answer=self._to_answer, answer=self._answer, explain=self.explain)

    def read(self, passage: Passage) -> _Matched:
        text = passage.text
        opening = "\n".join(passage.opening)
        asks = asking(text) if self._to_answer and passage.speaker else 0.0
        places = self._matcher.places(text)
        return _Matched(
            passage,
            # Approximately the number of words.
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
        """Whether a text contains the kind of answer that the question asks for."""
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
        # Headings among its lines are scored as lines by themselves, because other passages are below them, too.
        own = max(sum(of_words.values()) + PAIR_BONUS * one.pairs, sum(in_headings.values()))
        own += TYPED_BONUS * sum(weights[clause] for clause in one.typed)
        kept = 1 - LINKED_COST * linked(one.passage.text)
        own *= kept
        # The bonuses help to choose a line; they say little about which memory is relevant, so they are not in `own`.
        answers = ANSWER_BONUS * reader.holds_answer(one.passage.text)
        bonus = SPEAKER_BONUS * bool(one.speaker) + answers
        score = (own + bonus) * (1 - ASKING_COST * one.asks) + MEMORY_SHARE * source.score
        scored = ScoredPassage(one.passage, own, score)
        if reader.explain:
            by_headings = sum(in_headings.values()) > sum(of_words.values()) + PAIR_BONUS * one.pairs
            parts = _word_parts(in_headings, [("heading", one.opening, 1.0)]) if by_headings else []
            parts = parts or [*_word_parts(of_words, places), LinePart("pair", PAIR_BONUS * one.pairs)]
            parts += [LinePart("typed", TYPED_BONUS * weights[clause], clause) for clause in sorted(one.typed)]
            parts = [part._replace(points=part.points * kept) for part in parts]
            parts += [LinePart("speaker", SPEAKER_BONUS * bool(one.speaker)), LinePart("answer", answers)]
            parts += [LinePart("asking", -(own + bonus) * ASKING_COST * one.asks)]
            scored = scored._replace(parts=tuple(part for part in parts if part.points))
        found.append(scored)
    matching = {one.passage.line_start for one in matched if one.text or one.speaker}
    return _join_adjacent(found, matching)


def _join_adjacent(found: Sequence[ScoredPassage], matching: AbstractSet[int]) -> list[ScoredPassage]:
    """Return passages, best first, each joined with those on adjacent lines that are nearly as good.

    Args:
        found: passages in the order of their lines.
        matching: the first lines of the passages that match in their text or speaker.
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
            # A heading starts another section.
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
    """Whether passages together have no more lines than a single passage may have."""
    return max(passage.line_end, run[-1].line_end) - min(passage.line_start, run[0].line_start) < MOST_LINES


def _run(best: Passage, run: Sequence[Passage]) -> Passage:
    """Return passages on adjacent lines as one, of the best one's kind."""
    said = (f"{one.speaker}: {one.text}" if one.speaker else one.text for one in run)
    return best._replace(
        line_start=run[0].line_start,
        line_end=run[-1].line_end,
        text="\n".join(said),
        speaker="",
        opening=run[0].opening,
    )


def _points(tf: Mapping[int, float], weights: Sequence[float], length: float) -> dict[int, float]:
    """Return the points of each clause in a passage; `length` is relative to the mean, times K1 * PASSAGE_B."""
    dampening = K1 * (1 - PASSAGE_B) + length
    return {clause: (K1 + 1) * weights[clause] * times / (times + dampening) for clause, times in tf.items()}


def _word_parts(points: Mapping[int, float], places: Iterable[tuple[str, Counts, float]]) -> list[LinePart]:
    """Return the points of each clause, with the places where it occurs."""
    where: dict[int, dict[str, int]] = {clause: {} for clause in points}
    for name, counts, _ in places:
        for clause, times in counts.items():
            where[clause][name] = where[clause].get(name, 0) + times
    return [LinePart("word", points[clause], clause, tuple(where[clause].items())) for clause in sorted(points)]


def asking(text: str) -> float:
    """Return the share of questions in a text, in [0,1]."""
    if "?" not in text:
        return 0.0
    # Each part ends with a question, which begins after the part's last full stop or exclamation mark.
    parts = f"{text} ".replace("\n", " ").split("? ")[:-1]
    return sum(len(part) - max(part.rfind(". "), part.rfind("! ")) for part in parts) / len(text)


# No part goes on over what another link may begin with, so that the time is linear.
_LINK = re.compile(r"https?://[^\s)>\]]+|\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\([^()\[\n]*\)")


def linked(text: str) -> float:
    """Return the share of links and addresses in a text, in [0,1]: an index names everything and says little."""
    if not text or ("://" not in text and "](" not in text and "[[" not in text):
        return 0.0
    return sum(map(len, _LINK.findall(text))) / len(text)


def _shares_of_before(matched: Sequence[_Matched]) -> Iterator[float]:
    """Yield, for each passage, the weight of words in the passage before it."""
    asker = ""
    for one in matched:
        answers = asker and one.passage.speaker not in ("", asker)
        yield QUESTION_WEIGHT if answers else NEIGHBOUR_WEIGHT
        asker = one.passage.speaker if one.is_answered else ""


def memory_score(score: float, best_line: float) -> float:
    """Return a memory's score combined with that of its best passage or title, on the scale of the memory's score."""
    return (score + PASSAGE_SHARE * best_line) / (1 + PASSAGE_SHARE)


def passage_relevance(score: float, best_possible: float) -> float:
    """Return a passage's score as a relevance in [0,1]."""
    return relevance(score / (1 + MEMORY_SHARE), best_possible)


def relevance(score: float, best_possible: float) -> float:
    """Return a memory's score as a relevance in [0,1]."""
    return min(1.0, max(0.0, score / best_possible)) if best_possible > 0 else 1.0


def more_than_chance(weights: Iterable[float], count: int) -> float:
    """Return how far words occur together in one memory by more than chance: 1 for a word that occurs in no other.

    By chance, words with these idf would occur together in about count * exp(-sum of idf) memories.

    Args:
        weights: the idf of the words.
        count: the number of memories.
    """
    return sum(weights) / idf(max(count, 1), 1)


def is_weak(relevance: float, names: float, evidence: float, *, similarity: float | None = None) -> bool:
    """Whether the best result, which lacks some words of the query, may well not answer it.

    Args:
        relevance: its relevance, in [0,1].
        names: the share of the query's names that occur in the shown part of it, in [0,1]; 1 without names.
        evidence: how far the query's words occur together there by more than chance (`more_than_chance`).
        similarity: how similar its memory is to the query in meaning, in [0,1]; None without vectors.
    """
    told = evidence + NAMES_SHARE * names
    if similarity is None:
        return told + RELEVANCE_SHARE * relevance < WEAK_BELOW
    return told + SIMILARITY_SHARE * similarity < WEAK_BELOW_BY_MEANING


def title_score(held: Iterable[int], share: float, weights: Sequence[float]) -> float:
    """Return what its title adds to the score of a memory that a query looks up.

    Args:
        held: the clauses that match the title, the file's name or its folders.
        share: of the words of title or name, how many the query has, in [0,1].
        weights: the weight of each clause in a passage (`passage_weights`).
    """
    whole = sum(weights)
    said = sum(weights[clause] for clause in held)
    return TITLE_SHARE * share * said * said / whole if whole else 0.0


def named_score(score: float, best_possible: float) -> float:
    """Return the score of a memory that the query names by an alias; it is higher than any other."""
    return score + (1 + PASSAGE_SHARE) * best_possible


def line_score(held: Iterable[int], weights: Sequence[float]) -> float:
    """Return the own score of a frontmatter line that matches these clauses; `weights` are those in passages."""
    return sum(weights[clause] for clause in held) * (K1 + 1) / (1 + K1)
