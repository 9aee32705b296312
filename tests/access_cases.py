"""The published cases of access: their shorthand, read into the values that decisions are made from."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memstore.access.world import (
    ActiveContext,
    Consent,
    Delegation,
    Effect,
    Entity,
    Kind,
    Labels,
    Member,
    RegisteredContext,
    Revocation,
    Session,
    World,
)
from memstore.core.memory import Generalization

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
OWNER = "si:ash"

CASES = json.loads((Path(__file__).parent / "cases" / "access.json").read_text())

_LISTS = ("source_chain", "subject_ids", "access_grants", "access_denies", "consent_grants", "derived_from")
_PLAIN = ("owner", "status", "source_entity", "context", "generalized")


def world_of(row: dict[str, Any]) -> World:
    """Return the world that a row names, with its patch and its consents."""
    world = _merged(CASES["worlds"][row["world"]], row.get("patch", {}))
    records = row["consents"] if isinstance(row.get("consents"), list) and "session" in row else world["consents"]
    return World(
        owner=world["owner"],
        entities={name: _entity(value) for name, value in world["entities"].items()},
        groups={name: tuple(map(_member, members)) for name, members in world["groups"].items()},
        contexts={name: _registered(value) for name, value in world["contexts"].items()},
        consents=tuple(_consent(record) for record in records if record["type"] == "consent"),
        delegations=tuple(_delegation(record) for record in records if record["type"] == "delegation"),
        revocations=tuple(_revocation(record) for record in records if record["type"] == "revocation"),
        memories={name: labels_from(name, value) for name, value in world["memories"].items()},
    )


def session_of(session: dict[str, Any]) -> Session:
    """Return the session that a row describes."""
    return Session(
        viewer=session["viewer"],
        at=_time(session["at"]),
        context=context_of(session.get("context")),
        alone=session.get("self", False),
    )


def context_of(context: dict[str, Any] | None) -> ActiveContext | None:
    """Return the context that a session is in."""
    if context is None:
        return None
    return ActiveContext(
        id=context["id"],
        participants=tuple(context.get("participants") or ()),
        expires_at=_end(context),
        ambiguous=context.get("ambiguous", False),
    )


def labels_from(memory_id: str, value: dict[str, Any]) -> Labels:
    """Return the labels of a memory; what is no list where one belongs makes them malformed, and is never iterated."""
    lists = {name: value[name] for name in _LISTS if value.get(name)}
    upstream = value.get("upstream_grants", [])
    fine = all(map(_is_list_of_text, [*lists.values(), *upstream]))
    fields: dict[str, Any] = {name: value[name] for name in _PLAIN if value.get(name)}
    if fine:
        fields |= {name: tuple(texts) for name, texts in lists.items()}
    return Labels(
        id=memory_id,
        malformed=not fine,
        upstream_grants=tuple(map(tuple, upstream)),
        generalization=Generalization(**value["generalization"]) if "generalization" in value else None,
        **fields,
    )


def with_memory(world: World, memory: Labels) -> World:
    """Return the world with this memory in place of the one with its id."""
    return world._replace(memories={**world.memories, memory.id: memory})


def vault(*memories: Labels, **more: Any) -> World:
    """Return a world of these memories, all of `OWNER` unless they say otherwise."""
    return World(owner=OWNER, memories={memory.id: memory for memory in memories}, **more)


def by(viewer: str, context: ActiveContext | None = None) -> Session:
    """Return the session of somebody who looks now."""
    return Session(viewer=viewer, at=NOW, context=context)


def _merged(base: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Return `base` with `patch` in it: maps are merged, all else is replaced."""
    merged = dict(base)
    for key, value in patch.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _end(value: dict[str, Any]) -> datetime | None:
    end = value.get("expires_at") or value.get("until")
    return _time(end) if end else None


def _entity(value: dict[str, Any]) -> Entity:
    return Entity(
        aliases=tuple(value.get("aliases", ())),
        guardians=tuple(value.get("guardians", ())),
        kind=Kind(value["kind"]) if "kind" in value else None,
        roles=tuple(value.get("roles", ())),
    )


def _member(value: str | dict[str, Any]) -> Member:
    if isinstance(value, str):
        return Member(id=value)
    return Member(id=value["id"], since=_time(value["from"]) if "from" in value else None, until=_end(value))


def _registered(value: dict[str, Any]) -> RegisteredContext:
    roles = {name: (held,) if isinstance(held, str) else tuple(held) for name, held in value.get("roles", {}).items()}
    return RegisteredContext(
        roster=tuple(value.get("roster", ())),
        open=value.get("open", False),
        roles=roles,
        default_access=tuple(value.get("default_access", ())),
    )


def _consent(record: dict[str, Any]) -> Consent:
    return Consent(
        id=record["id"],
        grantor=record["grantor"],
        grantee=record["grantee"],
        scope=record["scope"],
        granted_at=_time(record["granted_at"]),
        expires_at=_end(record),
        effect=Effect(record.get("effect", "permit")),
        on_behalf_of=record.get("on_behalf_of"),
    )


def _delegation(record: dict[str, Any]) -> Delegation:
    return Delegation(
        id=record["id"],
        grantor=record["grantor"],
        delegate=record["delegate"],
        scope=record["scope"],
        granted_at=_time(record["granted_at"]),
        expires_at=_end(record),
    )


def _revocation(record: dict[str, Any]) -> Revocation:
    return Revocation(revokes=record["revokes"], by=record["by"], at=_time(record["at"]))
