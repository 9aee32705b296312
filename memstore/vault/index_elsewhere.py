"""A view of files whose index is not on this machine: it shows only what was asked for, after access was decided.

Files that differ here from the commit that is indexed there lie over it, so that all is answered as by the local
index. Where that can't be, the local index answers, and a notice says why.
"""

from __future__ import annotations

import weakref
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from memstore.core.errors import ChangedMeanwhileError, MemstoreError, NotFoundError, VaultError
from memstore.core.harmless import safe_line
from memstore.core.places import is_sealed_path
from memstore.search.index_store import IndexDifference, ReadAnew
from memstore.search.layered_snapshot import LayeredSnapshot, SnapshotBelow
from memstore.search.memory_snapshot import Document
from memstore.vault.look import Look
from memstore.vault.workspace import Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from memstore.search.library import Snapshot
    from memstore.vault.sight import LabelsById
    from memstore.vault.workspace import Workspace

# If more files than this differ, reading them takes longer than the local index does.
MOST_LAID_OVER = 500


class IndexedThere(Protocol):
    """An index of a vault at one moment: as of which commit it is, and the labels of all its files."""

    commit: str

    @property
    def labels(self) -> Snapshot:
        """What decides who sees them, and their blobs."""

    def moment(self, ws: Workspace) -> AbstractContextManager[Moment]:
        """Return what opens all that the actor may see of these files."""

    def contents(self, rows: Collection[int], but: Collection[int] = ()) -> AbstractContextManager[Snapshot]:
        """Return what opens a snapshot of these rows alone, under the same numbers; nobody looks at the rows `but`."""


class IndexElsewhere:
    """The index of a vault elsewhere.

    Args:
        opened: begins a session with it.
        notice: called with why the local index answers instead.
    """

    def __init__(
        self, opened: Callable[[], AbstractContextManager[IndexedThere]], notice: Callable[[str], None] | None
    ) -> None:
        self.opened, self._notice = opened, notice
        self._is_away = False

    def moment(self, ws: Workspace) -> Moment | None:
        """Return what the actor may see of the vault as it is now; None if the local index is to answer."""
        if self._is_away:
            return None
        try:
            with ExitStack() as stack:
                moment = stack.enter_context(moment_of(ws, stack.enter_context(self.opened())))
                weakref.finalize(moment.snapshot, _closed, stack.pop_all())
                return moment
        except NotFoundError:  # other vaults are indexed there
            self._is_away = True
        except MemstoreError as error:
            self._is_away = True
            if self._notice:
                hint = f" ({safe_line(error.hint)})" if error.hint else ""
                self._notice(f"answered by the index on this machine, as {safe_line(str(error))}{hint}")
        return None


def _closed(stack: ExitStack) -> None:
    """End a session; one that has ended already, as when the server went away, is no concern of anybody's."""
    with suppress(MemstoreError):
        stack.close()


@contextmanager
def moment_there(
    ws: Workspace,
    labels: Snapshot,
    contents: Callable[[Collection[int]], AbstractContextManager[Snapshot]],
    by_id: LabelsById | None = None,
) -> Iterator[Moment]:
    """Yield what the actor may see of the files that are indexed there, whatever is in the work tree.

    Args:
        ws: the opened vault.
        labels: the labels of all files: what decides who sees them; or those of files that stand for all others.
        contents: opens a snapshot of the files that these rows are, or stand for.
        by_id: the labels of all memories by id, if these rows stand for others.
    """
    with contents(rows_seen(ws, labels)) as snapshot:
        yield Moment(snapshot, labels=labels if by_id is None else None, decided=by_id)


def rows_seen(ws: Workspace, labels: Snapshot) -> list[int]:
    """Return the rows of all files that the actor may look at."""
    look = Look(ws, Moment(labels))
    of_owner = (*look.broken, *labels.catalog.sealed) if look.is_owners else ()
    return [*look.rows, *look.plain, *of_owner]


@contextmanager
def moment_of(ws: Workspace, there: IndexedThere) -> Iterator[Moment]:
    """Yield what the actor may see of the work tree: what is indexed there, and over it what differs here.

    Raises:
        ChangedMeanwhileError: that can't be told from the index there.
    """
    difference = _difference(ws, there)
    if not difference.files:
        with there.moment(ws) as moment:
            whole = moment.snapshot or there.labels
            # the session ends when nobody has what is yielded any more, so nothing here may keep it
            yield moment._replace(snapshot=LayeredSnapshot(SnapshotBelow(whole, _row_count(whole)), difference))
        return
    count = _row_count(there.labels)
    labels = LayeredSnapshot(SnapshotBelow(there.labels, count), difference)
    rows = [row for row in rows_seen(ws, labels) if row < count]
    with there.contents(rows, difference.dead) as below:
        yield Moment(LayeredSnapshot(SnapshotBelow(below, count), difference), labels=labels)


def _row_count(labels: Snapshot) -> int:
    return len(labels.catalog.column("kind"))


def _difference(ws: Workspace, there: IndexedThere) -> IndexDifference:
    """Return how the work tree differs from the commit that is indexed there."""
    history = ws.history
    if history.repository is None or not history.has_commit(there.commit):
        raise VaultError(f"commit {there.commit[:10]}, which is indexed there, isn't here", hint="git fetch")
    files = history.files_at(there.commit)
    if history.may_convert(files):
        raise VaultError("git keeps files of this vault otherwise than they are here")
    here = {stat.path: stat for stat in ws.vault.memory_files()}
    differing = history.changed_since(there.commit)
    doubtful = [path for path in here if path not in files or path in differing or is_sealed_path(path)]
    gone = files.keys() - here.keys()
    if len(doubtful) + len(gone) > MOST_LAID_OVER:
        raise ChangedMeanwhileError(
            f"{len(doubtful) + len(gone):,} files differ from what is indexed there", hint="memstore engine index URL"
        )
    documents = ws.library.documents([here[path] for path in doubtful])
    found = {stat.path: ReadAnew(stat, Document(*document), None) for stat, document in documents}
    gone |= {path for path in doubtful if path not in found and path in files}
    read = [each for path, each in found.items() if _is_otherwise(each, files.get(path))]
    rows = _rows(there.labels, files, [*gone, *(each.stat.path for each in read)])
    difference = IndexDifference(len(read) + len(gone))
    difference.read = [each._replace(row=rows.get(each.stat.path)) for each in read]
    difference.gone = {rows[path] for path in gone if path in rows}
    return difference


def _is_otherwise(each: ReadAnew, blob: str | None) -> bool:
    return each.document.entry.blob != blob or is_sealed_path(each.stat.path)


def _rows(labels: Snapshot, files: Mapping[str, str], paths: Sequence[str]) -> dict[str, int]:
    """Return the rows of files, by path; what is no text has none.

    Labels have no paths. Files with the same bytes can be told apart by nothing, unless all of them are meant.
    """
    wanted = Counter(files[path] for path in paths if path in files)
    rows: dict[str, list[int]] = {}
    for row, blob in enumerate(labels.catalog.column("blob") if wanted else ()):
        if blob in wanted:
            rows.setdefault(blob, []).append(row)
    if any(len(found) != wanted[blob] for blob, found in rows.items()):
        raise ChangedMeanwhileError("a file differs of which there are copies")
    return {path: rows[files[path]].pop() for path in paths if path in files and files[path] in rows}
