"""Recall: what comes to mind for a prompt, a few memories and beliefs in as many tokens as there is room for.

First the rules: in which order memories come to mind, and how many of them a budget of tokens holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from math import log1p
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs import ledger, next_lines
from memstore.conflicts.among import Among
from memstore.core.errors import UsageError
from memstore.core.ids import MEMORY_TYPES
from memstore.core.short_repr import short_repr
from memstore.search import query
from memstore.search.filters import narrowed, past_rows
from memstore.search.quality import MOST_USE_BONUS, USE_BONUS, Strength, days_between, retrieval_strength, strength
from memstore.search.ranker import Audience, Candidates
from memstore.search.reranker import HitReader, Wish
from memstore.search.retrieval import Filters, Operator, Unit, Where
from memstore.search.uses import uses_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.search.meaning import Similar
    from memstore.search.retrieval import Citation, Hit


MOST_MEMORIES = 3  # seed 002, "Recall Pipeline"
MOST_BELIEFS = 2
LEAST_BELIEF = 0.4  # of a belief's confidence today, to be surfaced
DEFAULT_BUDGET = 600
LONGEST_BITE = 280  # characters of a text
# A bite that is cut to less than so many characters tells nothing.
SHORTEST_BITE = 40
RANK_CONSTANT = 60  # Cormack, Clarke, Büttcher, Reciprocal Rank Fusion (2009)


class RecallProfile(Enum):
    """How the order comes about: memstore's, seed 002's four lists, or its weighted `memory_recall`."""

    DEFAULT = "default"
    SEED_002 = "seed-002"
    MEMORY_RECALL = "memory-recall"


PROFILES = tuple(profile.value for profile in RecallProfile)

# A list that is empty adds nothing: so does `similarity`, the one by meaning, where there is no embedder.
WEIGHTS: Mapping[RecallProfile, Mapping[str, float]] = {
    RecallProfile.DEFAULT: {"relevance": 1.0, "similarity": 1.0, "strength": 0.10},
    RecallProfile.SEED_002: {"relevance": 0.4, "similarity": 1.0, "recency": 0.6, "access": 0.4},  # "Recall Pipeline"
    RecallProfile.MEMORY_RECALL: {"relevance": 0.5, "recency": 0.3, "access": 0.2},
}


class Known(NamedTuple):
    """What is known of a memory that may come to mind: its relevance in [0,1], its strength, when it was made (UTC).

    `relevance` is that of its words, 0 where none of them matches; `similarity` is its meaning's, in [0,1].
    """

    relevance: float
    strength: Strength
    made_at: datetime | None
    similarity: float = 0.0


def recall_scores(known: Sequence[Known], profile: RecallProfile, now: datetime) -> list[float]:
    """Return the score of each, the best highest.

    Args:
        known: the memories that match, the most relevant first; those that match by meaning alone after them.
        profile: how the order comes about.
        now: UTC.
    """
    weights = WEIGHTS[profile]
    measures = {name: [_MEASURES[name](one, now) for one in known] for name in weights}
    if profile is not RecallProfile.MEMORY_RECALL:
        # The search's own order, of what it finds by words.
        measures["relevance"] = [float(len(known) - at) if one.relevance else 0.0 for at, one in enumerate(known)]
        measures = {name: _by_rank(values) for name, values in measures.items()}
    return [sum(weights[name] * measures[name][at] for name in weights) for at in range(len(known))]


def _by_rank(values: Sequence[float]) -> list[float]:
    """Return what each adds for its place in one list: those of one value share a place, 0 is not on the list."""
    place = {value: at for at, value in reversed(list(enumerate(sorted(values, reverse=True), 1)))}
    return [1 / (RANK_CONSTANT + place[value]) if value > 0 else 0.0 for value in values]


def _strength(known: Known, _: datetime) -> float:
    """Return how readily it comes to mind, where it was ever used: the list is one of uses."""
    return known.strength.retrieval if known.strength.uses else 0.0


def _recency(known: Known, now: datetime) -> float:
    return 0.0 if known.made_at is None else retrieval_strength(days_between(known.made_at, now))


def _access(known: Known, _: datetime) -> float:
    """Return how often it was used, in [0,1], as quality counts uses."""
    return min(USE_BONUS * log1p(known.strength.uses), MOST_USE_BONUS) / MOST_USE_BONUS


_MEASURES: Mapping[str, Callable[[Known, datetime], float]] = {
    "relevance": lambda known, _: known.relevance,
    "similarity": lambda known, _: known.similarity,
    "strength": _strength,
    "recency": _recency,
    "access": _access,
}

# -- the budget ----------------------------------------------------------------------------------

# An unprintable character is spelt out when it is shown, like <U+202E>.
_UNPRINTABLE = 10


def tokens(text: str) -> int:
    """Return how many tokens a text takes at most, as a rule: more than the tokenizers of language models count.

    Three letters of a word without accents are a token, and so is every other character but a blank; one beyond
    ASCII counts one less than its bytes in UTF-8.
    """
    count, letters = 0, 0
    for sign in text:
        if sign.isascii() and sign.isalpha():
            count += letters % 3 == 0
            letters += 1
        else:
            letters = 0
            count += _tokens_of_sign(sign)
    return count


def _tokens_of_sign(sign: str) -> int:
    if sign == " ":
        return 0
    if sign.isascii():
        return 1 if sign.isprintable() or sign == "\n" else _UNPRINTABLE
    return len(sign.encode(errors="surrogatepass")) - 1 if sign.isprintable() else _UNPRINTABLE


def one_line(text: str) -> str:
    """Return a text on one line, without what can't be printed."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def shortened(text: str, longest: int) -> str:
    """Return a text of at most so many characters, cut between words where that is possible."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    at_word = cut.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > longest // 2 else cut).rstrip(" ,;:") + "…"


def fitted(text: str, room: int, whole: Callable[[str], str]) -> str | None:
    """Return as much of a text as there is room for; None where too little of it would be left.

    Args:
        text: on one line.
        room: tokens, for all that `whole` makes of the text and the end of its line.
        whole: gives what is shown for a text.
    """
    longest = min(len(text), LONGEST_BITE)
    for length in range(longest, min(SHORTEST_BITE, longest) - 1, -8):
        said = shortened(text, length)
        if tokens(whole(said)) + 1 <= room:
            return said
    return None


def interleaved(memories: int, beliefs: int) -> Iterable[tuple[bool, int]]:
    """Yield in which order bites take from the budget: whether it is a belief's, and its place among its kind."""
    for at in range(max(memories, beliefs)):
        if at < memories:
            yield False, at
        if at < beliefs:
            yield True, at


# -- recall ----------------------------------------------------------------------------------------


# So many of the best matches are put in order.
POOL = 20
SEED_POOL = 200  # seed 002, "Recall Pipeline"

_NOT_SUPERSEDED = (Where("superseded_by", Operator.MISSING),)
_MEMORIES = Filters(type=tuple(name for name in MEMORY_TYPES if name != "belief"), where=_NOT_SUPERSEDED)
_BELIEFS = Filters(type=("belief",), where=_NOT_SUPERSEDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledBelief:
    """How surely a belief is held, in [0,1], stored and today; how many independent roots are for it and against it."""

    confidence: float
    today: float
    roots_for: int
    roots_against: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bite:
    """A memory that comes to mind: `text` is what of the cited lines there is room for, `held` a belief's alone.

    `score` is what it is ordered by, `tokens` what its line takes.
    """

    ref: str | None
    type: str
    title: str
    text: str
    citation: Citation
    relevance: float
    score: float
    held: RecalledBelief | None = None

    __repr__ = short_repr

    @property
    def line(self) -> str:
        """The bite as it is shown."""
        return _line(self.text, self.citation, self.held)

    @property
    def tokens(self) -> int:
        """What the line takes of a budget, with its end."""
        return tokens(self.line) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What came to mind for a prompt, the best first; `tokens` of all bites together are at most `budget`.

    For `left_out` more there was no room. `by_meaning` is whether an embedder told what is alike in meaning.
    """

    prompt: str
    profile: RecallProfile
    budget: int
    memories: tuple[Bite, ...] = ()
    beliefs: tuple[Bite, ...] = ()
    left_out: int = 0
    by_meaning: bool = False

    __repr__ = short_repr

    @property
    def tokens(self) -> int:
        """What all bites take of the budget."""
        return sum(bite.tokens for bite in (*self.memories, *self.beliefs))


def recall(
    view: View, prompt: str, *, budget: int = DEFAULT_BUDGET, profile: RecallProfile = RecallProfile.DEFAULT
) -> Recalled:
    """Return what comes to mind for a prompt: at most 3 memories and 2 beliefs. It is no use of them.

    >>> tea = note(ws.view(), "Claire drinks green tea in the morning.")
    >>> held = belief(ws.view(), "Tea keeps Claire awake.", confidence=0.75)
    >>> recalled = recall(ws.view(), "Should I offer Claire tea?")
    >>> [bite.text for bite in recalled.memories], [bite.held.today for bite in recalled.beliefs]
    (['Claire drinks green tea in the morning.'], [0.75])

    Args:
        view: the vault; its actor is the one to whom it comes.
        prompt: any text; signs of the query language mean nothing in it.
        budget: tokens, 1 or more, that all bites together take at most, by `recall_order.tokens`.
        profile: how they are ordered.

    Raises:
        UsageError: the budget is below 1.
    """
    if budget < 1:
        raise UsageError(f"a budget of {budget} tokens has no room for anything", hint="give at least 1")
    recalled = _Recall(view, prompt, profile)
    memories, held = recalled.best(_MEMORIES, MOST_MEMORIES), recalled.best(_BELIEFS, MOST_BELIEFS)
    fitting = list(_fitting(memories, held, budget))
    return Recalled(
        prompt=prompt,
        profile=profile,
        budget=budget,
        memories=tuple(bite for bite in fitting if bite.held is None),
        beliefs=tuple(bite for bite in fitting if bite.held),
        left_out=len(memories) + len(held) - len(fitting),
        by_meaning=recalled.by_meaning,
    )


def _fitting(memories: Sequence[Bite], held: Sequence[Bite], budget: int) -> Iterator[Bite]:
    """Yield the bites that there is room for, each shortened where it has to be."""
    left = budget
    for is_belief, at in interleaved(len(memories), len(held)):
        bite = _fitted((held if is_belief else memories)[at], left)
        if bite is not None:
            left -= bite.tokens
            yield bite


def _fitted(bite: Bite, room: int) -> Bite | None:
    text = fitted(bite.text, room, lambda said: _line(said, bite.citation, bite.held))
    return None if text is None else replace(bite, text=text)


def _line(text: str, citation: Citation, held: RecalledBelief | None) -> str:
    where = f"{citation.path}:{citation.line_start}"
    if held is None:
        return f"[Memory flash: {text}] {where}"
    votes = f"{held.roots_for} for / {held.roots_against} against"
    return f"[Belief ({held.confidence:.2f}, {votes}): {text}] {where}"


class _Match(NamedTuple):
    """A memory that matches a prompt; `relevance` and `similarity` are 0 where its words or its meaning don't."""

    hit: Hit
    relevance: float
    similarity: float = 0.0


class _Recall:
    """What one prompt brings to mind, of one kind after the other."""

    def __init__(self, view: View, prompt: str, profile: RecallProfile) -> None:
        self._view = view
        self._asked = query.of_prompt(prompt)
        self._profile = profile
        self._audience = Audience(view)
        self._now = view.clock.now()
        self._pool = SEED_POOL if profile is RecallProfile.SEED_002 else POOL
        self.by_meaning = view.embedder is not None and "similarity" in WEIGHTS[profile]

    def best(self, filters: Filters, most: int) -> list[Bite]:
        """Return the best of one kind, each text once."""
        found: dict[str, Bite] = {}
        for hit, score in self._ordered(self._matches(filters)):
            bite = self._bite(hit, score)
            if bite is not None:
                found.setdefault(bite.text.casefold(), bite)
            if len(found) == most:
                break
        return list(found.values())

    def _matches(self, filters: Filters) -> list[_Match]:
        """Return what matches, the best by its words first, then what only its meaning brings."""
        if not self._asked.clauses:
            return []
        audience = self._audience
        rows = [row for row in narrowed(audience.then, audience.memories, filters) if row not in self._past]
        by_words = self._hits(Candidates(audience, rows, self._asked, Unit.MEMORY, best=self._pool))
        if not self.by_meaning:
            return [_Match(hit, hit.relevance) for hit in by_words]
        near = self._near(rows)
        like = self._hits(Candidates(audience, [*near.rows], self._asked, Unit.MEMORY, near, vector_weight=1.0))
        paths = audience.column("path")
        alike_at = {paths[row]: alike for row, alike in near.rows.items()}
        known = {hit.path for hit in by_words}
        found = [_Match(hit, hit.relevance, alike_at.get(hit.path, 0.0)) for hit in by_words]
        found += [_Match(hit, 0.0, alike_at[hit.path]) for hit in like if hit.path not in known]
        # The seed shows nothing that is less like the prompt, whatever its words are.
        return [one for one in found if one.similarity or self._profile is not RecallProfile.SEED_002]

    def _near(self, rows: Sequence[int]) -> Similar:
        """Return how like the prompt in meaning rows are, those that are like it at all."""
        from memstore.search.meaning import LEAST_SIMILARITY, similar_rows

        similar = similar_rows(self._audience.then, rows, self._asked.text)
        near = {row: alike for row, alike in similar.rows.items() if alike >= LEAST_SIMILARITY}
        return similar._replace(rows=near)

    def _hits(self, candidates: Candidates) -> list[Hit]:
        wish = Wish(limit=self._pool)
        hits, _ = HitReader(candidates, self._asked, wish, among=Among(candidates.audience.then), now=self._now).hits()
        return hits

    @cached_property
    def _past(self) -> frozenset[int]:
        return past_rows(self._audience.then, self._now)

    def _ordered(self, matches: Sequence[_Match]) -> list[tuple[Hit, float]]:
        hits = [one.hit for one in matches]
        ids = [(hit.ref or "").partition(":")[2] for hit in hits]
        uses = uses_of(self._view, [one for one in ids if one])
        known = []
        for one, memory_id in zip(matches, ids, strict=True):
            made_at = self._audience.then.made_at(one.hit.path, one.hit.created_at or "")
            used = [use.at for use in uses.get(memory_id, ())]
            known.append(Known(one.relevance, strength(made_at, used, self._now), made_at, one.similarity))
        scores = recall_scores(known, self._profile, self._now)
        return sorted(zip(hits, scores, strict=True), key=lambda one: -round(one[1], 9))

    def _bite(self, hit: Hit, score: float) -> Bite | None:
        """Return the bite of a hit; None for a belief that is hardly held today."""
        held = None
        if hit.type == "belief":
            held = self._held(hit.path)
            if held is None:
                return None
        return Bite(
            ref=hit.ref,
            type=hit.type,
            title=hit.title,
            text=one_line(hit.content),
            citation=hit.citation,
            relevance=hit.relevance,
            score=score,
            held=held,
        )

    def _held(self, path: str) -> RecalledBelief | None:
        """Return how surely a belief is held; None where it is too low, or not the viewer's to see any more."""
        file = self._view.read(path)
        return held_of(file.memory, self._now) if file and file.memory.status == "active" else None


def held_of(memory: Memory, now: datetime) -> RecalledBelief | None:
    """Return how surely a belief is held; None where today that is too little for it to be surfaced."""
    number, today = next_lines.held(memory), next_lines.held_now(memory, now)
    if number is None or today is None or today < LEAST_BELIEF:
        return None
    votes_for, votes_against = ledger.votes(ledger.witnesses(memory.confidence_history))
    return RecalledBelief(confidence=number, today=today, roots_for=votes_for, roots_against=votes_against)
