"""A folder that is to become a vault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path


class Place(Protocol):
    """A folder, before there is a vault in it."""

    @property
    def root(self) -> Path:
        """The folder; it may not be there yet."""

    def create(self, path: str, text: str) -> bool:
        """Write a file that is not there yet; False where there is one, which stays as it is."""

    def append_line(self, path: str, line: str) -> bool:
        """Add a line to a text file, which is made where it is missing; False where it stands there already."""

    def outer_vault(self) -> Path | None:
        """Return the vault that the folder lies in, or None."""

    def make_repository(self) -> bool:
        """Make a git repository where the folder lies in none; False where there is one already.

        Raises:
            GitError: git is missing, or said no.
        """

    def configure(self, key: str, value: str) -> bool:
        """Set a key of the repository's own configuration; False where it is set already, to whatever."""

    def exclude(self, pattern: str) -> bool:
        """Have git take no notice of files of that name in this clone; False where it takes none already."""

    def markdown_files(self, limit: int) -> int:
        """Return how many Markdown files the folder holds, counted up to `limit`."""
