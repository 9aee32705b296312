"""Who sees a memory as it is typed, besides its owner: told to the vault's owner alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.access import RIGHTS, sight
from memstore.access.policy import labels_of
from memstore.core.harmless import safe_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.access.sight import Seen
    from memstore.core.memory import Memory
    from memstore.core.view import View

_MOST_NAMES = 8


def listeners_of(view: View) -> Sequence[str]:
    """Return everybody who may listen to the vault's owner."""
    return sight.listeners(view.of(RIGHTS).policy)


def seen_by(view: View, memory: Memory, heard_by: Sequence[str]) -> str | None:
    """Return in a few words who sees a memory besides its owner; None to others than the vault's owner.

    Args:
        view: the vault, as it is saved.
        memory: the memory, as it is typed.
        heard_by: what `listeners_of` returned.
    """
    if not view.is_owners:
        return None
    world, labels = view.of(RIGHTS).policy, labels_of(memory)
    owner = labels.owner or world.owner
    found = sight.seers(world, view.clock.now(), heard_by, {0: labels})[0]
    return _in_words(sight.in_short(found, [name for name in heard_by if name != owner])) or "its owner alone"


def gained(view: View, before: Memory, after: Memory, heard_by: Sequence[str]) -> str | None:
    """Return in a few words who sees a memory after a change and did not before; empty if nobody does.

    None to others than the vault's owner.
    """
    if not view.is_owners:
        return None
    world = view.of(RIGHTS).policy
    return _in_words(sight.gained(world, labels_of(before), labels_of(after), view.clock.now(), heard_by))


def _in_words(seen: Seen) -> str:
    shown = safe_line(sight.in_words(seen.by[:_MOST_NAMES], but=seen.but[:_MOST_NAMES]))
    more = max(0, len(seen.by) - _MOST_NAMES)
    return f"{shown} and {more} more" if more else shown
