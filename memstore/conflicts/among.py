"""Find conflicts among the results of one search.

A search must be fast, so only a few statements of each result are compared: those that are shown, and
those nearest to them. `show`, `why` and `conflicts` compare whole memories, in the whole vault.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache, cached_property, lru_cache
from itertools import chain, compress, islice, repeat
from typing import TYPE_CHECKING, cast

from memstore.conflicts import INFERENCE
from memstore.conflicts.gists import (
    FEWEST_WORDS,
    gists_in,
    is_enough,
    is_worth_comparing,
    keep_apart,
    keep_near,
    kept_apart,
    kept_near,
    pair_of,
    pair_of_files,
    rows_of,
)
from memstore.core.catalog import FileKind
from memstore.search import DERIVED
from memstore.search.aliases import aliases_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.conflicts.gists import Gist
    from memstore.conflicts.inference import Inference
    from memstore.conflicts.sides import Side
    from memstore.core.conflict import Conflict
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.files.passages import Passage
    from memstore.search.aliases import Aliases
    from memstore.search.opened import Opened
    from memstore.search.retrieval import Hit

    Pairs = Sequence[tuple[Gist, Gist]]


# The number of statements of a result that are compared.
MOST_NEAR = 12
# Parsing a statement takes a millisecond, and asking all rules about two takes four: lines that are alike, as in a
# diary, would be thousands of pairs. So many results are compared, with so many statements; and so many pairs of
# statements, of them so many of the same two results.
MOST_COMPARED, MOST_STATEMENTS, MOST_PAIRS, MOST_PAIRS_OF_TWO = 100, 120, 40, 8


class _Compared:
    """The statements of a result that are compared, parsed only as far as necessary.

    Args:
        view: the vault, which caches gists.
        hit: the result.
        file: the file that it was read from.
        aliases: the names that stand for one another.
    """

    def __init__(self, view: View, hit: Hit, file: Opened, aliases: Aliases) -> None:
        self.path = hit.path
        self.blob = file.entry.blob
        self.makes_claims = b"\nclaims:" in file.data
        self._view, self._hit, self._opened, self._aliases = view, hit, file, aliases

    @cached_property
    def gists(self) -> Sequence[Gist]:
        """The gists of the statements that are shown or nearest to the shown lines; others are not even parsed."""
        if self._opened.entry.kind is not FileKind.MEMORY:
            return ()
        known = kept_near(self._view, self.blob, self._aliases)
        anew: dict[str, Sequence[str]] = {}
        found: list[Gist] = []
        for place, passage, lines in self._places():
            rows = known.get(place)
            if rows is None:
                rows = anew[place] = rows_of(self._made(passage, lines))
            found += (gist for gist in gists_in(rows) if len(gist.topic) >= FEWEST_WORDS)
            if len(found) >= MOST_NEAR:
                break
        if anew and not self._view.is_past:
            keep_near(self._view, self.blob, {**known, **anew}, self._aliases)
        return found[:MOST_NEAR]

    def _places(self) -> Iterator[tuple[str, Passage, range | None]]:
        """Yield the nearest passages first; of a long one, some lines.

        Each comes with a name to cache its gists by.
        """
        shown = [(one.line_start, one.line_end) for one in (self._hit.citation, *self._hit.more)]

        def distance(passage: Passage) -> int:
            return min(max(start - passage.line_end, passage.line_start - end, 0) for start, end in shown)

        for one in sorted(self._opened.passages, key=distance):
            if one.line_end - one.line_start < MOST_NEAR:
                yield f"{one.line_start}", one, None
            else:
                inside = (start for start, _ in shown if one.line_start <= start <= one.line_end)
                start = next(inside, one.line_start)
                yield f"{one.line_start} {start}", one, range(start, start + MOST_NEAR)

    def _made(self, passage: Passage, lines: range | None) -> Iterator[Gist]:
        from memstore.conflicts.gisting import gist
        from memstore.conflicts.sides import said_by

        return (gist(*one) for one in islice(said_by(passage, lines, aliases=self._aliases), MOST_NEAR))

    @property
    def _file(self) -> MemoryFile:
        return cast("MemoryFile", self._opened.file)  # as its entry says

    @property
    def topics(self) -> Iterator[frozenset[str]]:
        """About what the topics of the nearest lines are, without parsing their statements."""
        from memstore.conflicts.statements import topics_in

        if self._opened.entry.kind is FileKind.MEMORY:
            for _, passage, lines in self._places():
                text = passage.text.splitlines()
                first = passage.line_end - len(text) + 1
                near = text[lines.start - first : lines.stop - first] if lines else text
                yield from topics_in(self._aliases.as_one("\n".join(near)))

    def side(self, gists: Sequence[Gist]) -> Side:
        """Return the result as one side of a conflict, with only these statements."""
        from memstore.conflicts.sides import side_of
        from memstore.conflicts.statements import statement_of

        said = [(statement_of(each.text, each.about, each.written), each.line_start, each.line_end) for each in gists]
        return side_of(self._file, said)


class Among:
    """The results of one search so far, each compared with all previous ones, using only the built-in word lists.

    Args:
        view: the vault.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._compared: list[_Compared] = []
        # All statements so far, each with the number of its result; the sizes of their topics; and the numbers of those
        # that contain a word.
        self._said: list[tuple[int, Gist]] = []
        self._sizes: list[int] = []
        self._holding: defaultdict[str, list[int]] = defaultdict(list)
        # By the paths of both files, because passages of one memory share its conflicts.
        self._found: defaultdict[str, dict[str, Conflict]] = defaultdict(dict)
        self._undecided: list[tuple[_Compared, _Compared, Pairs]] = []  # only if there is a model to ask
        self._apart_now: dict[str, None] = {}
        self._pairs = 0  # of statements that were compared
        # Pairs of a result with a compared one on the same topic that were not compared, or only in part.
        self.left_out = 0

    @cached_property
    def _aliases(self) -> Aliases:
        return aliases_of(self._view)

    @cached_property
    def _apart(self) -> dict[str, None]:
        return dict.fromkeys(kept_apart(self._view))

    def conflicts_of(self, hit: Hit) -> tuple[Conflict, ...]:
        """Return the open conflicts of a result with other added results."""
        return tuple(self._found[hit.path].values()) if hit.path in self._found else ()

    def add(self, hits: Sequence[tuple[Hit, Opened]]) -> None:
        """Add results with their files; the last of many are not compared."""
        for hit, file in hits:
            if len(self._compared) >= MOST_COMPARED or len(self._said) >= MOST_STATEMENTS:
                self.left_out += len(self._concerned(_Compared(self._view, hit, file, self._aliases)))
                continue
            one = _Compared(self._view, hit, file, self._aliases)
            for at, pairs in self._candidates(one).items():
                self._compare(self._compared[at], one, pairs)
            for gist in one.gists:
                for word in gist.topic:
                    self._holding[word].append(len(self._said))
                self._said.append((len(self._compared), gist))
                self._sizes.append(len(gist.topic))
            self._compared.append(one)
        if self._apart_now and not self._view.is_past:
            keep_apart(self._view, [*self._apart, *self._apart_now])
        inference = self._view.of(INFERENCE)
        if self._undecided and inference is not None:
            self._ask_model(inference)

    def _candidates(self, one: _Compared) -> dict[int, list[tuple[Gist, Gist]]]:
        """Return the pairs of statements that are close to each other, by the number of the earlier result."""
        found: defaultdict[int, list[tuple[Gist, Gist]]] = defaultdict(list)
        if one.makes_claims:
            found |= {at: [] for at, other in enumerate(self._compared) if other.makes_claims}
        for gist in one.gists:
            for at, that in self._close_to(gist.topic):
                found[at].append((that, gist))
        return found

    def _concerned(self, one: _Compared) -> set[str]:
        """Return the paths of the compared results that have a statement on a topic of another result."""
        topics = dict.fromkeys(islice(one.topics, MOST_NEAR))
        paths = {self._compared[at].path for topic in topics for at, _ in self._close_to(topic)}
        if one.makes_claims:
            paths |= {other.path for other in self._compared if other.makes_claims}
        return paths - {one.path}

    def _close_to(self, topic: frozenset[str]) -> Iterator[tuple[int, Gist]]:
        """Yield the statements that share enough words with a topic, each with the number of its result."""
        counts = Counter(chain.from_iterable(self._holding[word] for word in topic if word in self._holding))
        sizes = map(self._sizes.__getitem__, counts)
        return map(
            self._said.__getitem__, compress(counts, map(_are_close, counts.values(), sizes, repeat(len(topic))))
        )

    def _compare(self, one: _Compared, other: _Compared, pairs: Pairs) -> None:
        if one.path == other.path or other.path in self._found[one.path]:
            return
        near = _nearest(one, other, [(this, that) for this, that in pairs if is_worth_comparing(this, that)])
        close = near[: max(0, min(MOST_PAIRS - self._pairs, MOST_PAIRS_OF_TWO))]
        self._pairs += len(close)
        self.left_out += len(close) < len(near)
        files = pair_of_files(one.blob, other.blob, close)
        if self._are_apart(files):
            return
        found = [(this, that) for this, that in close if self._are_in_conflict(this, that)]
        if not (found or (one.makes_claims and other.makes_claims)):
            if self._view.of(INFERENCE) is not None:
                self._undecided.append((one, other, _nearest(one, other, pairs)[:MOST_PAIRS_OF_TWO]))
            return
        from memstore.conflicts.conflict import conflict

        mine, theirs = _sides(one, other, found)
        here, there = ({key: at for at, key in enumerate(_keys(found, side))} for side in range(2))
        places = [(here[_key(this)], there[_key(that)]) for this, that in found]
        for this, that, both in ((mine, theirs, places), (theirs, mine, [(to, at) for at, to in places])):
            if told := conflict(this, that, pairs=both):
                self._found[this.path][that.path] = told
        if theirs.path not in self._found[mine.path]:
            self._apart_now[files] = None

    def _are_apart(self, pair: str) -> bool:
        return pair in self._apart or pair in self._apart_now

    def _are_in_conflict(self, one: Gist, other: Gist) -> bool:
        """Whether two statements are in conflict; the rules are asked once, since loading them takes half a search."""
        pair = pair_of(one, other)
        if self._are_apart(pair):
            return False
        if _are_in_conflict(one.text, one.about, other.text, other.about):
            return True
        self._apart_now[pair] = None
        return False

    def _ask_model(self, model: Inference) -> None:
        """Ask the user's NLI model about the results that no rule finds in conflict."""
        from memstore.conflicts.conflict import by_model

        sides = [_sides(one, other, pairs) for one, other, pairs in self._undecided if pairs]
        self._undecided.clear()
        for one, other, mine, theirs in model.conflicts(sides, self._view.of(DERIVED)):
            self._found[one.path][other.path] = by_model(one, other, mine, theirs)
            self._found[other.path][one.path] = by_model(other, one, theirs, mine)


# Every search asks this some thousand times.
@cache
def _are_close(shared: int, one: int, other: int) -> bool:
    """Whether two statements share enough topic words, given how many they share and how many each has."""
    return is_enough(shared, min(one, other))


def _nearest(one: _Compared, other: _Compared, pairs: Pairs) -> list[tuple[Gist, Gist]]:
    """Return pairs of statements, those first that are nearest to the shown lines."""
    here, there = ({id(gist): place for place, gist in enumerate(each.gists)} for each in (one, other))
    return sorted(pairs, key=lambda pair: here[id(pair[0])] + there[id(pair[1])])


def _sides(one: _Compared, other: _Compared, pairs: Pairs) -> tuple[Side, Side]:
    """Return two results as the sides of a conflict, with only these statements, each once."""
    ones, others = (_keys(pairs, side) for side in range(2))
    return one.side([*ones.values()]), other.side([*others.values()])


def _keys(pairs: Pairs, side: int) -> dict[tuple[int, str], Gist]:
    return {_key(pair[side]): pair[side] for pair in pairs}


def _key(gist: Gist) -> tuple[int, str]:
    return gist.line_start, gist.text


# The verdicts on recent pairs are cached, because a session returns to the same ones.
@lru_cache(maxsize=4096)
def _are_in_conflict(one: str, about_one: str, other: str, about_other: str) -> bool:
    """Whether two statements are in conflict if the same person wrote both on the same day.

    If they are not in conflict in this case, they are not in any other, so their memories are not needed yet.
    """
    from memstore.conflicts.contradiction import CONFLICTS, compare_pair
    from memstore.conflicts.statements import statement_of

    return compare_pair(statement_of(one, about_one), statement_of(other, about_other)).verdict in CONFLICTS
