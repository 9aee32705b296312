"""The catalogue and the search index, as one snapshot of the vault's files: the protocols, and what is indexed."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
    """The index in the user's cache.

    `folder` is where it lies or would lie; `built` whether there is one that can be used; `usable` whether the folder
    is this user's alone, since no other is used; `files`, `memories`, `broken` and `size` (bytes) are those of the
    index, `changed` counts the files that differ from it now; `written_at` is None where there is none.
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
    """A row a file. A row number is valid for one snapshot only; dead rows are in none of the lists."""

    @property
    def memories(self) -> Sequence[int]:
        """The rows of readable memories, ascending."""

    @property
    def broken(self) -> Sequence[int]:
        """The rows of files that mean to be memories and can't be read."""

    @property
    def plain(self) -> Sequence[int]:
        """The rows of Markdown files that are not memories."""

    @property
    def texts(self) -> Sequence[int]:
        """The rows of memories and plain notes, ascending."""

    def column(self, name: str) -> Sequence[str]:
        """Return a field of `Entry` for every row, dead ones included; lists joined by `ITEM_SEPARATOR`."""

    def entry(self, row: int) -> Entry:
        """Return all that is known of a row."""

    def rows_of_id(self, memory_id: str) -> Sequence[int]:
        """Return the rows of live memories with this id (two where a copy was left lying about)."""

    def edges(self) -> EdgeTable | None:
        """Return the edges of lineage among all memories; None where nobody keeps them."""


class SearchIndex(Protocol):
    """Where terms stand: the same rows as the catalogue's."""

    def postings(self, field: Field, term: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the live rows that hold a term, ascending, and how often each does."""

    def frequency(self, term: str) -> int:
        """Return how many rows hold a term in their text; dead ones may be counted. Far cheaper than its postings."""

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return where a term stands in the field of each row, counted in terms from 0; empty where it does not."""

    def lengths(self, field: Field) -> Sequence[int]:
        """Return the number of terms of a field for every row, dead ones included."""

    def terms(self, prefix: str) -> Sequence[str]:
        """Return all terms of both fields that begin with `prefix`, sorted; dead rows' terms may be among them."""


class Snapshot(Protocol):
    """The vault's files as they were a moment ago: catalogue and index with the same rows."""

    @property
    def state(self) -> str | None:
        """Names this state of the files: two snapshots with the same one have the same rows. None: nobody knows."""

    @property
    def is_certain(self) -> bool:
        """Whether every file was looked at; see `Library.glance`."""

    @property
    def catalog(self) -> Catalog:
        """What is known of the files."""

    @property
    def index(self) -> SearchIndex:
        """Where terms stand."""


class Refreshed(NamedTuple):
    """An index that was brought up to date: how many files had changed, and whether the index could be written."""

    changed: int
    written: bool


class Library(Protocol):
    """Hands out snapshots; keeps what it learned in the user's cache."""

    def snapshot(self) -> Snapshot:
        """Return the vault as it is now, uncommitted changes included."""

    def latest(self) -> Snapshot:
        """Return the snapshot that was handed out last, however old, or a first one; for what belongs to an answer."""

    def glance(self) -> Snapshot:
        """Return the vault as its folders show it, at a price that follows what changed and not the size of the vault.

        As `snapshot`, but a file of a very large vault that was written anew in place, under its name, may still be
        what it was when the index was last written. For what is only worth telling if it costs next to nothing.
        """

    def snapshot_of(self, files: Iterable[tuple[str, bytes]]) -> Snapshot:
        """Return a snapshot of other files, as those of a past commit, given by path and bytes.

        Files at places where no memories lie are left out.
        """

    def status(self) -> IndexStatus:
        """Return how the index stands to the vault; nothing is written."""

    def rebuild(self) -> Snapshot:
        """Drop the index, build it anew, and return the vault as it is now."""

    def refresh(self, *, purge: bool = False) -> Refreshed:
        """Write what has changed into the index, however little it is; waits for whoever writes it.

        Args:
            purge: put all segments together and drop the vectors, so that nothing of what was deleted or changed
                stays in the cache.
        """


# -- the terms of a memory -------------------------------------------------------------------------


# To be raised when the same memory gives other terms than before: indexes of another version are built again.
VERSION = 7
# Names of kept gists (`conflicts.gists`) begin with this; a gist is kept as long as the index has its blob.
GISTS = "gists-"


class Searchable(NamedTuple):
    """The terms of one file in order: of its body, and of its head (title, aliases, tags, words of date and name)."""

    text: list[str]
    head: list[str]


def searchable(memory: Memory, path: str, *, head: str = "", languages: Sequence[str] = LANGUAGES) -> Searchable:
    """Return the terms under which a memory or a note is found: stems of the language that it is in.

    Args:
        memory: the memory, or what is known of the note.
        path: its file; a word of its name finds it, where nothing else in the head does.
        head: the front matter of a note, all of which is text.
        languages: those that it may be in.
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


# A text of fewer words is told by those of its title, too.
FEW_WORDS = 40


# `v2_plan` is found by its short parts, too.
_PARTS_OF_NAME = re.compile(r"[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+")


def name_words(path: str, memory_id: str | None) -> str:
    """Return the words of a file's name: without its ending, and without the id that new files have in theirs."""
    stem = stem_of(path)
    if memory_id:
        stem = without_id(stem, memory_id)
    return " ".join((stem, *_PARTS_OF_NAME.findall(stem))) if not stem.islower() or "_" in stem else stem


def claim_term(claim: Claim) -> str:
    """Return the term under which memories with a claim of this subject and attribute are found.

    It begins with a character that no query can hold, so that nothing else finds it.
    """
    return "\x1f".join(("", *claim_key(claim)))


def claim_key(claim: Claim) -> tuple[str, str]:
    """Return what makes two claims answers to one question: subject and attribute, however they are written."""
    from memstore.core.terms import fold

    return " ".join(fold(claim.subject).split()), " ".join(fold(claim.attribute).replace("_", " ").split())


def date_words(instant: str | None) -> str:
    """Return a time's date as people say it: "8 May 2023"; empty where there is none."""
    return _day_words(instant[:10]) if instant else ""


@lru_cache(maxsize=1000)
def _day_words(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.day} {day:%B} {day.year}"


# -- the index, for the vault's owner --------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRebuilt:
    """An index that was built anew: of how many memories, and how many files could not be read."""

    folder: Path
    memories: int
    left_out: int


def status(view: View) -> IndexStatus:
    """Return how the index stands to the vault.

    Raises:
        RefusedError: the one who looks isn't the vault's owner, and the index is of all that is in it.
    """
    _only_for_the_owner(view)
    return view.index_status()


def rebuild(view: View) -> IndexRebuilt:
    """Drop the index and build it anew.

    Raises:
        RefusedError: as for `status`.
    """
    _only_for_the_owner(view)
    now = view.rebuild_index()
    return IndexRebuilt(folder=view.index_status().folder, memories=len(now.whole.rows), left_out=len(now.broken))


def refresh(view: View) -> Refreshed:
    """Write what has changed into the index, however little it is.

    Raises:
        RefusedError: as for `status`.
        VaultError: the index can't be written.
    """
    _only_for_the_owner(view)
    done = view.refresh_index()
    if not done.written:
        raise VaultError(
            f"the index can't be written: {view.index_status().folder}",
            hint="look at the folder's permissions and at the space on its disk; without it all is read anew each time",
        )
    return done


def _only_for_the_owner(view: View) -> None:
    if not view.is_owners:
        raise RefusedError(
            f"the index is of the whole vault, and {view.actor} is not its owner",
            hint="memstore search finds what you may see, and keeps the index up to date by itself",
        )
