"""Make a folder a vault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.errors import RefusedError, UsageError, VaultError
from memstore.model.config import CONFIG_PATH, FORMAT_VERSION, VAULT_SETTINGS, Config
from memstore.ports.history import HookState

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memstore.model.config import Setting
    from memstore.ports.place import Place
    from memstore.ports.workspace import Workspace

# Line ends are the person's (-text); the driver's name makes a diff's hunks tell their key or heading.
ATTRIBUTES_PATH = ".gitattributes"
ATTRIBUTES_LINE = "*.md diff=memstore -text"
IGNORE_PATH = ".memstoreignore"
IGNORE_TEXT = """\
# Markdown files that are no memories, in the syntax of .gitignore:
# drafts/
# *.template.md
"""
# Enough to say that there is something to adopt; a folder may hold a whole disk.
MOST_COUNTED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised:
    """What `init` found and did.

    `changed` are the paths that it made or added to, relative to `root`; `hooks_refused` says why a hook could not be
    installed, and what to do; `notes` is how many Markdown files lie in the folder.
    """

    root: Path
    owner: str
    changed: tuple[str, ...]
    repository_made: bool
    hooks_installed: tuple[str, ...]
    hooks_refused: str | None
    notes: int

    @property
    def did_anything(self) -> bool:
        """Whether the folder was changed at all."""
        return bool(self.changed or self.repository_made or self.hooks_installed)


def init(place: Place, *, owner: str | None, default_owner: str, open_vault: Callable[[], Workspace]) -> Initialised:
    """Make a folder a vault; what is there already stays as it is, and a vault stays the vault that it was.

    Args:
        place: the folder.
        owner: whose memories they are to be; None leaves it to `default_owner`, or as it was.
        default_owner: the owner of a new vault where none was named.
        open_vault: opens the vault once its configuration is there.

    Raises:
        VaultError: the folder lies in another vault.
        UsageError: the vault has another owner than was asked for.
        GitError: git is missing.
    """
    outer = place.outer_vault()
    if outer is not None:
        raise VaultError(f"{place.root} lies in the vault {outer}", hint="a vault in a vault would be found by chance")
    # (1) the repository before (2) the configuration, which makes the folder a vault: without git there is none.
    repository_made = place.make_repository()
    changed = [CONFIG_PATH] if place.create(CONFIG_PATH, config_text(owner or default_owner)) else []
    ws = open_vault()
    if owner is not None and ws.config.owner != owner:
        raise UsageError(f"this is a vault of {ws.config.owner} already", hint=f"memstore config owner {owner}")
    changed += [IGNORE_PATH] if place.create(IGNORE_PATH, IGNORE_TEXT) else []
    installed, refused = _with_hooks(ws)
    changed += [ATTRIBUTES_PATH] if place.append_line(ATTRIBUTES_PATH, ATTRIBUTES_LINE) else []
    return Initialised(
        root=place.root,
        owner=ws.config.owner,
        changed=tuple(changed),
        repository_made=repository_made,
        hooks_installed=installed,
        hooks_refused=refused,
        notes=place.markdown_files(MOST_COUNTED),
    )


def config_text(owner: str) -> str:
    """Return a new vault's configuration: what is chosen, and as comments what can be."""
    lines = ["# This folder is a memstore vault. `memstore config` explains and changes these settings.", ""]
    chosen = {"format": str(FORMAT_VERSION), "owner": f'"{owner}"'}
    defaults = Config(owner=owner)
    for setting in VAULT_SETTINGS:
        if setting.name in chosen:
            lines += [f"# {setting.meaning}", f"{setting.name} = {chosen[setting.name]}", ""]
        elif not setting.fixed:
            lines += [f"# {setting.meaning}", f"# {setting.name} = {_toml(setting, defaults)}", ""]
    return "\n".join(lines[:-1]) + "\n"


def _toml(setting: Setting, config: Config) -> str:
    value = getattr(config, setting.name)
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'


def _with_hooks(ws: Workspace) -> tuple[tuple[str, ...], str | None]:
    """Install the hooks that are not there yet; another program's are left alone, and are no reason to fail."""
    hooks = ws.history.hooks
    installed: list[str] = []
    for name, state in hooks.states().items():
        if state is HookState.OURS:
            continue
        try:
            hooks.install(name)
        except RefusedError as error:
            return tuple(installed), f"{error}; {error.hint}"
        installed.append(name)
    return tuple(installed), None
