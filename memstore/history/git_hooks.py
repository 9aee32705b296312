"""The shims in a repository's hooks folder that call memstore's hooks."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.errors import GitError, RefusedError, VaultError
from memstore.files.local_state import write_whole
from memstore.history.history import HookState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.history.git_process import GitProcess


# Git runs pre-merge-commit alone for a merge without conflicts, and prepare-commit-msg alone for a cherry-pick, a
# revert and the steps of a rebase.
MODULES = {
    "pre-commit": "pre_commit",
    "pre-merge-commit": "pre_commit",
    "prepare-commit-msg": "pre_commit",
    "commit-msg": "commit_msg",
}
HOOK_NAMES = tuple(MODULES)

# The line that tells memstore's hooks from others'.
_MARK = b"# memstore-hook"
_PROGRAM = 0o755


class GitHooks:
    """The hooks of the repository in which `git` runs."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git

    def folder(self) -> Path:
        """Return the folder in which git looks for hooks, `core.hooksPath` included."""
        done = self._git.attempt("rev-parse", "--git-path", "hooks", own_hooks_path=True)
        if done.returncode != 0:
            raise GitError(
                f"{self._git.folder} lies in no git repository, so there are no hooks", hint="git init, then try again"
            )
        return self._git.folder / os.fsdecode(done.stdout).removesuffix("\n")

    def states(self) -> Mapping[str, HookState]:
        """Return the state of each of memstore's hooks, by name."""
        folder = self.folder()
        return {name: _state(folder / name) for name in HOOK_NAMES}

    def install(self, name: str) -> None:
        """Put memstore's hook in place; `RefusedError` over another program's."""
        place = self.folder() / name
        if _state(place) is HookState.FOREIGN:
            raise RefusedError(
                f"{place} is another program's hook and stays as it is",
                hint=f'add this line to it: memstore hooks run {name} "$@" || exit 1',
            )
        self._refuse_shared(place.parent)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, _shim(name).encode(), mode=_PROGRAM)

    def uninstall(self, name: str) -> None:
        """Take memstore's hook away; another program's is left alone."""
        place = self.folder() / name
        if _state(place) is HookState.OURS:
            place.unlink()

    def are_shared(self) -> bool:
        """Whether their folder lies outside of the repository: `core.hooksPath` may name one that others share."""
        common = os.fsdecode(self._git.run("rev-parse", "--git-common-dir")).removesuffix("\n")
        top = os.fsdecode(self._git.run("rev-parse", "--show-toplevel")).removesuffix("\n")
        inside = ((self._git.folder / common).resolve(), Path(top).resolve())
        real = self.folder().resolve()
        return not any(real.is_relative_to(place) for place in inside)

    def _refuse_shared(self, folder: Path) -> None:
        if self.are_shared():
            raise RefusedError(
                f"core.hooksPath names {folder}, which lies outside of this repository and may serve others",
                hint='add this line to the hook there: memstore hooks run pre-commit "$@" || exit 1',
            )


def _state(place: Path) -> HookState:
    if not os.path.lexists(place):
        return HookState.ABSENT
    try:
        ours = place.is_file() and _MARK in place.read_bytes()
    except OSError:
        ours = False
    return HookState.OURS if ours else HookState.FOREIGN


def _shim(name: str) -> str:
    """Return the text of a hook, with the interpreter that runs now and the module that it is to run."""
    text = shipped(f"hooks/{name}").read_text()
    module = Path(__file__).resolve().parent.parent / "hooks" / f"{MODULES[name]}.py"
    text = text.replace("\npython=''\n", f"\npython={shlex.quote(sys.executable)}\n")
    return text.replace("\nmodule=''\n", f"\nmodule={shlex.quote(str(module))}\n")


# -- files that are shipped inside the package -----------------------------------------------------


_PACKAGE = Path(__file__).resolve().parent.parent


def shipped(name: str) -> Path:
    """Return where a file of `hooks/` or `schemas/` lies: in the installed package, or beside it in a checkout.

    Args:
        name: with its folder, like `hooks/pre-commit`.
    """
    for place in (_PACKAGE / "_shipped" / name, _PACKAGE.parent / name):
        if place.is_file():
            return place
    raise VaultError(f"memstore's own file {name} is missing", hint="install memstore again")
