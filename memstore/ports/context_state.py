"""The context that somebody is in: one at a time for each acting entity and session of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memstore.model.world import ActiveContext

# How long a context lasts where nothing else is said; then it is an error, and never no context.
DEFAULT_HOURS = 12


class ContextState(Protocol):
    """Where it is kept that somebody entered a context."""

    @property
    def declared(self) -> str | None:
        """The context that this process was told (`--context`, MEMSTORE_CONTEXT), which stands before what is kept."""

    def current(self) -> ActiveContext | None:
        """Return the active context, expired or not; an ambiguous one where what is kept can't be read."""

    def enter(self, context: ActiveContext) -> None:
        """Keep that this context was entered, in place of the one before; it must say when it expires."""

    def leave(self) -> None:
        """Keep that no context is active; whatever was kept is gone."""
