"""Uses on purpose: what counts as one is logged, for this user on this machine; no repository holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from memstore.core.view import View


# What counts as a use. Being listed, found or surfaced is none.
How = Literal["show", "expand", "cite", "accept"]


class Use(NamedTuple):
    """One use of a memory: when, in UTC, by which entity, and how (`How`; another version may know other words)."""

    memory_id: str
    at: datetime
    by: str
    how: str


class UsageLog(Protocol):
    """Remembers uses as well as it can; it never fails, since nothing but a number depends on it."""

    @property
    def path(self) -> Path | None:
        """Where it lies, there or not yet; None where nothing is remembered."""

    def record(self, use: Use) -> None:
        """Remember a use; forget it silently where that can't be done."""

    def uses(self, memory_ids: Collection[str] | None = None) -> Iterator[Use]:
        """Yield the uses of these memories, or of all, in no order; what can't be read is left out."""


# -- asking and noting -----------------------------------------------------------------------------


def record_use(view: View, memory_id: str | None, how: How) -> None:
    """Remember that the one who looks used a memory, which they may see; one without an id can't be remembered."""
    if memory_id:
        view.usage.record(Use(memory_id, view.clock.now(), view.actor, how))


def uses_of(view: View, memory_ids: Collection[str] | None = None) -> Mapping[str, list[Use]]:
    """Return the uses of these memories, or of all, by id, oldest first; those without any are left out.

    The log is its user's, so the vault's owner knows of everybody's uses. Anybody else knows of their own: what the
    owner reads must not show in what others are told.
    """
    sees_all = view.is_owners
    found: dict[str, list[Use]] = {}
    for use in view.usage.uses(memory_ids):
        if sees_all or use.by == view.actor:
            found.setdefault(use.memory_id, []).append(use)
    for uses in found.values():
        uses.sort()
    return found
