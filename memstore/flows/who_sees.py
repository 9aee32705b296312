"""Sight: who sees which memories, by themselves or in a context; and who gained or lost sight of what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from memstore.codec.registry_world import world_of as world_of_files
from memstore.errors import RefusedError
from memstore.flows.at import commit_at, snapshot_of_commit
from memstore.flows.labels import CatalogLabels
from memstore.flows.registry import entity_id
from memstore.flows.resolve import resolve
from memstore.flows.visible import sees_unreadable, stop_for_others, visible_rows
from memstore.flows.whole_world import known_world, whole_world
from memstore.model.registry import kind_of as registry_kind
from memstore.model.world import ActiveContext, Session
from memstore.rules.grants import scope_of
from memstore.rules.judge import Judge, labels_of
from memstore.rules.standing import can_listen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memstore.model.catalog import Entry
    from memstore.model.memory import Memory
    from memstore.model.world import Labels, World
    from memstore.ports.workspace import Workspace


class Seer(NamedTuple):
    """Somebody who sees a memory; `context` is the one in which they do, None where they always do."""

    entity: str
    context: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighted:
    """One memory and who sees it beside its owner."""

    ref: str | None
    path: str
    title: str
    scope: str
    subjects: tuple[str, ...]
    seen_by: tuple[Seer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SightChange:
    """One memory of which somebody gained or lost sight between two states."""

    ref: str
    path: str
    gained: tuple[Seer, ...]
    lost: tuple[Seer, ...]


def audit_sight(
    ws: Workspace, *, subject: str | None = None, entity: str | None = None, ref: str | None = None
) -> tuple[Sighted, ...]:
    """Return who sees the memories about a subject, those that an entity sees, or one memory; by path.

    Anybody but the vault's owner learns of what they see themselves, and only that they do.

    Args:
        ws: the vault.
        subject: only memories about it.
        entity: only memories that it sees, and its sight alone.
        ref: only this memory.

    Raises:
        UsageError: an id is none.
        NotFoundError: there is no such memory that the actor sees.
    """
    snapshot = ws.library.snapshot()
    rows = visible_rows(ws, snapshot)
    if ref is not None:
        path = resolve(ws, ref, snapshot=snapshot).path
        rows = [row for row in rows if snapshot.catalog.column("path")[row] == path]
    chosen = {row: snapshot.catalog.entry(row) for row in rows}
    if subject is not None:
        entity_id(subject, "subject")
        chosen = {row: entry for row, entry in chosen.items() if subject in entry.subject_ids}
    world = whole_world(ws, snapshot)
    if entity is not None:
        entity_id(entity, "who looks")
    only = entity if sees_unreadable(ws) else ws.actor
    if entity not in (None, only):
        return ()
    labels = CatalogLabels(snapshot.catalog)
    seen = _Sight(world, ws.clock.now()).of(
        (only,) if only else _listeners(world), {row: labels.of_row(row) for row in chosen}
    )
    found = [_sighted(world, entry, seen.get(row, ())) for row, entry in chosen.items()]
    return tuple(sorted((one for one in found if one.seen_by or not only), key=lambda one: one.path))


def shows_more(ws: Workspace, memory: Memory, others: Iterable[Memory]) -> bool:
    """Whether somebody would see a memory, if it were as it is here, who does not see all of the others.

    As far as the actor may know: what is hidden from them does not decide what they are refused.
    """
    world = known_world(ws, ws.library.snapshot())
    labels = dict(enumerate(map(labels_of, (memory, *others))))
    seen = _Sight(world, ws.clock.now()).of(_listeners(world), labels)
    return any(
        seers.isdisjoint((seer, seer._replace(context=None)))
        for seer in seen.get(0, ())
        for seers in (seen.get(row, frozenset()) for row in labels)
    )


def sight_report(ws: Workspace) -> dict[str, tuple[Sighted, ...]]:
    """Return for each entity that can listen what it sees.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
    """
    if not sees_unreadable(ws):
        raise RefusedError("what others see is for the vault's owner to know", hint="memstore list shows what you see")
    everything = audit_sight(ws)
    entities = sorted({seer.entity for one in everything for seer in one.seen_by})
    return {
        entity: tuple(one for one in everything if any(seer.entity == entity for seer in one.seen_by))
        for entity in entities
    }


def sight_diff(ws: Workspace, old: str = "HEAD", new: str | None = None) -> tuple[SightChange, ...]:
    """Return who gained or lost sight of what between two states, both decided as of now.

    Args:
        ws: the vault.
        old: a commit or a date.
        new: a commit or a date; None is the work tree.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
        GitError: there is no repository.
        NotFoundError: there is no such commit.
    """
    stop_for_others(ws)
    now = ws.clock.now()
    before, paths_before = _state(ws, old)
    after, paths_after = _state(ws, new)
    listeners = sorted({*_listeners(before), *_listeners(after)})
    saw, sees = _Sight(before, now).by_id(listeners), _Sight(after, now).by_id(listeners)
    changes = []
    for memory_id in sorted(saw.keys() | sees.keys()):
        gained = sees.get(memory_id, frozenset()) - saw.get(memory_id, frozenset())
        lost = saw.get(memory_id, frozenset()) - sees.get(memory_id, frozenset())
        ref, path = paths_after.get(memory_id) or paths_before[memory_id]
        if gained or lost:
            changes.append(SightChange(ref=ref, path=path, gained=_sorted(gained), lost=_sorted(lost)))
    return tuple(sorted(changes, key=lambda change: change.path))


def _sorted(seers: Iterable[Seer]) -> tuple[Seer, ...]:
    return tuple(sorted(seers, key=lambda seer: (seer.entity, seer.context or "")))


def _state(ws: Workspace, revision: str | None) -> tuple[World, dict[str, tuple[str, str]]]:
    """Return the world of a state, and ref and path of each memory in it."""
    if revision is None:
        snapshot = ws.library.snapshot()
        entries = [snapshot.catalog.entry(row) for row in snapshot.catalog.memories]
        return whole_world(ws, snapshot), _places(entries)
    commit = commit_at(ws, revision)
    own = {path: blob for path, blob in ws.history.own_files_at(commit).items() if registry_kind(path)}
    data = ws.history.blobs(own.values())
    world = world_of_files(ws.config.owner, [(path, data.get(blob)) for path, blob in own.items()])
    snapshot = snapshot_of_commit(ws, commit).snapshot
    entries = [snapshot.catalog.entry(row) for row in snapshot.catalog.memories]
    return replace(world, memories=CatalogLabels(snapshot.catalog)), _places(entries)


def _places(entries: Iterable[Entry]) -> dict[str, tuple[str, str]]:
    return {entry.id: (entry.ref or "", entry.path) for entry in entries if entry.id}


def _sighted(world: World, entry: Entry, seen_by: Iterable[Seer]) -> Sighted:
    return Sighted(
        ref=entry.ref,
        path=entry.path,
        title=entry.title,
        scope=scope_of(world, entry.access_grants),
        subjects=entry.subject_ids,
        seen_by=_sorted(seen_by),
    )


def _listeners(world: World) -> list[str]:
    """Return all who are known and can listen: registered, granted something, in a group or on a roster."""
    named = {*world.entities}
    named.update(name for labels in world.memories.values() for name in labels.access_grants)
    named.update(member.id for members in world.groups.values() for member in members)
    named.update(name for context in world.contexts.values() for name in context.roster)
    groups = ("group:", "org:", "role:", "ctx:")
    return sorted(name for name in named if ":" in name and not name.startswith(groups) and can_listen(world, name))


class _Sight:
    """Who sees what at one time, by themselves or in a context of theirs.

    Args:
        world: registries and memories.
        at: the time, UTC.
    """

    def __init__(self, world: World, at: datetime) -> None:
        self._world = world
        self._at = at

    def by_id(self, listeners: Iterable[str]) -> Mapping[str, frozenset[Seer]]:
        """Return who sees each memory, by id, its owner aside."""
        found: dict[str, set[Seer]] = {}
        for seer, judge in self._judges(listeners):
            for memory_id, labels in self._world.memories.items():
                if seer.entity != (labels.owner or self._world.owner) and judge.allows(memory_id):
                    found.setdefault(memory_id, set()).add(seer)
        return {memory_id: _without_repeats(seers) for memory_id, seers in found.items()}

    def of(self, listeners: Iterable[str], labels: Mapping[int, Labels]) -> Mapping[int, frozenset[Seer]]:
        """Return who sees each of the memories with these labels, by row, its owner aside."""
        found: dict[int, set[Seer]] = {}
        for seer, judge in self._judges(listeners):
            for row, one in labels.items():
                if seer.entity != (one.owner or self._world.owner) and judge.decide_on(one).allowed:
                    found.setdefault(row, set()).add(seer)
        return {row: _without_repeats(seers) for row, seers in found.items()}

    def _judges(self, listeners: Iterable[str]) -> Iterable[tuple[Seer, Judge]]:
        granted = {name for labels in self._world.memories.values() for name in labels.access_grants}
        for entity in listeners:
            yield Seer(entity), Judge(self._world, Session(viewer=entity, at=self._at))
            for name, context in self._world.contexts.items():
                if name in granted and (context.open or entity in context.roster):
                    active = ActiveContext(id=name, participants=(entity,))
                    yield Seer(entity, name), Judge(self._world, Session(viewer=entity, at=self._at, context=active))


def _without_repeats(seers: set[Seer]) -> frozenset[Seer]:
    """Return seers without the contexts of those who see it anyway."""
    always = {seer.entity for seer in seers if seer.context is None}
    return frozenset(seer for seer in seers if seer.context is None or seer.entity not in always)
