"""The library of a vault on disk: never stale, without a daemon.

Every snapshot walks the vault and compares it with the index in the user's cache. If only a few files changed, they
are read into memory and laid over the index, and nothing is written; if many changed, the index is updated.
"""

from __future__ import annotations

import time
from array import array
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memstore.core.config import LANGUAGES
from memstore.core.errors import OutOfTimeError
from memstore.core.places import is_memory_path
from memstore.core.times import instant, moment
from memstore.files import walk as tree_walk
from memstore.files.local_state import find_repository, with_progress
from memstore.files.vault import FileStat
from memstore.files.walk import UNSETTLED, KnownTree, plan_refresh
from memstore.search.first_commits import FirstCommits, dated
from memstore.search.index_store import FIRST_BUILD_PATIENCE_SECONDS, IndexDifference, IndexStore, ReadAnew
from memstore.search.layered_snapshot import LayeredSnapshot
from memstore.search.local_state import DerivedCache, drop_gists
from memstore.search.manifest import DamagedError
from memstore.search.memory_snapshot import (
    FileReader,
    LoadedFile,
    MemoryIndex,
    snapshot_of_documents,
    snapshot_of_files,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memstore.core.catalog import Entry
    from memstore.files.disk_vault import DiskVault
    from memstore.files.local_state import Report
    from memstore.files.walk import Rules, Walk
    from memstore.history.git_history import GitHistory
    from memstore.search.index import Searchable
    from memstore.search.index_store import Index
    from memstore.search.library import IndexStatus, Refreshed, Snapshot
    from memstore.search.memory_snapshot import Document


# If more files than this changed, they are written into the index: reading them every time would cost more.
MOST_LAID_OVER = 32
# In a vault with fewer files than this, checking each of them takes no longer than starting the program.
MANY_TO_LOOK_AT = 20_000


class DiskLibrary:
    """Takes snapshots of a vault and keeps an index in the user's cache.

    Args:
        vault: the vault.
        cache: the folder for derived data; used only if nobody else can write to it.
        on_progress: called with the number of files read and the total, if reading them takes long.
        history: returns the vault's history, which dates the notes that state no date; None if that is not needed.
        languages: the languages that texts may be written in.
        keys: returns a digest of the keys that open sealed files.
        forgets: whether what is gone or changed leaves the cache with the next look, as what was withdrawn from a
            shared stack does.
    """

    def __init__(
        self,
        vault: DiskVault,
        *,
        cache: Path,
        on_progress: Report | None = None,
        history: Callable[[], GitHistory] | None = None,
        languages: Sequence[str] = LANGUAGES,
        keys: Callable[[], str] = str,
        forgets: bool = False,
    ) -> None:
        self._vault, self._languages, self._forgets = vault, languages, forgets
        self.on_progress = on_progress
        repository = find_repository(vault.root)
        self._object_format = repository.object_format if repository else "sha1"
        self.store = IndexStore(
            cache, object_format=self._object_format, mixed=vault.mixed, languages=languages, keys=keys
        )
        self._first_commits = FirstCommits(history, repository, DerivedCache(cache)) if history else None
        self._reader = FileReader(vault, self._blob_id, languages)
        self._last: Snapshot | None = None
        self._head = ""
        self._is_waiting = False

    def snapshot(self) -> Snapshot:
        """Return the vault as it is now, including uncommitted changes."""
        self._last = self._taken()
        return self._last

    def latest(self) -> Snapshot:
        """Return the snapshot that was taken last, or take the first one; see the port."""
        return self._last or self.snapshot()

    def _taken(self) -> Snapshot:
        index = self.store.open()
        if index is None:
            return self._first()
        walk, difference = self._compared(index)
        if gone := self._forgets and bool(difference.dead):
            self._drop_derived()
        if gone or difference.files > MOST_LAID_OVER:
            with self.store.locked(patience_seconds=0) as locked:
                # If the index was replaced in the meantime, another process has already written these changes.
                if locked and self.store.open() is index and self._write_changes(index, walk, difference, purge=gone):
                    return self._whole() or self._first()
        return self._layered(index, difference)

    def glance(self) -> Snapshot:
        """Return the vault judged by its folders alone: added, removed and renamed files, but not changed content.

        Nothing is written, because files that were not checked must not be recorded as checked.
        """
        index = self.store.open()
        if index is None or len(index.rows) < MANY_TO_LOOK_AT:
            return self.snapshot()
        _, difference = self._compared(index, only_folders=True)
        if difference.files > MOST_LAID_OVER:
            return self.snapshot()
        return self._layered(index, difference, is_certain=False)

    def snapshot_of(self, files: Iterable[tuple[str, bytes]]) -> Snapshot:
        """Return a snapshot of other files, such as those of a past commit, given as path and bytes.

        Files at paths that can't hold a memory are left out.
        """
        from memstore.files.plain_note import is_registry

        mixed = self._vault.mixed
        kept = (
            (path, data) for path, data in files if is_memory_path(path, mixed=mixed) and not is_registry(path, data)
        )
        return snapshot_of_files(kept, blob_id=self._blob_id, mixed=mixed, languages=self._languages)

    def laid_over(self, snapshot: Snapshot, texts: Mapping[str, bytes]) -> Snapshot:
        """Return one of this library's snapshots with other files in it, given as bytes by path; see the port."""
        if isinstance(snapshot, LayeredSnapshot):
            return snapshot.laid_over(self._over(path, data) for path, data in texts.items())
        below = (self._reader.load(stat) for stat in self._vault.memory_files() if stat.path not in texts)
        above = (self._over(path, data).document for path, data in texts.items())
        return snapshot_of_documents([*(file.document for file in below if file), *above])

    def documents(self, files: Sequence[FileStat]) -> Iterator[tuple[FileStat, tuple[Entry, Searchable | None]]]:
        """Yield entry and terms of files of the vault, as they are now, without those that are gone or no texts."""
        self._head = self._first_commits.head() if self._first_commits else ""
        for stat, file in zip(files, map(self._reader.load, files), strict=True):
            if file:
                yield stat, self._with_date(file.document, stat)

    def _over(self, path: str, data: bytes) -> ReadAnew:
        """Return the document of a text that an editor holds, and which is taken to be as new as it can be."""
        stat = FileStat(path, len(data), time.time_ns(), 0, 0)
        file = LoadedFile(stat, data, self._blob_id(data), mixed=self._vault.mixed, languages=self._languages)
        return ReadAnew(stat, self._with_date(file.document, stat), None)

    def status(self) -> IndexStatus:
        """Return how far the index matches the vault; nothing is written."""
        from memstore.search.library import IndexStatus

        index = self.store.open()
        if index is None:
            return IndexStatus(folder=self.store.cache, usable=self.store.is_usable())
        _, difference = self._compared(index)
        kept = LayeredSnapshot(index, IndexDifference(), rebuilt=MemoryIndex.empty)
        return IndexStatus(
            folder=self.store.cache,
            built=True,
            files=len(index.rows),
            memories=len(kept.catalog.memories),
            broken=len(index.broken),
            changed=difference.files,
            size=self.store.size(),
            generation=index.generation.number,
            written_at=self.store.written_at(),
        )

    def rebuild(self) -> Snapshot:
        """Delete the index, rebuild it, and return the vault as it is now."""
        self._drop_derived()
        self.store.drop()
        self._reader.forget()
        return self._first()

    def refresh(self, *, purge: bool = False) -> Refreshed:
        """Write all changes into the index, however few; wait for any other process that is writing it.

        Args:
            purge: merge all segments and delete the vectors and whatever else was computed, so that no deleted or
                changed text stays in the cache.
        """
        from memstore.search.library import Refreshed

        if purge:
            self._drop_derived()
        if self.store.open() is None:
            self._first()
            built = self.store.open()
            return Refreshed(len(built.rows) if built else 0, written=built is not None)
        with self.store.locked(patience_seconds=FIRST_BUILD_PATIENCE_SECONDS) as locked:
            index = self.store.open()
            if not locked or index is None:
                return Refreshed(0, written=False)
            walk, difference = self._compared(index)
            if not difference.files and not purge:
                return Refreshed(0, written=True)
            return Refreshed(difference.files, written=self._write_changes(index, walk, difference, purge=purge))

    def _drop_derived(self) -> None:
        from memstore.access.local_state import LabelsCache
        from memstore.search.embedder import drop_vectors
        from memstore.search.local_state import drop_derived

        drop_vectors(self.store.cache)
        drop_derived(self.store.cache)
        LabelsCache(self.store.cache).drop()

    # -- taking a snapshot -----------------------------------------------------------------------

    def _first(self) -> Snapshot:
        """Build the index, or wait for the process that is building it; stay in memory if the cache is unusable."""
        with self.store.locked(patience_seconds=FIRST_BUILD_PATIENCE_SECONDS, on_wait=self._wait) as locked:
            if self._is_waiting and self.on_progress:
                self.on_progress(1, 1)
            if locked and (index := self.store.open()):
                return self._layered(index, self._compared(index)[1])
            walk = tree_walk.walk(self._vault.root, KnownTree(), self._rules())
            self._head = self._first_commits.head() if self._first_commits else ""
            if locked and self._built(walk) and (whole := self._whole()):
                return whole
            reading = _Reading()
            found = snapshot_of_documents([each.document for each in self._read_all(walk, reading)])
            reading.raise_if_stopped()
            return found

    def _wait(self) -> None:
        """Report that another process is indexing: whoever has no time left stops waiting."""
        if self.on_progress:
            self._is_waiting = True
            self.on_progress(0, 1)

    def _built(self, walk: Walk) -> bool:
        """Write a new index of all files that a walk found; return False if it can't be written.

        Raises:
            OutOfTimeError: the time was over; the index has what was read.
        """
        reading = _Reading()
        if self.store.is_of_other_keys:  # what was computed of sealed files is for those keys, too
            self._drop_derived()
        try:
            self.store.build(walk, self._read_all(walk, reading), head=self._head)
        except OSError:
            return False
        reading.raise_if_stopped()
        return True

    def _read_all(self, walk: Walk, reading: _Reading) -> Iterator[ReadAnew]:
        """Yield the documents of a walk's new files that still exist, and report progress; nothing is cached."""
        files = with_progress(self.on_progress, map(self._reader.load, walk.new), len(walk.new))
        for file, stat in zip(reading.until_stopped(files), walk.new, strict=False):
            if file:
                yield ReadAnew(stat, self._with_date(file.document, stat), None)
        _without(walk, walk.new[reading.done :])

    def _with_date(self, document: Document, stat: FileStat) -> Document:
        """Return a document of a file; a plain note that states no date gets one."""
        commits = self._first_commits
        if commits is None:
            return document
        return dated(
            document,
            lambda: commits.of(stat.path, self._head),
            lambda: instant(moment(stat.mtime_ns // 10**9)),
        )

    def _whole(self) -> Snapshot | None:
        """Return the snapshot of the index that was just written."""
        index = self.store.open()
        return self._layered(index, IndexDifference()) if index else None

    def _layered(self, index: Index, difference: IndexDifference, *, is_certain: bool = True) -> Snapshot:
        def rebuilt() -> MemoryIndex:
            self.store.drop()
            return self._search_index_from_files(index, difference)

        return LayeredSnapshot(index, difference, rebuilt=rebuilt, is_certain=is_certain)

    def _search_index_from_files(self, index: Index, difference: IndexDifference) -> MemoryIndex:
        """Rebuild the search index for the rows of a damaged index, from the current files."""
        paths = dict(enumerate(index.column("path"))) | {row: stat.path for row, stat in difference.moved.items()}
        dead = difference.dead
        rows = [row for row, path in paths.items() if path and row not in dead]
        files = ((row, self._reader.load(FileStat(paths[row], 0, 0, 0, 0))) for row in rows)
        documents = ((row, file.document.searchable) for row, file in files if file)
        return MemoryIndex(((row, terms) for row, terms in documents if terms), row_count=index.row_count)

    def _write_changes(self, index: Index, walk: Walk, difference: IndexDifference, *, purge: bool = False) -> bool:
        """Write the changes into the index; return False if that fails, which costs nothing but time."""
        try:
            self.store.write(index, walk, difference, head=self._head, purge=purge)
        except OSError:
            return False
        except DamagedError:
            self.store.drop()
            return False
        self._reader.forget()
        if written := self.store.open():
            drop_gists(self.store.cache, but=frozenset(written.column("blob")))
        return True

    # -- what changed ----------------------------------------------------------------------------

    def _compared(self, index: Index, *, only_folders: bool = False) -> tuple[Walk, IndexDifference]:
        """Walk the vault, and return the walk and the differences from the index.

        Raises:
            OutOfTimeError: the time was over; what was read so far is in the index, if that could be written.
        """
        rules = self._rules(index.ruled_folders)
        known = index.known_tree(rules)
        walk = tree_walk.walk(self._vault.root, known, rules, before=index.stats, only_folders=only_folders)
        plan = plan_refresh(index.stats, walk.seen, known_at_ns=index.walked_at_ns, settled=index.is_settled)
        difference = IndexDifference(files=len(plan.changed) + len(plan.gone) + len(walk.new))
        dated_anew = self._dated_anew(index)
        difference.files += len(dated_anew)
        doubtful = dict.fromkeys((*plan.changed, *plan.suspicious, *dated_anew))
        if not (difference.files or doubtful):
            return walk, difference
        difference.gone.update(index.rows[position] for position in plan.gone)
        rows = [*(index.rows[position] for position in doubtful), *(None for _ in walk.new)]
        stats = [*(_stat_at(index, walk, position) for position in doubtful), *walk.new]
        reading = _Reading()
        self._sort_out(index, difference, zip(reading.until_stopped(self._loaded(stats)), rows, strict=False))
        if reading.stopped and not (only_folders or self._forgets):
            walk = _without(walk, stats[max(reading.done, len(doubtful)) :], [*doubtful][reading.done :])
            with self.store.locked(patience_seconds=0) as locked:
                if locked and self.store.open() is index:
                    self._write_changes(index, walk, difference)
        reading.raise_if_stopped()
        return walk, difference

    def _sort_out(
        self, index: Index, difference: IndexDifference, files: Iterable[tuple[LoadedFile | None, int | None]]
    ) -> None:
        """Sort the files that were read into `difference`: unchanged after all, gone, moved, or read again."""

        def blob_of(row: int) -> str:
            return index.cells(row)["blob"]  # called only for the few changed rows

        lost = {blob: row for row in difference.gone if (blob := blob_of(row))}
        for file, row in files:
            if file is None:
                difference.gone.update(() if row is None else (row,))
            elif row is None and (moved := lost.get(file.blob)) is not None and self._has_name(index, moved, file):
                del lost[file.blob]
                difference.moved[moved] = file.stat
                difference.gone.discard(moved)
            else:
                document = self._with_date(file.document, file.stat)
                if row is None or not file.blob or not _is_as(index.cells(row), document.entry):
                    difference.read.append(ReadAnew(file.stat, document, row))

    def _has_name(self, index: Index, row: int, file: LoadedFile) -> bool:
        """Whether a moved file kept its name and its date; the words of a new name would have to be indexed."""
        before = index.cells(row)
        kept_name = PurePosixPath(before["path"]).name == PurePosixPath(file.stat.path).name
        return kept_name and _is_as(before, self._with_date(file.document, file.stat).entry)

    def _dated_anew(self, index: Index) -> list[int]:
        """Return the positions of the plain notes without a date of their own that HEAD, having moved, dates anew."""
        self._head = self._first_commits.head() if self._first_commits else ""
        if self._first_commits is None or not index.has_undated or self._head == index.head:
            return []
        known, paths = index.column("first_commit"), index.column("path")
        return [
            position
            for position, row in enumerate(index.rows)
            if known[row] and known[row] != self._first_commits.of(paths[row], self._head)
        ]

    def _loaded(self, stats: Sequence[FileStat]) -> Iterator[LoadedFile | None]:
        """Yield the files with these stats, None for missing ones, and report progress."""
        return with_progress(self.on_progress, self._reader.load_all(stats), len(stats))

    def _rules(self, ruled_folders: Sequence[str] = ()) -> Rules:
        inside = [f"{folder}/" for folder in ruled_folders]
        return tree_walk.ignore_rules(self._vault.root, mixed=self._vault.mixed, paths=inside)

    def _blob_id(self, data: bytes) -> str:
        from memstore.core.digests import blob_id

        return blob_id(data, self._object_format)


class _Reading:
    """How far files were read: `done` of them until the time was over, which `stopped` says."""

    def __init__(self) -> None:
        self.done = 0
        self.stopped: OutOfTimeError | None = None

    def until_stopped(self, files: Iterable[LoadedFile | None]) -> Iterator[LoadedFile | None]:
        """Yield files as they are read; end early when the time is over."""
        try:
            for file in files:
                yield file
                self.done += 1
        except OutOfTimeError as stopped:
            self.stopped = stopped

    def raise_if_stopped(self) -> None:
        """Raise what ended the reading, if anything did: what was read is not all there is."""
        if self.stopped:
            raise self.stopped


def _without(walk: Walk, new: Iterable[FileStat], known: Iterable[int] = ()) -> Walk:
    """Return a walk that did not get to some files, new ones and known ones by position: the next one finds them."""
    for stat in new:
        walk.folders[stat.path.rpartition("/")[0]] = UNSETTLED
    times = array("q", walk.seen.mtime_ns)
    for position in known:
        times[position] = _NEVER
    return walk._replace(seen=walk.seen._replace(mtime_ns=times))


_NEVER = -1  # no file has this time, so it differs from any that is found


def _is_as(cells: Mapping[str, str], entry: Entry) -> bool:
    """Whether a row still describes a file, except for its place."""
    return (cells["blob"], cells["created_at"], cells["first_commit"]) == (
        entry.blob, entry.created_at, entry.first_commit,
    )  # fmt: skip


def _stat_at(index: Index, walk: Walk, position: int) -> FileStat:
    """Return the stat of an indexed file, as found by the walk."""
    path = index.column("path")[index.rows[position]]
    seen = walk.seen
    return FileStat(path, seen.size[position], seen.mtime_ns[position], seen.ctime_ns[position], seen.inode[position])
