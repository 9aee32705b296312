"""Compress: what is old and was never used keeps its title and first sentence; git keeps the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memstore.codec import memory_file, splice
from memstore.codec.memory_file import MemoryFile
from memstore.codec.titles import title_of
from memstore.errors import RefusedError
from memstore.flows.amend import opened_for_change
from memstore.flows.consolidation_pool import quotable
from memstore.flows.revise import reworded
from memstore.flows.save import Edit, save_all
from memstore.flows.uses import uses_of
from memstore.flows.visible import stop_for_others, visible_file, visible_rows
from memstore.model.catalog import ITEM_SEPARATOR
from memstore.rules import compression
from memstore.rules.quality import days_since

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.flows.save import Saved
    from memstore.model.memory import Memory
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


_COLUMNS = ("type", "status", "owner", "created_at", "importance", "path")


class Sizes(NamedTuple):
    """The bytes of a file before and after."""

    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Compressed:
    """What became of the memories that gave way to their summary, and the sizes of their files in the same order."""

    saved: tuple[Saved, ...]
    sizes: tuple[Sizes, ...]


def compress(ws: Workspace, refs: Sequence[str] = (), *, dry_run: bool = False, commit: bool = False) -> Compressed:
    """Put summaries in the place of texts that are old and were never used; `expand` with `full` gives them back.

    Args:
        ws: the vault; its actor must be its owner, whose history it is.
        refs: which memories; empty for all of which nothing speaks against it.
        dry_run: write nothing, and return what would be.
        commit: commit the summaries, too.

    Raises:
        NotFoundError: a ref names no memory.
        RefusedError: a memory that was named keeps its text, for the reason given; or the actor isn't the owner.
        GitError: the vault has no history to keep the texts.
    """
    stop_for_others(ws)
    ws.history.require()
    found = _Found(ws)
    files = [opened_for_change(ws, ref) for ref in refs] if refs else list(found.files())
    edits = []
    for file in files:
        edit = found.edit(file)
        if isinstance(edit, Edit):
            edits.append(edit)
        elif refs:
            raise RefusedError(f"{file.memory.ref or file.path} keeps its text: {edit}")
    message = f"compress: older than {compression.FEWEST_DAYS} days, 0 uses"
    saved = save_all(ws, edits, verb="compress", dry_run=dry_run, commit=commit, message=message)
    sizes = tuple(Sizes(len(edit.before.data) if edit.before else 0, len(edit.after)) for edit in edits)
    return Compressed(saved=saved, sizes=sizes)


def summary_of(file: MemoryFile) -> str:
    """Return what would be left of a memory's text; empty where it has no words to quote."""
    said = quotable(file)
    memory = file.memory
    return compression.summary(title_of(memory), said[0][0], has_title=bool(memory.title)) if said else ""


def whole_of(ws: Workspace, memory: Memory) -> MemoryFile | None:
    """Return the file of which a memory is the summary, as the history keeps it; None where it has no such file.

    `compressed_from` may name any blob: what it holds must be the same memory.
    """
    return wholes_of(ws, [memory])[0]


def wholes_of(ws: Workspace, memories: Sequence[Memory]) -> list[MemoryFile | None]:
    """Return what `whole_of` does, of each of these memories; git is asked once."""
    blobs = [memory.compressed_from.blob if memory.compressed_from else "" for memory in memories]
    data = ws.history.blobs(filter(None, blobs)) if ws.history.repository and any(blobs) else {}
    files = [memory_file.read("", data[blob]) if blob in data else None for blob in blobs]
    return [
        file if isinstance(file, MemoryFile) and file.memory.id == memory.id else None
        for file, memory in zip(files, memories, strict=True)
    ]


class _Found:
    """What speaks for and against: uses, citations, and what git keeps."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._now = ws.clock.now()
        self._uses = uses_of(ws)
        self._snapshot = ws.library.snapshot()
        self._cited = frozenset(_cited(self._snapshot))
        self._head = ws.history.head() or ""
        self._committed = ws.history.files_at(self._head) if self._head else {}

    def files(self) -> Iterator[MemoryFile]:
        """Yield the actor's files of which nothing in the catalogue speaks against it, by path."""
        catalog = self._snapshot.catalog
        columns = {name: catalog.column(name) for name in _COLUMNS}
        rows = [
            row
            for row in visible_rows(self._ws, self._snapshot)
            if columns["type"][row] in compression.RECORDS
            and columns["status"][row] == "active"
            and columns["owner"][row] in ("", self._ws.actor)
            and columns["importance"][row] in ("", "normal", "low")
            and (days_since(columns["created_at"][row], self._now) or 0.0) > compression.FEWEST_DAYS
        ]
        for path in sorted(columns["path"][row] for row in rows):
            if file := visible_file(self._ws, path):
                yield file

    def edit(self, file: MemoryFile) -> Edit | str:
        """Return the edit that leaves the summary, or why the text stays."""
        memory = file.memory
        against = compression.why_not(
            memory,
            days_old=days_since(memory.created_at or "", self._now) or 0.0,
            uses=len(self._uses.get(memory.id or "", ())),
            is_cited=memory.id in self._cited or f"file:{file.path}" in self._cited,
        )
        if against:
            return against
        blob = self._ws.history.blob_id(file.data)
        if self._committed.get(file.path) != blob:
            return "it is not committed as it is, so nothing would keep its text"
        left = summary_of(file)
        if not left:
            return "it has no words to quote"
        kept = splice.SetValue("compressed_from", {"commit": self._head, "blob": blob})
        data = splice.apply_to_text(file.path, reworded(file.text, left), [kept])
        if len(data) >= len(file.data):
            return "it is as short as its summary"
        return Edit(path=file.path, before=file, after=data)


def _cited(snapshot: Snapshot) -> Iterator[str]:
    """Yield the ids that memories cite in their texts, and `file:PATH` of the files that they were made of."""
    catalog = snapshot.catalog
    for cell in filter(None, catalog.column("cites")):
        yield from (ref.partition(":")[2] for ref in cell.split(ITEM_SEPARATOR))
    for cell in filter(None, catalog.column("derived_from")):
        yield from (mark.partition("#")[0] for mark in cell.split(ITEM_SEPARATOR) if mark.startswith("file:"))
