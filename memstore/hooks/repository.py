"""The repository in which git runs a hook, and the vaults in it."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.config import CONFIG_PATH
from memstore.core.places import SETTINGS_FOLDER
from memstore.files.local_state import Environment, cache_folder, regular_bytes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from memstore.history.git_history import GitHistory
    from memstore.trust.seal_keys import SealKeys

_PATHS = ("GIT_DIR", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE")


def repository_of(environ: Mapping[str, str], folder: Path) -> GitHistory:
    """Return the history of the whole repository, as of now.

    Args:
        environ: the process's environment.
        folder: where git started the hook, or any folder of the work tree.
    """
    from memstore.history.git_history import GitHistory  # the guard of pushes needs none

    told = told_to_hook(environ, folder)
    repository = GitHistory(folder, told, in_hook=True).require()
    return GitHistory(repository.root, told, in_hook=True, within=repository)


def vaults_in_commit(whole: GitHistory, environ: Mapping[str, str], folder: Path) -> Iterator[GitHistory]:
    """Yield the history of each vault with staged files, also compared with any commit that is being taken in.

    Args:
        whole: the history of the repository.
        environ: the process's environment.
        folder: where git started the hook, or any folder of the work tree.
    """
    from memstore.history.git_history import GitHistory  # as above

    repository, told = whole.require(), told_to_hook(environ, folder)
    paths = {one.path for commit in (None, *whole.other_parents()) for one in whole.all_staged(commit)}
    for root in sorted(vaults_around(repository.root, paths)):
        yield GitHistory(
            root,
            told,
            in_hook=True,
            mixed=is_mixed(root),
            opener=opener,
            approved=approved_filters,
            cache=cache_folder(root, cache_home=Environment.of_process().cache_home),
            within=repository,
        )


def approved_filters() -> Mapping[str, str]:
    """Return the command lines of filters that the user of this process approved."""
    from memstore.files.config_file import read_user_config

    return read_user_config(Environment.of_process().config_file).filters


@cache
def opener() -> SealKeys:
    """Return what opens sealed files for the user of this process; made only where there is one."""
    from memstore.trust.seal_keys import SealKeys

    return SealKeys.of(Environment.of_process())


def is_mixed(root: Path) -> bool:
    """Return whether a vault holds notes of other programs; its settings are parsed only if they may say so."""
    try:
        settings = regular_bytes(root / CONFIG_PATH)
    except OSError:
        return False
    if b"mixed" not in settings:
        return False
    from memstore.files.config_file import NOBODY, read_vault_config

    return read_vault_config(root, default_owner=NOBODY).mixed


def told_to_hook(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return what git passes to the hook, with paths valid in every folder; git's are relative to `folder`."""
    told = dict(environ)
    for name in _PATHS:
        if told.get(name):
            told[name] = str(folder / told[name])
    is_bare = Path(told.get("GIT_DIR") or folder / "none").resolve() == folder.resolve()
    if told.get("GIT_DIR") and not told.get("GIT_WORK_TREE") and not is_bare:
        told["GIT_WORK_TREE"] = str(folder)  # otherwise git takes any folder it runs in as the top
    return told


def vaults_around(top: Path, paths: Collection[str]) -> set[Path]:
    """Return the vaults that contain these files: every vault among the folders around them.

    A vault within a vault does not exclude its files from the outer one.
    """
    folders = {Path(os.path.dirname(path)) for path in paths}  # noqa: PTH120 - paths of git, not of this system
    around = {up for folder in folders for up in (folder, *folder.parents)}
    return {top / up for up in around if (top / up / SETTINGS_FOLDER).is_dir()}
