"""What searches keep on this machine: values that take long to compute, and the log of uses on purpose.

Computed values lie in the user's cache, one JSON file a name, until what they came from changes; nobody else can have
written a byte of them. The log has one JSON object a line, added by one `write` each.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from memstore.core.times import instant
from memstore.files.local_state import NOT_FOLLOWED, append_line, is_private, make_private
from memstore.search.index import GISTS
from memstore.search.uses import Use

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path


# -- local state -----------------------------------------------------------------------------------


Kept = Mapping[str, Sequence[str]]
"""For each thing, mostly a blob, what was computed of it."""


# -- computed values -------------------------------------------------------------------------------


VERSION = 1
_FOLDER = "derived"


class DerivedCache:
    """A folder of files, each with a checksum; one that is damaged, or of another state, is as good as none.

    Args:
        cache: the folder for what is derived from the vault; it is used only while nobody else can write into it.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._folder = cache / _FOLDER

    def last(self, name: str, state: str) -> Kept:
        """Return what was kept under a name in that state; nothing in any other, or where none can be read."""
        if not (is_private(self._cache) and is_private(self._folder)):
            return {}
        try:
            return _read((self._folder / name).read_bytes(), state)
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def keep(self, name: str, state: str, found: Kept) -> None:
        """Keep something in place of what was kept under the name; not being able to is no error."""
        from memstore.files.local_state import write_whole

        with suppress(OSError):
            make_private(self._cache)
            make_private(self._folder)
            if is_private(self._cache) and is_private(self._folder):
                write_whole(self._folder / name, _written(state, found), mode=0o600, lasts=False)


def drop_gists(cache: Path, *, but: Collection[str]) -> None:
    """Delete the gists of all revisions but these, by blob: a gist has the words of what it was made of."""
    with suppress(OSError):
        for place in (cache / _FOLDER).glob(f"{GISTS}*"):
            if place.name.removeprefix(GISTS) not in but:
                place.unlink(missing_ok=True)


def drop_derived(cache: Path) -> None:
    """Delete all that was kept; what can't be deleted is in a cache that can't be written."""
    with suppress(OSError):
        shutil.rmtree(cache / _FOLDER)


def _written(state: str, found: Kept) -> bytes:
    facts = {"version": VERSION, "state": state, "found": {key: list(values) for key, values in found.items()}}
    whole = json.dumps(facts, separators=(",", ":")).encode()
    return b"%08x %s" % (zlib.crc32(whole), whole)


def _read(data: bytes, state: str) -> Kept:
    if int(data[:8], 16) != zlib.crc32(data[9:]):
        return {}
    facts = json.loads(data[9:])
    if (facts["version"], facts["state"]) != (VERSION, state):
        return {}
    return {str(key): [str(value) for value in values] for key, values in facts["found"].items()}


# -- uses ------------------------------------------------------------------------------------------


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
