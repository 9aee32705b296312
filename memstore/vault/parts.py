"""What a view has of access and search: the implementations of their facets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.errors import VaultError
from memstore.core.places import ids_named, is_sealed_path
from memstore.trust import SEAL_KEYS
from memstore.vault.look import LOOK
from memstore.vault.workspace import Moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from memstore.access.registry import RegistryFile
    from memstore.access.stack import Mount, Stack
    from memstore.access.world import Labels, Session, World
    from memstore.core.finding import Finding
    from memstore.core.places import RegistryKind
    from memstore.core.view import View
    from memstore.search.facets import Ranker
    from memstore.search.library import IndexStatus, Refreshed
    from memstore.search.opened import Opened
    from memstore.vault.look import Look


class VaultRights:
    """Who may see what of a look."""

    def __init__(self, look: Look) -> None:
        self._look = look

    @property
    def session(self) -> Session:
        return self._look.session

    @property
    def alone(self) -> bool:
        return self._look.ws.alone

    @property
    def overheard(self) -> bool:
        return self._look.ws.overheard

    @property
    def registries(self) -> World:
        return self._look.registries

    def registries_at(self, commit: str) -> World:
        from memstore.vault.registries import registries_at

        return registries_at(self._look.ws, commit).world()

    @property
    def policy(self) -> World:
        return self._look.policy

    def labels(self, row: int) -> Labels:
        from memstore.access.policy import both

        look = self._look
        if not (look.is_owners or look.mask[row]):
            raise KeyError(row)
        own = look.labels.of_row(row)
        copies = look.labels.of_copies(own.id, own.owner)  # those of one owner count together
        return own if copies is None else both(own, copies)

    def registry(self, kind: RegistryKind, *, naming: Collection[str] = ()) -> Mapping[str, RegistryFile | None]:
        listed = self._look.ws.vault.registry_files([kind])
        paths = sorted(path for path in listed if not naming or not ids_named(path).isdisjoint(naming))
        if not paths:
            return {}
        from memstore.vault.registries import registry_files

        return registry_files(self._look.ws, kind, paths)

    def audit_paths(self) -> list[str]:
        return sorted(self._look.ws.vault.audit_files())

    def seen_by(self, entities: Sequence[str]) -> View:
        from memstore.vault.sight import seen_by

        self._look.require_owner()
        return seen_by(self._look.ws, entities).view_at(self._look.of_all)


class MountedStacks:
    """The shared stacks beside the vault of a view."""

    def __init__(self, view: View) -> None:
        self._view, self._look = view, view.of(LOOK)

    @property
    def manifest(self) -> Stack | None:
        return self._look.stack

    @property
    def mounted(self) -> Sequence[Mount]:
        return self._look.mounts

    @property
    def own(self) -> Mount | None:
        return self._look.own

    @property
    def beside(self) -> Sequence[Mount]:
        own = self._look.own
        return (*([own] if own else ()), *self._look.ws.along, *self._look.mounts)

    def mount(self, folder: Path, name: str | None, *, any_key: bool = False) -> Mount:
        from memstore.vault import mounts

        return mounts.mount(self._look.ws, folder, name, any_key=any_key)

    def unmount(self, name: str) -> None:
        from memstore.vault import mounts

        mounts.unmount(self._look.ws, name)

    @property
    def keys(self) -> View:
        return self._look.ws.mounted_by.view_at() if self._look.ws.mounted_by else self._view


class VaultSealed:
    """The sealed files of a vault as a view shows them."""

    def __init__(self, view: View) -> None:
        self._view, self._look = view, view.of(LOOK)

    @property
    def rows(self) -> Sequence[int]:
        return self._look.snapshot.catalog.sealed if self._look.is_owners else ()

    def findings(self) -> Iterator[Finding]:
        from memstore.vault.pending import misnamed
        from memstore.vault.sealing import findings

        self._view.require_owner()
        yield from misnamed(self._look.ws)
        if self.rows or any(is_sealed_path(path) for path in self._look.snapshot.catalog.column("path")):
            yield from findings(self._view, self._look.ws, self.rows)

    def misnamed(self) -> Sequence[str]:
        from memstore.vault.pending import misnamed

        return [finding.path for finding in misnamed(self._look.ws)] if self._look.is_owners else []

    def context_key_of(self, path: str) -> str | None:
        if self._view.read(path) is None or not is_sealed_path(path):
            return None
        return self._look.ws.of(SEAL_KEYS).context_of(path, self._look.ws.vault.stored(path))


class VaultIndex:
    """The index of a vault as far as a view shows its rows."""

    def __init__(self, view: View) -> None:
        self._view, self._look = view, view.of(LOOK)

    @property
    def ranker(self) -> Ranker:
        return self._look.ranker

    def frequency(self, term: str) -> int:
        return self._look.index.frequency(term)

    def word_count(self, rows: Sequence[int]) -> int:
        from memstore.core.catalog import Field

        lengths = self._look.index.lengths(Field.TEXT)
        return sum(lengths[row] for row in rows)

    def terms(self, prefix: str) -> Sequence[str]:
        return self._look.index.terms(prefix)

    def opened(self, row: int) -> Opened | None:
        from memstore.search import opened

        look, view = self._look, self._view
        entry = view.entry(row)
        try:
            data = look.bytes_of(entry.path)
        except VaultError:
            return None
        if opened.is_revision(entry, data):
            shown = None if look.foreign is None else look.foreign.file
            return opened.opened(entry, data, mixed=view.config.mixed, shown=shown)
        # Saved since the snapshot: its catalogue entry, and what was decided on it, no longer hold.
        file = view.text(entry.path)
        now = opened.of_file(file, entry, mixed=view.config.mixed) if file else None
        return now if now and now.entry.status == entry.status else None

    def vouched_for(self, rows: Sequence[int], *, least: float, levels: Collection[str]) -> Sequence[int]:
        from memstore.trust.reader import TrustReader
        from memstore.trust.score import Level

        lowest = max((Level[level.upper()] for level in levels), default=Level.UNVERIFIED)
        reader = TrustReader(self._view)
        found = [(row, reader.of_row(row)) for row in rows]
        reader.keep()
        return [row for row, trust in found if trust.score >= least and trust.level >= lowest]

    def status(self) -> IndexStatus:
        return self._look.ws.library.status()

    def rebuild(self) -> View:
        return self._look.ws.view_at(Moment(self._look.ws.library.rebuild()))

    def refresh(self) -> Refreshed:
        return self._look.ws.library.refresh()
