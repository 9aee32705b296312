"""The library of a vault: protocols for its snapshots, and what the vault's owner asks of its index."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memstore.core.catalog import Entry, Field
    from memstore.files.vault import FileStat
    from memstore.lineage.edges import EdgeTable
    from memstore.search.index import Searchable


class IndexStatus(NamedTuple):
    """The state of the index in the user's cache.

    `folder` is its (future) place; `built` says whether there is a usable index; `usable` whether only this user can
    write to the folder, which is required. `files`, `memories`, `broken` and `size` (in bytes) describe the index;
    `changed` is the number of files that now differ from it; `written_at` is None if there is no index.
    """

    folder: Path
    built: bool = False
    usable: bool = True
    files: int = 0
    memories: int = 0
    broken: int = 0
    changed: int = 0
    size: int = 0
    generation: int = 0
    written_at: datetime | None = None


class Catalog(Protocol):
    """One row per file. A row number is valid for one snapshot only; the lists of rows contain no dead rows."""

    @property
    def memories(self) -> Sequence[int]:
        """The rows of readable memories, ascending."""

    @property
    def broken(self) -> Sequence[int]:
        """The rows of files that are meant to be memories but can't be read."""

    @property
    def plain(self) -> Sequence[int]:
        """The rows of Markdown files that are not memories."""

    @property
    def sealed(self) -> Sequence[int]:
        """The rows of sealed files that no key here opens."""

    @property
    def texts(self) -> Sequence[int]:
        """The rows of memories and plain notes, ascending."""

    def column(self, name: str) -> Sequence[str]:
        """Return a field of `Entry` for every row, including dead ones; lists are joined by `ITEM_SEPARATOR`."""

    def entry(self, row: int) -> Entry:
        """Return the entry of a row."""

    def rows_of_id(self, memory_id: str) -> Sequence[int]:
        """Return the rows of live memories with this id (more than one if a file was copied)."""

    def edges(self) -> EdgeTable | None:
        """Return the edges of lineage among all memories; None if they are not stored."""


class SearchIndex(Protocol):
    """The positions of terms, by the same rows as the catalogue's."""

    def postings(self, field: Field, term: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the live rows that contain a term, ascending, and the count in each."""

    def frequency(self, term: str) -> int:
        """Return how many rows have a term in their text, perhaps with dead ones; far cheaper than its postings."""

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return the positions of a term in a field of each row, counted in terms from 0; empty if it is absent."""

    def lengths(self, field: Field) -> Sequence[int]:
        """Return the number of terms of a field for every row, including dead ones."""

    def terms(self, prefix: str) -> Sequence[str]:
        """Return all terms of both fields that begin with `prefix`, sorted; terms of dead rows may be included."""


class Snapshot(Protocol):
    """The vault's files as they were a moment ago: catalogue and index with the same rows."""

    @property
    def state(self) -> str | None:
        """A name for this state of the files: snapshots with the same name have the same rows. None: unknown."""

    @property
    def is_certain(self) -> bool:
        """Whether every file was checked; see `Library.glance`."""

    @property
    def catalog(self) -> Catalog:
        """The catalogue of the files."""

    @property
    def index(self) -> SearchIndex:
        """The search index."""


class Refreshed(NamedTuple):
    """The result of an index update: how many files had changed, and whether the index could be written."""

    changed: int
    written: bool


class Library(Protocol):
    """Takes snapshots of a vault and keeps an index in the user's cache."""

    def snapshot(self) -> Snapshot:
        """Return the vault as it is now, including uncommitted changes."""

    def latest(self) -> Snapshot:
        """Return the snapshot that was taken last, however old, or take the first one.

        For anything that must match an answer already given.
        """

    def glance(self) -> Snapshot:
        """Return the vault judged by its folders, at a cost that depends on the changes and not on the vault's size.

        Like `snapshot`, but in a very large vault, a file that was rewritten in place may still have the content that
        it had when the index was last written. For information that is only worth giving if it costs almost nothing.
        """

    def snapshot_of(self, files: Iterable[tuple[str, bytes]]) -> Snapshot:
        """Return a snapshot of other files, such as those of a past commit, given as path and bytes.

        Files at paths that can't hold a memory are left out.
        """

    def laid_over(self, snapshot: Snapshot, texts: Mapping[str, bytes]) -> Snapshot:
        """Return one of this library's snapshots with other files in it, given as bytes by path; nothing is kept.

        Files that both have keep their row or get one behind all others.
        """

    def documents(self, files: Sequence[FileStat]) -> Iterator[tuple[FileStat, tuple[Entry, Searchable | None]]]:
        """Yield entry and terms of files of the vault, as they are now, without those that are gone or no texts."""

    def status(self) -> IndexStatus:
        """Return how far the index matches the vault; nothing is written."""

    def rebuild(self) -> Snapshot:
        """Delete the index, rebuild it, and return the vault as it is now."""

    def refresh(self, *, purge: bool = False) -> Refreshed:
        """Write all changes into the index, however few; wait for any other process that is writing it.

        Args:
            purge: merge all segments and delete the vectors, so that no deleted or changed text stays in the cache.
        """
