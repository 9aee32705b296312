"""What one principal may see of a vault, in one context, at one moment: the only way from a use case to content.

There is one implementation, in `memstore/vault/`. What it does not show can't be forgotten to be hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from memstore.access.local_state import ContextState, DiskAccessLog
    from memstore.access.registry import RegistryFile
    from memstore.access.world import Labels, Session, World
    from memstore.beliefs.run_record import RunRecord
    from memstore.conflicts.lexicon import WordNet
    from memstore.core.catalog import Entry, Field
    from memstore.core.change import Operation, Pending
    from memstore.core.clock import Clock, IdSource
    from memstore.core.config import Config
    from memstore.core.memory import Memory
    from memstore.core.places import RegistryKind
    from memstore.core.transaction import Transaction
    from memstore.files.memory_file import MemoryFile, PlainFile, ReadFile
    from memstore.files.vault import FileStat
    from memstore.history.git_history import GitHistory
    from memstore.lineage.edges import EdgeTable
    from memstore.search.index import IndexStatus, Refreshed
    from memstore.search.local_state import DerivedCache
    from memstore.search.meaning import Embedder, VectorStore
    from memstore.search.opened import Opened
    from memstore.search.ranker import Ranker
    from memstore.search.uses import UsageLog
    from memstore.trust.pin import UserPins
    from memstore.trust.signatures import Signatures


class View(Protocol):
    """A vault as `actor` sees it.

    A row is a number of a memory, valid in this view alone. `alone` is the actor's word that nobody else listens,
    `overheard` that somebody unknown may be listening, context or none; `here` the folder in which they are, below the
    vault's, where they are in it. What is no content of the vault lies beside it: clock, keys, settings, and the logs
    and caches of this machine.
    """

    actor: str
    alone: bool
    overheard: bool
    here: str
    config: Config
    clock: Clock
    ids: IdSource
    contexts: ContextState
    usage: UsageLog
    access_log: DiskAccessLog
    runs: RunRecord
    signatures: Signatures
    pins: UserPins
    lexicon: WordNet
    derived: DerivedCache
    embedder: Embedder | None
    vectors: VectorStore

    # -- who looks, at what ------------------------------------------------------------------------

    @property
    def root(self) -> Path:
        """The vault's folder."""

    @property
    def is_past(self) -> bool:
        """Whether this is the vault as of a commit, and not as it is now."""

    @property
    def is_owners(self) -> bool:
        """Whether the vault's owner looks and nobody else listens: then even files that can't be read are shown.

        Raises:
            RefusedError: the context has expired, or can't be read.
        """

    def require_owner(self) -> None:
        """Let the vault's owner pass, who has all files anyway; anybody else gets the same error, whatever they named.

        Raises:
            RefusedError: somebody else looks, or others listen.
        """

    @property
    def session(self) -> Session:
        """Who looks now, and in which context; `RefusedError` where that has expired or can't be read."""

    def again(self) -> View:
        """Return the same principal's view of the vault as it is by now."""

    def glance(self) -> View:
        """Return this view, or a cheap one where no file was looked at yet: of what the folders show (docs/adr/0019).

        For what is only worth knowing if it costs next to nothing.
        """

    @property
    def is_glance(self) -> bool:
        """Whether files that were written anew in place may have been overlooked."""

    def at(self, when: str | None) -> View:
        """Return the vault as of a date or a revision in git's notation; this view for None.

        Raises:
            RefusedError: somebody else than the vault's owner asks, whose the past is.
            UsageError: it is nothing, or looks like a date and is not one.
            NotFoundError: there is no such commit.
            GitError: the vault has no history.
        """

    def commit_at(self, when: str) -> str:
        """Return the commit that `when` names; raises as `at`."""

    def committed(self) -> View:
        """Return the current commit's state of the files that are different or gone by now; for the owner alone."""

    def without_commits(self) -> View:
        """Return the view of somebody who commits nothing, whatever the vault's settings ask for."""

    # -- the catalogue -----------------------------------------------------------------------------

    @property
    def rows(self) -> Sequence[int]:
        """The rows of the memories that the actor may see, ascending.

        Raises:
            RefusedError: their context has expired, or can't be read.
        """

    def vouched_for(self, rows: Sequence[int], *, least: float, levels: Collection[str]) -> Sequence[int]:
        """Return those of some visible rows whose memories others vouch for so far; `Trust` says how far that is.

        Args:
            rows: which memories.
            least: the least score, in [0, 1].
            levels: words for levels of trust, each of which must be reached; empty for any.
        """

    @property
    def broken(self) -> Sequence[int]:
        """The rows of files that mean to be memories and can't be read; none but for the vault's owner."""

    @property
    def plain(self) -> Sequence[int]:
        """The rows of plain notes; none but for the vault's owner alone, and whom its settings name."""

    @property
    def texts(self) -> Sequence[int]:
        """The rows of `rows` and `plain`, ascending: all that is searched, listed and cited."""

    def column(self, name: str) -> Sequence[str]:
        """Return a field of `Entry` for every row; empty for rows that are hidden, lists joined by `ITEM_SEPARATOR`.

        Refs to memories that are hidden from the actor, or are not there, are left out for others than the owner.
        """

    def entry(self, row: int) -> Entry:
        """Return what the catalogue says of a visible row, refs as in `column`; `KeyError` for a hidden one."""

    def rows_of_id(self, memory_id: str) -> Sequence[int]:
        """Return the visible rows with this id (two where a copy was left lying about)."""

    def edges(self) -> EdgeTable | None:
        """Return the edges of lineage as far as they can be walked over visible rows alone; None where nobody can."""

    # -- words, over visible rows alone ------------------------------------------------------------

    @property
    def ranker(self) -> Ranker:
        """What ranks memories by words."""

    def holding(self, field: Field, term: str) -> Sequence[int]:
        """Return the visible rows that hold a term in a field, ascending."""

    def frequency(self, term: str) -> int:
        """Return how many visible memories hold a term in their text, about: some that are gone may be counted."""

    def word_count(self, rows: Sequence[int]) -> int:
        """Return how many words the texts of some visible rows have in all."""

    def terms(self, prefix: str) -> Sequence[str]:
        """Return the terms that begin with `prefix`, sorted; some may stand in no visible memory."""

    # -- memories ----------------------------------------------------------------------------------

    def find(self, text: str) -> Entry:
        """Return the memory that `text` means: `type:id`, an id, a unique beginning of one, or a path.

        Raises:
            NotFoundError: no memory answers to it, several do, it has another type, or it may not be seen, which reads
                as if it were not there.
        """

    def named(self, text: str, *, notes: bool = False) -> Entry:
        """Return the memory that `text` means, as `find`, or by a title, alias or file stem that only one has.

        For reading alone: a name is anybody's to give, so what grants, shares, signs or forgets goes by id or path.

        Args:
            text: as a person typed it.
            notes: plain notes answer too.

        Raises:
            PlainNoteError: it means a plain note, and none was asked for.
            NotFoundError: as `find`; where several memories have the name, they are listed.
        """

    def read(self, path: str) -> MemoryFile | None:
        """Return a memory's file as it is now, without refs to what is hidden; None where it can't be seen."""

    def text(self, path: str) -> MemoryFile | PlainFile | None:
        """Return a memory's file as `read` does, or a plain note; None where it can't be seen."""

    def memories(self) -> Iterator[MemoryFile]:
        """Yield the files of all visible memories by path, as `read` gives them."""

    def opened(self, row: int) -> Opened | None:
        """Return the file of a visible row for citing; None where what it holds now is hidden or of another status."""

    def original(self, ref: str) -> MemoryFile:
        """Return the whole file of the memory that `ref` means, as it stands, to be changed or signed.

        Raises:
            NotFoundError: there is none that the actor may see.
            ChangedMeanwhileError: it became another file, or nobody's to see, since the view was taken.
        """

    def sees(self, memory: Memory) -> bool:
        """Whether the actor may see a memory as it was read, which may be newer or older than this view."""

    def owns(self, memory: Memory) -> bool:
        """Whether a memory is the actor's own: nobody else changes it through the program."""

    def made_at(self, path: str, created_at: str | None) -> datetime | None:
        """Return when a memory was made, UTC: as it says itself, else when its file was saved; None in the past."""

    def shows_all(self, file: MemoryFile) -> bool:
        """Whether a file's very bytes may be shown: its frontmatter names nothing that is hidden."""

    def blobs(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return the bytes of blobs of the history, by id; for others than the owner those of memories they may see."""

    def note_shown(self, how: str, memory_ids: Iterable[str]) -> None:
        """Remember which memories somebody else than the owner was shown."""

    # -- other files -------------------------------------------------------------------------------

    def file(self, path: Path) -> bytes:
        """Return the bytes of any file that somebody named; what lies in a vault only if it may be seen.

        Raises:
            FileNotFoundError: it is not there, or is not the actor's to see, which reads the same.
            OSError: it can't be read.
        """

    def has_folder(self, path: str) -> bool:
        """Whether a folder is there in the vault, as far as the actor may know: for others, one with visible files."""

    def cited_file(self, path: str) -> bytes | None:
        """Return the bytes of a file of the vault that is cited and is not a memory; None where it can't be read."""

    def own_file(self, path: str) -> bytes | None:
        """Return the bytes of a file of the vault's own, like its keyring; None where there is none.

        Raises:
            VaultError: there is one, and it can't be read.
        """

    def audit_paths(self) -> Sequence[str]:
        """Return the paths of all files with audit events, sorted."""

    def registry(self, kind: RegistryKind) -> Mapping[str, RegistryFile | None]:
        """Return all registry files of a kind, by path in order; None for one that can't be read."""

    # -- who may see what --------------------------------------------------------------------------

    @property
    def registries(self) -> World:
        """What the vault's registries say at this moment, without any memories."""

    @property
    def policy(self) -> World:
        """What decides who sees what, with the labels of all memories that the actor may know of."""

    def labels(self, row: int) -> Labels:
        """Return what decides about the memory in one visible row."""

    # -- for the vault's owner alone ---------------------------------------------------------------

    @property
    def whole(self) -> Whole:
        """All files and the history; `RefusedError` for anybody but the vault's owner alone."""

    @property
    def history(self) -> GitHistory:
        """The repository around the vault; what its blobs hold is asked of `blobs`."""

    def pending(self, *, since: str | None = None) -> Pending:
        """Return what is not committed yet, or not as of a commit, of what the actor may see."""

    def own_pending(self) -> Mapping[str, bytes | None]:
        """Return the vault's own files that are not committed as they are, by path, None where one is gone."""

    # -- the index as a thing ----------------------------------------------------------------------

    def index_status(self) -> IndexStatus:
        """Return how the index stands to the vault; nothing is written."""

    def rebuild_index(self) -> View:
        """Drop the index, build it anew, and return the view of the vault as it is now."""

    def refresh_index(self, *, purge: bool = False) -> Refreshed:
        """Write what has changed into the index, however little it is."""

    # -- writing -----------------------------------------------------------------------------------

    def transaction(
        self, verb: str, *, dry_run: bool = False, commit: bool = False, message: str | None = None
    ) -> Transaction:
        """Return a transaction: the only way to write. See `core/transaction.py`."""

    def locked(self) -> AbstractContextManager[None]:
        """Keep other writers out; `LockedError` when one stays for longer than a few seconds."""

    def may_commit(self) -> bool:
        """Whether something could be committed just now."""

    def last_operation(self) -> Operation | None:
        """Return what memstore wrote last here, if it is the actor's to take back; None where it is not, or unknown."""


class Whole(Protocol):
    """All files of a vault, and its history, as its owner has them."""

    @property
    def rows(self) -> Sequence[int]:
        """The rows of all memories, others' among them that the owner may not be shown; ascending."""

    def memory_files(self) -> Iterator[FileStat]:
        """Yield all Markdown files that can be memories, in no order."""

    def registry_files(self) -> list[str]:
        """Return the paths of all registry files, sorted."""

    def read(self, path: str) -> bytes:
        """Return a file's bytes; `VaultError` where they can't be had."""

    def read_file(self, path: str) -> ReadFile:
        """Return what a file holds; one that is too large is a broken file. `VaultError` where it can't be read."""
