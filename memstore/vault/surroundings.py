"""What a vault relies on: Python, git, the user's settings and cache, files that killed programs left behind.

A folder that is about to become a vault is examined here, too.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from memstore.core.change import Operation, Written
from memstore.core.config import CONFIG_PATH, USER_SETTINGS, SettingKind
from memstore.core.errors import ChangedMeanwhileError, GitError
from memstore.core.places import SETTINGS_FOLDER, TEMPORARY_PREFIX
from memstore.files.config_file import read_user_config
from memstore.files.disk_journal import DiskJournal
from memstore.files.disk_vault import LEFT_BEHIND_AFTER_SECONDS
from memstore.files.fence import BOM
from memstore.files.local_state import (
    DRAFTS,
    PRIVATE,
    cache_folder,
    find_repository,
    is_private,
    regular_bytes,
    state_folder,
    write_whole,
)
from memstore.files.walk import KnownTree, ignore_rules, walk
from memstore.history.git_hooks import GitHooks
from memstore.history.git_process import GitProcess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.files.local_state import Environment


# What `init` writes into a repository's own settings (`vault.init.FUNCTION_KEY`).
_SECTION = b'[diff "memstore"]'
_BRANCHES = ("refs/heads", "refs/remotes")
# The part of a vault's local state that records what `init` wrote.
_MADE = "init"


# -- this machine ----------------------------------------------------------------------------------


_ATTRIBUTES = ".gitattributes"
_OF_REPOSITORIES = frozenset(
    {"README", "CHANGELOG", "LICENSE", "LICENCE", "CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY"}
)
# What `write_whole` writes before it renames it.
_TEMPORARY = re.compile(r"\..+\.\d+-\d+\.tmp")
_PROGRAM = "memstore.cli.main:run"  # the entry point of the command, by which this project's distribution is recognized


class Machine:
    """This machine.

    Args:
        env: the process's environment.
        root: the vault's folder, or None if there is none.
    """

    def __init__(self, env: Environment, root: Path | None) -> None:
        self._env = env
        self._root = root

    @property
    def python(self) -> tuple[int, int, int]:
        """The version of the running Python."""
        return sys.version_info[:3]

    def other_memstore(self) -> str | None:
        """Return the version of an installed distribution `memstore` that is not this project; None if none is."""
        from importlib.metadata import distributions

        named = (one for one in distributions(name="memstore") if all(e.value != _PROGRAM for e in one.entry_points))
        return next((one.version for one in named), None)

    def git(self) -> tuple[int, ...] | None:
        """Return git's version; None if git is missing."""
        try:
            said = GitProcess(self._env.home, self._env.variables).run("version").decode(errors="replace")
        except (GitError, OSError):
            return None
        found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", said)
        return tuple(int(part) for part in found.groups("0")) if found else None

    def settings(self) -> Path | None:
        """Return the file of the user's own settings; None if there is none.

        Raises:
            VaultError: it can't be used.
        """
        read_user_config(self._env.config_file)
        return self._env.config_file if self._env.config_file.exists() else None

    def settings_astray(self) -> Mapping[str, str]:
        """Return the user's own settings that name a missing file or folder; the settings must be readable."""
        chosen = read_user_config(self._env.config_file)._asdict()
        places = [setting for setting in USER_SETTINGS if setting.kind in (SettingKind.FOLDER, SettingKind.FILE)]
        named = {setting.name: chosen[setting.field] for setting in places if chosen[setting.field]}
        named |= {f"signing_keys.{entity}": place for entity, place in chosen["signing_keys"].items()}
        return {name: place for name, place in named.items() if not self._env.expanded(place).exists()}

    @property
    def cache(self) -> Path | None:
        """The folder for data derived from the vault, which may not exist yet; None without a vault."""
        return cache_folder(self._root, cache_home=self._env.cache_home) if self._root else None

    def cache_is_private(self) -> bool:
        """Whether only this user can write into the cache; true if there is none yet."""
        return self.cache is None or not self.cache.exists() or is_private(self.cache)

    def make_cache_private(self) -> bool:
        """Remove other users' permissions; return False if we are not allowed to."""
        if self.cache is not None:
            with suppress(OSError):
                self.cache.chmod(PRIVATE)
        return self.cache_is_private()

    def left_behind(self) -> Sequence[str]:
        """Return the temporary files of writers that died long ago, relative to the vault."""
        if self._root is None:
            return []
        oldest = time.time() - LEFT_BEHIND_AFTER_SECONDS
        found = []
        for folder, folders, names in os.walk(self._root):
            folders[:] = [name for name in folders if name != ".git"]
            paths = [os.path.join(folder, name) for name in names if name.startswith(TEMPORARY_PREFIX)]  # noqa: PTH118
            found += [os.path.relpath(path, self._root) for path in paths if _changed_before(path, oldest)]
        settings = self._env.config_file.parent
        places = (settings, settings / "sealing-keys", state_folder(self._root, state_home=self._env.state_home))
        cut_off = (path for place in places for path in place.glob(".*.tmp") if _TEMPORARY.fullmatch(path.name))
        found += [str(path) for path in cut_off if _changed_before(str(path), oldest)]
        return sorted(found)

    def drafts(self) -> Mapping[str, bytes]:
        """Return the texts that editors left, by the paths of their files."""
        if self._root is None:
            return {}
        folder = state_folder(self._root, state_home=self._env.state_home) / DRAFTS
        return {str(path): regular_bytes(path) for path in sorted(folder.glob("*.md"))}

    def remove(self, path: str) -> None:
        """Delete a file that was left behind."""
        if self._root is not None:
            (self._root / path).unlink(missing_ok=True)

    def attributes(self) -> str:
        """Return the text of the vault's `.gitattributes`; empty if there is none."""
        if self._root is None:
            return ""
        try:
            return (self._root / _ATTRIBUTES).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def add_attribute(self, line: str, *, instead_of: Sequence[str] = ()) -> None:
        """Add a line to the vault's `.gitattributes`, replacing a former version of it if there is one."""
        if self._root is None:
            return
        file = self._root / _ATTRIBUTES
        before = file.read_bytes() if file.exists() else b""
        former = {os.fsencode(one) for one in instead_of}
        lines = before.splitlines(keepends=True)
        at = next((i for i, one in enumerate(lines) if one.strip() in former), None)
        if at is None:
            DiskPlace(self._root, self._env).append_line(_ATTRIBUTES, line)
        else:
            lines[at] = lines[at].replace(lines[at].strip(), os.fsencode(line))
            write_whole(file, b"".join(lines))


def _changed_before(path: str, at: float) -> bool:
    try:
        return os.lstat(path).st_mtime < at
    except OSError:
        return False


def branch_of_vault(env: Environment, folder: Path) -> str | None:
    """Return the branch, of late the first, on which a folder is a vault; None if it is one now, or on none.

    Only a repository in which `init` set something up is asked. A vault that a sparse checkout leaves out is one now.
    """
    found = None if (folder / SETTINGS_FOLDER).is_dir() or not folder.is_dir() else find_repository(folder)
    if found is None or _SECTION not in regular_bytes(found.common_dir / "config"):
        return None
    git = GitProcess(folder, env.variables)
    if git.attempt("ls-files", "-t", "--", CONFIG_PATH).stdout.startswith(b"S "):
        return None
    listed = git.attempt("for-each-ref", "--sort=-committerdate", "--format=%(refname:short)", *_BRANCHES).stdout
    branches = listed.split(b"\n")[:-1]
    asked = b"".join(branch + b":./" + os.fsencode(CONFIG_PATH) + b"\n" for branch in branches)
    there = git.attempt("cat-file", "--batch-check=%(objecttype)", data=asked).stdout.split(b"\n")
    return next((os.fsdecode(branch) for branch, kind in zip(branches, there, strict=False) if kind == b"blob"), None)


# -- a folder that becomes a vault, or stops being one ---------------------------------------------


class DiskPlace:
    """The folder of a vault, before `init` makes it one and when `init --undo` reverts that.

    Every write here is recorded on disk, so that it can be reverted exactly.

    Args:
        root: the folder; created when the first file is written.
        env: the process's environment.
    """

    def __init__(self, root: Path, env: Environment) -> None:
        self._root = root
        self._env = env
        self._git = GitProcess(root, env.variables)

    @property
    def root(self) -> Path:
        """The folder; it may not exist yet."""
        return self._root

    @property
    def has_repository(self) -> bool:
        """Whether the folder is in a git repository."""
        return find_repository(self._root) is not None

    @property
    def git_folder(self) -> Path | None:
        """The folder of git's own files that the folder is or is in: a bare repository, or a `.git`."""
        for folder in (self._root, *self._root.parents):
            if (folder / ".git").exists():
                return None
            if (folder / "HEAD").is_file() and all((folder / name).is_dir() for name in ("objects", "refs")):
                return folder
        return None

    @property
    def hooks(self) -> GitHooks:
        """The hooks of the repository around the folder."""
        return GitHooks(self._git)

    def create(self, path: str, text: str) -> bool:
        """Write a new file; return False if it exists, in which case it stays as it is."""
        file = self._root / path
        if os.path.lexists(file):
            return False
        self.remember_folders(self.missing(file.parent))
        file.parent.mkdir(parents=True, exist_ok=True)
        self._remember(Written(path, None, text.encode()))
        try:
            with file.open("x", encoding="utf-8", newline="\n") as out:
                out.write(text)
        except FileExistsError:
            return False
        return True

    def append_line(self, path: str, line: str) -> bool:
        """Add a line to a text file, which is created if missing; return False if it has the line already."""
        before = self.read(path)
        if before is None:
            return self.create(path, line + "\n")
        if os.fsencode(line) in (existing.strip() for existing in before.split(b"\n")):
            return False
        added = (b"" if before.endswith(b"\n") or not before else b"\n") + os.fsencode(line) + b"\n"
        self._remember(Written(path, before, before + added))
        with (self._root / path).open("ab") as out:
            out.write(added)
        return True

    def outer_vault(self) -> Path | None:
        """Return the vault that the folder is inside of, or None."""
        return next((folder for folder in self._root.resolve().parents if (folder / SETTINGS_FOLDER).is_dir()), None)

    def branch_of_vault(self) -> str | None:
        """Return the branch on which the folder is a vault, if it is none on the one that is checked out."""
        return branch_of_vault(self._env, self._root)

    def make_repository(self) -> bool:
        """Create a git repository unless the folder is in one; return False if there is one already."""
        if self.has_repository:
            return False
        self._root.mkdir(parents=True, exist_ok=True)
        self._git.run("init", "--quiet")
        return True

    def configure(self, key: str, value: str) -> bool:
        """Set a key of the repository's own configuration; return False if it is already set, to whatever value."""
        if self.configured(key) is not None:
            return False
        path = self.config_path
        before = self.read(path)
        self._git.run("config", "--local", key, value)
        if (after := self.read(path)) is not None:
            self._remember(Written(path, before, after))
        return True

    def configured(self, key: str) -> str | None:
        """Return the value of a key of the repository's own configuration; None if it is not set."""
        done = self._git.attempt("config", "--local", "--get", key)
        return os.fsdecode(done.stdout).removesuffix("\n") if done.returncode == 0 else None

    def unset(self, key: str) -> None:
        """Remove a key from the repository's own configuration, restoring the file exactly if nothing else changed."""
        made, now = self.made().get(self.config_path), self.read(self.config_path)
        if made and made.before is not None and now == made.after:
            self.change(Written(self.config_path, now, made.before))
            return
        self._git.run("config", "--local", "--unset", key)
        section = key.rpartition(".")[0]
        if self._git.attempt("config", "--local", "--get-regexp", f"^{re.escape(section)}[.]").returncode != 0:
            self._git.attempt("config", "--local", "--remove-section", section)  # otherwise its heading stays

    @property
    def config_path(self) -> str:
        """The path of the repository's own configuration, from the folder."""
        return self._git_path("config")

    @property
    def exclude_path(self) -> str:
        """The path of this clone's own list of files that git ignores, from the folder."""
        return self._git_path("info/exclude")

    def _git_path(self, name: str) -> str:
        said = os.fsdecode(self._git.run("rev-parse", "--git-path", name)).removesuffix("\n")
        return os.path.relpath(self._root / said, self._root)

    def notes(self) -> Sequence[str]:
        """Return the paths of the folder's notes; none if it has only the Markdown files that every repository has."""
        found = [stat.path for stat in walk(self._root, KnownTree(), ignore_rules(self._root, mixed=True)).new]
        has_notes = any(PurePosixPath(path).stem.upper() not in _OF_REPOSITORIES for path in found)
        return found if has_notes else ()

    def has_keys(self, path: str) -> bool:
        """Whether a note begins as one with frontmatter does."""
        try:
            with (self._root / path).open("rb") as file:
                return file.read(len(BOM) + 3).removeprefix(BOM)[:3] in (b"---", b"+++")
        except OSError:
            return False

    # -- what was made here, and reverting it ------------------------------------------------------

    def missing(self, folder: Path) -> Sequence[Path]:
        """Return which of a folder and its parents do not exist yet, without the vault's own folder."""
        around = (folder, *folder.parents)
        return [one for one in around if not (one.exists() or self._root.is_relative_to(one))]

    def remember_folders(self, folders: Sequence[Path]) -> None:
        """Record folders that were created here, or are about to be."""
        for folder in folders:
            self._remember(Written(f"{os.path.relpath(folder, self._root)}/", None, None))

    def made(self) -> Mapping[str, Written]:
        """Return what was last written here into each file, by path from the folder; folders end with a slash."""
        last = self._record().last()
        return {file.path: file for file in last.files} if last else {}

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes; None if it does not exist."""
        try:
            return (self._root / path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def listed(self, folder: str) -> Sequence[str]:
        """Return the names in a folder, sorted; empty if there is no such folder."""
        try:
            return sorted(path.name for path in (self._root / folder).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []

    def drafts(self) -> Sequence[str]:
        """Return the paths of texts that were begun in an editor and are not memories yet."""
        return sorted(map(str, (self._state / DRAFTS).glob("*")))

    def change(self, file: Written) -> None:
        """Change a file in one step; raise `ChangedMeanwhileError` if it no longer is as expected."""
        place = self._root / file.path
        if self.read(file.path) != file.before:
            raise ChangedMeanwhileError(f"somebody else saved {file.path} in the meantime", hint="run it again")
        if file.after is None:
            place.unlink()
        else:
            write_whole(place.resolve(), file.after)

    def remove_empty(self, folder: str | Path) -> None:
        """Remove a folder if it is empty."""
        with suppress(OSError):
            (self._root / folder).rmdir()

    def other_vaults(self) -> Sequence[str]:
        """Return the folders of other vaults in the repository, from its top, including this one in other worktrees."""
        top = Path(os.fsdecode(self._git.run("rev-parse", "--show-toplevel")).removesuffix("\n"))
        files = GitProcess(top, self._env.variables).run("ls-files", "-z", "--cached", "--others").split(b"\0")
        ending = os.fsencode(f"/{CONFIG_PATH}")
        paths = (os.fsdecode((b"/" + file).removesuffix(ending)) for file in files if (b"/" + file).endswith(ending))
        folders = [top / path.lstrip("/") for path in paths]
        listed = os.fsdecode(self._git.run("worktree", "list", "--porcelain")).split("\n")
        trees = (Path(line.removeprefix("worktree ")) for line in listed if line.startswith("worktree "))
        folders += [tree / os.path.relpath(self._root.resolve(), top) for tree in trees]
        return sorted(
            os.path.relpath(folder, top)
            for folder in folders
            if (folder / CONFIG_PATH).exists() and folder.resolve() != self._root.resolve()
        )

    def tracked(self, paths: Sequence[str]) -> Sequence[str]:
        """Return which of some files are in git's index."""
        said = self._git.run("ls-files", "-z", "--cached", "--", *paths) if paths else b""
        return [os.fsdecode(path) for path in said.split(b"\0") if path]

    def is_remembered(self) -> bool:
        """Whether this machine keeps anything of the vault: an index, or local state."""
        return self._cache.exists() or self._state.exists()

    def forget(self) -> bool:
        """Delete what this machine keeps of the vault, the record of `init` last; return whether there was anything."""
        there, state = self.is_remembered(), self._state
        _delete(self._cache)
        for path in sorted(state.glob("*")):
            if path.name != _MADE:
                _delete(path)
        _delete(state / _MADE)
        self.sweep()
        return there

    def sweep(self) -> None:
        """Remove empty folders of local state, as an interrupted deletion leaves them."""
        for folder in (self._state / _MADE, self._state, self._state.parent):
            self.remove_empty(folder)

    @property
    def _cache(self) -> Path:
        return cache_folder(self._root, cache_home=self._env.cache_home)

    @property
    def _state(self) -> Path:
        return state_folder(self._root, state_home=self._env.state_home)

    def _record(self) -> DiskJournal:
        return DiskJournal(self._state / _MADE)

    def _remember(self, file: Written) -> None:
        """Record what is about to be written; it replaces an earlier record for the same file."""
        self._record().record(Operation("init", "", tuple((dict(self.made()) | {file.path: file}).values())))


def _delete(path: Path) -> None:
    """Delete a file, or a folder with its contents; a link is deleted, but not its target."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
