"""The one implementation of `core.view.View`: use cases see a vault only through it."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast

from memstore.access import RIGHTS, SEALED, SHARED
from memstore.core.clock import FixedClock
from memstore.core.errors import RefusedError, VaultError, changed_while_read
from memstore.core.keys import EXTERNAL
from memstore.core.named import ref_of
from memstore.files import FILES
from memstore.files.local_state import with_progress
from memstore.history import WORK_TREE
from memstore.lineage import EDGES, LEFT_OUT
from memstore.search import INDEX
from memstore.vault import GATE
from memstore.vault.look import LOOK, Look

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from memstore.access.facets import Rights, SealedFiles, SharedStacks
    from memstore.core.catalog import Entry
    from memstore.core.facet import Facet
    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.quotation import External
    from memstore.core.view import View
    from memstore.core.write_terms import OtherTerms, WriteTerms
    from memstore.files.facets import NamedFiles
    from memstore.files.memory_file import MemoryFile, PlainFile
    from memstore.history.facets import WorkTree
    from memstore.lineage.edges import EdgeTable
    from memstore.search.facets import VisibleIndex
    from memstore.trust.verification import Voucher
    from memstore.vault.gate import Gate
    from memstore.vault.transaction import VaultTransaction
    from memstore.vault.whole import WholeVault

_Item = TypeVar("_Item")
_T = TypeVar("_T")


class VaultView(Look):
    """What the actor of a workspace may see: what may be looked at, and the files behind it."""

    def of(self, facet: Facet[_T]) -> _T:
        make = PARTS.get(facet)
        return cast("_T", make(self)) if make else self.ws.of(facet)

    def again(self) -> View:
        return self.ws.view()

    def at(self, when: str | None, *, with_clock: bool = False) -> View:
        if when is None:
            return self
        from memstore.vault.pending import moment_of_commit, time_of

        commit = self.of(WORK_TREE).commit_at(when)
        ws = self.ws
        if with_clock:
            ws = ws._replace(clock=FixedClock(time_of(ws, when, commit), ws.clock))
        return ws.view_at(moment_of_commit(ws, commit))

    def overlaid(self, texts: Mapping[str, bytes]) -> View:
        from memstore.vault.overlay import laid_over

        ws, moment = laid_over(self.ws, self.of_all.snapshot or self.ws.library.snapshot(), texts)
        return ws.view_at(moment)

    def without_commits(self) -> View:
        ws = self.ws._replace(config=self.config._replace(auto_commit=False))
        return ws.view_at(self.taken)

    @property
    def terms(self) -> WriteTerms:
        return self.ws.terms

    def on_terms(self, **terms: Unpack[OtherTerms]) -> View:
        ws = self.ws._replace(terms=self.ws.terms._replace(**terms))
        return ws.view_at(self.taken)

    def is_vouched(self, memory: Memory) -> bool:
        whole = memory.original or memory
        if not any(witness.sig for witness in whole.witnesses):
            return False
        owner = whole.owner or self.config.owner
        if self.foreign:
            owner = self.of(SHARED).keys.config.owner  # its sender's own word is not enough
        return self._voucher.vouches_for(whole, owner=owner)

    def external(self, memory: Memory) -> External | None:
        if memory.source_type != EXTERNAL and not self.foreign:
            return None
        from memstore.core.quotation import External

        source = self.foreign.source(memory) if self.foreign else None
        return External(source or memory.source or memory.source_entity or "", self.is_vouched(memory))

    def find(self, name: Named) -> Entry:
        from memstore.vault.finding import find

        return find(self, ref_of(name))

    def named(self, name: Named, *, notes: bool = False) -> Entry:
        from memstore.vault.finding import find

        return find(self, ref_of(name), by_name=True, notes=notes)

    def read(self, path: str) -> MemoryFile | None:
        file = self._seen(path)
        if file is None:
            return None
        if not self.is_owners:
            from memstore.vault.redaction import redacted

            file = redacted(file, self._is_shown)
        return self.foreign.file(file) if self.foreign is not None else file

    def text(self, path: str) -> MemoryFile | PlainFile | None:
        file = self.read(path)
        if file is not None or not self.plain:
            return file
        from memstore.files.memory_file import PlainFile, read

        try:
            plain = read(path, self.bytes_of(path), mixed=self.config.mixed)
        except VaultError:
            return None
        return plain if isinstance(plain, PlainFile) else None

    def with_progress(self, work: str, items: Sequence[_Item]) -> Iterator[_Item]:
        report = self.ws.on_progress
        return with_progress(partial(report, work) if report else None, items, len(items))

    def memories(self) -> Iterator[MemoryFile]:
        paths = self.snapshot.catalog.column("path")
        for path in self.with_progress("reading memories", sorted(paths[row] for row in self.rows)):
            if file := self.read(path):
                yield file

    def original(self, name: Named, *, by_name: bool = False) -> MemoryFile:
        entry = self.named(name) if by_name else self.find(name)
        file = self._seen(entry.path)
        if file is None:
            raise changed_while_read(entry.path)
        return file

    def made_at(self, path: str, created_at: str | None) -> datetime | None:
        if created_at:
            from datetime import datetime

            return datetime.fromisoformat(created_at)
        return None if self.is_past else self.ws.vault.saved_at(path)

    def shows_all(self, file: MemoryFile) -> bool:
        from memstore.files.memory_file import MemoryFile, read

        whole = read(file.path, file.data, mixed=self.config.mixed)
        return isinstance(whole, MemoryFile) and self.shown_values(whole.front.values) == whole.front.values

    def blobs(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        from memstore.files.memory_file import MemoryFile, read

        if self.ws.history.repository is None:
            return {}
        found = self.ws.history.blobs(ids)
        if self.is_owners:
            return found
        files = {blob: read("", data, mixed=self.config.mixed) for blob, data in found.items()}
        return {blob: one.data for blob, one in files.items() if isinstance(one, MemoryFile) and self.sees(one.memory)}

    def note_shown(self, how: str, memory_ids: Iterable[str]) -> None:
        if not self.is_owners:
            from memstore.vault.finding import note_shown

            note_shown(self, how, memory_ids)

    def own_file(self, path: str) -> bytes | None:
        from memstore.core.errors import NoFileError
        from memstore.core.places import SETTINGS_FOLDER, is_own_path

        if not is_own_path(path):
            raise VaultError(f"{path} is not one of the vault's own files", hint="name a memory by its id")
        if path.startswith(SETTINGS_FOLDER) and (self.ws.vault.root / path).is_symlink():
            raise VaultError(
                f"{path} is a link, not one of the vault's own files", hint="put a plain file in its place"
            )
        try:
            return self.ws.vault.read(path)
        except NoFileError:
            return None

    @property
    def whole(self) -> WholeVault:
        from memstore.vault.whole import WholeVault

        self.require_owner()
        return WholeVault(self.ws.vault, lambda: self.snapshot.catalog.memories)

    def transaction(
        self, verb: str, *, dry_run: bool = False, commit: bool = False, message: str | None = None
    ) -> VaultTransaction:
        from memstore.vault.transaction import VaultTransaction

        if self.stack:
            raise RefusedError(
                f"this is the shared stack {self.stack.name}, which is only read",
                hint="write in your own vault; whoever shared it changes it with memstore share --update",
            )
        return VaultTransaction(self, self.ws, verb, dry_run=dry_run, commit=commit, message=message)

    def locked(self) -> AbstractContextManager[None]:
        from memstore.vault.writing import locked

        return locked(self.ws)

    @cached_property
    def _voucher(self) -> Voucher:
        from memstore.trust.verification import Voucher

        return Voucher(self)

    def _seen(self, path: str) -> MemoryFile | None:
        """Return a memory's file; whether it may be seen is decided on the bytes that were read."""
        from memstore.files.memory_file import MemoryFile, read  # a search reads files in its own way: `opened`

        try:
            file = read(path, self.bytes_of(path), mixed=self.config.mixed)
        except VaultError:
            return None
        return file if isinstance(file, MemoryFile) and self.sees(file.memory) else None


# -- the facets of a view that are about the vault's content; one is made each time it is asked for -----


def _look(view: View) -> Look:
    if not isinstance(view, Look):
        raise TypeError(view)
    return view


def _rights(view: View) -> Rights:
    from memstore.vault.parts import VaultRights

    return VaultRights(view.of(LOOK))


def _shared(view: View) -> SharedStacks:
    from memstore.vault.parts import MountedStacks

    return MountedStacks(view)


def _sealed(view: View) -> SealedFiles:
    from memstore.vault.parts import VaultSealed

    return VaultSealed(view)


def _files(view: View) -> NamedFiles:
    from memstore.vault.named_files import VaultNamedFiles

    return VaultNamedFiles(view)


def _work_tree(view: View) -> WorkTree:
    from memstore.vault.work_tree import VaultWorkTree

    return VaultWorkTree(view)


def _edges(view: View) -> EdgeTable | None:
    from memstore.lineage.edges import has_copies

    look = view.of(LOOK)
    catalog = look.snapshot.catalog
    if not look.sees_all and has_copies(catalog.column("id"), catalog.memories):
        return None  # of two memories with the same id, the one that refs lead to may be hidden
    return catalog.edges()


def _left_out(view: View) -> Collection[str]:
    from memstore.history.sparse import ids_left_out

    return ids_left_out(view)


def _index(view: View) -> VisibleIndex:
    from memstore.vault.parts import VaultIndex

    return VaultIndex(view)


def _gate(view: View) -> Gate:
    from memstore.vault.gate import Gate

    return Gate(view.of(LOOK).ws)


PARTS: dict[Facet[Any], Callable[[View], object]] = {}


def _part(facet: Facet[_T], make: Callable[[View], _T]) -> None:
    PARTS[facet] = make


_part(LOOK, _look)
_part(RIGHTS, _rights)
_part(SHARED, _shared)
_part(SEALED, _sealed)
_part(FILES, _files)
_part(WORK_TREE, _work_tree)
_part(EDGES, _edges)
_part(LEFT_OUT, _left_out)
_part(INDEX, _index)
_part(GATE, _gate)
