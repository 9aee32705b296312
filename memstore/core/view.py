"""What one principal may see of a vault, in one context, at one moment: the only access that a use case has to content.

The one implementation is in `memstore/vault/`. Nobody can forget to hide what a view never shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path
    from typing import BinaryIO

    from memstore.access.registry import RegistryFile
    from memstore.access.stack import Mount, Stack
    from memstore.access.world import Labels, Session, World
    from memstore.core.catalog import Entry, Field
    from memstore.core.change import Operation, Pending, Signing
    from memstore.core.clock import Clock, IdSource
    from memstore.core.config import Config
    from memstore.core.facet import Facet
    from memstore.core.finding import Finding
    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.places import RegistryKind
    from memstore.core.quotation import External
    from memstore.core.transaction import Transaction
    from memstore.files.memory_file import MemoryFile, PlainFile, ReadFile
    from memstore.files.vault import FileStat
    from memstore.lineage.edges import EdgeTable
    from memstore.search.library import IndexStatus, Refreshed
    from memstore.search.opened import Opened
    from memstore.search.ranker import Ranker
    from memstore.vault.gate import Gate

_Item = TypeVar("_Item")
_T = TypeVar("_T")


class View(Protocol):
    """A vault as `actor` sees it.

    A row is the number of a memory, valid only in this view. What is of this machine and not of the vault, like keys,
    logs and caches, is asked for by `of`.
    """

    @property
    def actor(self) -> str:
        """Who acts and looks."""

    @property
    def alone(self) -> bool:
        """Whether the actor gives their word that nobody else is listening."""

    @property
    def overheard(self) -> bool:
        """Whether an unknown listener is assumed, with or without a context."""

    @property
    def here(self) -> str:
        """The folder the actor is in, relative to the vault; empty if it is not inside."""

    @property
    def config(self) -> Config:
        """The vault's settings."""

    @property
    def clock(self) -> Clock:
        """What time it is."""

    @property
    def ids(self) -> IdSource:
        """Where new ids come from."""

    @property
    def signing(self) -> Signing | None:
        """Whether what the actor writes is signed."""

    def of(self, facet: Facet[_T]) -> _T:
        """Return what a package has declared for its own needs: a log, keys, the repository around the vault."""

    # -- who is looking, and at what ---------------------------------------------------------------

    @property
    def root(self) -> Path:
        """The vault's folder."""

    @property
    def is_past(self) -> bool:
        """Whether this is the vault as of a commit rather than as it is now."""

    @property
    def is_owners(self) -> bool:
        """Whether the vault's owner is looking and nobody else listens: then even files that can't be read are shown.

        Raises:
            RefusedError: the context has expired or can't be read.
        """

    def require_owner(self, act: str = "see its history and its checks") -> None:
        """Let only the vault's owner pass, who has all files anyway; others get the same error, whatever they named.

        Args:
            act: what only the owner may do, for the message.

        Raises:
            RefusedError: somebody else is looking, or others are listening.
        """

    @property
    def session(self) -> Session:
        """Who is looking now, and in which context; `RefusedError` if the context has expired or can't be read."""

    def again(self) -> View:
        """Return a view of the vault as it is now, for the same principal."""

    def glance(self) -> View:
        """Return a cheap view from the folders alone if no file has been looked at yet, else this view (docs/adr/0019).

        For information that is only worth having if it costs next to nothing.
        """

    @property
    def is_glance(self) -> bool:
        """Whether files that were rewritten in place may have been missed."""

    def at(self, when: str | None) -> View:
        """Return the vault as of a date or a revision in git's notation; this view for None.

        Raises:
            RefusedError: somebody other than the vault's owner asks; only the owner sees the past.
            UsageError: it is empty, or looks like a date and is not one.
            NotFoundError: there is no such commit.
            GitError: the vault has no history.
        """

    def commit_at(self, when: str) -> str:
        """Return the commit that `when` names; raises as `at`."""

    def committed(self) -> View:
        """Return the committed state of the files that have since changed or gone; for the owner alone."""

    def without_commits(self) -> View:
        """Return the same view with automatic commits off, whatever the vault's settings say."""

    def signing_as(self, how: Signing | None) -> View:
        """Return the same view; what is written is signed always, if the signature counts, or for None not at all."""

    def on_terms(self, **terms: bool) -> View:
        """Return the same view; things are written on other terms, named as in `vault.workspace.WriteTerms`."""

    def after_adoption(self, adoption: Operation) -> View:
        """Return the view as of now of a command that began with an adoption: both are one step, and one commit."""

    @property
    def gate(self) -> Gate:
        """The gate before anything is written, for those who take in texts of others (docs/adr/0047)."""

    # -- shared stacks -----------------------------------------------------------------------------

    def seen_by(self, entities: Sequence[str]) -> View:
        """Return what each of some entities sees by themselves, in no context; for the vault's owner alone.

        Raises:
            RefusedError: somebody else asks.
        """

    @property
    def stack(self) -> Stack | None:
        """The manifest, if this vault is a shared stack; one that opens nothing if it can't be read."""

    @property
    def mounts(self) -> Sequence[Mount]:
        """The shared stacks mounted beside this vault that are for the actor, by name; none in the past."""

    def mount(self, folder: Path, name: str | None, *, any_key: bool = False) -> Mount:
        """Mount the shared stack in a folder beside the vault, under a name, or its own for None; nothing is copied.

        With `any_key`, its sender may have signed it with another key than before, or with none.

        Raises:
            VaultError: the folder is not a stack, or its content is not what its manifest says.
            FormatError: its manifest can't be read.
            RefusedError: it is for somebody else, or signed otherwise than its sender's stacks were, or another stack
                has this name, and is where it was.
        """

    def unmount(self, name: str) -> None:
        """Mount a stack no longer; its folder stays.

        Raises:
            NotFoundError: no stack of this name is mounted.
        """

    @property
    def keys(self) -> View:
        """The view whose keyring counts: this one, or for a mounted stack that of the vault beside it."""

    # -- the catalogue -----------------------------------------------------------------------------

    @property
    def rows(self) -> Sequence[int]:
        """The rows of the memories that the actor may see, ascending.

        Raises:
            RefusedError: the context has expired or can't be read.
        """

    def vouched_for(self, rows: Sequence[int], *, least: float, levels: Collection[str]) -> Sequence[int]:
        """Return those of the given visible rows whose memories reach a level of trust; `Trust` explains the levels.

        Args:
            rows: the rows to filter.
            least: the lowest score, in [0, 1].
            levels: names of trust levels, all of which must be reached; empty for any.
        """

    def is_vouched(self, memory: Memory) -> bool:
        """Return whether the owner of a memory, or somebody with another controller than who wrote it, vouches for it.

        An external memory is evidence only then.
        """

    def external(self, memory: Memory) -> External | None:
        """Return the origin of an external memory; None for any other, which needs no frame."""

    @property
    def broken(self) -> Sequence[int]:
        """The rows of files that are meant to be memories but can't be read; empty except for the vault's owner."""

    @property
    def sealed(self) -> Sequence[int]:
        """The rows of sealed files that no key here opens; empty except for the vault's owner."""

    def sealed_findings(self) -> Iterator[Finding]:
        """Yield what is wrong with sealed files, for whom they are sealed, and how many no key here opens."""

    def misnamed(self) -> Sequence[str]:
        """Return the paths of sealed files under names that no memory has; empty except for the vault's owner."""

    def context_key_of(self, path: str) -> str | None:
        """Return the public part of the context's key that a visible sealed file is for; None if it is for people."""

    @property
    def plain(self) -> Sequence[int]:
        """The rows of plain notes; empty except for the vault's owner when alone, and those whom the settings name."""

    @property
    def texts(self) -> Sequence[int]:
        """The rows of `rows` and `plain`, ascending: everything that is searched, listed and cited."""

    def column(self, name: str) -> Sequence[str]:
        """Return a field of `Entry` for every row; empty for hidden rows, with lists joined by `ITEM_SEPARATOR`.

        For anybody but the owner, refs to memories that are hidden or don't exist are left out.
        """

    def entry(self, row: int) -> Entry:
        """Return the catalogue entry of a visible row, with refs as in `column`; `KeyError` for a hidden row."""

    def rows_of_id(self, memory_id: str) -> Sequence[int]:
        """Return the visible rows with this id (two if somebody left a copy)."""

    def edges(self) -> EdgeTable | None:
        """Return the edges of lineage, which can be walked over visible rows alone; None if that is not possible."""

    # -- words, in visible rows only ---------------------------------------------------------------

    @property
    def ranker(self) -> Ranker:
        """The ranker that orders memories by words."""

    def holding(self, field: Field, term: str) -> Sequence[int]:
        """Return the visible rows that contain a term in a field, ascending."""

    def frequency(self, term: str) -> int:
        """Return about how many visible memories have a term in their text; some deleted ones may be counted."""

    def word_count(self, rows: Sequence[int]) -> int:
        """Return how many words the texts of some visible rows have in total."""

    def terms(self, prefix: str) -> Sequence[str]:
        """Return the terms that begin with `prefix`, sorted; some may occur in no visible memory."""

    # -- memories ----------------------------------------------------------------------------------

    def find(self, name: Named) -> Entry:
        """Return the memory that `name` means: `type:id`, an id, a unique beginning of one, or a path.

        Raises:
            NotFoundError: no memory matches, several do, it has another type, or it may not be seen, which reads as if
                it did not exist.
        """

    def named(self, name: Named, *, notes: bool = False) -> Entry:
        """Return the memory that `name` means, as `find`, or by a title, alias or file stem that only one memory has.

        Only for reading: anybody can give a memory any name, so granting, sharing, signing and forgetting go by id or
        path.

        Args:
            name: as a person typed it, or a value that has a `ref`.
            notes: whether plain notes match too.

        Raises:
            PlainNoteError: it means a plain note, and notes were not asked for.
            NotFoundError: as `find`; if several memories have the name, they are listed.
        """

    def read(self, path: str) -> MemoryFile | None:
        """Return a memory's file as it is now, without refs to what is hidden; None if it can't be seen."""

    def text(self, path: str) -> MemoryFile | PlainFile | None:
        """Return a memory's file as `read` does, or a plain note; None if it can't be seen."""

    def told(self, work: str, items: Sequence[_Item]) -> Iterator[_Item]:
        """Yield items, and tell whoever waits for the `work` how many are done, if it takes long."""

    def memories(self) -> Iterator[MemoryFile]:
        """Yield the files of all visible memories by path, as `read` returns them."""

    def opened(self, row: int) -> Opened | None:
        """Return the file of a visible row for citing; None if its current content is hidden or has another status."""

    def original(self, name: Named) -> MemoryFile:
        """Return the complete file of the memory that `name` means, unchanged, for editing or signing.

        Raises:
            NotFoundError: there is none that the actor may see.
            ChangedMeanwhileError: the file has been replaced or hidden since the view was taken.
        """

    def sees(self, memory: Memory) -> bool:
        """Return whether the actor may see a memory as it was read, which may be newer or older than this view."""

    def owns(self, memory: Memory) -> bool:
        """Return whether a memory is the actor's own; only its owner changes it through the program."""

    def made_at(self, path: str, created_at: str | None) -> datetime | None:
        """Return when a memory was made, in UTC: the time it gives, else when its file was saved; None in the past."""

    def shows_all(self, file: MemoryFile) -> bool:
        """Return whether a file's raw bytes may be shown: its frontmatter names nothing hidden."""

    def blobs(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return the bytes of blobs of the history, by id; for others than the owner only memories they may see."""

    def note_shown(self, how: str, memory_ids: Iterable[str]) -> None:
        """Record which memories somebody other than the owner was shown."""

    # -- other files -------------------------------------------------------------------------------

    def file(self, path: Path) -> bytes:
        """Return the bytes of any file that somebody named; a file in a vault only if it may be seen.

        Raises:
            FileNotFoundError: it doesn't exist, or the actor may not see it; the two look the same.
            OSError: it can't be read.
        """

    def stream(self, path: Path) -> BinaryIO:
        """Open any file that somebody named for its bytes; as `file`, and however large it is."""

    def files_below(self, path: Path) -> Sequence[str] | None:
        """Return the files below a folder that somebody named, relative to it; None if it is not a folder.

        Hidden files, links, and what the actor may not see are left out.
        """

    def check_place(self, path: Path, *, over: bytes) -> None:
        """Raise what `put_file` would raise for a path, before there is anything to write."""

    def put_file(self, path: Path, data: bytes, *, over: bytes) -> None:
        """Write a file that somebody named, in one step; it is never one of a vault's own files.

        Args:
            path: where; a link is followed.
            data: the new content.
            over: what an existing file must begin with, or it is not replaced; an empty one always is.

        Raises:
            RefusedError: the file has another content, or has a place in a vault that a memory or the vault could have.
            OSError: it can't be written.
        """

    def file_saved_at(self, path: Path) -> datetime | None:
        """Return when any file that somebody named was last saved, in UTC; None if the actor may not see it."""

    def has_folder(self, path: str) -> bool:
        """Return whether the vault has a folder, as far as the actor may know: for others, one with visible files."""

    def cited_file(self, path: str) -> bytes | None:
        """Return the bytes of a cited file of the vault that is not a memory; None if it can't be read."""

    def own_file(self, path: str) -> bytes | None:
        """Return the bytes of a file of the vault's own, like its keyring; None if there is none.

        Raises:
            VaultError: the file exists but can't be read.
        """

    def audit_paths(self) -> Sequence[str]:
        """Return the paths of all files with audit events, sorted."""

    def registry(self, kind: RegistryKind) -> Mapping[str, RegistryFile | None]:
        """Return all registry files of a kind, by path, in order; None for a file that can't be read."""

    # -- who may see what --------------------------------------------------------------------------

    @property
    def registries(self) -> World:
        """The content of the vault's registries at this moment, without any memories."""

    @property
    def policy(self) -> World:
        """The rules for who sees what, with the labels of all memories that the actor may know of."""

    def labels(self, row: int) -> Labels:
        """Return the access labels of the memory in a visible row."""

    # -- only for the vault's owner ----------------------------------------------------------------

    @property
    def whole(self) -> Whole:
        """All files and the history; `RefusedError` for anybody but the vault's owner when alone."""

    def pending(self, *, since: str | None = None) -> Pending:
        """Return the uncommitted changes that the actor may see, compared with the current commit or with `since`."""

    def ids_left_out(self) -> Collection[str]:
        """Return the ids of memories that git has, and that a sparse checkout leaves out of the work tree."""

    def own_pending(self) -> Mapping[str, bytes | None]:
        """Return the vault's own files with uncommitted changes, by path; None for a file that is gone.

        For anybody but the vault's owner, these are the records of what they did; none while others listen.
        """

    # -- the index itself --------------------------------------------------------------------------

    def index_status(self) -> IndexStatus:
        """Return how the index compares with the vault; nothing is written."""

    def rebuild_index(self) -> View:
        """Drop the index, rebuild it, and return a view of the vault as it is now."""

    def refresh_index(self) -> Refreshed:
        """Write all changes into the index, however small."""

    # -- writing -----------------------------------------------------------------------------------

    def transaction(
        self, verb: str, *, dry_run: bool = False, commit: bool = False, message: str | None = None
    ) -> Transaction:
        """Return a transaction: the only way to write. See `core/transaction.py`."""

    def locked(self) -> AbstractContextManager[None]:
        """Keep other writers out; `LockedError` if one holds the lock for longer than a few seconds."""

    def may_commit(self) -> bool:
        """Return whether a commit is possible just now."""

    def last_operation(self) -> Operation | None:
        """Return memstore's last operation here if the actor may undo it; None if not, or if it is unknown."""


class Whole(Protocol):
    """All files of a vault and its history, as its owner has them."""

    @property
    def rows(self) -> Sequence[int]:
        """The rows of all memories, ascending, including others' memories that the owner may not be shown."""

    def memory_files(self) -> Iterator[FileStat]:
        """Yield all Markdown files that can be memories, in no particular order."""

    def registry_files(self) -> list[str]:
        """Return the paths of all registry files, sorted."""

    def read(self, path: str) -> bytes:
        """Return a file's bytes; `VaultError` if it can't be read."""

    def stored(self, path: str) -> bytes:
        """Return a file's bytes as they are stored, sealed or not; `VaultError` if it can't be read."""

    def read_file(self, path: str) -> ReadFile:
        """Return the content of a file; one that is too large is a broken file. `VaultError` if it can't be read."""

    def any_file(self, path: str) -> ReadFile:
        """Return the content of a file as `read_file` does; one that can't be read is a broken file."""
