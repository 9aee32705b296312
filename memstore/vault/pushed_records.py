"""The vault's records in a push: groups, events and verdicts that name nothing but what all who read there may know."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memstore.access import registry
from memstore.access.audit_events import read as audit_event
from memstore.access.audit_events import texts_of
from memstore.access.registry import RegistryFile
from memstore.core.ids import is_entity_id, is_group
from memstore.core.memory import EVERYBODY
from memstore.core.places import RegistryKind, is_audit_path, kind_of
from memstore.files.config_file import words_typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstore.access.audience import Readers
    from memstore.access.audit_events import AuditEvent
    from memstore.access.world import World

# What an event says without naming anybody: a digest of a file, the command that was undone, the end of a membership.
_NAMELESS = frozenset({"says", "of"})
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?")


class Records:
    """Which groups and audit events may go to a remote.

    Args:
        world: the vault's registries, and its memories.
        named: who reads the remote, as far as they are named: never everybody.
        readers: what they may see.
    """

    def __init__(self, world: World, named: frozenset[str], readers: Readers) -> None:
        self._world, self._readers = world, readers
        self._people = frozenset(name for name in named if not is_group(name))
        self._known = named | {world.owner, EVERYBODY}

    def may_go(self, path: str, data: bytes) -> bool:
        """Whether everybody who reads there may know what this file of the vault's own names."""
        if is_audit_path(path):
            event = audit_event(path, data)
            return event is not None and event.is_sound and self._is_known_event(event)
        kind = kind_of(path)
        file = registry.read(path, kind, data) if kind in (RegistryKind.GROUP, RegistryKind.VERDICT) else None
        if not isinstance(file, RegistryFile):
            return False
        if kind is RegistryKind.VERDICT:
            named = (file.values["judged_by"], *(side["ref"].partition(":")[2] for side in file.values["judged"]))
            return all(map(self.may_know, named))
        return self._is_theirs(_members(file.values))

    def _is_known_event(self, event: AuditEvent) -> bool:
        words = (word for key, value in event.about.items() if key not in _NAMELESS
                 for text in texts_of(value) for word in words_typed(text))  # fmt: skip
        return event.by in self._known and all(map(self.may_know, words))

    def may_know(self, word: str) -> bool:
        """Whether everybody there may know what a word of an event names: one of them, their group, what they see."""
        if word in self._known or _TIME.fullmatch(word):
            return True
        if is_entity_id(word):
            return is_group(word) and self._is_theirs({one.id for one in self._world.groups.get(word, ())})
        labels = self._world.memories.get(word.rpartition(":")[2])
        return labels is not None and self._readers.denial(labels) is None

    def _is_theirs(self, members: Iterable[str]) -> bool:
        """Whether a group has them all as members, and nobody else but the owner."""
        return self._people <= {*members, self._world.owner} and {*members} <= self._known


def _members(values: Mapping[str, Any]) -> set[str]:
    return {one["id"] for one in values.get("members") or ()}
