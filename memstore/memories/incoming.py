"""Memories that come in under their own ids: those that exist here stay as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from memstore.core.change import Edit, Saved
from memstore.core.transaction import Saving, save_all
from memstore.lineage.refs import loader
from memstore.trust import statement

if TYPE_CHECKING:
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMemories:
    """The result of an import: the memories that were written, and the refs of those that already existed.

    `different` are those of `known` that say something else here, or have another source.
    """

    saved: tuple[Saved, ...]
    known: tuple[str, ...]
    different: tuple[str, ...]


class Incoming:
    """Collects the files of memories that come in, and writes those whose ids are new.

    Args:
        view: the vault.

    Attributes:
        paths: those that will be written.
    """

    def __init__(self, view: View) -> None:
        self.paths: set[str] = set()
        self._view = view
        self._load = loader(view)
        self._edits: list[Edit] = []
        self._new: dict[str, Memory] = {}
        self._known: list[str] = []
        self._different: list[str] = []

    def add(self, file: MemoryFile) -> None:
        """Add a memory with an id; the first one of each id counts."""
        memory = file.memory
        memory_id = memory.id or ""
        rows = self._view.rows_of_id(memory_id)
        if not rows and memory_id not in self._new:
            self._edits.append(Edit(path=file.path, before=None, after=file.data))
            self._new[memory_id] = memory
            self.paths.add(file.path)
            return
        ref = self._view.entry(rows[0]).ref if rows else None
        self._known.append(ref or str(memory.ref))
        there = self._load(ref or "") or self._new.get(memory_id)  # neither: it was forgotten here, and stays so
        if there is None or statement.digests(there) != statement.digests(memory):
            self._different.append(self._known[-1])

    def save(self, verb: str, **saving: Unpack[Saving]) -> ImportedMemories:
        """Write the new memories as one operation; raises as `save_all`."""
        saved = save_all(self._view, self._edits, verb=verb, **saving)
        return ImportedMemories(saved=saved, known=tuple(self._known), different=tuple(self._different))
