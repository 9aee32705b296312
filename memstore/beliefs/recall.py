"""Recall: what comes to mind for a prompt, a few memories and beliefs within a budget of tokens.

The rule for the order in which memories come to mind is first.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property, partial
from math import log1p
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import SHARED
from memstore.beliefs import ledger, next_lines
from memstore.beliefs.bites import (
    LONGEST_BITE,
    Saying,
    fitted,
    interleaved,
    one_line,
    sayings,
    sentences,
    shortened,
    tokens,
)
from memstore.beliefs.standing import DECISION, acts_in, rule_terms, rules_in
from memstore.core import terms
from memstore.core.catalog import Field
from memstore.core.config import GLOBAL_SCOPE
from memstore.core.errors import UsageError
from memstore.core.full_stops import split_sentences
from memstore.core.ids import MEMORY_TYPES, MemoryRef
from memstore.core.keys import EXTERNAL
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.files.passages import PassageKind
from memstore.search import EMBEDDER, query
from memstore.search.aliases import other_names
from memstore.search.clauses import Clause, Filters, Operator, Query, Where, Word
from memstore.search.filters import PastRows, checked, narrowed
from memstore.search.quality import MOST_USE_BONUS, USE_BONUS, Strength, days_between, retrieval_strength, strength
from memstore.search.ranker import Audience, Candidates, ContentOrigin
from memstore.search.reranker import HitReader, Wish
from memstore.search.retrieval import Unit
from memstore.search.uses import uses_of
from memstore.search.weakness import is_weak

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.stack import Mount
    from memstore.core.memory import LedgerLine, Memory
    from memstore.core.quotation import External
    from memstore.core.view import View
    from memstore.search.meaning import Similar
    from memstore.search.opened import Opened
    from memstore.search.retrieval import Citation, Hit


MOST_MEMORIES = 3  # seed 002, "Recall Pipeline"
MOST_BELIEFS = 2
MOST_RULES = 2  # standing rules among the memories
LEAST_BELIEF = 0.4  # the lowest confidence today of a belief that is shown
HALF = 0.5  # a belief with less confidence is not held
_ENOUGH_WORDS = 2  # of the prompt, in a belief that is about it whatever its words weigh
_MAY_BE_NAMED = frozenset({"active", "superseded"})  # what is quarantined, archived or forgotten is out of recall
LONGEST_LEAD = 80  # characters of the title of another memory before a quotation
DEFAULT_BUDGET = 600
RANK_CONSTANT = 60  # Cormack, Clarke, Büttcher, Reciprocal Rank Fusion (2009)


class RecallProfile(Enum):
    """How results are ordered: memstore's own way, seed 002's four lists, or its weighted `memory_recall`."""

    DEFAULT = "default"
    SEED_002 = "seed-002"
    MEMORY_RECALL = "memory-recall"


PROFILES = tuple(profile.value for profile in RecallProfile)

# An empty list adds nothing, like `similarity`, the one by meaning, if there is no embedder.
WEIGHTS: Mapping[RecallProfile, Mapping[str, float]] = {
    RecallProfile.DEFAULT: {"relevance": 1.0, "similarity": 1.0, "strength": 0.10},
    RecallProfile.SEED_002: {"relevance": 0.4, "similarity": 1.0, "recency": 0.6, "access": 0.4},  # "Recall Pipeline"
    RecallProfile.MEMORY_RECALL: {"relevance": 0.5, "recency": 0.3, "access": 0.2},
}


class Known(NamedTuple):
    """The facts about a memory that may come to mind: relevance in [0, 1], strength, creation time (UTC).

    `relevance` is by words, 0 if none matches; `similarity` is by meaning, in [0, 1].
    """

    relevance: float
    strength: Strength
    made_at: datetime | None
    similarity: float = 0.0


def recall_scores(known: Sequence[Known], profile: RecallProfile, now: datetime) -> list[float]:
    """Return the score of each memory; higher is better.

    Args:
        known: the memories that match, the most relevant first, followed by those that match by meaning only.
        profile: how they are ordered.
        now: UTC.
    """
    weights = WEIGHTS[profile]
    measures = {name: [_MEASURES[name](one, now) for one in known] for name in weights}
    if profile is not RecallProfile.MEMORY_RECALL:
        # The search's own order, for what it finds by words.
        measures["relevance"] = [float(len(known) - at) if one.relevance else 0.0 for at, one in enumerate(known)]
        measures = {name: _by_rank(values) for name, values in measures.items()}
    return [sum(weights[name] * measures[name][at] for name in weights) for at in range(len(known))]


def _by_rank(values: Sequence[float]) -> list[float]:
    """Return the score of each value for its rank in one list: equal values share a rank, 0 is not on the list."""
    place = {value: at for at, value in reversed(list(enumerate(sorted(values, reverse=True), 1)))}
    return [1 / (RANK_CONSTANT + place[value]) if value > 0 else 0.0 for value in values]


def _strength(known: Known, _: datetime) -> float:
    """Return the strength of a memory that was ever used, else 0: this list is about uses."""
    return known.strength.retrieval if known.strength.uses else 0.0


def _recency(known: Known, now: datetime) -> float:
    return 0.0 if known.made_at is None else retrieval_strength(days_between(known.made_at, now))


def _access(known: Known, _: datetime) -> float:
    """Return how often a memory was used, in [0, 1], as quality counts uses."""
    return min(USE_BONUS * log1p(known.strength.uses), MOST_USE_BONUS) / MOST_USE_BONUS


_MEASURES: Mapping[str, Callable[[Known, datetime], float]] = {
    "relevance": lambda known, _: known.relevance,
    "similarity": lambda known, _: known.similarity,
    "strength": _strength,
    "recency": _recency,
    "access": _access,
}

# -- recall ----------------------------------------------------------------------------------------


# The number of best matches that are put in order.
POOL = 20
SEED_POOL = 200  # seed 002, "Recall Pipeline"

_NOT_SUPERSEDED = (Where("superseded_by", Operator.MISSING),)
_MEMORIES = Filters(type=tuple(name for name in MEMORY_TYPES if name != "belief"), where=_NOT_SUPERSEDED)
_BELIEFS = Filters(type=("belief",), where=_NOT_SUPERSEDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledBelief:
    """A belief's confidence in [0, 1], stored and today, and the number of independent roots for and against it."""

    confidence: float
    today: float
    roots_for: int
    roots_against: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bite:
    """A memory that comes to mind: `text` quotes the cited lines, after a title or heading that the prompt names.

    Bites are ordered by `score`; only a belief has `held`, and only an external memory `external`. `day` is when it was
    said, as far as that is known, like `2026-08-30`; `about` are its subjects other than the viewer and the owner.
    `by_also` says that it has none of the prompt's own words, only other words that were given for them.
    """

    ref: str | None
    type: str
    title: str
    text: str
    citation: Citation
    relevance: float
    score: float
    held: RecalledBelief | None = None
    external: External | None = None
    day: str | None = None
    about: tuple[str, ...] = ()
    by_also: bool = False

    __repr__ = short_repr

    @property
    def label(self) -> str:
        """The bite as it is shown, without its day, path and line; if it is external, framed as a quotation."""
        return _label(self.text, self.held, self.external)

    @property
    def dated(self) -> str:
        """The bite with its day and whom it is about, where that is known."""
        known = ", ".join((*([self.day] if self.day else []), *(f"about {one}" for one in self.about)))
        return f"{self.label} ({known})" if known else self.label

    @property
    def line(self) -> str:
        """The bite as it is shown, with its day, and its path and line in the vault."""
        return f"{self.dated} {self.citation.path}:{self.citation.line_start}"

    @property
    def tokens(self) -> int:
        """Its cost in tokens, including the line end, but without day, path and line."""
        return tokens(self.label) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What came to mind for a prompt, best first; the `tokens` of all bites together are at most `budget`.

    `also` has the other words that were given for it. `weak` is whether nothing of this matches well. `left_out` counts
    those that didn't fit. `by_meaning` is whether an embedder compared meanings.
    """

    prompt: str
    profile: RecallProfile
    budget: int
    also: tuple[str, ...] = ()
    memories: tuple[Bite, ...] = ()
    beliefs: tuple[Bite, ...] = ()
    left_out: int = 0
    weak: bool = False
    by_meaning: bool = False

    __repr__ = short_repr

    @property
    def tokens(self) -> int:
        """The cost of all bites, in tokens."""
        return sum(bite.tokens for bite in (*self.memories, *self.beliefs))


def recall(
    view: View,
    prompt: str,
    *,
    also: Sequence[str] = (),
    scope: Sequence[str] = (),
    budget: int = DEFAULT_BUDGET,
    profile: RecallProfile = RecallProfile.DEFAULT,
    along: bool = True,
) -> Recalled:
    """Return what comes to mind for a prompt: at most 3 memories and 2 beliefs. Recall does not count as a use.

    >>> tea = note(ws.view(), "Claire drinks green tea in the morning.")
    >>> held = belief(ws.view(), "Tea keeps Claire awake.", confidence=0.75)
    >>> recalled = recall(ws.view(), "Should I offer Claire tea?")
    >>> [bite.text for bite in recalled.memories], [bite.held.today for bite in recalled.beliefs]
    (['Claire drinks green tea in the morning.'], [0.75])

    Args:
        view: the vault; its actor is the one who recalls.
        prompt: any text; query syntax has no meaning in it.
        also: words and short phrases in which a memory may have said what matters, 2 to 12.
        scope: only in these scopes, like `global` and `project:acme`; empty for all.
        budget: the most tokens for all bites together, 1 or more, as `bites.tokens` counts; days and paths don't.
        profile: how they are ordered.
        along: whether the actor's own vault, beside one that a group owns, is searched along.

    Raises:
        UsageError: the budget is below 1, `also` is out of bounds, or no scope is written like that.
    """
    if budget < 1:
        raise UsageError(f"a budget of {budget} tokens has no room for anything", hint="give at least 1")
    scopes = tuple(checked("scope", one) for one in scope)
    asked = query.with_names(query.of_prompt(prompt, also=also), other_names(view, prompt))
    recalled = _Recall(view, asked, profile, scopes)
    own = view.of(SHARED).own if along else None
    beside = _Recall(own.view, asked, profile, scopes, own) if own and own.view else None
    memories, held = (
        _best_of(recalled, beside, filters, most)
        for filters, most in ((_MEMORIES, MOST_MEMORIES), (_BELIEFS, MOST_BELIEFS))
    )
    fitting = list(_fitting(memories, held, budget))
    return Recalled(
        prompt=prompt,
        profile=profile,
        budget=budget,
        also=tuple(also),
        memories=tuple(bite for bite in fitting if bite.held is None),
        beliefs=tuple(bite for bite in fitting if bite.held),
        left_out=len(memories) + len(held) - len(fitting),
        weak=bool(fitting) and not any(one.is_close for one in (*memories, *held)),
        by_meaning=recalled.by_meaning,
    )


def _best_of(recalled: _Recall, beside: _Recall | None, filters: Filters, most: int) -> list[_Found]:
    """Return the best of one kind in a vault, and in the actor's own beside it: scores are of ranks in either."""
    here = recalled.best(filters, most)
    if beside is None:
        return here
    found: dict[str, _Found] = {}
    for one in sorted([*here, *beside.best(filters, most)], key=lambda one: one.score, reverse=True):
        found.setdefault(one.text(one.sayings[0]).casefold(), one)
    return [*found.values()][:most]


class _Found(NamedTuple):
    """A memory that comes to mind, and its possible quotations, longest first; each follows the `lead`, if any."""

    hit: Hit
    file: Opened
    score: float
    held: RecalledBelief | None
    lead: str
    sayings: Sequence[Saying]
    day: str | None
    about: tuple[str, ...]
    is_close: bool
    mount: Mount | None = None

    def text(self, saying: Saying) -> str:
        """Return the quotation, after the lead."""
        if not self.lead:
            return saying.text
        return f"{self.lead}{' ' if self.lead[-1] in '.!?:' else ': '}{saying.text}"

    def bite(self, room: int) -> Bite | None:
        """Return as much as fits: whole sentences, else the beginning of one without the lead."""
        for saying in self.sayings:
            text = self.text(saying)
            if len(text) <= LONGEST_BITE and tokens(self._label(text)) + 1 <= room:
                return self._bite(text, saying)
        shortest = self.sayings[-1]
        cut = fitted(shortest.text, room, self._label)
        return None if cut is None else self._bite(cut, shortest)

    def _label(self, text: str) -> str:
        return _label(text, self.held, self.hit.external)

    def _bite(self, text: str, saying: Saying) -> Bite:
        citation = self.file.cite(saying.line_start, saying.line_end)
        return Bite(
            ref=self.hit.ref,
            type=self.hit.type,
            title=self.hit.title,
            text=text,
            citation=citation._replace(path=self.mount.path(citation.path)) if self.mount else citation,
            relevance=self.hit.relevance,
            score=self.score,
            held=self.held,
            external=self.hit.external,
            day=self.day,
            about=self.about,
            by_also=self.hit.by_also,
        )


def _fitting(memories: Sequence[_Found], held: Sequence[_Found], budget: int) -> Iterator[Bite]:
    """Yield the bites that fit, shortened if necessary."""
    left = budget
    for is_belief, at in interleaved(len(memories), len(held)):
        bite = (held if is_belief else memories)[at].bite(left)
        if bite is not None:
            left -= bite.tokens
            yield bite


def _label(text: str, held: RecalledBelief | None, external: External | None) -> str:
    if external is not None:
        return external.framed(text)
    if held is None:
        return f"[Memory flash: {text}]"
    votes = f"{held.roots_for} for / {held.roots_against} against"
    return f"[Belief ({held.confidence:.2f}, {votes}): {text}]"


class _Match(NamedTuple):
    """A memory that matches a prompt; `relevance` is 0 if no word matches, `similarity` if the meaning doesn't.

    `is_weak` says whether it may well have nothing to do with the prompt. `instead_of` is what it supersedes, if only
    that matches.
    """

    hit: Hit
    file: Opened
    relevance: float
    similarity: float
    is_weak: Callable[[], bool]
    instead_of: Hit | None = None


class _Recall:
    """The recall for one prompt, one kind of memories at a time."""

    def __init__(
        self, view: View, asked: Query, profile: RecallProfile, scopes: tuple[str, ...], mount: Mount | None = None
    ) -> None:
        self._view, self._mount = view, mount
        self._asked = asked
        # Whether a question about somebody is answered depends on the name; in other prompts, capitals tell little.
        self._said = (
            asked.text
            if terms.is_question(asked.text) and len([*split_sentences(asked.text)]) == 1
            else asked.text.lower()
        )
        self._profile = profile
        self._scopes = scopes
        self._audience = Audience(view)
        self._now = view.clock.now()
        self._pool = SEED_POOL if profile is RecallProfile.SEED_002 else POOL
        self.by_meaning = view.of(EMBEDDER) is not None and "similarity" in WEIGHTS[profile]

    def best(self, filters: Filters, most: int) -> list[_Found]:
        """Return the best of one kind, without repeated texts."""
        if not self._asked.clauses:
            return []
        audience = self._audience
        rows = narrowed(audience.then, audience.memories, filters._replace(scope=self._scopes))
        past = self._past.among(rows)
        rows = [row for row in rows if row not in past]
        scopes, statuses = audience.column("scope"), audience.column("status")
        heirs = {
            old: heir
            for old, heir in self._past.heirs(rows).items()
            if self._is_in(scopes[old]) and statuses[old] in _MAY_BE_NAMED
        }
        found = {one.text(one.sayings[0]).casefold(): one for one in self._rules(rows)}
        known = {one.hit.path for one in found.values()}
        lowest = min((one.score for one in found.values()), default=float("inf"))
        for group in audience.own_first(rows):
            for match, score in self._ordered(self._matches(group, heirs)) if group and len(found) < most else ():
                lowest = min(lowest, score)
                one = self._found(match, lowest) if match.hit.path not in known else None
                if one is not None:
                    found.setdefault(one.text(one.sayings[0]).casefold(), one)
                if len(found) == most:
                    break
        return [one._replace(mount=self._mount) for one in found.values()]

    def _is_in(self, scope: str) -> bool:
        return not self._scopes or (scope or GLOBAL_SCOPE) in self._scopes

    def _rules(self, rows: Sequence[int]) -> list[_Found]:
        """Return the standing rules among rows that are about what the prompt is about to do, in whatever words.

        Two at most that share other words with the prompt, the one with most of them first; else the newest.
        """
        acts = acts_in(self._asked.text) if self._profile is RecallProfile.DEFAULT else frozenset[str]()
        if not acts:
            return []
        audience = self._audience
        held = {row for term in rule_terms() for row in audience.then.holding(Field.TEXT, term)}
        types = audience.column("type")
        own = [
            row for row in rows if (row in held or types[row] == DECISION) and audience.origin(row) is ContentOrigin.OWN
        ]
        asked = Query(text="", clauses=tuple(Clause(Word(term)) for term in sorted(acts)))
        found = []
        for match in self._hits(Candidates(audience, own, asked, Unit.MEMORY, best=self._pool), asked):
            said = rules_in(sentences(match.file.passages), acts, is_decision=match.hit.type == DECISION)
            shared = [(len((self._words - acts).intersection(terms.terms(one.text))), one) for one in said]
            if shared and match.hit.type != "belief":
                most, rule = max(shared, key=lambda one: one[0])
                found.append((most, match.hit.created_at or "", match, Saying(*rule[:3], day=rule.day)))
        found.sort(key=lambda one: one[:2], reverse=True)
        best = [one for one in found if one[0]][:MOST_RULES] or found[:1]
        return [self._of_rule(match, said) for *_, match, said in best]

    def _of_rule(self, match: _Match, said: Saying) -> _Found:
        hit, file = match.hit, match.file
        score = sum(WEIGHTS[self._profile].values()) / RANK_CONSTANT  # more than anything else can have
        return _Found(hit, file, score, None, "", [said], self._day(said, hit), self._about(file), is_close=True)

    def _matches(self, rows: Sequence[int], heirs: Mapping[int, int]) -> list[_Match]:
        """Return the matches among rows: first those by words, best first, then those by meaning only.

        Args:
            rows: rows of memories that hold now.
            heirs: for rows of superseded memories, the one that holds instead.
        """
        audience = self._audience
        current = frozenset(rows)
        with_past = sorted(current.union(old for old, heir in heirs.items() if heir in current)) if heirs else rows
        by_words = self._newest(
            self._hits(Candidates(audience, with_past, self._asked, Unit.MEMORY, best=self._pool)), heirs
        )
        if not self.by_meaning:
            return by_words
        near = self._near(rows)
        like = self._hits(Candidates(audience, [*near.rows], self._asked, Unit.MEMORY, near, vector_weight=1.0))
        paths = audience.column("path")
        alike_at = {paths[row]: alike for row, alike in near.rows.items()}
        is_weak = {one.hit.path: one.is_weak for one in like}
        known = {one.hit.path for one in by_words}
        found = [
            one._replace(
                similarity=alike_at.get(one.hit.path, 0.0),
                is_weak=partial(_all, one.is_weak, is_weak.get(one.hit.path, one.is_weak)),
            )
            for one in by_words
        ]
        found += [
            one._replace(relevance=0.0, similarity=alike_at[one.hit.path]) for one in like if one.hit.path not in known
        ]
        # Seed 002 shows nothing below its least similarity to the prompt, whatever the words.
        return [one for one in found if one.similarity or self._profile is not RecallProfile.SEED_002]

    def _near(self, rows: Sequence[int]) -> Similar:
        """Return the similarity in meaning between the prompt and rows, for rows that are similar enough."""
        from memstore.search.meaning import LEAST_SIMILARITY, similar_rows

        text = " ".join((self._asked.text, *self._asked.also))
        # The least similarity of seed 002 is a cosine.
        similar = similar_rows(self._audience.then, rows, text, literal=self._profile is RecallProfile.SEED_002)
        near = {row: alike for row, alike in similar.rows.items() if alike >= LEAST_SIMILARITY}
        return similar._replace(rows=near)

    def _hits(self, candidates: Candidates, asked: Query | None = None) -> list[_Match]:
        """Return the best candidates as matches; `asked` is their query, if it is not the prompt."""
        reader = HitReader(candidates, asked or self._asked, Wish(limit=self._pool), among=None, now=self._now)
        hits, _ = reader.hits()
        return [
            _Match(
                hit,
                reader.file_of(hit),
                hit.relevance,
                0.0,
                partial(is_weak, hit, self._asked, self._said, candidates, reader),
            )
            for hit in hits
        ]

    def _newest(self, matches: Sequence[_Match], heirs: Mapping[int, int]) -> list[_Match]:
        """Return matches with what holds now in the place of what it supersedes."""
        if not heirs:
            return [*matches]
        paths = self._audience.column("path")
        heir_of = {paths[old]: heir for old, heir in heirs.items()}
        own = {one.hit.path: one for one in matches}
        found: dict[str, _Match] = {}
        for one in matches:
            heir = heir_of.get(one.hit.path)
            if heir is None:
                found.setdefault(one.hit.path, one)
            elif now := own.get(paths[heir]):
                found.setdefault(now.hit.path, now._replace(hit=now.hit._replace(relevance=one.relevance)))
            elif now := self._unmatched(heir):
                found.setdefault(now.hit.path, one._replace(hit=now.hit, file=now.file, instead_of=one.hit))
        return [*found.values()]

    def _unmatched(self, row: int) -> _Match | None:
        """Return a memory as a match, whatever the prompt; None if it can no longer be read."""
        everything = Query(text="")
        candidates = Candidates(self._audience, [row], everything, Unit.MEMORY)
        reader = HitReader(candidates, everything, Wish(limit=1), among=None, now=self._now)
        hits, _ = reader.hits()
        return next((_Match(hit, reader.file_of(hit), 0.0, 0.0, bool) for hit in hits), None)

    @cached_property
    def _past(self) -> PastRows:
        return PastRows(self._audience.then, self._now)

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
        """Return a match with its quotations; None for a belief that matches weakly, or is hardly held today."""
        hit, file, is_close = match.hit, match.file, not match.is_weak()
        is_literal = self._profile is not RecallProfile.DEFAULT
        may_be_held = hit.type == "belief" and (is_close or is_literal or self._has_half_of_the_words(hit))
        held, reversal = self._held(hit.path) if may_be_held else (None, "")
        if hit.type == "belief" and held is None:
            return None
        first, last = hit.citation.line_start, hit.citation.line_end
        said = sayings(sentences(file.passages), first, last, self._words)
        if not said:
            said = [Saying(one_line(hit.content), first, last)]
        lead = reversal or _no_longer(match.instead_of) or self._lead(file, said[0])
        return _Found(hit, file, score, held, lead, said, self._day(said[0], hit), self._about(file), is_close)

    def _has_half_of_the_words(self, hit: Hit) -> bool:
        """Whether a line has two words of the prompt, and half of them: among few memories no word is rare."""
        shared = self._words.intersection(terms.terms(hit.content))
        return len(shared) >= _ENOUGH_WORDS and 2 * len(shared) >= len(self._words)

    def _about(self, file: Opened) -> tuple[str, ...]:
        return tuple(one for one in file.entry.subject_ids if one not in (self._view.actor, self._view.config.owner))

    def _day(self, said: Saying, hit: Hit) -> str | None:
        """Return the day on which something was said: that of a heading above it, else that of its memory."""
        if said.day:
            return said.day
        made_at = self._audience.then.made_at(hit.path, hit.created_at or "")
        return instant(made_at)[: len("2026-08-30")] if made_at else None

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(terms.terms(self._asked.text)) - terms.stop_words()

    def _lead(self, file: Opened, said: Saying) -> str:
        """Return a title or heading with words of the prompt that the quotation lacks; empty if there is none."""
        missing = self._words.difference(terms.terms(said.text))
        for heading in (file.own_title, *_headings_at(file, said.line_start)):
            if missing.intersection(terms.terms(heading)):
                return one_line(heading)
        return ""

    def _held(self, path: str) -> tuple[RecalledBelief | None, str]:
        """Return a belief's confidence, and what reversed it if it was held once.

        There is no confidence if it is too low without having been reversed, or if the viewer may no longer see the
        belief.
        """
        file = self._view.read(path)
        if not file or file.memory.status != "active":
            return None, ""
        against = reversed_by(file.memory, self._now)
        if against is None:
            return held_of(file.memory, self._now), ""
        said = self._title_of(against.evidence_source or "")
        by = f" by “{said}”" if said else ""
        return _belief_of(file.memory, self._now), f"Reversed {(against.happened_at or against.timestamp)[:10]}{by}"

    def _title_of(self, ref: str) -> str:
        """Return the title of a memory; empty if it is external, out of recall, or the viewer may not see it."""
        named = MemoryRef.parse(ref)
        entries = (self._view.entry(row) for row in self._view.rows_of_id(named.id)) if named else ()
        return next(
            (
                shortened(one_line(one.title), LONGEST_LEAD)
                for one in entries
                if one.source_type != EXTERNAL and one.status in _MAY_BE_NAMED and self._is_in(one.scope)
            ),
            "",
        )


def _headings_at(file: Opened, line: int) -> tuple[str, ...]:
    """Return the headings above a line, innermost first."""
    over = (one for one in file.passages if one.line_start <= line <= one.line_end and one.kind is not PassageKind.ROW)
    return next((one.headings[::-1] for one in over), ())


def _all(*tests: Callable[[], bool]) -> bool:
    return all(test() for test in tests)


def _no_longer(hit: Hit | None) -> str:
    """Return what a superseded memory said, to stand before what holds now; empty for what is from outside."""
    if hit is None or hit.external is not None:
        return ""
    return f"No longer “{shortened(one_line(hit.title), LONGEST_LEAD)}”"


def held_of(memory: Memory, now: datetime) -> RecalledBelief | None:
    """Return a belief's confidence; None if today it is too low for the belief to be shown."""
    found = _belief_of(memory, now)
    return found if found and found.today >= LEAST_BELIEF else None


def _belief_of(memory: Memory, now: datetime) -> RecalledBelief | None:
    number, today = next_lines.held(memory), next_lines.held_now(memory, now)
    if number is None or today is None:
        return None
    votes_for, votes_against = ledger.votes(ledger.witnesses(memory.confidence_history))
    return RecalledBelief(confidence=number, today=today, roots_for=votes_for, roots_against=votes_against)


def reversed_by(memory: Memory, now: datetime) -> LedgerLine | None:
    """Return the evidence against a belief that was held and no longer is; None for any other belief.

    Its confidence was at least a half, and the latest evidence, which speaks against it, made it less.
    """
    lines = ledger.by_time(memory.confidence_history)
    last = lines[-1] if lines else None
    today = next_lines.held_now(memory, now)
    was_held = any(number is not None and number >= HALF for line in lines for number in (line.old, line.new))
    if last is None or last.op != next_lines.Stance.CONTRADICT or last.new is None or today is None:
        return None
    return last if was_held and max(last.new, today) < HALF else None
