"""Sight: who sees which memories, by themselves or in a context; and who gained or lost sight of what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.access import RIGHTS, SHARED, STACK_FOLDERS
from memstore.access.audit import entity_id
from memstore.access.grants import scope_of
from memstore.access.policy import labels_of
from memstore.access.sight import Seen, Seer, in_short, listeners, not_among, seers, sight_changes
from memstore.core.errors import RefusedError
from memstore.core.memory import EVERYBODY
from memstore.core.quotation import shown_title
from memstore.core.short_repr import short_repr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.access.sight import SightChange
    from memstore.access.world import World
    from memstore.core.catalog import Entry
    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighted:
    """One memory and who sees it besides its owner; `but` are those who do not, although everybody does."""

    ref: str | None
    path: str
    title: str
    scope: str
    subjects: tuple[str, ...]
    seen_by: tuple[Seer, ...]
    but: tuple[Seer, ...] = ()

    __repr__ = short_repr


def audit_sight(
    view: View, *, subject: str | None = None, entity: str | None = None, memory: Named | None = None
) -> tuple[Sighted, ...]:
    """Return who sees the memories about a subject, those that an entity sees, or one memory; by path.

    Anybody but the vault's owner learns only which memories they see themselves.

    Args:
        view: the vault.
        subject: only memories about this subject.
        entity: only memories that this entity sees, and only its sight; `*` is everybody.
        memory: only this memory.

    Raises:
        UsageError: an id is malformed.
        NotFoundError: there is no such memory that the actor sees.
    """
    rows = view.rows
    if memory is not None:
        path = view.find(memory).path
        rows = [row for row in rows if view.column("path")[row] == path]
    chosen = {row: view.entry(row) for row in rows}
    if subject is not None:
        entity_id(subject, "subject", view)
        chosen = {row: entry for row, entry in chosen.items() if subject in entry.subject_ids}
    if entity not in (None, EVERYBODY):
        entity_id(entity, "who looks", view)
    only = entity if view.is_owners else view.actor
    if entity not in (None, only):
        return ()
    world = view.of(RIGHTS).policy
    labels = {row: view.of(RIGHTS).labels(row) for row in chosen}
    known = [only] if only else listeners(world)
    seen = seers(world, view.clock.now(), known, labels)
    found = []
    for row, entry in chosen.items():
        owner = labels[row].owner or world.owner
        short = in_short(seen[row], () if only else [name for name in known if name != owner])
        if only == owner:  # the owner of a memory is not among those who see it besides its owner
            short = Seen((Seer(only),))
        if short.by or not only:
            found.append(_sighted(world, entry, short))
    return tuple(sorted(found, key=lambda one: one.path))


def shows_more(view: View, memory: Memory, others: Iterable[Memory]) -> bool:
    """Whether a memory, as given here, would be visible to anyone who does not see all of the others.

    Only what the actor may know counts: what is hidden from them does not decide what they are refused.
    """
    world = view.of(RIGHTS).policy
    labels = dict(enumerate(map(labels_of, (memory, *others))))
    seen = seers(world, view.clock.now(), listeners(world), labels)
    return any(not_among(seen[row], seen[0]) for row in labels)


def sight_report(view: View) -> dict[str, tuple[Sighted, ...]]:
    """Return what everybody (`*`) sees, and what each entity that can listen sees.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
    """
    if not view.is_owners:
        raise RefusedError("only the vault's owner may know what others see", hint="memstore list shows what you see")
    world = view.of(RIGHTS).policy
    entries = {row: view.entry(row) for row in view.rows}
    labels = {row: view.of(RIGHTS).labels(row) for row in entries}
    seen = seers(world, view.clock.now(), listeners(world), labels)
    found: dict[str, list[Sighted]] = {}
    for row, entry in sorted(entries.items(), key=lambda item: item[1].path):
        for entity in sorted({seer.entity for seer in seen[row]}):
            own = sorted(seer for seer in seen[row] if seer.entity == entity)
            found.setdefault(entity, []).append(_sighted(world, entry, Seen(tuple(own))))
    return {entity: tuple(found[entity]) for entity in sorted(found)}


def sight_diff(view: View, old: str = "HEAD", new: str | None = None) -> tuple[SightChange, ...]:
    """Return who gained or lost sight of which memory between two states, both decided as of now.

    Each state is judged by its own registries and owner.

    Args:
        view: the vault.
        old: a commit or a date.
        new: a commit or a date; None is the work tree.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
        GitError: there is no repository.
        NotFoundError: there is no such commit.
    """
    view.require_owner()
    return sight_between(view.at(old), view.at(new))


def sight_between(before: View, after: View) -> tuple[SightChange, ...]:
    """Return who gained or lost sight of which memory between two views of the vault's owner; see `sight_diff`."""
    return sight_changes(*_state(before), *_state(after), after.clock.now())


def _state(view: View) -> tuple[World, dict[str, tuple[str, str]]]:
    """Return the world of a state, with the ref and path of each memory, including other people's memories.

    A memory without an id is listed under its path.
    """
    entries = {row: view.entry(row) for row in view.whole.rows}
    nameless = {entry.path: view.of(RIGHTS).labels(row) for row, entry in entries.items() if not entry.id}
    places = {entry.id or entry.path: (entry.ref or "", entry.path) for entry in entries.values()}
    world = view.of(RIGHTS).policy
    return (world._replace(memories={**world.memories, **nameless}) if nameless else world), places


def _sighted(world: World, entry: Entry, seen: Seen) -> Sighted:
    return Sighted(
        ref=entry.ref,
        path=entry.path,
        title=shown_title(entry.title, entry.source_type),
        scope=scope_of(world, entry.access_grants),
        subjects=entry.subject_ids,
        seen_by=seen.by,
        but=seen.but,
    )


def folder_named(view: View, name: str) -> str | None:
    """Return the folder of a stack that is mounted beside a vault, or was shared from it; None if none has the name."""
    mounted = {one.name: one.folder for one in view.of(SHARED).mounted}
    shared = view.of(STACK_FOLDERS).shared() if view.is_owners else {}
    return mounted.get(name) or shared.get(name)
