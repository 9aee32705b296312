"""Find conflicts among the results of one search.

A search must be fast, so only the title and a few statements of each result are compared: those that are shown, and
those nearest to them. `show`, `why` and `conflicts` compare whole memories, in the whole vault.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache, cached_property, lru_cache
from itertools import chain, compress, repeat
from typing import TYPE_CHECKING, cast

from memstore.conflicts.gists import (
    is_enough,
    keep_apart,
    keep_gists,
    kept_apart,
    kept_gists,
    may_conflict,
    pair_of,
    pair_of_files,
)
from memstore.core.catalog import FileKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.conflicts.conflict import Side
    from memstore.conflicts.gists import Gist
    from memstore.conflicts.inference import Inference
    from memstore.core.conflict import Conflict
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.search.opened import Opened
    from memstore.search.retrieval import Hit

    Pairs = Sequence[tuple[Gist, Gist]]


# The number of statements of a result that are compared.
MOST_NEAR = 12
FEWEST_WORDS = 2  # one word alone states nothing
# More results than this are probably read by a program; comparing all of them would take minutes.
MOST_COMPARED = 100


class _Compared:
    """The statements of a result that are compared, parsed only as far as necessary.

    Args:
        view: the vault, which caches gists.
        hit: the result.
        file: the file that it was read from.
    """

    def __init__(self, view: View, hit: Hit, file: Opened) -> None:
        self.path = hit.path
        self.blob = file.entry.blob
        self.makes_claims = b"\nclaims:" in file.data
        self._view, self._hit, self._opened = view, hit, file

    @cached_property
    def gists(self) -> Sequence[Gist]:
        """The gists of the statements that are shown or nearest to the shown lines."""
        shown = [(one.line_start, one.line_end) for one in (self._hit.citation, *self._hit.more)]
        first = self._opened.text.body_line

        def distance(gist: Gist) -> int:
            if gist.line_start < first:
                return 0  # the title always counts
            return min(max(start - gist.line_end, gist.line_start - end, 0) for start, end in shown)

        said = [gist for gist in self._all if len(gist.topic) >= FEWEST_WORDS]
        return sorted(said, key=distance)[:MOST_NEAR]

    @property
    def _all(self) -> Sequence[Gist]:
        if self._opened.entry.kind is not FileKind.MEMORY:
            return ()
        found = kept_gists(self._view, self.blob)
        if found is None:
            from memstore.conflicts.gisting import gists_of

            found = gists_of(self._file)
            if not self._view.is_past:
                keep_gists(self._view, self.blob, found)
        return found

    @property
    def _file(self) -> MemoryFile:
        return cast("MemoryFile", self._opened.file)  # as its entry says

    def side(self, gists: Sequence[Gist]) -> Side:
        """Return the result as one side of a conflict, with only these statements."""
        from memstore.conflicts.compare import side_of
        from memstore.conflicts.statements import statement_of

        said = [(statement_of(each.text, each.about), each.line_start, each.line_end) for each in gists]
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

    @cached_property
    def _apart(self) -> dict[str, None]:
        return dict.fromkeys(kept_apart(self._view))

    def conflicts_of(self, hit: Hit) -> tuple[Conflict, ...]:
        """Return the open conflicts of a result with other added results."""
        return tuple(self._found[hit.path].values()) if hit.path in self._found else ()

    def add(self, hits: Sequence[tuple[Hit, Opened]]) -> None:
        """Add results with their files; those beyond the first hundred are not compared."""
        for hit, file in hits[: max(0, MOST_COMPARED - len(self._compared))]:
            one = _Compared(self._view, hit, file)
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
        if self._undecided and self._view.inference is not None:
            self._ask_model(self._view.inference)

    def _candidates(self, one: _Compared) -> dict[int, list[tuple[Gist, Gist]]]:
        """Return the pairs of statements that are close to each other, by the number of the earlier result."""
        found: defaultdict[int, list[tuple[Gist, Gist]]] = defaultdict(list)
        if one.makes_claims:
            found |= {at: [] for at, other in enumerate(self._compared) if other.makes_claims}
        for gist in one.gists:
            holding = (self._holding[word] for word in gist.topic if word in self._holding)
            counts = Counter(chain.from_iterable(holding))
            sizes = map(self._sizes.__getitem__, counts)
            for number in compress(counts, map(_are_close, counts.values(), sizes, repeat(len(gist.topic)))):
                at, that = self._said[number]
                found[at].append((that, gist))
        return found

    def _compare(self, one: _Compared, other: _Compared, pairs: Pairs) -> None:
        if one.path == other.path or other.path in self._found[one.path]:
            return
        close = [(this, that) for this, that in pairs if may_conflict(this, that)]
        files = pair_of_files(one.blob, other.blob, close)
        if self._are_apart(files):
            return
        found = [(this, that) for this, that in close if self._are_in_conflict(this, that)]
        if not (found or (one.makes_claims and other.makes_claims)):
            if self._view.inference is not None:
                self._undecided.append((one, other, pairs))
            return
        from memstore.conflicts.conflict import conflict

        mine, theirs = _sides(one, other, found)
        for this, that in ((mine, theirs), (theirs, mine)):
            if told := conflict(this, that):
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
        for one, other, mine, theirs in model.conflicts(sides, self._view.derived):
            self._found[one.path][other.path] = by_model(one, other, mine, theirs)
            self._found[other.path][one.path] = by_model(other, one, theirs, mine)


# Every search asks this some thousand times.
@cache
def _are_close(shared: int, one: int, other: int) -> bool:
    """Whether two statements share enough topic words, given how many they share and how many each has."""
    return is_enough(shared, min(one, other))


def _sides(one: _Compared, other: _Compared, pairs: Pairs) -> tuple[Side, Side]:
    """Return two results as the sides of a conflict, with only these statements."""
    ones, others = ({(this[at].line_start, this[at].text): this[at] for this in pairs} for at in range(2))
    return one.side([*ones.values()]), other.side([*others.values()])


# The verdicts on recent pairs are cached, because a session returns to the same ones.
@lru_cache(maxsize=4096)
def _are_in_conflict(one: str, about_one: str, other: str, about_other: str) -> bool:
    """Whether two statements are in conflict if the same person wrote both on the same day.

    If they are not in conflict in this case, they are not in any other, so their memories are not needed yet.
    """
    from memstore.conflicts.contradiction import CONFLICTS, compare_pair
    from memstore.conflicts.statements import statement_of

    return compare_pair(statement_of(one, about_one), statement_of(other, about_other)).verdict in CONFLICTS
