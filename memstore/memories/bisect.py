"""Bisects the history: which commit made an answer what it is now. Nothing is written or checked out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import NotFoundError, UsageError
from memstore.core.ids import is_memory_id
from memstore.core.short_repr import short_repr
from memstore.history import HISTORY
from memstore.memories.search import search
from memstore.search.reranker import Wish

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.quotation import External
    from memstore.core.view import View
    from memstore.history.history import Commit

# Among how many hits a memory must be to count as an answer.
HITS = 10


class Answered(NamedTuple):
    """A part of an answer: which memory, by ref or path, and the lines that answer; `path` and `line` say where.

    `external` is set if the lines are a quotation.
    """

    name: str
    text: str
    path: str = ""
    line: int = 0
    external: External | None = None

    @property
    def said(self) -> tuple[str, str]:
        """What makes an answer another one; the place does not."""
        return self.name, self.text


State = tuple[Answered, ...]


class _Asked(NamedTuple):
    """A memory that is asked about: what an answer calls it, and what finds it at a commit."""

    name: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisected:
    """The commit that made an answer what it is, with the answer before and since; None if it is not committed yet.

    `before` is also empty if there was nothing to change: the answer was the same since the first commit. `looked_at`
    counts the states that were searched.
    """

    commit: Commit | None
    before: State
    since: State
    looked_at: int
    of: int

    __repr__ = short_repr


def bisect(view: View, text: str | None, refs: Sequence[str] = ()) -> Bisected:
    """Return the commit that made an answer what it is now.

    The answer to a query is its best hit; with memories, it is which of them are among the first hits; without a
    query, it is what these memories say. If the answer changed several times, one of these changes is found, as by git.

    Args:
        view: the vault.
        text: the query, in the language of `search.query`; None for what the memories say.
        refs: the memories.

    Raises:
        UsageError: neither a query nor a memory was given.
        RefusedError: somebody other than the vault's owner asks.
        NotFoundError: there is no such memory, and none with that id was deleted; or a shallow clone lacks the commit.
        GitError: there is no repository.
    """
    view.require_owner()
    view.of(HISTORY).require()
    if text is None and not refs:
        raise UsageError(
            "there is no answer to look for",
            hint="memstore search --bisect QUERY, or memstore search --bisect --ref REF",
        )
    states = _States(view, text, [_asked(view, ref) for ref in refs])
    now = states.of(view)
    commits = whole = view.of(HISTORY).commits()
    if not commits or not states.is_same(commits[0].id, now):
        before = states.at(commits[0].id) if commits else ()
        return Bisected(commit=None, before=before, since=now, looked_at=len(states.known), of=len(whole))
    while True:
        found = commits[_last_same(commits, states, now)]
        same = next((one for one in found.parents if states.is_same(one, now)), None)
        commits = view.of(HISTORY).commits(start=same) if same else []
        if not commits:
            break
    before = next((state for one in found.parents if (state := states.at(one))), ())
    if not before and (unknown := [one for one in found.parents if one in states.unknown]):
        raise NotFoundError(
            f"the answer is the same since {found.id[:10]}, where this clone's history ends; "
            f"{unknown[0][:10]} is missing",
            hint="git fetch --unshallow, then try again",
        )
    return Bisected(commit=found, before=before, since=now, looked_at=len(states.known), of=len(whole))


def _asked(view: View, ref: str) -> _Asked:
    """Return the memory that a ref means, also one that a commit deleted, which only its whole id can name."""
    try:
        entry = view.named(ref)
    except NotFoundError:
        memory_id = ref.rpartition(":")[2]
        gone = view.of(HISTORY).last_states([memory_id]).get(memory_id) if is_memory_id(memory_id) else None
        if gone is None:
            raise
        return _Asked(str(gone.ref), memory_id)
    return _Asked(entry.ref or entry.path, entry.id or entry.path)


def _last_same(commits: Sequence[Commit], states: _States, now: State) -> int:
    """Return the place of a commit that gives the same answer as the first one, while the next gives another."""
    same, other = 0, len(commits)
    while other - same > 1:
        middle = (same + other) // 2
        if states.is_same(commits[middle].id, now):
            same = middle
        else:
            other = middle
    return same


class _States:
    """Gives the answer at a commit; each is searched once."""

    def __init__(self, view: View, text: str | None, asked: Sequence[_Asked]) -> None:
        self._view, self._text, self._asked = view, text, asked
        self.known: dict[str, State] = {}
        self.unknown: set[str] = set()

    def is_same(self, commit: str, now: State) -> bool:
        """Whether the answer at a commit is the one of now."""
        return [one.said for one in self.at(commit)] == [one.said for one in now]

    def at(self, commit: str) -> State:
        """Return the answer at a commit; empty before there was a vault, or where the history ends."""
        if commit not in self.known:
            try:
                then = self._view.at(commit)
            except NotFoundError:  # a shallow clone ends here
                self.unknown.add(commit)
                self.known[commit] = ()
            else:
                self.known[commit] = self.of(then)
        return self.known[commit]

    def of(self, then: View) -> State:
        """Return the answer of one state."""
        if self._text is None:
            return tuple(one for asked in self._asked for one in self._state_at(then, asked))
        hits = search(then, self._text, Wish(limit=HITS if self._asked else 1)).hits
        if self._asked:
            asked = {one.name for one in self._asked}
            return tuple(Answered(name, "") for name in sorted(asked & {hit.ref or hit.path for hit in hits}))
        return tuple(
            Answered(hit.ref or hit.path, hit.citation.excerpt, hit.path, hit.citation.line_start, hit.external)
            for hit in hits
        )

    @staticmethod
    def _state_at(then: View, asked: _Asked) -> State:
        try:
            found = then.find(asked.place)
        except NotFoundError:
            return ()
        file = then.text(found.path)
        if file is None:
            return ()
        memory = file.memory
        confidence = "" if memory.confidence is None else f", confidence {memory.confidence:.2f}"
        said = f"{found.title} ({memory.status}{confidence})\n{memory.body.strip()}"
        outside = then.external(memory)
        return (Answered(asked.name, said, found.path, file.text.body_line, outside),)
