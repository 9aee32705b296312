"""Who may see what, as JSON: registries, consents, contexts, decisions, and acts that concern access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.core.times import instant
from memstore.documents.parts import finding_document, saved_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstore.access.audit import Verified
    from memstore.access.audit_events import AuditEvent
    from memstore.access.consents import KnownConsent
    from memstore.access.contexts import KnownContext, Present, Suggestion
    from memstore.access.entities import KnownEntity, KnownGroup
    from memstore.access.local_state import Access
    from memstore.access.privacy import Shared
    from memstore.access.report import Sighted
    from memstore.access.sight import Seer, SightChange
    from memstore.access.stack import Mount
    from memstore.access.tokens import BearerToken
    from memstore.access.world import Decision
    from memstore.exchange.sharing import SharedStack, SharedState
    from memstore.memories.generalize import GeneralizationCheck, Generalized


# -- registries ----------------------------------------------------------------------------------


def entities_document(known: Iterable[KnownEntity]) -> dict[str, Any]:
    """Return the registered entities."""
    return {"entities": [_entity_document(one) for one in known]}


def _entity_document(one: KnownEntity) -> dict[str, Any]:
    return {
        "id": one.id,
        "path": one.path,
        "kind": one.kind,
        "aliases": [*one.aliases],
        "guardians": [*one.guardians],
        "roles": [*one.roles],
    }


def groups_document(known: Iterable[KnownGroup]) -> dict[str, Any]:
    """Return the registered groups and their members."""
    return {"groups": [_group_document(one) for one in known]}


def _group_document(one: KnownGroup) -> dict[str, Any]:
    members = [{"id": member.id, "from": member.since, "until": member.until} for member in one.members]
    return {"id": one.id, "path": one.path, "members": members}


def consents_document(known: Iterable[KnownConsent]) -> dict[str, Any]:
    """Return consents, refusals, delegations and requests."""
    return {"consents": [_consent_document(one) for one in known]}


def _consent_document(one: KnownConsent) -> dict[str, Any]:
    return {
        "id": one.id,
        "path": one.path,
        "kind": one.kind,
        "grantor": one.grantor,
        "on_behalf_of": one.on_behalf_of,
        "grantee": one.grantee,
        "scope": one.scope,
        "at": one.at,
        "expires_at": one.expires_at,
        "reason": one.reason,
        "state": one.state,
    }


# -- contexts ------------------------------------------------------------------------------------


def contexts_document(known: Iterable[KnownContext]) -> dict[str, Any]:
    """Return the registered contexts."""
    return {"contexts": [_context_document(one) for one in known]}


def _context_document(one: KnownContext) -> dict[str, Any]:
    return {
        "id": one.id,
        "path": one.path,
        "roster": [*one.roster],
        "open": one.open,
        "default_access": [*one.default_access],
    }


def present_document(present: Present) -> dict[str, Any]:
    """Return the active context, and who is listening there."""
    active = present.context
    expires = instant(active.expires_at) if active and active.expires_at else None
    return {
        "context": active.id if active else None,
        "registered": present.registered,
        "participants": [*active.participants] if active else [],
        "role": active.role if active else None,
        "listeners": [*present.listeners],
        "expires_at": expires,
        "trouble": present.trouble,
    }


def left_document(left: str | None) -> dict[str, Any]:
    """Return the context that was left."""
    return {"left": left}


def suggested_contexts_document(found: Iterable[Suggestion]) -> dict[str, Any]:
    """Return contexts that a text may belong to."""
    return {"suggestions": [{"context": one.context, "score": one.score, "because": [*one.because]} for one in found]}


# -- privacy -------------------------------------------------------------------------------------


def shared_document(done: Shared, *, dry_run: bool) -> dict[str, Any]:
    """Return a memory that was granted to somebody, or whose grant was revoked."""
    return {
        **saved_document(done.saved, dry_run=dry_run),
        "scope": done.scope,
        "access_grants": [*done.grants],
        "access_denies": [*done.denies],
        "consents": [*done.consents],
    }


def decision_document(decision: Decision) -> dict[str, Any]:
    """Return whether somebody may see a memory, and why."""
    return {
        "decision": "allow" if decision.allowed else "deny",
        "code": decision.code,
        "rule": decision.rule,
        "who": [*decision.who],
        "missing": [*decision.missing],
        "fix": decision.fix,
    }


def sight_document(found: Iterable[Sighted]) -> dict[str, Any]:
    """Return memories, each with the entities that see it."""
    return {"memories": [_sighted_document(one) for one in found]}


def _sighted_document(one: Sighted) -> dict[str, Any]:
    return {
        "ref": one.ref,
        "path": one.path,
        "title": one.title,
        "scope": one.scope,
        "subjects": [*one.subjects],
        "seen_by": _seers_document(one.seen_by),
        "but": _seers_document(one.but),
    }


def _seers_document(seers: Iterable[Seer]) -> list[dict[str, Any]]:
    return [{"entity": seer.entity, "context": seer.context} for seer in seers]


def sight_report_document(found: Mapping[str, Iterable[Sighted]]) -> dict[str, Any]:
    """Return entities, each with the memories that it sees."""
    return {"entities": [_seen_document(entity, seen) for entity, seen in found.items()]}


def _seen_document(entity: str, seen: Iterable[Sighted]) -> dict[str, Any]:
    memories = [
        {"ref": one.ref, "path": one.path, "context": seer.context}
        for one in seen
        for seer in one.seen_by
        if seer.entity == entity
    ]
    return {"entity": entity, "memories": memories}


def sight_diff_document(changes: Iterable[SightChange]) -> dict[str, Any]:
    """Return the entities that gained or lost sight of memories."""
    return {"changes": [sight_change_document(change) for change in changes]}


def sight_change_document(change: SightChange) -> dict[str, Any]:
    """Return the entities that gained or lost sight of one memory."""
    return {
        "ref": change.ref,
        "path": change.path,
        "gained": _seers_document(change.gained),
        "lost": _seers_document(change.lost),
        "but": _seers_document(change.but),
        "still": _seers_document(change.still),
    }


# -- audit ---------------------------------------------------------------------------------------


def audit_document(events: Iterable[AuditEvent]) -> dict[str, Any]:
    """Return audit events."""
    return {"events": [_event_document(event) for event in events]}


def _event_document(event: AuditEvent) -> dict[str, Any]:
    return {
        "id": event.id,
        "path": event.path,
        "at": event.at,
        "by": event.by,
        "event": event.event,
        "about": {**event.about},
        "digest": event.digest,
    }


def audit_verified_document(done: Verified) -> dict[str, Any]:
    """Return whether the audit is complete, with findings."""
    return {"events": done.events, "findings": [finding_document(finding) for finding in done.findings]}


def looks_document(found: Iterable[Access]) -> dict[str, Any]:
    """Return what others were shown or denied on this machine."""
    return {"looks": [_look_document(look) for look in found]}


def _look_document(look: Access) -> dict[str, Any]:
    return {**look._asdict(), "at": instant(look.at), "shown": list(look.shown), "denied": list(look.denied)}


def tokens_document(found: Iterable[BearerToken]) -> dict[str, Any]:
    """Return tokens, without their secrets: `file` is where each lies."""
    tokens = [
        {"id": one.id, "entity": one.entity, "context": one.context, "self": one.alone, "file": str(one.file)}
        for one in found
    ]
    return {"tokens": tokens}


# -- generalizations -------------------------------------------------------------------------------


def checked_document(checked: GeneralizationCheck) -> dict[str, Any]:
    """Return what the check of a generalization says; `k` counts the subjects whose memories say the same."""
    verdict = checked.verdict
    return {
        "verdict": verdict.verdict,
        "safe": verdict.safe,
        "warnings": [*verdict.warnings],
        "blocked_reason": verdict.blocked_reason,
        "checks": [*verdict.checks],
        "k": checked.k,
    }


def generalized_document(done: Generalized, *, dry_run: bool) -> dict[str, Any]:
    """Return a generalization that was written, or would be, and what the check said."""
    return {**saved_document(done.saved, dry_run=dry_run), "check": checked_document(done.checked)}


# -- shared stacks -------------------------------------------------------------------------------


def shared_stack_document(done: SharedStack, *, dry_run: bool) -> dict[str, Any]:
    """Return what was shared, or would be."""
    return {
        "name": done.stack.name,
        "to": done.stack.to,
        "folder": done.folder,
        "commit": done.commit,
        "new": [*done.new],
        "changed": [*done.changed],
        "withdrawn": [*done.withdrawn],
        "rewritten": done.rewritten,
        "differs": done.differs,
        "nameless": [*done.nameless],
        "sealed": [*done.sealed],
        "dry_run": dry_run,
    }


def shared_stacks_document(states: Iterable[SharedState]) -> dict[str, Any]:
    """Return the stacks that were shared, and what has changed since."""
    return {"stacks": [_state_document(one) for one in states]}


def _state_document(one: SharedState) -> dict[str, Any]:
    return {
        "name": one.name,
        "to": one.to,
        "at": one.at,
        "folder": one.folder,
        "current": one.is_current,
        "new": [*one.new],
        "withdrawn": [*one.withdrawn],
        "changed": one.changed,
    }


def mounts_document(found: Iterable[Mount]) -> dict[str, Any]:
    """Return the stacks that are loaded beside the vault."""
    return {"stacks": [_mount_document(one) for one in found]}


def _mount_document(one: Mount) -> dict[str, Any]:
    return {
        "name": one.name,
        "folder": one.folder,
        "by": one.stack.by if one.stack else None,
        "to": one.stack.to if one.stack else None,
        "at": one.stack.at if one.stack else None,
        "memories": len(one.view.texts) if one.view else None,
        "key": one.key,
        "problem": one.problem,
        "replaced": one.replaced,
    }


def unmounted_document(name: str) -> dict[str, Any]:
    """Return the stack that is loaded no longer."""
    return {"unloaded": name}
