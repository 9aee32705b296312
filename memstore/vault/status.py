"""The state of a vault, and operations on the vault as a whole: status, settings, commit, undo."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from memstore.access import RIGHTS, SEALED
from memstore.access.audit import DECIDES, may_decide, record_setting
from memstore.access.world import can_listen
from memstore.core.change import Act, Changes, Undone
from memstore.core.config import remote_address
from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.core.ids import is_entity_id, is_group
from memstore.core.keys import QUARANTINED
from memstore.core.named import refs_of
from memstore.core.places import RegistryKind
from memstore.core.short_repr import short_repr
from memstore.files.config_file import words_typed
from memstore.files.memory_file import BrokenFile
from memstore.history import HISTORY, WORK_TREE
from memstore.history.changes import differences
from memstore.history.commit_messages import verb
from memstore.vault.comparison import widened_since_check

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstore.core.change import Committed, MemoryChange
    from memstore.core.config import Setting
    from memstore.core.finding import Finding
    from memstore.core.named import Names
    from memstore.core.view import View
    from memstore.files.config_file import ConfigFile
    from memstore.history.history import HookState
    from memstore.history.repository import Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncommitted:
    """A memory or plain note that differs from the current commit: what was done (`verb`), and what changed."""

    verb: str
    name: str
    path: str
    path_before: str | None
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state of the vault for one viewer.

    `is_owners` says that the viewer may know the commit: its id changes with memories that others don't see.
    `own_files` are the vault's own files, like its settings, with uncommitted changes. `repository` is None if there is
    no history; then `uncommitted` is unknown. `notes` counts the plain notes; `untyped` are files whose frontmatter
    only lacks the type, in a vault where this makes them no notes; `broken` are files that can't be read, and
    `broken_uncommitted` those of both that differ from the commit; `widened` reports changes since the last check that
    let somebody see more, as a fast-forward may; `sealed` counts the sealed files that no key here opens; `unmerged`
    are files that git could not merge.
    """

    memories: int
    is_owners: bool
    repository: Repository | None
    uncommitted: tuple[Uncommitted, ...]
    own_files: tuple[str, ...]
    notes: int
    untyped: tuple[str, ...]
    broken: tuple[str, ...]
    hooks: Mapping[str, HookState]
    widened: tuple[Finding, ...] = ()
    quarantined: int = 0
    sealed: int = 0
    unmerged: tuple[str, ...] = ()
    broken_uncommitted: tuple[str, ...] = ()

    __repr__ = short_repr


def status(view: View) -> Status:
    """Return the state of the vault."""
    repository = view.of(HISTORY).repository
    waiting = view.of(WORK_TREE).pending() if repository else None
    changes = waiting.changes if waiting else Changes((), ())
    broken = _paths(view, view.broken)
    untyped = frozenset(path for path in broken if _lacks_only_its_type(view, path))
    return Status(
        memories=len(view.rows),
        is_owners=view.is_owners,
        repository=repository,
        uncommitted=tuple(_uncommitted(change) for change in changes.all),
        own_files=tuple(sorted(view.of(WORK_TREE).own_pending())) if repository else (),
        notes=len(view.plain),
        untyped=tuple(sorted(untyped)),
        broken=tuple(sorted({*broken, *view.of(SEALED).misnamed()} - untyped)),
        hooks=view.of(HISTORY).hooks.states() if repository else {},
        widened=widened_since_check(view, waiting),
        quarantined=_quarantined(view),
        sealed=len(view.of(SEALED).rows),
        unmerged=tuple(view.of(HISTORY).unmerged()) if repository and view.is_owners else (),
        broken_uncommitted=tuple(file.path for file in changes.broken),
    )


def _quarantined(view: View) -> int:
    statuses = view.column("status")
    return sum(statuses[row] == QUARANTINED for row in view.rows)


def _uncommitted(change: MemoryChange) -> Uncommitted:
    before, after = change.before, change.after
    return Uncommitted(
        verb=verb(change),
        name=change.name,
        path=change.path_after or change.path_before or "",
        path_before=change.path_before if change.is_move else None,
        details=differences(before, after) if before and after else (),
    )


def _lacks_only_its_type(view: View, path: str) -> bool:
    file = view.whole.any_file(path)
    return isinstance(file, BrokenFile) and file.lacks_only_its_type


def _paths(view: View, rows: Sequence[int]) -> tuple[str, ...]:
    if not view.is_owners:
        return ()
    paths = view.column("path")
    return tuple(sorted(paths[row] for row in rows))


# -- settings --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingValue:
    """A setting, its value (None: not set) and where the value comes from: a file, or `default`."""

    name: str
    value: Any
    source: str
    meaning: str


def settings(file: ConfigFile, defaults: Mapping[str, Any]) -> tuple[SettingValue, ...]:
    """Return all settings of a file, in the order of their table; `defaults` apply to settings that the file omits."""
    values = file.values()
    return tuple(
        SettingValue(
            name=name,
            value=_shown(setting, values.get(name, defaults.get(setting.field))),
            source=str(file.path) if name in values else "default",
            meaning=setting.meaning,
        )
        for name, setting in file.settings.items()
    )


def _shown(setting: Setting, value: Any) -> Any:
    """Return the value of a setting without what is secret in it."""
    if not (setting.secret and value):
        return value
    return remote_address(value) if "://" in value else "(secret)"


def setting(file: ConfigFile, defaults: Mapping[str, Any], name: str) -> SettingValue:
    """Return one setting; raise `UsageError` if there is none of that name."""
    found = {known.name: known for known in settings(file, defaults)}
    if file.is_entry(name):
        table, _, key = name.partition(".")
        value = (found[table].value or {}).get(key)
        source = str(file.path) if value else "default"
        return SettingValue(name=name, value=value, source=source, meaning=found[table].meaning)
    if name not in found:
        raise UsageError(f"there is no setting {name!r} in {file.path}", hint=file.advice(name))
    return found[name]


def change_setting(
    file: ConfigFile,
    defaults: Mapping[str, Any],
    name: str,
    text: str | None,
    *,
    vault: Callable[[], View] | None = None,
) -> SettingValue:
    """Write one setting, or remove it; comments and layout of the file stay as they are.

    Args:
        file: the settings file.
        defaults: the values of settings that the file does not have.
        name: the setting.
        text: its value as a person types it; None removes the setting.
        vault: returns the vault whose setting it is, as its owner sees it; None for the user's own. If the setting
            decides who sees what, an audit event is written with it.
    """
    if vault is not None and name.partition(".")[0] in DECIDES:
        view = vault()
        if text is not None:
            file.typed(name, text)  # an invalid value is not recorded
            if name == "notes_for":
                _require_served(view, words_typed(text))
            if name == "owner" and is_group(text):
                _require_charter(view, text)
        record_setting(view, Act(partial(_write_setting, file, name, text), file.path.resolve()), name, text)
    else:
        _write_setting(file, name, text)
    return setting(file, defaults, name)


def _write_setting(file: ConfigFile, name: str, text: str | None) -> None:
    if text is None:
        file.unset(name)
    else:
        file.set(name, text)


def _require_charter(view: View, group: str) -> None:
    """Raise where nobody could change a vault any more that is given to a group, or not whoever gives it."""
    files = filter(None, view.of(RIGHTS).registry(RegistryKind.GROUP).values())
    keepers = next((file.values.get("keepers") or () for file in files if file.values["id"] == group), ())
    if view.actor not in keepers:
        raise UsageError(
            f"{group} can't own the vault before {view.actor} keeps it",
            hint=f"memstore privacy group add {group} {view.actor} --keeper; its members will see everything here",
        )


def _require_served(view: View, names: Sequence[str]) -> None:
    """Raise for anybody whom `notes_for` would name in vain: plain notes are shown to whoever acts as one of these."""
    known = view.of(RIGHTS).registries
    for name in names:
        if is_group(name) and name not in known.groups:
            raise UsageError(
                f"notes_for can't name {name!r}: there is no such group",
                hint=f"memstore privacy group add {name} human:bob makes it",
            )
        if not is_group(name) and not (is_entity_id(name) and can_listen(known, name)):
            raise UsageError(
                f"notes_for can't name {name!r}: only a person, an agent or a group is shown plain notes by it",
                hint="name them: memstore config notes_for human:bob,group:core",
            )


# -- commit ----------------------------------------------------------------------------------------


def commit(view: View, memories: Names = (), *, message: str | None = None) -> Committed:
    """Commit pending changes of memories and plain notes; if all are committed, also those of the vault's own files.

    Args:
        view: the vault.
        memories: which memories or notes; empty for all that are pending.
        message: a message in place of the computed one, which lists what was done to which memory.

    Raises:
        NotFoundError: nothing is pending for a ref.
        RefusedError: a change is not allowed for a memory.
        GitError: there is no repository, or git does not know who commits.
    """
    with view.transaction("commit", message=message) as change:
        return change.commit_pending(refs_of(memories))


# -- undo ------------------------------------------------------------------------------------------


def undo(view: View, *, dry_run: bool = False) -> Undone:
    """Take back the last operation, and return it. A second `undo` restores it.

    Args:
        view: the vault.
        dry_run: only report what would be written.

    Raises:
        NotFoundError: nothing is recorded that could be taken back, or it is somebody else's.
        ChangedMeanwhileError: a file is no longer as the operation left it; nothing was taken back.
    """
    last = view.of(WORK_TREE).last_operation()
    if last is None:
        ways = ["git restore brings back what is committed"] if view.of(HISTORY).repository else []
        ways += ["memstore init --undo removes a vault"] if may_decide(view) else []
        raise NotFoundError("there is nothing to undo here", hint=", and ".join(ways) or None)
    if not last.files:
        hint = "git has what was committed before; memstore forget REF --purge DIR writes a clone without it"
        raise RefusedError(
            f"{last.verb} was the last thing that was done here, and it can't be undone",
            hint=hint
            if view.of(HISTORY).repository
            else "without a git repository, nothing has it any more, but a backup",
        )
    with view.transaction("undo", dry_run=dry_run) as change:
        diff = change.take_back(last)
    return Undone(verb=last.verb, at=last.at, paths=tuple(file.path for file in last.files), diff=diff)
