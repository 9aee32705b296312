"""Vaults in memory, and the same ones indexed in a database."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Self

from memstore.core.digests import blob_id
from memstore.core.places import is_memory_path
from memstore.engines import database
from memstore.engines.indexing import IndexCommit, Indexed, index
from memstore.engines.tickets import broker
from memstore.files import memory_file
from memstore.search.memory_snapshot import document_of
from memstore.vault.registries import registries_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memstore.core.view import View
    from memstore.search.library import Snapshot
    from memstore.search.memory_snapshot import Document
    from memstore.vault.workspace import Workspace


@dataclass
class Engine:
    """A database, and the blobs of the vaults in it."""

    url: str
    blobs: dict[str, bytes] = field(default_factory=dict)
    commits: dict[str, dict[str, str]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    @classmethod
    def begun(cls, url: str) -> Self:
        database.init(url)
        return cls(url)

    def name(self) -> str:
        return f"vault-{next(self.numbers)}"

    def index(
        self,
        name: str,
        ws: Workspace,
        *,
        files: Mapping[str, bytes] | None = None,
        origin: str = "0" * 40,
        anew: bool = False,
    ) -> Indexed:
        """Index the files of a vault, or others, as one commit."""
        if files is None:
            files = {stat.path: ws.vault.stored(stat.path) for stat in ws.vault.memory_files()}
        blobs = {path: blob_id(data) for path, data in files.items() if is_memory_path(path, mixed=False)}
        self.blobs |= {blob: files[path] for path, blob in blobs.items()}
        commit_id = f"{len(self.commits):040x}"
        self.commits[commit_id] = blobs
        world, at = registries_of(ws).world(), ws.clock.now()
        commit = IndexCommit(commit_id, (origin,), lambda: blobs, world, at, lambda before: self.since(before, blobs))
        with database.session(self.url) as opened:
            return index(opened, name, commit, self.read, anew=anew)

    def since(self, before: str, blobs: dict[str, str]) -> dict[str, str | None]:
        """Return what differs from an earlier commit, None for what is gone."""
        old = self.commits[before]
        return {path: blobs.get(path) for path in {**old, **blobs} if old.get(path) != blobs.get(path)}

    def read(self, files: Sequence[tuple[str, str]]) -> Iterator[Document]:
        return (document_of(memory_file.read(path, self.blobs[blob]), blob) for path, blob in files)

    @contextmanager
    def whole(self, name: str) -> Iterator[Snapshot]:
        """Yield a snapshot of all that is indexed of a vault."""
        with broker(self.url, name) as deciding:
            catalog = deciding.labels.catalog
            rows = [*catalog.texts, *catalog.broken, *catalog.sealed]
            with deciding.contents(rows) as found:
                yield found

    @contextmanager
    def view(self, name: str, ws: Workspace) -> Iterator[View]:
        with broker(self.url, name) as opened, opened.view(ws) as view:
            yield view
