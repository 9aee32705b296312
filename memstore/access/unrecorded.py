"""Changes to who may see what, made without an audit event: by hand, or brought in by a merge.

Commands that change registries, the vault's owner or a memory's grants write an event with the change. A file can be
changed without one, and then nobody knows whose act that was. If such a change lets somebody see more, it is an error
of the commit.
"""

from __future__ import annotations

import shlex
import tomllib
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access.audience import members_of
from memstore.access.audit import SETTING_EVENT, consent_unrecorded, grant_unrecorded, recorded_grants
from memstore.access.audit_events import consents_named, texts_of
from memstore.access.grants import gained
from memstore.access.own_files import OwnFiles, events_in
from memstore.access.registry import RegistryFile, expected_id
from memstore.access.registry import read as read_registry
from memstore.access.sight import in_words, sight_changes
from memstore.core.config import CONFIG_PATH
from memstore.core.digests import digest_of
from memstore.core.finding_codes import finding_of
from memstore.core.ids import is_group
from memstore.core.places import RegistryKind, is_audit_path, kind_of
from memstore.files.config_file import owner_of, words_typed
from memstore.files.memory_file import MemoryFile

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.audit_events import AuditEvent
    from memstore.access.sight import SightChange
    from memstore.access.world import Labels, World
    from memstore.core.change import MemoryChange
    from memstore.core.finding import Finding
    from memstore.files.memory_file import ReadFile


class RegistryContext(NamedTuple):
    """What a registry file affects: the vault's own files before and after, and the memories of the state after.

    `labels` and `places` have the labels, and the ref and path, of each memory by its id; `new` are the paths of
    memories that did not exist before, and so were hidden from nobody.
    """

    before: OwnFiles
    after: OwnFiles
    labels: Mapping[str, Labels]
    places: Mapping[str, tuple[str, str]]
    new: Collection[str]


# The bytes of a file before and after; None if it does not exist.
Change = tuple[bytes | None, bytes | None]


# The commands that change registries, and the key under which their events name the changed one, not others involved.
_ABOUT_REGISTRY = {"entity": "entity", "group": "group", "context": "context", "undo": "changed"}


def changed_by_hand(
    changed: Mapping[str, Change], around: Callable[[], RegistryContext], now: datetime, *, default_owner: str
) -> Iterator[Finding]:
    """Yield findings for changes that let somebody see more, or remove an audit event, without a matching event.

    Args:
        changed: the vault's own files that changed, by path.
        around: returns the other files and the memories; called only if a registry file was changed by hand.
        now: the time, UTC.
        default_owner: the owner if the settings name none.
    """
    acts = _acts_in(changed, around, default_owner)
    told: dict[str, list[AuditEvent]] = defaultdict(list)
    for event in acts:
        if key := _ABOUT_REGISTRY.get(event.event.partition(" ")[0]):
            for name in texts_of(event.about.get(key)):
                told[name].append(event)
    for path, (old, new) in sorted(changed.items()):
        kind = kind_of(path)
        if is_audit_path(path) and old is not None:
            what = "is gone" if new is None else "was changed"
            yield finding_of("audit-event-gone", path, f"a committed audit event {what}", _BACK)
        elif path == CONFIG_PATH and old is not None:
            yield from _settings(old, new, acts, default_owner)
        elif kind in _WRITTEN_ONCE and old is not None and new is not None:
            code, what, more = _WRITTEN_ONCE[kind]
            yield finding_of(code, path, f"the file of {what} was changed", f"{_BACK}{more}")
        elif kind is not None and kind.decides and kind is not RegistryKind.CONSENT:
            name = expected_id(path, kind)
            if not _is_told(path, kind, old, new, told[name]):
                yield from _opening_findings(path, name, around(), now)


def _acts_in(changed: Mapping[str, Change], around: Callable[[], RegistryContext], owner: str) -> Sequence[AuditEvent]:
    """Return the acts that are recorded with a change; of a shared vault's, those of its keepers as they were."""
    acts = [*events_in({path: data for path, (old, data) in changed.items() if old is None and data}).values()]
    keepers = around().before.world({}).keepers if acts and is_group(owner) else ()
    return [event for event in acts if event.by in keepers] if keepers else acts


def _is_told(path: str, kind: RegistryKind, old: bytes | None, new: bytes | None, acts: Sequence[AuditEvent]) -> bool:
    """Whether events cover what a registry file says now: this exact state, or each name that opens something.

    When two branches were merged, each recorded its own part. Events of earlier versions name no state.
    """
    if not acts or any("says" not in event.about and event.event != "undo" for event in acts):
        return bool(acts)
    if new is None or digest_of(new) in {state for event in acts for state in texts_of(event.about.get("says"))}:
        return True
    said = {
        f"{key} {name}"
        for event in acts
        for key, value in event.about.items()
        for name in texts_of(value)
        if not (key == "members" and "until" in event.about)
    }
    before, after = (_values(path, kind, data) for data in (old, new))
    gone = {f"removed {name}" for name in before.get("guardians") or ()} - {
        f"removed {name}" for name in after.get("guardians") or ()
    }
    return ({*_opens(after)} - {*_opens(before)}) | gone | {*_new_members(before, after)} <= said


def _values(path: str, kind: RegistryKind, data: bytes | None) -> Mapping[str, Any]:
    file = None if data is None else read_registry(path, kind, data)
    return file.values if isinstance(file, RegistryFile) else {}


def _opens(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what may open a memory in an entity or a context, as events name it: the key and the name."""
    if kind := values.get("kind"):
        yield f"kind {kind}"
    if values.get("open"):
        yield "open yes"
    roles = values.get("roles") or ()
    held = [f"{who} {role}" for who in roles for role in roles[who]] if isinstance(roles, dict) else roles
    yield from (f"roles {one}" for one in held)
    yield from (f"{key} {name}" for key in ("roster", "default_access", "keepers") for name in values.get(key) or ())


def _new_members(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield the members that a group has gained, or has for longer, as events name them."""
    known = [(one["id"], one.get("from"), one.get("until") or _NEVER) for one in before.get("members") or ()]
    for one in after.get("members") or ():
        name, since, until = one["id"], one.get("from"), one.get("until")
        if not any((name, since) == old[:2] and (until or _NEVER) <= old[2] for old in known):
            yield f"until {name} {until}" if until else f"members {name}"


# Sorts after every written time.
_NEVER = "~"


def _opening_findings(path: str, name: str, around: RegistryContext, now: datetime) -> Iterator[Finding]:
    """Yield findings for what a registry file opens that was changed by hand, given all other changes."""
    before, after, labels, places, new = around
    others = {other: data for other, data in after.files.items() if other != path}
    without = OwnFiles(others | ({path: before.files[path]} if path in before.files else {}), after.default_owner)
    then, now_is = without.world(labels), after.world(labels)
    gains = [one for one in sight_changes(then, places, now_is, places, now) if one.gained and one.path not in new]
    hint = _BY_COMMAND.format(_verb(path))
    if gains:
        yield finding_of("registry-widened", path, f"this change by hand would show {_gains_text(gains)}", hint)
    if then.keepers and (joined := _in_charter(now_is, then.owner, now) - _in_charter(then, then.owner, now)):
        text = f"this change by hand would make {', '.join(sorted(joined))} of {then.owner}"
        yield finding_of("registry-widened", path, text, hint)
    named = _see_notes(after.files.get(CONFIG_PATH))
    if joined := members_of(now_is, named, now) - members_of(then, named, now):
        text = f"this change by hand would show all plain notes to {', '.join(sorted(joined))}"
        yield finding_of("registry-widened", path, text, hint)
    guardians = then.entities[name].guardians if name in then.entities else ()
    left = now_is.entities[name].guardians if name in now_is.entities else ()
    gone = sorted({*guardians} - {*left})
    if gone and any(name in one.subject_ids or name in one.source_chain for one in labels.values()):
        text = (
            f"after this change by hand {', '.join(gone)} would no longer have a say for {name}, whom memories are "
            "about"
        )
        yield finding_of("registry-widened", path, text, hint)


def _in_charter(world: World, owner: str, now: datetime) -> set[str]:
    """Return who is a member or a keeper of the group that owns a vault."""
    members = (f"{name} a member" for name in members_of(world, [owner], now))
    return {*members, *(f"{name} a keeper" for name in world.keepers)}


def _gains_text(gains: list[SightChange]) -> str:
    first, *more = dict.fromkeys(f"{one.ref or one.path} to {in_words(one.gained)}" for one in gains)
    return f"{first}, and {len(more)} more" if more else first


def _verb(path: str) -> str:
    match kind_of(path):
        case RegistryKind.GROUP:
            return "privacy group"
        case RegistryKind.CONTEXT:
            return "context"
        case _:
            return "privacy entity"


_BACK = "git restore --staged --worktree brings it back"
_WRITTEN_ONCE = {
    RegistryKind.CONSENT: ("consent-changed", "a consent, a refusal or a revocation", ""),
    RegistryKind.VERDICT: ("verdict-changed", "a verdict", "; memstore conflicts judge judges anew"),
}
_BY_COMMAND = "put it back; memstore {} makes the change, and records it"


def _settings(old: bytes, new: bytes | None, acts: Iterable[AuditEvent], default_owner: str) -> Iterator[Finding]:
    """Yield findings for changes to the vault's owner, to who sees its notes, and to what may be pushed where."""
    told: dict[str, list[str]] = defaultdict(list)
    for event in acts:
        if event.event == SETTING_EVENT:
            for name, value in event.about.items():
                told[name].append(str(value))  # events within a second have no order
    was, now_is = (owner_of(config, default=default_owner) for config in (old, new))
    if was != now_is and now_is not in told["owner"]:
        text = f"after this change by hand the vault would be {now_is}'s and no longer {was}'s"
        yield finding_of("owner-changed", CONFIG_PATH, text, _BY_COMMAND.format("config owner"))
    if gained := _see_notes(new) - _see_notes(old) - {*words_typed(" ".join(told["notes_for"]))}:
        text = f"after this change by hand {', '.join(sorted(gained))} would see all plain notes"
        yield finding_of("registry-widened", CONFIG_PATH, text, _BY_COMMAND.format("config notes_for"))
    before = _audiences(old)
    for remote, audience in sorted(_audiences(new).items()):
        key = f"remotes.{remote}"
        # A longer audience lets less through, but then more people read what was pushed earlier.
        if audience != before.get(remote) and audience not in [{*words_typed(one)} for one in told[key]]:
            text = f"after this change by hand pushes to {remote} would be for {', '.join(sorted(audience))}"
            act = f"config {shlex.quote(key)} {','.join(sorted(audience))}"
            yield finding_of("registry-widened", CONFIG_PATH, text, _BY_COMMAND.format(act))


def _see_notes(config: bytes | None) -> frozenset[str]:
    return _texts(_in_settings(config, "notes_for"))


def _audiences(config: bytes | None) -> dict[str, frozenset[str]]:
    """Return who reads each remote, as far as the settings say so in the form of a setting."""
    named = _in_settings(config, "remotes")
    return {remote: _texts(words) for remote, words in named.items()} if isinstance(named, dict) else {}


def _in_settings(config: bytes | None, name: str) -> Any:
    try:
        return tomllib.loads((config or b"").decode()).get(name)
    except ValueError:
        return None


def _texts(value: Any) -> frozenset[str]:
    return frozenset(name for name in value if isinstance(name, str)) if isinstance(value, list) else frozenset()


# -- grants ----------------------------------------------------------------------------------------


def grants_by_hand(
    changes: Iterable[MemoryChange],
    files: Mapping[str, ReadFile],
    events: Callable[[], Iterable[AuditEvent]],
    owner: str,
) -> Iterator[Finding]:
    """Yield a warning for each memory that is granted to somebody without a matching audit event.

    Args:
        changes: the changes of memories.
        files: the files that hold them, by path.
        events: returns the audit events of that state; called only if something was granted.
        owner: the vault's owner.
    """
    granted = [
        (file, names)
        for change in changes
        if isinstance(file := files.get(change.path_after or ""), MemoryFile)
        and (names := gained(change.before, file.memory, owner))
    ]
    told = recorded_grants(events()) if granted else {}
    for file, names in granted:
        if missing := [name for name in names if name not in told.get(file.memory.id or file.path, ())]:
            yield grant_unrecorded(file, missing)


def consents_by_hand(changed: Mapping[str, Change], events: Callable[[], Iterable[AuditEvent]]) -> Iterator[Finding]:
    """Yield a warning for each new consent file without a matching audit event.

    Args:
        changed: the vault's own files that changed, by path.
        events: returns the audit events of that state; called only if there is such a file.
    """
    new = [path for path, (old, _) in sorted(changed.items()) if old is None and kind_of(path) is RegistryKind.CONSENT]
    told = consents_named(events()) if new else frozenset()
    yield from (consent_unrecorded(path) for path in new if expected_id(path, RegistryKind.CONSENT) not in told)
