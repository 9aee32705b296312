"""Registry files: who there is, which groups and contexts, who consented; the tables of their keys.

They are no memories: entities, consents and requests are Markdown with a frontmatter, groups and contexts plain YAML.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstore.model.keys import SIGNATURE_KEYS, Key, Shape
from memstore.rules.vault_places import RegistryKind

ENTITY_KINDS = ("person", "agent", "professional", "organisation", "ward", "topic", "artefact")
CONSENT_TYPES = ("consent", "delegation", "revocation")
EFFECTS = ("permit", "deny")
# Lies among the requests for consent, and asks for an attestation instead.
WITNESS_REQUEST = "witness-request"
METHODS = ("asserted", "quoted", "signed")


def _required(name: str, shape: Shape, choices: tuple[str, ...] = ()) -> Key:
    return Key(name, shape, choices, required=True)


MEMBER_KEYS = (_required("id", Shape.ENTITY), Key("from", Shape.DAY), Key("until", Shape.DAY))
ENTITY_KEYS = (
    _required("type", Shape.CHOICE, ("entity",)),
    _required("id", Shape.ENTITY),
    Key("kind", Shape.CHOICE, ENTITY_KINDS),
    Key("aliases", Shape.LINES),
    Key("email", Shape.LINE),
    Key("roles", Shape.ENTITIES),
    Key("guardians", Shape.ENTITIES),
    Key("controller", Shape.ENTITY),
    Key("sponsor", Shape.ENTITY),
)
GROUP_KEYS = (_required("id", Shape.ENTITY), Key("members", Shape.ENTRIES, entry=MEMBER_KEYS))
CONTEXT_KEYS = (
    _required("id", Shape.CONTEXT),
    Key("roster", Shape.ENTITIES),
    Key("open", Shape.FLAG),
    Key("roles", Shape.ROLES),
    Key("default_access", Shape.GRANTS),
)
CONSENT_KEYS = (
    _required("type", Shape.CHOICE, CONSENT_TYPES),
    _required("id", Shape.MEMORY_ID),
    Key("effect", Shape.CHOICE, EFFECTS),
    _required("grantor", Shape.ENTITY),
    Key("on_behalf_of", Shape.ENTITY),
    Key("grantee", Shape.GRANTEE),
    Key("scope", Shape.SAY_SCOPE),
    Key("revokes", Shape.MEMORY_ID),
    _required("granted_at", Shape.INSTANT),
    Key("expires_at", Shape.INSTANT),
    Key("reason", Shape.LINE),
    Key("method", Shape.CHOICE, METHODS),
    Key("evidence", Shape.LINE),
    Key("signature", Shape.ENTRY, entry=SIGNATURE_KEYS),
)
REQUEST_KEYS = (
    _required("type", Shape.CHOICE, ("request", WITNESS_REQUEST)),
    _required("id", Shape.MEMORY_ID),
    Key("grantor", Shape.ENTITY),
    Key("on_behalf_of", Shape.ENTITY),
    Key("grantee", Shape.GRANTEE),
    Key("scope", Shape.LINE),
    Key("requested_at", Shape.INSTANT),
    Key("requested_by", Shape.ENTITY),
    Key("reason", Shape.LINE),
    # Of a request for witnesses alone: what they are to read, and its digests.
    Key("ref", Shape.REF),
    Key("asked", Shape.ENTITIES),
    Key("content", Shape.LINE),
    Key("content_digest", Shape.LINE),
    Key("provenance", Shape.LINE),
    Key("provenance_digest", Shape.LINE),
)


@dataclass(frozen=True, slots=True)
class RegistryForm:
    """How files of one kind are written: their keys, and the namespace that a name leaves out.

    `namespace` is empty where the path says it (entities) or ids have none (consents, requests).
    """

    keys: tuple[Key, ...]
    namespace: str = ""


FORMS = {
    RegistryKind.ENTITY: RegistryForm(ENTITY_KEYS),
    RegistryKind.GROUP: RegistryForm(GROUP_KEYS, "group"),
    RegistryKind.CONTEXT: RegistryForm(CONTEXT_KEYS, "ctx"),
    RegistryKind.CONSENT: RegistryForm(CONSENT_KEYS),
    RegistryKind.REQUEST: RegistryForm(REQUEST_KEYS),
}


def expected_id(path: str, kind: RegistryKind) -> str:
    """Return the id that a registry file's path says it has."""
    names = path.removesuffix(kind.suffix).split("/")
    if kind is RegistryKind.ENTITY:
        return ":".join(names[-2:])
    namespace = FORMS[kind].namespace
    return f"{namespace}:{names[-1]}" if namespace else names[-1]


def is_named(registry_id: str, path: str, kind: RegistryKind) -> bool:
    """Whether an id is the one that a registry file's path says; organisations have members as groups have."""
    named = expected_id(path, kind)
    return registry_id == named or (kind is RegistryKind.GROUP and registry_id == f"org:{named.partition(':')[2]}")


def path_of(registry_id: str, kind: RegistryKind, *, year: str = "") -> str:
    """Return where the registry file of an id belongs; consents and requests lie by the year they were written in."""
    name = registry_id.replace(":", "/") if kind is RegistryKind.ENTITY else registry_id.rpartition(":")[2]
    return "/".join(part for part in (kind.value, year, f"{name}{kind.suffix}") if part)
