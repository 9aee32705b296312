"""What is going on in the vault: what is not committed, what could be adopted, what is broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec.memory_file import BrokenFile
from memstore.errors import VaultError
from memstore.model.one_line import one_line
from memstore.rules.commit_messages import verb
from memstore.rules.differences import differences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.view import View
    from memstore.model.change import MemoryChange
    from memstore.ports.history import HookState, Repository


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

    __repr__ = one_line


def status(view: View) -> Status:
    """Return what is going on in the vault."""
    repository = view.history.repository
    changes = view.pending().changes.memories if repository else ()
    broken = _paths(view, view.broken)
    untyped = frozenset(path for path in broken if _lacks_only_its_type(view, path))
    return Status(
        memories=len(view.rows),
        is_owners=view.is_owners,
        repository=repository,
        uncommitted=tuple(_uncommitted(change) for change in changes),
        own_files=tuple(sorted(view.own_pending())) if repository else (),
        plain=tuple(sorted({*_paths(view, view.plain), *untyped})),
        broken=tuple(path for path in broken if path not in untyped),
        hooks=view.history.hooks.states() if repository else {},
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


def _lacks_only_its_type(view: View, path: str) -> bool:
    try:
        file = view.whole.read_file(path)
    except VaultError:
        return False
    return isinstance(file, BrokenFile) and file.lacks_only_its_type


def _paths(view: View, rows: Sequence[int]) -> tuple[str, ...]:
    if not view.is_owners:
        return ()
    paths = view.column("path")
    return tuple(sorted(paths[row] for row in rows))
