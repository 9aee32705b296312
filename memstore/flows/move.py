"""Give a memory's file another name; the memory stays the same, its id says which it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memstore.core.again import again_where_changed
from memstore.errors import RefusedError, UsageError
from memstore.flows.save import refuse_as_not_owner
from memstore.rules.vault_places import MEMORY_SUFFIX, is_memory_path

if TYPE_CHECKING:
    from memstore.codec.memory_file import MemoryFile
    from memstore.core.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A memory whose file has, or would have, another path."""

    ref: str | None
    path_before: str
    path: str
    commit: str | None = None


@again_where_changed
def move(view: View, ref: str, to: str, *, dry_run: bool = False, commit: bool = False) -> Moved:
    """Move the file of a memory within the vault.

    Args:
        view: the vault.
        ref: the memory.
        to: its new path, relative to the vault; one that ends with a slash is a folder, and the name stays.
        dry_run: move nothing, and return what would be.
        commit: commit it, too.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: no memory can lie at that path.
        ChangedMeanwhileError: there is a file already.
    """
    file = view.original(ref)
    if not view.owns(file.memory):
        refuse_as_not_owner(view, file)
    path = _target(file, to)
    moved = Moved(ref=str(file.memory.ref) if file.memory.ref else None, path_before=file.path, path=path)
    if path == file.path:
        return moved
    folders, _, name = path.rpartition("/")
    if not view.is_owners and ((file.memory.id or "/") not in name or MEMORY_SUFFIX in folders):
        # Any other name may be taken by a memory that they may not know of, also that of a folder.
        raise RefusedError(
            f"only {view.config.owner} gives files any name they like here",
            hint="keep the memory's id in the name, or name a folder: memstore mv REF folder/",
        )
    with view.transaction("mv", dry_run=dry_run, commit=commit) as change:
        change.move(file, path)
    return replace(moved, commit=change.commit)


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
