"""Moments: how long what was decided stays true while nobody writes anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memstore.model.world import Session, World


def steady_until(world: World, session: Session) -> datetime | None:
    """Return the first moment after the session's at which time alone may change a decision; None if there is none."""
    return min((at for at in _moments(world, session) if at is not None and at > session.at), default=None)


def _moments(world: World, session: Session) -> Iterator[datetime | None]:
    for members in world.groups.values():
        for member in members:
            yield member.since
            yield member.until
    for consent in world.consents:
        yield consent.granted_at
        yield consent.expires_at
    for delegation in world.delegations:
        yield delegation.granted_at
        yield delegation.expires_at
    for revocation in world.revocations:
        yield revocation.at
    if session.context:
        yield session.context.expires_at
