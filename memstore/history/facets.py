"""What `memstore.history` has in a view: the work tree compared with its commits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.core.change import Operation, Pending
    from memstore.core.view import View


class WorkTree(Protocol):
    """What is in the work tree and not in the current commit, or the other way round."""

    def commit_at(self, when: str) -> str:
        """Return the commit that `when` names; raises as `View.at`."""

    def committed(self) -> View:
        """Return the committed state of the files that have since changed or gone; for the owner alone."""

    def pending(self, *, since: str | None = None) -> Pending:
        """Return the uncommitted changes that the actor may see, compared with the current commit or with `since`."""

    def own_pending(self) -> Mapping[str, bytes | None]:
        """Return the vault's own files with uncommitted changes, by path; None for a file that is gone.

        For anybody but the vault's owner, these are the records of what they did; none while others listen.
        """

    def unkept(self) -> Mapping[str, bytes]:
        """Return the files that `init` made and no commit has yet, by path, for whoever asks: a clone needs them."""

    def may_commit(self) -> bool:
        """Return whether a commit is possible just now."""

    def last_operation(self) -> Operation | None:
        """Return memstore's last operation here if the actor may undo it; None if not, or if it is unknown."""

    def journal_mark(self) -> Callable[[], None]:
        """Return what `core.view.Transaction.drop` needs to drop the operation that the actor does next."""
