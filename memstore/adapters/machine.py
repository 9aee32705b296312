"""What a vault stands on, on this machine."""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from memstore.adapters.config_file import read_user_config
from memstore.adapters.disk_place import DiskPlace
from memstore.adapters.disk_vault import LEFT_BEHIND_AFTER_SECONDS
from memstore.adapters.git_process import GitProcess
from memstore.adapters.local_state import PRIVATE, cache_folder, is_private
from memstore.errors import GitError
from memstore.model.config import USER_SETTINGS, Kind
from memstore.rules.vault_places import TEMPORARY_PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memstore.adapters.environment import Environment

_ATTRIBUTES = ".gitattributes"


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

    def git(self) -> tuple[int, ...] | None:
        """Return git's version; None where git is missing."""
        try:
            said = GitProcess(self._env.home, self._env.variables).run("version").decode(errors="replace")
        except (GitError, OSError):
            return None
        found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", said)
        return tuple(int(part) for part in found.groups("0")) if found else None

    def settings(self) -> Path | None:
        """Return the file of the user's own settings; see the port."""
        read_user_config(self._env.config_file)
        return self._env.config_file if self._env.config_file.exists() else None

    def settings_astray(self) -> Mapping[str, str]:
        """Return the settings that name what is not there; see the port."""
        chosen = read_user_config(self._env.config_file)._asdict()
        places = [setting.name for setting in USER_SETTINGS if setting.kind in (Kind.FOLDER, Kind.FILE)]
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

    def add_attribute(self, line: str) -> None:
        """Add a line to the vault's `.gitattributes`."""
        if self._root is not None:
            DiskPlace(self._root, self._env.variables).append_line(_ATTRIBUTES, line)


def _changed_before(path: str, at: float) -> bool:
    try:
        return os.lstat(path).st_mtime < at
    except OSError:
        return False
