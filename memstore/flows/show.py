"""Show one memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.errors import ChangedMeanwhileError
from memstore.flows.at import commit_at
from memstore.flows.audience import view
from memstore.flows.resolve import resolve
from memstore.flows.uses import record_use, strength_of, uses_of
from memstore.flows.visible import sees

if TYPE_CHECKING:
    from datetime import datetime

    from memstore.codec.memory_file import MemoryFile
    from memstore.flows.audience import View
    from memstore.model.catalog import Entry
    from memstore.model.memory import Memory
    from memstore.ports.workspace import Workspace
    from memstore.rules.strength import Strength


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A memory and its file: `values` are the frontmatter's as they stand there, `revision` is the git blob id.

    `commit` is the commit of which this is the state; None: the file as it is now. `confidence_now` is the confidence
    as evidence fades, None where none is held; `quality` how far it may be relied on; both in [0,1] and of today.
    `strength` is how readily it came to mind before this look.
    """

    entry: Entry
    memory: Memory
    values: dict[str, Any]
    revision: str
    commit: str | None
    confidence_now: float | None
    quality: float
    strength: Strength


def show_memory(ws: Workspace, ref: str, *, at: str | None = None) -> Shown:
    """Return the memory that `ref` names, now or as of a commit or a date; a look at it as it is now is a use.

    Raises:
        NotFoundError: there is none that the viewer may see.
        UsageError: `at` is neither a date nor a commit.
    """
    from memstore.codec import git_blob, memory_file
    from memstore.rules.beliefs import held_now

    commit = None if at is None else commit_at(ws, at)
    then = view(ws, commit)
    entry = resolve(ws, ref, snapshot=then.snapshot)
    file = memory_file.read(entry.path, then.read(entry.path))
    # Decided again on the bytes that are shown: the file may have changed since the snapshot.
    if not isinstance(file, memory_file.MemoryFile) or not sees(ws, file.memory):
        raise ChangedMeanwhileError(f"{entry.path} changed while it was read", hint="try again")
    now = ws.clock.now()
    shown = Shown(
        entry=entry,
        memory=file.memory,
        values=file.front.values,
        revision=git_blob.blob_id(file.data, git_blob.format_of(entry.blob)),
        commit=commit,
        confidence_now=held_now(file.memory, now),
        quality=_quality(then, entry, file, now),
        strength=strength_of(file.memory.created_at, uses_of(ws, [entry.id]).get(entry.id, []), now),
    )
    if commit is None:
        record_use(ws, entry.id, "show")
    return shown


def _quality(then: View, entry: Entry, file: MemoryFile, now: datetime) -> float:
    """Return the quality that a search would report."""
    from memstore.flows.audience import Audience
    from memstore.flows.cite import cites_standing_lines
    from memstore.flows.opened import Opened
    from memstore.rules import quality

    memory = file.memory
    return quality.quality(
        quality.base(memory.confidence, memory.channel or "", memory.source_type or ""),
        days_old=quality.days_between(memory.created_at or "", now),
        cites=cites_standing_lines(Audience(then), Opened(entry, file.data, file.text)),
    )


def path_of(ws: Workspace, ref: str) -> Entry:
    """Return the entry of the memory that `ref` names, whose file need not be opened for it."""
    return resolve(ws, ref, snapshot=ws.library.snapshot())
