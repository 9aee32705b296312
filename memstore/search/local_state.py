"""What searches keep on this machine: values that take long to compute, and the log of uses on purpose.

Computed values lie in the user's cache, one JSON file a name, until what they came from changes; nobody else can have
written a byte of them. What counts as a use is logged for this user alone, no repository holds it: one JSON object a
line, added by one `write` each.
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
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from memstore.core.times import instant
from memstore.files.local_state import NOT_FOLLOWED, append_line, is_private, make_private

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from memstore.core.view import View


# What counts as a use. Being listed, found or surfaced is none.
How = Literal["show", "expand", "cite", "accept"]


class Use(NamedTuple):
    """One use of a memory: when, in UTC, by which entity, and how (`How`; another version may know other words)."""

    memory_id: str
    at: datetime
    by: str
    how: str


class UsageLog(Protocol):
    """Remembers uses as well as it can; it never fails, since nothing but a number depends on it."""

    @property
    def path(self) -> Path | None:
        """Where it lies, there or not yet; None where nothing is remembered."""

    def record(self, use: Use) -> None:
        """Remember a use; forget it silently where that can't be done."""

    def uses(self, memory_ids: Collection[str] | None = None) -> Iterator[Use]:
        """Yield the uses of these memories, or of all, in no order; what can't be read is left out."""


# -- asking and noting -----------------------------------------------------------------------------


def record_use(view: View, memory_id: str | None, how: How) -> None:
    """Remember that the one who looks used a memory, which they may see; one without an id can't be remembered."""
    if memory_id:
        view.usage.record(Use(memory_id, view.clock.now(), view.actor, how))


def uses_of(view: View, memory_ids: Collection[str] | None = None) -> Mapping[str, list[Use]]:
    """Return the uses of these memories, or of all, by id, oldest first; those without any are left out.

    The log is its user's, so the vault's owner knows of everybody's uses. Anybody else knows of their own: what the
    owner reads must not show in what others are told.
    """
    sees_all = view.is_owners
    found: dict[str, list[Use]] = {}
    for use in view.usage.uses(memory_ids):
        if sees_all or use.by == view.actor:
            found.setdefault(use.memory_id, []).append(use)
    for uses in found.values():
        uses.sort()
    return found


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
                write_whole(self._folder / name, _written(state, found), mode=0o600)


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
