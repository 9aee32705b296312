"""Checks of staged files: each alone, as a successor of its committed state, and its id among all ids."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache, partial, reduce
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import RIGHTS
from memstore.access.audit import consents_gone, revoked_grants
from memstore.access.own_files import OwnFiles, events_in
from memstore.access.policy import Judge, both, labels_of
from memstore.access.unrecorded import RegistryContext, changed_by_hand, consents_by_hand, grants_by_hand
from memstore.access.widening import WideningContext, check_widening, events_now, surroundings
from memstore.access.world import Standings
from memstore.core.config import CONFIG_PATH
from memstore.core.finding import Finding, in_order
from memstore.core.finding_codes import finding_of
from memstore.core.ids import is_group, is_memory_id
from memstore.core.places import (
    is_audit_path,
    is_memory_path,
    is_misnamed,
    is_original_path,
    is_own_path,
    is_sealed_path,
    kind_of,
)
from memstore.files import memory_file
from memstore.files.age_file import recipients
from memstore.files.memory_file import MemoryFile, sealed_under_other_name, sealed_under_plain_name
from memstore.files.plain_note import is_foreign
from memstore.history import HISTORY
from memstore.history.changes import changes_between, introduced_ids
from memstore.vault import checks, transitions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from datetime import datetime

    from memstore.access.audit_events import AuditEvent
    from memstore.access.world import Labels, Session
    from memstore.core.change import Changes, MemoryChange
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.history.git_history import GitHistory
    from memstore.history.history import FileChange


class Staged(NamedTuple):
    """What is staged: the changes of memories, and the files as they are in the index, by path."""

    changes: Changes
    files: Mapping[str, ReadFile]


def staged(history: GitHistory, against: str | None = None) -> Staged:
    """Return what is staged, compared with a commit; None means the current one, which a commit would change.

    Only blobs are read, never the work tree.
    """
    files = history.staged(against)
    blobs = history.blobs(blob for file in files for blob in (file.old, file.new) if blob)
    before = {
        file.path: memory_file.read(file.path, blobs[file.old], mixed=history.mixed) for file in files if file.old
    }
    after = {file.path: memory_file.read(file.path, blobs[file.new], mixed=history.mixed) for file in files if file.new}
    return Staged(changes_between(before, after), after)


def check_staged(
    history: GitHistory, *, owner: Callable[[], str], now: datetime, session: Session | None = None
) -> tuple[Finding, ...]:
    """Return the problems of the staged memories, and of other files that decide who may see them.

    During a merge, a cherry-pick or a revert, the result is checked against every side.

    Args:
        history: the repository.
        owner: returns the vault's owner; called only if grants changed.
        now: the time, UTC.
        session: who commits, if not the owner: a memory is compared with none that they may not see, and none of these
            is named. A member of the group that owns a shared vault is told all, but of those the path alone.
    """
    changes, files = staged(history)
    old = {change.path: change.old for change in history.staged()}
    findings = check_changes(changes, files) + secrets_added(history, files, old.get)
    states = cache(lambda: _own_states(history, owner()))
    is_member = session is not None and is_group(owner()) and _is_member(*states(), session)
    compared = None if is_member else session

    def around(ids: frozenset[str]) -> WideningContext:
        return _staged_context(history, owner(), ids, compared)

    said_before = with_last_states(changes.memories, history.last_states)
    findings += check_widening(said_before, files, around, now)
    for parent in history.other_parents():
        other, others_files = staged(history, parent)
        both = [change for change in other.memories if change.path_after in files]
        findings += check_widening(both, others_files, around, now)
        findings += _regained(history, parent, Staged(changes, files), other)
    own = [change for change in history.all_staged() if is_own_path(change.path)]
    before = read_own(history, {one.path: one.old for one in own if one.old})
    after = read_own(history, {one.path: one.new for one in own if one.new})
    changed = {path: (before.get(path), after.get(path)) for path in {**before, **after}}
    if is_group(owner()) and states()[1].world({}).keepers:
        findings += _narrower(files, owner())
    findings += consents_gone(changed, history.index_files, partial(_staged_events, history))
    around_own = partial(_own_around, history, states, said_before, session, "" if is_member else "a memory")
    findings += changed_by_hand(changed, around_own, now, default_owner=owner())
    findings += grants_by_hand(said_before, files, partial(_staged_events, history), owner())
    findings += consents_by_hand(changed, partial(_staged_events, history))
    findings += [vault_inside(change.path) for change in history.all_staged() if is_vault_inside(change)]
    findings += sealed_findings(history, files)
    introduced = introduced_ids(changes, files)
    if introduced:
        holders: dict[str, list[str]] = defaultdict(list)
        for path, memory_id in history.staged_ids({memory_id for memory_id, _ in introduced.values()}).items():
            if compared is None or path in introduced or _sees(history, path, owner(), compared):
                holders[memory_id].append(path)
        findings += transitions.duplicates(holders, {path: place for path, (_, place) in introduced.items()})
    if session and is_member:
        findings = _by_path_alone(history, files, findings, owner(), session)
    return in_order(_with_what_to_stage(history, [*dict.fromkeys(findings)]))


def _by_path_alone(
    history: GitHistory, files: Mapping[str, ReadFile], findings: list[Finding], owner: str, session: Session
) -> list[Finding]:
    """Return findings in which of a memory that a member may not see no more is said than that it is not for all."""
    memories = {path: file for path, file in files.items() if isinstance(file, MemoryFile)}
    ids = frozenset(name for file in memories.values() for name in _made_of(file.memory))
    judge = Judge(_staged_context(history, owner, ids).world, session)
    copies = _staged_copies(history, {file.memory.id or "" for file in memories.values()})
    labels = {path: labels_of(file.memory) for path, file in memories.items()}
    hidden = {
        path: file
        for path, file in memories.items()
        if not judge.shows(labels[path], copies.get((labels[path].id, labels[path].owner)))
    }
    told = [one for file in hidden.values() for one in checks.unseen(checks.as_checked(file), owner)]
    return [one for one in findings if one.path not in hidden] + told


def _staged_copies(history: GitHistory, ids: set[str]) -> dict[tuple[str, str | None], Labels]:
    """Return by what staged memories of one id and owner are shown, where there are several."""
    blobs, paths = history.index_files(), history.staged_ids(ids - {""})
    data = history.blobs(blobs[path] for path in paths)
    found: dict[tuple[str, str | None], list[Labels]] = defaultdict(list)
    for path in paths:
        file = memory_file.read(path, data[blobs[path]], mixed=history.mixed)
        if isinstance(file, MemoryFile):
            labels = labels_of(file.memory)
            found[labels.id, labels.owner].append(labels)
    return {one: reduce(both, same) for one, same in found.items() if len(same) > 1}


# What these report may be recorded by files that a command wrote beside the change.
_MAY_BE_RECORDED = frozenset(
    {"grants-widened", "say-removed", "registry-widened", "owner-changed", "grant-unrecorded", "consent-unrecorded"}
)
_RECORDS = ("audit", "consents")


def _with_what_to_stage(history: GitHistory, findings: list[Finding]) -> list[Finding]:
    """Return findings, with the hint to stage a command's new records, which `git commit -a` leaves out."""
    if not any(finding.code in _MAY_BE_RECORDED for finding in findings):
        return findings
    folders = sorted({path.partition("/")[0] for path in history.untracked(_RECORDS)})
    prefix = history.require().prefix
    hint = f"git add {' '.join(prefix + folder for folder in folders)}: what a command recorded there is not staged"
    return [
        finding._replace(hint=hint) if folders and finding.code in _MAY_BE_RECORDED else finding for finding in findings
    ]


def sealed_findings(history: GitHistory, files: Mapping[str, ReadFile]) -> Iterator[Finding]:
    """Yield what is wrong with staged sealed files, as far as can be told with the keys that are here.

    One that is opened here is checked like any other memory. One that is not is only compared with its last version: it
    may not be for more keys. `files` are the staged files as they were read.
    """
    changes = history.staged()
    sealed = [change for change in changes if is_sealed_path(change.path) and change.new]
    blobs = history.stored_blobs([blob for change in sealed for blob in (change.new, change.old) if blob])
    for change in sealed:
        now, before = blobs.get(change.new or "", b""), blobs.get(change.old or "", b"")
        why = history.why_closed(change.path, now)
        if why is not None and why.is_damaged and not (history.mixed and why.is_other):
            yield finding_of("sealed-damaged", change.path, why.message, why.hint)
        elif why is not None and before and recipients(now).is_wider(recipients(before)):
            text = "no key here opens it, and it is sealed for more keys than before: that can't be judged here"
            yield finding_of("sealed-wider", change.path, text, "let someone who can open it commit it")
    gone = {change.old: change.path for change in changes if is_sealed_path(change.path) and not change.new}
    for change in history.all_staged() if gone else ():
        if is_misnamed(change.path) and (was := gone.get(change.new)):
            yield sealed_under_other_name(change.path, was)
    for change in changes:
        file = files.get(change.path)
        if not isinstance(file, MemoryFile) or is_sealed_path(change.path):
            continue
        blob = change.new or ""
        if history.blob_id(file.data) != blob and history.stored_blobs([blob]).get(blob) != file.data:  # it was opened
            yield sealed_under_plain_name(change.path)
        if history.has_file(f"{change.path}.age"):
            text = f"{change.path}.age is sealed, and this is a plain copy of it"
            yield finding_of("sealed-beside-plain", change.path, text, "git rm it, or git rm the sealed file")


def with_last_states(
    changes: Iterable[MemoryChange], last_states: Callable[[Collection[str]], Mapping[str, Memory]]
) -> list[MemoryChange]:
    """Return changes in which a new memory that others may see follows the last state of its id before its removal.

    Args:
        changes: the changes of memories.
        last_states: returns the last state of removed memories, by id; asked only about those that others may see.
    """
    listed = list(changes)
    shown = (change.after for change in listed if change.before is None and change.after)
    new = {memory.id for memory in shown if memory.id and (memory.access_grants or memory.owner)}
    last = last_states(new) if new else {}
    return [
        replace(change, before=last.get(change.after.id or "")) if change.before is None and change.after else change
        for change in listed
    ]


def _regained(history: GitHistory, parent: str, ours: Staged, theirs: Changes) -> Iterator[Finding]:
    """Yield a finding for each grant that one side of a merge has revoked and that the result has again."""
    head = history.head()
    base = history.merge_base(head, parent) if head else None
    here = {change.path_after: change for change in ours.changes.memories}
    there = {change.path_after: change for change in theirs.memories}
    paths = [path for path in {*here, *there} if path]
    if base is None or not paths:
        return
    was_at = {path: (here.get(path) or there[path]).path_before or path for path in paths}
    blobs = history.files_at(base)
    data = history.blobs(blobs[was] for was in was_at.values() if was in blobs)
    result = history.index_files()
    now_data = history.blobs(result[path] for path in paths if path in result)
    revoked = revoked_grants(_staged_events(history))  # also what a copy of the commit had granted
    for path in sorted(paths):
        file = memory_file.read(path, now_data.get(result.get(path, ""), b""), mixed=history.mixed)
        before = memory_file.read(path, data.get(blobs.get(was_at[path], ""), b""), mixed=history.mixed)
        if not isinstance(file, MemoryFile):
            continue
        granted = {*before.memory.access_grants} if isinstance(before, MemoryFile) else set()
        granted |= revoked.get(file.memory.id or path, set())
        # A side without differences from the index has the staged state.
        sides = [changes[path].before if path in changes else file.memory for changes in (here, there)]
        kept = set.intersection(*({*side.access_grants} if side else set() for side in sides))
        for name in sorted(granted & {*file.memory.access_grants} - kept):
            text = f"it is granted to {name} again, although one side of the merge had revoked that"
            hint = f'remove "{name}" from access_grants; memstore privacy grant grants it again'
            key = "access_grants"
            yield finding_of("grant-regained", path, text, hint, file.front.position(key), key=key)


def _staged_events(history: GitHistory) -> Iterable[AuditEvent]:
    audit = {path: blob for path, blob in history.index_files().items() if is_audit_path(path)}
    return events_in(read_own(history, audit)).values()


def read_own(history: GitHistory, blobs: Mapping[str, str]) -> dict[str, bytes]:
    """Return the bytes of the vault's own files among these blobs, by path, without originals, which decide nothing."""
    own = {path: blob for path, blob in blobs.items() if is_own_path(path) and not is_original_path(path)}
    data = history.blobs(own.values())
    read = {path: data.get(blob, b"") for path, blob in own.items()}
    told = {path: said for path, said in read.items() if not memory_file.is_stored_form(said)}  # what is locked is not
    return {path: said for path, said in told.items() if not is_foreign(path, said, mixed=history.mixed)}


def _own_states(history: GitHistory, owner: str) -> tuple[OwnFiles, OwnFiles]:
    """Return the vault's own files in the current commit and as staged."""
    head = history.head()
    before = read_own(history, history.own_files_at(head)) if head else {}
    return OwnFiles(before, owner), OwnFiles(read_own(history, history.index_files()), owner)


def _standing(before: OwnFiles, after: OwnFiles) -> OwnFiles:
    """Return the state that says who is who: nobody is made a member by what they stage, but by the first commit."""
    return before if before.world({}).keepers else after


def _is_member(before: OwnFiles, after: OwnFiles, session: Session) -> bool:
    """Whether a viewer is in the group that owns a shared vault, and the group has a charter."""
    world = _standing(before, after).world({})
    who = Standings(world, session.at, None).listener(session.viewer)
    return bool(world.keepers) and world.owner in who.member_of


def _own_around(
    history: GitHistory,
    states: Callable[[], tuple[OwnFiles, OwnFiles]],
    changes: Iterable[MemoryChange],
    session: Session | None,
    unseen: str,
) -> RegistryContext:
    """Return the vault's own files before and after, and all staged memories.

    Those that a session does not show are `unseen` in place of their ref; if that is empty, the path is their name.
    """
    before, after = states()
    blobs = {path: blob for path, blob in history.index_files().items() if is_memory_path(path, mixed=history.mixed)}
    data = history.blobs(blobs.values())
    read = (memory_file.read(path, data.get(blob, b""), mixed=history.mixed) for path, blob in blobs.items())
    files = {file.memory.id or file.path: file for file in read if isinstance(file, MemoryFile)}
    labels = {name: labels_of(file.memory) for name, file in files.items()}
    judge = Judge(_standing(before, after).world(labels), session) if session else None
    places = {
        name: (unseen if judge and not judge.allows(name) else str(file.memory.ref or ""), file.path)
        for name, file in files.items()
    }
    return RegistryContext(before, after, labels, places, _new(changes))


def _new(changes: Iterable[MemoryChange]) -> frozenset[str]:
    return frozenset(change.path_after for change in changes if change.before is None and change.path_after)


def _sees(history: GitHistory, path: str, owner: str, session: Session) -> bool:
    """Whether a viewer may see a staged file, by its own labels and what it was made from."""
    blob = history.index_files()[path]
    file = memory_file.read(path, history.blobs([blob])[blob], mixed=history.mixed)
    if not isinstance(file, MemoryFile):
        return False
    world = _staged_context(history, owner, _made_of(file.memory)).world
    return Judge(world, session).admits(labels_of(file.memory))


def _made_of(memory: Memory) -> frozenset[str]:
    names = (text.partition(":")[2] for text in memory.derived_from)
    return frozenset(name for name in names if is_memory_id(name))


def _staged_context(
    history: GitHistory, owner: str, ids: frozenset[str], session: Session | None = None
) -> WideningContext:
    """Return the staged registries, and the staged memories with these ids and all that they were made from.

    With a session, these are only those that its viewer may see.
    """
    from memstore.access.registry_world import world_of

    blobs = history.index_files()
    own = read_own(history, {path: blob for path, blob in blobs.items() if kind_of(path)})
    memories: dict[str, Memory] = {}
    waiting = set(ids)
    while waiting:
        paths = history.staged_ids(waiting)
        read = history.blobs(blobs[path] for path in paths)
        found = [memory_file.read(path, read[blobs[path]], mixed=history.mixed) for path in paths]
        new = {file.memory.id: file.memory for file in found if isinstance(file, MemoryFile) and file.memory.id}
        memories |= new
        waiting = {name for memory in new.values() for name in _made_of(memory)} - memories.keys()
        if not new:
            break
    world = world_of(owner, own.items())
    world = world._replace(memories={name: labels_of(memory) for name, memory in memories.items()})
    if session:
        judge = Judge(world, session)
        memories = {name: memory for name, memory in memories.items() if judge.allows(name)}
        world = world._replace(memories={name: world.memories[name] for name in memories})
    return WideningContext(world, memories, partial(_staged_events, history))


def findings_of(
    view: View,
    changes: Changes,
    files: Mapping[str, ReadFile],
    own: Mapping[str, bytes | None],
    *,
    since: str | None = None,
    events: Callable[[], Iterable[AuditEvent]] | None = None,
) -> list[Finding]:
    """Return the problems of changes, as the pre-commit hook does.

    Args:
        view: the current vault.
        changes: the changes of memories.
        files: the files that hold them now, by path.
        own: the vault's own files that changed, in their current state, by path; None for deleted ones.
        since: the commit to compare with; None for the current one.
        events: returns the audit events of the state that is judged; None for those in the work tree.
    """
    history, now = view.of(HISTORY), view.clock.now()
    events = events or partial(events_now, view)
    commit = since or history.head()
    before = read_own(history, history.own_files_at(commit)) if commit and own else {}
    introduced = introduced_ids(changes, files)
    holders = {
        memory_id: [view.entry(row).path for row in view.rows_of_id(memory_id)] for memory_id, _ in introduced.values()
    }
    at = cache(lambda: history.files_at(commit) if commit else {})
    was_at = {change.path_after: change.path_before for change in changes.all if change.path_after}
    # The others may be hidden from the actor.
    changed_to = {path: file for path, file in files.items() if path in was_at}
    broken = {file.path: file for file in changes.broken}

    def blob_before(path: str) -> str | None:
        return at().get(was_at.get(path) or path)

    def data_before(path: str) -> bytes:
        return before.get(path) or _stored(history, blob_before(path)) or b""

    findings = check_changes(changes, files) + secrets_added(history, {**broken, **changed_to}, blob_before)
    said_before = with_last_states(changes.memories, partial(history.last_states, start=since))
    findings += check_widening(said_before, files, lambda ids: surroundings(view, ids)._replace(events=events), now)
    changed = {path: (before.get(path), data) for path, data in own.items()}

    def around() -> RegistryContext:
        after = {path: data for path, data in {**before, **own}.items() if data is not None}
        world, owner, seen = view.of(RIGHTS).policy, view.config.owner, {*view.rows}
        rows = {row: view.entry(row) for row in view.whole.rows}
        places = {entry.id: ((row in seen and entry.ref) or "", entry.path) for row, entry in rows.items()}
        labels = {name: world.memories[name] for name in places if name in world.memories}
        return RegistryContext(OwnFiles(before, owner), OwnFiles(after, owner), labels, places, _new(said_before))

    findings += changed_by_hand(changed, around, now, default_owner=view.config.owner)
    findings += grants_by_hand(said_before, files, events, view.config.owner)
    findings += consents_by_hand(changed, events)
    if is_group(view.config.owner):
        from memstore.vault.references import private_names

        findings += _narrower(changed_to, view.config.owner) if view.of(RIGHTS).registries.keepers else ()
        data = {path: file.data for path, file in changed_to.items()} | {
            path: text or b"" for path, text in own.items()
        }
        for path, text in data.items():
            findings += private_names(view, path, text, partial(data_before, path))
    findings += transitions.duplicates(holders, {path: place for path, (_, place) in introduced.items()})
    return findings


def _stored(history: GitHistory, blob: str | None) -> bytes | None:
    return history.blobs([blob]).get(blob) if blob else None


def _narrower(files: Mapping[str, ReadFile], owner: str) -> Iterator[Finding]:
    """Yield what in the memories of a shared vault is not for all its members."""
    for file in files.values():
        if isinstance(file, MemoryFile):
            yield from checks.narrower(checks.as_checked(file), owner)


def is_vault_inside(change: FileChange) -> bool:
    """Whether a new file makes a folder within this vault a vault of its own."""
    return change.old is None and change.path.endswith(f"/{CONFIG_PATH}")


def vault_inside(path: str) -> Finding:
    """Return the error that a folder of the vault is a vault of its own, whose owner sees what is in it."""
    return finding_of(
        "vault-inside",
        path,
        "it makes a vault of a folder of this one, and whoever owns that sees what lies there",
        f"take it away, or name {path.removesuffix(CONFIG_PATH)} in .memstoreignore",
    )


def secrets_added(
    history: GitHistory, files: Mapping[str, ReadFile], old: Callable[[str], str | None]
) -> list[Finding]:
    """Return what looks like a secret in lines that files gained; `old` returns the blob that a path had before."""

    def before(path: str) -> bytes | None:
        return _stored(history, old(path))

    return [found for path, file in files.items() for found in checks.secrets(file, partial(before, path))]


def check_changes(changes: Changes, after: Mapping[str, ReadFile]) -> list[Finding]:
    """Return the problems of the new state by itself, and as a successor of the old one."""
    findings = [finding for file in changes.broken for finding in file.findings]
    for change in changes.memories:
        file = after.get(change.path_after or "")
        if not isinstance(file, MemoryFile):
            continue
        checked = checks.as_checked(file)
        findings += checks.errors_in(checked)
        if change.before is not None:
            findings += transitions.check(change.before, checked)
    return findings
