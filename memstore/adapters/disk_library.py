"""The library of a vault on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.adapters.git_objects import blob_id
from memstore.adapters.local_state import find_repository
from memstore.adapters.memory_snapshot import document_of, snapshot_of_documents, snapshot_of_files
from memstore.errors import VaultError
from memstore.ports.vault import read_file
from memstore.rules.vault_places import is_memory_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from memstore.adapters.disk_vault import DiskVault
    from memstore.adapters.memory_snapshot import Document
    from memstore.ports.search_index import Snapshot


class DiskLibrary:
    """Hands out snapshots of a vault; keeps what it learned in the user's cache.

    Args:
        vault: the vault.
        cache: the folder for what is derived from it; it is used only while nobody else can write into it.
        on_progress: called with the number of files indexed and of those to index, when there are many.
    """

    def __init__(self, vault: DiskVault, *, cache: Path, on_progress: Callable[[int, int], None] | None = None) -> None:
        self._vault = vault
        self._cache = cache
        self.on_progress = on_progress
        repository = find_repository(vault.root)
        self._object_format = repository.object_format if repository else "sha1"

    def snapshot(self) -> Snapshot:
        """Return the vault as it is now, uncommitted changes included."""
        documents = [self._document(stat.path) for stat in self._vault.memory_files()]
        return snapshot_of_documents([document for document in documents if document])

    def snapshot_of(self, files: Iterable[tuple[str, bytes]]) -> Snapshot:
        """Return a snapshot of other files, as those of a past commit, given by path and bytes."""
        return snapshot_of_files(
            ((path, data) for path, data in files if is_memory_path(path)),
            blob_id=lambda data: blob_id(data, self._object_format),
        )

    def _document(self, path: str) -> Document | None:
        try:
            file = read_file(self._vault, path)
        except VaultError:
            return None
        return document_of(file, blob_id(file.data, self._object_format))
