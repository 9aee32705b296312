"""The one implementation of `core.view.View`: use cases see a vault only through it."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from memstore.access import ACCESS_LOG, CONTEXTS, STACKS
from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.errors import MemstoreError, RefusedError, SealedError, VaultError, changed_while_read
from memstore.core.keys import EXTERNAL
from memstore.core.named import ref_of
from memstore.core.places import is_sealed_path
from memstore.files.local_state import told
from memstore.files.vault import note_bytes
from memstore.trust import SEAL_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile, PlainFile
    from memstore.lineage.edges import EdgeTable
    from memstore.search.library import IndexStatus, Refreshed, Snapshot
    from memstore.search.opened import Opened
    from memstore.search.ranker import Ranker
    from memstore.trust.verification import Voucher
    from memstore.vault.foreign import ForeignMemories
    from memstore.vault.gate import Gate
    from memstore.vault.sight import CatalogLabels, Sight
    from memstore.vault.transaction import VaultTransaction
    from memstore.vault.whole import WholeVault
    from memstore.vault.workspace import Workspace

    Postings = tuple[Sequence[int], Sequence[int]]

_Item = TypeVar("_Item")
_T = TypeVar("_T")

# The columns in which a foreign memory is shown otherwise than its file has it; `foreign.COLUMNS`, which is heavier.
_SAID_BY_SENDERS = frozenset({"source_type", "confidence", "importance", "channel"})


class VaultView:
    """What the actor of a workspace may see, from the moment of the first look.

    Args:
        ws: the opened vault.
        snapshot: its files at the moment in question; None takes a snapshot when one is first needed.
        read: returns a file's bytes at that moment, by its path; None reads the current ones.
        commit: the commit whose state this is, if any.
    """

    def __init__(
        self,
        ws: Workspace,
        snapshot: Snapshot | None = None,
        read: Callable[[str], bytes] | None = None,
        *,
        commit: str | None = None,
    ) -> None:
        self._ws = ws
        self._given = snapshot
        self._bytes = read or partial(note_bytes, ws.vault)
        self._commit = commit
        self.is_past = read is not None
        self._columns: dict[str, Sequence[str]] = {}

    @property
    def actor(self) -> str:
        return self._ws.actor

    @property
    def alone(self) -> bool:
        return self._ws.alone

    @property
    def overheard(self) -> bool:
        return self._ws.overheard

    @property
    def here(self) -> str:
        return self._ws.here

    @property
    def config(self) -> Config:
        return self._ws.config

    @property
    def clock(self) -> Clock:
        return self._ws.clock

    @property
    def ids(self) -> IdSource:
        return self._ws.ids

    @property
    def signing(self) -> Signing | None:
        return self._ws.signing

    def of(self, facet: Facet[_T]) -> _T:
        return self._ws.of(facet)

    # -- who looks, at what ------------------------------------------------------------------------

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self._ws.vault.root

    @cached_property
    def is_owners(self) -> bool:
        """Whether the vault's owner looks and nobody else listens, so that all files may be seen, readable or not."""
        if not self._owns(""):
            return False
        return self.is_alone or self._sight.hears_only(self.actor)

    def require_owner(self, act: str = "see its history and its checks") -> None:
        """Raise unless the vault's owner looks, who has all files anyway; others always get the same error.

        Args:
            act: what only the owner may do, for the message.

        Raises:
            RefusedError: the viewer is not the vault's owner, or others listen.
        """
        if self.is_owners:
            return
        alone = f"only the vault's owner may {act}"
        if self.actor == self.config.owner:
            raise RefusedError(f"{alone}, and others listen", hint="--self says that nobody else listens")
        raise RefusedError(alone, hint="ask the owner")

    @property
    def session(self) -> Session:
        """Who looks now, and in which context; raises `RefusedError` if the context has expired or can't be read."""
        from memstore.vault.sight import session_of

        return session_of(self._ws)

    @cached_property
    def is_alone(self) -> bool:
        """Whether nobody but the viewer listens; a context that can't be relied on is an error even then."""
        if self.of(CONTEXTS).current() is None and not self.overheard and self._ws.within is None:
            return True
        return self.session.alone

    def keeps(self, place: Path) -> bool:
        """Whether a real path is where this machine keeps data of vaults: git folders, indexes, journals."""
        return ".git" in place.parts or any(place.is_relative_to(folder) for folder in self._ws.kept_in())

    def again(self) -> VaultView:
        """Return the same principal's view of the vault as it is by now."""
        return self._ws.view()

    def glance(self) -> VaultView:
        """Return this view or, if no file was examined yet, one that examines only folders (docs/adr/0019)."""
        # What others may see depends on files that a glance does not examine.
        if self._taken or self.actor != self.config.owner:
            return self
        return VaultView(self._ws, self._ws.library.glance())

    @property
    def is_glance(self) -> bool:
        """Whether files that were rewritten in place may have been overlooked."""
        return not self._snapshot.is_certain

    def at(self, when: str | None) -> VaultView:
        """Return the vault as of a date or a revision in git's notation; this view for None."""
        if when is None:
            return self
        from memstore.vault.pending import snapshot_of_commit

        commit = self.commit_at(when)
        return VaultView(self._ws, *snapshot_of_commit(self._ws, commit), commit=commit)

    def commit_at(self, when: str) -> str:
        """Return the commit that `when` names: the last one up to the end of a date, or the one of a revision."""
        from memstore.vault.pending import commit_at

        self.require_owner()
        return commit_at(self._ws, when)

    def committed(self) -> VaultView:
        """Return the current commit's state of the files that differ or are missing now."""
        from memstore.vault.pending import committed_snapshot

        self.require_owner()
        return VaultView(self._ws, *committed_snapshot(self._ws, self._snapshot))

    def without_commits(self) -> VaultView:
        """Return a view that commits nothing, whatever the vault's settings say."""
        ws = self._ws._replace(config=self.config._replace(auto_commit=False))
        return VaultView(ws, self._snapshot if self._taken else self._given)

    def signing_as(self, how: Signing | None) -> VaultView:
        """Return a view in which what the actor writes is signed: always, if the signature counts, or for None not."""
        ws = self._ws._replace(signing=how)
        return VaultView(ws, self._snapshot if self._taken else self._given)

    def on_terms(self, **terms: bool) -> VaultView:
        """Return a view under which things are written on other `WriteTerms`."""
        ws = self._ws._replace(terms=self._ws.terms._replace(**terms))
        return VaultView(ws, self._snapshot if self._taken else self._given)

    def after_adoption(self, adoption: Operation) -> VaultView:
        """Return the view as of now of a command that began with an adoption: both are one step, and one commit."""
        return self._ws._replace(adoption=adoption).view()

    @property
    def gate(self) -> Gate:
        """The gate before anything is written (docs/adr/0047)."""
        from memstore.vault.gate import Gate

        return Gate(self._ws)

    def seen_by(self, entities: Sequence[str]) -> VaultView:
        """Return what each of some entities sees by themselves; raises `RefusedError` for anybody but the owner."""
        from memstore.vault.sight import seen_by

        self.require_owner()
        return VaultView(seen_by(self._ws, entities), self._snapshot)

    @cached_property
    def stack(self) -> Stack | None:
        """The manifest of a vault that is a shared stack; None for any other vault."""
        from memstore.vault.registries import stack_of

        return stack_of(self._ws)

    @cached_property
    def mounts(self) -> Sequence[Mount]:
        """The shared stacks mounted beside the vault that the actor may see, by name."""
        if self.is_past or not self._ws.of(STACKS).mounted():
            return ()
        from memstore.vault.mounts import mounts

        return mounts(self._ws)

    def mount(self, folder: Path, name: str | None, *, any_key: bool = False) -> Mount:
        """Mount the shared stack in a folder beside the vault, under a name or its own."""
        from memstore.vault.mounts import mount

        return mount(self._ws, folder, name, any_key=any_key)

    def unmount(self, name: str) -> None:
        """Mount a stack no longer; raise `NotFoundError` if none of that name is."""
        from memstore.vault.mounts import unmount

        unmount(self._ws, name)

    @property
    def keys(self) -> VaultView:
        """The view whose keyring counts: this one, or for a mounted stack that of the vault beside it."""
        return VaultView(self._ws.mounted_by) if self._ws.mounted_by else self

    # -- the catalogue -----------------------------------------------------------------------------

    @property
    def _taken(self) -> bool:
        return "_snapshot" in self.__dict__

    @cached_property
    def _snapshot(self) -> Snapshot:
        return self._given or self._ws.library.snapshot()

    @cached_property
    def _sight(self) -> Sight:
        from memstore.vault.sight import Sight

        return Sight(self._ws, lambda: self._snapshot)

    @cached_property
    def rows(self) -> Sequence[int]:
        """The rows of the memories that the actor may see, ascending; `RefusedError` if the context is invalid."""
        catalog = self._snapshot.catalog
        if self.is_alone and all(map(self._owns, set(catalog.column("owner")))):
            return catalog.memories  # the usual case: no registry needs to be read
        return self._sight.rows()

    @cached_property
    def texts(self) -> Sequence[int]:
        """The rows of the memories and plain notes that the actor may see, ascending."""
        catalog = self._snapshot.catalog
        if not self.plain:
            return self.rows
        return catalog.texts if len(self.rows) == len(catalog.memories) else sorted((*self.rows, *self.plain))

    @cached_property
    def _mask(self) -> bytearray:
        mask = bytearray(len(self._snapshot.catalog.column("path")))
        for row in self.texts:
            mask[row] = 1
        return mask

    @cached_property
    def _sees_all(self) -> bool:
        """Whether no memory and no plain note is hidden."""
        return len(self.texts) == len(self._snapshot.catalog.texts)

    def vouched_for(self, rows: Sequence[int], *, least: float, levels: Collection[str]) -> Sequence[int]:
        """Return those of some visible rows whose memories have this trust; most files need not be opened."""
        from memstore.trust.reader import TrustReader
        from memstore.trust.score import Level

        lowest = max((Level[level.upper()] for level in levels), default=Level.UNVERIFIED)
        reader = TrustReader(self)
        found = [(row, reader.of_row(row)) for row in rows]
        reader.keep()
        return [row for row, trust in found if trust.score >= least and trust.level >= lowest]

    def is_vouched(self, memory: Memory) -> bool:
        """Return whether somebody vouches for a memory who may; without signed statements, no key is looked at."""
        whole = memory.original or memory
        if not any(witness.sig for witness in whole.witnesses):
            return False
        owner = whole.owner or self.config.owner
        if self._foreign:
            owner = self.keys.config.owner  # its sender's own word is not enough
        return self._voucher.vouches_for(whole, owner=owner)

    def external(self, memory: Memory) -> External | None:
        """Return the origin of a memory that is external, as its file says or as it is foreign; None for any other."""
        if memory.source_type != EXTERNAL and not self._foreign:
            return None
        from memstore.core.quotation import External

        source = self._foreign.source(memory) if self._foreign else None
        return External(source or memory.source or memory.source_entity or "", self.is_vouched(memory))

    @cached_property
    def _foreign(self) -> ForeignMemories | None:
        """How foreign memories are shown: all of a loaded stack are, and none of a vault's own."""
        if not self._ws.sender:
            return None
        from memstore.vault.foreign import ForeignMemories

        return ForeignMemories(self._ws.sender)

    @cached_property
    def _voucher(self) -> Voucher:
        from memstore.trust.verification import Voucher

        return Voucher(self)

    @property
    def broken(self) -> Sequence[int]:
        """The rows of files that are meant to be memories but can't be read; only for the vault's owner."""
        return self._snapshot.catalog.broken if self.is_owners else ()

    @property
    def sealed(self) -> Sequence[int]:
        """The rows of sealed files that no key here opens; only for the vault's owner."""
        return self._snapshot.catalog.sealed if self.is_owners else ()

    @cached_property
    def plain(self) -> Sequence[int]:
        """The rows of Markdown files that aren't memories; only for the vault's owner and those in `notes_for`."""
        may_see_notes = self.is_owners or (self.is_alone and self.actor in self.config.notes_for)
        return self._snapshot.catalog.plain if may_see_notes else ()

    def column(self, name: str) -> Sequence[str]:
        """Return a field of `Entry` for every row; empty for hidden rows, and without refs to hidden memories."""
        is_foreign = name in _SAID_BY_SENDERS and self._foreign is not None
        if self.is_owners and not is_foreign:
            return self._snapshot.catalog.column(name)
        if name not in self._columns:
            self._columns[name] = self._shown_column(name)
        return self._columns[name]

    def _shown_column(self, name: str) -> Sequence[str]:
        from memstore.vault.redaction import COLUMNS_OF_REFS

        whole = self._snapshot.catalog.column(name)
        if name in _SAID_BY_SENDERS and self._foreign is not None:
            whole = self._foreign.column(name, whole)
        cells = [""] * len(whole)
        for row in self.texts:
            cells[row] = whole[row]
        if name in COLUMNS_OF_REFS:
            shown = {cell: ITEM_SEPARATOR.join(filter(self._is_shown, cell.split(ITEM_SEPARATOR))) for cell in {*cells}}
            return [shown[cell] for cell in cells]
        return cells

    def entry(self, row: int) -> Entry:
        """Return the catalogue's entry of a visible row, refs as in `column`; raise `KeyError` for a hidden row."""
        entry = self._snapshot.catalog.entry(row)
        if self._foreign is not None:
            entry = self._foreign.entry(entry)
        if self.is_owners:
            return entry
        if not self._mask[row]:
            raise KeyError(row)
        from memstore.vault.redaction import COLUMNS_OF_REFS

        named: dict[str, Any] = {name: tuple(filter(self._is_shown, getattr(entry, name))) for name in COLUMNS_OF_REFS}
        return entry._replace(**named)

    def rows_of_id(self, memory_id: str) -> Sequence[int]:
        """Return the visible rows with this id, by their paths; two if a copy was left in the vault."""
        rows = [row for row in self._snapshot.catalog.rows_of_id(memory_id) if self._sees_all or self._mask[row]]
        # The order of rows depends on files that the actor may not see.
        return rows if len(rows) < 2 else sorted(rows, key=self._snapshot.catalog.column("path").__getitem__)  # noqa: PLR2004

    def edges(self) -> EdgeTable | None:
        """Return the edges of lineage among all memories; None if they can't be limited to visible ones."""
        from memstore.lineage.edges import has_copies

        catalog = self._snapshot.catalog
        if not self._sees_all and has_copies(catalog.column("id"), catalog.memories):
            return None  # of two memories with the same id, the one that refs lead to may be hidden
        return catalog.edges()

    # -- words, in visible rows only ---------------------------------------------------------------

    @cached_property
    def ranker(self) -> Ranker:
        """What ranks memories by words; only the ranker sees this view as an index."""
        from memstore.search.ranker import IndexRanker

        return IndexRanker(self, self._snapshot.state)

    def holding(self, field: Field, term: str) -> Sequence[int]:
        """Return the visible rows that hold a term in a field, ascending."""
        return self.postings(field, term)[0]

    def word_count(self, rows: Sequence[int]) -> int:
        """Return the total number of words in the texts of some visible rows."""
        from memstore.core.catalog import Field

        lengths = self.lengths(Field.TEXT)
        return sum(lengths[row] for row in rows)

    def postings(self, field: Field, term: str) -> Postings:
        """Return the visible rows that hold a term in a field, and how often each holds it."""
        found = self._snapshot.index.postings(field, term)
        if self._sees_all:
            return found
        seen = [(row, times) for row, times in zip(*found, strict=True) if self._mask[row]]
        return [row for row, _ in seen], [times for _, times in seen]

    def frequency(self, term: str) -> int:
        """Return roughly how many visible memories hold a term in their text; deleted ones may be counted."""
        if self._sees_all:
            return self._snapshot.index.frequency(term)
        from memstore.core.catalog import Field

        return len(self.postings(Field.TEXT, term)[0])

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return the positions of a term in the field of each visible row, counted in terms from 0."""
        return self._snapshot.index.positions(field, term, rows)

    def lengths(self, field: Field) -> Sequence[int]:
        """Return the number of terms of a field for every row; only the values for `rows` are meaningful."""
        return self._snapshot.index.lengths(field)

    def terms(self, prefix: str) -> Sequence[str]:
        """Return the terms that begin with `prefix`, sorted; some may occur in no visible memory."""
        return self._snapshot.index.terms(prefix)

    # -- memories ----------------------------------------------------------------------------------

    def find(self, name: Named) -> Entry:
        """Return the memory that `name` means; a hidden memory gives the same error as a missing one."""
        from memstore.vault.finding import find

        return find(self, ref_of(name), self._ws.of(ACCESS_LOG))

    def named(self, name: Named, *, notes: bool = False) -> Entry:
        """Return the memory that `name` means, also by a title, alias or file stem that only one memory has."""
        from memstore.vault.finding import find

        return find(self, ref_of(name), self._ws.of(ACCESS_LOG), by_name=True, notes=notes)

    def is_hidden(self, memory_id: str) -> bool:
        """Whether a memory with this id exists but none may be seen; for the log of what was denied."""
        return bool(self._snapshot.catalog.rows_of_id(memory_id)) and not self.rows_of_id(memory_id)

    def read(self, path: str) -> MemoryFile | None:
        """Return a memory's current file, without refs to hidden memories; None if it can't be seen."""
        file = self._seen(path)
        if file is None:
            return None
        if not self.is_owners:
            from memstore.vault.redaction import redacted

            file = redacted(file, self._is_shown)
        return self._foreign.file(file) if self._foreign is not None else file

    def text(self, path: str) -> MemoryFile | PlainFile | None:
        """Return a memory's file as `read` does, or a plain note; None if it can't be seen."""
        file = self.read(path)
        if file is not None or not self.plain:
            return file
        from memstore.files.memory_file import PlainFile, read

        try:
            plain = read(path, self._bytes(path), mixed=self.config.mixed)
        except VaultError:
            return None
        return plain if isinstance(plain, PlainFile) else None

    def told(self, work: str, items: Sequence[_Item]) -> Iterator[_Item]:
        """Yield items, and tell whoever waits for the `work` how many are done, if it takes long."""
        report = self._ws.on_progress
        return told(partial(report, work) if report else None, items, len(items))

    def memories(self) -> Iterator[MemoryFile]:
        """Yield the files of all visible memories by path, as `read` returns them."""
        paths = self._snapshot.catalog.column("path")
        for path in self.told("reading memories", sorted(paths[row] for row in self.rows)):
            if file := self.read(path):
                yield file

    def original(self, name: Named) -> MemoryFile:
        """Return the whole unredacted file of the memory that `name` means, to be changed or signed."""
        entry = self.find(name)
        file = self._seen(entry.path)
        if file is None:
            raise changed_while_read(entry.path)
        return file

    def _seen(self, path: str) -> MemoryFile | None:
        """Return a memory's file; whether it may be seen is decided on the bytes that were read."""
        from memstore.files.memory_file import MemoryFile, read  # a search reads files in its own way: `opened`

        try:
            file = read(path, self._bytes(path), mixed=self.config.mixed)
        except VaultError:
            return None
        return file if isinstance(file, MemoryFile) and self.sees(file.memory) else None

    def opened(self, row: int) -> Opened | None:
        """Return the file of a visible row for citing; None if its current state is hidden or has another status."""
        from memstore.search import opened

        entry = self.entry(row)
        try:
            data = self._bytes(entry.path)
        except VaultError:
            return None
        if opened.is_revision(entry, data):
            shown = None if self._foreign is None else self._foreign.file
            return opened.opened(entry, data, mixed=self.config.mixed, shown=shown)
        # Saved since the snapshot: its catalogue entry, and what was decided on it, no longer hold.
        file = self.text(entry.path)
        now = opened.of_file(file, entry, mixed=self.config.mixed) if file else None
        return now if now and now.entry.status == entry.status else None

    def sees(self, memory: Memory) -> bool:
        """Whether the actor may see a memory as it was read, which may be newer or older than this view."""
        return (self.is_alone and self._owns(memory.owner or "")) or self._sight.sees(memory)

    def owns(self, memory: Memory) -> bool:
        """Whether a memory is the actor's own: the program lets nobody else change it."""
        return self._owns(memory.owner or "")

    def is_own(self, entry: Entry) -> bool:
        """Whether a memory is the actor's own according to the catalogue."""
        return self._owns(entry.owner)

    def has_folder(self, path: str) -> bool:
        """Whether the vault has a folder, as far as the actor may know: for others, one with visible files."""
        if self.is_owners:
            with suppress(OSError):  # no folder has a name that is too long, or lies where nobody may look
                return (self.root / path).is_dir()
            return False
        paths = self.column("path")
        return any(paths[row].startswith(f"{path}/") for row in self.rows)

    def _owns(self, owner: str) -> bool:
        return bool(self.actor) and self.actor == (owner or self.config.owner)

    def made_at(self, path: str, created_at: str | None) -> datetime | None:
        """Return when a memory was made, UTC: what it says itself, else when its file was saved; None in the past.

        The first commit may be more accurate, but every search would have to look for it; and a file that came with a
        clone is new to whoever cloned it.
        """
        if created_at:
            from datetime import datetime

            return datetime.fromisoformat(created_at)
        return None if self.is_past else self._ws.vault.saved_at(path)

    @cached_property
    def _is_shown(self) -> Callable[[str], bool]:
        from memstore.vault.redaction import shown_refs

        ids = self._snapshot.catalog.column("id")
        return shown_refs(None if self.is_owners else {ids[row] for row in self.rows})

    def _shown_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a frontmatter without refs to hidden or missing memories."""
        from memstore.vault.redaction import shown_values

        return dict(values) if self.is_owners else shown_values(values, self._is_shown)

    def opened_bytes(self, path: str, data: bytes) -> bytes:
        """Return what was sealed in the bytes of a file; the bytes as they are if they aren't sealed, or stay so."""
        if not is_sealed_path(path):
            return data
        try:
            return self._ws.of(SEAL_KEYS).opened(path, data)
        except SealedError:
            return data

    def sealed_findings(self) -> Iterator[Finding]:
        """Yield what is wrong with sealed files; see `sealing.findings`."""
        from memstore.vault.pending import misnamed
        from memstore.vault.sealing import findings

        self.require_owner()
        yield from misnamed(self._ws)
        if self.sealed or any(is_sealed_path(path) for path in self._snapshot.catalog.column("path")):
            yield from findings(self, self._ws)

    def misnamed(self) -> Sequence[str]:
        """Return the paths of sealed files under names that no memory has; empty except for the vault's owner."""
        from memstore.vault.pending import misnamed

        return [finding.path for finding in misnamed(self._ws)] if self.is_owners else []

    def context_key_of(self, path: str) -> str | None:
        """Return the public part of the context's key that a visible sealed file is for; None if it is for people."""
        if self.read(path) is None or not is_sealed_path(path):
            return None
        return self._ws.of(SEAL_KEYS).context_of(path, self._ws.vault.stored(path))

    def shows_all(self, file: MemoryFile) -> bool:
        """Whether a file's unchanged bytes may be shown: its frontmatter names no hidden memory."""
        from memstore.files.memory_file import MemoryFile, read

        whole = read(file.path, file.data, mixed=self.config.mixed)
        return isinstance(whole, MemoryFile) and self._shown_values(whole.front.values) == whole.front.values

    def blobs(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return blobs of the history, by id; for anybody but the owner only those of memories that they may see."""
        from memstore.files.memory_file import MemoryFile, read

        if self._ws.history.repository is None:
            return {}
        found = self._ws.history.blobs(ids)
        if self.is_owners:
            return found
        files = {blob: read("", data, mixed=self.config.mixed) for blob, data in found.items()}
        return {blob: one.data for blob, one in files.items() if isinstance(one, MemoryFile) and self.sees(one.memory)}

    def note_shown(self, how: str, memory_ids: Iterable[str]) -> None:
        """Record which memories anybody but the owner was shown; for the owner alone nothing is recorded."""
        if not self.is_owners:
            from memstore.vault.finding import note_shown

            note_shown(self, how, memory_ids)

    # -- other files -------------------------------------------------------------------------------

    def file(self, path: Path) -> bytes:
        """Return the bytes of any file that somebody named; a file in a vault only if it may be seen."""
        from memstore.vault.named_files import bytes_of

        return bytes_of(self, path)

    def stream(self, path: Path) -> BinaryIO:
        """Open any file that somebody named for its bytes; as `file`, and however large it is."""
        from memstore.vault.named_files import opened

        return opened(self, path)

    def check_place(self, path: Path, *, over: bytes) -> None:
        """Raise if a file that somebody named may not be written; see `View.check_place`."""
        from memstore.vault.named_files import check_place

        check_place(self, path, over=over)

    def put_file(self, path: Path, data: bytes, *, over: bytes) -> None:
        """Write a file that somebody named, which is never one of a vault's own files; see `View.put_file`."""
        from memstore.vault.named_files import put

        put(self, path, data, over=over)

    def files_below(self, path: Path) -> Sequence[str] | None:
        """Return the visible files below a folder that somebody named, relative to it; None if it is not a folder."""
        from memstore.vault.named_files import files_below

        return files_below(self, path)

    def file_saved_at(self, path: Path) -> datetime | None:
        """Return when any file that somebody named was last saved, in UTC; None if the actor may not see it."""
        from memstore.vault.named_files import saved_at

        return saved_at(self, path)

    def cited_file(self, path: str) -> bytes | None:
        """Return the bytes of a cited file of the vault that is not a memory; None if it can't be read."""
        from memstore.core.places import is_own_path

        if is_own_path(path) and not self.is_owners:
            return None
        try:
            return self._ws.vault.read(path)
        except VaultError:
            return None

    def own_file(self, path: str) -> bytes | None:
        """Return the bytes of one of the vault's own files, None if missing; raise `VaultError` if it can't be read."""
        from memstore.core.errors import NoFileError
        from memstore.core.places import SETTINGS_FOLDER, is_own_path

        if not is_own_path(path):
            raise VaultError(f"{path} is not one of the vault's own files", hint="name a memory by its id")
        if path.startswith(SETTINGS_FOLDER) and (self._ws.vault.root / path).is_symlink():
            raise VaultError(
                f"{path} is a link, not one of the vault's own files", hint="put a plain file in its place"
            )
        try:
            return self._ws.vault.read(path)
        except NoFileError:
            return None

    def audit_paths(self) -> list[str]:
        """Return the paths of all files with audit events, sorted."""
        return sorted(self._ws.vault.audit_files())

    def registry(self, kind: RegistryKind) -> Mapping[str, RegistryFile | None]:
        """Return all registry files of a kind, sorted by path; None for one that can't be read."""
        from memstore.vault.registries import registry_files

        return registry_files(self._ws, kind)

    # -- who may see what --------------------------------------------------------------------------

    @property
    def registries(self) -> World:
        """The current registries, without any memories; a past state has the owner of that time."""
        from memstore.vault.registries import registries_at, registries_of

        return (registries_at(self._ws, self._commit) if self._commit else registries_of(self._ws)).world()

    @cached_property
    def policy(self) -> World:
        """The data for access decisions, with the labels of all memories that the actor may know of."""
        known: Mapping[str, Labels] = self._labels
        if not self.is_owners:
            ids = self._snapshot.catalog.column("id")
            known = {ids[row]: self._labels[ids[row]] for row in self.rows if ids[row]}
        return self.registries._replace(memories=known)

    @cached_property
    def _labels(self) -> CatalogLabels:
        from memstore.vault.sight import CatalogLabels, relabelled

        stack = self.stack
        return CatalogLabels(self._snapshot.catalog, relabelled(stack, self.clock.now()) if stack else None)

    def labels(self, row: int) -> Labels:
        """Return the labels of the memory in a visible row, combined with those of its owner's other copies."""
        from memstore.access.policy import both

        if not (self.is_owners or self._mask[row]):
            raise KeyError(row)
        own = self._labels.of_row(row)
        copies = self._labels.of_copies(own.id, own.owner)
        return own if copies is None else both(own, copies)

    # -- for the vault's owner alone ---------------------------------------------------------------

    @property
    def whole(self) -> WholeVault:
        """All files; raises `RefusedError` for anybody but the vault's owner alone."""
        from memstore.vault.whole import WholeVault

        self.require_owner()
        return WholeVault(self._ws.vault, lambda: self._snapshot.catalog.memories)

    def pending(self, *, since: str | None = None) -> Pending:
        """Return the changes since the last commit, or since a given one, that the actor may see."""
        from memstore.vault.pending import pending

        return pending(self, self._ws, self._snapshot, since=since)

    def ids_left_out(self) -> Collection[str]:
        """Return the ids of memories that git has, and that a sparse checkout leaves out of the work tree."""
        from memstore.history.sparse import ids_left_out

        return ids_left_out(self)

    def own_pending(self) -> Mapping[str, bytes | None]:
        """Return the vault's own files with uncommitted changes, by path; for others the records of what they did."""
        from memstore.vault.pending import own_pending, recorded_by

        if self.is_owners:
            return own_pending(self._ws)
        return recorded_by(self.actor, own_pending(self._ws)) if self.is_alone else {}

    # -- the index itself --------------------------------------------------------------------------

    def index_status(self) -> IndexStatus:
        """Return how the index compares with the vault; nothing is written."""
        return self._ws.library.status()

    def rebuild_index(self) -> View:
        """Drop the index, build it anew, and return the view of the vault as it is now."""
        return VaultView(self._ws, self._ws.library.rebuild())

    def refresh_index(self) -> Refreshed:
        """Write all changes into the index, however few they are."""
        return self._ws.library.refresh()

    # -- writing -----------------------------------------------------------------------------------

    def transaction(
        self, verb: str, *, dry_run: bool = False, commit: bool = False, message: str | None = None
    ) -> VaultTransaction:
        """Return a transaction, the only way to write. See `core/transaction.py`."""
        from memstore.vault.transaction import VaultTransaction

        if self.stack:
            raise RefusedError(
                f"this is the shared stack {self.stack.name}, which is only read",
                hint="write in your own vault; whoever shared it changes it with memstore share --update",
            )
        return VaultTransaction(self, self._ws, verb, dry_run=dry_run, commit=commit, message=message)

    def locked(self) -> AbstractContextManager[None]:
        """Keep other writers out; raise `LockedError` if one stays for longer than a few seconds."""
        return self._ws.vault.lock()

    def may_commit(self) -> bool:
        """Whether a commit would be possible now."""
        from memstore.vault.transaction import can_commit

        try:
            can_commit(self._ws)
        except MemstoreError:
            return False
        return True

    def last_operation(self) -> Operation | None:
        """Return what memstore last wrote here, if the actor may take it back."""
        from memstore.vault.undoing import may_undo

        # Only the owner may know of, and take back, what somebody else did last.
        known = [self._ws.journal.last()] if self.is_owners else []
        known.append(self._ws.journal.last(self.actor))
        return next((last for last in known if last is not None and may_undo(self, last)), None)
