"""Contexts: registered by the vault's owner, who belongs to them and what is granted on what is made in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from memstore.errors import RefusedError, UsageError
from memstore.flows.entities import role_id
from memstore.flows.registry import Saving, create, entity_id, found, plain, registered, stop_unless_owner, texts
from memstore.flows.visible import sees_unreadable
from memstore.model.registry import RegistryKind
from memstore.model.sharing import EVERYBODY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.codec.render import Plain
    from memstore.flows.registry import About, Registered
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownContext:
    """One context as the registry has it."""

    id: str
    path: str
    roster: tuple[str, ...]
    open: bool
    default_access: tuple[str, ...]


class AboutContext(Saving, total=False):
    """What may be said of a context; all of it is optional.

    `roster` is who belongs to it, `open` that anybody may be listening, `default_access` what is granted on all that is
    made in it, `roles` which roles an entity holds while it is active.
    """

    roster: Sequence[str]
    open: bool
    default_access: Sequence[str]
    roles: Mapping[str, Sequence[str]]


def add_context(ws: Workspace, context: str, **said: Unpack[AboutContext]) -> Registered:
    """Register a context.

    >>> memstore.add_context(ws, "ctx:bella_care", roster=["human:sean", "si:bella_agent", "dog:bella"]).path
    'contexts/bella_care.yaml'

    Args:
        ws: the vault.
        context: its id, `ctx:…`.
        said: what else is known of it, `AboutContext`.

    Raises:
        UsageError: an id is none.
        RefusedError: somebody else than the vault's owner acts, or it is registered already.
    """
    stop_unless_owner(ws, "register contexts")
    context_id(context)
    if file := found(ws, RegistryKind.CONTEXT, context):
        raise RefusedError(f"{context} is registered already: {file.path}", hint="change its file in an editor")
    roster = [entity_id(name, "who belongs to it") for name in said.get("roster", ())]
    access = [name if name == EVERYBODY else entity_id(name, "grant") for name in said.get("default_access", ())]
    roles: dict[str, Plain] = {
        entity_id(name, "holder of a role"): plain(role_id(role) for role in held)
        for name, held in said.get("roles", {}).items()
    }
    values: dict[str, Plain] = {
        "id": context,
        "roster": plain(roster),
        "open": said.get("open") or None,
        "roles": roles or None,
        "default_access": plain(access),
    }
    about: About = {"context": context, "roster": roster}
    saving: Saving = {"dry_run": said.get("dry_run", False), "commit": said.get("commit", False)}
    return create(ws, RegistryKind.CONTEXT, values, verb="context add", about=about, **saving)


def contexts(ws: Workspace) -> tuple[KnownContext, ...]:
    """Return all registered contexts, by id; anybody but the vault's owner learns of those that list them."""
    known = [
        KnownContext(
            id=file.values["id"],
            path=file.path,
            roster=texts(file.values, "roster"),
            open=bool(file.values.get("open")),
            default_access=texts(file.values, "default_access"),
        )
        for file in registered(ws, RegistryKind.CONTEXT)
    ]
    return tuple(one for one in known if sees_unreadable(ws) or ws.actor in one.roster)


def context_id(text: str) -> str:
    """Return a context's id as it was given; `UsageError` where it is none."""
    if not text.startswith("ctx:"):
        raise UsageError(f"context {text!r} is no context id", hint=f"write like ctx:{text.partition(':')[2] or text}")
    return entity_id(text, "context")
