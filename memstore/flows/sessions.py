"""Who looks, in which context, at what time: what every decision about somebody else's memories starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.errors import RefusedError
from memstore.model.instants import instant

if TYPE_CHECKING:
    from memstore.model.world import ActiveContext, Session, World
    from memstore.ports.workspace import Workspace


def session_of(ws: Workspace) -> Session:
    """Return who looks now, and in which context.

    Raises:
        RefusedError: the context has expired, or is not one context; that is never taken for no context.
    """
    from memstore.model.world import Session

    session = Session(viewer=ws.actor, at=ws.clock.now(), context=ws.contexts.current(), alone=ws.alone)
    if session.context is None:
        return session
    from memstore.rules.judge import context_trouble

    if trouble := context_trouble(session):
        raise RefusedError(_said(trouble, session.context), hint="memstore context enter CTX, or context leave")
    return session


def told_of_contexts(ws: Workspace, world: World) -> World:
    """Return the world as the actor may be told of contexts: to others than the vault's owner, of their own ones.

    Of an open one anybody may know that it is there; who else is in it, only those who are listed.
    """
    if ws.actor == ws.config.owner:
        return world
    from dataclasses import replace

    from memstore.model.world import RegisteredContext
    from memstore.rules.standing import Standings

    listed = Standings(world, ws.clock.now(), None).listener(ws.actor).closed_by
    told = {
        name: context if name in listed else RegisteredContext(open=True)
        for name, context in world.contexts.items()
        if name in listed or context.open
    }
    return replace(world, contexts=told)


def _said(trouble: str, context: ActiveContext) -> str:
    if trouble == "context-expired" and context.expires_at:
        return f"the context {context.id} expired at {instant(context.expires_at)}"
    return "what is known of the active context can't be read, or does not name one context"
