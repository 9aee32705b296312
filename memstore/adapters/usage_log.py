"""The log of uses, a file of the vault's local state: one JSON object a line, added by one `write` each."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from memstore.adapters.local_state import NOT_FOLLOWED, append_line
from memstore.model.instants import instant
from memstore.ports.usage import Use

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

NAME = "usage.jsonl"
_TEXT = rb'[^"\\\x00-\x1f\x80-\xff]+'
# A use as `record` writes it, wherever on a line: the one after a torn line stands behind its rest. JSON would be read
# several times slower.
_USE = rb'\{"id":"(%%s)","at":"(%s)","by":"(%s)","how":"(%s)"[,}]' % (_TEXT, _TEXT, _TEXT)


class DiskUsage:
    """Remembers uses beyond the end of the program.

    Args:
        state: the folder of the vault's local state; made when it is first needed.
        records: whether new uses are remembered; what was recorded before is known all the same.
    """

    def __init__(self, state: Path, *, records: bool = True) -> None:
        self.path = state / NAME
        self._records = records
        self._read: tuple[tuple[int, ...], bytes] = ((), b"")

    def record(self, use: Use) -> None:
        """Remember a use; forget it silently where that can't be done."""
        if not self._records:
            return
        import json

        line = json.dumps(
            {"id": use.memory_id, "at": instant(use.at), "by": use.by, "how": use.how}, separators=(",", ":")
        )
        with suppress(OSError):
            append_line(self.path, line.encode())

    def uses(self, memory_ids: Collection[str] | None = None) -> Iterator[Use]:
        """Yield the uses of these memories, or of all, in no order; what can't be read is left out."""
        wanted = _TEXT if memory_ids is None else b"|".join(re.escape(one.encode()) for one in memory_ids if one)
        if not wanted:
            return
        for memory_id, at, by, how in re.findall(_USE % wanted, self._data()):
            time = _time(at.decode())
            if time is not None:
                yield Use(memory_id.decode(), time, by.decode(), how.decode())

    def _data(self) -> bytes:
        """Return the log's bytes; they are read again only when the file has changed."""
        with suppress(OSError):
            handle = os.open(self.path, os.O_RDONLY | NOT_FOLLOWED)
            with os.fdopen(handle, "rb") as file:
                status = os.fstat(handle)
                mark = (status.st_size, status.st_mtime_ns, status.st_ino)
                if not stat.S_ISREG(status.st_mode):
                    return b""
                if mark != self._read[0]:
                    self._read = (mark, file.read())
                return self._read[1]
        return b""


def _time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else None
