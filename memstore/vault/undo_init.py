"""Remove what `init` added to a folder, and nothing else: `memstore init --undo`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import RIGHTS, audit, audit_events
from memstore.core.change import Written
from memstore.core.config import CONFIG_PATH
from memstore.core.errors import RefusedError, VaultError
from memstore.core.places import SETTINGS_FOLDER, RegistryKind
from memstore.history.git_hooks import DRIVER
from memstore.history.history import HookState
from memstore.vault.init import (
    ATTRIBUTES_LINES,
    ATTRIBUTES_PATH,
    EXCLUDED,
    FUNCTION_KEY,
    FUNCTION_PATTERN,
    IGNORE_PATH,
    IGNORE_TEXT,
    OF_VAULT,
    config_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memstore.core.view import View
    from memstore.vault.surroundings import DiskPlace


# How many obstacles are named; a vault may have thousands of memories.
MOST_NAMED = 3
CHANGED = "it has been changed since"
_OWN_ID = re.compile(rb"^id: *[\"']?m_", re.MULTILINE)
_LINES = frozenset(line.encode() for line in (*ATTRIBUTES_LINES, EXCLUDED))


@dataclass(frozen=True, slots=True, kw_only=True)
class InitUndone:
    """What `init --undo` removed, or would remove.

    `removed` are deleted files, `restored` files that lost memstore's line, relative to `root`. `hooks` are the git
    hooks removed, `git_key` is the key removed from the repository's git configuration, `is_forgotten` says whether
    this machine kept an index or anything else of the vault. `kept` gives the reason for each thing that stays; the
    repository stays as well, if the folder `has_repository`. `tracked` are those of the files that are in git's index:
    their changes need to be committed.
    """

    root: Path
    removed: tuple[str, ...]
    restored: tuple[str, ...]
    hooks: tuple[str, ...]
    git_key: str | None
    is_forgotten: bool
    kept: Mapping[str, str]
    tracked: tuple[str, ...]
    has_repository: bool
    dry_run: bool

    @property
    def is_vault(self) -> bool:
        """Whether the folder is still a vault, because its settings existed before `init`."""
        return CONFIG_PATH in self.kept


def undo_init(
    place: DiskPlace, *, open_vault: Callable[[], View], may_act: Callable[[str], bool], dry_run: bool = False
) -> InitUndone:
    """Restore a folder to its state before `init`, except for the repository, which stays.

    Args:
        place: the folder.
        open_vault: opens the vault in it.
        may_act: whether the actor is the given owner; for the remains of an interrupted undoing.
        dry_run: only report what would be removed.

    Raises:
        VaultError: the folder is not a vault, and no remains of one are in it.
        RefusedError: somebody other than the vault's owner asks, or the folder holds more than `init` made; nothing was
            touched.
    """
    made = place.made()
    if place.read(CONFIG_PATH) is None:
        _stop_unless_left_behind(place, made, may_act)
        plan = _plan(place, made)
        _stop_at([*_named("drafts", place.drafts())], place)
        if not dry_run:
            _take_away(place, plan)
    else:
        view = open_vault()
        audit.stop_unless_owner(view, "undo its `init`")
        view.require_owner()
        with view.locked():
            plan = _plan(place, made or _inferred_files(place, view))
            _stop_at([*_obstacles(place, view.again(), plan)], place)
            if not dry_run:
                _take_away(place, plan)
    # The record of `init` is deleted last, so that an interrupted run can be continued.
    return InitUndone(
        root=place.root,
        removed=tuple(sorted(file.path for file in plan.files if file.after is None)),
        restored=tuple(sorted(file.path for file in plan.files if file.after is not None)),
        hooks=plan.hooks,
        git_key=plan.git_key,
        is_forgotten=place.is_remembered() if dry_run else place.forget(),
        kept=plan.kept,
        tracked=plan.tracked,
        has_repository=place.has_repository,
        dry_run=dry_run,
    )


def _stop_unless_left_behind(place: DiskPlace, made: Mapping[str, Written], may_act: Callable[[str], bool]) -> None:
    """Raise unless an undoing was interrupted here, or somebody deleted the vault's settings."""
    if not made or not place.root.is_dir():
        place.sweep()
        around = place.outer_vault()
        raise VaultError(
            f"{place.root} is not a vault, and there is no `init` to undo here",
            hint=f"the vault around it is {around}" if around else f"memstore init {place.root} makes it one",
        )
    settings = made.get(CONFIG_PATH)
    owner = tomllib.loads((settings.after or b"").decode()).get("owner") if settings else None
    if isinstance(owner, str) and not may_act(owner):
        raise RefusedError("only the vault's owner may undo its `init`", hint="ask the owner")


def _inferred_files(place: DiskPlace, view: View) -> dict[str, Written]:
    """Return what `init` writes, for a vault from elsewhere, where nothing records what it wrote."""
    texts = {CONFIG_PATH: config_text(view.config.owner, view.config.notes), IGNORE_PATH: IGNORE_TEXT}
    files = [Written(path, None, text.encode()) for path, text in texts.items()]
    files += [Written(ATTRIBUTES_PATH, None, b"")]
    files += [Written(place.exclude_path, b"", b"")] if place.has_repository else []
    return {file.path: file for file in files}


def _take_away(place: DiskPlace, plan: _Plan) -> None:
    """Carry out the plan. Each step skips what is already done, so an interrupted run can be repeated."""
    for name in plan.hooks:
        place.hooks.uninstall(name)
    if plan.git_key:
        place.unset(plan.git_key)
    for file in plan.files:
        place.change(file)
    for folder in plan.folders:
        place.remove_empty(folder)


# -- what to remove --------------------------------------------------------------------------------


class _Plan(NamedTuple):
    """What happens to the files; which hooks, git key and folders are removed; and what stays, and why."""

    files: tuple[Written, ...]
    folders: tuple[str, ...]
    hooks: tuple[str, ...]
    git_key: str | None
    kept: Mapping[str, str]
    tracked: tuple[str, ...]


def _plan(place: DiskPlace, made: Mapping[str, Written]) -> _Plan:
    """Return what to remove; the settings, which make the folder a vault, come last among the files."""
    shared = _shared(place)
    git_config = place.config_path if place.has_repository else ""
    files: list[Written] = []
    kept: dict[str, str] = {}
    if CONFIG_PATH not in made and place.read(CONFIG_PATH) is not None:
        kept[CONFIG_PATH] = "it was there before `init`, and the folder is still a vault"
    for path, written in sorted(made.items(), key=lambda item: item[0] == CONFIG_PATH):
        now = place.read(path) if not path.endswith("/") else None
        if now is None or path == git_config:
            continue
        if shared and path not in OF_VAULT:
            kept[path] = shared
        elif now == written.after:
            files.append(Written(path, now, written.before))
        elif path in (CONFIG_PATH, IGNORE_PATH):
            kept[path] = CHANGED
        elif (rest := _without_line(now)) != now:
            files.append(Written(path, now, rest if rest or written.before is not None else None))
    hooks = _hooks(place, kept, shared)
    if place.has_repository and place.configured(FUNCTION_KEY) == FUNCTION_PATTERN:
        git_key = None if shared else FUNCTION_KEY
        kept |= {FUNCTION_KEY: shared} if shared else {}
    else:
        git_key = None
    mine = [file.path for file in files if file.path in OF_VAULT]
    return _Plan(
        files=tuple(file for file in files if file.before != file.after),
        folders=(SETTINGS_FOLDER, *sorted((path for path in made if path.endswith("/")), key=len, reverse=True)),
        hooks=hooks,
        git_key=git_key,
        kept=kept,
        tracked=tuple(place.tracked(mine)) if place.has_repository else (),
    )


def _hooks(place: DiskPlace, kept: dict[str, str], shared: str) -> tuple[str, ...]:
    """Return which hooks to remove; those that stay and call memstore are added to `kept`."""
    if not place.has_repository:
        return ()
    hooks = place.hooks
    states = hooks.states()
    ours = tuple(name for name, state in states.items() if state is HookState.OURS)
    for name, state in states.items():
        if state is HookState.CALLING:
            kept[f"hook {name}"] = "it is another program's; remove the line with `memstore hooks run` from it"
    why = shared or ("it is outside the repository, and may serve others" if hooks.are_shared else "")
    going = tuple(name for name in ours if not (shared or (why and name != DRIVER)))
    kept |= {f"hook {name}": why for name in ours if name not in going}
    return going


def _shared(place: DiskPlace) -> str:
    """Return why the repository's parts stay: other vaults in it need them; empty if there are none."""
    others = place.other_vaults() if place.has_repository else ()
    return f"the repository has another vault, {others[0]}" if others else ""


def _without_line(data: bytes) -> bytes:
    """Return a text file without memstore's line; all other bytes stay the same."""
    lines = data.splitlines(keepends=True)
    return b"".join(line for line in lines if line.strip() not in _LINES)


def _obstacles(place: DiskPlace, view: View, plan: _Plan) -> Iterator[str]:
    """Yield what a person made since `init`, which prevents undoing it, as lines."""
    paths = view.column("path")
    files = [f"{SETTINGS_FOLDER}/{name}" for name in place.listed(SETTINGS_FOLDER)]
    yield from _named("memories", [paths[row] for row in view.whole.rows])
    broken = [paths[row] for row in view.broken]
    yield from _named("broken memories", [path for path in broken if _OWN_ID.search(place.read(path) or b"")])
    for kind in RegistryKind:
        yield from _named(
            f"files in {kind.value}/", [path for path, file in view.of(RIGHTS).registry(kind).items() if file]
        )
    events = [path for path in view.of(RIGHTS).audit_paths() if audit_events.read(path, place.read(path) or b"")]
    yield from _named("audit events", events)
    yield from _named("settings", [path for path in files if path != CONFIG_PATH])
    yield from _named("drafts", place.drafts())
    if plan.kept.get(CONFIG_PATH) == CHANGED:
        yield f"  {CONFIG_PATH} has been changed since `init` wrote it"


def _stop_at(obstacles: Sequence[str], place: DiskPlace) -> None:
    if obstacles:
        raise RefusedError(
            f"{place.root} holds more than `init` made; nothing was changed:\n" + "\n".join(obstacles),
            hint="remove that first; or keep the vault, and remove only its hooks: memstore hooks uninstall",
        )


def _named(what: str, paths: Sequence[str]) -> Iterator[str]:
    if paths:
        more = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
        yield f"  {what}: {', '.join(paths[:MOST_NAMED])}{more}"
