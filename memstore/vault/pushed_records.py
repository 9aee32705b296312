"""The vault's records in a push: groups, events and verdicts that name nothing but what all who read there may know."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memstore.access import registry
from memstore.access.audit import DECIDES, SETTING_EVENT
from memstore.access.audit_events import read as audit_event
from memstore.access.audit_events import texts_of, write
from memstore.access.registry import RegistryFile
from memstore.core.digests import DIGEST_PREFIX
from memstore.core.ids import ENTITY_ID_PATTERN, ID_ALPHABET, ID_RANDOM_CHARACTERS, MEMORY_TYPES, is_entity_id, is_group
from memstore.core.memory import EVERYBODY
from memstore.core.places import RegistryKind, is_audit_path, kind_of
from memstore.core.word_lists import listed
from memstore.files.config_file import words_typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstore.access.audience import Readers
    from memstore.access.audit_events import AuditEvent
    from memstore.access.world import World

# The words of the commands that are recorded, and what an event may be about. Nobody can put other words there.
_COMMANDS = listed("""
    --fix --lift accept add adopt alias anchor archive basic-memory capture chatgpt check claude claude-code commit
    compress config consent consolidate context contradict delegate edit email enter entity fix-provenance fmt forget
    found generalize graduate grant group guardian import jsonl judge kernle key keys leave markdown mem0 merge mv of
    okf openclaw plan privacy promote propagate push quarantine recompute refuse reinforce reject remove request
    request-witness resolve resolve-conflict restore retract revise revoke rotate seal seeds server-memory set share
    sign split suggestions supersede tag today undo unseal withdraw witness
""")
_ABOUT = listed("""
    acknowledged asked changed consent consents context default_access denied email entity grantee grantor group
    guardians keepers kind members memory of on_behalf_of open owner reason remote removed request revokes roles
    roster says scope sources to unadopted until whom withdrawn
""")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?")
_DIGEST = re.compile(rf"{DIGEST_PREFIX}[0-9a-f]{{64}}")
_EVENT_ID = re.compile(rf"ev_[{ID_ALPHABET}]{{{ID_RANDOM_CHARACTERS}}}")
_GROUP_WORDS = frozenset({"id:", "keepers:", "members:", "from:", "until:", "-"})
_ENTITY = re.compile(rf"\b{ENTITY_ID_PATTERN}")
_WORD = re.compile(r"""[^\s{}\[\](),;"'`<>]+""")


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
            return event is not None and says_no_more(event) and self._is_known_event(event)
        kind = kind_of(path)
        file = registry.read(path, kind, data) if kind in (RegistryKind.GROUP, RegistryKind.VERDICT) else None
        if not isinstance(file, RegistryFile):
            return False
        text = data.decode(errors="replace")
        if kind is RegistryKind.VERDICT:  # the texts in it are read like a message: `push_refusals`
            named = (file.values["judged_by"], *(side["ref"].partition(":")[2] for side in file.values["judged"]))
            entities = (word.rstrip(".") for word in _ENTITY.findall(text.casefold()) if _names_somebody(word))
            return all(map(self.may_know, (*named, *entities)))
        words = [word for word in _WORD.findall(text) if word not in _GROUP_WORDS and word != file.values["id"]]
        is_named = registry.is_named(file.values["id"], path, RegistryKind.GROUP)
        return is_named and self._is_theirs(_members(file.values)) and all(map(self.may_know, words))

    def _is_known_event(self, event: AuditEvent) -> bool:
        said = [(key, text) for key, value in event.about.items() for text in texts_of(value)]
        words = (word for key, text in said if key not in ("says", "of") for word in words_typed(text))
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


def _names_somebody(word: str) -> bool:
    """Whether what has the form of an entity's id is no memory's ref and no digest."""
    return word.partition(":")[0] not in (*MEMORY_TYPES, DIGEST_PREFIX.rstrip(":"))


def says_no_more(event: AuditEvent) -> bool:
    """Whether an event is as a command writes it: nothing in it is free text but what names somebody or something."""
    alike = audit_event(*write(event_id=event.id, at=event.at, by=event.by, event=event.event, about=event.about,
                               prev=event.prev))  # fmt: skip
    is_setting = event.event == SETTING_EVENT
    keys = {key.partition(".")[0] if is_setting else key for key in event.about}
    digests = (*event.prev, *texts_of(event.about.get("says")))
    commands = " ".join((event.event, *texts_of(event.about.get("of")))).split()
    return (
        event.is_sound
        and alike is not None
        and (alike.path, alike.computed) == (event.path, event.digest)
        and keys <= (DECIDES if is_setting else _ABOUT)
        and {*commands} <= _COMMANDS
        and all(isinstance(value, (str, list)) for value in event.about.values())
        and all(isinstance(one, str) for value in event.about.values() if isinstance(value, list) for one in value)
        and _EVENT_ID.fullmatch(event.id) is not None
        and _TIME.fullmatch(event.at) is not None
        and all(map(_DIGEST.fullmatch, digests))
    )


def _members(values: Mapping[str, Any]) -> set[str]:
    return {one["id"] for one in values.get("members") or ()}
