"""All files of a vault, for its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.errors import VaultError
from memstore.files.vault import read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.files.memory_file import ReadFile
    from memstore.files.vault import FileStat, VaultFiles


class WholeVault:
    """The files of a vault as they are now.

    Args:
        vault: where the files are.
        rows: returns the rows of all memories among them, ascending.
    """

    def __init__(self, vault: VaultFiles, rows: Callable[[], Sequence[int]]) -> None:
        self._vault = vault
        self._rows = rows

    @property
    def rows(self) -> Sequence[int]:
        """The rows of all memories, ascending, including those of others that the owner may not be shown."""
        return self._rows()

    def memory_files(self) -> Iterator[FileStat]:
        """Yield all Markdown files that can be memories, in no order."""
        return self._vault.memory_files()

    def registry_files(self) -> list[str]:
        """Return the paths of all registry files, sorted."""
        return sorted(self._vault.registry_files())

    def read(self, path: str) -> bytes:
        """Return a file's bytes; raise `VaultError` if it can't be read."""
        return self._vault.read(path)

    def stored(self, path: str) -> bytes:
        """Return a file's bytes as they are stored, sealed or not; raise `VaultError` if it can't be read."""
        return self._vault.stored(path)

    def read_file(self, path: str) -> ReadFile:
        """Return a file's contents; a file that is too large is broken. Raise `VaultError` if it can't be read."""
        return read_file(self._vault, path)

    def any_file(self, path: str) -> ReadFile:
        """Return a file's contents as `read_file` does; one that can't be read is broken."""
        from memstore.files import memory_file

        try:
            return self.read_file(path)
        except VaultError as error:
            return memory_file.unreadable(path, str(error))
