"""Compare similar memories: one with the rest of the vault, or all with each other.

`Comparer` takes candidates from the index, so the cost per memory does not grow with the vault; `conflicts` uses it for
one memory or for all. The results of a search are compared by `among`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Unpack

from memstore.conflicts import INFERENCE, LEXICON
from memstore.conflicts.gists import is_worth_comparing, kept_gists, share_a_topic, without_numbers
from memstore.conflicts.lexicon import states_against, states_in
from memstore.conflicts.sides import Side, side_of
from memstore.conflicts.statements import near_in_any_order, topic_of, topics_in
from memstore.conflicts.survey import conflicts_among, said_by_all
from memstore.core import digests
from memstore.core.conflict import BY_VERDICT, CLAIMS
from memstore.core.keys import EXTERNAL
from memstore.core.terms import stop_words, term_of
from memstore.search import DERIVED, INDEX
from memstore.search.aliases import aliases_of
from memstore.search.clauses import Clause, Word
from memstore.search.filters import Which, filters_of, narrowed
from memstore.search.index import claim_term
from memstore.search.ranker import FILES_AT_ONCE, Audience

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memstore.conflicts.gists import Gist
    from memstore.conflicts.statements import Statement
    from memstore.core.conflict import Conflict, PairVerdict
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile


# The number of words of a memory, the rarest ones, that are looked up in the index.
MOST_WORDS = 12
# What one comparison costs at most: statements of others that are read, and pairs of statements that all rules are
# asked about, in all and of the same two memories. Notes with alike lines, as in a diary, would be thousands of pairs.
MOST_READ, MOST_PAIRS, MOST_PAIRS_OF_TWO = 160, 40, 16
# Memories with words that a state excludes, and those of them that are compared, because they share a word with it.
_MOST_TELLING, _MOST_FOR_A_STATE = 200, 6


class _Gists:
    """The gists of a memory's statements, in their order; each is made once, if it is needed at all.

    Args:
        side: the memory.
        kept: the gists that are cached of it; None if there are none.
    """

    def __init__(self, side: Side, kept: Sequence[Gist] | None) -> None:
        self.side = side
        self.is_kept = kept is not None and len(kept) == len(side.statements)
        self._made: list[Gist | None] = [*kept] if kept and self.is_kept else [None] * len(side.statements)

    def at(self, number: int) -> Gist:
        """Return the gist of a statement, given by its number."""
        made = self._made[number]
        if made is None:
            from memstore.conflicts.gisting import gist

            statement, lines = self.side.statements[number]
            made = self._made[number] = gist(statement, lines.line_start, lines.line_end)
        return made


class Comparer:
    """Compares memories with those that the viewer may see; created once for many comparisons.

    Args:
        then: the vault.
    """

    def __init__(self, then: View) -> None:
        self._view = then
        self.audience = Audience(then)
        status = self.audience.column("status")
        self._opposes = then.of(LEXICON).opposes if then.of(LEXICON).has_words else None
        self._paths = self.audience.column("path")
        self._active = [row for row in self.audience.memories if status[row] == "active"]
        self._sides: dict[str, Side | None] = {}
        self._blobs: dict[str, str] = {}
        self._gists: dict[str, _Gists] = {}
        self._aliases = aliases_of(then)
        self._frequency = cache(then.of(INDEX).frequency)
        # Pairs of paths that are not in conflict.
        self._apart: set[tuple[str, str]] = set()
        self._topics: dict[str, Sequence[frozenset[str]]] = {}
        # Pairs of memories with statements on the same topic that were not compared, or only in part.
        self.left_out = 0

    def conflicts(self, side: Side, *, but: Collection[str] = ()) -> list[Conflict]:
        """Return the open conflicts of a memory, the most serious first.

        Args:
            side: the memory; it need not be in the vault.
            but: paths of files to leave out.
        """
        found = self.found(side, but=but)
        others = (self.side_at(one.lines[1].path) for one in found)
        beside = [one for other in others if other for one in self.found(other, but=(*but, side.path))]
        kept = {id(one) for one in without_hubs([*found, *beside])}
        found = sorted((one for one in found if id(one) in kept), key=lambda one: one.order)
        return _judged(self._view, found, side.path) if side.path in self._paths else found

    def found(self, side: Side, *, but: Collection[str] = ()) -> list[Conflict]:
        """Return the open conflicts of a memory, also of sentences that are in conflict with many.

        Args:
            side: the memory; it need not be in the vault.
            but: paths of files to leave out.
        """
        if side.memory.status != "active":
            return []
        others: list[Side] = []
        by_path: dict[str, Conflict] = {}
        read = asked = 0
        for path in self._alike(side, but=but):
            if read >= MOST_READ or asked >= MOST_PAIRS:
                self.left_out += self._may_concern(side, path)
            elif (other := self.side_at(path)) and other.ref != side.ref:
                others.append(other)
                read += len(other.statements)
                found_now, pairs = self._conflict(side, other)
                asked += pairs
                if found_now:
                    by_path[path] = found_now
        found = [*by_path.values()]
        if model := self._view.of(INFERENCE):
            from memstore.conflicts.conflict import by_model

            undecided = ((side, other) for other in others if other.path not in by_path)
            found += [by_model(*one) for one in model.conflicts(undecided, self._view.of(DERIVED))]
        if self._view.config.judges and side.path in self._paths:
            found += self.judged(side.path, {*by_path, *but})
        return found

    @cached_property
    def _reported(self) -> Mapping[str, Sequence[PairVerdict]]:
        """The verdicts that are reported as conflicts, by the paths of both memories."""
        from memstore.conflicts.verdicts import by_path, verdicts_on

        judges = self._view.config.judges
        found = verdicts_on(self._view) if judges else ()
        return by_path(one for one in found if one.judge in judges and one.verdict in _REPORTED)

    def judged(self, path: str | None = None, but: Collection[str] = ()) -> Iterator[Conflict]:
        """Yield the conflicts that those judged whose verdicts are reported: of one memory, which comes first, or all.

        Args:
            path: of the memory.
            but: paths of others to leave out.
        """
        from memstore.conflicts.conflict import by_verdict, decided, may_differ
        from memstore.conflicts.verdicts import lines_of

        verdicts = chain.from_iterable(self._reported.values()) if path is None else self._reported.get(path, ())
        for verdict in dict.fromkeys(verdicts):
            one, other = sorted(verdict.judged, key=lambda place: place.path != (path or verdict.judged[0].path))
            mine, theirs = self.side_at(one.path), self.side_at(other.path)
            if not (mine and theirs) or other.path in but:
                continue
            if not (may_differ(mine.memory, theirs.memory) or decided(mine, theirs)):
                newer = (mine if verdict.judged[0] == one else theirs) if verdict.verdict == "supersedes" else None
                if newer and newer.memory.source_type == EXTERNAL:
                    newer = None  # what comes from outside takes the place of nothing here
                yield by_verdict(mine, theirs, lines_of(self._view, one), lines_of(self._view, other), newer)

    def _conflict(self, side: Side, other: Side) -> tuple[Conflict | None, int]:
        """Return the conflict of two memories, and how many pairs of statements were compared for it."""
        is_kept = self._sides.get(side.path) is side
        pair = (min(side.path, other.path), max(side.path, other.path))
        if is_kept and pair in self._apart:
            return None, 0
        pairs = self._pairs(side, other)
        found = self._by_rules(side, other, pairs) if pairs or (side.claims and other.claims) else None
        if is_kept and found is None:
            self._apart.add(pair)
        return found, len(pairs)

    def _by_rules(self, side: Side, other: Side, pairs: Sequence[tuple[int, int]]) -> Conflict | None:
        from memstore.conflicts.conflict import conflict

        return conflict(side, other, opposes=self._opposes, pairs=pairs)

    def _pairs(self, side: Side, other: Side) -> Sequence[tuple[int, int]]:
        """Return the places of the statements that may be in conflict, by their gists.

        With opposites of the user's, gists can't tell.
        """
        gists, others = self._gists_of(side), self._gists_of(other)
        pairs = [
            (at, there)
            for at, (one, _) in enumerate(side.statements)
            for there, (another, _) in enumerate(other.statements)
            if one.text != another.text
            and near_in_any_order(one, another)
            and (self._opposes or is_worth_comparing(gists.at(at), others.at(there)))
        ]
        # One of many lines that are alike says less than one that is like few others.
        here, there = (Counter(places) for places in zip(*pairs, strict=True)) if pairs else (Counter(), Counter())
        pairs.sort(key=lambda pair: here[pair[0]] + there[pair[1]])
        self.left_out += len(pairs) > MOST_PAIRS_OF_TWO
        return sorted(pairs[:MOST_PAIRS_OF_TWO])

    def _may_concern(self, side: Side, path: str) -> bool:
        """Whether a memory has a statement on the same topic, as far as words alone tell."""
        topics = {without_numbers(statement.topic) for statement, _ in side.statements} - {frozenset()}
        return any(share_a_topic(one, other) for one in topics for other in self._topics_of_file(path))

    def _topics_of_file(self, path: str) -> Sequence[frozenset[str]]:
        if path not in self._topics:
            file = self._view.read(path)
            self._topics[path] = topics_in(self._aliases.as_one(file.memory.body)) if file else ()
        return self._topics[path]

    def _gists_of(self, side: Side) -> _Gists:
        """Return the gists of a memory's statements; those of a file may be cached with the index."""
        found = self._gists.get(side.path)
        if found is None or found.side is not side:
            is_of_file = self._sides.get(side.path) is side
            kept = kept_gists(self._view, self._blobs[side.path], self._aliases) if is_of_file else None
            found = self._gists[side.path] = _Gists(side, kept[0] if kept else None)
        return found

    def alike(self, side: Side, *, but: Collection[str] = ()) -> Iterator[Side]:
        """Yield the active memories that share most rare words with one, or a claim's subject and attribute."""
        for path in self._alike(side, but=but):
            if other := self.side_at(path):
                yield other

    def _alike(self, side: Side, *, but: Collection[str]) -> list[str]:
        """Return the paths of the memories that `alike` yields, the most alike first.

        Besides, there are those that share a word with a statement of a state and have most of the words that the state
        excludes: `user` and `steak` for `User is vegan`, however many memories there are about the user; and the other
        way round, `user` and `vegan` for `User eats a steak`.
        """
        words = self._telling(side)
        rows = dict.fromkeys(self._having(words, FILES_AT_ONCE, among=self._active) if words else ())
        for statement, _ in side.statements:
            stems = [term_of(token.word) for token in statement.tokens]
            against = (word for state in states_in(stems) for word in state.excluded)
            rows |= dict.fromkeys(self._sharing(statement, against))
            rows |= dict.fromkeys(self._sharing(statement, map(term_of, states_against(statement.topic))))
        return [path for row in rows if (path := self._paths[row]) not in (side.path, *but)]

    def _sharing(self, statement: Statement, terms: Iterable[str]) -> Sequence[int]:
        """Return up to six rows with the rarest of these terms that have a word of a statement, or its speaker."""
        rarest = self._rarest(terms)[: 2 * MOST_WORDS]
        if not rarest:
            return ()
        telling = self._having(rarest, _MOST_TELLING, among=self._active)
        speaker = topic_of(statement) - statement.topic
        words = [*self._rarest(self._topics_of([statement]))[:MOST_WORDS], *speaker]
        sharing = {*self._having(words, None, among=sorted(telling))}
        return [row for row in telling if row in sharing][:_MOST_FOR_A_STATE]

    def side_of(self, file: MemoryFile) -> Side:
        """Return a memory as one side, with one name for each entity."""
        return side_of(file, aliases=self._aliases)

    def side_at(self, path: str) -> Side | None:
        """Return the memory at a path as one side; None if it is not a memory that the viewer may see."""
        if path not in self._sides:
            file = self._view.read(path)
            self._sides[path] = self.side_of(file) if file else None
            self._blobs[path] = digests.blob_id(file.data, self._object_format) if file else ""
        return self._sides[path]

    @property
    def needs_all_words(self) -> bool:
        """Whether a model or the user's own lists decide, so that gists can't tell what is worth comparing."""
        return self._opposes is not None or self._view.of(INFERENCE) is not None

    @property
    def active(self) -> list[tuple[str, str]]:
        """The paths and blobs of all active memories, in the order of the paths."""
        blobs = self.audience.column("blob")
        return sorted((self._paths[row], blobs[row]) for row in self._active)

    @cached_property
    def _object_format(self) -> str:
        """The object format of the blob ids in the index."""
        return digests.format_of(self._view.entry(self._active[0]).blob) if self._active else "sha1"

    def _having(self, words: Sequence[str], most: int | None, *, among: Sequence[int]) -> Sequence[int]:
        """Return the rows that have any of these index terms, those that have most of the rare ones first."""
        clauses = [Clause(Word(word)) for word in words]
        return self._view.of(INDEX).ranker.rank(clauses, self._view, most, among=among).rows

    def _telling(self, side: Side) -> list[str]:
        """Return the index terms of a memory's claims, and the rarest ones of its statements."""
        topics = self._topics_of([statement for statement, _ in side.statements])
        return [claim_term(claim) for claim, _ in side.claims] + self._rarest(topics)[:MOST_WORDS]

    def _topics_of(self, statements: Sequence[Statement]) -> set[str]:
        """Return the index terms of what statements are about, under each name of the entities that they name."""
        names = (self._aliases.others_in(statement.text) for statement in statements)
        return _topics(statements) | {term_of(word) for words in names for word in words}

    def _rarest(self, terms: Iterable[str]) -> list[str]:
        """Return those of the terms that some memory has, the rarest first."""
        counts = {term: self._frequency(term) for term in {*terms} - stop_words()}
        return sorted((term for term in counts if counts[term]), key=lambda term: (counts[term], term))


def _topics(statements: Iterable[Statement]) -> set[str]:
    """Return the index terms of what statements are about; the key of a single word is its term."""
    keys = {key for statement in statements for key in statement.topic}
    return {key for key in keys if "_" not in key} | {
        term_of(word) for key in keys if "_" in key for word in key.split("_")
    }


# A sentence that would contradict more different ones is a value of a series, or about something else each time.
MOST_OF_A_SENTENCE = 2
# The verdicts that are a conflict.
_REPORTED = frozenset({"contradicts", "supersedes"})


def without_hubs(found: Collection[Conflict]) -> list[Conflict]:
    """Return conflicts without those of a sentence that is in conflict with many; claims leave nothing to guess."""
    said = [[" ".join(lines.said.casefold().split()) for lines in one.lines] for one in found]
    against: defaultdict[str, set[str]] = defaultdict(set)
    for mine, theirs in said:
        against[mine].add(theirs)
        against[theirs].add(mine)
    return [
        one
        for one, both in zip(found, said, strict=True)
        if one.rule in (CLAIMS, BY_VERDICT) or all(len(against[sentence]) <= MOST_OF_A_SENTENCE for sentence in both)
    ]


# -- all open conflicts ----------------------------------------------------------------------------


class Survey(NamedTuple):
    """The open conflicts of some memories, and how many pairs that are alike were not compared, or only in part."""

    conflicts: tuple[Conflict, ...]
    not_compared: int


def conflicts(view: View, memory: Named | None = None, **which: Unpack[Which]) -> tuple[Conflict, ...]:
    """Return the open conflicts with both sides visible to the viewer, the most serious first; each pair once.

    >>> tea, no_tea = note(ws.view(), "Sean likes tea."), note(ws.view(), "Sean dislikes tea.")
    >>> [(found.conflict_type.value, found.penalty, found.rule) for found in conflicts(ws.view())]
    [('contradiction', 0.3, 'antonyms')]

    Args:
        view: the vault.
        memory: return only the conflicts of this memory, which comes first in each.
        which: filters; only conflicts of memories that pass them. Without any, of all active ones.

    Raises:
        NotFoundError: the viewer may not see such a memory.
        UsageError: a filter is invalid.
    """
    return survey(view, memory, **which).conflicts


def survey(view: View, memory: Named | None = None, **which: Unpack[Which]) -> Survey:
    """Return the same, and how much was not compared."""
    comparer = Comparer(view)
    then = comparer.audience.then
    if memory is not None:
        side = comparer.side_at(view.named(memory).path)
        return Survey(tuple(comparer.conflicts(side)) if side else (), comparer.left_out)
    column, filters = comparer.audience.column("path"), filters_of(which, now=view.clock.here())
    paths = sorted(column[row] for row in narrowed(then, comparer.audience.memories, filters))
    if comparer.needs_all_words:
        found: dict[frozenset[str], Conflict] = {}
        for path in view.with_progress("comparing memories", paths):
            side = comparer.side_at(path)
            for one in comparer.found(side) if side else ():
                found.setdefault(frozenset(one.refs), one)
        conflicts, left_out = list(found.values()), comparer.left_out
    else:
        said = said_by_all(view, view.with_progress("reading statements", comparer.active))
        conflicts, left_out = conflicts_among(view, said, {*paths})
    if view.config.judges:
        known = {frozenset(one.refs) for one in conflicts}
        judged = [one for one in comparer.judged() if {line.path for line in one.lines} & {*paths}]
        conflicts = [*conflicts, *(one for one in judged if frozenset(one.refs) not in known)]
    return Survey(tuple(_judged(view, sorted(without_hubs(conflicts), key=lambda one: one.order))), left_out)


def _judged(view: View, found: list[Conflict], path: str | None = None) -> list[Conflict]:
    """Return conflicts, of the memory at a path or of all, with what was judged of them."""
    if not found:
        return found
    from memstore.conflicts.verdicts import about, by_path, verdicts_on

    verdicts = by_path(verdicts_on(view, [path] if path else ()))
    return [one._replace(verdicts=about(one, verdicts.get(one.lines[0].path, ()))) for one in found]
