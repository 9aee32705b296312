"""Lines of any file as a source of a memory."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.codec.line_map import LineMap
from memstore.errors import UsageError

if TYPE_CHECKING:
    from memstore.core.view import View

BLOB_DIGITS = 10
_LINES = re.compile(r"L?(\d{1,9})(?:-L?(\d{1,9}))?")


def seen_from(root: Path, path: Path) -> str:
    """Return a file's path as seen from a folder, links followed."""
    return Path(os.path.relpath(path.resolve(), root.resolve())).as_posix()


def cite_file(view: View, path: str, data: bytes, lines: str) -> str:
    """Return lines of a file as a source: `file:path#L1-L2@blob`.

    Args:
        view: the vault.
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
    return f"file:{path}#{span}@{view.history.blob_id(data)[:BLOB_DIGITS]}"
