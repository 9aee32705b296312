"""Consent: whether everybody with a say in sharing a memory with somebody has said yes, and nobody no.

Two kinds of entities have a say: those a memory is about, and those who told it in confidence. A guardian, or for a
while a delegate, may speak for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from memstore.access.world import Effect, Kind, guardians_of, holds_confidence, kind_of, needs_consent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from memstore.access.world import Consent, Delegation, Labels, Listener, Revocation, World

# If a consent is missing for several reasons, the first of these codes is reported; a refusal comes before all.
MOST_TELLING = (
    "consent-refused",
    "consent-revoked",
    "consent-expired",
    "consent-pending",
    "delegation-self",
    "delegation-invalid",
    "consent-missing",
)


@dataclass(frozen=True, slots=True, order=True)
class Say:
    """An entity with a say, either as what the memory is about (`subject`) or as who told it (`source`)."""

    role: str
    entity: str

    def __str__(self) -> str:
        return f"{self.role}:{self.entity}"


def who_may_permit(world: World, entity: str) -> frozenset[str]:
    """Return who may consent for an entity: its guardians if it has any, else itself.

    The result is empty for a ward without a guardian: any person but the memory's owner may consent for it.
    """
    guardians = guardians_of(world, entity)
    if guardians:
        return frozenset(guardians)
    return frozenset() if kind_of(world, entity) is Kind.WARD else frozenset({entity})


class ConsentBook:
    """The consents of a world at one time; what applies to a listener is looked up once.

    Args:
        world: the registries and records.
        at: the time, UTC.
    """

    def __init__(self, world: World, at: datetime) -> None:
        self._world = world
        self._at = at
        self._revocations: dict[str, list[Revocation]] = {}
        for revocation in world.revocations:
            self._revocations.setdefault(revocation.revokes, []).append(revocation)
        self._permits = [c for c in world.consents if c.effect is Effect.PERMIT]
        self._refusals = [c for c in world.consents if c.effect is Effect.REFUSE and self._is_active(c, at)]
        # There are few entities, but many memories.
        self._permitters = cache(partial(who_may_permit, world))
        self._needs_consent = cache(partial(needs_consent, world))
        self._holds_confidence = cache(partial(holds_confidence, world))
        self._heard: dict[str, tuple[_ByScope, _ByScope]] = {}

    def says(self, labels: Labels) -> list[Say]:
        """Return who has a say in sharing a memory, whoever the listener is; its owner is not asked."""
        owner = labels.owner or self._world.owner
        about = {Say("subject", entity) for entity in labels.subject_ids if self._needs_consent(entity)}
        told = {Say("source", entity) for entity in _told_by(labels) if self._holds_confidence(entity)}
        return [say for say in about | told if say.entity != owner]

    def taken_back(self) -> frozenset[str]:
        """Return the ids of consents, refusals and delegations that were revoked by somebody entitled to."""
        records: tuple[Consent | Delegation, ...] = (*self._world.consents, *self._world.delegations)
        return frozenset(record.id for record in records if self._is_revoked(record, self._at, None))

    def obstacle(self, labels: Labels, say: Say, listener: Listener) -> str | None:
        """Return the code for why `say` stands between a memory and a listener; None if it does not.

        A consent that can't be read may be a refusal of anything.
        """
        if say.entity == listener.id:
            return None
        if self._world.consents_in_doubt:
            return "malformed"
        permits, refusals = self._meant_for(listener)
        reaching = _filed(refusals, _scopes_that_reach(labels)) if refusals else ()
        if any(self._refuses(record, labels, say, listener) for record in reaching):
            return "consent-refused"
        if listener.id in guardians_of(self._world, say.entity):
            return None
        scopes = self._scopes_that_cover(labels, say)
        faults = {
            self._fault(record, labels, say, listener)
            for record in _filed(permits, scopes)
            if self._claims(record, labels, say)
        }
        # If consent was revoked for this listener, a consent in the memory, which names no listener, does not count.
        if None in faults or ("consent-revoked" not in faults and self._permitted_inline(labels, say)):
            return None
        return next((code for code in MOST_TELLING if code in faults), "consent-missing")

    def _meant_for(self, listener: Listener) -> tuple[_ByScope, _ByScope]:
        """Return the consents and the refusals, by scope, whose grantee is or includes the listener."""
        if listener.id not in self._heard:
            permits = _by_scope(c for c in self._permits if c.grantee in listener.opened_by)
            refusals = _by_scope(c for c in self._refusals if listener.may_be_meant(c.grantee))
            self._heard[listener.id] = (permits, refusals)
        return self._heard[listener.id]

    # -- refusals -----------------------------------------------------------------------------

    def _refuses(self, record: Consent, labels: Labels, say: Say, listener: Listener) -> bool:
        """Whether an active refusal counts; a refusal never hides a memory from its own grantor."""
        if record.grantor == listener.id:
            return False
        if record.grantor == say.entity or self._may_permit(record.grantor, labels, say):
            return True
        return self._is_delegated(record, labels, say) and self._stands_in(record, say, _scopes_that_reach(labels))

    # -- consents -----------------------------------------------------------------------------

    def _permitted_inline(self, labels: Labels, say: Say) -> bool:
        return any(self._may_permit(grantor, labels, say) for grantor in labels.consent_grants)

    def _may_permit(self, grantor: str, labels: Labels, say: Say) -> bool:
        permitters = self._permitters(say.entity)
        if permitters:
            return grantor in permitters
        owner = labels.owner or self._world.owner
        return grantor != owner and kind_of(self._world, grantor) is Kind.PERSON

    def _claims(self, record: Consent, labels: Labels, say: Say) -> bool:
        """Whether a record claims to speak for whoever has the say, rightly or not."""
        own_word = record.on_behalf_of in (None, record.grantor, say.entity)
        return (own_word and self._may_permit(record.grantor, labels, say)) or self._is_delegated(record, labels, say)

    def _is_delegated(self, record: Consent, labels: Labels, say: Say) -> bool:
        """Whether a record is a delegate's: it speaks for somebody else who may permit, or for their ward."""
        represented = record.on_behalf_of
        if represented in (None, record.grantor) or self._may_permit(record.grantor, labels, say):
            return False
        return represented == say.entity or self._may_permit(represented, labels, say)

    def _fault(self, record: Consent, labels: Labels, say: Say, listener: Listener) -> str | None:
        """Return the code for why a record that covers the memory does not count; None if it counts."""
        if self._is_revoked(record, self._at, say.entity):
            return "consent-revoked"
        if record.granted_at > self._at:
            return "consent-pending"
        if record.expires_at is not None and record.expires_at <= self._at:
            return "consent-expired"
        if not self._is_delegated(record, labels, say):
            return None
        if not self._stands_in(record, say, self._scopes_that_cover(labels, say)):
            return "delegation-invalid"
        return "delegation-self" if record.grantor == listener.id else None

    def _stands_in(self, record: Consent, say: Say, scopes: set[str]) -> bool:
        """Whether a delegate could give this record: by a delegation within `scopes`, active then and now."""
        permitters = self._permitters(say.entity)
        return any(
            delegation.delegate == record.grantor
            and delegation.grantor in permitters
            and record.on_behalf_of in (delegation.grantor, say.entity)
            and not scopes.isdisjoint(_filed_under(delegation.scope))
            and all(self._is_active(delegation, at, say.entity) for at in (record.granted_at, self._at))
            for delegation in self._world.delegations
        )

    def _scopes_that_cover(self, labels: Labels, say: Say) -> set[str]:
        """Return the scopes of consents that speak for `say` about a memory; doubtful scopes are left out.

        Consent about a subject covers what a source told only if the memory has no other subject. Consent about what a
        source told never covers a subject. A memory that does not name its context is taken to belong to the contexts
        in its grants.
        """
        scopes = {str(say)}
        if labels.id:
            scopes.add(f"mem:{labels.id}")
        if labels.context:
            scopes.add(labels.context)
        else:
            scopes.update(grant for grant in labels.access_grants if grant.startswith(_ANY_CONTEXT))
        subjects = {entity for entity in labels.subject_ids if self._needs_consent(entity)}
        if say.role == "source" and len(subjects) == 1:
            scopes.add(f"subject:{subjects.pop()}")
        return scopes

    # -- time ---------------------------------------------------------------------------------

    def _is_active(self, record: Consent | Delegation, at: datetime, spoken_for: str | None = None) -> bool:
        begun = record.granted_at <= at
        ended = record.expires_at is not None and record.expires_at <= at
        return begun and not ended and not self._is_revoked(record, at, spoken_for)

    def _is_revoked(self, record: Consent | Delegation, at: datetime, spoken_for: str | None) -> bool:
        """Whether a record was revoked by its grantor, by whom it speaks for, or by a guardian of either."""
        revoked_by = {r.by for r in self._revocations.get(record.id, ()) if r.at <= at}
        if not revoked_by:
            return False
        represented = getattr(record, "on_behalf_of", None)
        concerned = {entity for entity in (record.grantor, represented) if entity}
        guarded = concerned | ({spoken_for} if spoken_for else set())
        guardians = {guardian for entity in guarded for guardian in guardians_of(self._world, entity)}
        return not revoked_by.isdisjoint(concerned | guardians)


# -- scopes -------------------------------------------------------------------------------------

_ByScope = dict[str, list["Consent"]]

_ANY_CONTEXT = "ctx:"


def _scopes_that_reach(labels: Labels) -> set[str]:
    """Return the scopes of refusals that are about a memory; doubtful scopes are included.

    A memory that does not name its context may have been made in any. Its grants are ignored here, or else removing a
    grant could open the memory.
    """
    scopes = {labels.context or _ANY_CONTEXT}
    if labels.id:
        scopes.add(f"mem:{labels.id}")
    scopes.update(f"subject:{entity}" for entity in labels.subject_ids)
    scopes.update(f"source:{entity}" for entity in _told_by(labels))
    return scopes


def _filed_under(scope: str) -> tuple[str, ...]:
    """Return the keys under which a record is filed: its full scope, and for a context also the key for any context."""
    if scope.startswith(_ANY_CONTEXT):
        return (scope, _ANY_CONTEXT)
    return (scope if ":" in scope else f"mem:{scope}",)


def _by_scope(records: Iterable[Consent]) -> _ByScope:
    filed: _ByScope = {}
    for record in records:
        for scope in _filed_under(record.scope):
            filed.setdefault(scope, []).append(record)
    return filed


def _filed(records: _ByScope, scopes: set[str]) -> Iterator[Consent]:
    return (record for scope in scopes for record in records.get(scope, ()))


def _told_by(labels: Labels) -> tuple[str, ...]:
    """Return everybody in the chain of those who told a memory."""
    return (*labels.source_chain, labels.source_entity) if labels.source_entity else labels.source_chain
