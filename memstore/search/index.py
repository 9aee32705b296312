"""Protocols for the catalogue and search index of a snapshot, and the terms under which a memory is indexed."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memstore.core.config import LANGUAGES
from memstore.core.errors import RefusedError, VaultError
from memstore.core.languages import ANY_OTHER, ENGLISH, language_of, language_term, stemmer
from memstore.core.places import stem_of, without_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from memstore.core.catalog import Entry, Field
    from memstore.core.memory import Claim, Memory
    from memstore.core.view import View
    from memstore.lineage.edges import EdgeTable


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

    def status(self) -> IndexStatus:
        """Return how far the index matches the vault; nothing is written."""

    def rebuild(self) -> Snapshot:
        """Delete the index, rebuild it, and return the vault as it is now."""

    def refresh(self, *, purge: bool = False) -> Refreshed:
        """Write all changes into the index, however few; wait for any other process that is writing it.

        Args:
            purge: merge all segments and delete the vectors, so that no deleted or changed text stays in the cache.
        """


# -- the terms of a memory -------------------------------------------------------------------------


# Increase this when a memory's terms change: indexes of another version are rebuilt.
VERSION = 9
# The names of cached gists (`conflicts.gists`) begin with this; a gist is kept as long as the index has its blob.
GISTS = "gists-"
# The name of the cached verdicts on statements of any of them.
APART = "apart"


class Searchable(NamedTuple):
    """The terms of one file in order: of its body, and of its head (title, aliases, tags, date, file name)."""

    text: list[str]
    head: list[str]


def searchable(memory: Memory, path: str, *, head: str = "", languages: Sequence[str] = LANGUAGES) -> Searchable:
    """Return the terms under which a memory or note is found: the stems of its words, in its language.

    Args:
        memory: the memory, or the memory made of the note.
        path: the path of its file; words of the name are added unless the head already has them.
        head: the front matter of a note, which counts as text.
        languages: the languages that it may be written in.
    """
    from memstore.core import terms

    named = [memory.title or "", *memory.aliases, date_words(memory.created_at), head]
    words = terms.words(memory.body)
    language = language_of([*terms.words(memory.title or ""), *words] if len(words) < FEW_WORDS else words, languages)
    stem = stemmer(language)
    found = [*map(stem, terms.words(" . ".join(named))), *map(claim_term, memory.claims)]
    if language != ENGLISH:
        found += [ANY_OTHER, language_term(language)]
    known = set(found)
    more = dict.fromkeys(map(stem, terms.words(" . ".join((*memory.tags, name_words(path, memory.id))))))
    return Searchable(text=[*map(stem, words)], head=found + [term for term in more if term not in known])


# For a text of fewer words, the title also counts when its language is detected.
FEW_WORDS = 40


# `v2_plan` is also found by its short parts.
_PARTS_OF_NAME = re.compile(r"[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+")


def name_words(path: str, memory_id: str | None) -> str:
    """Return the words of a file's name, without its extension and without the id in the names of new files."""
    stem = stem_of(path)
    if memory_id:
        stem = without_id(stem, memory_id)
    return " ".join((stem, *_PARTS_OF_NAME.findall(stem))) if not stem.islower() or "_" in stem else stem


def claim_term(claim: Claim) -> str:
    """Return the term under which memories with a claim of this subject and attribute are found.

    It begins with a character that no query can contain, so nothing else finds it.
    """
    return "\x1f".join(("", *claim_key(claim)))


def claim_key(claim: Claim) -> tuple[str, str]:
    """Return the normalized subject and attribute; claims with the same key answer the same question."""
    from memstore.core.terms import fold

    return " ".join(fold(claim.subject).split()), " ".join(fold(claim.attribute).replace("_", " ").split())


def date_words(instant: str | None) -> str:
    """Return the date of a time in words, such as "8 May 2023"; empty for None."""
    return _day_words(instant[:10]) if instant else ""


@lru_cache(maxsize=1000)
def _day_words(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.day} {day:%B} {day.year}"


# -- the index, for the vault's owner --------------------------------------------------------------


class IndexRebuilt(NamedTuple):
    """The result of rebuilding the index: the number of memories, and of files that can't be read."""

    folder: Path
    memories: int
    left_out: int


def status(view: View) -> IndexStatus:
    """Return how far the index matches the vault.

    Raises:
        RefusedError: the viewer is not the vault's owner; the index covers the whole vault.
    """
    _only_for_the_owner(view)
    return view.index_status()


def rebuild(view: View) -> IndexRebuilt:
    """Delete the index and rebuild it.

    Raises:
        RefusedError: as for `status`.
        VaultError: the index can't be written.
    """
    _only_for_the_owner(view)
    now = view.rebuild_index()
    status = view.index_status()
    if not status.built:
        raise _unwritten(view)
    return IndexRebuilt(folder=status.folder, memories=len(now.whole.rows), left_out=len(now.broken))


def refresh(view: View) -> Refreshed:
    """Write all changes into the index, however few.

    Raises:
        RefusedError: as for `status`.
        VaultError: the index can't be written.
    """
    _only_for_the_owner(view)
    done = view.refresh_index()
    if not done.written:
        raise _unwritten(view)
    return done


def _unwritten(view: View) -> VaultError:
    return VaultError(
        f"the index can't be written: {view.index_status().folder}",
        hint="look at the folder's permissions and at the space on its disk; without it all is read anew each time",
    )


def _only_for_the_owner(view: View) -> None:
    if not view.is_owners:
        raise RefusedError(
            f"the index is of the whole vault, and {view.actor} is not its owner",
            hint="memstore search finds what you may see, and keeps the index up to date by itself",
        )
