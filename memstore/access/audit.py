"""The audit trail of access: one file per act, written once, with ids only; and the check that none is missing.

Each event holds its own digest, and those of the same writer's latest events, so none can be changed or removed
unnoticed, except for the last ones; commits name these (`Audit-Head`). Besides the trail, a log on this machine records
what others were shown. Registry files are changed here, found by the id in them, because every such act is audited.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Unpack

from memstore.access import ACCESS_LOG, RIGHTS, registry
from memstore.access.audit_events import (
    AuditEvent,
    consents_named,
    consents_taken_back,
    folder_of,
    read,
    texts_of,
    write,
)
from memstore.access.grants import gained
from memstore.access.registry import expected_id, path_of
from memstore.core.change import Written
from memstore.core.digests import digest_of
from memstore.core.errors import FormatError, NotFoundError, RefusedError, UsageError, VaultError
from memstore.core.finding import Finding, in_order
from memstore.core.finding_codes import finding_of
from memstore.core.ids import is_entity_id, is_group
from memstore.core.places import RegistryKind, kind_of
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.transaction import Saving, save_own, shown, unified_diff
from memstore.files.memory_file import MemoryFile

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from memstore.access.registry import RegistryFile
    from memstore.core.change import Act
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.render import Plain
    from memstore.files.splice import Edit

    # What an act is about: ids, or lists of ids.
    About = Mapping[str, str | list[str] | None]
    from collections.abc import Mapping

    from memstore.access.local_state import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """The result of a change to a registry file, or its preview.

    `diff` is a unified diff, empty if nothing changes; `notes` point out possible mistakes to the vault's owner.
    """

    id: str
    path: str
    diff: str
    commit: str | None = None
    notes: tuple[str, ...] = ()

    __repr__ = short_repr


def stop_unless_owner(view: View, act: str) -> None:
    """Raise unless the vault's owner acts, in whatever context; for a group that has a charter, its keepers do.

    Raises:
        RefusedError: somebody else acts.
    """
    if may_decide(view):
        return
    if view.acts_for_owner:
        keepers = ", ".join(sorted(view.of(RIGHTS).registries.keepers))
        raise RefusedError(f"only a keeper of {view.config.owner} may {act}", hint=f"ask {keepers}")
    raise RefusedError(f"only the vault's owner may {act}", hint="ask the owner")


def may_decide(view: View) -> bool:
    """Return whether the vault's owner acts, or a keeper of the group that owns it."""
    return view.actor == view.config.owner or is_keeper(view)


def is_hidden_from_member(view: View, memory: Memory) -> bool:
    """Return whether a member of the group that owns the vault looks, who may not see a memory in their own clone.

    The owner of a vault of their own is told what is wrong with every file in it, and such a member the path alone.
    """
    return is_group(view.config.owner) and view.acts_for_owner and not view.sees(memory)


def is_keeper(view: View) -> bool:
    """Return whether the actor keeps the group that owns the vault: its charter says so, and they are a member."""
    return view.acts_for_owner and view.actor in view.of(RIGHTS).registries.keepers


def entity_id(text: str, what: str, view: View | None = None) -> str:
    """Return an entity's id unchanged; raise `UsageError` if it is malformed.

    Args:
        text: the id.
        what: what it is, in the error.
        view: the vault; if its owner asks, the error names whoever has the text as an alias.
    """
    if is_entity_id(text):
        return text
    known = view.of(RIGHTS).registries.entities.items() if view and view.is_owners else ()
    meant = sorted(name for name, one in known if text.casefold() in map(str.casefold, one.aliases))
    hint = f"{' and '.join(meant)} {'has' if len(meant) == 1 else 'have'} that name: write the id" if meant else None
    raise UsageError(
        f"{what} {text!r} is not an entity id", hint=hint or "an entity id looks like human:sean or si:ash"
    )


def role_id(text: str) -> str:
    """Return a role's id, with or without its prefix: `care_agent` is `role:care_agent`."""
    return entity_id(text if text.startswith("role:") else f"role:{text}", "role")


def registered(view: View, kind: RegistryKind) -> list[RegistryFile]:
    """Return all registry files of a kind that can be read, by id."""
    return sorted(
        filter(None, view.of(RIGHTS).registry(kind).values()), key=lambda file: (file.values["id"], file.path)
    )


def found(view: View, kind: RegistryKind, registry_id: str) -> RegistryFile | None:
    """Return the registry file with exactly this id; None if there is none.

    Raises:
        FormatError: the file at its expected path can't be read.
    """
    file = next((file for file in registered(view, kind) if file.values["id"] == registry_id), None)
    if file is None and kind.decides and kind is not RegistryKind.CONSENT:
        _stop_where_broken(view, kind, path_of(registry_id, kind))
    return file


def create(
    view: View,
    kind: RegistryKind,
    values: Mapping[str, Plain],
    *,
    body: str = "",
    verb: str,
    about: About,
    beside: Sequence[Written] = (),
    **saving: Unpack[Saving],
) -> Registered:
    """Write a new registry file, and its audit event; and files `beside` it."""
    file = new_file(view, kind, values, body=body)
    return _saved(view, str(values["id"]), file, verb=verb, about=about, saving=saving, beside=beside)


def new_file(view: View, kind: RegistryKind, values: Mapping[str, Plain], *, body: str = "") -> Written:
    """Return a registry file that is not written yet."""
    year = f"{view.clock.now():%Y}" if kind is RegistryKind.CONSENT else ""
    path = path_of(str(values["id"]), kind, year=year)
    return Written(path, None, registry.written(kind, values, body))


def change(
    view: View,
    file: RegistryFile,
    edits: Sequence[Edit],
    *,
    verb: str,
    about: About,
    beside: Sequence[Written] = (),
    **saving: Unpack[Saving],
) -> Registered:
    """Change a registry file in place, and write its audit event; and files `beside` it."""
    before = view.own_file(file.path) or b""
    after = registry.edited(file.path, file.kind, before, edits)
    written = Written(file.path, before, after)
    return _saved(view, file.values["id"], written, verb=verb, about=about, saving=saving, beside=beside)


def _saved(
    view: View,
    registry_id: str,
    file: Written,
    *,
    verb: str,
    about: About,
    saving: Saving,
    beside: Sequence[Written] = (),
) -> Registered:
    diff = unified_diff(file.path, file.before, file.after)
    says = None if file.after is None else digest_of(file.after)
    files = [*beside, *([file, recorded(view, verb, **about, says=says)] if diff else [])]
    made = save_own(view, files, verb=verb, **saving)
    return Registered(id=registry_id, path=file.path, diff=diff, commit=made)


def new_id(view: View, prefix: str) -> str:
    """Return a new id for a record."""
    return prefix + view.ids.memory_id().removeprefix("m_")


def texts(values: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Return a list of texts from a registry file; empty if it has none."""
    value = values.get(key)
    return tuple(map(str, value)) if isinstance(value, list) else ()


def plain(items: Iterable[str]) -> list[Plain]:
    """Return texts as a list for a file, without repetitions."""
    return [*dict.fromkeys(items)]


def _stop_where_broken(view: View, kind: RegistryKind, path: str) -> None:
    try:
        data = view.own_file(path)
    except VaultError:
        return
    read = None if data is None else registry.read(path, kind, data)
    if isinstance(read, tuple):
        raise FormatError(
            f"{path} can't be read, so it was not changed:\n{shown(read)}", hint=f"memstore check {shlex.quote(path)}"
        )


def consent_unrecorded(path: str) -> Finding:
    """Return the finding that a consent's file exists without an audit event."""
    return finding_of(
        "consent-unrecorded",
        path,
        "the file of a consent, a refusal or a revocation is there, and no audit event tells of it",
        "memstore check --fix records it, if it is right; memstore privacy consent grant writes both",
    )


def unrecorded_consents(view: View) -> list[str]:
    """Return the paths of consent files without an audit event."""
    paths = [path for path in view.whole.registry_files() if kind_of(path) is RegistryKind.CONSENT]
    told = consents_named(events_in(view)[0]) if paths else frozenset()
    return sorted(path for path in paths if expected_id(path, RegistryKind.CONSENT) not in told)


def consents_lost(view: View) -> list[Finding]:
    """Return an error for each consent that an audit event names but whose file is missing.

    Nobody knows what it said: until it is restored, everything that anybody has a say about is closed.
    """
    paths = [path for path in view.whole.registry_files() if kind_of(path) is RegistryKind.CONSENT]
    there = {expected_id(path, RegistryKind.CONSENT) for path in paths}
    events = events_in(view)[0]
    return [
        finding_of(
            "consent-deleted",
            next(one.path for one in events if name in _ids(one)),
            f"the file of {name} is gone; until it is back, whatever anybody has a say about is closed",
            f"git log --diff-filter=D -- 'consents/*/{name}.md' finds the commit that took it away",
        )
        for name in sorted(consents_named(events) - there)
    ]


def consents_gone(
    before: Collection[str], now: Callable[[], Collection[str]], events: Callable[[], Iterable[AuditEvent]]
) -> list[Finding]:
    """Return an error for each consent file that has gone missing: it may have been a refusal or a revocation.

    Whoever recorded one can take it back (`undo`).

    Args:
        before: paths that existed, of any files.
        now: returns the paths that exist; called only if needed. A file may have been moved.
        events: returns the audit events of that state; called only if a file is gone.
    """
    consents = {path for path in before if kind_of(path) is RegistryKind.CONSENT}
    names = {path.rpartition("/")[2] for path in now() if kind_of(path) is RegistryKind.CONSENT} if consents else set()
    gone = sorted(path for path in consents if path.rpartition("/")[2] not in names)
    taken_back = consents_taken_back(events()) if gone else frozenset()
    return [
        finding_of(
            "consent-deleted",
            path,
            "the file of a consent, a refusal or a revocation was committed, and is now gone",
            "git restore --staged --worktree brings it back; memstore privacy consent revoke takes a consent back",
        )
        for path in gone
        if expected_id(path, RegistryKind.CONSENT) not in taken_back
    ]


# -- the chain of events ---------------------------------------------------------------------------


AUDIT_HEAD = "Audit-Head"


def heads(events: Iterable[AuditEvent]) -> tuple[str, ...]:
    """Return the digests of the latest events: those that no other event names; two or more after a merge."""
    known = {event.digest: event for event in events}
    return tuple(sorted(known.keys() - {digest for event in known.values() for digest in event.prev}))


def anchored(messages: Mapping[str, str]) -> dict[str, str]:
    """Return the digests that commit messages name, each with the first given commit that names it.

    Args:
        messages: the messages by commit.
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
    """Return the problems of the chain.

    Args:
        events: all existing events.
        unreadable: paths of files that hold no event.
        known_heads: digests that commits name, with the commit.
    """
    # A changed event counts under neither digest, so whatever names it is reported, too.
    sound = {event.digest for event in events if event.is_sound}
    findings = [_finding("audit-unreadable", path, "the file does not hold an audit event") for path in unreadable]
    for event in events:
        if not event.is_sound:
            findings.append(_finding("audit-changed", event.path, f"{event.id} is not as it was written"))
        missing = [digest for digest in event.prev if digest not in sound]
        findings += [
            _finding("audit-missing", event.path, f"{event.id} follows an event that is gone or was changed: {digest}")
            for digest in missing
        ]
    findings += [
        _finding(
            "audit-truncated", "audit", f"commit {commit[:10]} names an event that is gone or was changed: {digest}"
        )
        for digest, commit in known_heads.items()
        if digest not in sound
    ]
    return in_order(findings)


def _finding(code: str, path: str, text: str) -> Finding:
    hint = "git log -p -- audit shows who changed it; git restore brings it back"
    return finding_of(code, path, text, hint)


# -- grants and their events -----------------------------------------------------------------------


# The event that names everyone to whom a memory is granted from then on.
WHOLLY = "privacy set"


def recorded_grants(events: Iterable[AuditEvent]) -> dict[str, set[str]]:
    """Return to whom memories are granted according to audit events, by the memories' ids, or paths without one.

    Revoked grants are left out. Among events within a second, those that grant count as the later ones.
    """
    told: dict[str, set[str]] = {}
    for event in sorted(events, key=lambda one: (one.at, "to" in one.about)):
        for memory in texts_of(event.about.get("memory")):
            to, whom = set(texts_of(event.about.get("to"))), set(texts_of(event.about.get("whom")))
            before = set() if event.event == WHOLLY else told.get(memory, set())
            told[memory] = before - whom | to
    return told


def revoked_grants(events: Iterable[AuditEvent]) -> dict[str, set[str]]:
    """Return from whom grants of memories were taken back, and not granted since, as `recorded_grants` does."""
    known = [*events]
    granted = recorded_grants(known)
    told: dict[str, set[str]] = {}
    for event in known:
        for memory in texts_of(event.about.get("memory")):
            told.setdefault(memory, set()).update(texts_of(event.about.get("whom")))
    return {memory: names - granted.get(memory, set()) for memory, names in told.items()}


def grant_unrecorded(file: MemoryFile, names: Sequence[str]) -> Finding:
    """Return the finding that a memory is granted to somebody without an audit event."""
    return finding_of(
        "grant-unrecorded",
        file.path,
        f"it is granted to {', '.join(names)}, and no audit event records that",
        "memstore check --fix records it (--dry-run shows what); memstore privacy grant does both",
        file.front.position("access_grants"),
        key="access_grants",
    )


def unrecorded_grants(
    view: View, mended: Mapping[str, MemoryFile] = MappingProxyType({})
) -> list[tuple[MemoryFile, tuple[str, ...]]]:
    """Return the memories with grants that no audit event records, by path, each with the grantees.

    Args:
        view: the vault.
        mended: files, by path, that are about to be readable.
    """
    grants = view.column("access_grants")
    paths = {view.entry(row).path for row in view.whole.rows if grants[row]}
    paths |= {path for path, file in mended.items() if file.memory.access_grants}
    told = recorded_grants(events_in(view)[0]) if paths else {}
    found = []
    for path in sorted(paths):
        file = mended.get(path) or view.whole.read_file(path)
        if isinstance(file, MemoryFile):
            if is_hidden_from_member(view, file.memory):
                continue
            known = told.get(file.memory.id or path, ())
            if names := tuple(name for name in gained(None, file.memory, view.config.owner) if name not in known):
                found.append((file, names))
    return found


# -- the trail: writing and reading it -------------------------------------------------------------


# The commands that are audited, by the first word of their verb.
_AUDITED = frozenset({"privacy", "consent", "delegate", "entity", "group", "context", "generalize"})

# The ends of a chain are searched for among this many events; a branch merged later is named by its own commits.
_LATEST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """How many audit events there are, and the problems of the chain; warnings report acts that it does not record."""

    events: int
    findings: tuple[Finding, ...]

    __repr__ = short_repr

    @property
    def is_whole(self) -> bool:
        """Whether no event was changed, and none is missing."""
        return not any(finding.is_error for finding in self.findings)


def is_audited(verb: str) -> bool:
    """Whether acts of this command are recorded."""
    return verb.partition(" ")[0] in _AUDITED


def recorded(view: View, event: str, **about: str | list[str] | None) -> Written:
    """Return the file of a new event by the actor, to be written together with the change it is about.

    Args:
        view: the vault.
        event: the act, like `grant`.
        about: the ids it is about; None values are left out.
    """
    before, _ = events_in(view, folder_of(view.actor), latest=_LATEST)
    path, data = write(
        event_id="ev_" + view.ids.memory_id().removeprefix("m_"),
        at=instant(view.clock.now()),
        by=view.actor,
        event=event,
        about={name: value for name, value in about.items() if value},
        prev=heads(before),
    )
    return Written(path, None, data)


def first_events(view: View, acts: Iterable[tuple[str, About]]) -> tuple[tuple[Written, ...], str]:
    """Return the files of a new vault's first events by the actor, in their order, and the digest of the last one."""
    files, head = [], ""
    for event, about in acts:
        path, data = write(
            event_id=new_id(view, "ev_"),
            at=instant(view.clock.now()),
            by=view.actor,
            event=event,
            about={name: value for name, value in about.items() if value},
            prev=[head] if head else [],
        )
        files.append(Written(path, None, data))
        told = read(path, data)
        head = told.digest if told else ""
    return tuple(files), head


def rechained(view: View, written: Written) -> Written:
    """Return the file of a new event as one that follows the latest events by now, as when it is about to be written.

    Those that it followed when it was composed may have been taken back: what they record failed, or was interrupted.
    """
    event = read(written.path, written.after or b"")
    if event is None:
        return written
    before, _ = events_in(view, folder_of(event.by), latest=_LATEST)
    if (prev := heads(before)) == event.prev:
        return written
    path, data = write(event_id=event.id, at=event.at, by=event.by, event=event.event, about=event.about, prev=prev)
    return Written(path, None, data)


def append(view: View, event: str, act: Act | None = None, **about: str | list[str] | None) -> None:
    """Write an event and do its act, which changes nothing else in the vault, so `undo` knows nothing of it.

    Raises:
        MemstoreError: as `Transaction.__exit__`, or as the act does.
    """
    with view.without_commits().transaction(event) as change:
        change.put(recorded(view, event, **about))
        if act:
            change.do(act)


# The settings of a vault that decide who may see what.
DECIDES = frozenset({"owner", "notes", "notes_for", "remotes"})
SETTING_EVENT = "config"


def record_setting(view: View, act: Act, key: str, value: str | None) -> None:
    """Write the event of a setting, and change it; None if it is removed."""
    append(view, SETTING_EVENT, act, **{key: value or "-"})


def audit_trail(view: View, *, of: str | None = None, limit: int | None = None) -> tuple[AuditEvent, ...]:
    """Return audit events, latest first.

    Args:
        view: the vault.
        of: an id; only events by it or about it.
        limit: how many at most.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
        NotFoundError: no event has this id.
    """
    view.require_owner()
    events, _ = events_in(view)
    wanted = [event for event in events if of is None or of in _ids(event)]
    if of is not None and not wanted:
        raise NotFoundError(f"no audit event is about `{of}`", hint="memstore privacy log show lists all")
    return tuple(sorted(wanted, key=lambda event: (event.at, event.id), reverse=True)[:limit])


def _ids(event: AuditEvent) -> set[str]:
    ids = {event.id, event.by}
    for value in event.about.values():
        ids.update([value] if isinstance(value, str) else value if isinstance(value, list) else ())
    return ids


def events_in(view: View, prefix: str = "", *, latest: int = 0) -> tuple[list[AuditEvent], list[str]]:
    """Return the events below a folder, or the latest of them, and the paths of files that hold none."""
    events, unreadable = [], []
    for path in [path for path in view.of(RIGHTS).audit_paths() if path.startswith(prefix)][-latest:]:
        event = read(path, view.own_file(path) or b"")
        if event is None:
            unreadable.append(path)
        else:
            events.append(event)
    return events, unreadable


# -- what others were shown ------------------------------------------------------------------------


def looks(view: View) -> tuple[Access, ...]:
    """Return what others were shown and denied on this machine, latest first.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
    """
    view.require_owner()
    return tuple(view.of(ACCESS_LOG).accesses())[::-1]
