"""What others were shown of a vault, and what they asked for in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.ports.access_log import Access


def looks(view: View) -> tuple[Access, ...]:
    """Return what others were shown and denied on this machine, the latest first.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
    """
    view.require_owner()
    return tuple(view.access_log.accesses())[::-1]
