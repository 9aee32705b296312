"""The audit trail: who did what with access, one file an event, in ids alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import audit_event
from memstore.errors import NotFoundError
from memstore.model.instants import instant
from memstore.model.one_line import one_line
from memstore.ports.journal import Written
from memstore.rules import audit

if TYPE_CHECKING:
    from collections.abc import Collection

    from memstore.core.view import View
    from memstore.model.audit import AuditEvent
    from memstore.model.finding import Finding

# The commands whose acts are audited, by the first word of their verb.
_AUDITED = frozenset({"privacy", "consent", "delegate", "entity", "group", "context", "generalize"})

# The ends of a chain are looked for among so many events: a branch that was merged later is named by its own commits.
_LATEST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """How many audit events there are, and what is wrong with the chain."""

    events: int
    findings: tuple[Finding, ...]

    __repr__ = one_line


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
    before, _ = _events(view, audit_event.folder_of(view.actor), latest=_LATEST)
    path, data = audit_event.write(
        event_id="ev_" + view.ids.memory_id().removeprefix("m_"),
        at=instant(view.clock.now()),
        by=view.actor,
        event=event,
        about={name: value for name, value in about.items() if value},
        prev=audit.heads(before),
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
    from memstore.flows.registry import consents_gone  # every act of access loads this module, and hardly any verifies

    view.require_owner()
    events, unreadable = _events(view)
    messages: dict[str, str] = {}
    committed: Collection[str] = ()
    if view.history.repository is not None and (head := view.history.head()):
        messages = {commit.id: commit.message for commit in view.history.commits()}
        committed = view.history.own_files_at(head)
    findings = audit.verify(events, unreadable, audit.anchored(messages))
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
        event = audit_event.read(path, view.own_file(path) or b"")
        if event is None:
            unreadable.append(path)
        else:
            events.append(event)
    return events, unreadable
