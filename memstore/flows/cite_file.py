"""Lines of any file as a source of a memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memstore.codec.line_map import LineMap
from memstore.errors import UsageError
from memstore.flows.visible import sees_unreadable, visible_file
from memstore.rules.vault_places import is_memory_path

if TYPE_CHECKING:
    from memstore.ports.workspace import Workspace

BLOB_DIGITS = 10
_LINES = re.compile(r"L?(\d{1,9})(?:-L?(\d{1,9}))?")


def may_be_cited(ws: Workspace, path: str) -> bool:
    """Whether a file may be cited: where memories lie only what the actor sees; `path` is as seen from the vault."""
    return not is_memory_path(path) or sees_unreadable(ws) or visible_file(ws, path) is not None


def cite_file(ws: Workspace, path: str, data: bytes, lines: str) -> str:
    """Return lines of a file as a source: `file:path#L1-L2@blob`.

    Args:
        ws: the vault.
        path: the file, as seen from the vault's folder.
        data: its bytes.
        lines: `L10-L20`, `10-20` or `L10`; from 1, both inclusive.

    Raises:
        UsageError: these are no lines, or the file does not have them.
    """
    found = _LINES.fullmatch(lines)
    if found is None:
        raise UsageError(f"`{lines}` are no lines", hint="write PATH:L10-L20")
    first, last = int(found[1]), int(found[2] or found[1])
    count = LineMap(data).line_count
    if not 1 <= first <= last <= count:
        raise UsageError(f"{path} has {count} lines, and no lines {first} to {last}")
    span = f"L{first}" if first == last else f"L{first}-L{last}"
    return f"file:{path}#{span}@{ws.history.blob_id(data)[:BLOB_DIGITS]}"
