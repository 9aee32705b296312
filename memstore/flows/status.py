"""What is going on in the vault: what is not committed, what could be adopted, what is broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec.memory_file import BrokenFile
from memstore.errors import VaultError
from memstore.flows.pending import own_pending, pending
from memstore.flows.save import lacks_only_its_type
from memstore.flows.visible import sees_unreadable, visible_rows
from memstore.ports.vault import read_file
from memstore.rules.commit_messages import verb
from memstore.rules.differences import differences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.model.change import MemoryChange
    from memstore.ports.history import HookState, Repository
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncommitted:
    """One memory that differs from the current commit; `verb` is what was done, `details` what became different."""

    verb: str
    name: str
    path: str
    path_before: str | None
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state of the vault for one viewer.

    `is_owners` tells that the viewer may know of the commit: its id changes with memories that others don't see.
    `own_files` are the vault's own files, like its settings, that are not committed as they are.
    `repository` is None where there is no history, and then nothing is known of `uncommitted`. `plain` are Markdown
    files without frontmatter, or with one that only lacks the type, as of other programs' notes; `broken` files that
    can't be read.
    """

    memories: int
    is_owners: bool
    repository: Repository | None
    uncommitted: tuple[Uncommitted, ...]
    own_files: tuple[str, ...]
    plain: tuple[str, ...]
    broken: tuple[str, ...]
    hooks: Mapping[str, HookState]


def status(ws: Workspace) -> Status:
    """Return what is going on in the vault."""
    snapshot = ws.library.snapshot()
    repository = ws.history.repository
    changes = pending(ws, snapshot).changes.memories if repository else ()
    catalog = snapshot.catalog
    broken = _paths(ws, snapshot, catalog.broken)
    untyped = frozenset(path for path in broken if _lacks_only_its_type(ws, path))
    return Status(
        memories=len(visible_rows(ws, snapshot)),
        is_owners=sees_unreadable(ws),
        repository=repository,
        uncommitted=tuple(_uncommitted(change) for change in changes),
        own_files=tuple(sorted(own_pending(ws))) if repository else (),
        plain=tuple(sorted({*_paths(ws, snapshot, catalog.plain), *untyped})),
        broken=tuple(path for path in broken if path not in untyped),
        hooks=ws.history.hooks.states() if repository else {},
    )


def _uncommitted(change: MemoryChange) -> Uncommitted:
    before, after = change.before, change.after
    return Uncommitted(
        verb=verb(change),
        name=change.name,
        path=change.path_after or change.path_before or "",
        path_before=change.path_before if change.is_move else None,
        details=differences(before, after) if before and after else (),
    )


def _lacks_only_its_type(ws: Workspace, path: str) -> bool:
    try:
        file = read_file(ws.vault, path)
    except VaultError:
        return False
    return isinstance(file, BrokenFile) and lacks_only_its_type(file)


def _paths(ws: Workspace, snapshot: Snapshot, rows: Sequence[int]) -> tuple[str, ...]:
    if not sees_unreadable(ws):
        return ()
    paths = snapshot.catalog.column("path")
    return tuple(sorted(paths[row] for row in rows))
