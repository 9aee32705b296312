"""Reading files for the catalogue: bytes at once, what they say only when that is asked for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from memstore.errors import TooLargeError, VaultError
from memstore.rules.freshness import is_racy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memstore.adapters.memory_snapshot import Document
    from memstore.codec.memory_file import BrokenFile
    from memstore.ports.vault import FileStat, Vault


class LoadedFile:
    """The bytes of a file, named by its blob id (empty where they can't be read), and what they say."""

    def __init__(self, stat: FileStat, data: bytes | BrokenFile, blob: str) -> None:
        self.stat, self.blob = stat, blob
        self._data: Any = data
        self._document: Document | None = None

    @property
    def document(self) -> Document:
        """What is known of the file."""
        if self._document is None:
            from memstore.adapters.memory_snapshot import document_of
            from memstore.codec import memory_file

            data = self._data
            file = memory_file.read(self.stat.path, data) if isinstance(data, bytes) else data
            self._document = document_of(file, self.blob)
            self._data = None
        return self._document


class FileReader:
    """Reads files of a vault, and remembers those of the last reading.

    Args:
        vault: the vault.
        blob_id: names a file's bytes.
    """

    def __init__(self, vault: Vault, blob_id: Callable[[bytes], str]) -> None:
        self._vault = vault
        self._blob_id = blob_id
        self._last: dict[FileStat, LoadedFile] = {}

    def load_all(self, stats: Iterable[FileStat]) -> Iterator[LoadedFile | None]:
        """Yield the files with these stats, None for those that are gone."""
        began_ns = time.time_ns()
        last, self._last = self._last, {}
        for stat in stats:
            file = last.get(stat) or self.load(stat)
            if file and not is_racy(stat.mtime_ns, stat.ctime_ns, began_ns):
                self._last[stat] = file
            yield file

    def forget(self) -> None:
        """Let go of what was read."""
        self._last = {}

    def load(self, stat: FileStat) -> LoadedFile | None:
        """Return the file at a path; None where there is none."""
        path = stat.path
        try:
            data = self._vault.read(path)
        except TooLargeError:
            return LoadedFile(stat, _unreadable(path), "")
        except VaultError as error:
            return None if isinstance(error.__cause__, FileNotFoundError) else LoadedFile(stat, _unreadable(path), "")
        return LoadedFile(stat, data, self._blob_id(data))


def _unreadable(path: str) -> BrokenFile:
    """Return the file that is there and can't be read; its findings are the checks' to tell."""
    from memstore.codec.memory_file import BrokenFile

    return BrokenFile(path, b"", ())
