"""What somebody sees of others' memories, or among others: decided for all at once, kept until something changes."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.errors import RefusedError
from memstore.model.instants import instant
from memstore.ports.verdicts import Verdict
from memstore.vault.registries import registries_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.model.memory import Memory
    from memstore.model.world import ActiveContext, Labels, Session, World
    from memstore.ports.search_index import Catalog, Snapshot
    from memstore.rules.judge import Judge
    from memstore.vault.labels import CatalogLabels
    from memstore.vault.workspace import Workspace

# What decides is imported where it is needed: mostly the last verdict still holds.


class Sight:
    """What the one who looks may see of a snapshot, by the registries as they are now.

    Args:
        ws: the vault.
        snapshot: gives its memories; asked for sources and copies alone where single memories are decided about.
    """

    def __init__(self, ws: Workspace, snapshot: Callable[[], Snapshot]) -> None:
        self._ws = ws
        self._taken = snapshot
        self._session = session_of(ws)
        self._registries = registries_of(ws)

    @cached_property
    def _snapshot(self) -> Snapshot:
        return self._taken()

    def hears_only(self, entity: str) -> bool:
        """Whether nobody but this entity listens."""
        from memstore.rules.judge import Judge

        return Judge(self._registries.world(), self._session).hears_only(entity)

    def rows(self) -> Sequence[int]:
        """Return the rows that may be seen, ascending."""
        state = self._snapshot.state
        if state is None:
            return self._decided()
        session, at = self._session, self._session.at.timestamp()
        viewer = repr((session.viewer, session.alone, session.context))
        state = hashlib.sha256(f"{state}\n{self._registries.digest}".encode(errors="surrogateescape")).hexdigest()
        kept = self._ws.verdicts.last(viewer)
        if kept and kept.state == state and kept.since <= at and (kept.until is None or at < kept.until):
            return kept.rows
        from memstore.rules.moments import steady_until

        rows = self._decided()
        until = steady_until(self._world, session)
        self._ws.verdicts.keep(viewer, Verdict(state, at, until.timestamp() if until else None, rows))
        return rows

    def sees(self, memory: Memory) -> bool:
        """Whether a memory may be seen as it was read, whatever the snapshot says; copies of it have a say too."""
        from memstore.rules.judge import labels_of

        labels = labels_of(memory)
        return self._admits(labels, self._labels.of_copies(labels.id, labels.owner))

    @cached_property
    def _labels(self) -> CatalogLabels:
        from memstore.vault.labels import CatalogLabels

        return CatalogLabels(self._snapshot.catalog)

    @cached_property
    def _world(self) -> World:
        return replace(self._registries.world(), memories=self._labels)

    @cached_property
    def _judge(self) -> Judge:
        from memstore.rules.judge import Judge

        return Judge(self._world, self._session)

    def _admits(self, labels: Labels, copies: Labels | None) -> bool:
        if self._judge.hears_only(labels.owner or self._world.owner):
            return True  # even what is left of a forgotten memory
        from memstore.rules.copies import both

        admitted = self._judge.admits(labels)
        return admitted if copies is None else admitted and self._judge.admits(both(labels, copies))

    def _decided(self) -> list[int]:
        """Decide about every memory; those that say the same are decided once."""
        from memstore.rules.sight import ids_in_scopes
        from memstore.vault.labels import COLUMNS

        catalog: Catalog = self._snapshot.catalog
        columns = [catalog.column(name) for name in COLUMNS]
        ids, labels = catalog.column("id"), self._labels
        named = ids_in_scopes(self._world)
        decided: dict[tuple[str, ...], bool] = {}
        lineage, seen = COLUMNS.index("derived_from"), []
        for row, memory_id in ((row, ids[row]) for row in catalog.memories):
            cells = tuple([column[row] for column in columns])
            if cells[lineage] or memory_id in named or memory_id in labels.copied:
                own = labels.of_row(row)
                sees = self._admits(own, labels.of_copies(memory_id, own.owner))
            else:
                known = decided.get(cells)
                sees = self._admits(labels.of_row(row), None) if known is None else known
                decided[cells] = sees
            if sees:
                seen.append(row)
        return seen


def session_of(ws: Workspace) -> Session:
    """Return who looks now, and in which context.

    Raises:
        RefusedError: the context has expired, or is not one context; that is never taken for no context.
    """
    from memstore.model.world import Session

    session = Session(viewer=ws.actor, at=ws.clock.now(), context=ws.contexts.current(), alone=ws.alone)
    if session.context is None:
        return session
    from memstore.rules.judge import context_trouble

    if trouble := context_trouble(session):
        raise RefusedError(_said(trouble, session.context), hint="memstore context enter CTX, or context leave")
    return session


def _said(trouble: str, context: ActiveContext) -> str:
    if trouble == "context-expired" and context.expires_at:
        return f"the context {context.id} expired at {instant(context.expires_at)}"
    return "what is known of the active context can't be read, or does not name one context"
