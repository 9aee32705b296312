"""Who sees a memory as it is typed, besides its owner: told to the vault's owner alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.access import RIGHTS
from memstore.access.policy import labels_of
from memstore.access.sight import listeners, seers
from memstore.core.harmless import safe_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.memory import Memory
    from memstore.core.view import View

_MOST_NAMES = 8
EVERYBODY = "*"


def listeners_of(view: View) -> Sequence[str]:
    """Return everybody who may listen to the vault's owner."""
    return listeners(view.of(RIGHTS).policy)


def seen_by(view: View, memory: Memory, heard_by: Sequence[str]) -> tuple[str, ...]:
    """Return who sees a memory besides its owner; to others than the vault's owner, nobody is named.

    Args:
        view: the vault, as it is saved.
        memory: the memory, as it is typed.
        heard_by: what `listeners_of` returned.
    """
    if not view.is_owners:
        return ()
    found = seers(view.of(RIGHTS).policy, view.clock.now(), heard_by, {0: labels_of(memory)})[0]
    return tuple(sorted({f"{one.entity} in {one.context}" if one.context else one.entity for one in found}))


def gained(view: View, before: Memory, after: Memory, heard_by: Sequence[str]) -> tuple[str, ...]:
    """Return who sees a memory after a change and did not before."""
    saw = seen_by(view, before, heard_by)
    return () if EVERYBODY in saw else tuple(one for one in seen_by(view, after, heard_by) if one not in saw)


def in_words(names: Sequence[str]) -> str:
    """Return who sees something, in a few words."""
    if EVERYBODY in names:
        return "everybody"
    if not names:
        return "its owner alone"
    shown = ", ".join(map(safe_line, names[:_MOST_NAMES]))
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"
