"""Candidates: the statements of other memories that are most like a memory's own, for somebody to judge.

Rules find the conflicts that they know. Here nothing is decided: words alone tell which statements are worth reading
side by side, and a floor leaves out those that only happen to share some. The index finds the memories, so the cost of
one memory doesn't grow with their number, but for reading the places of its words.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import chain, islice, pairwise
from math import log, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Unpack

from memstore.conflicts.conflict import decided, may_differ
from memstore.conflicts.frames import ALL, DENY_ALL, IN_PART, KNOWN, frame
from memstore.conflicts.prose import is_claim
from memstore.conflicts.sides import MOST_STATEMENTS, Side, said_by
from memstore.conflicts.verdicts import by_path, verdicts_on
from memstore.core.conflict import Judged
from memstore.core.errors import UsageError
from memstore.core.keys import EXTERNAL
from memstore.core.named import refs_of
from memstore.core.quotation import quoted
from memstore.core.short_repr import short_repr
from memstore.core.terms import stop_words, term_of, words
from memstore.core.word_lists import listed, word_lists
from memstore.files.passages import passages
from memstore.history import WORK_TREE
from memstore.search import EMBEDDER, INDEX
from memstore.search.aliases import aliases_of
from memstore.search.clauses import Clause, Word
from memstore.search.filters import Which, filters_of, narrowed
from memstore.search.ranker import FILES_AT_ONCE, Audience

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memstore.core.conflict import PairVerdict
    from memstore.core.named import Names
    from memstore.core.quotation import External
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.search.aliases import Aliases
    from memstore.search.meaning import Similar

MOST_SHOWN = 3
# So many characters of a statement are shown.
LONGEST = 200
# So many of a memory's words are looked up in the index, the rarest ones, and so many memories that have them are read.
MOST_WORDS, MOST_READ = 24, FILES_AT_ONCE
# Two statements are candidates if they are this much alike, and tell this much more of one thing than two of a vault of
# this size would by chance: in nats, so that a word tells more, the fewer memories have it, and less, the more memories
# there are to have it. What else tells of one thing counts as so many: a word, of at most two, that both use as a name
# or of what is known (`the lamp`); that both are claims; a shared word in a subject, and the same in both; and, against
# it, that they share what somebody does, and a word of the longer one. Fitted on pairs of everyday sentences, and on
# memories that are about two different worlds (docs/conflicts.md, "Measured").
LEAST_ALIKE, LEAST_TOLD = 0.2, 4.5
_FOR_A_THING, _FOR_CLAIMS, _FOR_A_SUBJECT, _FOR_A_VERB, _FOR_A_WORD = 3.0, 2.0, 2.0, -2.0, -0.5
_MOST_THINGS = 2
# In a vault of fewer memories, a word's weight is what it would be among so many: few don't tell which words are rare.
FEWEST = 100
# What a time or a number counts for, beside any other word.
_WEIGHT_OF_TIMES = 0.5
# With a model of the user's, lines of at most so many memories are candidates that are so close in meaning
# (`search.meaning` has the unit), whatever words they share.
LEAST_MEANT, MOST_MEANT = 0.48, 20


class OwnStatement(NamedTuple):
    """A statement of the memory that was asked about: its lines from 1, both inclusive, and its text."""

    ref: str
    path: str
    line_start: int
    line_end: int
    text: str


class Candidate(NamedTuple):
    """A statement of another memory that may say something else on what a memory's own statement says.

    Lines count from 1, both inclusive. `created_at` is the memory's, None if it has none. `text` is the statement,
    cut after 200 characters; of an external memory, `external` tells where it comes from. `why` has the words that both
    share, the rarest first. `alike` is how much of their words they share, from 0 to 1. `concerns` is the own statement
    to which it is most alike.
    """

    ref: str
    path: str
    line_start: int
    line_end: int
    created_at: str | None
    text: str
    why: tuple[str, ...]
    alike: float
    concerns: OwnStatement
    external: External | None = None

    def __repr__(self) -> str:
        return short_repr(self)

    def is_judged(self, verdicts: Iterable[PairVerdict]) -> bool:
        """Whether one of some verdicts is about it and what it concerns."""
        mine, theirs = (Judged(one.ref, one.path, one.line_start, one.line_end) for one in (self.concerns, self))
        return any(one.is_about(mine, theirs) for one in verdicts)

    @property
    def order(self) -> tuple[float, int, str, str, int]:
        """The key to sort candidates by: the most alike first, of those that are equally so the newest."""
        newest = -int(self.created_at[:10].replace("-", "")) if self.created_at else 0
        return -self.alike, newest, self.text, self.path, self.line_start


def candidates(
    view: View,
    memory: Names | None = None,
    *,
    limit: int | None = MOST_SHOWN,
    model: str | None = None,
    **which: Unpack[Which],
) -> tuple[Candidate, ...]:
    """Return the statements of other memories that are most like those of memories, for somebody to judge.

    >>> lamp = note(ws.view(), "The lamp in the hall is made of brass.")
    >>> move = note(ws.view(), "Since the spring a paper lamp hangs in the hall.")
    >>> [(found.ref == lamp.ref, found.why) for found in candidates(ws.view(), move)]
    [(True, ('hall', 'lamp'))]

    Args:
        view: the vault.
        memory: the memory, or several; without any, each that has changed since the last commit.
        limit: at most this many for each memory.
        model: the model that is to judge them, if it is not the actor; what it has judged is left out.
        which: filters; without a memory, each that passes them.

    Raises:
        NotFoundError: the viewer may not see such a memory.
        UsageError: no memory is named, and none has changed; or a filter is invalid.
    """
    return candidates_among(view, memory, judge=model or view.actor, limit=limit, which=which)


def candidates_among(
    view: View,
    memory: Names | None,
    is_fit: Callable[[MemoryFile], bool] = bool,
    *,
    judge: str,
    limit: int | None,
    which: Which,
) -> tuple[Candidate, ...]:
    """Return the candidates for a judge; memories that are not fit are neither asked about nor shown."""
    near = _Near(view, is_fit)
    paths = _asked(view, near.audience, memory, which)
    judged = by_path(one for one in verdicts_on(view, paths) if one.judge == judge) if paths else {}
    found = [near.of(path, judged.get(path, ()))[:limit] for path in view.with_progress("comparing memories", paths)]
    return tuple(chain.from_iterable(found))


def _asked(view: View, audience: Audience, memory: Names | None, which: Which) -> list[str]:
    """Return the paths of the memories that are asked about."""
    if memory is not None:
        return [*dict.fromkeys(view.named(name).path for name in refs_of(memory))]
    column = audience.column("path")
    if any(which.values()):
        filters = filters_of(which, now=view.clock.here())
        return sorted(column[row] for row in narrowed(audience.then, audience.memories, filters))
    changed = {change.path_after for change in view.of(WORK_TREE).pending().changes.memories}
    paths = sorted(column[row] for row in audience.memories if column[row] in changed)
    if not paths:
        raise UsageError(
            "no memory has changed since the last commit", hint="name one: memstore conflicts --candidates REF"
        )
    return paths


def nearest(view: View, memory: MemoryFile, other: MemoryFile) -> Candidate | None:
    """Return the statement of another memory that is most like one of a memory's; None if none is above the floor."""
    found = _Asked(memory, _Near(view)).candidates(other)
    return min(found, key=lambda one: one.order, default=None)


class _Words(NamedTuple):
    """The words of a statement by their stems; and of those that tell what it is about, those of things and names."""

    written: dict[str, str]
    telling: frozenset[str]
    things: frozenset[str]


class _Clause(NamedTuple):
    """The stems of what a statement is about, before its verb, and of the verb; and whether it is a claim."""

    subject: frozenset[str]
    verb: frozenset[str]
    is_claim: bool


class _Statement(NamedTuple):
    """A statement: its text with one name for each entity, as it is written, and its lines."""

    text: str
    written: str
    line_start: int
    line_end: int


class _Near:
    """Finds the statements that are like those of a memory; created once for many memories.

    Args:
        view: the vault.
        is_fit: whether a memory may be compared.
    """

    def __init__(self, view: View, is_fit: Callable[[MemoryFile], bool] = bool) -> None:
        self.view, self._is_fit = view, is_fit
        self.audience = Audience(view)
        self.aliases = aliases_of(view)
        status = self.audience.column("status")
        self.paths = self.audience.column("path")
        self._active = [row for row in self.audience.memories if status[row] == "active"]
        self.frequency = cache(view.of(INDEX).frequency)

    def of(self, path: str, judged: Sequence[PairVerdict]) -> list[Candidate]:
        """Return the candidates of a memory, given by its path, but those that were judged; the most alike first."""
        file = self.view.read(path)
        if file is None or not self._is_fit(file):
            return []
        asked = _Asked(file, self)
        others = [row for row in self._active if self.paths[row] != path]
        rows, lines = self._meant(asked, others)
        close = {row: alike for row, alike in rows.items() if alike >= LEAST_MEANT}
        closest = sorted(close, key=lambda row: -close[row])[:MOST_MEANT]
        found: list[Candidate] = []
        for row in dict.fromkeys((*self._alike(asked, others), *closest)):
            other = self.view.read(self.paths[row])
            if (
                other
                and self._is_fit(other)
                and not may_differ(file.memory, other.memory)
                and not decided(_side(file), _side(other))
            ):
                found += asked.candidates(other, lines.get(row, {}))
        return sorted((one for one in found if not one.is_judged(judged)), key=lambda one: one.order)

    def _meant(
        self, asked: _Asked, others: Sequence[int]
    ) -> Similar | tuple[Mapping[int, float], Mapping[int, Mapping[int, float]]]:
        """Return how alike in meaning other memories and their lines are; nothing unless the user chose a model."""
        if self.view.of(EMBEDDER) is None:
            return {}, {}
        from memstore.search.meaning import similar_rows

        return similar_rows(self.view, others, asked.said)

    def _alike(self, asked: _Asked, others: Sequence[int]) -> Sequence[int]:
        """Return the rows of the active memories that have most of the rarest words of a memory."""
        having = {stem: asked.others_with(stem) for stem in (*asked.written, *asked.other_names)}
        rarest = sorted((stem for stem in having if having[stem]), key=lambda stem: (having[stem], stem))[:MOST_WORDS]
        clauses = [Clause(Word(stem)) for stem in rarest]
        return self.view.of(INDEX).ranker.rank(clauses, self.view, MOST_READ, among=others).rows if clauses else ()


class _Asked:
    """The memory that is asked about, and its statements.

    Args:
        file: the memory.
        near: the vault.
    """

    def __init__(self, file: MemoryFile, near: _Near) -> None:
        self.file = file
        self._near = near
        self._own = [*_statements(file, near.aliases)]
        self._said = {_folded(one.text) for one in self._own}
        self.written = {stem: word for one in self._own for stem, word in _words_of(one.text).written.items()}
        named = {word for one in self._own for word in near.aliases.others_in(one.text)}
        self.other_names = {term_of(word) for word in named} - self.written.keys()

    def others_with(self, stem: str) -> int:
        """Return how many other memories have a word."""
        return max(0, self._near.frequency(stem) - (stem in self.written))

    @property
    def said(self) -> str:
        """What the memory states, of which a model reads the beginning."""
        return " ".join(one.written for one in self._own)

    def candidates(self, other: MemoryFile, meant: Mapping[int, float] = MappingProxyType({})) -> Iterator[Candidate]:
        """Yield the statements of another memory that may concern this one, except what it says itself.

        Args:
            other: the memory.
            meant: how alike in meaning its lines are to this one; empty without a model.
        """
        whole = meant.get(0, 0.0) if len(meant) == 1 else 0.0  # one line has no vector beside that of its memory
        is_close = max(meant.values(), default=0.0) >= LEAST_MEANT

        def concerns(written: str) -> bool:
            text = self._near.aliases.as_one(written)
            return _folded(text) not in self._said and (is_close or self._nearest(text) is not None)

        for one in _statements(other, self._near.aliases, concerns):
            alike, mine = self._nearest(one.text) or (0.0, None)
            by_meaning = round(max(meant.get(line, whole) for line in range(one.line_start, one.line_end + 1)), 2)
            if mine is None and self._own and by_meaning >= LEAST_MEANT:
                mine = max(self._own, key=lambda own: len(_words_of(own.text).telling & _words_of(one.text).telling))
            if mine:
                yield self._candidate(other, one, max(alike, by_meaning), mine)

    def _nearest(self, text: str) -> tuple[float, _Statement] | None:
        """Return the own statement to which another is most alike, and how much; None if none is above the floor."""
        alike = ((self._likeness(mine.text, text), -at) for at, mine in enumerate(self._own))
        found, at = max(alike, default=(0.0, 0))
        return (found, self._own[-at]) if found else None

    def _likeness(self, mine: str, theirs: str) -> float:
        """Return how much of the words of two statements both have, from 0 to 1; 0 below the floor."""
        ones, others = _words_of(mine), _words_of(theirs)
        if ones.telling.isdisjoint(others.telling):
            return 0.0
        shared = sum(map(self._weight, ones.written.keys() & others.written.keys()))
        whole = [sum(map(self._weight, each.written)) for each in (ones, others)]
        alike = round(shared / sqrt(whole[0] * whole[1]), 2)
        return alike if alike >= LEAST_ALIKE and self._told(mine, theirs) >= LEAST_TOLD else 0.0

    def _told(self, mine: str, theirs: str) -> float:
        """Return how much more two statements tell of one thing than two would by chance, in nats."""
        ones, others, here, there = _words_of(mine), _words_of(theirs), _clause_of(mine), _clause_of(theirs)
        shared = ones.telling & others.telling
        rarity = sum(log(self._size / max(1, self.others_with(stem))) for stem in shared)
        subjects = [here.subject & shared, there.subject & shared]
        return (
            rarity
            - log(self._size)
            + _FOR_A_THING * min(_MOST_THINGS, len(shared & ones.things & others.things))
            + _FOR_CLAIMS * (here.is_claim and there.is_claim)
            + _FOR_A_SUBJECT * (any(subjects) + (not subjects[0].isdisjoint(subjects[1])))
            + _FOR_A_VERB * (not shared.isdisjoint(here.verb | there.verb))
            + _FOR_A_WORD * max(len(ones.written), len(others.written))
        )

    def _weight(self, stem: str) -> float:
        """Return how much a word weighs: more, the fewer other memories have it."""
        having = self.others_with(stem)
        weight = log(1 + max(0.5, self._size - having + 0.5) / (having + 0.5))
        return weight if _tells(stem) else weight * _WEIGHT_OF_TIMES

    @property
    def _size(self) -> int:
        return max(FEWEST, len(self._near.audience.rows))

    def _candidate(self, other: MemoryFile, one: _Statement, alike: float, mine: _Statement) -> Candidate:
        written, theirs = _words_of(mine.text).written, _words_of(one.text).written
        shared = sorted(written.keys() & theirs.keys(), key=lambda stem: (self.others_with(stem), stem))
        own = self.file
        return Candidate(
            ref=str(other.memory.ref or other.path),
            path=other.path,
            line_start=one.line_start,
            line_end=one.line_end,
            created_at=other.memory.created_at,
            text=_shown(one.written),
            why=tuple(written[stem] for stem in shared),
            alike=alike,
            concerns=OwnStatement(
                ref=str(own.memory.ref or own.path),
                path=own.path,
                line_start=mine.line_start,
                line_end=mine.line_end,
                text=quoted(_shown(mine.written)) if own.memory.source_type == EXTERNAL else _shown(mine.written),
            ),
            external=self._near.view.external(other.memory),
        )


def _side(file: MemoryFile) -> Side:
    return Side(str(file.memory.ref or file.path), file.path, "", file.memory)


def _folded(text: str) -> tuple[str, ...]:
    return tuple(words(text))


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _statements(file: MemoryFile, aliases: Aliases, says: Callable[[str], bool] = bool) -> Iterator[_Statement]:
    """Yield what a memory states in paragraphs and items, also in fragments; of it only what `says` holds for."""
    found = passages(file.memory.body, first_line=file.text.body_line)
    stated = chain.from_iterable(said_by(passage, says=says, aliases=aliases) for passage in found)
    for statement, start, end in islice(stated, MOST_STATEMENTS):
        yield _Statement(statement.text, statement.written or statement.text, start, end)


@lru_cache(maxsize=4096)
def _words_of(text: str) -> _Words:
    """Return the words of a statement."""
    written: dict[str, str] = {}
    for word in words(text):
        written.setdefault(term_of(word), word)
    for stem in written.keys() & (stop_words() | _TITLES):
        del written[stem]
    named = (word for before, word in pairwise(["", *_WRITTEN.findall(text)]) if _is_thing(before, word))
    things = frozenset(term_of(part) for word in named for part in words(word))
    telling = frozenset(filter(_tells, written)) - _of_nothing()
    return _Words(written, telling, things & telling)


@lru_cache(maxsize=4096)
def _clause_of(text: str) -> _Clause:
    said = frame(text)
    parts = said.tokens[: said.verb or 0], said.tokens[said.verb : said.verb + 1] if said.verb else ()
    subject, verb = (frozenset(term_of(word) for token in part for word in words(token.word)) for part in parts)
    return _Clause(subject, verb, is_claim(text))


# Of `Mr` and `Mrs`, whose stem is the same.
_TITLES = frozenset({"mr", "ms"})
# A word as it is written, capital letters and all.
_WRITTEN = re.compile(r"[^\W\d_][\w'’-]*+")


def _is_thing(before: str, word: str) -> bool:
    return word[0].isupper() or before.lower() in KNOWN or before.endswith(("'s", "’s"))


def _tells(stem: str) -> bool:
    return not stem.isdigit() and stem not in _times_and_numbers()


@cache
def _of_nothing() -> frozenset[str]:
    """Return the stems of words that say which or how many, but not of what: `nobody`, `other`."""
    return frozenset(map(term_of, ALL | DENY_ALL | IN_PART | listed("other one old new")))


@cache
def _times_and_numbers() -> frozenset[str]:
    lists = word_lists("core")
    return frozenset(term_of(word) for name in _LISTS for word in listed(lists[name]))


_LISTS = ("times", "numbers", "kinds_of_time", "months", "units", "durations", "weekdays", "frequencies")
