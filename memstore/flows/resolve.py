"""From what a person typed for a memory to its entry."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from memstore.errors import NotFoundError
from memstore.flows.looks import note_denied, note_shown
from memstore.flows.visible import sees_unreadable, visible_rows
from memstore.model.ids import MEMORY_TYPES, SHORTEST_PREFIX
from memstore.model.nearest import did_you_mean
from memstore.rules.vault_places import MEMORY_SUFFIX

if TYPE_CHECKING:
    from memstore.model.catalog import Entry
    from memstore.ports.search_index import Catalog, Snapshot
    from memstore.ports.workspace import Workspace

MOST_CANDIDATES = 10


def resolve(ws: Workspace, text: str, *, snapshot: Snapshot) -> Entry:
    """Return the memory that `text` means: `type:id`, an id, a unique beginning of one (3 characters), or a path.

    Paths are relative to the vault's folder, or to the one in which whoever asks is.

    Raises:
        NotFoundError: no memory answers to it, several do, it has another type, or it may not be seen, which reads as
            if it were not there.
    """
    asked = text.strip().removeprefix("[[").removesuffix("]]")
    kind, colon, memory_id = asked.partition(":")
    if not colon or kind not in MEMORY_TYPES:
        kind, memory_id = "", asked
    found = _candidates(ws, snapshot, asked, memory_id)
    if not found:
        note_denied(ws, snapshot.catalog, memory_id)
        raise _unknown(ws, snapshot, asked, memory_id)
    of_kind = [entry for entry in found if kind in ("", entry.type)]
    if not of_kind:
        raise _other_type(asked, kind, found)
    if len(of_kind) > 1:
        raise _ambiguous(asked, of_kind)
    note_shown(ws, "named", [of_kind[0].id])
    return of_kind[0]


def _candidates(ws: Workspace, snapshot: Snapshot, asked: str, memory_id: str) -> list[Entry]:
    """Return the visible memories that `asked` may mean: by id, else by path, else by the beginning of the id."""
    catalog, rows = snapshot.catalog, visible_rows(ws, snapshot)
    visible = set(rows)
    same_id = [row for row in catalog.rows_of_id(memory_id) if row in visible]
    if same_id:
        return [catalog.entry(row) for row in same_id]
    paths = catalog.column("path")
    for path in _paths_meant(ws, asked):
        same_path = [row for row in rows if paths[row] == path]
        if same_path:
            return [catalog.entry(row) for row in same_path]
    if len(memory_id) < SHORTEST_PREFIX:
        return []
    ids = catalog.column("id")
    return [catalog.entry(row) for row in rows if ids[row].startswith(memory_id)]


def _paths_meant(ws: Workspace, asked: str) -> list[str]:
    """Return the paths in the vault that `asked` may mean: from the vault's folder, from where one is, or whole."""
    if not asked.endswith(MEMORY_SUFFIX):
        return []
    if asked.startswith("/"):
        return [asked.removeprefix(f"{ws.vault.root}/")]
    from_here = [posixpath.normpath(f"{ws.here}/{asked}")] if ws.here else []
    return [posixpath.normpath(asked), *from_here]


def _unknown(ws: Workspace, snapshot: Snapshot, asked: str, memory_id: str) -> NotFoundError:
    if sees_unreadable(ws):
        for path in _paths_meant(ws, asked):
            if why := _no_memory(snapshot.catalog, path):
                return why
    ids = snapshot.catalog.column("id")
    known = sorted({ids[row] for row in visible_rows(ws, snapshot)})
    otherwise = "memstore list shows what there is; memstore search finds by words"
    hint = did_you_mean(memory_id, known, otherwise=otherwise, similar=0.8)
    return NotFoundError(f"no memory answers to `{asked}`", hint=hint)


def _no_memory(catalog: Catalog, path: str) -> NotFoundError | None:
    """Return why the file at a path is no memory; None where there is none."""
    paths = catalog.column("path")
    if any(paths[row] == path for row in catalog.broken):
        return NotFoundError(f"`{path}` can't be read as a memory", hint=f"memstore check {path}")
    if any(paths[row] == path for row in catalog.plain):
        return NotFoundError(f"`{path}` is no memory: it has no frontmatter", hint=f"memstore adopt {path}")
    return None


def _other_type(asked: str, kind: str, found: list[Entry]) -> NotFoundError:
    refs = " or ".join(entry.ref or entry.path for entry in found[:MOST_CANDIDATES])
    return NotFoundError(f"`{asked}` names no {kind}: that memory is {refs}", hint=f"write {refs}")


def _ambiguous(asked: str, found: list[Entry]) -> NotFoundError:
    shown = sorted(found, key=lambda entry: (entry.ref or "", entry.path))[:MOST_CANDIDATES]
    lines = [f"  {entry.ref}  {entry.title}  {entry.path}" for entry in shown]
    more = [f"  … and {len(found) - len(shown)} more"] if len(found) > len(shown) else []
    return NotFoundError(
        "\n".join([f"`{asked}` may mean {len(found)} memories:", *lines, *more]),
        hint="write more of the id, or the path",
    )
