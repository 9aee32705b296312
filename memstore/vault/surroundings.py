"""What a vault stands on: Python, git, the user's settings and cache, files that killed programs left behind.

A folder that is to become a vault is looked at here, too.
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
from memstore.files.local_state import (
    DRAFTS,
    PRIVATE,
    cache_folder,
    find_repository,
    is_private,
    state_folder,
    write_whole,
)
from memstore.files.walk import KnownTree, ignore_rules, walk
from memstore.history.git_hooks import GitHooks
from memstore.history.git_process import GitProcess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.files.local_state import Environment


# Where, in a vault's local state, what was written around it is remembered.
_MADE = "init"


# -- this machine ----------------------------------------------------------------------------------


_ATTRIBUTES = ".gitattributes"
_OF_REPOSITORIES = frozenset(
    {"README", "CHANGELOG", "LICENSE", "LICENCE", "CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY"}
)
_PROGRAM = "memstore.cli.main:run"  # what the command starts, by which a distribution is known as this one


class Machine:
    """This machine.

    Args:
        env: the process's surroundings.
        root: the vault's folder, or None where there is none.
    """

    def __init__(self, env: Environment, root: Path | None) -> None:
        self._env = env
        self._root = root

    @property
    def python(self) -> tuple[int, int, int]:
        """The version of Python that runs."""
        return sys.version_info[:3]

    def other_memstore(self) -> str | None:
        """Return the version of an installed distribution that is called `memstore` and is not this one; else None."""
        from importlib.metadata import distributions

        named = (one for one in distributions(name="memstore") if all(e.value != _PROGRAM for e in one.entry_points))
        return next((one.version for one in named), None)

    def git(self) -> tuple[int, ...] | None:
        """Return git's version; None where git is missing."""
        try:
            said = GitProcess(self._env.home, self._env.variables).run("version").decode(errors="replace")
        except (GitError, OSError):
            return None
        found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", said)
        return tuple(int(part) for part in found.groups("0")) if found else None

    def settings(self) -> Path | None:
        """Return the file of the user's own settings; None where there is none.

        Raises:
            VaultError: it can't be used.
        """
        read_user_config(self._env.config_file)
        return self._env.config_file if self._env.config_file.exists() else None

    def settings_astray(self) -> Mapping[str, str]:
        """Return the user's own settings, which can be used, that name a file or folder which is not there."""
        chosen = read_user_config(self._env.config_file)._asdict()
        places = [setting.name for setting in USER_SETTINGS if setting.kind in (SettingKind.FOLDER, SettingKind.FILE)]
        named = {name: chosen[name] for name in places if chosen[name]}
        return {name: place for name, place in named.items() if not self._env.expanded(place).exists()}

    @property
    def cache(self) -> Path | None:
        """The folder of what is derived from the vault; None without a vault. It need not be there."""
        return cache_folder(self._root, cache_home=self._env.cache_home) if self._root else None

    def cache_is_private(self) -> bool:
        """Whether nobody but this user can write into the cache; true where there is none yet."""
        return self.cache is None or not self.cache.exists() or is_private(self.cache)

    def make_cache_private(self) -> bool:
        """Take the others' permissions away; False where that is not ours to do."""
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
        return sorted(found)

    def remove(self, path: str) -> None:
        """Delete one of the files that were left behind."""
        if self._root is not None:
            (self._root / path).unlink(missing_ok=True)

    def attributes(self) -> str:
        """Return the text of the vault's `.gitattributes`; empty where there is none."""
        if self._root is None:
            return ""
        try:
            return (self._root / _ATTRIBUTES).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def add_attribute(self, line: str, *, instead_of: Sequence[str] = ()) -> None:
        """Add a line to the vault's `.gitattributes`, in the place of a former one that stands there."""
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


# -- a folder that is to become a vault, or to be none any more ------------------------------------


class DiskPlace:
    """A folder around a vault: before there is one in it, and when it is to be none any more.

    What is written here is remembered beyond the end of the program, so that it can be taken back as it was.

    Args:
        root: the folder; made when the first file is written.
        env: the process's surroundings.
    """

    def __init__(self, root: Path, env: Environment) -> None:
        self._root = root
        self._env = env
        self._git = GitProcess(root, env.variables)

    @property
    def root(self) -> Path:
        """The folder; it may not be there yet."""
        return self._root

    @property
    def has_repository(self) -> bool:
        """Whether the folder lies in a git repository."""
        return find_repository(self._root) is not None

    @property
    def hooks(self) -> GitHooks:
        """The hooks of the repository around the folder."""
        return GitHooks(self._git)

    def create(self, path: str, text: str) -> bool:
        """Write a file that is not there yet; False where there is one, which stays as it is."""
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
        """Add a line to a text file, which is made where it is missing; False where it stands there already."""
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
        """Return the vault that the folder lies in, or None."""
        return next((folder for folder in self._root.resolve().parents if (folder / SETTINGS_FOLDER).is_dir()), None)

    def make_repository(self) -> bool:
        """Make a git repository where the folder lies in none; False where there is one already."""
        if self.has_repository:
            return False
        self._root.mkdir(parents=True, exist_ok=True)
        self._git.run("init", "--quiet")
        return True

    def configure(self, key: str, value: str) -> bool:
        """Set a key of the repository's own configuration; False where it is set already, to whatever."""
        if self.configured(key) is not None:
            return False
        path, before = self.config_path, self.read(self.config_path)
        self._git.run("config", "--local", key, value)
        if (after := self.read(path)) is not None:
            self._remember(Written(path, before, after))
        return True

    def configured(self, key: str) -> str | None:
        """Return what a key of the repository's own configuration is set to; None where it is not."""
        done = self._git.attempt("config", "--local", "--get", key)
        return os.fsdecode(done.stdout).removesuffix("\n") if done.returncode == 0 else None

    def unset(self, key: str) -> None:
        """Take a key out of the repository's own configuration, which is as it was where nothing else has changed."""
        made, now = self.made().get(self.config_path), self.read(self.config_path)
        if made and made.before is not None and now == made.after:
            self.change(Written(self.config_path, now, made.before))
            return
        self._git.run("config", "--local", "--unset", key)
        section = key.rpartition(".")[0]
        if self._git.attempt("config", "--local", "--get-regexp", f"^{re.escape(section)}[.]").returncode != 0:
            self._git.attempt("config", "--local", "--remove-section", section)  # its heading stays otherwise

    @property
    def config_path(self) -> str:
        """The path of the repository's own configuration, from the folder."""
        return self._git_path("config")

    @property
    def exclude_path(self) -> str:
        """The path of this clone's own list of files that git takes no notice of, from the folder."""
        return self._git_path("info/exclude")

    def _git_path(self, name: str) -> str:
        said = os.fsdecode(self._git.run("rev-parse", "--git-path", name)).removesuffix("\n")
        return os.path.relpath(self._root / said, self._root)

    def notes(self) -> int:
        """Return how many notes the folder holds: Markdown files but those that every repository has."""
        found = walk(self._root, KnownTree(), ignore_rules(self._root, mixed=True)).new
        return sum(PurePosixPath(stat.path).stem.upper() not in _OF_REPOSITORIES for stat in found)

    # -- what was made here, and taking it back ----------------------------------------------------

    def missing(self, folder: Path) -> Sequence[Path]:
        """Return which of a folder and those around it are not there yet; the vault's own is not among them."""
        around = (folder, *folder.parents)
        return [one for one in around if not (one.exists() or self._root.is_relative_to(one))]

    def remember_folders(self, folders: Sequence[Path]) -> None:
        """Remember that folders were made here, or are about to be."""
        for folder in folders:
            self._remember(Written(f"{os.path.relpath(folder, self._root)}/", None, None))

    def made(self) -> Mapping[str, Written]:
        """Return what was written here last into each file, by path from the folder; folders end with a slash."""
        last = self._record().last()
        return {file.path: file for file in last.files} if last else {}

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes; None where there is none."""
        try:
            return (self._root / path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def listed(self, folder: str) -> Sequence[str]:
        """Return the names in a folder, sorted; none where there is no such folder."""
        try:
            return sorted(path.name for path in (self._root / folder).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []

    def drafts(self) -> Sequence[str]:
        """Return the paths of texts that were begun in an editor and are no memories yet."""
        return sorted(map(str, (self._state / DRAFTS).glob("*")))

    def change(self, file: Written) -> None:
        """Let a file be as it was before, in one step; `ChangedMeanwhileError` where it is something else by now."""
        place = self._root / file.path
        if self.read(file.path) != file.before:
            raise ChangedMeanwhileError(f"somebody else saved {file.path} in the meantime", hint="run it again")
        if file.after is None:
            place.unlink()
        else:
            write_whole(place.resolve(), file.after)

    def remove_empty(self, folder: str | Path) -> None:
        """Take a folder away that holds nothing; any other stays."""
        with suppress(OSError):
            (self._root / folder).rmdir()

    def other_vaults(self) -> Sequence[str]:
        """Return the folders of other vaults in the repository, from its top; this one in other worktrees, too."""
        top = Path(os.fsdecode(self._git.run("rev-parse", "--show-toplevel")).removesuffix("\n"))
        files = GitProcess(top, self._env.variables).run("ls-files", "-z", "--cached", "--others").split(b"\0")
        ending = os.fsencode(f"/{CONFIG_PATH}")
        paths = (os.fsdecode((b"/" + file).removesuffix(ending)) for file in files if (b"/" + file).endswith(ending))
        folders = [top / path.lstrip("/") for path in paths]
        listed = os.fsdecode(self._git.run("worktree", "list", "--porcelain")).splitlines()
        trees = (Path(line.removeprefix("worktree ")) for line in listed if line.startswith("worktree "))
        folders += [tree / os.path.relpath(self._root.resolve(), top) for tree in trees]
        return sorted(
            os.path.relpath(folder, top)
            for folder in folders
            if (folder / CONFIG_PATH).exists() and folder.resolve() != self._root.resolve()
        )

    def tracked(self, paths: Sequence[str]) -> Sequence[str]:
        """Return which of some files git has in its index."""
        said = self._git.run("ls-files", "-z", "--cached", "--", *paths) if paths else b""
        return [os.fsdecode(path) for path in said.split(b"\0") if path]

    def is_remembered(self) -> bool:
        """Whether this machine keeps anything of the vault: an index, or local state."""
        return self._cache.exists() or self._state.exists()

    def forget(self) -> bool:
        """Delete what this machine keeps of the vault; whether there was any. What was made here goes last."""
        there, state = self.is_remembered(), self._state
        _delete(self._cache)
        for path in sorted(state.glob("*")):
            if path.name != _MADE:
                _delete(path)
        _delete(state / _MADE)
        self.sweep()
        return there

    def sweep(self) -> None:
        """Take away the folders of local state that hold nothing, as a deletion that was cut short leaves them."""
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
        """Remember what is about to be written; a file that was written before and lacks it now begins anew."""
        self._record().record(Operation("init", "", tuple((dict(self.made()) | {file.path: file}).values())))


def _delete(path: Path) -> None:
    """Delete a file, or a folder with all that it holds; a link goes, and nothing that it leads to."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
