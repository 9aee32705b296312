"""The process's surroundings, taken once: variables, folders, who is logged in."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Environment(NamedTuple):
    """What the composition root needs to know of the process that it runs in.

    `at_terminal` is whether a person can be asked: standard input is a terminal. `on_progress` is told how many of how
    many files are indexed, where that takes long.
    """

    variables: Mapping[str, str]
    folder: Path
    home: Path
    login: str
    at_terminal: bool = False
    on_progress: Callable[[int, int], None] | None = None

    @classmethod
    def of_process(cls, *, on_progress: Callable[[int, int], None] | None = None) -> Environment:
        """Return the surroundings of this process."""
        variables = dict(os.environ)
        return cls(
            variables=variables,
            folder=_working_folder(variables),
            home=Path(variables.get("HOME") or os.path.expanduser("~")),  # noqa: PTH111 - Path.home() raises without one
            login=_login(variables),
            at_terminal=sys.stdin is not None and sys.stdin.isatty(),
            on_progress=on_progress,
        )

    def get(self, name: str) -> str | None:
        """Return a variable, or None where it is not set or empty."""
        return self.variables.get(name) or None

    @property
    def config_file(self) -> Path:
        """Where the user's configuration lies."""
        return self._base("XDG_CONFIG_HOME", ".config") / "memstore" / "config.toml"

    @property
    def cache_home(self) -> Path:
        """Below which derived files lie."""
        return self._base("XDG_CACHE_HOME", ".cache")

    @property
    def state_home(self) -> Path:
        """Below which local state lies where there is no repository to keep it."""
        return self._base("XDG_STATE_HOME", ".local/state")

    @property
    def login_entity(self) -> str:
        """The entity id of whoever is logged in, `human:<login name>`, in the letters that an id may have."""
        name = re.sub(r"[^a-z0-9._-]+", "-", self.login.lower()).strip("._-")
        return f"human:{name or 'owner'}"

    def expanded(self, path: str) -> Path:
        """Return a path as a person wrote it, with `~` for the home folder, relative to the working folder."""
        if path == "~" or path.startswith("~/"):
            return self.home / path[2:]
        return self.folder / path

    def _base(self, variable: str, default: str) -> Path:
        # The XDG base directory specification tells to ignore relative paths.
        named = self.get(variable)
        return Path(named) if named and Path(named).is_absolute() else self.home / default


def _working_folder(variables: Mapping[str, str]) -> Path:
    """Return the working folder; one that was deleted meanwhile by the name that the shell knows."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(variables.get("PWD") or "/")


def _login(variables: Mapping[str, str]) -> str:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        if variables.get(name):
            return variables[name]
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return "owner"
