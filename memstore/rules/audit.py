"""The audit chain: whether every event is as it was written, and none is missing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memstore.model.finding import Finding, Position, in_order
from memstore.model.finding_codes import CODES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from memstore.model.audit import AuditEvent

AUDIT_HEAD = "Audit-Head"


def heads(events: Iterable[AuditEvent]) -> tuple[str, ...]:
    """Return the digests of the latest events: those that no other one names; two or more after a merge."""
    known = {event.digest: event for event in events}
    return tuple(sorted(known.keys() - {digest for event in known.values() for digest in event.prev}))


def anchored(messages: Mapping[str, str]) -> dict[str, str]:
    """Return the digests that commit messages name, each with the first commit given that does.

    Args:
        messages: by commit.
    """
    found: dict[str, str] = {}
    for commit, message in messages.items():
        for line in message.splitlines():
            name, _, digest = line.partition(": ")
            if name == AUDIT_HEAD:
                found.setdefault(digest.strip(), commit)
    return found


def verify(
    events: Collection[AuditEvent], unreadable: Iterable[str], known_heads: Mapping[str, str]
) -> tuple[Finding, ...]:
    """Return what is wrong with the chain.

    Args:
        events: all events there are.
        unreadable: paths of files that hold none.
        known_heads: digests that commits name, with the commit.
    """
    # An event that was changed does not count under either digest: what named it is told, too.
    sound = {event.digest for event in events if event.is_sound}
    findings = [_finding("audit-unreadable", path, "the file holds no audit event") for path in unreadable]
    for event in events:
        if not event.is_sound:
            findings.append(_finding("audit-changed", event.path, f"{event.id} is not as it was written"))
        missing = [digest for digest in event.prev if digest not in sound]
        findings += [
            _finding("audit-missing", event.path, f"{event.id} follows an event that is gone or changed: {digest}")
            for digest in missing
        ]
    findings += [
        _finding("audit-truncated", "audit", f"commit {commit[:10]} names an event that is gone or changed: {digest}")
        for digest, commit in known_heads.items()
        if digest not in sound
    ]
    return in_order(findings)


def _finding(code: str, path: str, text: str) -> Finding:
    hint = "git log -p -- audit shows who changed it; git restore brings it back"
    return Finding(code=code, severity=CODES[code].severity, path=path, at=Position(1), text=text, hint=hint)


def consents_named(events: Iterable[AuditEvent]) -> frozenset[str]:
    """Return the consents, refusals and revocations that were recorded and not undone; their files must be there.

    Events of one second have no order, so each is counted: what was recorded once more than it was withdrawn is there.
    """
    recorded: Counter[str] = Counter()
    for event in events:
        recorded.update({*_texts(event.about.get("consent")), *_texts(event.about.get("consents"))})
        recorded.subtract(_texts(event.about.get("withdrawn")))
    return frozenset(+recorded)


def _texts(value: object) -> list[str]:
    if isinstance(value, list):
        return [text for text in value if isinstance(text, str)]
    return [value] if isinstance(value, str) else []
