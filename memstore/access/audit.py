"""What was done with access: one file an act, written once, in ids alone; and whether none is missing.

Each event holds its own digest, and those of the latest events of the same writer; so none can be changed or taken out
unnoticed, but for the last ones, which commits name (`Audit-Head`). Beside that trail, a log of this machine has what
others were shown.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.core.change import Written
from memstore.core.digests import DIGEST_PREFIX
from memstore.core.errors import NotFoundError
from memstore.core.finding import Finding, Position, in_order
from memstore.core.finding_codes import CODES
from memstore.core.short_repr import short_repr
from memstore.core.times import instant

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memstore.access.local_state import Access
    from memstore.core.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One act: who did it (`by`), when, what (`event`), to which ids; `prev` are digests of the writer's latest events.

    `digest` is what the file says, `computed` what it should say.
    """

    path: str
    id: str
    at: str
    by: str
    event: str
    about: Mapping[str, Any]
    prev: tuple[str, ...]
    digest: str
    computed: str

    __repr__ = short_repr

    @property
    def is_sound(self) -> bool:
        """Whether the file is as it was written."""
        return self.digest == self.computed


# -- one event as a file ---------------------------------------------------------------------------


AUDIT_FOLDER = "audit"
SCHEMA = "memstore.audit-event/1"


def folder_of(writer: str) -> str:
    """Return the folder of a writer's events, with a slash at its end."""
    return f"{AUDIT_FOLDER}/{writer.replace(':', '/')}/"


def write(
    *, event_id: str, at: str, by: str, event: str, about: Mapping[str, Any], prev: Sequence[str]
) -> tuple[str, bytes]:
    """Return the path and the bytes of a new event; `at` is RFC 3339 in UTC."""
    said = {"schema": SCHEMA, "id": event_id, "at": at, "by": by, "event": event, "about": about, "prev": [*prev]}
    told = json.dumps({**said, "digest": _digest(said)}, ensure_ascii=False, indent=2) + "\n"
    time = at.replace("-", "").replace(":", "")
    return f"{folder_of(by)}{at[:4]}/{time}-{event_id}.json", told.encode()


def read(path: str, data: bytes) -> AuditEvent | None:
    """Return the event that a file holds; None where it holds none."""
    try:
        said = json.loads(data)
        digest = said.pop("digest")
        fields = {name: said[name] for name in ("id", "at", "by", "event")}
        prev, about = tuple(said["prev"]), {**said["about"]}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not all(isinstance(text, str) for text in (*fields.values(), *prev, digest)) or said.get("schema") != SCHEMA:
        return None
    return AuditEvent(path=path, **fields, about=about, prev=prev, digest=digest, computed=_digest(said))


def _digest(said: Mapping[str, Any]) -> str:
    told = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return DIGEST_PREFIX + hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()


# -- the chain of events ---------------------------------------------------------------------------


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


# -- the trail: writing and reading it -------------------------------------------------------------


# The commands whose acts are audited, by the first word of their verb.
_AUDITED = frozenset({"privacy", "consent", "delegate", "entity", "group", "context", "generalize"})

# The ends of a chain are looked for among so many events: a branch that was merged later is named by its own commits.
_LATEST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """How many audit events there are, and what is wrong with the chain."""

    events: int
    findings: tuple[Finding, ...]

    __repr__ = short_repr


def is_audited(verb: str) -> bool:
    """Whether what this command does is recorded."""
    return verb.partition(" ")[0] in _AUDITED


def recorded(view: View, event: str, **about: str | list[str] | None) -> Written:
    """Return the file of a new event of the one who acts, to be written with what it is about.

    Args:
        view: the vault.
        event: the act, like `grant`.
        about: the ids it is about; what is None is left out.
    """
    before, _ = _events(view, folder_of(view.actor), latest=_LATEST)
    path, data = write(
        event_id="ev_" + view.ids.memory_id().removeprefix("m_"),
        at=instant(view.clock.now()),
        by=view.actor,
        event=event,
        about={name: value for name, value in about.items() if value},
        prev=heads(before),
    )
    return Written(path, None, data)


def append(view: View, event: str, **about: str | list[str] | None) -> None:
    """Write an event of an act that changes nothing else in the vault, and that `undo` therefore knows nothing of."""
    with view.without_commits().transaction(event) as change:
        change.put(recorded(view, event, **about))


def verify_audit(view: View) -> Verified:
    """Return whether every audit event is as it was written, and none is missing that another or a commit names.

    A consent's file that the current commit has, and the work tree has not, is told as well.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
    """
    from memstore.access.registry_edits import (
        consents_gone,  # every act of access loads this module, and hardly any verifies
    )

    view.require_owner()
    events, unreadable = _events(view)
    messages: dict[str, str] = {}
    committed: Collection[str] = ()
    if view.history.repository is not None and (head := view.history.head()):
        messages = {commit.id: commit.message for commit in view.history.commits()}
        committed = view.history.own_files_at(head)
    findings = verify(events, unreadable, anchored(messages))
    gone = consents_gone(committed, lambda: list(view.whole.registry_files()))
    return Verified(events=len(events) + len(unreadable), findings=(*findings, *gone))


def audit_trail(view: View, *, of: str | None = None, limit: int | None = None) -> tuple[AuditEvent, ...]:
    """Return audit events, the latest first.

    Args:
        view: the vault.
        of: an id; only the events that it did, or that are about it.
        limit: how many at most.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
        NotFoundError: no event is of that id.
    """
    view.require_owner()
    events, _ = _events(view)
    wanted = [event for event in events if of is None or of in _ids(event)]
    if of is not None and not wanted:
        raise NotFoundError(f"no audit event is of `{of}`", hint="memstore audit show lists all")
    return tuple(sorted(wanted, key=lambda event: (event.at, event.id), reverse=True)[:limit])


def _ids(event: AuditEvent) -> set[str]:
    ids = {event.id, event.by}
    for value in event.about.values():
        ids.update([value] if isinstance(value, str) else value if isinstance(value, list) else ())
    return ids


def _events(view: View, prefix: str = "", *, latest: int = 0) -> tuple[list[AuditEvent], list[str]]:
    """Return the events below a folder, or the latest of them, and the paths of files that hold none."""
    events, unreadable = [], []
    for path in [path for path in view.audit_paths() if path.startswith(prefix)][-latest:]:
        event = read(path, view.own_file(path) or b"")
        if event is None:
            unreadable.append(path)
        else:
            events.append(event)
    return events, unreadable


# -- what others were shown ------------------------------------------------------------------------


def looks(view: View) -> tuple[Access, ...]:
    """Return what others were shown and denied on this machine, the latest first.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
    """
    view.require_owner()
    return tuple(view.access_log.accesses())[::-1]
