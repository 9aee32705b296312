"""Grants: who may widen a memory's audience, what a new memory inherits, and what grants amount to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memstore.errors import RefusedError
from memstore.model.ids import is_entity_id
from memstore.model.sharing import EVERYBODY, UNKNOWN_LISTENER
from memstore.model.world import Consent, Decision, Kind
from memstore.rules.consent import ConsentBook
from memstore.rules.hearing import Hearing
from memstore.rules.judge import FORGOTTEN, NOT_FOUND, context_trouble, listeners, participants
from memstore.rules.reasons import Denial, verdict
from memstore.rules.standing import Standings, can_listen, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.model.world import Labels, Session, World


def may_change(world: World, session: Session, memory_id: str) -> Decision:
    """Return whether the viewer may change a memory: only its owner may. Ids must have been resolved for the viewer."""
    labels = world.memories.get(memory_id)
    if labels is None:
        return NOT_FOUND
    if labels.status == "forgotten":
        return FORGOTTEN
    if session.viewer != (labels.owner or world.owner) or not is_entity_id(session.viewer):
        return Decision(allowed=False, code="not-owner", rule="1", who=(session.viewer,))
    return Decision(allowed=True, code="owner", rule="1")


def may_grant(world: World, session: Session, memory_id: str, to: str, consents: tuple[str, ...] = ()) -> Decision:
    """Return whether the viewer may grant a memory to one more.

    Everybody with a say must have consented for this grantee, by a record: consents that stand in the memory were
    given for those it is granted to already. `consents` are those that the viewer asserts, to be recorded with the
    grant. The memories that it was made of must allow the grantee already.

    Args:
        world: registries, consents, memories.
        session: who grants, when; in which context makes no difference, as long as it is a sound one.
        memory_id: what is granted.
        to: an entity, a group, a role, a context, or `*`.
        consents: who is said to consent.
    """
    change = may_change(world, session, memory_id)
    if not change.allowed:
        return change
    labels = world.memories[memory_id]
    trouble = context_trouble(session)
    if trouble is None and not ((to == EVERYBODY or is_entity_id(to)) and all(map(is_entity_id, consents))):
        trouble = "malformed"
    if trouble:
        return verdict(world, labels, {to: Denial(trouble)})
    granted = _granted(labels, to)
    asserted = (
        Consent(id="", grantor=name, grantee=to, scope=f"mem:{memory_id}", granted_at=session.at) for name in consents
    )
    widened = replace(world, consents=(*world.consents, *asserted), memories={**world.memories, memory_id: granted})
    grantee = Standings(widened, session.at, None).grantee(to)
    denial = Hearing(widened, ConsentBook(widened, session.at), grantee).denial(granted)
    return verdict(widened, granted, {to: denial} if denial else {})


def _granted(labels: Labels, to: str) -> Labels:
    """Return a memory's labels with the grant; a grant by name lifts a denial by the same name."""
    if to in labels.access_grants:
        return labels
    return replace(
        labels,
        access_grants=(*labels.access_grants, to),
        access_denies=tuple(name for name in labels.access_denies if name != to),
        consent_grants=(),
    )


def inherited_grants(
    world: World, session: Session, *, source_entity: str | None, explicit: Iterable[str] | None = None
) -> tuple[str, ...]:
    """Return the grants of a memory made in a session; its maker needs none.

    Args:
        world: the registries.
        session: who makes it, in which context.
        source_entity: who told it; None for what was observed.
        explicit: what the maker chose, which stands as it is; None where they chose nothing.

    Raises:
        RefusedError: the context has expired, or is not one context.
    """
    if explicit is not None:
        return tuple(dict.fromkeys(explicit))
    if context_trouble(session):
        raise RefusedError(
            "the active context has expired or is not one context, so what it would grant is not known",
            hint="memstore context enter CTX, or context leave",
        )
    told = source_entity is not None and can_listen(world, source_entity)
    if session.context is None:
        grants = [source_entity] if told and source_entity else []
    else:
        registered = world.contexts.get(session.context.id)
        grants = [*_present(world, session)] if told else []
        grants += [session.context.id, *(registered.default_access if registered else ())]
    return tuple(name for name in dict.fromkeys(grants) if name != session.viewer)


def _present(world: World, session: Session) -> list[str]:
    """Return who is known to listen, in the order in which they were named."""
    heard = set(listeners(world, session)) - {UNKNOWN_LISTENER}
    return [name for name in participants(world, session) if name in heard and is_entity_id(name)]


def scope_of(world: World, grants: Iterable[str]) -> str:
    """Return what grants amount to, in a word for people; the widest counts."""
    names = sorted(set(grants))
    if EVERYBODY in names:
        return "public"
    if any(name.startswith("role:") or kind_of(world, name) is Kind.ORGANISATION for name in names):
        return "group"
    if any(name.startswith("ctx:") for name in names):
        return "contextual"
    return f"private({', '.join(names)})" if names else "self-only"
