"""Recall: what comes to mind for a prompt, a few memories and beliefs in as many tokens as there is room for.

First the rule in which order memories come to mind.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from math import log1p
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs import ledger, next_lines
from memstore.beliefs.bites import LONGEST_BITE, Saying, fitted, interleaved, one_line, sayings, sentences, tokens
from memstore.conflicts.among import Among
from memstore.core import terms
from memstore.core.errors import UsageError
from memstore.core.ids import MEMORY_TYPES
from memstore.core.short_repr import short_repr
from memstore.files.passages import PassageKind
from memstore.search import query
from memstore.search.filters import narrowed, past_rows
from memstore.search.quality import MOST_USE_BONUS, USE_BONUS, Strength, days_between, retrieval_strength, strength
from memstore.search.ranker import Audience, Candidates
from memstore.search.reranker import HitReader, Wish
from memstore.search.retrieval import Filters, Operator, Unit, Where
from memstore.search.uses import uses_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.search.meaning import Similar
    from memstore.search.opened import Opened
    from memstore.search.retrieval import Citation, Hit


MOST_MEMORIES = 3  # seed 002, "Recall Pipeline"
MOST_BELIEFS = 2
LEAST_BELIEF = 0.4  # of a belief's confidence today, to be surfaced
DEFAULT_BUDGET = 600
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
    """A memory that comes to mind: `text` is what the cited lines say, after a title or heading that the prompt names.

    `score` is what it is ordered by; `held` only a belief has.
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
    def label(self) -> str:
        """The bite as it is shown, without where it stands."""
        return _label(self.text, self.held)

    @property
    def line(self) -> str:
        """The bite as it is shown, and where it stands in the vault."""
        return f"{self.label} {self.citation.path}:{self.citation.line_start}"

    @property
    def tokens(self) -> int:
        """What it takes of a budget, with the end of its line, but without where it stands."""
        return tokens(self.label) + 1


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
        budget: tokens, 1 or more, that all bites together take at most, by `bites.tokens`; paths are not counted.
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


class _Found(NamedTuple):
    """A memory that comes to mind, and what may be said of it, the longest first; each after its `lead`, if any."""

    hit: Hit
    file: Opened
    score: float
    held: RecalledBelief | None
    lead: str
    sayings: Sequence[Saying]

    def text(self, saying: Saying) -> str:
        """Return what is said, after its lead."""
        if not self.lead:
            return saying.text
        return f"{self.lead}{' ' if self.lead[-1] in '.!?:' else ': '}{saying.text}"

    def bite(self, room: int) -> Bite | None:
        """Return as much as there is room for: whole sentences, else a beginning without the lead."""
        for saying in self.sayings:
            text = self.text(saying)
            if len(text) <= LONGEST_BITE and tokens(_label(text, self.held)) + 1 <= room:
                return self._bite(text, saying)
        shortest = self.sayings[-1]
        cut = fitted(shortest.text, room, lambda said: _label(said, self.held))
        return None if cut is None else self._bite(cut, shortest)

    def _bite(self, text: str, saying: Saying) -> Bite:
        return Bite(
            ref=self.hit.ref,
            type=self.hit.type,
            title=self.hit.title,
            text=text,
            citation=self.file.cite(saying.line_start, saying.line_end),
            relevance=self.hit.relevance,
            score=self.score,
            held=self.held,
        )


def _fitting(memories: Sequence[_Found], held: Sequence[_Found], budget: int) -> Iterator[Bite]:
    """Yield the bites that there is room for, each shortened where it has to be."""
    left = budget
    for is_belief, at in interleaved(len(memories), len(held)):
        bite = (held if is_belief else memories)[at].bite(left)
        if bite is not None:
            left -= bite.tokens
            yield bite


def _label(text: str, held: RecalledBelief | None) -> str:
    if held is None:
        return f"[Memory flash: {text}]"
    votes = f"{held.roots_for} for / {held.roots_against} against"
    return f"[Belief ({held.confidence:.2f}, {votes}): {text}]"


class _Match(NamedTuple):
    """A memory that matches a prompt; `relevance` and `similarity` are 0 where its words or its meaning don't."""

    hit: Hit
    file: Opened
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

    def best(self, filters: Filters, most: int) -> list[_Found]:
        """Return the best of one kind, each text once."""
        found: dict[str, _Found] = {}
        for match, score in self._ordered(self._matches(filters)):
            one = self._found(match, score)
            if one is not None:
                found.setdefault(one.text(one.sayings[0]).casefold(), one)
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
            return [_Match(hit, file, hit.relevance) for hit, file in by_words]
        near = self._near(rows)
        like = self._hits(Candidates(audience, [*near.rows], self._asked, Unit.MEMORY, near, vector_weight=1.0))
        paths = audience.column("path")
        alike_at = {paths[row]: alike for row, alike in near.rows.items()}
        known = {hit.path for hit, _ in by_words}
        found = [_Match(hit, file, hit.relevance, alike_at.get(hit.path, 0.0)) for hit, file in by_words]
        found += [_Match(hit, file, 0.0, alike_at[hit.path]) for hit, file in like if hit.path not in known]
        # The seed shows nothing that is less like the prompt, whatever its words are.
        return [one for one in found if one.similarity or self._profile is not RecallProfile.SEED_002]

    def _near(self, rows: Sequence[int]) -> Similar:
        """Return how like the prompt in meaning rows are, those that are like it at all."""
        from memstore.search.meaning import LEAST_SIMILARITY, similar_rows

        similar = similar_rows(self._audience.then, rows, self._asked.text)
        near = {row: alike for row, alike in similar.rows.items() if alike >= LEAST_SIMILARITY}
        return similar._replace(rows=near)

    def _hits(self, candidates: Candidates) -> list[tuple[Hit, Opened]]:
        wish, among = Wish(limit=self._pool), Among(candidates.audience.then)
        reader = HitReader(candidates, self._asked, wish, among=among, now=self._now)
        hits, _ = reader.hits()
        return [(hit, reader.file_of(hit)) for hit in hits]

    @cached_property
    def _past(self) -> frozenset[int]:
        return past_rows(self._audience.then, self._now)

    def _ordered(self, matches: Sequence[_Match]) -> list[tuple[_Match, float]]:
        ids = [(one.hit.ref or "").partition(":")[2] for one in matches]
        uses = uses_of(self._view, [one for one in ids if one])
        known = []
        for one, memory_id in zip(matches, ids, strict=True):
            made_at = self._audience.then.made_at(one.hit.path, one.hit.created_at or "")
            used = [use.at for use in uses.get(memory_id, ())]
            known.append(Known(one.relevance, strength(made_at, used, self._now), made_at, one.similarity))
        scores = recall_scores(known, self._profile, self._now)
        return sorted(zip(matches, scores, strict=True), key=lambda one: -round(one[1], 9))

    def _found(self, match: _Match, score: float) -> _Found | None:
        """Return what may be said of a match; None for a belief that is hardly held today."""
        hit, file = match.hit, match.file
        held = self._held(hit.path) if hit.type == "belief" else None
        if hit.type == "belief" and held is None:
            return None
        first, last = hit.citation.line_start, hit.citation.line_end
        said = sayings(sentences(file.passages), first, last, self._words)
        if not said:
            said = [Saying(one_line(hit.content), first, last)]
        return _Found(hit, file, score, held, self._lead(file, said[0]), said)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(terms.terms(self._asked.text)) - terms.stop_words()

    def _lead(self, file: Opened, said: Saying) -> str:
        """Return the title or heading that the prompt names and what is said does not; empty where there is none."""
        missing = self._words.difference(terms.terms(said.text))
        for heading in (file.own_title, *_headings_at(file, said.line_start)):
            if missing.intersection(terms.terms(heading)):
                return one_line(heading)
        return ""

    def _held(self, path: str) -> RecalledBelief | None:
        """Return how surely a belief is held; None where it is too low, or not the viewer's to see any more."""
        file = self._view.read(path)
        return held_of(file.memory, self._now) if file and file.memory.status == "active" else None


def _headings_at(file: Opened, line: int) -> tuple[str, ...]:
    """Return the headings over a line, the innermost first."""
    over = (one for one in file.passages if one.line_start <= line <= one.line_end and one.kind is not PassageKind.ROW)
    return next((one.headings[::-1] for one in over), ())


def held_of(memory: Memory, now: datetime) -> RecalledBelief | None:
    """Return how surely a belief is held; None where today that is too little for it to be surfaced."""
    number, today = next_lines.held(memory), next_lines.held_now(memory, now)
    if number is None or today is None or today < LEAST_BELIEF:
        return None
    votes_for, votes_against = ledger.votes(ledger.witnesses(memory.confidence_history))
    return RecalledBelief(confidence=number, today=today, roots_for=votes_for, roots_against=votes_against)
