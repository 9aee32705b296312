"""What a vault stands on: Python, git, the user's settings and cache, files that killed programs left behind.

A folder that is to become a vault is looked at here, too.
"""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memstore.core.config import USER_SETTINGS, SettingKind
from memstore.core.errors import GitError
from memstore.core.places import SETTINGS_FOLDER, TEMPORARY_PREFIX
from memstore.files.config_file import read_user_config
from memstore.files.disk_vault import LEFT_BEHIND_AFTER_SECONDS
from memstore.files.local_state import PRIVATE, cache_folder, find_repository, is_private, write_whole
from memstore.files.walk import KnownTree, ignore_rules, walk
from memstore.history.git_process import GitProcess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memstore.files.local_state import Environment


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
            DiskPlace(self._root, self._env.variables).append_line(_ATTRIBUTES, line)
        else:
            lines[at] = lines[at].replace(lines[at].strip(), os.fsencode(line))
            write_whole(file, b"".join(lines))


def _changed_before(path: str, at: float) -> bool:
    try:
        return os.lstat(path).st_mtime < at
    except OSError:
        return False


# -- a folder that is to become a vault ------------------------------------------------------------


class DiskPlace:
    """A folder, before there is a vault in it.

    Args:
        root: the folder; made when the first file is written.
        environ: the process's environment, for git.
    """

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._root = root
        self._environ = environ

    @property
    def root(self) -> Path:
        """The folder; it may not be there yet."""
        return self._root

    def create(self, path: str, text: str) -> bool:
        """Write a file that is not there yet; False where there is one, which stays as it is."""
        file = self._root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with file.open("x", encoding="utf-8", newline="\n") as out:
                out.write(text)
        except FileExistsError:
            return False
        return True

    def append_line(self, path: str, line: str) -> bool:
        """Add a line to a text file, which is made where it is missing; False where it stands there already."""
        return self.create(path, line + "\n") or _line_appended(self._root / path, line)

    def outer_vault(self) -> Path | None:
        """Return the vault that the folder lies in, or None."""
        return next((folder for folder in self._root.resolve().parents if (folder / SETTINGS_FOLDER).is_dir()), None)

    def make_repository(self) -> bool:
        """Make a git repository where the folder lies in none; False where there is one already."""
        if find_repository(self._root) is not None:
            return False
        self._root.mkdir(parents=True, exist_ok=True)
        GitProcess(self._root, self._environ).run("init", "--quiet")
        return True

    def configure(self, key: str, value: str) -> bool:
        """Set a key of the repository's own configuration; False where it is set already, to whatever."""
        git = GitProcess(self._root, self._environ)
        if git.attempt("config", "--local", "--get", key).returncode == 0:
            return False
        git.run("config", "--local", key, value)
        return True

    def exclude(self, pattern: str) -> bool:
        """Have git take no notice of files of that name in this clone; False where it takes none already."""
        said = GitProcess(self._root, self._environ).run("rev-parse", "--git-path", "info/exclude")
        return _line_appended(self._root / os.fsdecode(said).removesuffix("\n"), pattern)

    def notes(self) -> int:
        """Return how many notes the folder holds: Markdown files but those that every repository has."""
        found = walk(self._root, KnownTree(), ignore_rules(self._root, mixed=True)).new
        return sum(PurePosixPath(stat.path).stem.upper() not in _OF_REPOSITORIES for stat in found)


def _line_appended(file: Path, line: str) -> bool:
    """Add a line to a text file; False where it stands there already."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = file.read_bytes() if file.exists() else b""
    if os.fsencode(line) in (existing.strip() for existing in data.split(b"\n")):
        return False
    newline = b"" if data.endswith(b"\n") or not data else b"\n"
    with file.open("ab") as out:
        out.write(newline + os.fsencode(line) + b"\n")
    return True
