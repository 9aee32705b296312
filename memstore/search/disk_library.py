"""The library of a vault on disk: never stale, without a daemon.

Every snapshot walks the vault and compares what it finds with the index in the user's cache. A few files that changed
are read into memory and laid over the index, so that reading writes nothing; when they are many, they go into it.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, TypeVar

from memstore.adapters import tree_walk
from memstore.adapters.file_reader import FileReader
from memstore.adapters.index_store import FIRST_BUILD_PATIENCE_SECONDS, Difference, IndexStore, ReadAnew
from memstore.adapters.layered_snapshot import LayeredSnapshot
from memstore.adapters.local_state import find_repository
from memstore.adapters.manifest import DamagedError
from memstore.adapters.memory_index import MemoryIndex
from memstore.adapters.memory_snapshot import snapshot_of_documents, snapshot_of_files
from memstore.adapters.tree_walk import KnownTree
from memstore.ports.search_index import IndexStatus, Refreshed
from memstore.ports.vault import FileStat
from memstore.rules.freshness import plan_refresh
from memstore.rules.vault_places import is_memory_path

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from pathlib import Path

    from memstore.adapters.disk_vault import DiskVault
    from memstore.adapters.file_reader import LoadedFile
    from memstore.adapters.index_store import Index
    from memstore.adapters.memory_snapshot import Document
    from memstore.adapters.tree_walk import Walk
    from memstore.ports.search_index import Snapshot

_File = TypeVar("_File")

# More changed files than this are written into the index: reading them again and again would cost more.
MOST_LAID_OVER = 32
# In vaults of fewer files than this a look at each takes no longer than starting the program.
MANY_TO_LOOK_AT = 20_000
# Progress is told when this many files are to be read, and after every so many.
MANY_FILES, PROGRESS_STEP = 500, 50


class DiskLibrary:
    """Hands out snapshots of a vault; keeps what it learned in the user's cache.

    Args:
        vault: the vault.
        cache: the folder for what is derived from it; it is used only while nobody else can write into it.
        on_progress: called with the number of files read and of those to read, when they are many.
    """

    def __init__(self, vault: DiskVault, *, cache: Path, on_progress: Callable[[int, int], None] | None = None) -> None:
        self._vault = vault
        self.on_progress = on_progress
        repository = find_repository(vault.root)
        self._object_format = repository.object_format if repository else "sha1"
        self.store = IndexStore(cache, object_format=self._object_format)
        self._reader = FileReader(vault, self._blob_id)
        self._last: Snapshot | None = None

    def snapshot(self) -> Snapshot:
        """Return the vault as it is now, uncommitted changes included."""
        self._last = self._taken()
        return self._last

    def latest(self) -> Snapshot:
        """Return the snapshot that was handed out last, or a first one; see the port."""
        return self._last or self.snapshot()

    def _taken(self) -> Snapshot:
        index = self.store.open()
        if index is None:
            return self._first()
        walk, difference = self._compared(index)
        if difference.files > MOST_LAID_OVER:
            with self.store.locked(patience_seconds=0) as locked:
                # Where another index has come meanwhile, somebody else has written what this one was about to write.
                if locked and self.store.open() is index and self._written(index, walk, difference):
                    return self._whole() or self._first()
        return self._layered(index, difference)

    def glance(self) -> Snapshot:
        """Return the vault as its folders show it: names that came, went or were renamed, and not what files hold.

        Nothing is written: what was not looked at must not pass for looked at.
        """
        index = self.store.open()
        if index is None or len(index.rows) < MANY_TO_LOOK_AT:
            return self.snapshot()
        _, difference = self._compared(index, only_folders=True)
        if difference.files > MOST_LAID_OVER:
            return self.snapshot()
        return self._layered(index, difference, is_certain=False)

    def snapshot_of(self, files: Iterable[tuple[str, bytes]]) -> Snapshot:
        """Return a snapshot of other files, as those of a past commit, given by path and bytes.

        Files at places where no memories lie are left out.
        """
        return snapshot_of_files(((path, data) for path, data in files if is_memory_path(path)), blob_id=self._blob_id)

    def status(self) -> IndexStatus:
        """Return how the index stands to the vault; nothing is written."""
        index = self.store.open()
        if index is None:
            return IndexStatus(folder=self.store.cache, usable=self.store.is_usable())
        _, difference = self._compared(index)
        kept = LayeredSnapshot(index, Difference(), rebuilt=MemoryIndex.empty)
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
        """Drop the index, build it anew, and return the vault as it is now."""
        self._drop_derived()
        self.store.drop()
        self._reader.forget()
        return self._first()

    def refresh(self, *, purge: bool = False) -> Refreshed:
        """Write what has changed into the index, however little it is; waits for whoever writes it.

        Args:
            purge: put all segments together and drop the vectors, so that nothing of what was deleted or changed
                stays in the cache.
        """
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
            return Refreshed(difference.files, written=self._written(index, walk, difference, purge=purge))

    def _drop_derived(self) -> None:
        from memstore.adapters.derived_cache import drop_derived
        from memstore.adapters.vector_store import drop_vectors

        drop_vectors(self.store.cache)
        drop_derived(self.store.cache)

    # -- the ways to a snapshot ------------------------------------------------------------------

    def _first(self) -> Snapshot:
        """Build the index, or wait for whoever builds it; in memory alone where the cache can't be used."""
        with self.store.locked(patience_seconds=FIRST_BUILD_PATIENCE_SECONDS) as locked:
            if locked and (index := self.store.open()):
                return self._layered(index, self._compared(index)[1])
            rules = tree_walk.ignore_rules(self._vault.root)
            walk = tree_walk.walk(self._vault.root, KnownTree(), ignored_by=rules)
            if locked and self._built(walk) and (whole := self._whole()):
                return whole
            return snapshot_of_documents([each.document for each in self._read_all(walk.new)])

    def _built(self, walk: Walk) -> bool:
        """Write a new index of all files that a walk has found; False where that can't be done."""
        try:
            with closing(self._read_all(walk.new)) as files:
                self.store.build(walk, files)
        except OSError:
            return False
        return True

    def _read_all(self, stats: Sequence[FileStat]) -> Generator[ReadAnew]:
        """Yield what files say that are still there, and tell how far it is; nothing is kept."""
        from memstore.adapters import in_two  # a search of what is indexed needs no second process

        with closing(in_two.worked(stats, self._document)) as documents:
            for stat, document in zip(stats, self._told(documents, len(stats)), strict=True):
                if document:
                    yield ReadAnew(stat, document, None)

    def _document(self, stat: FileStat) -> Document | None:
        file = self._reader.load(stat)
        return file.document if file else None

    def _whole(self) -> Snapshot | None:
        """Return the snapshot of the index that was just written."""
        index = self.store.open()
        return self._layered(index, Difference()) if index else None

    def _layered(self, index: Index, difference: Difference, *, is_certain: bool = True) -> Snapshot:
        def rebuilt() -> MemoryIndex:
            self.store.drop()
            return self._search_index_from_files(index, difference)

        return LayeredSnapshot(index, difference, rebuilt=rebuilt, is_certain=is_certain)

    def _search_index_from_files(self, index: Index, difference: Difference) -> MemoryIndex:
        """Return the search index of the rows of a damaged index, from the files as they are now."""
        paths = dict(enumerate(index.column("path"))) | {row: stat.path for row, stat in difference.moved.items()}
        dead = difference.dead
        rows = [row for row, path in paths.items() if path and row not in dead]
        files = ((row, self._reader.load(FileStat(paths[row], 0, 0, 0, 0))) for row in rows)
        documents = ((row, file.document.searchable) for row, file in files if file)
        return MemoryIndex(((row, terms) for row, terms in documents if terms), row_count=index.row_count)

    def _written(self, index: Index, walk: Walk, difference: Difference, *, purge: bool = False) -> bool:
        """Write what changed into the index; False where that can't be done, which costs no more than time."""
        try:
            self.store.write(index, walk, difference, purge=purge)
        except OSError:
            return False
        except DamagedError:
            self.store.drop()
            return False
        self._reader.forget()
        return True

    # -- what changed ----------------------------------------------------------------------------

    def _compared(self, index: Index, *, only_folders: bool = False) -> tuple[Walk, Difference]:
        """Walk the vault, and return what differs from the index."""
        rules = tree_walk.ignore_rules(self._vault.root)
        believed = index.stats if only_folders else None
        walk = tree_walk.walk(self._vault.root, index.known_tree(rules), ignored_by=rules, believed=believed)
        plan = plan_refresh(index.stats, walk.seen, known_at_ns=index.walked_at_ns)
        difference = Difference(files=len(plan.changed) + len(plan.gone) + len(walk.new))
        doubtful = (*plan.changed, *plan.suspicious)
        if not (difference.files or doubtful):
            return walk, difference
        difference.gone.update(index.rows[position] for position in plan.gone)
        rows = [*(index.rows[position] for position in doubtful), *(None for _ in walk.new)]
        stats = [*(_stat_at(index, walk, position) for position in doubtful), *walk.new]
        self._sort_out(index, difference, zip(rows, self._loaded(stats), strict=True))
        return walk, difference

    def _sort_out(
        self, index: Index, difference: Difference, files: Iterable[tuple[int | None, LoadedFile | None]]
    ) -> None:
        """Put the files that were read where they belong: unchanged after all, gone, moved, or read anew."""

        def blob_of(row: int) -> str:
            return index.cells(row)["blob"]  # of those few that changed

        lost = {blob: row for row in difference.gone if (blob := blob_of(row))}
        for row, file in files:
            if file is None:
                difference.gone.update(() if row is None else (row,))
            elif row is None and file.blob in lost:
                moved = lost.pop(file.blob)
                difference.moved[moved] = file.stat
                difference.gone.discard(moved)
            elif row is None or not file.blob or blob_of(row) != file.blob:
                difference.read.append(ReadAnew(file.stat, file.document, row))

    def _loaded(self, stats: Sequence[FileStat]) -> Iterator[LoadedFile | None]:
        """Yield the files with these stats, None for those that are gone, and tell how far it is."""
        return self._told(self._reader.load_all(stats), len(stats))

    def _told(self, files: Iterable[_File], count: int) -> Iterator[_File]:
        """Yield files as they are read, and tell how many of `count` are, when they are many."""
        for done, file in enumerate(files, 1):
            yield file
            if self.on_progress and count >= MANY_FILES and (done % PROGRESS_STEP == 0 or done == count):
                self.on_progress(done, count)

    def _blob_id(self, data: bytes) -> str:
        from memstore.codec.git_blob import blob_id

        return blob_id(data, self._object_format)


def _stat_at(index: Index, walk: Walk, position: int) -> FileStat:
    """Return the stat that the walk found for a known file."""
    path = index.column("path")[index.rows[position]]
    seen = walk.seen
    return FileStat(path, seen.size[position], seen.mtime_ns[position], seen.ctime_ns[position], seen.inode[position])
