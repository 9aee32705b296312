"""What somebody sees of other people's memories, or with others listening: decided at once and kept until a change.

Decisions use labels from the catalogue's columns: no file is opened to decide who may see it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache, cached_property, partial, reduce
from typing import TYPE_CHECKING, Any

from memstore.access import CONTEXTS
from memstore.access.local_state import AccessVerdict
from memstore.access.world import Labels, ids_in_scopes
from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.errors import RefusedError
from memstore.core.ids import is_group
from memstore.core.memory import Generalization
from memstore.core.times import instant
from memstore.vault.registries import registries_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from memstore.access.policy import Judge
    from memstore.access.stack import Stack
    from memstore.access.world import ActiveContext, Session, World
    from memstore.core.memory import Memory
    from memstore.search.library import Catalog, Snapshot
    from memstore.vault.workspace import Workspace


_TEXTS = ("owner", "status", "source_entity", "context", "generalization")
_LISTS = ("source_chain", "subject_ids", "access_grants", "access_denies", "consent_grants", "upstream_grants")

# The catalogue columns that decide about a memory, apart from its id; lineage comes last.
COLUMNS = (*_TEXTS, *_LISTS, "derived_from")


class LabelsById(Mapping[str, Labels]):
    """The labels of memories by id; if several files have one id, only what all of them would show."""

    def of_copies(self, memory_id: str, owner: str | None) -> Labels | None:
        """Return what all files of one owner with this id would show; None unless there are several.

        Somebody else's file is not a copy: taking an id that is in use harms nobody.
        """
        raise NotImplementedError


class CatalogLabels(LabelsById):
    """The labels of a catalogue's memories by id; if several files have one id, only what all of them would show.

    Args:
        catalog: the catalogue.
        relabelled: replaces the labels that a file has; None keeps them.
        rows: the rows of the files that count; by default all memories.
    """

    def __init__(
        self,
        catalog: Catalog,
        relabelled: Callable[[Labels], Labels] | None = None,
        rows: Sequence[int] | None = None,
    ) -> None:
        rows = catalog.memories if rows is None else rows
        self._relabelled = relabelled
        self._columns = [catalog.column(name) for name in COLUMNS]
        self._ids = ids = catalog.column("id")
        self._rows = {ids[row]: row for row in rows}
        self._rows.pop("", None)
        self._copies = _copies(ids, rows, self._rows)
        self._made: dict[str, Labels] = {}

    def __getitem__(self, memory_id: str) -> Labels:
        if memory_id not in self._made:
            rows = self.copies_of(memory_id) or (self._rows[memory_id],)
            self._made[memory_id] = _shown_by_all([self.of_row(row) for row in rows])
        return self._made[memory_id]

    def __contains__(self, memory_id: object) -> bool:
        return memory_id in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def copied(self) -> Mapping[str, Sequence[int]]:
        """The rows of each id that several files have."""
        return self._copies

    def copies_of(self, memory_id: str) -> Sequence[int]:
        """Return the rows of all files with this id, if there are several."""
        return self._copies.get(memory_id, ())

    def of_copies(self, memory_id: str, owner: str | None) -> Labels | None:
        """See `LabelsById`."""
        theirs = [labels for labels in map(self.of_row, self.copies_of(memory_id)) if labels.owner == owner]
        return _shown_by_all(theirs) if len(theirs) > 1 else None

    def of_row(self, row: int) -> Labels:
        """Return the labels of the memory in one file."""
        labels = labels_of_cells(self._ids[row], [column[row] for column in self._columns])
        return self._relabelled(labels) if self._relabelled else labels


def _shown_by_all(labels: Sequence[Labels]) -> Labels:
    """Return labels that show a memory only to those who may see each of its copies."""
    if len(labels) == 1:
        return labels[0]
    from memstore.access.policy import both

    return reduce(both, labels)


def labels_of_cells(memory_id: str, cells: Sequence[str]) -> Labels:
    """Return the labels in the cells of a row, in the order of `COLUMNS`."""
    text = dict(zip(COLUMNS, cells, strict=True))
    lists: dict[str, Any] = {name: _items(text[name]) for name in (*_LISTS, "derived_from")}
    lists["upstream_grants"] = tuple(tuple(label[1:-1].split()) for label in lists["upstream_grants"])
    verdict, _, acknowledged_by = text["generalization"].partition(" ")
    return Labels(
        id=memory_id,
        owner=text["owner"] or None,
        status=text["status"],
        source_entity=text["source_entity"] or None,
        context=text["context"] or None,
        generalized=bool(verdict),
        generalization=Generalization(verdict=verdict, acknowledged_by=acknowledged_by or None) if verdict else None,
        **lists,
    )


@cache
def _items(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(ITEM_SEPARATOR)) if cell else ()


def _copies(ids: Sequence[str], rows: Sequence[int], last: Mapping[str, int]) -> dict[str, list[int]]:
    """Return the rows of each id that occurs more than once in `rows`; `last` has the last row of each id."""
    copies: dict[str, list[int]] = {ids[row]: [] for row in rows if ids[row] and last[ids[row]] != row}
    for row in rows if copies else ():
        if ids[row] in copies:
            copies[ids[row]].append(row)
    return copies


# -- who sees which rows ---------------------------------------------------------------------------


# The modules that decide are imported only where needed: usually the last verdict still holds.


class Sight:
    """What the viewer may see of a snapshot, by the current registries.

    Args:
        ws: the vault.
        snapshot: returns its memories; for decisions about single memories, used only for sources and copies.
        labels: the labels of these by id, if they are known otherwise.
    """

    def __init__(self, ws: Workspace, snapshot: Callable[[], Snapshot], labels: LabelsById | None = None) -> None:
        self._given = labels
        self._ws = ws
        self._taken = snapshot
        self._session = session_of(ws)
        self._registries = registries_of(ws)

    @cached_property
    def _snapshot(self) -> Snapshot:
        return self._taken()

    def hears_only(self, entity: str) -> bool:
        """Whether nobody but this entity listens."""
        from memstore.access.policy import Judge

        return Judge(self._registries.world(), self._session).hears_only(entity)

    def is_in_one_of(self, names: Collection[str]) -> bool:
        """Whether the viewer is now in one of these groups, directly or through another; other names say nothing."""
        from memstore.access.world import Standings

        groups = {name for name in names if is_group(name)}
        if not groups:
            return False
        who = Standings(self._registries.world(), self._session.at, None).listener(self._session.viewer)
        return not groups.isdisjoint(who.member_of)

    @cached_property
    def acts_for_owner(self) -> bool:
        """Whether the viewer is now a member of the group that owns the vault, and the group has a charter."""
        return bool(self._registries.world().keepers) and self.is_in_one_of([self._registries.owner])

    def rows(self) -> Sequence[int]:
        """Return the rows that may be seen, ascending."""
        state = self._snapshot.state
        if state is None:
            return self._decided()
        session, at = self._session, self._session.at.timestamp()
        viewer = repr(_who(session))
        state = hashlib.sha256(f"{state}\n{self._registries.digest}".encode(errors="surrogateescape")).hexdigest()
        kept = self._ws.verdicts.last(viewer)
        if kept and kept.state == state and kept.since <= at and (kept.until is None or at < kept.until):
            return kept.rows
        from memstore.access.policy import steady_until

        rows = self._decided()
        ends = self._registries.stack.ends() if self._registries.stack else []
        ends += [until] if (until := steady_until(self._world, session)) else []
        until = min((end for end in ends if end > session.at), default=None)
        self._ws.verdicts.keep(viewer, AccessVerdict(state, at, until.timestamp() if until else None, rows))
        return rows

    def sees(self, memory: Memory) -> bool:
        """Whether a memory may be seen as it was read, whatever the snapshot says; its copies count, too."""
        from memstore.access.policy import labels_of

        labels = labels_of(memory)
        if self._relabelled:
            labels = self._relabelled(labels)
        return self._admits(labels, self._labels.of_copies(labels.id, labels.owner))

    @cached_property
    def _labels(self) -> LabelsById:
        return CatalogLabels(self._snapshot.catalog, self._relabelled) if self._given is None else self._given

    @cached_property
    def _relabelled(self) -> Callable[[Labels], Labels] | None:
        return relabelled(self._registries.stack, self._session.at)

    @cached_property
    def _world(self) -> World:
        return self._registries.world()._replace(memories=self._labels)

    @cached_property
    def _judge(self) -> Judge:
        from memstore.access.policy import Judge

        return Judge(self._world, self._session)

    def _admits(self, labels: Labels, copies: Labels | None) -> bool:
        return self._judge.shows(labels, copies)

    def _decided(self) -> list[int]:
        """Decide about every memory; memories with equal labels are decided once."""
        catalog: Catalog = self._snapshot.catalog
        columns = [catalog.column(name) for name in COLUMNS]
        ids, labels = catalog.column("id"), CatalogLabels(catalog, self._relabelled)
        named = ids_in_scopes(self._world)
        decided: dict[tuple[str, ...], bool] = {}
        lineage, seen = COLUMNS.index("derived_from"), []
        for row, memory_id in ((row, ids[row]) for row in catalog.memories):
            cells = tuple([column[row] for column in columns])
            if self._relabelled or cells[lineage] or memory_id in named or memory_id in labels.copied:
                own = labels.of_row(row)
                sees = self._admits(own, labels.of_copies(memory_id, own.owner))
            else:
                known = decided.get(cells)
                sees = self._admits(labels.of_row(row), None) if known is None else known
                decided[cells] = sees
            if sees:
                seen.append(row)
        return seen


def relabelled(stack: Stack | None, at: datetime) -> Callable[[Labels], Labels] | None:
    """Return what replaces the labels of memories in a shared stack, at a time; None for any other vault."""
    return partial(stack.label, at=at) if stack else None


def seen_by(ws: Workspace, entities: Sequence[str]) -> Workspace:
    """Return the vault as each of some entities would see it, by themselves and in no context: what all of them see."""
    from memstore.access.local_state import CallContext

    found: Workspace | None = None
    for entity in entities:
        found = ws.having(CONTEXTS, CallContext())._replace(actor=entity, alone=False, overheard=False, within=found)
    if found is None:
        raise ValueError("nobody looks")
    return found


def _who(session: Session) -> tuple[object, ...]:
    """Return what of a session decides who sees what, apart from the time."""
    own = (session.viewer, session.alone, session.context)
    return (*own, session.overheard, _who(session.within) if session.within else None)


def session_of(ws: Workspace) -> Session:
    """Return who looks now, and in which context.

    Raises:
        RefusedError: the context has expired, or is not a single context; it is never treated as no context.
    """
    from memstore.access.world import Session

    session = Session(
        viewer=ws.actor,
        at=ws.clock.now(),
        context=ws.of(CONTEXTS).current(),
        alone=ws.alone,
        overheard=ws.overheard,
        within=session_of(ws.within) if ws.within else None,
    )
    if session.context is None:
        return session
    from memstore.access.policy import context_trouble

    if trouble := context_trouble(session):
        raise RefusedError(
            _trouble_text(trouble, session.context), hint="memstore context enter CTX, or memstore context leave"
        )
    return session


def _trouble_text(trouble: str, context: ActiveContext) -> str:
    if trouble == "context-expired" and context.expires_at:
        return f"the context {context.id} expired at {instant(context.expires_at)}"
    return "the record of the active context can't be read, or does not name one context"
