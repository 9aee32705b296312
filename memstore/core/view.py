"""What one principal may see of a vault, in one context, at one moment: the only access that a use case has to content.

A transaction is the only way to write. The one implementation of both is in `memstore/vault/`. Nobody can
forget to hide what a view never shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self, TypeVar, Unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from memstore.core.catalog import Entry, Field
    from memstore.core.change import Act, Committed, Edit, Operation, Saved, Written
    from memstore.core.clock import Clock, IdSource
    from memstore.core.config import Config
    from memstore.core.facet import Facet
    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.quotation import External
    from memstore.core.write_terms import OtherTerms, WriteTerms
    from memstore.files.memory_file import MemoryFile, PlainFile, ReadFile
    from memstore.files.vault import FileStat

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
    def config(self) -> Config:
        """The vault's settings."""

    @property
    def clock(self) -> Clock:
        """What time it is."""

    @property
    def ids(self) -> IdSource:
        """Where new ids come from."""

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
    def terms(self) -> WriteTerms:
        """The terms on which things are written."""

    def on_terms(self, **terms: Unpack[OtherTerms]) -> View:
        """Return the same view; things are written on other terms."""

    def again(self) -> View:
        """Return a view of the vault as it is now, for the same principal."""

    def at(self, when: str | None, *, with_clock: bool = False) -> View:
        """Return the vault as of a date or a revision in git's notation; this view for None.

        With the clock, it is that time there: at the end of the date, or when the commit was made.

        Raises:
            RefusedError: somebody other than the vault's owner asks; only the owner sees the past.
            UsageError: it is empty, or looks like a date and is not one.
            NotFoundError: there is no such commit.
            GitError: the vault has no history.
        """

    def overlaid(self, texts: Mapping[str, bytes]) -> View:
        """Return this view with other bytes in some files, or in new ones, as an editor holds them before it saves.

        Everything is found, checked and judged as if they were saved. Nothing can be written through it.
        """

    def without_commits(self) -> View:
        """Return the same view with automatic commits off, whatever the vault's settings say."""

    # -- the catalogue -----------------------------------------------------------------------------

    @property
    def rows(self) -> Sequence[int]:
        """The rows of the memories that the actor may see, ascending.

        Raises:
            RefusedError: the context has expired or can't be read.
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

    def holding(self, field: Field, term: str) -> Sequence[int]:
        """Return the visible rows that contain a term in a field, ascending."""

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

    def with_progress(self, work: str, items: Sequence[_Item]) -> Iterator[_Item]:
        """Yield items, and tell whoever waits for the `work` how many are done, if it takes long."""

    def memories(self) -> Iterator[MemoryFile]:
        """Yield the files of all visible memories by path, as `read` returns them."""

    def original(self, name: Named, *, by_name: bool = False) -> MemoryFile:
        """Return the complete file of the memory that `name` means, unchanged, for editing or signing.

        With `by_name` a title, an alias or a file stem is accepted, as by `named`.

        Raises:
            NotFoundError: there is none that the actor may see.
            ChangedMeanwhileError: the file has been replaced or hidden since the view was taken.
        """

    def sees(self, memory: Memory) -> bool:
        """Return whether the actor may see a memory as it was read, which may be newer or older than this view."""

    def owns(self, memory: Memory) -> bool:
        """Return whether a memory is the actor's own; only its owner changes it through the program."""

    def owns_as(self, owner: str) -> bool:
        """Return whether what has this owner, or the vault's for an empty one, is the actor's own."""

    @property
    def acts_for_owner(self) -> bool:
        """Whether the actor is the vault's owner, or a member of the group that owns it by its charter."""

    def made_at(self, path: str, created_at: str | None) -> datetime | None:
        """Return when a memory was made, in UTC: the time it gives, else when its file was saved; None in the past."""

    def shows_all(self, file: MemoryFile) -> bool:
        """Return whether a file's raw bytes may be shown: its frontmatter names nothing hidden."""

    def blobs(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return the bytes of blobs of the history, by id; for others than the owner only memories they may see."""

    def note_shown(self, how: str, memory_ids: Iterable[str]) -> None:
        """Record which memories somebody other than the owner was shown."""

    # -- other files -------------------------------------------------------------------------------

    def own_file(self, path: str) -> bytes | None:
        """Return the bytes of a file of the vault's own, like its keyring; None if there is none.

        Raises:
            VaultError: the file exists but can't be read.
        """

    # -- only for the vault's owner ----------------------------------------------------------------

    @property
    def whole(self) -> Whole:
        """All files and the history; `RefusedError` for anybody but the vault's owner when alone."""

    # -- writing -----------------------------------------------------------------------------------

    def transaction(
        self, verb: str, *, dry_run: bool = False, commit: bool = False, message: str | None = None
    ) -> Transaction:
        """Return a transaction: the only way to write. See `core.transaction`."""

    def locked(self) -> AbstractContextManager[None]:
        """Keep other writers out; `LockedError` if one holds the lock for longer than a few seconds.

        What one of them had begun before it died is settled first; `VaultError` if that is not possible now.
        """


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


class Transaction(Protocol):
    """Collects what is to be written in a `with` block and writes it at the end; nothing is written if the block fails.

    It writes memories (`edit`), and the vault's own files with an act's audit event (`put`). All of them are checked
    before the first one is touched, and read again and compared under the lock.
    """

    def __enter__(self) -> Self:
        """Begin collecting."""

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: object) -> None:
        """Write everything that was collected.

        Raises:
            FormatError: new bytes could not be read as a memory, or as the kind of file they must be.
            RefusedError: a memory must not change in that way, or the actor may not change it.
            ChangedMeanwhileError: a file is no longer what was read, or already exists; nothing was written.
            MemstoreError: writing failed and nothing was written; or it was written but could not be committed, as the
                text says.
        """

    def edit(self, *edits: Edit) -> None:
        """Add edits of memory files; files whose bytes stay the same are left alone."""

    def put(self, *files: Written, undoable: bool = True) -> None:
        """Add changes to files of the vault itself: registries, consents, its keyring, pages, audit events."""

    def move(self, file: MemoryFile, to: str, after: bytes) -> None:
        """Move a memory's file to another path, with the bytes that its links need there."""

    def seal_for(self, path: str, context_key: str) -> None:
        """Seal the memory that is written to a path for the key of a context alone, given by its public part."""

    def do(self, act: Act) -> None:
        """Do something outside of the vault's tree, once everything is written; if it fails, nothing stays written."""

    def destroy_key(self, context_key: str) -> None:
        """Destroy the key of a context, given by its public part, once everything is written that names it no more."""

    def forget(self, memories: Sequence[Memory]) -> None:
        """Have this machine forget memories, too, once everything is written: journal, drafts, index, vectors, caches.

        The operation can't be undone, since nothing is kept of what was there before.
        """

    def take_back(self, last: Operation) -> str:
        """Undo an operation; it must be the transaction's only change. Return the diff of a dry run, else nothing."""

    def drop(self, last: Operation, mark: Callable[[], None]) -> None:
        """Undo an operation as if it had never been done; it must be the transaction's only change.

        No event records it, and `undo` finds what was done before the `mark` was set
        (`history.facets.WorkTree.journal_mark`).
        """

    def commit_pending(self, refs: Sequence[str]) -> Committed:
        """Commit what is pending of the memories that `refs` mean, or everything pending for no refs; write no file."""

    @property
    def saved(self) -> tuple[Saved, ...]:
        """What happened to the memories, in the order of their edits; in a dry run, what would happen."""

    @property
    def left(self) -> tuple[str, ...]:
        """What this machine could not be made to forget, in words."""

    @property
    def commit(self) -> str | None:
        """The commit that contains everything; None if no commit was asked for, or git ignores all of it."""
