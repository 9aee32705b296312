"""Verdicts in the user's cache: one file a viewer, of which nobody else can have written a byte."""

from __future__ import annotations

import hashlib
import json
import sys
import zlib
from array import array
from contextlib import suppress
from typing import TYPE_CHECKING

from memstore.adapters.local_state import is_private, make_private
from memstore.ports.verdicts import Verdict

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1


class VerdictCache:
    """A folder of verdicts.

    Args:
        cache: the folder for what is derived from the vault; it is used only while nobody else can write into it.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def last(self, viewer: str) -> Verdict | None:
        """Return the last verdict that was kept for a viewer, in whatever state; None where none can be read."""
        if not (is_private(self._cache) and is_private(self._folder)):
            return None
        try:
            return _read(self._place(viewer).read_bytes())
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, viewer: str, verdict: Verdict) -> None:
        """Keep a verdict in place of the viewer's last one; not being able to is no error."""
        from memstore.adapters.whole_file import write_whole

        with suppress(OSError):
            make_private(self._cache)
            make_private(self._folder)
            if is_private(self._cache) and is_private(self._folder):
                write_whole(self._place(viewer), _written(verdict), mode=0o600)

    @property
    def _folder(self) -> Path:
        return self._cache / "verdicts"

    def _place(self, viewer: str) -> Path:
        return self._folder / hashlib.sha256(viewer.encode()).hexdigest()[:32]


def _written(verdict: Verdict) -> bytes:
    rows = array("q", verdict.rows).tobytes()
    facts = {"version": VERSION, "byteorder": sys.byteorder, "state": verdict.state, "since": verdict.since}
    header = json.dumps(facts | {"until": verdict.until}).encode() + b"\n" + rows
    return b"%08x %s" % (zlib.crc32(header), header)


def _read(data: bytes) -> Verdict | None:
    whole = data[9:]
    if int(data[:8], 16) != zlib.crc32(whole):
        return None
    line, _, packed = whole.partition(b"\n")
    facts = json.loads(line)
    if (facts["version"], facts["byteorder"]) != (VERSION, sys.byteorder):
        return None
    rows = array("q")
    rows.frombytes(packed)
    return Verdict(facts["state"], facts["since"], facts["until"], rows)
