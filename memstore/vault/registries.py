"""The registries of a vault: entities, groups, contexts, consents; read anew for each decision."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.config import CONFIG_PATH
from memstore.core.errors import FormatError, NoFileError, VaultError
from memstore.core.places import MANIFEST, RegistryKind, decides, is_audit_path
from memstore.files.config_file import owner_of

# Every event about a consent contains this; most events are about something else.
CONSENT_ID = b'"con_'

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.access.registry import RegistryFile
    from memstore.access.stack import Stack
    from memstore.access.world import World
    from memstore.vault.workspace import Workspace


class Registries(NamedTuple):
    """The current registry files, by path: their bytes, None if they can't be read.

    `recorded` are the consents, refusals and revocations in the audit trail; their files must be among these. In a
    shared stack, the manifest decides instead of any such file.
    """

    owner: str
    files: tuple[tuple[str, bytes | None], ...]
    recorded: frozenset[str] = frozenset()
    stack: Stack | None = None

    @property
    def digest(self) -> str:
        """A digest of this state of the registries."""
        digest = hashlib.sha256(self.owner.encode())
        for path, data in self.files:
            told = b"unreadable" if data is None else hashlib.sha256(data).digest()
            digest.update(b"%b\0%b" % (path.encode(errors="surrogateescape"), told))
        if self.stack:
            digest.update(self.stack.digest.encode())
        digest.update("\0".join(sorted(self.recorded)).encode(errors="surrogateescape"))
        return digest.hexdigest()

    def world(self) -> World:
        """Return the world that the files describe, without memories."""
        from memstore.access.registry_world import world_of

        if self.stack:
            return self.stack.world()._replace(owner=self.owner)
        return world_of(self.owner, self.files, recorded=self.recorded)


def registries_of(ws: Workspace) -> Registries:
    """Return those of the vault's registries that decide who may see what."""
    if stack := stack_of(ws):
        return Registries(ws.config.owner, (), stack=stack)
    paths = sorted(ws.vault.registry_files(kind for kind in RegistryKind if kind.decides))
    return Registries(ws.config.owner, tuple((path, _bytes(ws, path)) for path in paths), _recorded_now(ws))


def stack_of(ws: Workspace) -> Stack | None:
    """Return the manifest of a vault that is a shared stack, one that opens nothing if it can't be read; else None."""
    try:
        data = ws.vault.read(MANIFEST)
    except NoFileError:
        return None
    except VaultError:
        data = b""
    from memstore.access import stack

    try:
        return stack.read(data)
    except FormatError:
        return stack.CLOSED


def registries_at(ws: Workspace, commit: str) -> Registries:
    """Return the registries as of a commit, with the vault's owner at that time."""
    blobs = {path: blob for path, blob in ws.history.own_files_at(commit).items() if decides(path)}
    data = ws.history.blobs(blobs.values())
    found = {path: data.get(blob) for path, blob in blobs.items()}
    owner = owner_of(found.pop(CONFIG_PATH, None), default=ws.config.owner)
    audit = [(path, found.pop(path) or b"") for path in [*found] if is_audit_path(path)]
    return Registries(owner, tuple(sorted(found.items())), _recorded(audit))


def registry_files(ws: Workspace, kind: RegistryKind, paths: Iterable[str]) -> dict[str, RegistryFile | None]:
    """Return the registry files of a kind at these paths; None for one that can't be read."""
    from memstore.access import registry

    found: dict[str, RegistryFile | None] = {}
    for path in paths:
        data = _bytes(ws, path)
        read = () if data is None else registry.read(path, kind, data)
        found[path] = None if isinstance(read, tuple) else read
    return found


def _recorded_now(ws: Workspace) -> frozenset[str]:
    return _recorded([(path, data) for path in ws.vault.audit_files() if (data := _bytes(ws, path))])


def _recorded(files: Iterable[tuple[str, bytes]]) -> frozenset[str]:
    about_consents = [(path, data) for path, data in files if CONSENT_ID in data]
    if not about_consents:
        return frozenset()
    from memstore.access.audit_events import consents_named, read

    return consents_named(event for path, data in about_consents if (event := read(path, data)))


def _bytes(ws: Workspace, path: str) -> bytes | None:
    try:
        return ws.vault.read(path)
    except VaultError:
        return None
