"""Which vaults are served: clones, and what was pushed to repositories on this machine."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import NotFoundError, UsageError
from memstore.core.places import SETTINGS_FOLDER
from memstore.history.git_process import GitProcess
from memstore.history.outgoing import tree_of_commit
from memstore.hooks.pushed_tree import PushedTree, repository_at
from memstore.vault.composition import find_vault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memstore.files.local_state import Environment


class ServedVault(NamedTuple):
    """A vault that is served: its name, its folder, and the work tree of pushes if it is in one."""

    name: str
    folder: Path
    tree: PushedTree | None = None


def served_vaults(env: Environment, folders: Sequence[str]) -> list[ServedVault]:
    """Return the vaults in some folders, each itself a vault or a repository that is pushed to.

    Raises:
        NotFoundError: a folder is neither, or nothing was pushed to it yet.
        UsageError: two vaults have the same name.
    """
    found = [one for folder in folders for one in _served_in(env, folder)]
    name, count = Counter(one.name for one in found).most_common(1)[0]
    if count > 1:
        raise UsageError(f"two vaults are called {name}", hint="rename one of their folders, or serve them apart")
    return found


def _served_in(env: Environment, named: str) -> Iterator[ServedVault]:
    folder = env.expanded(named)
    if (folder / SETTINGS_FOLDER).is_dir():
        root = find_vault(env, named).resolve()
        yield ServedVault(root.name, root)
        return
    tree = PushedTree(repository_at(folder), cache_home=env.cache_home)
    if not (tree.folder / ".git").exists():
        raise NotFoundError(f"nothing that was pushed to {folder} is checked out", hint="memstore help scale")
    with tree.held():
        for name, root in tree.vaults(tree_of_commit(GitProcess(tree.folder, env.variables), "HEAD")):
            yield ServedVault(name, root, tree)
