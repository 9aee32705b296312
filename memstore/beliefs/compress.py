"""Compression: a memory that is old and was never used keeps its title and first sentence; git keeps the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Unpack

from memstore.beliefs.pool import quotable
from memstore.beliefs.revise import reworded
from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.change import Edit
from memstore.core.errors import RefusedError
from memstore.core.full_stops import first_sentence
from memstore.core.named import refs_of
from memstore.core.short_repr import short_repr
from memstore.core.titles import title_of
from memstore.core.transaction import Saving, again_where_changed, save_all
from memstore.files import splice
from memstore.history import HISTORY
from memstore.search.quality import days_since
from memstore.search.uses import uses_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.core.change import Saved
    from memstore.core.memory import Memory
    from memstore.core.named import Names
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile


FEWEST_DAYS = 30  # seed 002, "Existing Consolidator"
RECORDS = ("raw", "episode", "note", "encounter", "observation")
_ORDINARY = (None, "", "normal", "low")


def why_not(memory: Memory, *, days_old: float, uses: int, is_cited: bool) -> str | None:
    """Return why a memory must keep its whole text; None if its summary may replace it.

    Args:
        memory: the memory in its current state.
        days_old: days since it was created.
        uses: its number of uses.
        is_cited: whether another memory cites it.
    """
    reasons = (
        (memory.status != "active" or memory.ref is None, "it is not active, or has no id"),
        (memory.type not in RECORDS, f"memories of type {memory.type} don't record what happened"),
        (memory.compressed_from is not None, "it is already a summary"),
        (memory.signature is not None or bool(memory.witnesses), "its text is signed"),
        (memory.importance not in _ORDINARY or memory.foundational, "it is important"),
        (days_old <= FEWEST_DAYS, f"it is not older than {FEWEST_DAYS} days"),
        (uses > 0, "it was used"),
        (is_cited, "another memory cites it"),
    )
    return next((reason for holds, reason in reasons if holds), None)


def summary(title: str, text: str, *, has_title: bool) -> str:
    """Return the summary of a body: its first sentence, below the title if the frontmatter doesn't have it.

    Args:
        title: the text that serves as the memory's title.
        text: its first passage.
        has_title: whether the frontmatter has the title.
    """
    sentence = first_sentence(" ".join(text.split()))
    if has_title or sentence.startswith(title.rstrip("…")):
        return sentence
    return f"# {title}\n\n{sentence}"


# -- the use case ----------------------------------------------------------------------------------


_COLUMNS = ("type", "status", "owner", "created_at", "importance", "path")


class Sizes(NamedTuple):
    """The bytes of a file before and after."""

    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Compressed:
    """The memories that were replaced by their summaries, and the sizes of their files in the same order."""

    saved: tuple[Saved, ...]
    sizes: tuple[Sizes, ...]

    __repr__ = short_repr


@again_where_changed
def compress(view: View, memories: Names = (), **saving: Unpack[Saving]) -> Compressed:
    """Replace texts that are old and were never used by their summaries; `expand` with `full` still returns the texts.

    Args:
        view: the vault; its actor must be its owner, whose history it is.
        memories: the memories; empty for all that may be compressed.
        saving: dry_run, commit.

    Raises:
        NotFoundError: a ref names no memory.
        RefusedError: a named memory must keep its text, for the reason given; or the actor isn't the owner.
        GitError: the vault has no history that keeps the texts.
    """
    view.require_owner()
    view.of(HISTORY).require()
    found = _Found(view)
    files = [view.original(ref) for ref in refs_of(memories)] if memories else list(found.files())
    edits = []
    for file in view.with_progress("summarizing memories", files):
        edit = found.edit(file)
        if isinstance(edit, Edit):
            edits.append(edit)
        elif memories:
            raise RefusedError(
                f"{file.memory.ref or file.path} keeps its text: {edit}",
                hint="memstore beliefs compress without a REF takes all that may be compressed",
            )
    message = f"compress: older than {FEWEST_DAYS} days, 0 uses"
    saved = save_all(view, edits, verb="compress", message=message, **saving)
    sizes = tuple(Sizes(len(edit.before.data) if edit.before else 0, len(edit.after)) for edit in edits)
    return Compressed(saved=saved, sizes=sizes)


def summary_of(file: MemoryFile) -> str:
    """Return the summary of a memory; empty if it has no words to quote."""
    said = quotable(file)
    memory = file.memory
    return summary(title_of(memory), said[0][0], has_title=bool(memory.title)) if said else ""


class _Found:
    """The facts that decide about compression: uses, citations, and what git keeps."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._now = view.clock.now()
        self._uses = uses_of(view)
        self._cited = frozenset(_cited(view))
        self._head = view.of(HISTORY).head() or ""
        self._committed = view.of(HISTORY).files_at(self._head) if self._head else {}

    def files(self) -> Iterator[MemoryFile]:
        """Yield the actor's files that the catalogue allows to be compressed, by path."""
        columns = {name: self._view.column(name) for name in _COLUMNS}
        rows = [
            row
            for row in self._view.rows
            if columns["type"][row] in RECORDS
            and columns["status"][row] == "active"
            and columns["owner"][row] in ("", self._view.actor)
            and columns["importance"][row] in _ORDINARY
            and (days_since(columns["created_at"][row], self._now) or 0.0) > FEWEST_DAYS
        ]
        for path in sorted(columns["path"][row] for row in rows):
            if file := self._view.read(path):
                yield file

    def edit(self, file: MemoryFile) -> Edit | str:
        """Return the edit that leaves only the summary, or the reason to keep the text."""
        memory = file.memory
        against = why_not(
            memory,
            days_old=days_since(memory.created_at or "", self._now) or 0.0,
            uses=len(self._uses.get(memory.id or "", ())),
            is_cited=memory.id in self._cited or f"file:{file.path}" in self._cited,
        )
        if against:
            return against
        blob = self._view.of(HISTORY).blob_id(file.data)
        if self._committed.get(file.path) != blob:
            return "it is not committed as it is now, so its text would be lost"
        left = summary_of(file)
        if not left:
            return "it has no words to quote"
        kept = splice.SetValue("compressed_from", {"commit": self._head, "blob": blob})
        data = splice.apply_to_text(file.path, reworded(file.text, left), [kept])
        if len(data) >= len(file.data):
            return "it is as short as its summary"
        return Edit(path=file.path, before=file, after=data)


def _cited(view: View) -> Iterator[str]:
    """Yield the ids that memories cite in their texts, and `file:PATH` of the files that they were derived from."""
    for cell in filter(None, view.column("cites")):
        yield from (ref.partition(":")[2] for ref in cell.split(ITEM_SEPARATOR))
    for cell in filter(None, view.column("derived_from")):
        yield from (mark.partition("#")[0] for mark in cell.split(ITEM_SEPARATOR) if mark.startswith("file:"))
