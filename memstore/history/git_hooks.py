"""The shims in a repository's hooks folder that call memstore's hooks."""

from __future__ import annotations

import os
import re
import shlex
import sys
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.config import CONFIG_PATH, stack_readers_key
from memstore.core.errors import GitError, RefusedError, VaultError
from memstore.files.local_state import write_whole
from memstore.history.history import HookState
from memstore.history.outgoing import objects, tree_with

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.history.git_process import GitProcess


# For a merge without conflicts git runs only pre-merge-commit; for a cherry-pick, a revert and the steps of a rebase,
# only prepare-commit-msg.
MODULES = {
    "pre-commit": "pre_commit",
    "pre-merge-commit": "pre_commit",
    "prepare-commit-msg": "pre_commit",
    "commit-msg": "commit_msg",
    "pre-push": "push_guard",
}
HOOK_NAMES = tuple(MODULES)
# The one for a server: it is installed in another repository, and only if somebody asks.
SERVER_HOOK = "pre-receive"
# In addition, the merge driver, a line in the repository's configuration (docs/merging.md).
DRIVER = "merge-driver"
DRIVER_KEY = "merge.memstore.driver"
_DRIVER_NAME = ("merge.memstore.name", "memstore: memories are merged key by key")

# The line that identifies memstore's hooks.
_MARK = b"# memstore-hook"
_PROGRAM = 0o755


class GitHooks:
    """The hooks of the repository in which `git` runs, at one moment: where they are is asked of git once."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git

    @cached_property
    def folder(self) -> Path:
        """The folder in which git looks for hooks, with `core.hooksPath` applied."""
        done = self._git.attempt("rev-parse", "--git-path", "hooks", as_set=("core.hooksPath",))
        if done.returncode != 0:
            raise GitError(
                f"{self._git.folder} is not in a git repository, so there are no hooks", hint="git init, then try again"
            )
        return self._git.folder / os.fsdecode(done.stdout).removesuffix("\n")

    def states(self) -> Mapping[str, HookState]:
        """Return the state of the merge driver and of each of memstore's hooks, by name.

        The driver comes first: it can be installed even if hooks are refused because their folder is shared.
        """
        return {DRIVER: self._driver_state(), **{name: _state(self.folder / name) for name in HOOK_NAMES}}

    def install(self, name: str) -> None:
        """Install memstore's hook; `RefusedError` if another program's hook is in its place."""
        if name == DRIVER:
            self._install_driver()
            return
        place = self.folder / name
        match _state(place):
            case HookState.FOREIGN:
                raise RefusedError(
                    f"{place} is another program's hook and stays as it is",
                    hint=f'add this line to it: memstore hooks run {name} "$@" || exit 1',
                )
            case HookState.CALLING:
                return
        self._refuse_shared(place.parent, name)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, _shim(name).encode(), mode=_PROGRAM)

    def install_on_server(self, remote: str, vault: Path | None) -> Path:
        """Install pre-receive in the repository that others push to, and return its path.

        Args:
            remote: the name under which the settings say who reads this repository.
            vault: the folder of the vault whose settings count; None: those of the repository's own current commit.

        Raises:
            RefusedError: another program's hook is in its place, or the hooks' folder is outside the repository.
        """
        place = self.folder / SERVER_HOOK
        words = shlex.join([remote, str(vault or "")])
        line = f"memstore hooks run {SERVER_HOOK} {words} || exit 1"
        if _state(place) is HookState.FOREIGN:
            raise RefusedError(
                f"{place} is another program's hook and stays as it is", hint=f"add this line to it: {line}"
            )
        common = os.fsdecode(self._git.run("rev-parse", "--git-common-dir")).removesuffix("\n")
        if not place.parent.resolve().is_relative_to((self._git.folder / common).resolve()):
            raise RefusedError(
                f"core.hooksPath names {place.parent}, which is outside this repository and may serve others",
                hint=f"add this line to the hook there: {line}",
            )
        text = _shim(SERVER_HOOK).replace("\nremote='origin'\n", f"\nremote={shlex.quote(remote)}\n")
        text = text.replace("\nvault=''\n", f"\nvault={shlex.quote(str(vault or ''))}\n")
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, text.encode(), mode=_PROGRAM)
        return place

    def settings_there(self) -> list[bytes]:
        """Return the settings of the vaults in the current commit, or else in the latest branch that has any."""
        files = tree_with(self._git, CONFIG_PATH)
        found = objects(self._git, [blob for path, blob in files.items() if f"/{path}".endswith(f"/{CONFIG_PATH}")])
        return [one.data for one in found.values()]

    def is_read_as_stack(self, remote: str) -> bool:
        """Return whether git's settings there say who reads shared stacks that are pushed to it."""
        return self._git.attempt("config", "--get-all", stack_readers_key(remote)).returncode == 0

    def uninstall(self, name: str) -> None:
        """Remove memstore's hook; another program's is left alone."""
        if name == DRIVER:
            if _DRIVER_MARK in self._driver():
                self._git.attempt("config", "--local", "--remove-section", DRIVER_KEY.rpartition(".")[0])
            return
        place = self.folder / name
        if _state(place) is HookState.OURS:
            place.unlink()

    def _driver(self) -> str:
        return os.fsdecode(self._git.attempt("config", "--get", DRIVER_KEY).stdout).removesuffix("\n")

    def _driver_state(self) -> HookState:
        """Return whose merge driver is set; ours counts as absent if the program that it names is gone."""
        line = self._driver()
        if _DRIVER_MARK not in line:
            return HookState.FOREIGN if line else HookState.ABSENT
        words = shlex.split(line.replace("%%", "%"))
        named = [Path(word) for test, word in pairwise(words) if test in ("-x", "-f")]
        return HookState.OURS if all(place.is_file() for place in named) else HookState.ABSENT

    def _install_driver(self) -> None:
        if self._driver_state() is HookState.FOREIGN:
            raise RefusedError(
                f"{DRIVER_KEY} is another program's and stays as it is",
                hint=f"git config --unset {DRIVER_KEY}, then memstore hooks install",
            )
        for key, value in (_DRIVER_NAME, (DRIVER_KEY, _driver_line())):
            done = self._git.attempt("config", "--local", "--replace-all", key, value)
            if done.returncode != 0:
                said = os.fsdecode(done.stderr).strip().removeprefix("error: ")
                raise GitError(
                    f"the merge driver is not installed, because git's settings here can't be changed: {said}",
                    hint="make the git folder writable, and let no other git run in it; then memstore hooks install",
                )

    @cached_property
    def are_shared(self) -> bool:
        """Whether the hooks folder is outside the repository: `core.hooksPath` may name a shared one."""
        common = os.fsdecode(self._git.run("rev-parse", "--git-common-dir")).removesuffix("\n")
        top = os.fsdecode(self._git.run("rev-parse", "--show-toplevel")).removesuffix("\n")
        inside = ((self._git.folder / common).resolve(), Path(top).resolve())
        real = self.folder.resolve()
        return not any(real.is_relative_to(place) for place in inside)

    def _refuse_shared(self, folder: Path, name: str) -> None:
        if self.are_shared:
            hint = f'add this line to the hook {name} there: memstore hooks run {name} "$@" || exit 1'
            if folder.exists() and not folder.is_dir():  # /dev/null, to have no hooks
                hint = "git config --unset core.hooksPath, then memstore hooks install"
            raise RefusedError(
                f"core.hooksPath names {folder}, which is outside this repository and may serve others", hint=hint
            )


def _state(place: Path) -> HookState:
    if not os.path.lexists(place):
        return HookState.ABSENT
    try:
        text = place.read_bytes() if place.is_file() else b""
    except OSError:
        text = b""
    if _MARK in text:
        return HookState.OURS
    calls = re.search(rb"^[^#\n]*\bmemstore hooks run %b\b" % re.escape(place.name).encode(), text, re.MULTILINE)
    return HookState.CALLING if calls else HookState.FOREIGN


_DRIVER_MARK = "memstore.hooks.merge_driver"


def _driver_line() -> str:
    """Return the command that git runs to merge a file; if the program is gone, git's own merge by lines."""
    program, module = (
        shlex.quote(str(place)).replace("%", "%%") for place in (sys.executable, _PACKAGE / "hooks" / "merge_driver.py")
    )
    return (
        f"if [ -x {program} ] && [ -f {module} ]; then {program} -P -m {_DRIVER_MARK} %O %A %B %P %L; "
        "else git merge-file -L ours -L base -L theirs --marker-size=%L %A %O %B; fi"
    )


def _shim(name: str) -> str:
    """Return the text of a hook, with the current interpreter and the module that it runs."""
    text = shipped(f"hooks/{name}").read_text()
    name_of_module = MODULES.get(name, MODULES["pre-push"])  # pre-receive is pre-push, at the other end
    module = Path(__file__).resolve().parent.parent / "hooks" / f"{name_of_module}.py"
    text = text.replace("\npython=''\n", f"\npython={shlex.quote(sys.executable)}\n")
    return text.replace("\nmodule=''\n", f"\nmodule={shlex.quote(str(module))}\n")


# -- files shipped in the package ------------------------------------------------------------------


_PACKAGE = Path(__file__).resolve().parent.parent


def shipped(name: str) -> Path:
    """Return the path of a file of `hooks/` or `schemas/`: in the installed package, or beside it in a checkout.

    Args:
        name: with its folder, like `hooks/pre-commit`.
    """
    for place in (_PACKAGE / "_shipped" / name, _PACKAGE.parent / name):
        if place.is_file():
            return place
    raise VaultError(f"memstore's own file {name} is missing", hint="install memstore again")
