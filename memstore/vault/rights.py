"""The implementations of `access.facets.Rights` and `access.facets.SharedStacks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.vault.look import LOOK
from memstore.vault.workspace import Moment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memstore.access.registry import RegistryFile
    from memstore.access.stack import Mount, Stack
    from memstore.access.world import Labels, Session, World
    from memstore.core.places import RegistryKind
    from memstore.core.view import View
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

    def registry(self, kind: RegistryKind) -> Mapping[str, RegistryFile | None]:
        from memstore.vault.registries import registry_files

        return registry_files(self._look.ws, kind)

    def audit_paths(self) -> list[str]:
        return sorted(self._look.ws.vault.audit_files())

    def seen_by(self, entities: Sequence[str]) -> View:
        from memstore.vault.sight import seen_by

        self._look.require_owner()
        return seen_by(self._look.ws, entities).view_at(Moment(self._look.snapshot))


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

    def mount(self, folder: Path, name: str | None, *, any_key: bool = False) -> Mount:
        from memstore.vault import mounts

        return mounts.mount(self._look.ws, folder, name, any_key=any_key)

    def unmount(self, name: str) -> None:
        from memstore.vault import mounts

        mounts.unmount(self._look.ws, name)

    @property
    def keys(self) -> View:
        return self._look.ws.mounted_by.view_at() if self._look.ws.mounted_by else self._view
