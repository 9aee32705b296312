"""Entities and groups: their names, their guardians, and who is a member of which group and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, cast

from memstore.access import RIGHTS
from memstore.access.audit import (
    change,
    create,
    entity_id,
    first_events,
    found,
    new_file,
    plain,
    recorded,
    registered,
    role_id,
    stop_unless_owner,
    texts,
)
from memstore.access.registry import ENTITY_KINDS, edited
from memstore.access.stack import members_now
from memstore.core.change import Written
from memstore.core.digests import digest_of
from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.core.ids import is_group
from memstore.core.places import RegistryKind
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed
from memstore.files.splice import AppendItems, RemoveItems, SetValue

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memstore.access.audit import About, Registered
    from memstore.access.registry import RegistryFile
    from memstore.core.named import OneOrMore
    from memstore.core.view import View
    from memstore.files.render import Plain
    from memstore.files.splice import Edit

GROUP_NAMESPACES = ("group", "org")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEntity:
    """One entity as registered."""

    id: str
    path: str
    kind: str | None
    aliases: tuple[str, ...]
    guardians: tuple[str, ...]
    roles: tuple[str, ...]

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMember:
    """A member of a group, from `since` until just before `until`; None means without limit."""

    id: str
    since: str | None
    until: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownGroup:
    """One group as registered."""

    id: str
    path: str
    members: tuple[KnownMember, ...]

    __repr__ = short_repr


class AboutEntity(Saving, total=False):
    """The optional arguments for an entity.

    `aliases` are the names by which people call it, `guardians` who speaks for it, `kind` is what it is if its
    namespace does not say so, `roles` are `role:…` (the prefix may be left out), `note` is a text for people.
    """

    aliases: Sequence[str]
    guardians: Sequence[str]
    kind: str | None
    roles: Sequence[str]
    note: str


@again_where_changed
def add_entity(view: View, entity: str, **said: Unpack[AboutEntity]) -> Registered:
    """Register an entity.

    >>> add_entity(ws.view(), "dog:bella", aliases=["Bella"], guardians=["human:sean"]).path
    'entities/dog/bella.md'

    Args:
        view: the vault.
        entity: its id.
        said: further details, `AboutEntity`.

    Raises:
        UsageError: an id is malformed, or the kind is unknown.
        RefusedError: somebody other than the vault's owner acts, or it is already registered.
    """
    stop_unless_owner(view, "register entities")
    entity_id(entity, "entity", view)
    kind, guardians = said.get("kind"), [entity_id(name, "guardian", view) for name in said.get("guardians", ())]
    if kind is not None and kind not in ENTITY_KINDS:
        raise UsageError(f"kind {kind!r} is unknown", hint=f"choose one of {', '.join(ENTITY_KINDS)}")
    _stop_where_registered(
        view,
        RegistryKind.ENTITY,
        entity,
        "memstore privacy entity alias and memstore privacy entity guardian add to it",
    )
    roles = [role_id(role) for role in said.get("roles", ())]
    values: dict[str, Plain] = {
        "type": "entity",
        "id": entity,
        "kind": kind,
        "aliases": plain(said.get("aliases", ())),
        "guardians": plain(guardians),
        "roles": plain(roles),
    }
    saving: Saving = {"dry_run": said.get("dry_run", False), "commit": said.get("commit", False)}
    about: About = {"entity": entity, "guardians": guardians, "roles": roles, "kind": kind}
    note = said.get("note", "")
    return create(view, RegistryKind.ENTITY, values, body=note, verb="entity add", about=about, **saving)


@again_where_changed
def name_entity(
    view: View, entity: str, aliases: OneOrMore, *, remove: bool = False, **saving: Unpack[Saving]
) -> Registered:
    """Add aliases to an entity, or remove them.

    Raises:
        NotFoundError: it is not registered.
        RefusedError: somebody other than the vault's owner acts.
    """
    stop_unless_owner(view, "change entities")
    file = _entity_file(view, entity)
    edit = (RemoveItems if remove else AppendItems)("aliases", tuple(aliases))
    return change(view, file, [edit], verb="entity alias", about={"entity": entity}, **saving)


@again_where_changed
def guard_entity(
    view: View, entity: str, guardians: OneOrMore, *, remove: bool = False, **saving: Unpack[Saving]
) -> Registered:
    """Add guardians, who speak for an entity, or remove them.

    Raises:
        NotFoundError: it is not registered.
        UsageError: a guardian's id is malformed, or is the entity's own.
        RefusedError: somebody other than the vault's owner acts.
    """
    stop_unless_owner(view, "name guardians")
    file = _entity_file(view, entity)
    if entity in guardians:
        raise UsageError(f"{entity} needs no guardian to speak for itself", hint="name somebody else")
    names = [entity_id(name, "guardian", view) for name in guardians]
    edit = (RemoveItems if remove else AppendItems)("guardians", tuple(names))
    about: About = {"entity": entity, "removed" if remove else "guardians": names}
    return change(view, file, [edit], verb="entity guardian", about=about, **saving)


def entities(view: View) -> tuple[KnownEntity, ...]:
    """Return all entities, by id; anybody but the vault's owner sees only themselves."""
    return tuple(
        KnownEntity(
            id=file.values["id"],
            path=file.path,
            kind=file.values.get("kind"),
            aliases=texts(file.values, "aliases"),
            guardians=texts(file.values, "guardians"),
            roles=texts(file.values, "roles"),
        )
        for file in registered(view, RegistryKind.ENTITY)
        if view.is_owners or file.values["id"] == view.actor
    )


# -- groups --------------------------------------------------------------------------------------


@again_where_changed
def add_members(
    view: View,
    group: str,
    members: OneOrMore,
    *,
    since: str | None = None,
    until: str | None = None,
    keeper: bool = False,
    email: str | None = None,
    **saving: Unpack[Saving],
) -> Registered:
    """Add entities or groups to a group, which is created if it does not exist.

    >>> add_members(ws.view(), "group:bella_care_team", ["human:sean", "vet:dr_smith"]).id
    'group:bella_care_team'

    Args:
        view: the vault.
        group: the group.
        members: who joins it.
        since: when the membership begins, RFC 3339 in UTC; None means now.
        until: when it ends, exclusive; None means never.
        keeper: whether they also keep the group, if it owns the vault.
        email: the address with which the one who joins commits in git; their entity gets it.
        saving: whether to write it, `Saving`.

    Raises:
        UsageError: an id is malformed.
        RefusedError: somebody other than the vault's owner acts.
    """
    stop_unless_owner(view, "change groups")
    _check_group(group)
    now = instant(view.clock.now())
    if until is not None and until <= (since or now):
        raise UsageError(f"the membership would end on {until}, before it begins", hint="give a later --until")
    file = found(view, RegistryKind.GROUP, group)
    kept = _members(file) if file else ()
    here = {member.id for member in kept if _is_member(member, now)}
    new = [entity_id(name, "member", view) for name in dict.fromkeys(members) if name not in here]
    if group in new:
        raise UsageError(f"{group} can't be a member of itself", hint="name somebody else")
    entries: list[Plain] = [_entry(name, since or now, until) for name in new]
    keepers = [*dict.fromkeys(members)] if keeper else []
    ends = [f"{name} {until}" for name in new] if until else None
    about: About = {"group": group, "members": new, "until": ends, "keepers": keepers}
    beside = _bound(view, members, email) if email else ()
    if file is None:
        values: dict[str, Plain] = {"id": group, "keepers": plain(keepers) or None, "members": entries}
        return create(view, RegistryKind.GROUP, values, verb="group add", about=about, beside=beside, **saving)
    edits = [AppendItems("members", tuple(entries)), AppendItems("keepers", tuple(keepers))]
    return change(view, file, edits, verb="group add", about=about, beside=beside, **saving)


def _bound(view: View, members: Sequence[str], email: str) -> tuple[Written, ...]:
    """Return the files that bind a git address to somebody: their entity, and its event."""
    if len(members) != 1 or any(char in email for char in "<> \n") or "@" not in email:
        raise UsageError(f"--email {email} needs one member and an address", hint="human:ben --email ben@example.org")
    [name] = members
    file = found(view, RegistryKind.ENTITY, name)
    if file is None:
        written = new_file(view, RegistryKind.ENTITY, {"type": "entity", "id": name, "email": email})
    elif (file.values.get("email") or "").casefold() == email.casefold():
        return ()
    else:
        before = view.own_file(file.path) or b""
        after = edited(file.path, RegistryKind.ENTITY, before, [SetValue("email", email)])
        written = Written(file.path, before, after)
    return written, recorded(view, "entity email", entity=name, email=email, says=digest_of(written.after or b""))


@again_where_changed
def remove_members(view: View, group: str, members: OneOrMore, **saving: Unpack[Saving]) -> Registered:
    """End memberships now; what members have already seen can't be made unseen, and grants by name stay.

    Raises:
        NotFoundError: there is no such group, or somebody is not a member of it.
        RefusedError: somebody other than the vault's owner acts, or the group would keep no keeper.
    """
    stop_unless_owner(view, "change groups")
    file = found(view, RegistryKind.GROUP, group)
    if file is None:
        raise NotFoundError(f"the group `{group}` is not registered", hint="memstore privacy group list")
    now = instant(view.clock.now())
    missing = [name for name in members if not any(m.id == name and _may_end(m, now) for m in _members(file))]
    if missing:
        raise NotFoundError(f"{', '.join(missing)} is not a member of {group}", hint="memstore privacy group list")
    named = {*texts(file.values, "keepers")}
    kept = {name for name in named if not is_group(name)}
    if kept and group == view.config.owner and kept <= {*members}:
        raise RefusedError(
            f"{group} would have no keeper, and nobody could change it again",
            hint=f"memstore privacy group add {group} human:ben --keeper makes another one",
        )
    entries: list[Plain] = []
    for entry in cast("list[dict[str, Plain]]", file.values["members"]):
        member = _member(entry)
        ends = member.id in members and _may_end(member, now)
        entries.append({**entry, "until": now} if ends else entry)
    about: About = {"group": group, "removed": [*members]}
    edits: list[Edit] = [SetValue("members", entries)]
    edits += [RemoveItems("keepers", tuple(members))] if named else []
    return change(view, file, edits, verb="group remove", about=about, **saving)


def found_charter(view: View, *, email: str | None = None, **saving: Unpack[Saving]) -> Registered | None:
    """Make whoever acts the first keeper and member of the group that owns the vault; None if it has keepers.

    `email` is the address with which they commit in git.

    Raises:
        RefusedError: the group has members, and the actor is none of them.
    """
    owner, now = view.config.owner, instant(view.clock.now())
    file = found(view, RegistryKind.GROUP, owner)
    if view.of(RIGHTS).registries.keepers:
        return None
    keepers: list[Plain] = [view.actor]
    about: About = {"group": owner, "keepers": [view.actor], "members": [view.actor]}
    if file is None:
        values: dict[str, Plain] = {"id": owner, "keepers": keepers, "members": [_entry(view.actor, now, None)]}
        beside = _bound(view, [view.actor], email) if email else ()
        return create(view, RegistryKind.GROUP, values, verb="group add", about=about, beside=beside, **saving)
    if not any(one.id == view.actor and _is_member(one, now) for one in _members(file)):
        raise RefusedError(
            f"{view.actor} is no member of {owner}, so they can't keep it",
            hint="a member can: memstore --as ENTITY init",
        )
    return change(view, file, [AppendItems("keepers", tuple(keepers))], verb="group add", about=about, **saving)


class Joining(NamedTuple):
    """A member of the group that a new vault is for: their git address, if it is known, and when they leave."""

    id: str
    email: str | None = None
    until: str | None = None


class FirstCharter(NamedTuple):
    """The files of a new vault's charter: group, entities of its `people`, events; and the last event's digest."""

    files: tuple[Written, ...]
    people: tuple[str, ...]
    keepers: tuple[str, ...]
    head: str


def joining(view: View, group: str, *, address: str) -> tuple[Joining, ...]:
    """Return who is in a group now as a vault knows them, and the actor, whose git address is given."""
    known = _entities_by_id(view)
    found = {one.id: one.until for one in members_now(view.of(RIGHTS).registries, group, view.clock.now())}
    found.setdefault(view.actor, None)
    emails = {name: known.get(name, {}).get("email") for name in found} | {view.actor: address}
    return tuple(Joining(name, emails[name], instant(end) if end else None) for name, end in sorted(found.items()))


def first_charter(view: View, group: str, members: Sequence[Joining], authors: Collection[str]) -> FirstCharter:
    """Return the charter of a new vault, whose first keeper acts; agents that members control come with their texts.

    Those who keep the group where it is known already keep it there, too, if they are in it.
    """
    here = {one.id for one in members}
    file = found(view, RegistryKind.GROUP, group)
    keepers = tuple(dict.fromkeys([view.actor, *(name for name in (texts(file.values, "keepers") if file else ())
                                                 if name in here)]))  # fmt: skip
    known, now = _entities_by_id(view), instant(view.clock.now())
    agents = {name: by for name in authors if (by := known.get(name, {}).get("controller")) in here}
    emails = {one.id: one.email for one in members} | {name: known[name].get("email") for name in agents}
    files: list[Written] = []
    acts: list[tuple[str, About]] = []
    for name in sorted(emails):
        controller = known.get(name, {}).get("controller")
        said = {"email": emails[name], "controller": controller if controller in here else None}
        if any(said.values()):
            files.append(new_file(view, RegistryKind.ENTITY, {"type": "entity", "id": name, **said}))
            acts.append(("entity add", {"entity": name, **said, "says": digest_of(files[-1].after or b"")}))
    entries: list[Plain] = [_entry(one.id, now, one.until) for one in members]
    values: dict[str, Plain] = {"id": group, "keepers": plain(keepers), "members": entries}
    files.append(new_file(view, RegistryKind.GROUP, values))
    about: About = {"group": group, "members": sorted(here), "keepers": [*keepers]}
    acts.append(("group add", {**about, "says": digest_of(files[-1].after or b"")}))
    events, head = first_events(view, acts)
    return FirstCharter((*files, *events), tuple(sorted(emails)), keepers, head)


def _entities_by_id(view: View) -> dict[str, Mapping[str, Any]]:
    return {file.values["id"]: file.values for file in registered(view, RegistryKind.ENTITY)}


def groups(view: View) -> tuple[KnownGroup, ...]:
    """Return all groups, by id; anybody but the vault's owner sees their own groups, with themselves as only member."""
    found = [
        KnownGroup(id=file.values["id"], path=file.path, members=_members(file))
        for file in registered(view, RegistryKind.GROUP)
    ]
    if view.is_owners:
        return tuple(found)
    own = [(group, tuple(member for member in group.members if member.id == view.actor)) for group in found]
    return tuple(KnownGroup(id=group.id, path=group.path, members=members) for group, members in own if members)


def _stop_where_registered(view: View, kind: RegistryKind, registry_id: str, hint: str) -> None:
    if file := found(view, kind, registry_id):
        raise RefusedError(f"{registry_id} is already registered: {file.path}", hint=hint)


def _entity_file(view: View, entity: str) -> RegistryFile:
    file = found(view, RegistryKind.ENTITY, entity_id(entity, "entity", view))
    if file is None:
        raise NotFoundError(f"the entity `{entity}` is not registered", hint=f"memstore privacy entity add {entity}")
    return file


def _check_group(group: str) -> None:
    if entity_id(group, "group").partition(":")[0] not in GROUP_NAMESPACES:
        raise UsageError(f"{group!r} is not a group", hint="a group's id begins with group: or org:")


def _members(file: RegistryFile) -> tuple[KnownMember, ...]:
    entries: list[dict[str, Any]] = file.values.get("members") or []
    return tuple(_member(entry) for entry in entries)


def _member(entry: dict[str, Any]) -> KnownMember:
    return KnownMember(id=entry["id"], since=entry.get("from") or None, until=entry.get("until") or None)


def _entry(name: str, since: str, until: str | None) -> dict[str, Plain]:
    entry: dict[str, Plain] = {"id": name, "from": since}
    return entry if until is None else {**entry, "until": until}


def _is_member(member: KnownMember, now: str) -> bool:
    return (member.since or "") <= now and _may_end(member, now)


def _may_end(member: KnownMember, now: str) -> bool:
    """Whether a membership has not ended yet; days and times compare as texts."""
    return member.until is None or member.until > now
