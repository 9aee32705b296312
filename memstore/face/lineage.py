"""`vault.lineage` and `vault.history`: where a memory comes from, and how it changed over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from memstore.core.transaction import Saving
from memstore.face import given
from memstore.face.brief import brief

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memstore.core.view import View
    from memstore.face.given import Named, Names
    from memstore.history.diff import Diff
    from memstore.history.log import Log
    from memstore.history.purging import Purged
    from memstore.history.revisions import Blame
    from memstore.lineage.orphans import Orphans
    from memstore.lineage.repair import FixedProvenance
    from memstore.lineage.trace import Impact
    from memstore.lineage.values import Trace
    from memstore.memories.show import Expanded


@brief
class VaultLineage:
    """What a memory was made from, and what was made from it: `vault.lineage.trace(note)`.

    `trace`, `impact`, `expand`, `orphans`, `fix`.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view

    def trace(
        self, memory: Named, *, reverse: bool = False, depth: int | None = None, limit: int | None = None
    ) -> Trace:
        """Return the lineage of a memory.

        Args:
            memory: the memory.
            reverse: follow what was made from it instead of its sources.
            depth: how many edges to follow at most.
            limit: how many edges to return at most; those nearest to the memory are kept.
        """
        from memstore.lineage.trace import trace_memory
        from memstore.lineage.values import Direction

        way = Direction.DOWN if reverse else Direction.UP
        return trace_memory(
            self._view(),
            given.ref_of(memory),
            direction=way,
            depth=given.most("depth", depth),
            limit=given.most("limit", limit),
        )

    def impact(self, memories: Names, *, limit: int | None = None) -> Impact:
        """Return the memories that would lose support if these memories were gone."""
        from memstore.lineage.trace import impact_of

        return impact_of(self._view(), given.refs_of(memories), limit=given.most("limit", limit))

    def expand(self, memory: Named, *, full: bool = False) -> Expanded:
        """Return a memory with all that it names; a use of it. `full` adds a compressed memory's whole text."""
        from memstore.memories.show import expand

        return expand(self._view(), given.ref_of(memory), full=full)

    def orphans(self, *, limit: int | None = None) -> Orphans:
        """Return memories that don't say where they come from, and refs that lead nowhere."""
        from memstore.lineage.orphans import find_orphans

        return find_orphans(self._view(), limit=given.most("limit", limit))

    def fix(self, **saving: Unpack[Saving]) -> FixedProvenance:
        """Record on both sides what one side records, mark seed beliefs, link raw memories with what repeats them."""
        from memstore.lineage.repair import fix_provenance

        given.only(saving, Saving, "fix")
        return fix_provenance(self._view(), **saving)


@brief
class VaultHistory:
    """What happened, according to git; for the vault's owner alone: `vault.history.log(note)`.

    `log`, `blame`, `diff`, `purge`.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view

    def log(self, memory: Named | None = None, *, limit: int | None = None) -> Log:
        """Return what happened to a memory, or to all, newest first."""
        from memstore.history.log import log

        return log(self._view(), None if memory is None else given.ref_of(memory), limit=given.most("limit", limit))

    def blame(self, memory: Named) -> Blame:
        """Return the commit of each line of a memory's text, and of each entry of its confidence's history."""
        from memstore.history.revisions import blame

        return blame(self._view(), given.ref_of(memory))

    def diff(self, memory: Named | None = None, *, old: str | None = None, new: str | None = None) -> Diff:
        """Return what changed between two states, in a memory or in all.

        Args:
            memory: the memory; None means all.
            old: a commit or a date; None is the last commit.
            new: a commit or a date; None is now.
        """
        from memstore.history.diff import diff

        return diff(self._view(), None if memory is None else given.ref_of(memory), old, new)

    def purge(self, memories: Names, folder: str | Path) -> Purged:
        """Write a clone of the repository whose history never held what was forgotten; needs git-filter-repo.

        Args:
            memories: forgotten memories, and sealed ones, of which the plain text goes; committed as such.
            folder: where the clone goes; the repository itself stays as it is.
        """
        from memstore.memories.forget import purge

        return purge(self._view(), given.refs_of(memories), given.place(folder))
