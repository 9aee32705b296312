"""The repository in which git runs a hook, and the vaults in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.config import CONFIG_PATH
from memstore.core.places import SETTINGS_FOLDER
from memstore.files.local_state import regular_bytes
from memstore.history.git_history import GitHistory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_PATHS = ("GIT_DIR", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE")


def vaults_in_commit(environ: Mapping[str, str], folder: Path) -> Iterator[GitHistory]:
    """Yield the history of each vault that has staged files, as compared with any commit that is being taken in.

    Args:
        environ: the process's environment.
        folder: where git started the hook, or any folder of the work tree.
    """
    told = _told(environ, folder)
    repository = GitHistory(folder, told, in_hook=True).require()
    whole = GitHistory(repository.root, told, in_hook=True)
    paths = {one.path for commit in (None, *whole.other_parents()) for one in whole.all_staged(commit)}
    for root in sorted(_roots(repository.root, paths)):
        yield GitHistory(root, told, in_hook=True, mixed=is_mixed(root))


def is_mixed(root: Path) -> bool:
    """Whether notes of other programs lie in a vault; its settings are parsed only where they may say so."""
    try:
        settings = regular_bytes(root / CONFIG_PATH)
    except OSError:
        return False
    if b"mixed" not in settings:
        return False
    from memstore.files.config_file import NOBODY, read_vault_config

    return read_vault_config(root, default_owner=NOBODY).mixed


def is_merge(environ: Mapping[str, str], folder: Path) -> bool:
    """Whether the commit concludes a merge."""
    return GitHistory(folder, _told(environ, folder), in_hook=True).is_merging()


def _told(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return what git tells the hook, with paths that hold in every folder; git counts from where it started us."""
    told = dict(environ)
    for name in _PATHS:
        if told.get(name):
            told[name] = str(folder / told[name])
    if told.get("GIT_DIR") and not told.get("GIT_WORK_TREE"):
        told["GIT_WORK_TREE"] = str(folder)  # else git would take any folder that it runs in for the top
    return told


def _roots(top: Path, paths: Collection[str]) -> set[Path]:
    """Return the vaults that these files lie in: every folder around them that is one.

    A vault that was made within a vault takes nothing out of the one around it.
    """
    folders = {Path(os.path.dirname(path)) for path in paths}  # noqa: PTH120 - paths of git, not of this system
    around = {up for folder in folders for up in (folder, *folder.parents)}
    return {top / up for up in around if (top / up / SETTINGS_FOLDER).is_dir()}
