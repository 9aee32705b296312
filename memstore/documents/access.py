"""The forms of who may see what: registries, consents, contexts, decisions, and acts that concern access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from memstore.documents.form import Form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstore.access.audit import Registered
    from memstore.access.audit_events import AuditEvent
    from memstore.access.contexts import Present
    from memstore.access.report import Sighted
    from memstore.access.world import Decision

# -- registries ----------------------------------------------------------------------------------


def _is_changed(done: Registered) -> bool:
    return bool(done.diff)


Form(
    """Registered
    @consent-grant: a consent that was recorded
    @consent-refuse: a refusal that was recorded
    @consent-request: a request for consent
    @consent-revoke: a consent that was revoked
    @context-add: a context that was registered
    @delegate: a delegation that was recorded
    @entity-add: an entity that was registered
    @entity-alias: an entity whose names were changed
    @entity-guardian: an entity whose guardians were changed
    @group-add: a group that was created or joined
    @group-remove: a group that was left
    @request-witness: a request for witnesses
    id path changed diff?dry_run commit?
""",
    changed=_is_changed,
)
Form("KnownEntity", "id path kind aliases guardians roles")
Form("""Iterable[KnownEntity]
    @entity-list: the registered entities
    entities=.
""")
Form("KnownMember", "id from=since until")
Form("KnownGroup", "id path members")
Form("""Iterable[KnownGroup]
    @group-list: the registered groups
    groups=.
""")
Form("""KnownConsent
    id path
    kind[consent|refusal|delegation|request]
    grantor on_behalf_of grantee scope at expires_at reason
    state[active|expired|revoked|open]
""")
Form("""Iterable[KnownConsent]
    @consent-list: consents, refusals, delegations and requests
    consents=.
""")

# -- contexts ------------------------------------------------------------------------------------

Form("KnownContext", "id path roster open default_access")
Form("""Iterable[KnownContext]
    @context-list: the registered contexts
    contexts=.
""")


def _participants(present: Present) -> tuple[str, ...]:
    return present.context.participants if present.context else ()


Form(
    """Present
    @context-enter: a context that was entered
    @context-show: the active context
    context=context.id registered participants role=context.role listeners expires_at=context.expires_at trouble
    handle?handle: from a server: the handle that names this context in later calls
""",
    participants=_participants,
    handle=str,
)
Form("""str | None
    @context-leave: a context that was left
    left=.
""")
Form("Suggestion", "context score[0..1] because")
Form("""Iterable[Suggestion]
    @context-suggest: contexts that a text may belong to
    suggestions=.
""")

# -- privacy -------------------------------------------------------------------------------------

Form("""Shared
    @privacy-grant: a memory that was granted
    @privacy-revoke: a memory whose grant was revoked
    *saved scope access_grants=grants access_denies=denies consents
""")


def _decision(decision: Decision) -> Literal["allow", "deny"]:
    return "allow" if decision.allowed else "deny"


Form(
    """Decision
    @privacy-explain: whether somebody may see a memory, and why
    decision code rule who missing fix
""",
    decision=_decision,
)
Form("""PlanStep
    kind[guardian|roster|denial|source|consent|grant]
    text command
    state[open|ready|asked|done]
    path
""")
Form("""AccessPlan
    @privacy-plan: what is missing until somebody sees a memory
    ref path to steps sees notes commit
""")
Form(
    """Seer
    entity: the entity; * means everybody
    context: the only context in which they see it; null if they always see it
""",
    definition="who_sees",
)
_unseeing = Form[object](
    """Seer
    entity
    context: the context in which they don't see it; null if they never see it
""",
    definition="who_does_not_see",
)
Form(
    """Sighted
    ref path title scope subjects seen_by
    but: who does not see it, although everybody else does
""",
    but=_unseeing,
)
Form("""Iterable[Sighted]
    @privacy-audit: who sees which memories
    memories=.
""")


class SeenMemory(NamedTuple):
    """A memory that an entity sees; `context` is the only one in which it does, None if it always does."""

    ref: str | None
    path: str
    context: str | None


class EntitySight(NamedTuple):
    """An entity, and what it sees."""

    entity: str
    memories: tuple[SeenMemory, ...]


def _by_entity(found: Mapping[str, Iterable[Sighted]]) -> tuple[EntitySight, ...]:
    return tuple(
        EntitySight(
            entity,
            tuple(
                SeenMemory(one.ref, one.path, seer.context)
                for one in seen
                for seer in one.seen_by
                if seer.entity == entity
            ),
        )
        for entity, seen in found.items()
    )


Form("SeenMemory", "ref path context")
Form("""EntitySight
    entity: the entity; * means everybody
    memories
""")
Form(
    """Mapping[str, Iterable[Sighted]]
    @privacy-report: what each entity sees
    entities
""",
    entities=_by_entity,
)
Form(
    """SightChange
    ref path gained lost
    but: who does not see it, although everybody else gained sight of it
    still: who still sees it, although everybody else lost sight of it, or still sees it in one context
""",
    but=_unseeing,
)
Form("""Iterable[SightChange]
    @privacy-diff: who gained or lost sight of what
    changes=.
""")

# -- audit ---------------------------------------------------------------------------------------


def _about(event: AuditEvent) -> Mapping[str, str | tuple[str, ...]]:
    return event.about


Form("AuditEvent", "id path at by event about digest", about=_about)
Form("""Iterable[AuditEvent]
    @audit-show: the recorded audit events
    events=.
""")
Form("""Verified
    @audit-verify: whether the audit record is intact
    events findings
""")
Form("""Access
    at by context
    how: search, list, or named
    shown denied
""")
Form("""Iterable[Access]
    @audit-local: what was shown or denied to others on this machine
    looks=.
""")
Form("BearerToken", "id entity context self=alone file")
Form("""Iterable[BearerToken]
    @mcp-token: bearer tokens of a server for agents, without their secrets
    tokens=.
""")
