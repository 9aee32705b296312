"""`vault.access`, `vault.consents`, `vault.contexts` and `vault.entities`: who may see what, by whose consent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from memstore.access.consents import Told
from memstore.access.contexts import AboutContext
from memstore.access.entities import AboutEntity
from memstore.core.transaction import Saving
from memstore.face import given
from memstore.face.brief import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstore.access.audit import Registered, Verified
    from memstore.access.audit_events import AuditEvent
    from memstore.access.consents import KnownConsent
    from memstore.access.contexts import KnownContext, Present, Suggestion
    from memstore.access.entities import KnownEntity, KnownGroup
    from memstore.access.privacy import Shared
    from memstore.access.report import Sighted
    from memstore.access.sight import SightChange
    from memstore.access.world import Decision
    from memstore.core.view import View
    from memstore.face.given import Named, Names
    from memstore.memories.generalize import GeneralizationCheck, Generalized
    from memstore.memories.seal import SealedMemories


@brief
class VaultAccess:
    """Who sees a memory: `vault.access.grant(note, to="human:claire")`.

    `grant`, `revoke`, `explain`; `seal`, `unseal`; `generalize`, `check_generalization`; `seen_by`, `seers_of`,
    `seers_about`, `report`, `diff`; `trail`, `verify_trail`.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view

    def grant(
        self,
        memory: Named,
        *,
        to: str | Sequence[str],
        consent: str | Sequence[str] = (),
        **saving: Unpack[Saving],
    ) -> Shared:
        """Let others see one of the entity's own memories.

        Args:
            memory: the memory.
            to: entities, groups, roles, contexts, or "*".
            consent: who has consented; recorded for this memory and these grantees.
            saving: dry_run, commit.

        Raises:
            RefusedError: somebody with a say has not consented, or the memory was made from memories that the grantee
                may not see.
        """
        from memstore.access.privacy import grant_access

        given.only(saving, Saving, "grant")
        who, said = given.one_or_more(to), given.one_or_more(consent)
        return grant_access(self._view(), given.ref_of(memory), who, said, **saving)

    def revoke(self, memory: Named, *, whom: str | Sequence[str], **saving: Unpack[Saving]) -> Shared:
        """Revoke grants; anyone who would still see it through a group, a role, a context or "*" is denied by name."""
        from memstore.access.privacy import revoke_access

        given.only(saving, Saving, "revoke")
        return revoke_access(self._view(), given.ref_of(memory), given.one_or_more(whom), **saving)

    def seal(self, memories: Names, *, context: str | None = None, **saving: Unpack[Saving]) -> SealedMemories:
        """Encrypt memories as whole files, for the SSH keys of all who may see them; needs memstore-vault[seal].

        Args:
            memories: the memories.
            context: seal them for the key of this context alone, which can be destroyed.
            saving: dry_run, commit.

        Raises:
            RefusedError: somebody who may see one has no key that it can be sealed for.
        """
        from memstore.memories.seal import seal

        given.only(saving, Saving, "seal")
        return seal(self._view(), given.refs_of(memories), context=context, **saving)

    def unseal(self, memories: Names, **saving: Unpack[Saving]) -> SealedMemories:
        """Write sealed memories that the entity can open as plain files again."""
        from memstore.memories.seal import unseal

        given.only(saving, Saving, "unseal")
        return unseal(self._view(), given.refs_of(memories), **saving)

    def explain(self, memory: Named, viewer: str, *, context: str | None = None) -> Decision:
        """Return whether somebody may see a memory, in a context or outside of any, and why."""
        from memstore.access.privacy import explain_access

        return explain_access(self._view(), given.ref_of(memory), viewer, context=context)

    def generalize(
        self,
        sources: Names,
        text: str,
        *,
        access: str | Sequence[str],
        title: str | None = None,
        confidence: float | None = None,
        note: str | None = None,
        acknowledge: bool = False,
        **saving: Unpack[Saving],
    ) -> Generalized:
        """Write a belief that others may see although they may not see the memories it was learnt from.

        Args:
            sources: the memories that it was learnt from, all of them the entity's.
            text: what was learnt.
            access: who may see it: entities, groups, roles, contexts, or "*".
            title: its title.
            confidence: in [0, 1]; never above its sources'.
            note: how sure that is, and why.
            acknowledge: whether the check's warnings have been weighed.
            saving: dry_run, commit.

        Raises:
            RefusedError: the text names somebody whom the sources are about, or may give them away and that is not
                acknowledged; or a source is somebody else's.
        """
        from memstore.memories.generalize import generalize

        given.only(saving, Saving, "generalize")
        given.text_of("text", text)
        return generalize(
            self._view(),
            given.refs_of(sources),
            text,
            access=given.one_or_more(access),
            title=title,
            confidence=confidence,
            note=note,
            acknowledge=acknowledge,
            **saving,
        )

    def check_generalization(self, sources: Names, text: str, *, title: str | None = None) -> GeneralizationCheck:
        """Return whether a text gives away whom its sources are about; nothing is written."""
        from memstore.memories.generalize import check_generalization

        return check_generalization(self._view(), given.refs_of(sources), text, title=title)

    def seen_by(self, entity: str) -> tuple[Sighted, ...]:
        """Return the memories that an entity sees, or that everybody sees (`"*"`), by path."""
        from memstore.access.report import audit_sight

        return audit_sight(self._view(), entity=entity)

    def seers_of(self, memory: Named) -> tuple[Sighted, ...]:
        """Return who sees a memory."""
        from memstore.access.report import audit_sight

        return audit_sight(self._view(), ref=given.ref_of(memory))

    def seers_about(self, subject: str) -> tuple[Sighted, ...]:
        """Return the memories about a subject, like `dog:bella`, and who sees each."""
        from memstore.access.report import audit_sight

        return audit_sight(self._view(), subject=subject)

    def report(self) -> dict[str, tuple[Sighted, ...]]:
        """Return what everybody (`*`) sees, and what each entity that can listen sees."""
        from memstore.access.report import sight_report

        return sight_report(self._view())

    def diff(self, old: str = "HEAD", new: str | None = None) -> tuple[SightChange, ...]:
        """Return who gained or lost sight of which memory between two commits or dates; `new=None` means now."""
        from memstore.access.report import sight_diff

        return sight_diff(self._view(), old, new)

    def trail(self, *, of: str | None = None, limit: int | None = None) -> tuple[AuditEvent, ...]:
        """Return the audit events, latest first; `of` is the id of a memory, a consent, an entity or a context."""
        from memstore.access.audit import audit_trail

        return audit_trail(self._view(), of=of, limit=given.most("limit", limit, least=1))

    def verify_trail(self) -> Verified:
        """Return whether every audit event is unchanged, and none that another event names is missing."""
        from memstore.access.audit import verify_audit

        return verify_audit(self._view())


@brief
class VaultConsents:
    """Who said yes or no to what: `vault.consents.grant("human:dana", "si:vet", "subject:dog:bella")`.

    `grant`, `refuse`, `delegate`, `request`, `revoke`, `list`. They also take `on_behalf_of`, `expires` (a date or
    "30d"), `reason`, `note`, `dry_run` and `commit`.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view

    def grant(self, grantor: str, grantee: str, scope: str, **told: Unpack[Told]) -> Registered:
        """Record that somebody consents. A consent opens nothing by itself; it lets a grant take effect.

        Args:
            grantor: who consents.
            grantee: who the memories may be shared with: an entity, a group, a role, a context, or "*".
            scope: what the consent covers: a memory's ref, "ctx:…", "subject:…" or "source:…".
            told: the optional arguments listed above.
        """
        from memstore.access.consents import grant_consent

        given.only(told, Told, "grant")
        return grant_consent(self._view(), grantor, grantee, scope, **told)

    def refuse(self, grantor: str, grantee: str, scope: str, **told: Unpack[Told]) -> Registered:
        """Record that somebody says no; a refusal beats every consent. Arguments as for `grant`."""
        from memstore.access.consents import refuse_consent

        given.only(told, Told, "refuse")
        return refuse_consent(self._view(), grantor, grantee, scope, **told)

    def delegate(self, grantor: str, delegate_to: str, scope: str, **told: Unpack[Told]) -> Registered:
        """Record that somebody lets another consent in their place, until it `expires`."""
        from memstore.access.consents import delegate

        given.only(told, Told, "delegate")
        return delegate(self._view(), grantor, delegate_to, scope, **told)

    def request(self, grantor: str, grantee: str, scope: str, **told: Unpack[Told]) -> Registered:
        """Ask somebody to consent: write a file that can be sent to them; it opens nothing."""
        from memstore.access.consents import request_consent

        given.only(told, Told, "request")
        return request_consent(self._view(), grantor, grantee, scope, **told)

    def revoke(self, consent: str, *, by: str | None = None, **told: Unpack[Told]) -> Registered:
        """Revoke a consent, a refusal or a delegation by its id, from now on."""
        from memstore.access.consents import revoke_consent

        given.only(told, Told, "revoke")
        return revoke_consent(self._view(), consent, by=by, **told)

    def list(self) -> tuple[KnownConsent, ...]:
        """Return all consents, refusals, delegations and open requests, oldest first."""
        from memstore.access.consents import consents

        return consents(self._view())


@brief
class VaultContexts:
    """The active context and who listens in it: `vault.contexts.enter("ctx:bella_care", participants=["human:sean"])`.

    `add`, `list`; `enter`, `leave`, `present`, `suggest`.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view

    def add(self, context: str, **said: Unpack[AboutContext]) -> Registered:
        """Register a context: roster=[…], open=True, default_access=[…], roles={"si:ash": ["care_agent"]}."""
        from memstore.access.contexts import add_context

        given.only(said, AboutContext, "add")
        _lists(said, "roster", "default_access")
        return add_context(self._view(), context, **said)

    def list(self) -> tuple[KnownContext, ...]:
        """Return all registered contexts, by id."""
        from memstore.access.contexts import contexts

        return contexts(self._view())

    def enter(self, context: str, *, participants: Sequence[str] = (), role: str | None = None) -> Present:
        """Enter a context in place of the active one; after 12 hours it expires, and calls fail with an error."""
        from memstore.access.contexts import enter_context

        there = given.items("participants", participants)
        return enter_context(self._view(), context, participants=there, role=role)

    def leave(self) -> str | None:
        """Leave the active context and return its id; what was granted in it stays granted."""
        from memstore.access.contexts import leave_context

        return leave_context(self._view())

    def present(self) -> Present:
        """Return the active context, and who listens there."""
        from memstore.access.contexts import present_context

        return present_context(self._view())

    def suggest(self, text: str) -> tuple[Suggestion, ...]:
        """Return the registered contexts that a text may belong to, best first; none is entered."""
        from memstore.access.contexts import suggest_context

        return suggest_context(self._view(), text)


@brief
class VaultEntities:
    """People, animals, agents and groups: `vault.entities.add("dog:bella", aliases=["Bella"])`.

    `add`, `alias`, `guardian`, `list`; `add_members`, `remove_members`, `groups`.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view

    def add(self, entity: str, **said: Unpack[AboutEntity]) -> Registered:
        """Register an entity: aliases=[…], guardians=[…], roles=[…], kind="topic", note="…"."""
        from memstore.access.entities import add_entity

        given.only(said, AboutEntity, "add")
        _lists(said, "aliases", "guardians", "roles")
        return add_entity(self._view(), entity, **said)

    def alias(
        self, entity: str, aliases: str | Sequence[str], *, remove: bool = False, **saving: Unpack[Saving]
    ) -> Registered:
        """Add aliases to an entity, or remove them."""
        from memstore.access.entities import name_entity

        given.only(saving, Saving, "alias")
        return name_entity(self._view(), entity, given.one_or_more(aliases), remove=remove, **saving)

    def guardian(
        self, entity: str, guardians: str | Sequence[str], *, remove: bool = False, **saving: Unpack[Saving]
    ) -> Registered:
        """Add guardians, who speak for an entity, or remove them."""
        from memstore.access.entities import guard_entity

        given.only(saving, Saving, "guardian")
        return guard_entity(self._view(), entity, given.one_or_more(guardians), remove=remove, **saving)

    def list(self) -> tuple[KnownEntity, ...]:
        """Return all entities, by id."""
        from memstore.access.entities import entities

        return entities(self._view())

    def add_members(
        self,
        group: str,
        members: str | Sequence[str],
        *,
        since: str | None = None,
        until: str | None = None,
        **saving: Unpack[Saving],
    ) -> Registered:
        """Add entities or groups to a group, which is created if it does not exist."""
        from memstore.access.entities import add_members

        given.only(saving, Saving, "add_members")
        return add_members(self._view(), group, given.one_or_more(members), since=since, until=until, **saving)

    def remove_members(self, group: str, members: str | Sequence[str], **saving: Unpack[Saving]) -> Registered:
        """End memberships now; what members have already seen can't be made unseen."""
        from memstore.access.entities import remove_members

        given.only(saving, Saving, "remove_members")
        return remove_members(self._view(), group, given.one_or_more(members), **saving)

    def groups(self) -> tuple[KnownGroup, ...]:
        """Return all groups, by id."""
        from memstore.access.entities import groups

        return groups(self._view())


def _lists(said: Mapping[str, Any], *names: str) -> None:
    """Raise `TypeError` if a string is given where a list is expected."""
    for name in names:
        if name in said:
            given.items(name, said[name])
