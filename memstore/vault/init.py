"""Make a folder a vault, with memstore's hooks in its repository."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from memstore.core.config import CONFIG_PATH, FORMAT_VERSION, VAULT_SETTINGS, Config
from memstore.core.errors import FormatError, GitError, RefusedError, UsageError, VaultError
from memstore.core.ids import is_group
from memstore.core.places import TEMPORARY_PREFIX, summary_of
from memstore.files.config_file import NOBODY, parsed_vault_config
from memstore.history import HISTORY, WORK_TREE
from memstore.history.history import HookState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from memstore.core.config import Setting
    from memstore.core.view import View
    from memstore.history.git_hooks import GitHooks
    from memstore.vault.surroundings import DiskPlace


# Line ends stay as written (-text), except in a folder that already had notes: git may have normalized theirs. The
# drivers' names make diff hunks show their key or heading, and have memories merged key by key.
ATTRIBUTES_PATH = ".gitattributes"
ATTRIBUTES_LINE = "*.md merge=memstore diff=memstore -text"
MIXED_ATTRIBUTES_LINE = "*.md merge=memstore diff=memstore"
# What `init` wrote before there was a merge driver.
FORMER_ATTRIBUTES = ("*.md diff=memstore -text", "*.md diff=memstore")
ATTRIBUTES_LINES = (ATTRIBUTES_LINE, MIXED_ATTRIBUTES_LINE, *FORMER_ATTRIBUTES)
# Files for git to ignore: temporary files during a write.
EXCLUDED = f"{TEMPORARY_PREFIX}*"
# The heading of a diff hunk: the key or the heading above it, as a git extended regular expression.
FUNCTION_KEY = "diff.memstore.xfuncname"
FUNCTION_PATTERN = "^(#{1,6}[ \\t].*|[a-z][a-z0-9_]*:.*)$"
IGNORE_PATH = ".memstoreignore"
# A word or a few: nothing that a shell would read as anything else, and no date.
_NAME_IN_WORDS = re.compile(r"[^\W\d_]{3,20}(?: [^\W\d_]{1,20}){0,3}")
# What a clone needs to be the same vault.
OF_VAULT = (CONFIG_PATH, IGNORE_PATH, ATTRIBUTES_PATH)
IGNORE_TEXT = """\
# Markdown files that are not memories, in the syntax of .gitignore:
# drafts/
# *.template.md
# Earlier versions that Logseq keeps:
**/logseq/bak/
"""

# Settings by which a vault's files are written and read.
_OF_FILES = frozenset({"filenames", "timezone", "quality_profile", "search.languages"})

UNKEPT_HINT = "memstore commit commits them; so does the next command with -c"


def unkept_text(own: Collection[str]) -> str:
    """Say which of the vault's own files no commit has."""
    return f"no commit has {', '.join(sorted(own))}: a clone or another branch lacks what makes it this vault"


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised:
    """What `init` found and did.

    `with_keys` is how many of the notes begin with frontmatter, `remotes` are the names of the repository's remotes,
    and `example` is the name of one of the notes, in words; all three are empty if it was already a vault. `changed`
    are the paths that it created or extended, relative to `root`; `hooks_refused` says why a hook could not be
    installed, and what to do; `notes` is the number of notes in the folder, None if it was already a vault, since not
    everybody may know their number. `mixed` says whether they stay plain notes until they are adopted. `commit` has the
    vault's own files, in a repository that was made here; `uncommitted` are those that no commit has yet.
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
    with_keys: int | None = None
    remotes: tuple[str, ...] = ()
    example: str = ""
    commit: str | None = None
    uncommitted: tuple[str, ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether the folder was not a vault before; a clone of a vault was."""
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
    """Make a folder a vault; existing files stay as they are, and an existing vault keeps its settings.

    In a repository that is made here, the vault's own files are committed; what is somebody's own never is.

    Args:
        place: the folder.
        owner: whose memories they will be; None means `default_owner`, or the current owner.
        default_owner: the owner of a new vault if none was named.
        open_vault: opens the vault once its configuration exists: as its owner, or as the first keeper of a group.
        notes: whether a new vault is "own" or "mixed" (`core.config.NOTES`); None means mixed if the folder has notes.

    Raises:
        VaultError: the folder is inside another vault, or among git's own files.
        UsageError: the existing vault has another owner, or is of another kind, than was asked for.
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
    if (of_git := place.git_folder) is not None:
        raise VaultError(
            f"{of_git} holds git's own files, such as a bare repository's, and no memories",
            hint=f"git clone {of_git} DIR, then memstore init DIR",
        )
    if (branch := place.branch_of_vault()) is not None:
        raise VaultError(
            f"{place.root} is a vault on the branch {branch}; this one has no {CONFIG_PATH}",
            hint=f"git checkout {branch} goes there, git checkout {branch} -- .memstore brings its settings here",
        )
    # (1) The repository comes before (2) the configuration, which makes the folder a vault: a vault needs git.
    repository_made = place.make_repository()
    found = place.notes()
    is_new = place.create(CONFIG_PATH, config_text(owner or default_owner, notes or ("mixed" if found else "own")))
    view = open_vault()
    if owner is not None and view.config.owner != owner:
        begin = f"memstore init DIR --owner {owner} --from {shlex.quote(str(place.root))} --dry-run"
        raise UsageError(
            f"this is already a vault; its owner is {view.config.owner}",
            hint=f"{begin} shows what a vault of {owner} would have of it; whoever clones this one gets its history"
            if is_group(owner) and not is_group(view.config.owner)
            else f"memstore config owner {owner}",
        )
    if notes is not None and view.config.notes != notes:
        raise UsageError(
            f"this is already a vault with notes = {view.config.notes}", hint=f"memstore config notes {notes}"
        )
    changed = [CONFIG_PATH] if is_new else []
    changed += [IGNORE_PATH] if place.create(IGNORE_PATH, IGNORE_TEXT) else []
    # Before the merge driver, which is part of git's configuration, too: the earlier content is remembered.
    git_configured = place.configure(FUNCTION_KEY, FUNCTION_PATTERN)
    missing = place.missing(place.hooks.folder)
    installed, refused = _with_hooks(view.of(HISTORY).hooks)
    place.remember_folders([folder for folder in missing if folder.exists()])
    attributes = MIXED_ATTRIBUTES_LINE if view.config.mixed else ATTRIBUTES_LINE
    git_configured |= place.append_line(place.exclude_path, EXCLUDED)
    changed += [ATTRIBUTES_PATH] if place.append_line(ATTRIBUTES_PATH, attributes) else []
    own = {path: data for path in OF_VAULT if (data := place.read(path)) is not None} if repository_made else {}
    if own.get(ATTRIBUTES_PATH, b"").decode(errors="replace").strip() not in ATTRIBUTES_LINES:
        own.pop(ATTRIBUTES_PATH, None)  # it has lines of one's own
    commit = _first_commit(view, own) if own else None
    if is_group(view.config.owner):
        from memstore.access.entities import found_charter

        found_charter(view, email=_address(view), commit=commit is not None)
    return Initialised(
        root=place.root,
        owner=view.config.owner,
        changed=tuple(changed),
        repository_made=repository_made,
        git_configured=git_configured,
        hooks_installed=installed,
        hooks_refused=refused,
        notes=len(found) if is_new else None,
        mixed=view.config.mixed,
        with_keys=sum(map(place.has_keys, found)) if is_new else None,
        remotes=tuple(view.of(HISTORY).push_urls()) if is_new and not repository_made else (),
        example=_words_of_a_name(found) if is_new else "",
        commit=commit,
        uncommitted=tuple(sorted(view.again().of(WORK_TREE).unkept())) if changed and not commit else (),
    )


def _words_of_a_name(paths: Sequence[str]) -> str:
    """Return the name of a note that reads like words, without its ending; empty if no name does."""
    names = (PurePosixPath(path).stem for path in paths)
    return next((name for name in names if _NAME_IN_WORDS.fullmatch(name) and name.upper() != "README"), "")


def _first_commit(view: View, own: Mapping[str, bytes]) -> str | None:
    """Commit the vault's own files in a new repository; None if git does not know who commits."""
    try:
        view.of(HISTORY).identity()
    except GitError:
        return None
    with view.locked():
        return view.of(HISTORY).commit(own, f"vault: {summary_of(own)}", at=view.clock.now())


def _address(view: View) -> str | None:
    """Return the address with which git commits here; None if it does not know."""
    try:
        return view.of(HISTORY).identity().rpartition("<")[2].rstrip(">") or None
    except GitError:
        return None


def config_text(owner: str, notes: str = "own", *, like: Config | None = None) -> str:
    """Return a new vault's configuration: the chosen settings, and the others as comments.

    Files are read as those of another vault are that it is `like`.
    """
    lines = ["# This folder is a memstore vault. `memstore config` explains and changes these settings.", ""]
    chosen = {"format": str(FORMAT_VERSION), "owner": f'"{owner}"', "notes": f'"{notes}"'}
    defaults = Config(owner=owner)
    alike = [one for one in VAULT_SETTINGS if one.name in _OF_FILES] if like else []
    chosen |= {one.name: said for one in alike if (said := _toml(one, like or defaults)) != _toml(one, defaults)}
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
    return str(value).lower() if isinstance(value, bool | int | float) else f'"{value}"'


def _with_hooks(hooks: GitHooks) -> tuple[tuple[str, ...], str | None]:
    """Install missing hooks; another program's hooks are left alone, and are not an error."""
    before = hooks.states()
    if all(state in (HookState.OURS, HookState.CALLING) for state in before.values()):
        return (), None
    refused = None
    try:
        _install(hooks, before)
    except RefusedError as error:
        refused = f"{error}; {error.hint}"
    after = hooks.states()
    new = (name for name, state in after.items() if state is HookState.OURS is not before[name])
    return tuple(new), refused


# -- hooks in the repository -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HooksReport:
    """The hooks' folder, and the state of each hook by name."""

    folder: Path
    states: Mapping[str, HookState]


def install(view: View) -> HooksReport:
    """Install or update memstore's hooks.

    Raises:
        RefusedError: another program's hook is in place; the remaining hooks are installed all the same.
        GitError: there is no repository.
    """
    hooks = view.of(HISTORY).hooks
    _install(hooks, hooks.states())
    return _reported(hooks)


def _install(hooks: GitHooks, before: Mapping[str, HookState]) -> None:
    # Our own first, so that a foreign hook does not prevent the others.
    for name, _ in sorted(before.items(), key=lambda item: item[1] is HookState.FOREIGN):
        hooks.install(name)


def install_on_server(hooks: GitHooks, view: View | None, *, remote: str) -> HooksReport:
    """Install the hook that checks what others push to a repository.

    Args:
        hooks: those of the repository that is pushed to.
        view: the vault whose settings count; None: those of the repository's own current commit.
        remote: the name under which the settings say who reads that repository.

    Raises:
        RefusedError: somebody other than the vault's owner asks, or another program's hook is in place.
        GitError: there is no repository.
    """
    from memstore.access.audit import stop_unless_owner

    if view is not None:
        stop_unless_owner(view, "let its settings count for pushes")
    place = hooks.install_on_server(remote, view.root if view else None)
    return HooksReport(place.parent, {place.name: HookState.OURS})


def takes_nothing(hooks: GitHooks, remote: str) -> bool:
    """Return whether no settings in a repository say who reads it, so that a hook there would refuse every push."""
    for data in hooks.settings_there():
        try:
            config = parsed_vault_config(data, Path(CONFIG_PATH), default_owner=NOBODY)
        except FormatError:
            continue
        if config.declared(remote, remote):
            return False
    return not hooks.is_read_as_stack(remote)


def uninstall(view: View) -> HooksReport:
    """Remove memstore's hooks; other programs' hooks stay.

    Raises:
        RefusedError: somebody other than the vault's owner acts: the hooks check everybody's commits.
    """
    from memstore.access.audit import stop_unless_owner

    stop_unless_owner(view, "remove its hooks")
    hooks = view.of(HISTORY).hooks
    for name in hooks.states():
        hooks.uninstall(name)
    return _reported(hooks)


def states(view: View) -> HooksReport:
    """Return which hooks are in place, and whose they are."""
    return _reported(view.of(HISTORY).hooks)


def _reported(hooks: GitHooks) -> HooksReport:
    return HooksReport(hooks.folder, hooks.states())
