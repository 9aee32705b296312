"""Make a folder a vault, with memstore's hooks in the repository around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.core.config import CONFIG_PATH, FORMAT_VERSION, VAULT_SETTINGS, Config
from memstore.core.errors import RefusedError, UsageError, VaultError
from memstore.core.places import TEMPORARY_PREFIX
from memstore.history.history import HookState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from memstore.core.config import Setting
    from memstore.core.view import View
    from memstore.vault.surroundings import DiskPlace


# Line ends are the person's (-text), but where notes were there before: git may have put theirs in order. The drivers'
# names make a diff's hunks tell their key or heading, and have memories merged key by key.
ATTRIBUTES_PATH = ".gitattributes"
ATTRIBUTES_LINE = "*.md merge=memstore diff=memstore -text"
MIXED_ATTRIBUTES_LINE = "*.md merge=memstore diff=memstore"
# What `init` wrote before there was a merge driver.
FORMER_ATTRIBUTES = ("*.md diff=memstore -text", "*.md diff=memstore")
# What git is to take no notice of: files that are being written.
EXCLUDED = f"{TEMPORARY_PREFIX}*"
# What a hunk of a diff is headed with: the key or the heading above it, in git's extended regular expressions.
FUNCTION_KEY = "diff.memstore.xfuncname"
FUNCTION_PATTERN = "^(#{1,6}[ \\t].*|[a-z][a-z0-9_]*:.*)$"
IGNORE_PATH = ".memstoreignore"
IGNORE_TEXT = """\
# Markdown files that are not memories, in the syntax of .gitignore:
# drafts/
# *.template.md
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised:
    """What `init` found and did.

    `changed` are the paths that it made or added to, relative to `root`; `hooks_refused` says why a hook could not be
    installed, and what to do; `notes` is how many notes lie in the folder, None where it was a vault already: their
    number is not everybody's. `mixed` is whether they stay plain notes, until they are adopted.
    """

    root: Path
    owner: str
    changed: tuple[str, ...]
    repository_made: bool
    git_configured: bool
    hooks_installed: tuple[str, ...]
    hooks_refused: str | None
    notes: int | None
    mixed: bool

    @property
    def is_new(self) -> bool:
        """Whether the folder was no vault before; a clone of one was."""
        return CONFIG_PATH in self.changed

    @property
    def did_anything(self) -> bool:
        """Whether the folder was changed at all."""
        return bool(self.changed or self.repository_made or self.git_configured or self.hooks_installed)


def init(
    place: DiskPlace,
    *,
    owner: str | None,
    default_owner: str,
    open_vault: Callable[[], View],
    notes: str | None = None,
) -> Initialised:
    """Make a folder a vault; what is there already stays as it is, and a vault stays the vault that it was.

    Args:
        place: the folder.
        owner: whose memories they are to be; None leaves it to `default_owner`, or as it was.
        default_owner: the owner of a new vault where none was named.
        open_vault: opens the vault once its configuration is there.
        notes: whether a new vault is "own" or "mixed" (`core.config.NOTES`); None: mixed where notes lie there.

    Raises:
        VaultError: the folder lies in another vault.
        UsageError: the vault has another owner, or is of another kind, than was asked for.
        GitError: git is missing.
    """
    outer = place.outer_vault()
    if outer is not None:
        raise VaultError(
            f"{place.root} is inside the vault {outer}",
            hint="choose a folder outside it: a vault must not be inside another",
        )
    if place.root.is_file():
        raise UsageError(f"{place.root} is a file", hint="name a folder, existing or new")
    # (1) the repository before (2) the configuration, which makes the folder a vault: without git there is none.
    repository_made = place.make_repository()
    found = place.notes()
    is_new = place.create(CONFIG_PATH, config_text(owner or default_owner, notes or ("mixed" if found else "own")))
    view = open_vault()
    if owner is not None and view.config.owner != owner:
        raise UsageError(f"this is already a vault of {view.config.owner}", hint=f"memstore config owner {owner}")
    if notes is not None and view.config.notes != notes:
        raise UsageError(
            f"this is already a vault with notes = {view.config.notes}", hint=f"memstore config notes {notes}"
        )
    changed = [CONFIG_PATH] if is_new else []
    changed += [IGNORE_PATH] if place.create(IGNORE_PATH, IGNORE_TEXT) else []
    # Before the merge driver, which is a part of git's configuration too: what was there is remembered.
    git_configured = place.configure(FUNCTION_KEY, FUNCTION_PATTERN)
    missing = place.missing(place.hooks.folder())
    installed, refused = _with_hooks(view)
    place.remember_folders([folder for folder in missing if folder.exists()])
    attributes = MIXED_ATTRIBUTES_LINE if view.config.mixed else ATTRIBUTES_LINE
    git_configured |= place.append_line(place.exclude_path, EXCLUDED)
    changed += [ATTRIBUTES_PATH] if place.append_line(ATTRIBUTES_PATH, attributes) else []
    return Initialised(
        root=place.root,
        owner=view.config.owner,
        changed=tuple(changed),
        repository_made=repository_made,
        git_configured=git_configured,
        hooks_installed=installed,
        hooks_refused=refused,
        notes=found if is_new else None,
        mixed=view.config.mixed,
    )


def config_text(owner: str, notes: str = "own") -> str:
    """Return a new vault's configuration: what is chosen, and as comments what can be."""
    lines = ["# This folder is a memstore vault. `memstore config` explains and changes these settings.", ""]
    chosen = {"format": str(FORMAT_VERSION), "owner": f'"{owner}"', "notes": f'"{notes}"'}
    defaults = Config(owner=owner)
    for setting in VAULT_SETTINGS:
        if setting.name in chosen:
            lines += [f"# {setting.meaning}", f"{setting.name} = {chosen[setting.name]}", ""]
        elif not setting.fixed:
            lines += [f"# {setting.meaning}", f"# {setting.name} = {_toml(setting, defaults)}", ""]
    return "\n".join(lines[:-1]) + "\n"


def _toml(setting: Setting, config: Config) -> str:
    value = getattr(config, setting.field)
    if isinstance(value, tuple):
        return str(list(value))
    return str(value).lower() if isinstance(value, bool | int) else f'"{value}"'


def _with_hooks(view: View) -> tuple[tuple[str, ...], str | None]:
    """Install the hooks that are not there yet; another program's are left alone, and are no reason to fail."""
    before = view.history.hooks.states()
    if all(state is HookState.OURS for state in before.values()):
        return (), None
    refused = None
    try:
        install(view)
    except RefusedError as error:
        refused = f"{error}; {error.hint}"
    after = view.history.hooks.states()
    new = (name for name, state in after.items() if state is HookState.OURS is not before[name])
    return tuple(new), refused


# -- hooks in the repository -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HooksReport:
    """Where the hooks lie, and the state of each by name."""

    folder: Path
    states: Mapping[str, HookState]


def install(view: View) -> HooksReport:
    """Put memstore's hooks in place, or bring them up to date.

    Raises:
        RefusedError: another program's hook is there; those without one are in place all the same.
        GitError: there is no repository.
    """
    hooks = view.history.hooks
    # Ours first, so that a foreign hook keeps none of the others out.
    for name, _ in sorted(hooks.states().items(), key=lambda item: item[1] is HookState.FOREIGN):
        hooks.install(name)
    return states(view)


def uninstall(view: View) -> HooksReport:
    """Take memstore's hooks away; other programs' stay.

    Raises:
        RefusedError: somebody else than the vault's owner acts: the hooks check what everybody commits.
    """
    from memstore.access.audit import stop_unless_owner

    stop_unless_owner(view, "remove its hooks")
    for name in view.history.hooks.states():
        view.history.hooks.uninstall(name)
    return states(view)


def states(view: View) -> HooksReport:
    """Return whose hooks are in place."""
    return HooksReport(view.history.hooks.folder(), view.history.hooks.states())
