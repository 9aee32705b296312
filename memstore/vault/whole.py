"""All files of a vault, for its owner alone: `VaultView.whole` hands them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.ports.vault import read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.codec.memory_file import ReadFile
    from memstore.ports.vault import FileStat, Vault


class WholeVault:
    """The files of a vault as they are now.

    Args:
        vault: where they lie.
        rows: the rows of all memories among them, ascending.
    """

    def __init__(self, vault: Vault, rows: Callable[[], Sequence[int]]) -> None:
        self._vault = vault
        self._rows = rows

    @property
    def rows(self) -> Sequence[int]:
        """The rows of all memories, others' among them that the owner may not be shown; ascending."""
        return self._rows()

    def memory_files(self) -> Iterator[FileStat]:
        """Yield all Markdown files that can be memories, in no order."""
        return self._vault.memory_files()

    def registry_files(self) -> list[str]:
        """Return the paths of all registry files, sorted."""
        return sorted(self._vault.registry_files())

    def read(self, path: str) -> bytes:
        """Return a file's bytes; `VaultError` where they can't be had."""
        return self._vault.read(path)

    def read_file(self, path: str) -> ReadFile:
        """Return what a file holds; one that is too large is a broken file. `VaultError` where it can't be read."""
        return read_file(self._vault, path)
