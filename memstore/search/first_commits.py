"""When plain notes first came into the history: the date of a note that states none.

It is the author's time of the earliest ancestor of HEAD that has the file, or a file that it was renamed from, as git
decides. What the history says is kept in the cache, with the commit up to which it was read; when HEAD gains commits,
only those are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.catalog import FileKind
from memstore.core.times import instant, moment
from memstore.files.local_state import head_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.files.local_state import RepositoryFolders
    from memstore.history.git_history import GitHistory
    from memstore.search.local_state import DerivedCache
    from memstore.search.memory_snapshot import Document

# What stands in place of a date: no commit has the file; or some has, but the clone does not reach back to the first.
UNCOMMITTED, UNKNOWN = "uncommitted", "unknown"
_NAME, _STATE = "first-commits", "1"


def dated(document: Document, first_commit: Callable[[], str], saved_at: Callable[[], str]) -> Document:
    """Return a document; a plain note that states no date gets one.

    A memory without an id gets none before it is adopted, but the index knows its first commit, too.

    Args:
        document: the document.
        first_commit: returns what `FirstCommits.of` says of its file.
        saved_at: returns when the file was saved, which dates one that no commit has.
    """
    entry = document.entry
    is_adopted = entry.kind is FileKind.MEMORY and entry.id
    if not document.searchable or is_adopted or entry.created_at:
        return document
    came = first_commit()
    made = came
    if entry.kind is FileKind.MEMORY or came == UNKNOWN:
        made = ""
    elif came == UNCOMMITTED:
        made = saved_at()
    return document._replace(entry=entry._replace(created_at=made, first_commit=came))


class FirstCommits:
    """The first commits of files, up to HEAD.

    Args:
        history: returns the vault's history.
        folders: the folders of its repository; None if there is none.
        derived: the vault's cache.
    """

    def __init__(
        self, history: Callable[[], GitHistory], folders: RepositoryFolders | None, derived: DerivedCache
    ) -> None:
        self._history, self._folders, self._derived = history, folders, derived
        self._prefix = ""
        self._head = ""
        # By path in the repository, in the order in which they came; and what each was renamed from.
        self._added: dict[str, str] = {}
        self._places: dict[str, int] = {}
        self._sources: dict[str, list[str]] = {}

    def head(self) -> str:
        """Return what the dates depend on: the current commit, and where a shallow clone ends; empty without one."""
        if self._folders is None:
            return ""
        found = head_of(self._folders)
        return (self._history().head() or "") if found is None else found

    def of(self, path: str, head: str) -> str:
        """Return the time of a file's first commit, RFC 3339 in UTC, or `UNCOMMITTED` or `UNKNOWN`.

        Args:
            path: relative to the vault.
            head: what `head` returned.
        """
        if head != self._head:
            self._read_to(head)
        full = self._prefix + path
        if full not in self._sources:
            return self._added.get(full, UNCOMMITTED)
        names, waiting = {full}, [full]
        while waiting:
            anew = {*self._sources.get(waiting.pop(), ())} - names
            names |= anew
            waiting += anew
        found = [name for name in names if name in self._added]
        if any(self._added[name] == UNKNOWN for name in found):
            return UNKNOWN
        return self._added[min(found, key=self._places.__getitem__)]

    def _read_to(self, head: str) -> None:
        """Read what the history says up to a commit: what the cache lacks, or all of it if HEAD moved elsewhere."""
        self._head, self._added, self._sources = head, {}, {}
        history = self._history() if head else None
        if history is None or history.repository is None:
            return
        self._prefix = history.repository.prefix
        kept = self._derived.last(_NAME, _STATE)
        since = "".join(kept.get("head", ()))
        if since:
            self._added = dict(zip(kept["added"], kept["times"], strict=True))
            for line in kept["renamed"]:
                self._note_source(*line.split("\0"))
        if since != head:
            self._read_on(history, since, head)
        self._places = {path: place for place, path in enumerate(self._added)}

    def _read_on(self, history: GitHistory, since: str, head: str) -> None:
        # A shallow clone may end elsewhere after each fetch.
        gained = history.arrivals(since) if since and " " not in since + head else None
        if gained is None:
            self._added, self._sources = {}, {}
            gained = history.arrivals()
        if gained is None:
            return
        for one in gained:
            at = UNKNOWN if one.seconds is None else instant(moment(one.seconds))
            self._added.setdefault(one.path, at)
            if one.source is not None:
                self._note_source(one.path, one.source)
        renamed = [f"{path}\0{source}" for path, sources in self._sources.items() for source in sources]
        times = [*self._added.values()]
        self._derived.keep(_NAME, _STATE, {"head": [head], "added": [*self._added], "times": times, "renamed": renamed})

    def _note_source(self, path: str, source: str) -> None:
        sources = self._sources.setdefault(path, [])
        if source not in sources:
            sources.append(source)
