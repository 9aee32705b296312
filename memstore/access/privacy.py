"""Grants: give and revoke access to a memory, and explain why somebody sees it or not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

from memstore.access import RIGHTS, SEALED, grants
from memstore.access.audit import entity_id, new_file, recorded, stop_unless_owner
from memstore.access.consent import who_may_permit
from memstore.access.consents import consent_values, without_guardian
from memstore.access.policy import Judge, labels_of
from memstore.access.sight import names_in
from memstore.access.world import ActiveContext, Decision, Session, Standings
from memstore.core.change import Edit, SavedOne
from memstore.core.errors import NoIdError, RefusedError
from memstore.core.memory import EVERYBODY
from memstore.core.places import RegistryKind, is_sealed_path
from memstore.core.short_repr import short_repr
from memstore.core.transaction import Saving, again_where_changed, save_all
from memstore.files import memory_file
from memstore.files.splice import AppendItems, RemoveItems, apply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memstore.access.world import World
    from memstore.core.change import Written
    from memstore.core.named import Named, OneOrMore
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared(SavedOne):
    """The result of a change of grants: who has them now, who is denied, which consents were recorded with it.

    `notes` point out possible mistakes to the vault's owner: that a grantee is unknown, or that a ward has no guardian.
    """

    scope: str
    grants: tuple[str, ...]
    denies: tuple[str, ...]
    consents: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    __repr__ = short_repr


@again_where_changed
def grant_access(
    view: View,
    memory: Named,
    to: OneOrMore,
    consent: OneOrMore = (),
    *,
    acknowledge: bool = False,
    **saving: Unpack[Saving],
) -> Shared:
    """Let others see a memory.

    >>> saved = raw(ws.view(), "Dogs love fetch")
    >>> grant_access(ws.view(), saved.ref, ["*"]).scope
    'public'

    Args:
        view: the vault.
        memory: the memory.
        to: entities, groups, roles, contexts, or `*`.
        consent: who is said to consent; recorded for this memory and these grantees.
        acknowledge: grant it to others than those in the context that it was said in, without their consent.
        saving: whether to write it, `Saving`.

    Raises:
        NotFoundError: there is no such memory that the actor sees.
        UsageError: an id is malformed.
        RefusedError: the memory is not the actor's, or somebody with a say has not consented, or the memory was made
            from one that the grantee may not see, or said in a context that the grantee is outside of.
    """
    return _granted(view.on_terms(acknowledge=True) if acknowledge else view, memory, to, consent, saving)


@again_where_changed
def set_access(view: View, memory: Named, to: OneOrMore, consent: OneOrMore = (), **saving: Unpack[Saving]) -> Shared:
    """Let these see a memory and nobody else: grant it to each of them, and revoke every other grant, as one change.

    Whom a group, a role or a context in the list admits is not denied by name. Arguments and errors are those of
    `grant_access`; without `to`, nobody else sees it.
    """
    return _granted(view, memory, to, consent, saving, alone=True)


def _granted(
    view: View, memory: Named, to: Sequence[str], consents: Sequence[str], saving: Saving, *, alone: bool = False
) -> Shared:
    """Grant a memory; if `alone`, revoke every other grant."""
    file = view.original(memory)
    memory_id = own_id(view, file)
    world = world_with(view, file)
    session, said = Session(viewer=view.actor, at=view.clock.now()), tuple(consents)
    named = {name: grantee_id(view, name) for name in to}
    for name, grantee in named.items():
        _stop_unless_granted(world, file, grants.may_grant(world, session, memory_id, grantee, said), name)
    grants.stop_outside(view, file.memory, named.values(), said)
    others = tuple(name for name in file.memory.access_grants if alone and name not in named.values())
    records = [
        consent_values(view, entity_id(who, "who consents", view), name, f"mem:{memory_id}")
        for name in to
        for who in consents
    ]
    files = [new_file(view, RegistryKind.CONSENT, values) for values in records]
    ids = tuple(str(values["id"]) for values in records)
    now, closed = AppendItems("access_grants", tuple(to)), RemoveItems("access_denies", tuple(to))
    after = apply(file, [now, closed, RemoveItems("access_grants", others)])
    events = [recorded(view, "privacy grant", memory=memory_id, to=[*to], consents=[*ids])] if to else []
    events += [recorded(view, "privacy revoke", memory=memory_id, whom=[*others])] if others else []
    done = _saved(view, file, after, [*files, *events], "privacy grant", ids, saving)
    unknown = ("; ".join(filter(None, note)) for note in unknown_grantees(view, world, to))
    wards = without_guardian(view, world, file.memory.subject_ids if consents else ())
    notes = (*unknown, *(f"{text}: {act}" for text, act in wards), *_after_sealing(view, file, others))
    if view.of(SEALED).context_key_of(file.path):
        notes += ("it is sealed for a context: whoever may see it needs that context's key, too",)
    return replace(done, notes=notes)


def unknown_grantees(view: View, world: World, to: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield a note, and what to do, for each grantee that is named nowhere else, if the vault knows others at all.

    Only the vault's owner may know who is known.
    """
    roles = {role for one in world.entities.values() for role in one.roles}
    roles |= {role for one in world.contexts.values() for held in one.roles.values() for role in held}
    known = {EVERYBODY, *world.contexts, *roles, *names_in(world)}
    if not (view.is_owners and known - {EVERYBODY, world.owner}):
        return
    for name in dict.fromkeys(grantee_id(view, one) for one in to):
        if name not in known:
            yield f"nothing else here names {name}", _REGISTER.get(name.partition(":")[0], _ENTITY).format(name)


_ENTITY = "memstore privacy entity add {} says who it is"
_REGISTER = dict.fromkeys(("group", "org"), "memstore privacy group add {} says who is in it") | {
    "ctx": "memstore context add {} says who is there",
    "role": "memstore privacy entity add ENTITY --role {} says who has it",
}


@again_where_changed
def revoke_access(view: View, memory: Named, whom: OneOrMore, **saving: Unpack[Saving]) -> Shared:
    """Revoke grants; anyone who would still see it through a group, a role, a context or `*` is denied by name.

    Raises:
        NotFoundError: there is no such memory that the actor sees.
        RefusedError: the memory is not the actor's.
    """
    file = view.original(memory)
    memory_id = own_id(view, file)
    world = world_with(view, file)
    taken = tuple(grantee_id(view, name) for name in whom)
    kept = [name for name in file.memory.access_grants if name not in taken]
    still = tuple(name for name in taken if name != EVERYBODY and _still_matches(view, world, name, kept))
    after = apply(file, [RemoveItems("access_grants", taken), AppendItems("access_denies", still)])
    event = recorded(view, "privacy revoke", memory=memory_id, whom=[*taken], denied=[*still])
    done = _saved(view, file, after, [event], "privacy revoke", (), saving)
    return replace(done, notes=tuple(_after_sealing(view, file, taken)))


def _after_sealing(view: View, file: MemoryFile, whom: Sequence[str]) -> Iterator[str]:
    """Yield what revoking can't do for a sealed memory."""
    if not (whom and is_sealed_path(file.path)):
        return
    if view.of(SEALED).context_key_of(file.path):
        yield "it is sealed for a context: whoever has that context's key goes on reading it"
    else:
        yield f"it is sealed anew, without {', '.join(whom)}; copies that they had before stay readable to them"


def explain_access(
    view: View, memory: Named, viewer: str, *, context: str | None = None, at: str | None = None
) -> Decision:
    """Return whether somebody may see a memory, or might on an earlier day, and why.

    Reasons are for the vault's owner alone.

    Args:
        view: the vault.
        memory: the memory.
        viewer: who would look.
        context: the context to decide in; None means outside of any.
        at: a commit or a date: by the grants, consents and registries of that day.

    Raises:
        NotFoundError: there is no such memory that the actor sees.
        UsageError: `at` is neither a date nor a commit.
        RefusedError: somebody other than the vault's owner asks about others.
    """
    view = view.at(at, with_clock=True)
    file = view.original(memory)
    entity_id(viewer, "who looks", view)
    if not view.is_owners:
        if viewer != view.actor:
            raise RefusedError("only the vault's owner may know what others see", hint="ask the owner")
        return Decision(allowed=True, code="granted")
    active = ActiveContext(id=context) if context else None
    session = Session(viewer=viewer, at=view.clock.now(), context=active)
    return Judge(world_with(view, file), session).decide_on(labels_of(file.memory))


def own_id(view: View, file: MemoryFile) -> str:
    """Return the id of a memory that is the actor's to share."""
    if view.owns(file.memory) and view.actor != (file.memory.owner or view.config.owner):
        stop_unless_owner(view, "share its memories")
    if not view.owns(file.memory):
        raise RefusedError(
            f"{file.path} does not belong to {view.actor}, who therefore can't share it", hint="ask its owner"
        )
    if not file.memory.id:
        raise NoIdError(file.path)
    return file.memory.id


def world_with(view: View, file: MemoryFile) -> World:
    """Return the world with this memory as it was read from the file."""
    world = view.of(RIGHTS).policy
    labels = labels_of(file.memory)
    return world._replace(memories={**world.memories, labels.id: labels})


def grantee_id(view: View, name: str) -> str:
    """Return the id of whom a grant would name; raise `UsageError` if it is malformed."""
    return EVERYBODY if name in (EVERYBODY, "public") else entity_id(name, "grantee", view)


def _stop_unless_granted(world: World, file: MemoryFile, decision: Decision, to: str) -> None:
    if not decision.allowed:
        text, hint = _why_closed(world, file, decision, to)
        raise RefusedError(f"{file.memory.ref} can't be granted to {to}: {text}", hint=hint)


def _why_closed(world: World, file: MemoryFile, decision: Decision, to: str) -> tuple[str, str | None]:
    """Return why somebody can't be granted a memory, and what would change that."""
    memory_id, lacking = file.memory.id, ", ".join(decision.missing)
    if decision.code == "lineage":
        return f"{lacking}, which it was derived from, is closed to {to}", decision.fix
    if decision.code.startswith(("consent", "delegation")):
        asked = (one.partition(":")[2] for one in decision.missing)
        who = " ".join(dict.fromkeys(min(who_may_permit(world, entity), default="PERSON") for entity in asked))
        named = f"'{to}'" if to == EVERYBODY else to
        hint = f"memstore privacy grant {memory_id} --to {named} --consent {who}"
        return f"it needs the consent of {lacking} ({decision.code})", hint
    return decision.code, decision.fix


def closed_grants(view: View, file: MemoryFile, names: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """Yield why a memory of the actor's stays closed to somebody whom it is granted to, and what would change that."""
    if not file.memory.id or not view.owns(file.memory):
        return
    world, session = world_with(view, file), Session(viewer=view.actor, at=view.clock.now())
    for name in names:
        decision = grants.may_grant(world, session, file.memory.id, name)
        if not decision.allowed and decision.code.startswith(("consent", "delegation", "lineage")):
            text, hint = _why_closed(world, file, decision, name)
            yield f"it stays closed to {name}: {text}", hint


def _still_matches(view: View, world: World, name: str, kept: Sequence[str]) -> bool:
    """Whether the kept grants would admit somebody at any time and in any context."""
    standings = Standings(world, view.clock.now(), None)
    names = standings.listener(name).closed_by | standings.grantee(name).opened_by
    is_open = {context for context, known in world.contexts.items() if known.open}
    roles = {role for known in world.contexts.values() for role in known.roles.get(name, ())}
    return not (names | is_open | roles).isdisjoint(kept)


def _saved(
    view: View,
    file: MemoryFile,
    after: bytes,
    own: Sequence[Written],
    verb: str,
    consents: tuple[str, ...],
    saving: Saving,
) -> Shared:

    changes = after != file.data or consents
    edit = Edit(path=file.path, before=file, after=after)
    saved = save_all(view, [edit], verb=verb, own=own if changes else (), **saving)[0]
    made = memory_file.read(file.path, after, mixed=view.config.mixed)
    memory = made.memory if isinstance(made, memory_file.MemoryFile) else file.memory
    return Shared(
        saved=saved,
        scope=grants.scope_of(view.of(RIGHTS).policy, memory.access_grants),
        grants=memory.access_grants,
        denies=memory.access_denies,
        consents=consents,
    )
