"""The data of an access decision: a memory's labels, the registries, who asks; and the answer.

This is kept apart from `policy` because the owner alone needs no policy, and the program starts faster without it. The
registries also define what somebody is at a moment: their kind, their guardians, and all names under which a grant
reaches them.
"""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.ids import is_entity_id
from memstore.core.memory import EVERYBODY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memstore.core.catalog import FileKind
    from memstore.core.memory import Generalization


class Kind(Enum):
    """What an entity is; this decides who listens, who holds a confidence, and whose consent is needed."""

    PERSON = "person"
    AGENT = "agent"
    PROFESSIONAL = "professional"
    ORGANISATION = "organisation"
    WARD = "ward"
    TOPIC = "topic"
    ARTEFACT = "artefact"
    UNKNOWN = "unknown"


class Entity(NamedTuple):
    """What the registry says about an entity; `kind` overrides what its namespace implies."""

    aliases: tuple[str, ...] = ()
    guardians: tuple[str, ...] = ()
    kind: Kind | None = None
    roles: tuple[str, ...] = ()


class Member(NamedTuple):
    """An entity or a group in a group, from `since` until just before `until`; None means without limit."""

    id: str
    since: datetime | None = None
    until: datetime | None = None


class RegisteredContext(NamedTuple):
    """A context as its owner registered it: who belongs to it, and the roles they hold while it is active.

    `open` means that anybody may be listening. `default_access` is granted on every memory made in it.
    """

    roster: tuple[str, ...] = ()
    open: bool = False
    roles: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    default_access: tuple[str, ...] = ()


class Effect(Enum):
    """What a consent record says."""

    PERMIT = "permit"
    REFUSE = "deny"


class Consent(NamedTuple):
    """A consent or a refusal, in force from `granted_at` until just before `expires_at`, unless revoked.

    `scope` is `mem:<id>`, a bare memory id, `ctx:<name>`, `subject:<entity>` or `source:<entity>`. `on_behalf_of` is
    the entity that a guardian or a delegate speaks for.
    """

    id: str
    grantor: str
    grantee: str
    scope: str
    granted_at: datetime
    expires_at: datetime | None = None
    effect: Effect = Effect.PERMIT
    on_behalf_of: str | None = None


class Delegation(NamedTuple):
    """A delegation: `delegate` may consent for `grantor` within `scope`, except to themselves; they can't delegate."""

    id: str
    grantor: str
    delegate: str
    scope: str
    granted_at: datetime
    expires_at: datetime | None = None


class Revocation(NamedTuple):
    """A revocation by `by` of the consent, refusal or delegation with the id `revokes`."""

    revokes: str
    by: str
    at: datetime


# Labels that say whose a memory is, whom it is about and who may see it: what is made from it is shown to nobody else.
ABOUT = (
    "owner", "scope", "subject_ids", "context", "access_grants", "access_denies", "consent_grants", "upstream_grants",
)  # fmt: skip


class Labels(NamedTuple):
    """The parts of a memory that decide who may see it; field names are the frontmatter's keys.

    `id` is empty if the memory has none. `malformed` says that the file could not be read properly; then all fields
    except `id` and `owner` are ignored.
    """

    id: str
    owner: str | None = None
    status: str = "active"
    source_entity: str | None = None
    source_chain: tuple[str, ...] = ()
    subject_ids: tuple[str, ...] = ()
    context: str | None = None
    access_grants: tuple[str, ...] = ()
    access_denies: tuple[str, ...] = ()
    consent_grants: tuple[str, ...] = ()
    upstream_grants: tuple[tuple[str, ...], ...] = ()
    derived_from: tuple[str, ...] = ()
    generalized: bool = False
    generalization: Generalization | None = None
    malformed: bool = False


class BlobLabels(NamedTuple):
    """What decides about the file in a blob: whether it is a memory, its names (title and aliases), and its labels.

    What can't be read has labels that are `malformed`, if it says whose id it has; a plain note has none.
    """

    kind: FileKind
    names: tuple[str, ...] = ()
    labels: Labels | None = None


class World(NamedTuple):
    """Everything that decisions are based on: the vault's owner, its registries, its consents, its memories by id.

    `keepers` are those of the group that owns a shared vault, by its charter; none in any other vault.

    `doubtful` names the entities, groups and contexts whose files are unreliable; `consents_in_doubt` says that a
    consent file is unreliable, and so may hide a refusal. Whatever could depend on them is denied.
    """

    owner: str
    entities: Mapping[str, Entity] = MappingProxyType({})
    groups: Mapping[str, tuple[Member, ...]] = MappingProxyType({})
    contexts: Mapping[str, RegisteredContext] = MappingProxyType({})
    consents: tuple[Consent, ...] = ()
    delegations: tuple[Delegation, ...] = ()
    revocations: tuple[Revocation, ...] = ()
    memories: Mapping[str, Labels] = MappingProxyType({})
    doubtful: frozenset[str] = frozenset()
    consents_in_doubt: bool = False
    keepers: frozenset[str] = frozenset()


class ActiveContext(NamedTuple):
    """The context somebody is in. No `participants` means its roster; without a roster, it is unknown who listens.

    `ambiguous` says that the state names more than one context, or none that can be read. `role` is the role that
    somebody claims; only roles from the registries open anything.
    """

    id: str
    participants: tuple[str, ...] = ()
    expires_at: datetime | None = None
    ambiguous: bool = False
    role: str | None = None


class Session(NamedTuple):
    """Who looks, in which context, at what time (UTC). `alone` is the owner's assurance that nobody else listens.

    `overheard` means that an unknown listener is assumed even without an active context. `within` is a session that
    bounds this one: what that one does not show, this one does not show either.
    """

    viewer: str
    at: datetime
    context: ActiveContext | None = None
    alone: bool = False
    overheard: bool = False
    within: Session | None = None


class Decision(NamedTuple):
    """The answer, and why; the reasons are for the owner alone. Anybody else gets `not-found` for whatever was denied.

    `rule` is the number of the privacy rule that decided, `who` the listeners that failed, `missing` the consents or
    sources that stand in the way (`source:human:sean`), `fix` a command that could help.
    """

    allowed: bool
    code: str
    rule: str | None = None
    who: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    fix: str | None = None


# -- principals ------------------------------------------------------------------------------------


_KIND_OF_NAMESPACE: Mapping[str, Kind] = {
    "human": Kind.PERSON,
    "si": Kind.AGENT,
    **dict.fromkeys(("vet", "doctor", "teacher", "therapist"), Kind.PROFESSIONAL),
    **dict.fromkeys(("org", "group"), Kind.ORGANISATION),
    **dict.fromkeys(("dog", "cat", "pet", "animal"), Kind.WARD),
    **dict.fromkeys(("condition", "topic", "place", "project", "role", "ctx"), Kind.TOPIC),
    **dict.fromkeys(("doc", "web", "tool", "repo", "stack"), Kind.ARTEFACT),
}

# An unknown namespace counts as a person wherever that is the stricter choice: it listens, holds confidences and must
# consent.
_CAN_LISTEN = frozenset({Kind.PERSON, Kind.AGENT, Kind.PROFESSIONAL, Kind.ORGANISATION, Kind.UNKNOWN})
_HOLDS_CONFIDENCE = frozenset({Kind.PERSON, Kind.AGENT, Kind.UNKNOWN})
_NEEDS_NO_CONSENT = frozenset({Kind.TOPIC, Kind.ARTEFACT})

_UNREGISTERED = Entity()


def kind_of(world: World, entity: str) -> Kind:
    """Return what an entity is, according to the registry, or else to its namespace."""
    registered = world.entities.get(entity, _UNREGISTERED).kind
    return registered or _KIND_OF_NAMESPACE.get(entity.partition(":")[0], Kind.UNKNOWN)


def can_listen(world: World, entity: str) -> bool:
    """Whether an entity of this kind can take in what is said; a dog, a topic and a document can't."""
    return kind_of(world, entity) in _CAN_LISTEN


def holds_confidence(world: World, entity: str) -> bool:
    """Whether what this entity tells is told in confidence."""
    return kind_of(world, entity) in _HOLDS_CONFIDENCE


def needs_consent(world: World, entity: str) -> bool:
    """Whether a memory about this entity is private to it."""
    return kind_of(world, entity) not in _NEEDS_NO_CONSENT


def guardians_of(world: World, entity: str) -> tuple[str, ...]:
    """Return who speaks for an entity that does not speak for itself; empty for most."""
    return world.entities.get(entity, _UNREGISTERED).guardians


def ids_in_scopes(world: World) -> frozenset[str]:
    """Return the ids of the memories that consents are about."""
    scopes = [consent.scope for consent in world.consents] + [delegation.scope for delegation in world.delegations]
    return frozenset(scope.removeprefix("mem:") for scope in scopes if ":" not in scope or scope.startswith("mem:"))


class Listener(NamedTuple):
    """Somebody who would see a memory, with the names that grants (`opened_by`) and denials (`closed_by`) may use.

    An entity that can't listen, or that has a malformed id, has no names that open anything. `roles_unknown` says that
    their roles can't be read: they may have any role. `member_of` are the groups that they are in.
    """

    id: str
    opened_by: frozenset[str]
    closed_by: frozenset[str]
    roles_unknown: bool = False
    member_of: frozenset[str] = frozenset()

    @property
    def is_somebody(self) -> bool:
        """Whether anything at all could be shown to this listener."""
        return bool(self.opened_by)

    def may_be_meant(self, name: str) -> bool:
        """Whether a denial or a refusal by this name may apply to this listener."""
        return name in self.closed_by or (self.roles_unknown and name.startswith("role:"))


class Standings:
    """Who is who at one time and in one context; the groups are resolved once.

    Args:
        world: the registries.
        at: the time, UTC.
        context: the active context, neither expired nor ambiguous; or None.
    """

    def __init__(self, world: World, at: datetime, context: ActiveContext | None) -> None:
        self._world = world
        self._at = at
        self._context = context.id if context else None
        self._groups_of_member = self._memberships()
        # The members of these can't be read: for a grant they count as nobody, for a denial as everybody.
        self._perhaps_in = set(world.doubtful).union(*map(self._groups, world.doubtful))

    def listener(self, entity: str) -> Listener:
        """Return an entity as a listener; ids are compared exactly, and a malformed one opens nothing."""
        if not is_entity_id(entity) or not can_listen(self._world, entity):
            return Listener(entity, frozenset(), frozenset({EVERYBODY, entity}))
        own = self._names(entity)
        listed = self._listed(own)
        opened_by = own | ({self._context} if self._admits(listed) and self._context else set())
        closed_by = own | listed | self._perhaps_in | ({self._context} if self._context else set())
        groups = frozenset(self._groups(entity))
        return Listener(entity, frozenset(opened_by), frozenset(closed_by), self._roles_unknown(entity), groups)

    def grantee(self, name: str) -> Listener:
        """Return everyone whom a new grant to `name` (an entity, group, role, context or `*`) would admit, as one."""
        own = self._names(name)
        closed_by = own | self._listed(own) | self._perhaps_in
        return Listener(name, frozenset(own), frozenset(closed_by), self._roles_unknown(name))

    def _names(self, name: str) -> set[str]:
        return self._groups(name) | self._roles(name) | {name, EVERYBODY}

    def _listed(self, names: set[str]) -> set[str]:
        """Return the contexts with one of the names on their roster; a denial of a context counts for all of these."""
        return {
            context for context, registered in self._world.contexts.items() if not names.isdisjoint(registered.roster)
        }

    def _roles_unknown(self, entity: str) -> bool:
        return not self._world.doubtful.isdisjoint({entity, self._context or ""})

    def _admits(self, listed: set[str]) -> bool:
        """Whether the active context is registered, and is open or has the listener on its roster (`listed`)."""
        context = self._world.contexts.get(self._context or "")
        return context is not None and (context.open or self._context in listed)

    def _roles(self, entity: str) -> set[str]:
        """Return the roles that the registries give an entity: its own, and those in the active context."""
        roles = set(self._world.entities.get(entity, _UNREGISTERED).roles)
        context = self._world.contexts.get(self._context or "")
        return roles.union(context.roles.get(entity, ())) if context else roles

    def _groups(self, entity: str) -> set[str]:
        """Return all groups that an entity is in, directly or through other groups; cycles are safe."""
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
