"""The vault's index in the user's cache: the manifest and the search index, which change together.

The manifest names the generation of the search index that it belongs to. A new generation is written beside the old
one, then the manifest is replaced atomically, then the old files are deleted; a writer killed at any moment leaves a
matching pair. An index is not used if it is damaged, of another version, or in a folder that others can write to.
"""

from __future__ import annotations

import os
import warnings
from array import array
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.catalog import Field, FileKind
from memstore.core.config import LANGUAGES
from memstore.core.places import is_sealed_path
from memstore.core.times import moment
from memstore.files.local_state import is_private, make_private
from memstore.files.walk import UNSETTLED, KnownFolder, KnownTree, StatColumns, is_settled
from memstore.files.write_lock import flocked
from memstore.search import manifest
from memstore.search.index import VERSION as SEARCHABLE_VERSION
from memstore.search.manifest import Contents, DamagedError
from memstore.search.memory_snapshot import COLUMNS, Document, cells_of, entry_of_cells
from memstore.search.whoosh_index import Generation, WhooshIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from memstore.core.catalog import Entry
    from memstore.files.vault import FileStat
    from memstore.files.walk import Rules, Walk
    from memstore.lineage.edges import EdgeTable
    from memstore.search.index import Searchable
    from memstore.search.manifest import Manifest

FORMAT = 11
FIRST_BUILD_PATIENCE_SECONDS = 600.0
_WAYS = ("above", "below")
_STAT_COLUMNS = ("size", "mtime_ns", "ctime_ns", "inode")


class ReadAnew(NamedTuple):
    """A file that was read because it is new or has changed; `row` is its previous row, or None."""

    stat: FileStat
    document: Document
    row: int | None


class IndexDifference:
    """How the vault differs from the index. `files` counts files with different stats, even if the bytes are equal."""

    def __init__(self, files: int = 0) -> None:
        self.files = files
        self.read: list[ReadAnew] = []
        self.gone: set[int] = set()
        self.moved: dict[int, FileStat] = {}

    @property
    def dead(self) -> frozenset[int]:
        """The rows that no longer describe a file."""
        return frozenset(self.gone | {each.row for each in self.read if each.row is not None})

    def laid_over(self, files: Iterable[ReadAnew], paths: Sequence[str]) -> IndexDifference:
        """Return the difference with other contents of these files; `paths` are those of the index's rows.

        A file that had been read anew stays at its place among those that were.
        """
        after = IndexDifference(self.files)
        after.read, after.gone, after.moved = [*self.read], {*self.gone}, {**self.moved}
        above = {each.stat.path: at for at, each in enumerate(after.read)}
        moved, dead = {stat.path: row for row, stat in self.moved.items()}, self.dead
        for each in files:
            path = each.stat.path
            if (at := above.get(path)) is not None:
                after.read[at] = each._replace(row=after.read[at].row)
                continue
            row = moved[path] if path in moved else paths.index(path) if path in paths else None
            if row is not None and path not in moved and (row in dead or row in self.moved):
                row = None  # another file was there
            after.moved.pop(-1 if row is None else row, None)
            after.read.append(each._replace(row=row))
        return after


class Index:
    """The index as it was when it was opened: one row per file, some of them dead."""

    def __init__(self, cache: Path, manifest: Manifest) -> None:
        facts = manifest.facts
        self.manifest = manifest
        self.row_count: int = facts["rows"]
        self.walked_at_ns: int = facts["walked_at_ns"]
        self.is_settled: bool = facts.get("settled", False)  # earlier versions did not say it
        self.broken: list[int] = facts["broken"]
        self.plain: list[int] = facts["plain"]
        self.sealed: list[int] = facts["sealed"]
        self.dead: list[int] = facts["dead"]
        self.head: str = facts["head"]  # by which plain notes that state no date are dated
        self.has_undated: bool = facts["has_undated"]
        self.generation = Generation.of_facts(facts["generation"])
        self._cache = cache

    @property
    def identity(self) -> object:
        """What tells this index from any other."""
        return self.manifest.identity

    def search_index(self) -> WhooshIndex:
        """Open the search index; raises `DamagedError` if it is not as it was written."""
        return WhooshIndex(self._cache, self.generation)

    @cached_property
    def stats(self) -> StatColumns:
        """The files' stats, by position."""
        return StatColumns(*(self.manifest.numbers(name) for name in _STAT_COLUMNS))

    @property
    def rows(self) -> array[int]:
        """The files' rows, by position."""
        return self.manifest.numbers("row")

    def lengths(self, of: Field) -> array[int]:
        """Return the number of terms of a field, by row."""
        return self.manifest.numbers(f"length {of.value}")

    def column(self, name: str) -> list[str]:
        """Return a field of the entries, by row."""
        return self.manifest.texts(name)

    @cached_property
    def edges(self) -> EdgeTable:
        """The edges of lineage among the rows."""
        from memstore.lineage.edges import EdgeSide, EdgeTable  # not needed for a search

        numbers = self.manifest.numbers
        above, below = (EdgeSide(numbers(f"{way} hops"), numbers(f"{way} ends")) for way in _WAYS)
        return EdgeTable(self.row_count, self.manifest.texts("edge text"), above, below)

    def cells(self, row: int) -> dict[str, str]:
        """Return the fields of a row, by column."""
        return dict(zip(COLUMNS, self.manifest.record(row).split("\0"), strict=True))

    def entry(self, row: int) -> Entry:
        """Return the entry of a row."""
        return entry_of_cells(self.cells(row))

    @property
    def ruled_folders(self) -> list[str]:
        """The folders that contain ignore files of their own."""
        folders: list[str] = self.manifest.facts["with_rules"]
        return folders

    def known_tree(self, rules: Rules) -> KnownTree:
        """Return what the last walk found; if the ignore rules have changed, all folders are listed again."""
        same_rules = self.manifest.facts["ignored_by"] == rules.digest
        names, paths = self.manifest.texts("name"), self.manifest.texts("folder")
        folders = {}
        inner: dict[str, list[str]] = {path: [] for path in paths}
        numbers = (self.manifest.numbers(f"folder {what}") for what in ("mtime_ns", "ctime_ns", "files"))
        start = 0
        for path, mtime_ns, ctime_ns, count in zip(paths, *numbers, strict=True):
            times = (mtime_ns, ctime_ns) if same_rules else UNSETTLED
            folders[path] = KnownFolder(times, inner[path], names[start : start + count], start)
            start += count
            if path:
                inner[path.rpartition("/")[0]].append(path)
        return KnownTree(folders, len(names), self.walked_at_ns)


class IndexStore:
    """The folder in the user's cache that holds a vault's index.

    Args:
        cache: the folder.
        object_format: the hash of blob ids in the vault's repository, sha1 or sha256.
        mixed: whether the vault also has notes of other programs, which decides what counts as a memory.
        languages: the languages that texts may be in, which decides how words are stemmed.
        keys: returns a digest of the keys that open sealed files; an index with such files serves these keys alone.
    """

    def __init__(
        self,
        cache: Path,
        *,
        object_format: str,
        mixed: bool = False,
        languages: Sequence[str] = LANGUAGES,
        keys: Callable[[], str] = str,
    ) -> None:
        self.cache = cache
        self._keys = keys
        self.is_of_other_keys = False
        # Including the columns rejects an index with other columns even if nobody increased the format number.
        self._versions = {
            "format": FORMAT,
            "searchable": SEARCHABLE_VERSION,
            "object_format": object_format,
            "entry": " ".join(COLUMNS),
            "mixed": mixed,
            "languages": [*languages],
        }
        self._open: Index | None = None

    @property
    def manifest_path(self) -> Path:
        """The place of the manifest."""
        return self.cache / "manifest"

    def open(self) -> Index | None:
        """Return the index as it is on disk, or None if there is no usable one."""
        if not is_private(self.cache):
            return None
        if self._open is None or self._open.manifest.identity != manifest.identity(self.manifest_path):
            self._open = self._opened()
        return self._open

    def _opened(self) -> Index | None:
        try:
            found = manifest.read(self.manifest_path)
            if any(found.facts.get(name) != value for name, value in self._versions.items()):
                return None
            if (keys := found.facts["sealed_for"]) and keys != self._keys():
                self.is_of_other_keys = True
                return None
            return Index(self.cache, found)
        except (DamagedError, KeyError, TypeError):
            return None

    def drop(self) -> None:
        """Delete the manifest, so that the next read rebuilds the index."""
        self._open = None
        with suppress(OSError):
            self.manifest_path.unlink(missing_ok=True)

    def is_usable(self) -> bool:
        """Whether the cache folder is writable by this user alone, or does not exist yet."""
        return not self.cache.exists() or is_private(self.cache)

    def size(self) -> int:
        """Return the size of the cache in bytes."""
        return sum(place.lstat().st_size for place in self.cache.rglob("*") if place.is_file())

    def written_at(self) -> datetime | None:
        """Return when the index was written, in UTC; None if there is none."""
        found = manifest.identity(self.manifest_path)
        return moment(found[1] // 10**9) if found else None

    @contextmanager
    def locked(self, *, patience_seconds: float, on_wait: Callable[[], object] = bool) -> Iterator[bool]:
        """Lock the index for writing; yield False if another process holds the lock or the cache can't be used.

        Args:
            patience_seconds: how long to wait for another process.
            on_wait: called again and again while another process holds the lock for long.
        """
        try:
            make_private(self.cache)
            handle = os.open(self.cache / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            yield False
            return
        try:
            yield is_private(self.cache) and flocked(handle, patience_seconds=patience_seconds, on_wait=on_wait)
        finally:
            os.close(handle)

    def build(self, walk: Walk, files: Iterable[ReadAnew], *, head: str = "") -> None:
        """Write a new index of files; the lock must be held.

        Args:
            walk: the walk that found them.
            files: consumed one by one and not kept in memory.
            head: the commit by which they are dated.

        Raises:
            OSError: the disk is full or the cache can't be written; the index is unchanged.
        """
        self._write(None, _Table(None, walk, IndexDifference()), files, frozenset(), head=head)

    def write(
        self, before: Index, walk: Walk, difference: IndexDifference, *, head: str = "", purge: bool = False
    ) -> None:
        """Write changes into the index; the lock must be held.

        Args:
            before: the index that `difference` refers to.
            walk: the walk that found the changes; has the stats of files and folders.
            difference: the changes.
            head: as for `build`.
            purge: remove all text of dropped documents from the index's files.

        Raises:
            OSError: as for `build`.
            DamagedError: the existing index is damaged.
        """
        table = _Table(before, walk, difference)
        self._write(before, table, difference.read, difference.dead, head=head, purge=purge)

    def _write(
        self,
        before: Index | None,
        table: _Table,
        files: Iterable[ReadAnew],
        dropped: frozenset[int],
        *,
        head: str,
        purge: bool = False,
    ) -> None:
        with warnings.catch_warnings():
            # Whoosh's source is from 2016: newer Python versions warn about its escapes and comparisons.
            warnings.simplefilter("ignore")
            from memstore.search.whoosh_writer import remove_others, write_generation

        generation = write_generation(
            self.cache,
            before.generation if before else None,
            folder=f"whoosh-{os.urandom(4).hex()}",
            documents=table.taken_in(files),
            dropped_rows=dropped,
            purge=purge,
        )
        facts = self._versions | {
            "ignored_by": table.walk.rules.digest,
            "with_rules": [folder for folder in table.walk.rules.git if folder],
            "generation": generation._asdict(),
            "head": head,
            "has_undated": any(table.columns["first_commit"]),
            "sealed_for": self._keys() if any(map(is_sealed_path, table.columns["path"])) else "",
        }
        # (1) the new generation has been written, (2) the manifest names it, (3) the old one is deleted. If the process
        # is killed before (2), the old pair is valid and the next writer cleans up; after (2), the new pair is valid.
        manifest.write(self.manifest_path, table.contents(facts))
        remove_others(self.cache, generation)


class _Table:
    """The rows of the new manifest: those of the previous one, changed in place; free rows are reused."""

    def __init__(self, before: Index | None, walk: Walk, difference: IndexDifference) -> None:
        self.walk = walk
        self.columns = {name: list(before.column(name)) if before else [] for name in COLUMNS}
        self.lengths = {of: array("q", before.lengths(of)) if before else array("q") for of in Field}
        self.stats: dict[int, tuple[int, ...]] = {}
        self._before, self._difference = before, difference
        self._read: list[int] = []
        if before:
            self._carry_over(before)
        self.free: list[int] = sorted({*(before.dead if before else ()), *difference.gone}, reverse=True)
        for row in difference.gone:
            self._clear(row)
        for row, stat in difference.moved.items():
            self.columns["path"][row] = stat.path
            self.stats[row] = _stats_of(stat)

    def taken_in(self, files: Iterable[ReadAnew]) -> Iterator[tuple[int, Searchable]]:
        """Assign rows to the files that were read, and yield each row with its terms."""
        for each in files:
            row = self._put(each)
            if each.document.searchable:
                yield row, each.document.searchable

    def contents(self, facts: dict[str, object]) -> Contents:
        """Return the manifest's contents."""
        kinds = self.columns["kind"]
        rows_of_kind = {
            name: [row for row, kind in enumerate(kinds) if kind == word]
            for name, word in (("broken", "broken"), ("plain", "plain"), ("sealed", "sealed"), ("dead", ""))
        }
        folders, names, rows = self._listing()
        stats = StatColumns(*(array("q", [self.stats[row][i] for row in rows]) for i in range(len(_STAT_COLUMNS))))
        numbers = stats._asdict() | {f"length {of.value}": self.lengths[of] for of in Field}
        numbers["row"] = array("q", rows)
        for name, values in zip(("mtime_ns", "ctime_ns", "files"), zip(*folders.values(), strict=True), strict=True):
            numbers[f"folder {name}"] = array("q", values)
        edges = self._edges()
        for way, side in zip(_WAYS, (edges.above, edges.below), strict=True):
            numbers |= {f"{way} hops": side.hops, f"{way} ends": side.ends}
        return Contents(
            facts={
                "rows": len(kinds),
                "walked_at_ns": self.walk.walked_at_ns,
                "settled": is_settled(stats, self.walk.walked_at_ns),
                **rows_of_kind,
                **facts,
            },
            numbers=numbers,
            texts=self.columns | {"name": names, "folder": list(folders), "edge text": edges.texts},
            records=["\0".join(cells) for cells in zip(*self.columns.values(), strict=True)],
        )

    def _edges(self) -> EdgeTable:
        """Return the edges of lineage: the previous table updated with the changed files, if that is possible."""
        from memstore.core.catalog import EdgeKind
        from memstore.lineage.edges import EdgeChanges, Rows, changed, edges_of, flattened, has_copies

        kinds, ids = self.columns["kind"], self.columns["id"]
        memories = [row for row, kind in enumerate(kinds) if kind == FileKind.MEMORY.value]
        if self._before is None or has_copies(ids, memories):
            known = set(ids)
            return edges_of(self.columns.__getitem__, memories, is_missing=lambda memory_id: memory_id not in known)
        difference = self._difference
        changes = EdgeChanges(
            Rows.of(self.columns.__getitem__, memories), difference.dead, self._read, list(difference.moved)
        )
        columns = [self.columns[kind.value] for kind in EdgeKind]
        return flattened(changed(self._before.edges, changes, lambda row: [cells[row] for cells in columns]))

    def _carry_over(self, before: Index) -> None:
        seen = self.walk.seen
        stats = zip(seen.size, seen.mtime_ns, seen.ctime_ns, seen.inode, strict=True)
        self.stats = dict(zip(before.rows, stats, strict=True))

    def _put(self, each: ReadAnew) -> int:
        terms = each.document.searchable
        lengths = {Field.TEXT: len(terms.text) if terms else 0, Field.HEAD: len(terms.head) if terms else 0}
        columns: tuple[Any, ...] = (*self.columns.values(), *self.lengths.values())
        cells = (*cells_of(each.document.entry), *(lengths[of] for of in self.lengths))
        row = self.free.pop() if each.row is None and self.free else each.row
        if row is None:
            row = len(self.columns["path"])
            for column, cell in zip(columns, cells, strict=True):
                column.append(cell)
        else:
            for column, cell in zip(columns, cells, strict=True):
                column[row] = cell
        self._read.append(row)
        self.stats[row] = _stats_of(each.stat)
        return row

    def _clear(self, row: int) -> None:
        for column in self.columns.values():
            column[row] = ""
        for lengths in self.lengths.values():
            lengths[row] = 0
        self.stats.pop(row, None)

    def _listing(self) -> tuple[dict[str, tuple[int, int, int]], list[str], list[int]]:
        """Return the folders with their times and file counts, and the names and rows of the files in that order."""
        files: dict[str, list[tuple[str, int]]] = {folder: [] for folder in self.walk.folders}
        for row, path in enumerate(self.columns["path"]):
            if path:
                folder, _, name = path.rpartition("/")
                files[folder].append((name, row))
        folders = {folder: (*times, len(files[folder])) for folder, times in sorted(self.walk.folders.items())}
        listed = [file for folder in folders for file in files[folder]]
        return folders, [name for name, _ in listed], [row for _, row in listed]


def _stats_of(stat: FileStat) -> tuple[int, ...]:
    return stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode
