"""Recall: what comes to mind for a prompt, a few memories and beliefs in as many tokens as there is room for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs import ledger, next_lines
from memstore.beliefs import recall_order as rules
from memstore.beliefs.recall_order import Known, RecallProfile
from memstore.conflicts.compare import Among
from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.errors import UsageError
from memstore.core.ids import MEMORY_TYPES
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.search import query
from memstore.search.filters import narrowed
from memstore.search.quality import strength
from memstore.search.ranker import Audience, Candidates
from memstore.search.reranker import HitReader, Wish
from memstore.search.retrieval import Filters, Operator, Unit, Where
from memstore.search.uses import uses_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.search.retrieval import Citation, Hit

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
        return rules.tokens(self.line) + 1


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
    view: View, prompt: str, *, budget: int = rules.DEFAULT_BUDGET, profile: RecallProfile = RecallProfile.DEFAULT
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
        raise UsageError(f"a budget of {budget} tokens has no room", hint="give at least 1")
    recalled = _Recall(view, prompt, profile)
    memories, held = recalled.best(_MEMORIES, rules.MOST_MEMORIES), recalled.best(_BELIEFS, rules.MOST_BELIEFS)
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
    for is_belief, at in rules.interleaved(len(memories), len(held)):
        bite = _fitted((held if is_belief else memories)[at], left)
        if bite is not None:
            left -= bite.tokens
            yield bite


def _fitted(bite: Bite, room: int) -> Bite | None:
    text = rules.fitted(bite.text, room, lambda said: _line(said, bite.citation, bite.held))
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
        self.by_meaning = view.embedder is not None and "similarity" in rules.WEIGHTS[profile]

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
        rows = [row for row in narrowed(audience.then, audience.rows, filters) if not self._is_past(row)]
        by_words = self._hits(Candidates(audience, rows, self._asked, Unit.MEMORY, best=self._pool))
        if not self.by_meaning:
            return [_Match(hit, hit.relevance) for hit in by_words]
        near = self._near(rows)
        like = self._hits(Candidates(audience, [*near], self._asked, Unit.MEMORY, near, vector_weight=1.0))
        paths = audience.column("path")
        alike_at = {paths[row]: alike for row, alike in near.items()}
        known = {hit.path for hit in by_words}
        found = [_Match(hit, hit.relevance, alike_at.get(hit.path, 0.0)) for hit in by_words]
        found += [_Match(hit, 0.0, alike_at[hit.path]) for hit in like if hit.path not in known]
        # The seed shows nothing that is less like the prompt, whatever its words are.
        return [one for one in found if one.similarity or self._profile is not RecallProfile.SEED_002]

    def _near(self, rows: Sequence[int]) -> dict[int, float]:
        """Return how like the prompt in meaning rows are, those that are like it at all."""
        from memstore.search.meaning import LEAST_SIMILARITY, similar_rows

        similar = similar_rows(self._audience.then, rows, self._asked.text)
        return {row: alike for row, alike in similar.items() if alike >= LEAST_SIMILARITY}

    def _hits(self, candidates: Candidates) -> list[Hit]:
        wish = Wish(limit=self._pool)
        hits, _ = HitReader(
            candidates, self._asked, wish, among=Among(candidates.audience.then.lexicon), now=self._now
        ).hits()
        return hits

    def _is_past(self, row: int) -> bool:
        """Whether something else took a memory's place, though it doesn't say so itself, or its time is over."""
        until = self._audience.column("valid_until")[row]
        if until and until < instant(self._now)[: len(until)]:
            return True
        return self._audience.column("id")[row] in self._superseded

    @cached_property
    def _superseded(self) -> frozenset[str]:
        """The ids that active memories say they supersede."""
        audience = self._audience
        named, statuses = audience.column("supersedes"), audience.column("status")
        refs = (named[row].split(ITEM_SEPARATOR) for row in audience.rows if named[row] and statuses[row] == "active")
        return frozenset(ref.partition(":")[2] for each in refs for ref in each)

    def _ordered(self, matches: Sequence[_Match]) -> list[tuple[Hit, float]]:
        hits = [one.hit for one in matches]
        ids = [(hit.ref or "").partition(":")[2] for hit in hits]
        uses = uses_of(self._view, [one for one in ids if one])
        known = []
        for one, memory_id in zip(matches, ids, strict=True):
            made_at = self._audience.then.made_at(one.hit.path, one.hit.created_at or "")
            used = [use.at for use in uses.get(memory_id, ())]
            known.append(Known(one.relevance, strength(made_at, used, self._now), made_at, one.similarity))
        scores = rules.scores(known, self._profile, self._now)
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
            text=rules.one_line(hit.content),
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
    if number is None or today is None or today < rules.LEAST_BELIEF:
        return None
    votes_for, votes_against = ledger.votes(ledger.witnesses(memory.confidence_history))
    return RecalledBelief(confidence=number, today=today, roots_for=votes_for, roots_against=votes_against)
