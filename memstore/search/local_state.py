"""Local data of searches: a cache of values that take long to compute, and the log of deliberate uses.

Computed values are kept in the user's cache, in one JSON file per name, until their sources change; nobody else can
write to it. The log has one JSON object per line, each appended with a single `write`.
"""

from __future__ import annotations

import json
import os
import re
import stat
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from memstore.core.times import instant
from memstore.files.local_state import NOT_FOLLOWED, append_line, is_private, make_private
from memstore.search.index import APART, APART_ALL, GISTS
from memstore.search.usage_log import Use

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
    """A folder of files, each with a checksum; a file that is damaged or of another state is ignored.

    Args:
        cache: the folder for data derived from the vault; used only if nobody else can write to it.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._folder = cache / _FOLDER

    def last(self, name: str, state: str) -> Kept:
        """Return the values stored under a name for that state; empty for another state or if they can't be read."""
        if not (is_private(self._cache) and is_private(self._folder)):
            return {}
        try:
            return _read((self._folder / name).read_bytes(), state)
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def keep(self, name: str, state: str, found: Kept) -> None:
        """Store values under a name, in place of the previous ones; a failed write is not an error."""
        from memstore.files.local_state import write_whole

        with suppress(OSError):
            make_private(self._cache)
            make_private(self._folder)
            if is_private(self._cache) and is_private(self._folder):
                write_whole(self._folder / name, _record_bytes(state, found), mode=0o600, lasts=False)


def drop_gists(cache: Path, *, but: Collection[str]) -> None:
    """Delete the gists of all revisions except these blob ids, because a gist contains words of its memory."""
    with suppress(OSError):
        gone = [one for one in (cache / _FOLDER).glob(f"{GISTS}*") if one.name.removeprefix(GISTS) not in but]
        for place in (*gone, *((cache / _FOLDER / name for name in (APART, APART_ALL)) if gone else ())):
            place.unlink(missing_ok=True)


def drop_of_all(cache_home: Path, name: str) -> None:
    """Delete the values stored under a name in the caches of all vaults below a folder."""
    for place in (cache_home / "memstore").glob(f"*/{_FOLDER}/{name}"):
        with suppress(OSError):
            place.unlink()


def drop_derived(cache: Path) -> None:
    """Delete all computed values; errors are ignored, because then the cache can't be written either."""
    import shutil

    with suppress(OSError):
        shutil.rmtree(cache / _FOLDER)


def _record_bytes(state: str, found: Kept) -> bytes:
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
# A use as `record` writes it, anywhere in a line: the one after a torn line follows its remainder. Parsing JSON would
# be several times slower.
_USE = rb'\{"id":"(%%s)","at":"(%s)","by":"(%s)","how":"(%s)"[,}]' % (_TEXT, _TEXT, _TEXT)


class DiskUsage:
    """A log of uses on disk.

    Args:
        state: the folder of the vault's local state; created when first needed.
        records: whether new uses are recorded; earlier ones are read in any case.
    """

    def __init__(self, state: Path, *, records: bool = True) -> None:
        self.path = state / NAME
        self._records = records
        self._read: tuple[tuple[int, ...], bytes] = ((), b"")

    def record(self, use: Use) -> None:
        """Record a use; a failed write is ignored."""
        if not self._records:
            return
        import json

        line = json.dumps(
            {"id": use.memory_id, "at": instant(use.at), "by": use.by, "how": use.how}, separators=(",", ":")
        )
        with suppress(OSError):
            append_line(self.path, line.encode())

    def uses(self, memory_ids: Collection[str] | None = None) -> Iterator[Use]:
        """Yield the uses of these memories, or of all, in no particular order; unreadable entries are skipped."""
        wanted = _TEXT if memory_ids is None else b"|".join(re.escape(one.encode()) for one in memory_ids if one)
        data = self._data() if wanted else b""
        for memory_id, at, by, how in re.findall(_USE % wanted, data) if data else ():
            time = _time(at.decode())
            if time is not None:
                yield Use(memory_id.decode(), time, by.decode(), how.decode())

    def _data(self) -> bytes:
        """Return the log's bytes; the file is read again only if it has changed."""
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
