"""Keep in mind what others were shown, and what they asked for in vain; the owner alone leaves no such trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.flows.visible import sees_unreadable, stop_for_others
from memstore.ports.access_log import Access

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.ports.search_index import Catalog
    from memstore.ports.workspace import Workspace


def note_shown(ws: Workspace, how: str, memory_ids: Iterable[str]) -> None:
    """Remember which memories somebody else was told of."""
    if not sees_unreadable(ws):
        _note(ws, how, shown=tuple(dict.fromkeys(one for one in memory_ids if one)))


def note_denied(ws: Workspace, catalog: Catalog, memory_id: str) -> None:
    """Remember that somebody else asked for a memory by its id that is there, and that they may not see."""
    if not sees_unreadable(ws) and catalog.rows_of_id(memory_id):
        _note(ws, "named", denied=(memory_id,))


def looks(ws: Workspace) -> tuple[Access, ...]:
    """Return what others were shown and denied on this machine, the latest first.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
    """
    stop_for_others(ws)
    return tuple(ws.access_log.accesses())[::-1]


def _note(ws: Workspace, how: str, *, shown: tuple[str, ...] = (), denied: tuple[str, ...] = ()) -> None:
    context = ws.contexts.current()
    ws.access_log.record(
        Access(ws.clock.now(), ws.actor, context.id if context else None, how, shown=shown, denied=denied)
    )
