"""What somebody may be told of contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.model.world import World


def told_of_contexts(view: View, world: World) -> World:
    """Return the world as the actor may be told of contexts: to others than the vault's owner, of their own ones.

    Of an open one anybody may know that it is there; who else is in it, only those who are listed.
    """
    if view.actor == view.config.owner:
        return world
    from dataclasses import replace

    from memstore.model.world import RegisteredContext
    from memstore.rules.standing import Standings

    listed = Standings(world, view.clock.now(), None).listener(view.actor).closed_by
    told = {
        name: context if name in listed else RegisteredContext(open=True)
        for name, context in world.contexts.items()
        if name in listed or context.open
    }
    return replace(world, contexts=told)
