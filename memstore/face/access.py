"""`vault.access`, `vault.consents`, `vault.contexts` and `vault.entities`: who may see what, by whose consent."""

from __future__ import annotations

from memstore.access.audit import audit_trail
from memstore.access.consents import (
    consents,
    delegate,
    grant_consent,
    refuse_consent,
    request_consent,
    revoke_consent,
)
from memstore.access.contexts import (
    add_context,
    contexts,
    enter_context,
    leave_context,
    present_context,
    suggest_context,
)
from memstore.access.entities import (
    add_entity,
    add_members,
    entities,
    groups,
    guard_entity,
    name_entity,
    remove_members,
)
from memstore.access.plan import plan_access
from memstore.access.privacy import explain_access, grant_access, revoke_access
from memstore.access.report import audit_sight, sight_diff, sight_report
from memstore.face.forward import Forward, Part
from memstore.history.audit_check import verify_audit
from memstore.memories.generalize import check_generalization, generalize
from memstore.memories.seal import seal, unseal


class VaultAccess(Part):
    """Who sees a memory: `vault.access.grant(note, to="human:claire")`."""

    grant = Forward(grant_access)
    revoke = Forward(revoke_access)
    explain = Forward(explain_access)
    plan = Forward(plan_access)
    seal = Forward(seal)
    unseal = Forward(unseal)
    generalize = Forward(generalize)
    check_generalization = Forward(check_generalization)
    audit = Forward(audit_sight)
    report = Forward(sight_report)
    diff = Forward(sight_diff)
    trail = Forward(audit_trail)
    verify_trail = Forward(verify_audit)


class VaultConsents(Part):
    """Who said yes or no to what: `vault.consents.grant("human:dana", "si:vet", "subject:dog:bella")`.

    All but `list` also take `on_behalf_of`, `expires` (a date or "30d"), `reason`, `note`, `dry_run` and `commit`.
    """

    grant = Forward(grant_consent)
    refuse = Forward(refuse_consent)
    delegate = Forward(delegate)
    request = Forward(request_consent)
    revoke = Forward(revoke_consent)
    list = Forward(consents)


class VaultContexts(Part):
    """The active context and who listens in it: `vault.contexts.enter("ctx:bella_care", participants=["human:sean"])`.

    `add` takes roster=[…], open=True, default_access=[…] and roles={"si:ash": ["care_agent"]}.
    """

    add = Forward(add_context)
    list = Forward(contexts)
    enter = Forward(enter_context)
    leave = Forward(leave_context)
    present = Forward(present_context)
    suggest = Forward(suggest_context)


class VaultEntities(Part):
    """People, animals, agents and groups: `vault.entities.add("dog:bella", aliases=["Bella"])`.

    `add` takes aliases=[…], guardians=[…], roles=[…], kind="topic" and note="…".
    """

    add = Forward(add_entity)
    alias = Forward(name_entity)
    guardian = Forward(guard_entity)
    list = Forward(entities)
    add_members = Forward(add_members)
    remove_members = Forward(remove_members)
    groups = Forward(groups)
