"""Index a vault's protected branch in a database, from git alone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memstore.access import RIGHTS
from memstore.core.errors import GitError, VaultError
from memstore.engines.database import session
from memstore.engines.indexing import IndexCommit, index
from memstore.files import memory_file
from memstore.files.local_state import find_repository
from memstore.files.plain_note import is_registry
from memstore.history import HISTORY
from memstore.search import DERIVED
from memstore.search.first_commits import UNKNOWN, FirstCommits, dated
from memstore.search.memory_snapshot import document_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.core.view import View
    from memstore.engines.indexing import Indexed
    from memstore.search.memory_snapshot import Document

# How many files are asked of git at a time.
AT_ONCE = 500


def index_vault(view: View, url: str, *, name: str | None = None, anew: bool = False, at: str | None = None) -> Indexed:
    """Index what a vault's protected branch has: the remote's default branch, or else main or master.

    Args:
        view: the vault.
        url: the address of the database.
        name: the name of the vault there; that of its folder by default.
        anew: forget what is indexed, and read all files.
        at: a commit to index instead.

    Raises:
        RefusedError: the viewer is not the vault's owner, or the name is another vault's.
        GitError: there is no commit.
    """
    view.require_owner("index the whole vault elsewhere")
    history = view.of(HISTORY)
    branch = at or history.default_branch()
    if branch is None:
        raise GitError("there is no branch main or master, and no remote's", hint="memstore commit, then again")
    at = history.resolve(branch)
    commit = IndexCommit(
        at,
        history.roots(at),
        partial(history.files_at, at),
        view.of(RIGHTS).registries_at(at),
        view.clock.now(),
        lambda before: history.files_changed(before, at),
        repr((view.config.mixed, view.config.languages)),
    )
    with session(url) as opened:
        return index(opened, name or view.root.name, commit, partial(_documents, view, _came(view, at)), anew=anew)


def _came(view: View, commit: str) -> Callable[[str], str]:
    """Return what says when a file came into the history; of another branch than the current one, that is unknown."""
    history = view.of(HISTORY)
    if history.head() != commit:
        return lambda _: UNKNOWN
    first = FirstCommits(lambda: history, find_repository(view.root), view.of(DERIVED))
    head = first.head()
    return lambda path: first.of(path, head)


def _documents(view: View, came: Callable[[str], str], files: Sequence[tuple[str, str]]) -> Iterator[Document | None]:
    """Yield the documents of files; sealed ones stay sealed, whatever key is here."""
    history, mixed = view.of(HISTORY), view.config.mixed
    languages = view.config.languages
    found: dict[str, bytes] = {}
    for at, (path, blob) in enumerate(view.with_progress("indexing files", files)):
        if at % AT_ONCE == 0:
            found = dict(history.stored_blobs(blob for _, blob in files[at : at + AT_ONCE]))
        if blob not in found:
            raise VaultError(f"git has no blob {blob[:10]} of {path}", hint="git fetch --refetch, then again")
        if is_registry(path, found[blob]):
            yield None
            continue
        read = memory_file.read(path, found[blob], mixed=mixed)
        document = document_of(read, blob, languages=languages) if languages else document_of(read, blob)
        yield dated(document, partial(came, path), str)
