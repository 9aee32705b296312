"""What access is decided from: a memory's labels, the registries they are read against, who asks; and the answer.

Apart from `policy`, because the owner alone needs none of that, and starts faster without.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memstore.core.memory import Generalization


class Kind(Enum):
    """What an entity is; it decides who listens, who holds a confidence, and whose consent is needed."""

    PERSON = "person"
    AGENT = "agent"
    PROFESSIONAL = "professional"
    ORGANISATION = "organisation"
    WARD = "ward"
    TOPIC = "topic"
    ARTEFACT = "artefact"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """What the registry says of an entity; `kind` overrides what its namespace says."""

    aliases: tuple[str, ...] = ()
    guardians: tuple[str, ...] = ()
    kind: Kind | None = None
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An entity or a group in a group, from `since` until just before `until`; None is without end."""

    id: str
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredContext:
    """A context as its owner registered it: who belongs to it, and the roles they hold while it is active.

    `open` means that anybody may be listening. `default_access` is granted on what is made in it.
    """

    roster: tuple[str, ...] = ()
    open: bool = False
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    default_access: tuple[str, ...] = ()


class Effect(Enum):
    """What a consent record says."""

    PERMIT = "permit"
    REFUSE = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """One consent, or refusal, in force from `granted_at` until just before `expires_at`, unless revoked.

    `scope` is `mem:<id>`, a bare memory id, `ctx:<name>`, `subject:<entity>` or `source:<entity>`. `on_behalf_of` is
    whom a guardian or a delegate speaks for.
    """

    id: str
    grantor: str
    grantee: str
    scope: str
    granted_at: datetime
    expires_at: datetime | None = None
    effect: Effect = Effect.PERMIT
    on_behalf_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """That `delegate` may consent for `grantor` within `scope`, to anybody but themselves, and no further."""

    id: str
    grantor: str
    delegate: str
    scope: str
    granted_at: datetime
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """That `by` takes back the consent, refusal or delegation with the id `revokes`."""

    revokes: str
    by: str
    at: datetime


# Whose it is, whom it is about, who may see it: what is made of a memory is shown to nobody else.
ABOUT = (
    "owner", "scope", "subject_ids", "context", "access_grants", "access_denies", "consent_grants", "upstream_grants",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What of a memory decides who may see it; field names are the frontmatter's keys.

    `id` is empty where the memory has none. `malformed` says that the file could not be read as it is meant: all
    fields but `id` and `owner` count for nothing then.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """All that decisions are made from: the vault's owner, its registries, its consents, its memories by id.

    `doubtful` names the entities, groups and contexts whose files can't be relied on; `consents_in_doubt` says that a
    consent's can't, which may hide a refusal. What could depend on them is denied.
    """

    owner: str
    entities: Mapping[str, Entity] = field(default_factory=dict)
    groups: Mapping[str, tuple[Member, ...]] = field(default_factory=dict)
    contexts: Mapping[str, RegisteredContext] = field(default_factory=dict)
    consents: tuple[Consent, ...] = ()
    delegations: tuple[Delegation, ...] = ()
    revocations: tuple[Revocation, ...] = ()
    memories: Mapping[str, Labels] = field(default_factory=dict)
    doubtful: frozenset[str] = frozenset()
    consents_in_doubt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveContext:
    """The context somebody is in. No `participants` means its roster, or else that nobody knows who listens.

    `ambiguous` says that the state names more than one context, or none that can be read. `role` is what somebody says
    they are there; only the registries' roles open anything.
    """

    id: str
    participants: tuple[str, ...] = ()
    expires_at: datetime | None = None
    ambiguous: bool = False
    role: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Who looks, in which context, at what time (UTC). `alone` is the owner's word that nobody else listens."""

    viewer: str
    at: datetime
    context: ActiveContext | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The answer, and why: for the owner alone. Anybody else gets `not-found` for whatever was denied.

    `rule` is the number of the rule of privacy that decided, `who` the listeners that failed, `missing` the consents or
    sources that stand in the way (`source:human:sean`), `fix` a command that could help.
    """

    allowed: bool
    code: str
    rule: str | None = None
    who: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    fix: str | None = None
