"""Show one memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.errors import ChangedMeanwhileError
from memstore.flows.at import commit_at
from memstore.flows.audience import view
from memstore.flows.resolve import resolve

if TYPE_CHECKING:
    from memstore.model.catalog import Entry
    from memstore.model.memory import Memory
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A memory and its file: `values` are the frontmatter's as they stand there, `revision` is the git blob id.

    `commit` is the commit of which this is the state; None: the file as it is now.
    """

    entry: Entry
    memory: Memory
    values: dict[str, Any]
    revision: str
    commit: str | None


def show_memory(ws: Workspace, ref: str, *, at: str | None = None) -> Shown:
    """Return the memory that `ref` names, now or as of a commit or a date.

    Raises:
        NotFoundError: there is none that the viewer may see.
        UsageError: `at` is neither a date nor a commit.
    """
    from memstore.codec import git_blob, memory_file
    from memstore.codec.memory_file import MemoryFile
    from memstore.rules.access import may_see

    commit = None if at is None else commit_at(ws, at)
    then = view(ws, commit)
    entry = resolve(ws, ref, snapshot=then.snapshot)
    file = memory_file.read(entry.path, then.read(entry.path))
    # Decided again on the bytes that are shown: the file may have changed since the snapshot.
    if not isinstance(file, MemoryFile) or not may_see(file.memory.owner or "", ws.actor, ws.config.owner):
        raise ChangedMeanwhileError(f"{entry.path} changed while it was read", hint="try again")
    return Shown(
        entry=entry,
        memory=file.memory,
        values=file.front.values,
        revision=git_blob.blob_id(file.data, git_blob.format_of(entry.blob)),
        commit=commit,
    )


def path_of(ws: Workspace, ref: str) -> Entry:
    """Return the entry of the memory that `ref` names, whose file need not be opened for it."""
    return resolve(ws, ref, snapshot=ws.library.snapshot())
