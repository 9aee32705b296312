"""Give a memory's file another name; the memory stays the same, its id says which it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.errors import ChangedMeanwhileError, RefusedError, UsageError, VaultError
from memstore.flows.amend import opened_for_change
from memstore.flows.save import can_commit, commit_written, refuse_as_not_owner
from memstore.flows.visible import owns, sees_unreadable
from memstore.model.instants import instant
from memstore.ports.journal import Operation, Written
from memstore.rules.vault_places import MEMORY_SUFFIX, is_memory_path

if TYPE_CHECKING:
    from memstore.codec.memory_file import MemoryFile
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A memory whose file has, or would have, another path."""

    ref: str | None
    path_before: str
    path: str
    commit: str | None = None


def move(ws: Workspace, ref: str, to: str, *, dry_run: bool = False, commit: bool = False) -> Moved:
    """Move the file of a memory within the vault.

    Args:
        ws: the vault.
        ref: the memory.
        to: its new path, relative to the vault; one that ends with a slash is a folder, and the name stays.
        dry_run: move nothing, and return what would be.
        commit: commit it, too.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: no memory can lie at that path.
        ChangedMeanwhileError: there is a file already.
    """
    file = opened_for_change(ws, ref)
    if not owns(ws, file.memory):
        refuse_as_not_owner(ws, file)
    path = _target(file, to)
    moved = Moved(ref=str(file.memory.ref) if file.memory.ref else None, path_before=file.path, path=path)
    if path == file.path:
        return moved
    if not sees_unreadable(ws) and (file.memory.id or "/") not in path.rpartition("/")[2]:
        # Any other name may be taken by a memory that they may not know of.
        raise RefusedError(
            f"only {ws.config.owner} gives files any name they like here",
            hint="keep the memory's id in the name, or name a folder: memstore mv REF folder/",
        )
    if dry_run:
        _must_be_free(ws, path)
        return moved
    commit = commit or ws.config.auto_commit
    if commit:
        can_commit(ws)
    with ws.vault.lock():
        ws.vault.move(file.path, path)
        written = (Written(file.path, file.data, None), Written(path, None, file.data))
        ws.journal.record(Operation("mv", instant(ws.clock.now()), written, ws.actor))
    if not commit:
        return moved
    made = commit_written(ws, [path, file.path])
    return Moved(ref=moved.ref, path_before=moved.path_before, path=path, commit=made)


def _target(file: MemoryFile, to: str) -> str:
    name = file.path.rpartition("/")[2]
    whole = f"{to}/{name}" if to.endswith("/") or to in (".", "") else to
    parts = [part for part in whole.split("/") if part not in ("", ".")]
    path = "/".join(parts)
    if ".." in parts:
        raise UsageError(f"{to} may lie outside the vault", hint="write a path below the vault's folder")
    if not is_memory_path(path):
        raise UsageError(
            f"no memory can lie at {path or to}",
            hint=f"end the name with {MEMORY_SUFFIX}, or a folder's with /; hidden and reserved names hold no memories",
        )
    return path


def _must_be_free(ws: Workspace, path: str) -> None:
    try:
        ws.vault.read(path)
    except VaultError:
        return
    raise ChangedMeanwhileError(f"there is a file {path} already", hint="choose another name")
