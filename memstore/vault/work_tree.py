"""The one implementation of `history.facets.WorkTree`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.errors import MemstoreError
from memstore.vault import pending
from memstore.vault.look import LOOK

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.core.change import Operation, Pending
    from memstore.core.view import View


class VaultWorkTree:
    """The work tree of a vault as a view shows it."""

    def __init__(self, view: View) -> None:
        self._view, self._look = view, view.of(LOOK)

    def commit_at(self, when: str) -> str:
        self._view.require_owner()
        return pending.commit_at(self._look.ws, when)

    def committed(self) -> View:
        self._view.require_owner()
        return self._look.ws.view_at(pending.moment_of_head(self._look.ws, self._look.snapshot))

    def pending(self, *, since: str | None = None) -> Pending:
        return pending.pending(self._view, self._look.ws, self._look.snapshot, since=since)

    def own_pending(self) -> Mapping[str, bytes | None]:
        if self._look.is_owners:
            return pending.own_pending(self._look.ws)
        if not self._look.is_alone:
            return {}
        return pending.recorded_by(self._look.actor, pending.own_pending(self._look.ws))

    def unkept(self) -> Mapping[str, bytes]:
        return pending.unkept(self._look.ws)

    def may_commit(self) -> bool:
        from memstore.vault.transaction import can_commit

        try:
            can_commit(self._look.ws)
        except MemstoreError:
            return False
        return True

    def last_operation(self) -> Operation | None:
        from memstore.vault.undoing import may_undo

        journal = self._look.ws.journal
        # Only the owner may know of, and take back, what somebody else did last.
        known = [journal.last()] if self._look.is_owners else []
        known.append(journal.last(self._look.actor))
        return next((last for last in known if last is not None and may_undo(self._view, last)), None)

    def journal_mark(self) -> Callable[[], None]:
        return self._look.ws.journal.mark(self._look.actor)
