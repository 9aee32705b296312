"""Sight: who sees which memories, by themselves or in a context; and who gained or lost sight between two states."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memstore.access.policy import Judge, id_in, is_malformed, is_passed_generalization
from memstore.access.world import ActiveContext, Effect, Session, Standings, can_listen, ids_in_scopes
from memstore.core.ids import is_entity_id
from memstore.core.memory import EVERYBODY, is_external_mark

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.world import Labels, World

    # Ref and path of each memory, by its id.
    Places = Mapping[str, tuple[str, str]]

Key = TypeVar("Key")

# Namespaces whose names stand for many, or for nobody; their members listen instead.
_CROWDS = ("group:", "role:", "ctx:")


class Seer(NamedTuple):
    """Somebody who sees a memory; `context` is the one in which they see it, None if they always do.

    The entity `*` is everybody, including anyone who is not known to the vault.
    """

    entity: str
    context: str | None = None


class Seen(NamedTuple):
    """Who sees a memory, in short: if everybody does, nobody else is named in `by`.

    `but` are the known entities that do not see it, although everybody does.
    """

    by: tuple[Seer, ...]
    but: tuple[Seer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SightChange:
    """A memory that somebody gained or lost sight of between two states.

    `but` are those who do not see it, although everybody gained sight of it. `still` are those who still see it,
    although everybody lost sight of it, or although they lost sight of it except in a context.
    """

    ref: str
    path: str
    gained: tuple[Seer, ...]
    lost: tuple[Seer, ...]
    but: tuple[Seer, ...] = ()
    still: tuple[Seer, ...] = ()


# -- who may look ---------------------------------------------------------------------------------


def listeners(world: World) -> list[str]:
    """Return everybody (`*`), and everyone who is named anywhere and can listen, registered or not.

    A group listens through its members, and so does an organisation whose members are registered.
    """
    named = names_in(world)
    return [EVERYBODY, *sorted(name for name in named if _listens(world, name))]


def _listens(world: World, name: str) -> bool:
    by_others = name in world.groups or name.startswith(_CROWDS)
    return is_entity_id(name) and not by_others and can_listen(world, name)


def _names(world: World, labels: Iterable[Labels]) -> set[str]:
    """Return every name in the registries, consents and labels; anyone else is treated like a stranger."""
    named = {world.owner, *world.entities, *world.groups, *world.doubtful}
    named.update(name for entity in world.entities.values() for name in entity.guardians)
    named.update(member.id for members in world.groups.values() for member in members)
    for context in world.contexts.values():
        named.update(context.roster, context.roles, context.default_access)
    named.update(name for one in world.consents for name in (one.grantor, one.grantee, one.on_behalf_of) if name)
    named.update(name for one in world.delegations for name in (one.grantor, one.delegate))
    named.update(one.by for one in world.revocations)
    for one in labels:
        named.update(one.source_chain, one.subject_ids, one.access_grants, one.access_denies, one.consent_grants)
        named.update(name for name in (one.owner, one.source_entity) if name)
        named.update(*one.upstream_grants)
    return named


def names_in(world: World) -> set[str]:
    """Return every name in the registries, consents and memories."""
    return _names(world, world.memories.values())


def stranger(world: World, labels: Iterable[Labels]) -> str:
    """Return an id that is named nowhere: what its holder sees, everybody sees."""
    named = _names(world, [*world.memories.values(), *labels])
    return next(name for name in (f"anon:everybody-{number}" for number in count(1)) if name not in named)


# -- who sees what --------------------------------------------------------------------------------


def seers(
    world: World, at: datetime, entities: Iterable[str], labels: Mapping[Key, Labels]
) -> Mapping[Key, frozenset[Seer]]:
    """Return which of some entities see each memory; entities are named themselves, and its owner is left out.

    An entity that always sees a memory is not named again for a context. Memories with equal labels are decided once.

    Args:
        world: the registries, and the memories from which others were made.
        at: the time, UTC.
        entities: who may look, registered or not; `*` is everybody.
        labels: the memories in question.
    """
    alike: dict[Labels, list[Key]] = {}
    named = ids_in_scopes(world)
    for key, one in labels.items():
        # An id by itself decides nothing, unless a consent is about it.
        alike.setdefault(one if one.id in named else one._replace(id=""), []).append(key)
    found: dict[Labels, set[Seer]] = {one: set() for one in alike}
    granted: dict[tuple[str, ...], list[tuple[Labels, set[Seer]]]] = {}
    for one, seen in found.items():
        granted.setdefault(one.access_grants, []).append((one, seen))
    for look in _looks(world, at, entities, alike):
        always = Seer(look.seer.entity)
        # Memories that no grant opens to this viewer are skipped: they are the majority, and each decision is slow.
        reached = (pair for grants, pairs in granted.items() if not look.opened_by.isdisjoint(grants) for pair in pairs)
        for one, seen in reached:
            owner = one.owner or world.owner
            if always not in seen and always.entity != owner and look.may_open(one) and look.judge.admits(one):
                seen.add(look.seer)
    told = {one: frozenset(seen) for one, seen in found.items()}
    return {key: told[one] for one, keys in alike.items() for key in keys}


def in_short(seen: frozenset[Seer], known: Iterable[str]) -> Seen:
    """Return who sees a memory, without those who see it only because everybody does.

    Args:
        seen: all who see it.
        known: the entities that were asked about, without its owner, who always sees it.
    """
    return Seen(_folded(seen), _left_out(seen, seen, known))


def not_among(seen: frozenset[Seer], others: frozenset[Seer]) -> frozenset[Seer]:
    """Return those of the others who see a memory neither always nor in the same context."""
    return frozenset(one for one in others if seen.isdisjoint((one, Seer(one.entity))))


def gained(world: World, before: Labels, after: Labels, at: datetime, known: Iterable[str]) -> Seen:
    """Return who sees a memory with other labels than before, and did not before; a new owner does.

    Args:
        world: the registries, and the memories from which others were made.
        before: the labels as they were.
        after: the labels as they are.
        at: the time, UTC.
        known: who may look, as `listeners` returns them.
    """
    found = seers(world, at, known, {0: before, 1: after})
    saw = found[0] | _as_owner(world, before, other=after)
    sees = found[1] | _as_owner(world, after, other=before)
    told, owner = not_among(saw, sees), after.owner or world.owner
    return Seen(_folded(told), _left_out(told, sees, [name for name in known if name != owner]))


class _Look(NamedTuple):
    """Somebody who looks, all names under which a grant reaches them, and the judge of what they see.

    `here` are the names that they have only in the context; None if these names may open a memory that does not list
    them.
    """

    seer: Seer
    opened_by: frozenset[str]
    judge: Judge
    here: frozenset[str] | None = None

    def may_open(self, labels: Labels) -> bool:
        """Whether they may see a memory that they do not see outside the context."""
        return self.here is None or bool(labels.derived_from) or not self.here.isdisjoint(_granted(labels))


def _looks(world: World, at: datetime, entities: Iterable[str], labels: Collection[Labels]) -> Iterator[_Look]:
    """Yield everyone who may look, first by themselves, then in each context that may open more to them."""
    nobody_known = stranger(world, labels)
    granted = {name for one in (*world.memories.values(), *labels) for name in _granted(one)}
    consented = {consent.grantee for consent in world.consents if consent.effect is Effect.PERMIT}
    alone = Standings(world, at, None)
    inside = {name: Standings(world, at, ActiveContext(id=name)) for name in world.contexts}
    for entity in entities:
        viewer = nobody_known if entity == EVERYBODY else entity
        own = alone.listener(viewer).opened_by
        yield _Look(Seer(entity), own, Judge(world, Session(viewer=viewer, at=at)))
        for name, standings in inside.items():
            opened_by = standings.listener(viewer).opened_by
            here = opened_by - own
            if not (here.isdisjoint(granted) and here.isdisjoint(consented)):
                context = ActiveContext(id=name, participants=(viewer,))
                judge = Judge(world, Session(viewer=viewer, at=at, context=context))
                yield _Look(Seer(entity, name), opened_by, judge, here if here.isdisjoint(consented) else None)


def _granted(labels: Labels) -> Iterator[str]:
    yield from labels.access_grants
    for label in labels.upstream_grants:
        yield from label


# -- a memory whose sources go ---------------------------------------------------------------------


def detached(world: World, made: Sequence[Labels], lost: Collection[str], at: datetime) -> list[Labels]:
    """Return the labels of memories that no longer depend on sources that go, each shown to nobody new.

    The sources' labels are baked in, as if a memory were also they: whoever was shut out stays out, and whoever had a
    say has one. What those were made from becomes what it was made from. If somebody would still gain sight of it,
    because a consent or a refusal was about a source alone, they are denied by name. Sight is compared once all are
    detached, since memories may be made from each other.

    Args:
        world: the registries and all memories, before anything goes.
        made: the memories; no passed generalizations, which are judged without their sources.
        lost: the ids of what goes.
        at: the time, UTC.
    """
    rebased = [_rebased(world, labels, lost) for labels in made]
    later = world._replace(memories={**world.memories, **{labels.id: labels for labels in rebased}})
    known = listeners(world)
    saw, sees = (seers(one, at, known, dict(enumerate(labels))) for one, labels in ((world, made), (later, rebased)))
    return [
        _denied(labels, {seer.entity for seer in not_among(saw[index], sees[index])})
        for index, labels in enumerate(rebased)
    ]


def _rebased(world: World, labels: Labels, lost: Collection[str]) -> Labels:
    """Return the labels of a memory with those of lost sources baked in, made from what those were made from."""
    after, kept, seen = labels, list[str](), set[str]()
    waiting = list(labels.derived_from)
    while waiting:
        name = waiting.pop(0)
        source_id = id_in(name)
        source = world.memories.get(source_id) if source_id in lost else None
        if source is None:
            kept += [] if source_id in lost or source_id == labels.id else [name]
        elif source_id not in seen:
            seen.add(source_id)
            after = _also(after, source)
            if not is_passed_generalization(source):
                waiting += (ref for ref in source.derived_from if not is_external_mark(ref))
    return after._replace(derived_from=tuple(dict.fromkeys(kept)))


def _denied(labels: Labels, gained: Collection[str]) -> Labels:
    """Return the labels of a memory with some entities denied by name; if everybody is, no grant opens it."""
    nobody = ((),) if EVERYBODY in gained else ()
    names = sorted({*gained} - {EVERYBODY})
    return labels._replace(
        access_denies=tuple(dict.fromkeys((*labels.access_denies, *names))),
        upstream_grants=(*labels.upstream_grants, *nobody),
    )


def _also(labels: Labels, source: Labels) -> Labels:
    """Return labels that open a memory only where they and those of its source do, as far as labels can say that."""
    if is_malformed(source):
        return labels._replace(upstream_grants=(*labels.upstream_grants, ()))
    told_by = (*source.source_chain, *(name for name in (source.source_entity,) if name))
    says = bool(source.subject_ids or told_by)
    return labels._replace(
        source_chain=tuple(dict.fromkeys((*labels.source_chain, *told_by))),
        subject_ids=tuple(dict.fromkeys((*labels.subject_ids, *source.subject_ids))),
        access_denies=tuple(dict.fromkeys((*labels.access_denies, *source.access_denies))),
        consent_grants=tuple(name for name in labels.consent_grants if not says or name in source.consent_grants),
        upstream_grants=tuple(dict.fromkeys((*labels.upstream_grants, *source.upstream_grants, source.access_grants))),
    )


# -- who gained, who lost -------------------------------------------------------------------------


def sight_changes(
    before: World, before_places: Places, after: World, after_places: Places, at: datetime
) -> tuple[SightChange, ...]:
    """Return who gained or lost sight of which memories between two states, by path.

    Each state is judged by its own registries, consents and owner. A memory's owner sees it, so a new owner gains sight
    of it. A vault's owner, however, neither gains what they write nor loses what they delete.

    Args:
        before: the state before, with its memories.
        before_places: the ref and path of each of its memories.
        after: the state after, with its memories.
        after_places: the ref and path of each of its memories.
        at: the time as of which both are judged, UTC.
    """
    known = listeners(after)
    everyone = sorted({*listeners(before), *known})
    in_question = _in_question(before, after)
    saw, sees = (
        seers(world, at, everyone, {one: world.memories[one] for one in in_question if one in world.memories})
        for world in (before, after)
    )
    changes = []
    for memory_id in in_question:
        old, new = before.memories.get(memory_id), after.memories.get(memory_id)
        was_seen = saw.get(memory_id, frozenset()) | _as_owner(before, old, other=new)
        is_seen = sees.get(memory_id, frozenset()) | _as_owner(after, new, other=old)
        if was_seen != is_seen:
            ref, path = after_places.get(memory_id) or before_places[memory_id]
            owner = (new.owner or after.owner) if new else None
            change = _change(ref, path, was_seen, is_seen, [name for name in known if name != owner])
            changes.append(change)
    return tuple(sorted((one for one in changes if one.gained or one.lost), key=lambda one: (one.path, one.ref)))


def _in_question(before: World, after: World) -> list[str]:
    """Return the ids of the memories that anybody may have gained or lost sight of; the cheap check comes first."""
    ids = {*before.memories, *after.memories}
    if before._replace(memories={}) == after._replace(memories={}):
        # A memory's sources may have changed although the memory itself did not.
        states = ((one, before.memories.get(one), after.memories.get(one)) for one in ids)
        ids = {one for one, old, new in states if old != new or (new and new.derived_from)}
    return sorted(ids)


def _as_owner(world: World, labels: Labels | None, *, other: Labels | None) -> frozenset[Seer]:
    """Return the owner of a memory as one who sees it.

    The vault's owner is not reported for a memory that exists in only one state.
    """
    if labels is None:
        return frozenset()
    owner = labels.owner or world.owner
    is_news = other is not None or owner != world.owner
    return frozenset({Seer(owner)} if is_news and is_entity_id(owner) else ())


def _change(ref: str, path: str, saw: frozenset[Seer], sees: frozenset[Seer], known: Collection[str]) -> SightChange:
    gained, lost = not_among(saw, sees), not_among(sees, saw)
    return SightChange(
        ref=ref,
        path=path,
        gained=_folded(gained),
        lost=_folded(lost),
        but=_left_out(gained, sees, known),
        still=_folded(frozenset(one for one in sees if one.entity in known and _seems_lost(one, lost))),
    )


def _seems_lost(seer: Seer, lost: frozenset[Seer]) -> bool:
    """Whether the reported losses seem to include somebody who still sees the memory."""
    return any(
        one.entity in (EVERYBODY, seer.entity) and (one.context is None or seer.context in (None, one.context))
        for one in lost
    )


# -- in short --------------------------------------------------------------------------------------


def _folded(seen: frozenset[Seer]) -> tuple[Seer, ...]:
    """Return who sees a memory, sorted, without those whom "everybody" covers."""
    everybody = frozenset(one.context for one in seen if one.entity == EVERYBODY)
    told = (one for one in seen if one.entity == EVERYBODY or one.context not in everybody)
    return tuple(sorted(told, key=lambda one: (one.entity, one.context or "")))


def _left_out(told: frozenset[Seer], seen: frozenset[Seer], known: Iterable[str]) -> tuple[Seer, ...]:
    """Return the known entities that do not see a memory that everybody is said to see."""
    contexts = [one.context for one in told if one.entity == EVERYBODY]
    found = frozenset(Seer(name, context) for context in contexts for name in known)
    return tuple(sorted(not_among(seen, found), key=lambda one: (one.entity, one.context or "")))


# -- in words -------------------------------------------------------------------------------------


def called(entity: str) -> str:
    """Return the words for a viewer: an entity's id, or everybody."""
    return "everybody" if entity == EVERYBODY else entity


def in_words(seers: Iterable[Seer], *, but: Iterable[Seer] = ()) -> str:
    """Return who sees a memory, by name: `everybody, human:sean in ctx:park; not by human:eve`."""
    named = ", ".join(called(seer.entity) + (f" in {seer.context}" if seer.context else "") for seer in seers)
    return f"{named}; not by {in_words(but)}" if but else named
