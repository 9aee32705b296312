"""Build the world of access decisions from registry files; an unreliable file closes what depends on it."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from memstore.access import registry
from memstore.access.registry import RegistryFile, expected_id, is_named
from memstore.access.world import (
    Consent,
    Delegation,
    Effect,
    Entity,
    Kind,
    Member,
    RegisteredContext,
    Revocation,
    World,
)
from memstore.core.ids import MemoryRef, is_group
from memstore.core.places import RegistryKind, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Values = Mapping[str, Any]

_Said = TypeVar("_Said")

# Speaks for an entity whose file can't be relied on: nobody has this id, so nobody may consent for it.
_NOBODY = "?"
_PARTS_OF_AN_ENTITYS_PATH = 3


def world_of(owner: str, files: Iterable[tuple[str, bytes | None]], *, recorded: frozenset[str] = frozenset()) -> World:
    """Return the world of these registry files, without any memories.

    Args:
        owner: the vault's owner.
        files: path and bytes of each; None for bytes that can't be read.
        recorded: ids of consents, refusals and revocations that were recorded. If the file of one is missing, nobody
            knows what it refused, so all consents are in doubt.
    """
    return _Reading(files, recorded).world(owner)


class _Reading:
    """The files, read one by one: the values by id, and the ids that are in doubt."""

    def __init__(self, files: Iterable[tuple[str, bytes | None]], recorded: frozenset[str]) -> None:
        self._said: dict[RegistryKind, dict[str, list[Values]]] = {kind: defaultdict(list) for kind in RegistryKind}
        self._doubtful: set[str] = set()
        self._consents_in_doubt = False
        for path, data in files:
            kind = kind_of(path)
            if kind and kind.decides:
                self._read(path, kind, data)
        if not recorded <= self._said[RegistryKind.CONSENT].keys():
            self._consents_in_doubt = True

    def world(self, owner: str) -> World:
        consents: list[Consent] = []
        delegations: list[Delegation] = []
        revocations: list[Revocation] = []
        for values in (values for copies in self._said[RegistryKind.CONSENT].values() for values in copies):
            match _event(values):
                case Consent() as consent:
                    consents.append(consent)
                case Delegation() as delegation:
                    delegations.append(delegation)
                case Revocation() as revocation:
                    revocations.append(revocation)
                case None:
                    self._consents_in_doubt = True
        entities = self._by_id(RegistryKind.ENTITY, _entity)
        entities |= {name: Entity(kind=Kind.UNKNOWN, guardians=(_NOBODY,)) for name in self._doubtful}
        groups = self._by_id(RegistryKind.GROUP, _members)
        keepers = self._by_id(RegistryKind.GROUP, _keepers).get(owner, frozenset()) if is_group(owner) else frozenset()
        return World(
            owner=owner,
            entities=entities,
            groups=groups,
            contexts=self._by_id(RegistryKind.CONTEXT, _context),
            consents=tuple(consents),
            delegations=tuple(delegations),
            revocations=tuple(revocations),
            doubtful=frozenset(self._doubtful),
            consents_in_doubt=self._consents_in_doubt,
            keepers=keepers,
        )

    def _read(self, path: str, kind: RegistryKind, data: bytes | None) -> None:
        file = None if data is None else registry.read(path, kind, data)
        said = file.values if isinstance(file, RegistryFile) else None
        named = expected_id(path, kind)
        if said is None:
            self._doubt(path, kind, named)
        elif kind is not RegistryKind.CONSENT and not is_named(said["id"], path, kind):
            self._doubt(path, kind, named)
            self._doubt(path, kind, said["id"])
        else:
            self._said[kind][said["id"]].append(said)

    def _doubt(self, path: str, kind: RegistryKind, name: str) -> None:
        # An entity's file in an odd place may be about anybody, like a consent that can't be read.
        odd = kind is RegistryKind.ENTITY and path.count("/") + 1 != _PARTS_OF_AN_ENTITYS_PATH
        if kind is RegistryKind.CONSENT or odd:
            self._consents_in_doubt = True
        self._doubtful.add(name)

    def _by_id(self, kind: RegistryKind, made: Callable[[Values], _Said]) -> dict[str, _Said]:
        """Return the values of each id; an id with two files has neither's."""
        said = self._said[kind]
        self._doubtful |= {name for name, copies in said.items() if len(copies) > 1}
        return {name: made(copies[0]) for name, copies in said.items() if name not in self._doubtful}


def _entity(values: Values) -> Entity:
    kind = values.get("kind")
    return Entity(
        aliases=_texts(values, "aliases"),
        guardians=_texts(values, "guardians"),
        kind=Kind(kind) if kind else None,
        roles=_texts(values, "roles"),
    )


def _members(values: Values) -> tuple[Member, ...]:
    return tuple(
        Member(id=one["id"], since=_time(one.get("from")), until=_time(one.get("until")))
        for one in values.get("members") or ()
    )


def _keepers(values: Values) -> frozenset[str]:
    """Return the keepers of a group: people and agents; another group's members don't keep this one."""
    return frozenset(name for name in _texts(values, "keepers") if not is_group(name))


def _context(values: Values) -> RegisteredContext:
    return RegisteredContext(
        roster=_texts(values, "roster"),
        open=bool(values.get("open")),
        roles={who: tuple(roles) for who, roles in (values.get("roles") or {}).items()},
        default_access=_texts(values, "default_access"),
    )


def _event(values: Values) -> Consent | Delegation | Revocation | None:
    """Return what a consent's file records; None if it lacks a required key."""
    at = _time(values["granted_at"])
    record_id, grantor = values["id"], values["grantor"]
    grantee, scope = values.get("grantee"), values.get("scope")
    if at is None:
        return None
    if values["type"] == "revocation":
        revokes = values.get("revokes")
        return Revocation(revokes=revokes, by=grantor, at=at) if revokes else None
    if not (grantee and scope):
        return None
    if ref := MemoryRef.parse(scope):
        scope = f"mem:{ref.id}"
    shared: dict[str, Any] = {
        "id": record_id, "grantor": grantor, "scope": scope,
        "granted_at": at, "expires_at": _time(values.get("expires_at")),
    }  # fmt: skip
    if values["type"] == "delegation":
        # A delegation without an end is not valid, but a refusal may have been given under it.
        return Delegation(delegate=grantee, **shared) if shared["expires_at"] else None
    effect = Effect(values.get("effect") or Effect.PERMIT)
    return Consent(grantee=grantee, effect=effect, on_behalf_of=values.get("on_behalf_of") or None, **shared)


def _texts(values: Values, name: str) -> tuple[str, ...]:
    return tuple(values.get(name) or ())


def _time(text: str | None) -> datetime | None:
    """Return the instant that a text names; a day means its start, in UTC."""
    if not text:
        return None
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at
