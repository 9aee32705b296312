"""Who looks, in which context, at what time: what every decision about somebody else's memories starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.errors import RefusedError
from memstore.model.instants import instant

if TYPE_CHECKING:
    from memstore.model.world import ActiveContext, Session
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


def _said(trouble: str, context: ActiveContext) -> str:
    if trouble == "context-expired" and context.expires_at:
        return f"the context {context.id} expired at {instant(context.expires_at)}"
    return "what is known of the active context can't be read, or does not name one context"
