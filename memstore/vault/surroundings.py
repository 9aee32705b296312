"""What a vault stands on: Python, git, the user's settings and cache, files that killed programs left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class Surroundings(Protocol):
    """The machine, as far as memstore depends on it."""

    @property
    def python(self) -> tuple[int, int, int]:
        """The version of Python that runs."""

    def git(self) -> tuple[int, ...] | None:
        """Return git's version; None where git is missing."""

    def settings(self) -> Path | None:
        """Return the file of the user's own settings; None where there is none.

        Raises:
            VaultError: it can't be used.
        """

    def settings_astray(self) -> Mapping[str, str]:
        """Return the user's own settings, which can be used, that name a file or folder which is not there."""

    @property
    def cache(self) -> Path | None:
        """The folder of what is derived from the vault; None without a vault. It need not be there."""

    def cache_is_private(self) -> bool:
        """Whether nobody but this user can write into the cache; true where there is none yet."""

    def make_cache_private(self) -> bool:
        """Take the others' permissions away; False where that is not ours to do."""

    def left_behind(self) -> Sequence[str]:
        """Return the temporary files of writers that died long ago, relative to the vault."""

    def remove(self, path: str) -> None:
        """Delete one of the files that were left behind."""

    def attributes(self) -> str:
        """Return the text of the vault's `.gitattributes`; empty where there is none."""

    def add_attribute(self, line: str) -> None:
        """Add a line to the vault's `.gitattributes`."""
