"""Contexts: registered by the vault's owner; entered, left and suggested separately for each entity.

Anybody but the owner sees only the contexts they belong to, and of open ones only that they exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Unpack

from memstore.access import CONTEXTS, RIGHTS
from memstore.access.audit import (
    append,
    change,
    create,
    entity_id,
    found,
    plain,
    registered,
    role_id,
    stop_unless_owner,
    texts,
)
from memstore.access.local_state import DEFAULT_HOURS
from memstore.access.names import named_in, names_of
from memstore.access.policy import context_trouble, known_contexts, listeners
from memstore.access.world import ActiveContext, Session, Standings
from memstore.core.change import Act
from memstore.core.errors import RefusedError, UsageError
from memstore.core.ids import is_entity_id
from memstore.core.memory import EVERYBODY, UNKNOWN_LISTENER
from memstore.core.places import RegistryKind
from memstore.core.short_repr import short_repr
from memstore.core.terms import stop_words, term_of, words
from memstore.core.transaction import Saving, again_where_changed
from memstore.files.splice import AppendItems

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstore.access.audit import About, Registered
    from memstore.access.world import Entity
    from memstore.core.view import View
    from memstore.files.render import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownContext:
    """One context as registered."""

    id: str
    path: str
    roster: tuple[str, ...]
    open: bool
    default_access: tuple[str, ...]

    __repr__ = short_repr


class AboutContext(Saving, total=False):
    """The optional arguments for a context.

    `roster` is who belongs to it, `open` that anybody may be listening, `default_access` what is granted on every
    memory made in it, `roles` which roles an entity holds while it is active.
    """

    roster: Sequence[str]
    open: bool
    default_access: Sequence[str]
    roles: Mapping[str, Sequence[str]]


@again_where_changed
def add_context(view: View, context: str, **said: Unpack[AboutContext]) -> Registered:
    """Register a context, or add to the roster of one that is registered.

    >>> add_context(ws.view(), "ctx:bella_care", roster=["human:sean", "si:bella_agent", "dog:bella"]).path
    'contexts/bella_care.yaml'

    Args:
        view: the vault.
        context: its id, `ctx:…`.
        said: further details, `AboutContext`.

    Raises:
        UsageError: an id is malformed.
        RefusedError: somebody other than the vault's owner acts, or it is registered and more than its roster is given.
    """
    stop_unless_owner(view, "register contexts")
    context_id(context)
    saving: Saving = {"dry_run": said.get("dry_run", False), "commit": said.get("commit", False)}
    roster = [entity_id(name, "who belongs to it", view) for name in said.get("roster", ())]
    if file := found(view, RegistryKind.CONTEXT, context):
        if not roster or any(said.get(name) for name in ("open", "default_access", "roles")):
            raise RefusedError(f"{context} is already registered: {file.path}", hint="change that file in an editor")
        joined: About = {"context": context, "roster": roster}
        return change(view, file, [AppendItems("roster", tuple(roster))], verb="context add", about=joined, **saving)
    access = [name if name == EVERYBODY else entity_id(name, "grant", view) for name in said.get("default_access", ())]
    roles = {
        entity_id(name, "holder of a role", view): [role_id(role) for role in held]
        for name, held in said.get("roles", {}).items()
    }
    values: dict[str, Plain] = {
        "id": context,
        "roster": plain(roster),
        "open": said.get("open") or None,
        "roles": {name: plain(held) for name, held in roles.items()} or None,
        "default_access": plain(access),
    }
    told = [f"{name} {role}" for name, held in roles.items() for role in held]
    opened = "yes" if said.get("open") else None
    about: About = {"context": context, "roster": roster, "roles": told, "open": opened, "default_access": access}
    return create(view, RegistryKind.CONTEXT, values, verb="context add", about=about, **saving)


def contexts(view: View) -> tuple[KnownContext, ...]:
    """Return all registered contexts, by id; besides the owner, every listener must be on the roster of each."""
    known = [
        KnownContext(
            id=file.values["id"],
            path=file.path,
            roster=texts(file.values, "roster"),
            open=bool(file.values.get("open")),
            default_access=texts(file.values, "default_access"),
        )
        for file in registered(view, RegistryKind.CONTEXT)
    ]
    if view.is_owners:
        return tuple(known)
    listening = {view.actor, *present_context(view).listeners} - {view.config.owner}
    return tuple(one for one in known if listening <= {*one.roster})


# -- the active context ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """The actor's active context, if any; `listeners` are who takes in what is shown there.

    `unlisted` are those among them who don't belong there, and to whom what is granted to it stays closed.
    """

    context: ActiveContext | None
    registered: bool
    listeners: tuple[str, ...]
    trouble: str | None = None
    unlisted: tuple[str, ...] = ()

    __repr__ = short_repr


def enter_context(view: View, context: str, *, participants: Sequence[str] = (), role: str | None = None) -> Present:
    """Enter a context in place of the active one; it expires after 12 hours, and is then an error.

    A context that is not registered may be entered, too; it grants nothing.

    Args:
        view: the vault.
        context: its id, `ctx:…`.
        participants: who is there; if empty, those whom the registry lists.
        role: the actor's role there, for people to read.

    Raises:
        UsageError: an id is malformed, or a participant is a role, which is nobody.
        RefusedError: this process was given its context with `--context` or MEMSTORE_CONTEXT.
    """
    _stop_where_declared(view)
    names = [entity_id(name, "participant", view) for name in dict.fromkeys(participants)]
    roles = [name for name in names if name.startswith("role:")]
    if roles:
        raise UsageError(
            f"{roles[0]} is a role, not somebody who could be there", hint="name entities; --role is for your own role"
        )
    active = ActiveContext(
        id=context_id(context),
        participants=tuple(names),
        expires_at=view.clock.now() + timedelta(hours=DEFAULT_HOURS),
        role=role_id(role) if role else None,
    )
    enter = partial(view.of(CONTEXTS).enter, active)
    _do(view, "context enter", enter, context=context, participants=names, role=active.role)
    return _present(view, active)


def _do(view: View, event: str, do: Callable[[], None], **about: str | list[str] | None) -> None:
    """Write an event and do its act; one that ends with the process is done after it."""
    place = view.of(CONTEXTS).place
    append(view, event, Act(do, place) if place else None, **about)
    if not place:
        do()


def leave_context(view: View) -> str | None:
    """Leave the active context and return its id; what was granted in it stays granted.

    Raises:
        RefusedError: this process was given its context with `--context` or MEMSTORE_CONTEXT.
    """
    _stop_where_declared(view)
    active = view.of(CONTEXTS).current()
    if active is not None:
        _do(view, "context leave", view.of(CONTEXTS).leave, context=active.id if is_entity_id(active.id) else None)
    return active.id if active else None


def present_context(view: View) -> Present:
    """Return the actor's active context and who listens there; and why, if it can't be relied on."""
    return _present(view, view.of(CONTEXTS).current())


def _present(view: View, active: ActiveContext | None) -> Present:
    rights = view.of(RIGHTS)
    if active is None:
        return Present(context=None, registered=False, listeners=(UNKNOWN_LISTENER,) if rights.overheard else ())
    session = Session(viewer=view.actor, at=view.clock.now(), context=active, alone=rights.alone)
    world = known_contexts(rights.registries, session)
    hearing = tuple(name for name in listeners(world, session) if name != view.actor)
    standings = Standings(world, session.at, active)
    return Present(
        context=active,
        registered=active.id in world.contexts,
        listeners=() if rights.alone else hearing,
        trouble=context_trouble(session),
        unlisted=tuple(name for name in hearing if active.id not in standings.listener(name).opened_by),
    )


# So many listeners are named where there is one line.
MOST_NAMES = 3


def listening(present: Present) -> str:
    """Return who listens in a context, in a few words."""
    names = [name for name in present.listeners if name != UNKNOWN_LISTENER]
    more = [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
    named = [*names[:MOST_NAMES], *more, *(["anybody"] if UNKNOWN_LISTENER in present.listeners else [])]
    if not named:
        return "nobody else listens"
    *others, last = named
    return f"{', '.join(others)} and {last} listen" if others else f"{last} listens"


def _stop_where_declared(view: View) -> None:
    if view.of(CONTEXTS).declared is not None:
        raise RefusedError(
            f"the context of this command is given by --context or MEMSTORE_CONTEXT: {view.of(CONTEXTS).declared}",
            hint="leave that out to enter or leave a context",
        )


# -- suggesting a context for a text ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A context that a text may belong to; `score` is in [0, 1], higher is better; `because` are words of the text."""

    context: str
    score: float
    because: tuple[str, ...]


def suggest_context(view: View, text: str) -> tuple[Suggestion, ...]:
    """Return the registered contexts that a text may belong to, best first; none is entered.

    What counts: names of people in the context, names of subjects of its memories, and words of their titles.

    Args:
        view: the vault.
        text: what is to be said or written.
    """
    entries = [view.entry(row) for row in view.rows]
    known = view.of(RIGHTS).registries.entities
    said = {term_of(word) for word in words(text) if word not in stop_words()}
    found = []
    for context in contexts(view):
        inside = [entry for entry in entries if context.id in (entry.context, *entry.access_grants)]
        about = {name for entry in inside for name in entry.subject_ids}
        people = {name for name in (*context.roster, *about) if name != view.actor}
        named = [name for name in sorted(people) if named_in(text, names_of({name: _aliases(known, name)}))[0]]
        vocabulary = {term_of(word) for entry in inside for word in (*words(entry.title), *entry.tags)}
        shared = sorted(said & (vocabulary | {term_of(word) for word in words(context.id.replace("_", " "))}))
        score = (len(named) + len(shared) / (len(said) or 1)) / (len(named) + 1)
        if named or shared:
            found.append(Suggestion(context=context.id, score=round(score, 4), because=(*named, *shared)))
    return tuple(sorted(found, key=lambda one: (-len(one.because), -one.score, one.context)))


def _aliases(entities: Mapping[str, Entity], name: str) -> tuple[str, ...]:
    return entities[name].aliases if name in entities else ()


def context_id(text: str) -> str:
    """Return a context's id unchanged; raise `UsageError` if it is malformed."""
    if not text.startswith("ctx:"):
        raise UsageError(
            f"context {text!r} is not a context id", hint=f"write it like ctx:{text.partition(':')[2] or text}"
        )
    return entity_id(text, "context")
