"""The folder that a shared stack is written to: complete under another name first, then renamed in one step."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.errors import RefusedError, VaultError
from memstore.core.places import MANIFEST, SETTINGS_FOLDER
from memstore.files.disk_vault import swapped
from memstore.files.local_state import Environment, sync_folder, vault_around, without_dots
from memstore.files.unfinished import unfinished_folder
from memstore.history.fresh_repository import FreshRepository
from memstore.vault.mounts import manifest_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from memstore.access.stack import Stack

# Begins the name of a folder in which a stack is being made; nothing in it has been checked.
_UNFINISHED = ".memstore-unfinished-"


class StackPlace:
    """A folder outside of vaults, for one shared stack.

    Args:
        folder: as somebody named it.
        env: the process's environment.
    """

    def __init__(self, folder: Path, env: Environment) -> None:
        self.folder = Path(os.path.realpath(without_dots(folder)))
        self._env = env

    def require_free(self) -> None:
        """Raise unless a stack may be written here: the folder doesn't exist or is empty, and is in no vault.

        Raises:
            RefusedError: something is in it, or it belongs to a vault.
            VaultError: the folder around it does not exist.
        """
        around = vault_around(self.folder / "stack")
        if around == self.folder and (self.folder / MANIFEST).is_file():
            raise RefusedError(
                f"{self.folder} has a shared stack already",
                hint=f"memstore share --update {self.folder.name}, or name a new folder",
            )
        if around is not None:
            raise RefusedError(f"{self.folder} is in the vault {around}", hint="name a folder outside of any vault")
        if not self.folder.parent.is_dir():
            raise VaultError(f"{self.folder.parent} is not a folder", hint="make it first")
        if os.path.lexists(self.folder) and not self.folder.is_dir():
            raise RefusedError(
                f"{self.folder} is not a folder, and nothing is ever written over", hint="name a new folder"
            )
        if self.folder.is_dir() and os.listdir(self.folder):  # noqa: PTH208
            raise RefusedError(
                f"{self.folder} is not empty, and nothing is ever written over",
                hint="name a new folder; memstore share --update DIR brings a stack up to date",
            )

    def stack(self) -> Stack:
        """Return the manifest of the stack that is here; raises the errors of `manifest_in`."""
        return manifest_in(self.folder)

    @contextmanager
    def draft(self, *, follows: bool = False) -> Iterator[UnfinishedStack]:
        """Yield a folder beside this one in which the stack is made; it is removed if it is not finished.

        Args:
            follows: whether it begins as a copy of the stack that is here.
        """
        with unfinished_folder(self.folder.parent, _UNFINISHED) as outer:  # a former one may have what is withdrawn
            made = outer / "stack"
            if follows:
                shutil.copytree(self.folder, made, symlinks=True)
            else:
                made.mkdir(mode=0o700)
            draft = UnfinishedStack(made, self.folder, FreshRepository(made, self._env.variables))
            if not follows:
                draft.repository.make()
            yield draft


class UnfinishedStack:
    """A stack that is being made.

    Args:
        made: the folder in which it is made.
        folder: where it will be.
        repository: that of `made`.
    """

    def __init__(self, made: Path, folder: Path, repository: FreshRepository) -> None:
        self._made = made
        self._folder = folder
        self.repository = repository

    def write(
        self,
        files: Mapping[str, bytes],
        message: str,
        *,
        by: str,
        at: datetime,
        saved: Mapping[str, datetime],
        address: str = "",
    ) -> str:
        """Write and commit exactly these files, and return the commit."""
        return self.repository.commit(files, message, by=by, at=at, saved=saved, address=address)

    @property
    def manifest(self) -> Path:
        """The file that says what the stack is, where it will be."""
        return self._folder / MANIFEST

    def contents(self) -> Iterable[tuple[str, bytes]]:
        """Return everything in it: files, git's own, and all objects."""
        return self.repository.contents()

    def finish(self, *, replaces: bool = True) -> None:
        """Put the stack in its place, in one step; it lasts already.

        Args:
            replaces: whether it may take the place of a former one.

        Raises:
            VaultError: somebody else has put something there, or the file system doesn't let it.
        """
        try:
            if replaces and (self._folder / SETTINGS_FOLDER).is_dir():
                # What was there is left in the temporary folder, and goes with it.
                if not swapped(self._made, self._folder):
                    self._made.with_name("former").mkdir()
                    self._folder.rename(self._made.with_name("former") / "stack")
                    self._made.rename(self._folder)
            else:
                self._made.rename(self._folder)  # replaces an empty folder
        except OSError as error:
            raise VaultError(
                f"the stack could not be put into {self._folder}: {error.strerror}; nothing was shared",
                hint="name a new folder",
            ) from error
        with suppress(OSError):  # it is there
            sync_folder(self._folder.parent)

    def sync(self) -> None:
        """Make everything in it survive a crash of the machine."""
        for place, _, names in os.walk(self._made):
            for name in names:
                handle = os.open(Path(place, name), os.O_RDONLY | os.O_CLOEXEC)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)
            sync_folder(Path(place))
