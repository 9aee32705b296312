"""What the files of a push were in earlier commits: a file that was a memory there is judged by its last state as one.

Somebody who takes the id out of a memory, moves it, or puts a link in its place has not made it a plain note: only its
owner does that, by taking back that it was adopted (`memstore undo`), which the audit records.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.files import fence
from memstore.history import git_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from memstore.access.world import BlobLabels, Labels
    from memstore.history.git_process import GitProcess
    from memstore.history.outgoing import SentCommit
    from memstore.vault.pushed_blobs import Blobs

_SHORTEST_LINE = 12  # characters; shorter lines are those of many texts
_MOST_OF_THE_LINES = 0.5  # as git recognizes a file that was renamed


class _State(NamedTuple):
    """A file that was a memory: in which commit, how far that comes before others, its blob and labels."""

    commit: str
    order: float
    blob: str
    labels: Labels


class FormerMemories:
    """The files of a push that were memories in an ancestor.

    Args:
        git: the repository.
        commits: what would be sent, oldest first.
        blobs: what the blobs of these commits say.
        place: returns a path of the repository from the vault's folder; None if no memory can be there.
        ended: the ids of memories of which their owner has said that they are none.
    """

    def __init__(
        self,
        git: GitProcess,
        commits: Sequence[SentCommit],
        blobs: Blobs,
        place: Callable[[str], str | None],
        ended: Collection[str],
    ) -> None:
        self._git, self._commits, self._blobs, self._place, self._ended = git, commits, blobs, place, ended
        self._parents = {commit.id: commit.parents for commit in commits}
        self._ancestors: dict[str, frozenset[str]] = {}
        self._states: dict[str, list[_State]] = defaultdict(list)
        self._left: list[_State] = []  # by commits that delete them or make something else of them
        for order, commit in enumerate(commits):
            for change in (*commit.changes, *commit.since_first):
                new, old = self._labels(change.new), self._labels(change.old)
                if new and change.new:
                    self._states[change.path].append(_State(commit.id, order, change.new, new))
                if old and change.old and commit.parents:
                    state = _State(commit.parents[0], order - 0.5, change.old, old)
                    self._states[change.path].append(state)
                    if not new:
                        self._left.append(state)

    def _labels(self, blob: str | None) -> Labels | None:
        said: BlobLabels | None = self._blobs.found.get(blob or "")
        return said.labels if said and said.labels and said.labels.id not in self._ended else None

    def last(self, commit: SentCommit, path: str) -> Labels | None:
        """Return the labels of the last memory that was at a path before a commit; None if there was none."""
        return self._labels(self.last_blob(commit, path))

    def last_blob(self, commit: SentCommit, path: str) -> str | None:
        """Return the blob of the same."""
        known = [one for one in self._states.get(path, ()) if one.commit in self._above(commit.id)]
        if known:
            return max(known, key=lambda one: one.order).blob
        return next((blob for blob in self._earlier.get(path, ()) if self._labels(blob)), None)

    def copied(self, commit: SentCommit, blob: str) -> Iterator[Labels]:
        """Yield the labels of memories that were deleted before or in a commit, and whose text a file of it has."""
        above = self._above(commit.id) if self._left else ()
        for state in self._left:
            lines = self._lines[state.blob]
            if state.commit in above and lines and len(lines & self._lines[blob]) >= _MOST_OF_THE_LINES * len(lines):
                yield state.labels

    def _above(self, commit: str) -> frozenset[str]:
        """Return the ancestors of a commit, as far as they are sent, and the parents of the first of these."""
        if commit not in self._ancestors:
            found, waiting = set[str](), [commit]
            while waiting:
                new = {*self._parents.get(waiting.pop(), ())} - found
                found |= new
                waiting.extend(new)
            self._ancestors[commit] = frozenset(found)
        return self._ancestors[commit]

    @cached_property
    def _lines(self) -> Mapping[str, frozenset[str]]:
        """The telling lines of all files that may have a text of another, and of what was deleted, by blob."""
        left = {state.blob for state in self._left}
        wanted = {one.blob: inside for path, states in self._states.items() if (inside := self._place(path))
                  for one in states if one.blob in left}  # fmt: skip
        wanted |= {change.new: inside for commit in self._commits for change in commit.changes
                   if change.new and change.mode in git_objects.REGULAR_FILES
                   and (inside := self._place(change.path))}  # fmt: skip
        return defaultdict(
            frozenset, {blob: _distinctive_lines(data or b"") for blob, data in self._blobs.texts(wanted)}
        )

    @cached_property
    def _earlier(self) -> Mapping[str, Sequence[str]]:
        """The blobs that were at each path of the push in the commits that the remote has, latest first."""
        paths = {change.path for commit in self._commits for change in commit.changes if self._place(change.path)}
        ends = {parent for commit in self._commits for parent in commit.parents} - self._parents.keys()
        if not (paths and ends):
            return {}
        asked = "\n".join([*ends, "--", *(path for path in sorted(paths) if "\n" not in path), ""])
        words = ("--literal-pathspecs", "rev-list", "--objects", "--full-history", "--stdin")
        listed = self._git.run(*words, data=asked.encode(errors="surrogateescape"))
        found: dict[str, list[str]] = defaultdict(list)
        for line in listed.decode(errors="surrogateescape").splitlines():
            blob, _, path = line.partition(" ")
            if path in paths:
                found[path].append(blob)
        self._blobs.read(dict(_each_with_path(found, self._place)))
        return found


def _each_with_path(
    found: Mapping[str, Iterable[str]], place: Callable[[str], str | None]
) -> Iterator[tuple[str, str]]:
    for path, blobs in found.items():
        if inside := place(path):
            yield from ((blob, inside) for blob in blobs)


def _distinctive_lines(data: bytes) -> frozenset[str]:
    span = fence.span(data)
    lines = data[span.body if span else 0 :].decode(errors="replace").splitlines()
    return frozenset(line for line in map(str.strip, lines) if len(line) >= _SHORTEST_LINE)
