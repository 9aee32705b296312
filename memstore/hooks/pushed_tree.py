"""The work tree in which a server reads what was pushed to a repository; nobody reads there while it moves on."""

from __future__ import annotations

import fcntl
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.config import CONFIG_PATH
from memstore.core.errors import LockedError, NotFoundError
from memstore.files.local_state import cache_folder
from memstore.files.write_lock import flocked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PATIENCE_SECONDS = 60


class PushedTree:
    """The work tree of a repository, among the caches.

    Args:
        repository: the repository itself: bare, or the `.git` in a work tree of others.
        cache_home: where caches are.
    """

    def __init__(self, repository: Path, *, cache_home: Path) -> None:
        self._repository = repository
        self.folder = cache_folder(repository, cache_home=cache_home) / "pushed"

    @contextmanager
    def held(self, *, to_move: bool = False) -> Iterator[None]:
        """Keep it as it is; `to_move` says that whoever holds it is to change it, alone.

        Raises:
            LockedError: others held it all the time.
        """
        with (self.folder.parent / "tree.lock").open("a") as lock:
            how = fcntl.LOCK_EX if to_move else fcntl.LOCK_SH
            if not flocked(lock.fileno(), patience_seconds=PATIENCE_SECONDS, how=how):
                raise LockedError("what was pushed is still being checked out", hint="try again")
            yield

    def vaults(self, paths: Iterable[str]) -> Iterator[tuple[str, Path]]:
        """Yield name and folder of each vault among the paths of a tree: the repository's name, and the folder's."""
        whole = self._repository
        name = (whole.parent if whole.name == ".git" else whole).name.removesuffix(".git")
        for path in paths:
            if f"/{path}".endswith(f"/{CONFIG_PATH}"):
                inner = path.removesuffix(CONFIG_PATH)
                yield "-".join((name, *Path(inner).parts)), self.folder / inner


def repository_at(folder: Path) -> Path:
    """Return the repository in a folder: that folder if it is bare.

    Raises:
        NotFoundError: there is none.
    """
    inner = folder / ".git"
    found = (inner if inner.is_dir() else folder).resolve()
    if not (found / "HEAD").is_file():
        raise NotFoundError(f"{folder} is neither a vault nor a repository", hint="name a clone, or a bare repository")
    return found
