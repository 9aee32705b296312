"""Uses on purpose: what counts as one is remembered here, and asked for here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.ports.usage import Use

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from memstore.core.view import View
    from memstore.ports.usage import How


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
