"""Compare memories with those that are alike: one with the vault, all with each other, the hits of a search.

`Comparer` takes candidates from the index, so that a large vault costs no more; `conflicts` asks it about one memory,
or about all. `Among` compares results of one search with each other, and only where two of their sentences share half
of their words, or both make claims: a search must stay quick. `show`, `why` and `conflicts` look at the whole vault.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from memstore.conflicts.conflict import Side, conflict
from memstore.conflicts.statements import statements
from memstore.core import terms as analysis
from memstore.core.change import Lines
from memstore.core.full_stops import ends_sentence
from memstore.core.memory import title_of
from memstore.core.terms import stop_words, term_of
from memstore.files.memory_file import MemoryFile
from memstore.files.passages import SAYS_NOTHING, LineMap, passages
from memstore.search.filters import narrowed
from memstore.search.index import claim_term
from memstore.search.ranker import FILES_AT_ONCE, Audience
from memstore.search.retrieval import NO_FILTERS, Clause, Word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from memstore.conflicts.lexicon import WordNet
    from memstore.conflicts.prefilter import Gist
    from memstore.core.change import Conflict
    from memstore.core.view import View
    from memstore.search.opened import Opened
    from memstore.search.retrieval import Filters, Hit


# Of a long text no more is compared: conflicts are between statements, and a memory is about one thing.
MOST_STATEMENTS = 60
# The index is asked for so many words of a memory, the rarest of them.
MOST_WORDS = 12


def side_of(file: MemoryFile) -> Side:
    """Return what of a memory is compared: its claims, its title, and what its sentences state."""
    lines = LineMap(file.data)

    def at(start: int, end: int) -> Lines:
        return Lines(file.path, start, end, lines.excerpt(start, end))

    memory = file.memory
    said = []
    if memory.title:
        line = file.front.position("title").line
        said += [(statement, at(line, line)) for statement in statements(memory.title)]
    for passage in passages(memory.body, first_line=file.text.body_line):
        if passage.kind not in SAYS_NOTHING and len(said) < MOST_STATEMENTS:
            first = passage.line_end - passage.text.count("\n")
            said += [
                (statement, at(first + statement.line_start, first + statement.line_end))
                for statement in statements(passage.text)
                if not (passage.speaker and statement.of_speaker)
            ]
    claim_lines = [file.front.position("claims", number).line for number in range(len(memory.claims))]
    return Side(
        ref=str(memory.ref or file.path),
        path=file.path,
        title=title_of(memory),
        memory=memory,
        claims=[(claim, at(line, line)) for claim, line in zip(memory.claims, claim_lines, strict=True)],
        statements=said[:MOST_STATEMENTS],
    )


class Comparer:
    """Compares memories with what the viewer may see of the vault; made once for many.

    Args:
        then: the vault.
    """

    def __init__(self, then: View) -> None:
        self._view = then
        self.audience = Audience(then)
        status = self.audience.column("status")
        self._active = [row for row in self.audience.memories if status[row] == "active"]
        self._sides: dict[str, Side | None] = {}

    def conflicts(self, side: Side, *, but: Collection[str] = ()) -> list[Conflict]:
        """Return the open conflicts of a memory, the gravest first.

        Args:
            side: the memory; it need not be in the vault.
            but: paths of files that are not looked at.
        """
        if side.memory.status != "active":
            return []
        others = (other for other in self.alike(side, but=but) if other.ref != side.ref)
        opposes = self._view.lexicon.opposes
        found = [one for other in others if (one := conflict(side, other, opposes=opposes))]
        return sorted(found, key=lambda one: (-one.penalty, one.refs))

    def alike(self, side: Side, *, but: Collection[str] = ()) -> Iterator[Side]:
        """Yield the active memories that share most rare words with one, or a claim's subject and attribute."""
        words = self._telling(side)
        if not words:
            return
        clauses = [Clause(Word(word)) for word in words]
        for row in self._view.ranker.rank(clauses, self._view, FILES_AT_ONCE, among=self._active).rows:
            path = self._view.entry(row).path
            if path not in (side.path, *but) and (other := self.side_at(path)):
                yield other

    def side_at(self, path: str) -> Side | None:
        """Return what a file says that is compared; None where it is no memory that the viewer may see."""
        if path not in self._sides:
            file = self._view.read(path)
            self._sides[path] = side_of(file) if file else None
        return self._sides[path]

    def _telling(self, side: Side) -> list[str]:
        """Return the index terms of what a memory states, the rarest, and those of its claims."""
        topics = {word for statement, _ in side.statements for key in statement.topic for word in key.split("_")}
        terms = {term_of(word) for word in topics} - stop_words()
        counts = {term: self._view.frequency(term) for term in terms}
        known = sorted((term for term in terms if counts[term]), key=lambda term: (counts[term], term))
        return [claim_term(claim) for claim, _ in side.claims] + known[:MOST_WORDS]


# -- all open conflicts ----------------------------------------------------------------------------


def conflicts(view: View, ref: str | None = None, filters: Filters = NO_FILTERS) -> tuple[Conflict, ...]:
    """Return the open conflicts that the viewer may see both sides of, the gravest first; each pair once.

    >>> tea, no_tea = note(ws.view(), "Sean likes tea."), note(ws.view(), "Sean dislikes tea.")
    >>> [(found.conflict_type.value, found.penalty, found.rule) for found in conflicts(ws.view())]
    [('contradiction', 0.3, 'antonyms')]

    Args:
        view: the vault.
        ref: only those of this memory, which then stands first in each.
        filters: which memories' conflicts are wanted; all active ones' by default.

    Raises:
        NotFoundError: there is no such memory that the viewer may see.
    """
    comparer = Comparer(view)
    then = comparer.audience.then
    if ref is not None:
        paths = [view.named(ref).path]
    else:
        column = comparer.audience.column("path")
        paths = sorted(column[row] for row in narrowed(then, comparer.audience.memories, filters))
    found: dict[frozenset[str], Conflict] = {}
    for path in paths:
        side = comparer.side_at(path)
        for one in comparer.conflicts(side) if side else ():
            found.setdefault(frozenset(one.refs), one)
    return tuple(sorted(found.values(), key=lambda one: (-one.penalty, one.refs)))


# -- among the results of one search ---------------------------------------------------------------


_SENTENCE_END = re.compile(r"(?<=[.!?;])\s|\n")
# With longer results, what is compared would cost more than the search; their first sentences stand for them.
MOST_SENTENCES = 8
SHARED_WORDS = 0.5
# What all results share is a word of the query.
FEWEST_SHARED = 2
# Two texts as long as books have so many pairs of sentences that comparing them would take minutes.
MOST_PAIRS = 1_000_000
# Whoever asks for more results than this reads them with a program; comparing all of them would take minutes.
MOST_COMPARED = 100


# Of two files that are no longer, comparing sentences whatever the order of their words takes less than the search.
MOST_BYTES = 600


class Compared:
    """What of a result is compared, taken apart no further than it must be.

    Args:
        hit: the result.
        file: its file as it was read.
    """

    def __init__(self, hit: Hit, file: Opened) -> None:
        self.path = hit.path
        self.sentences = _sentences(hit)
        self.makes_claims = b"\nclaims:" in file.data
        self.is_short = len(file.data) <= MOST_BYTES
        self._file = file

    @cached_property
    def gist(self) -> Gist:
        """The gist of all that its memory states."""
        from memstore.conflicts.prefilter import gist

        return gist(tuple(self._file.states()))

    @cached_property
    def side(self) -> Side | None:
        """What of its memory is compared; None where the file is none."""
        return side_of(self._file.file) if isinstance(self._file.file, MemoryFile) else None


class Among:
    """The results of one search so far, each compared with all before it.

    Args:
        lexicon: tells opposites that the built-in list lacks.
    """

    def __init__(self, lexicon: WordNet) -> None:
        self._lexicon = lexicon
        self._compared: list[Compared] = []
        # By the paths of both files: passages of one memory share its conflicts.
        self._found: dict[str, dict[str, Conflict | None]] = {}

    def conflicts_of(self, hit: Hit) -> tuple[Conflict, ...]:
        """Return the open conflicts of a result with others."""
        return tuple(one for one in self._found.get(hit.path, {}).values() if one)

    def add(self, hits: Sequence[tuple[Hit, Opened]]) -> None:
        """Add results with their files; those beyond the first hundred are compared with none."""
        for hit, file in hits[: max(0, MOST_COMPARED - len(self._compared))]:
            one = Compared(hit, file)
            for other in self._compared:
                if other.path not in self._found.get(one.path, {}) and self._may_conflict(one, other):
                    self._compare(other, one)
            self._compared.append(one)

    def _may_conflict(self, one: Compared, other: Compared) -> bool:
        if one.path == other.path:
            return False
        if one.makes_claims and other.makes_claims:
            return True
        if not _alike(one.sentences, other.sentences):
            return False
        return (one.is_short and other.is_short) or self._may_contradict(one.gist, other.gist)

    def _may_contradict(self, one: Gist, other: Gist) -> bool:
        from memstore.conflicts.prefilter import may_conflict

        if len(one.sentences) * len(other.sentences) > MOST_PAIRS:
            return False
        return may_conflict(one, other, any_opposites=self._lexicon.has_words)

    def _compare(self, one: Compared, other: Compared) -> None:
        any_order = one.is_short and other.is_short
        for mine, theirs in ((one.side, other.side), (other.side, one.side)):
            if mine and theirs:
                found = conflict(mine, theirs, opposes=self._lexicon.opposes, any_order=any_order)
                self._found.setdefault(mine.path, {})[theirs.path] = found
                if not found:
                    return


def _sentences(hit: Hit) -> list[set[str]]:
    texts = [hit.title, *islice(_parts(hit.content), MOST_SENTENCES - 1)]
    words = (set(analysis.words(text)) - analysis.stop_words() for text in texts)
    terms = (set(map(analysis.term_of, each)) for each in words)
    return [each for each in terms if len(each) > 1]  # one word alone states nothing


def _parts(text: str) -> Iterator[str]:
    start = 0
    for found in _SENTENCE_END.finditer(text):
        if found[0] == "\n" or ends_sentence(text, *found.span()):
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def _alike(ones: Sequence[set[str]], others: Sequence[set[str]]) -> bool:
    return any(not one.isdisjoint(other) and _shares(one, other) for one in ones for other in others)


def _shares(one: set[str], other: set[str]) -> bool:
    """Whether two sentences share half of the shorter one's words; one word is too few where there are more."""
    shorter = min(len(one), len(other))
    return len(one & other) >= max(SHARED_WORDS * shorter, min(FEWEST_SHARED, shorter - 1), 1)
