"""A vault's own files in one state, and who may see what by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.access.audit_events import consents_named, read
from memstore.access.registry_world import world_of
from memstore.core.config import CONFIG_PATH
from memstore.core.places import is_audit_path, kind_of
from memstore.files.config_file import owner_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.access.audit_events import AuditEvent
    from memstore.access.world import Labels, World


class OwnFiles(NamedTuple):
    """A vault's own files in one state, by path: settings, registries, audit events; and the default owner."""

    files: Mapping[str, bytes]
    default_owner: str

    @property
    def owner(self) -> str:
        """The vault's owner."""
        return owner_of(self.files.get(CONFIG_PATH), default=self.default_owner)

    def registries(self) -> dict[str, bytes]:
        """Return the files that decide who may see what."""
        return {path: data for path, data in self.files.items() if (kind := kind_of(path)) and kind.decides}

    def world(self, memories: Mapping[str, Labels]) -> World:
        """Return the world that these files describe, with these memories by id."""
        recorded = consents_named(events_in(self.files).values())
        return world_of(self.owner, self.registries().items(), recorded=recorded)._replace(memories=memories)


def events_in(files: Mapping[str, bytes]) -> dict[str, AuditEvent]:
    """Return the audit events among files that are unchanged since they were written, by path."""
    read_of = ((path, read(path, data)) for path, data in files.items() if is_audit_path(path))
    return {path: event for path, event in read_of if event and event.is_sound}
