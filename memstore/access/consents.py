"""Consents: requested, given, refused, delegated and revoked; each record is one immutable file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

from memstore.access import RIGHTS
from memstore.access.audit import create, entity_id, found, new_id, registered, stop_unless_owner, texts
from memstore.access.consent import ConsentBook, who_may_permit
from memstore.access.registry import WITNESS_REQUEST
from memstore.access.world import Kind, kind_of
from memstore.core import times
from memstore.core.errors import NoIdError, NotFoundError, RefusedError, UsageError
from memstore.core.ids import ID_OF_REQUEST, MEMORY_TYPES, MemoryRef, is_entity_id
from memstore.core.memory import EVERYBODY
from memstore.core.places import RegistryKind
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from memstore.access.audit import Registered
    from memstore.access.registry import RegistryFile
    from memstore.access.world import World
    from memstore.core.view import View
    from memstore.files.render import Plain

SCOPES = "mem:ID, ctx:NAME, subject:ENTITY or source:ENTITY"


class ConsentTerms(Saving, total=False):
    """The optional arguments of a record.

    `on_behalf_of` is whom the grantor speaks for, as guardian or delegate; `expires` is when it ends, a date or `30d`
    from now, exclusive; `reason` is why; `note` is what was said, verbatim.
    """

    on_behalf_of: str | None
    expires: str | None
    reason: str | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownConsent:
    """A consent, refusal, delegation or request, and its current state.

    `kind` is consent, refusal, delegation or request; `state` is active, expired, revoked or open.
    """

    id: str
    path: str
    kind: str
    grantor: str
    on_behalf_of: str | None
    grantee: str | None
    scope: str | None
    at: str
    expires_at: str | None
    reason: str | None
    state: str

    __repr__ = short_repr


@again_where_changed
def grant_consent(view: View, grantor: str, grantee: str, scope: str, **told: Unpack[ConsentTerms]) -> Registered:
    """Record that somebody consents; a consent opens nothing by itself, it lets a grant take effect.

    >>> given = grant_consent(
    ...     ws.view(), grantor="human:parent_456", grantee="si:reading_specialist", scope="ctx:student_123_academic"
    ... )
    >>> given.path.startswith("consents/2026/con_")
    True

    Args:
        view: the vault.
        grantor: who consents.
        grantee: who the memories may be shared with: an entity, a group, a role, a context, or `*`.
        scope: what the consent covers: `mem:…` (or any ref), `ctx:…`, `subject:…` or `source:…`.
        told: the optional arguments, `ConsentTerms`.

    Raises:
        UsageError: an id, a scope or a date is malformed.
        NotFoundError: the scope names a memory that the actor does not see.
        RefusedError: the actor is neither the vault's owner, who records what others say, nor the grantor.
    """
    given = _record(view, "consent grant", grantor, grantee, scope, told)
    return replace(given, notes=tuple(_unguarded(view, scope, told.get("on_behalf_of"))))


@again_where_changed
def refuse_consent(view: View, grantor: str, grantee: str, scope: str, **told: Unpack[ConsentTerms]) -> Registered:
    """Record that somebody says no; it beats every consent. Arguments and errors as for `grant_consent`."""
    return _record(view, "consent refuse", grantor, grantee, scope, told)


@again_where_changed
def delegate(view: View, grantor: str, delegate_to: str, scope: str, **told: Unpack[ConsentTerms]) -> Registered:
    """Record that somebody lets another consent in their place, for a while; the delegate can't delegate further.

    Args:
        view: the vault.
        grantor: whose consent it is.
        delegate_to: who may give it.
        scope: what for, as in `grant_consent`.
        told: the optional arguments, `ConsentTerms`; `expires` is required.

    Raises:
        UsageError: an id, a scope or a date is malformed, or there is no end.
        RefusedError: grantor and delegate are the same, or the actor is neither the vault's owner nor the grantor.
    """
    if grantor == delegate_to:
        raise RefusedError(f"{grantor} needs no delegation to speak for themselves", hint="delegate to somebody else")
    if delegate_to == EVERYBODY:
        raise UsageError("a delegate must be one entity, not everybody", hint="name one entity")
    if not told.get("expires"):
        raise UsageError("a delegation must end", hint="give its end, like --expires 90d")
    return _record(view, "delegate", grantor, delegate_to, scope, told)


@again_where_changed
def request_consent(view: View, grantor: str, grantee: str, scope: str, **told: Unpack[ConsentTerms]) -> Registered:
    """Ask somebody to consent: write a file that can be sent to them; it opens nothing. Errors as `grant_consent`."""
    if not view.acts_for_owner:
        stop_unless_owner(view, "ask for consents")
    values = {
        **request_values(view, grantor, grantee, scope, told.get("on_behalf_of")),
        "reason": told.get("reason"),
    }
    about = {"request": str(values["id"]), "grantor": grantor, "grantee": grantee, "scope": str(values["scope"])}
    return _created(view, RegistryKind.REQUEST, values, "consent request", about, told)


@again_where_changed
def revoke_consent(view: View, consent: str, *, by: str | None = None, **told: Unpack[ConsentTerms]) -> Registered:
    """Revoke a consent, a refusal or a delegation, from now on.

    Args:
        view: the vault.
        consent: the record's id.
        by: who revokes it; None means the actor.
        told: the optional arguments, `ConsentTerms`.

    Raises:
        NotFoundError: the actor knows of no such record.
        RefusedError: it is not theirs to revoke, or was already revoked.
    """
    file = _record_named(view, consent)
    who = entity_id(by or view.actor, "who revokes", view)
    _stop_unless_speaking_for(view, who)
    concerned = [name for name in (file.values["grantor"], file.values.get("on_behalf_of")) if name]
    entitled = {*concerned, *(guardian for name in concerned for guardian in _guardians(view, name))}
    if who not in entitled:
        raise RefusedError(
            f"only {', '.join(sorted(entitled))} can take {consent} back, not {who}",
            hint=f"memstore privacy consent revoke {consent} --by {min(entitled)}, if they said so",
        )
    if consent in _revoked(view):
        raise RefusedError(f"{consent} was already taken back", hint="memstore privacy consent list")
    values: dict[str, Plain] = {
        "type": "revocation",
        "id": new_id(view, "con_"),
        "revokes": consent,
        "grantor": who,
        "on_behalf_of": next((name for name in concerned if name != who), None),
        "grantee": file.values.get("grantee"),
        "scope": file.values.get("scope"),
        "granted_at": instant(view.clock.now()),
        "reason": told.get("reason"),
        "method": "asserted",
    }
    about = {"consent": str(values["id"]), "revokes": consent, "grantor": who}
    return _created(view, RegistryKind.CONSENT, values, "consent revoke", about, told)


def saying_the_same(view: View, consent: str) -> tuple[str, ...]:
    """Return the other records in force that say what one says: revoking that one alone changes nothing."""
    known = {one.id: one for one in consents(view)}
    if consent not in known:
        return ()
    said = _consent_key(known[consent])
    return tuple(
        one.id for one in known.values() if one.id != consent and one.state == "active" and _consent_key(one) == said
    )


def said_already(
    view: View, kind: str, grantor: str, grantee: str, scope: str, *, on_behalf_of: str | None = None
) -> tuple[KnownConsent, ...]:
    """Return the records in force, and the open requests, that say what a new one of this kind would say.

    Raises:
        UsageError, NotFoundError: as for `grant_consent`.
    """
    who = _who(view, grantor, grantee, scope, on_behalf_of)
    said = (kind, *(who[name] for name in ("grantor", "on_behalf_of", "grantee", "scope")))
    return tuple(one for one in consents(view) if one.state in ("active", "open") and _consent_key(one) == said)


def _consent_key(one: KnownConsent) -> tuple[str | None, ...]:
    return one.kind, one.grantor, one.on_behalf_of, one.grantee, one.scope


def consents(view: View) -> tuple[KnownConsent, ...]:
    """Return all consents, refusals, delegations and open requests, oldest first.

    Anybody but the vault's owner sees only those in which they are the grantor or the grantee.
    """
    now, revoked = instant(view.clock.now()), _revoked(view)
    known = [
        _known(file, now, revoked)
        for file in (*registered(view, RegistryKind.CONSENT), *registered(view, RegistryKind.REQUEST))
        if file.values["type"] not in ("revocation", WITNESS_REQUEST)
    ]
    shown = [one for one in known if view.is_owners or view.actor in (one.grantor, one.grantee)]
    return tuple(sorted(shown, key=lambda one: (one.at, one.id)))


def consent_values(view: View, grantor: str, grantee: str, scope: str) -> dict[str, Plain]:
    """Return the keys of a new consent, asserted by whoever records it."""
    return {
        "type": "consent",
        "id": new_id(view, "con_"),
        "grantor": grantor,
        "grantee": grantee,
        "scope": scope,
        "granted_at": instant(view.clock.now()),
        "method": "asserted",
    }


def request_values(
    view: View, grantor: str, grantee: str, scope: str, on_behalf_of: str | None = None
) -> dict[str, Plain]:
    """Return the keys of a new request for consent."""
    return {
        "type": "request",
        "id": new_id(view, ID_OF_REQUEST),
        **_who(view, grantor, grantee, scope, on_behalf_of),
        "requested_at": instant(view.clock.now()),
        "requested_by": view.actor,
    }


def is_asked(view: View, request: RegistryFile) -> bool:
    """Return whether a request for witnesses asks the actor, who sees the memory that it is about and listens alone."""
    ref = MemoryRef.parse(request.values.get("ref") or "")
    if request.values["type"] != WITNESS_REQUEST or view.actor not in texts(request.values, "asked") or ref is None:
        return False
    session, ids = view.of(RIGHTS).session, view.column("id")
    is_alone = session.context is None and not session.overheard and session.within is None
    return (is_alone or session.alone) and any(ids[row] == ref.id for row in view.rows)


def later(text: str, now: datetime) -> str:
    """Return the time at which something ends: the beginning of a date in the time zone of `now`, or `30d` from now.

    Raises:
        UsageError: it is not a date, or not after now.
    """
    then = times.period(text, now=now).start
    if text[:1].isdigit() and text[-1:] in "dwoy":
        then = now + (now - then)
    if then <= now:
        raise UsageError(f"{text!r} is not after now", hint="write a later date, or a time from now like 30d")
    return instant(then)


# -- one record ----------------------------------------------------------------------------------


def _record(view: View, verb: str, grantor: str, grantee: str, scope: str, told: ConsentTerms) -> Registered:
    who = _who(view, grantor, grantee, scope, told.get("on_behalf_of"))
    _stop_unless_speaking_for(view, grantor)
    now, expires = view.clock.now(), told.get("expires")
    values: dict[str, Plain] = {
        "type": "delegation" if verb == "delegate" else "consent",
        "id": new_id(view, "con_"),
        "effect": "deny" if verb == "consent refuse" else None,
        **who,
        "granted_at": instant(now),
        "expires_at": later(expires, view.clock.here()) if expires else None,
        "reason": told.get("reason"),
        "method": "asserted",
    }
    about = {"consent": str(values["id"]), **{name: str(value) for name, value in who.items() if value}}
    return _created(view, RegistryKind.CONSENT, values, verb, about, told)


def _created(
    view: View, kind: RegistryKind, values: dict[str, Plain], verb: str, about: Mapping[str, str], told: ConsentTerms
) -> Registered:
    saving: Saving = {"dry_run": told.get("dry_run", False), "commit": told.get("commit", False)}
    return create(view, kind, values, body=told.get("note") or "", verb=verb, about=about, **saving)


def _who(view: View, grantor: str, grantee: str, scope: str, on_behalf_of: str | None) -> dict[str, Plain]:
    entity_id(grantor, "grantor", view)
    if grantee != EVERYBODY:
        entity_id(grantee, "grantee", view)
    if on_behalf_of is not None:
        entity_id(on_behalf_of, "who is spoken for", view)
    if grantor == grantee:
        raise UsageError(f"{grantor} needs no consent of their own", hint="name who is to see it with --to")
    return {
        "grantor": grantor,
        "on_behalf_of": None if on_behalf_of == grantor else on_behalf_of,
        "grantee": grantee,
        "scope": whole_scope(view, scope),
    }


def _unguarded(view: View, scope: str, on_behalf_of: str | None) -> Iterator[str]:
    """Yield a note for a ward without a guardian that a consent is given for."""
    kind, _, subject = scope.partition(":")
    names = {on_behalf_of, subject if kind == "subject" else None} - {None}
    for text, act in without_guardian(view, view.of(RIGHTS).policy, sorted(map(str, names))):
        yield f"{text}: {act}"


def without_guardian(view: View, world: World, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield a note, and what to do, for each ward without a guardian: anybody may consent for it.

    Only the vault's owner may know who is known.
    """
    for name in names if view.is_owners else ():
        if kind_of(world, name) is Kind.WARD and not who_may_permit(world, name):
            note = f"{name} has no guardian, so anybody's word counts"
            yield note, f"memstore privacy entity guardian {name} PERSON names one"


def whole_scope(view: View, scope: str) -> str:
    """Return a scope as records store it; a memory's ref may be abbreviated.

    Raises:
        UsageError: it is not a scope.
        NotFoundError: it names a memory that the actor does not see.
    """
    kind, colon, name = scope.partition(":")
    if kind == "ctx" and is_entity_id(scope):
        return scope
    if kind in ("subject", "source"):
        if not is_entity_id(name):
            raise UsageError(f"scope {scope!r} does not name an entity", hint=f"write it like {kind}:human:sean")
        return scope
    if colon and is_entity_id(scope) and kind not in ("mem", *MEMORY_TYPES):
        raise UsageError(f"{scope!r} is not a scope", hint=f"write one of {SCOPES}")
    entry = view.find(name if kind == "mem" else scope)
    if not entry.id:
        raise NoIdError(entry.path)
    return f"mem:{entry.id}"


def _stop_unless_speaking_for(view: View, who: str) -> None:
    """Raise `RefusedError` unless the actor speaks for themselves, or owns the vault and records what others say."""
    if view.actor != who:
        stop_unless_owner(view, "record what others consent to")


def _record_named(view: View, consent: str) -> RegistryFile:
    file = found(view, RegistryKind.CONSENT, consent)
    known = file is not None and file.values["type"] != "revocation"
    if file is None or not known or not (view.acts_for_owner or view.actor in _people_of(view, file)):
        raise NotFoundError(f"there is no consent `{consent}`", hint="memstore privacy consent list")
    return file


def _people_of(view: View, file: RegistryFile) -> set[str]:
    named = {str(name) for key in ("grantor", "grantee", "on_behalf_of") if (name := file.values.get(key))}
    return named | {guardian for name in named for guardian in _guardians(view, name)}


def _guardians(view: View, entity: str) -> tuple[str, ...]:
    file = found(view, RegistryKind.ENTITY, entity)
    return texts(file.values, "guardians") if file else ()


def _revoked(view: View) -> frozenset[str]:
    """Return the ids of the records that were revoked, as of now, by somebody entitled to."""
    return ConsentBook(view.of(RIGHTS).registries, view.clock.now()).taken_back()


def _known(file: RegistryFile, now: str, revoked: frozenset[str]) -> KnownConsent:
    values = file.values
    kind = "refusal" if values.get("effect") == "deny" else values["type"]
    expires = values.get("expires_at") or None
    state = "revoked" if values["id"] in revoked else "expired" if expires and expires <= now else "active"
    return KnownConsent(
        id=values["id"],
        path=file.path,
        kind=kind,
        grantor=values.get("grantor") or "",
        on_behalf_of=values.get("on_behalf_of") or None,
        grantee=values.get("grantee") or None,
        scope=values.get("scope") or None,
        at=values.get("granted_at") or values.get("requested_at") or "",
        expires_at=expires,
        reason=values.get("reason") or None,
        state="open" if kind == "request" else state,
    )
