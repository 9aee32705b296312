"""The log of what others were shown, a file of the vault's local state: one JSON object a line."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from memstore.adapters.local_state import append_line, private_bytes
from memstore.model.instants import instant
from memstore.ports.access_log import Access

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "access.jsonl"


class DiskAccessLog:
    """Remembers looks beyond the end of the program.

    Args:
        state: the folder of the vault's local state; made when it is first needed.
    """

    def __init__(self, state: Path) -> None:
        self._path = state / NAME

    def record(self, access: Access) -> None:
        """Remember a look; forget it silently where that can't be done."""
        said = {**access._asdict(), "at": instant(access.at)}
        with suppress(OSError):
            append_line(self._path, json.dumps(said, separators=(",", ":")).encode())

    def accesses(self) -> Iterator[Access]:
        """Yield all looks, the oldest first; what can't be read is left out."""
        for line in private_bytes(self._path).split(b"\n"):
            with suppress(ValueError, TypeError, KeyError):
                said = json.loads(line)
                yield Access(
                    at=datetime.fromisoformat(said["at"]),
                    by=said["by"],
                    context=said["context"],
                    how=said["how"],
                    shown=tuple(said["shown"]),
                    denied=tuple(said["denied"]),
                )
