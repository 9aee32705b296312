"""What was computed, in the user's cache: one JSON file a name, of which nobody else can have written a byte."""

from __future__ import annotations

import json
import shutil
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

from memstore.adapters.local_state import is_private, make_private

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.ports.derived import Kept

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
        from memstore.adapters.whole_file import write_whole

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
