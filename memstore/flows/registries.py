"""The registries of a vault: who there is, groups, contexts, consents; read anew whenever something is decided."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from memstore.errors import VaultError
from memstore.model.registry import RegistryKind, kind_of

# What every event holds that is about a consent; most are not.
CONSENT_ID = b'"con_'

if TYPE_CHECKING:
    from memstore.model.world import World
    from memstore.ports.workspace import Workspace


class Registries(NamedTuple):
    """The registry files as they are now, by path: their bytes, None where they can't be read.

    `recorded` are the consents, refusals and revocations that the audit trail knows of, whose files must be among them.
    """

    owner: str
    files: tuple[tuple[str, bytes | None], ...]
    recorded: frozenset[str] = frozenset()

    @property
    def digest(self) -> str:
        """Names this state of the registries."""
        digest = hashlib.sha256(self.owner.encode())
        for path, data in self.files:
            told = b"unreadable" if data is None else hashlib.sha256(data).digest()
            digest.update(b"%b\0%b" % (path.encode(errors="surrogateescape"), told))
        digest.update("\0".join(sorted(self.recorded)).encode(errors="surrogateescape"))
        return digest.hexdigest()

    def world(self) -> World:
        """Return what they say; the world has no memories yet."""
        from memstore.codec.registry_world import world_of

        return world_of(self.owner, self.files, recorded=self.recorded)


def registries_of(ws: Workspace) -> Registries:
    """Return the vault's registries; requests are none, since they open nothing."""
    paths = sorted(path for path in ws.vault.registry_files() if kind_of(path) is not RegistryKind.REQUEST)
    return Registries(ws.config.owner, tuple((path, _bytes(ws, path)) for path in paths), _recorded(ws))


def world_of(ws: Workspace) -> World:
    """Return what the vault's registries say now, without any memories."""
    return registries_of(ws).world()


def _recorded(ws: Workspace) -> frozenset[str]:
    files = [(path, data) for path in ws.vault.audit_files() if (data := _bytes(ws, path)) and CONSENT_ID in data]
    if not files:
        return frozenset()
    from memstore.codec import audit_event
    from memstore.rules.audit import consents_named

    return consents_named(event for path, data in files if (event := audit_event.read(path, data)))


def _bytes(ws: Workspace, path: str) -> bytes | None:
    try:
        return ws.vault.read(path)
    except VaultError:
        return None
