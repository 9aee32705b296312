"""Who somebody is at a moment: their kind, their guardians, and all the names under which a grant reaches them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.access.world import Entity, Kind
from memstore.core.ids import is_entity_id
from memstore.core.memory import EVERYBODY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memstore.access.world import ActiveContext, Member, World

_KIND_OF_NAMESPACE: Mapping[str, Kind] = {
    "human": Kind.PERSON,
    "si": Kind.AGENT,
    **dict.fromkeys(("vet", "doctor", "teacher", "therapist"), Kind.PROFESSIONAL),
    **dict.fromkeys(("org", "group"), Kind.ORGANISATION),
    **dict.fromkeys(("dog", "cat", "pet", "animal"), Kind.WARD),
    **dict.fromkeys(("condition", "topic", "place", "project", "role", "ctx"), Kind.TOPIC),
    **dict.fromkeys(("doc", "web", "tool", "repo", "stack"), Kind.ARTEFACT),
}

# An unknown namespace counts as a person wherever that closes: it listens, holds confidences, has to consent.
_CAN_LISTEN = frozenset({Kind.PERSON, Kind.AGENT, Kind.PROFESSIONAL, Kind.ORGANISATION, Kind.UNKNOWN})
_HOLDS_CONFIDENCE = frozenset({Kind.PERSON, Kind.AGENT, Kind.UNKNOWN})
_NEEDS_NO_CONSENT = frozenset({Kind.TOPIC, Kind.ARTEFACT})

_UNREGISTERED = Entity()


def kind_of(world: World, entity: str) -> Kind:
    """Return what an entity is: what the registry says, else what its namespace does."""
    registered = world.entities.get(entity, _UNREGISTERED).kind
    return registered or _KIND_OF_NAMESPACE.get(entity.partition(":")[0], Kind.UNKNOWN)


def can_listen(world: World, entity: str) -> bool:
    """Whether somebody of this kind can take in what is said; a dog, a topic and a document can't."""
    return kind_of(world, entity) in _CAN_LISTEN


def holds_confidence(world: World, entity: str) -> bool:
    """Whether what this entity told is told in confidence."""
    return kind_of(world, entity) in _HOLDS_CONFIDENCE


def needs_consent(world: World, entity: str) -> bool:
    """Whether a memory about this entity is private to it."""
    return kind_of(world, entity) not in _NEEDS_NO_CONSENT


def guardians_of(world: World, entity: str) -> tuple[str, ...]:
    """Return who speaks for an entity that does not speak for itself; empty for most."""
    return world.entities.get(entity, _UNREGISTERED).guardians


@dataclass(frozen=True, slots=True)
class Listener:
    """Somebody who would see a memory, with the names that grants (`opened_by`) and denials (`closed_by`) may use.

    Who can't listen, or is nobody, has no names that open anything. `roles_unknown` says that what they are here can't
    be read: they may have any role.
    """

    id: str
    opened_by: frozenset[str]
    closed_by: frozenset[str]
    roles_unknown: bool = False

    @property
    def is_somebody(self) -> bool:
        """Whether anything at all could be shown to them."""
        return bool(self.opened_by)

    def may_be_meant(self, name: str) -> bool:
        """Whether a denial or a refusal by this name may be about them."""
        return name in self.closed_by or (self.roles_unknown and name.startswith("role:"))


class Standings:
    """Who is who at one time and in one context; groups are followed once.

    Args:
        world: the registries.
        at: the time, UTC.
        context: the context that is active, neither expired nor ambiguous; or None.
    """

    def __init__(self, world: World, at: datetime, context: ActiveContext | None) -> None:
        self._world = world
        self._at = at
        self._context = context.id if context else None
        self._groups_of_member = self._memberships()
        # Who is in these can't be read: nobody, for a grant, and everybody, for a denial.
        self._perhaps_in = set(world.doubtful).union(*map(self._groups, world.doubtful))

    def listener(self, entity: str) -> Listener:
        """Return somebody who listens; ids compare exactly, and a malformed one is nobody."""
        if not is_entity_id(entity) or not can_listen(self._world, entity):
            return Listener(entity, frozenset(), frozenset({EVERYBODY, entity}))
        own = self._groups(entity) | self._roles(entity) | {entity, EVERYBODY}
        listed = {name for name, context in self._world.contexts.items() if not own.isdisjoint(context.roster)}
        opened_by = own | ({self._context} if self._admits(listed) and self._context else set())
        # A denial counts however they come: from the context, or from its roster.
        closed_by = own | listed | self._perhaps_in | ({self._context} if self._context else set())
        roles_unknown = not self._world.doubtful.isdisjoint({entity, self._context or ""})
        return Listener(entity, frozenset(opened_by), frozenset(closed_by), roles_unknown)

    def grantee(self, name: str) -> Listener:
        """Return whoever a new grant to `name` (an entity, a group, a role, a context, `*`) would admit, as one."""
        names = frozenset(self._groups(name) | self._roles(name) | {name, EVERYBODY})
        return Listener(name, names, names)

    def _admits(self, listed: set[str]) -> bool:
        """Whether the active context is registered, and open or on the list of contexts that name the listener."""
        context = self._world.contexts.get(self._context or "")
        return context is not None and (context.open or self._context in listed)

    def _roles(self, entity: str) -> set[str]:
        """Return the roles that the registries give: the entity's own, and those it has in the active context."""
        roles = set(self._world.entities.get(entity, _UNREGISTERED).roles)
        context = self._world.contexts.get(self._context or "")
        return roles.union(context.roles.get(entity, ())) if context else roles

    def _groups(self, entity: str) -> set[str]:
        """Return all groups that an entity is in, directly or through other groups; circles end."""
        found: set[str] = set()
        waiting = [entity]
        while waiting:
            new = self._groups_of_member.get(waiting.pop(), set()) - found
            found |= new
            waiting.extend(new)
        return found

    def _memberships(self) -> dict[str, set[str]]:
        groups_of_member: dict[str, set[str]] = {}
        for group, members in self._world.groups.items():
            for member in members:
                if self._is_in(member):
                    groups_of_member.setdefault(member.id, set()).add(group)
        return groups_of_member

    def _is_in(self, member: Member) -> bool:
        joined = member.since is None or member.since <= self._at
        return joined and (member.until is None or self._at < member.until)
