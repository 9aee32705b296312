"""Vectors in the user's cache: one file an embedder, of which nobody else can have written a byte."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import zlib
from array import array
from contextlib import suppress
from typing import TYPE_CHECKING

from memstore.files.local_state import is_private, make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from memstore.search.embedder import Vector

VERSION = 1
_FOLDER = "vectors"


class DiskVectors:
    """A folder of vectors.

    Args:
        cache: the folder for what is derived from the vault; it is used only while nobody else can write into it.
        on_progress: told how many of how many vectors are made.
    """

    def __init__(self, cache: Path, *, on_progress: Callable[[int, int], None] | None = None) -> None:
        self._cache = cache
        self._folder = cache / _FOLDER
        self._on_progress = on_progress

    def last(self, name: str) -> dict[str, Vector]:
        """Return the vectors that were kept for an embedder of that name; none where they can't be read."""
        if not (is_private(self._cache) and is_private(self._folder)):
            return {}
        try:
            return _read(self._place(name).read_bytes(), name)
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def keep(self, name: str, vectors: Mapping[str, Vector]) -> None:
        """Keep these vectors, all of one length, in place of the last ones; not being able to is no error."""
        from memstore.files.local_state import write_whole

        with suppress(OSError):
            make_private(self._cache)
            make_private(self._folder)
            if is_private(self._cache) and is_private(self._folder):
                write_whole(self._place(name), _written(name, vectors), mode=0o600)

    def tell(self, done: int, count: int) -> None:
        """Tell whoever waits how many texts of how many have their vectors."""
        if self._on_progress:
            self._on_progress(done, count)

    def _place(self, name: str) -> Path:
        return self._folder / hashlib.sha256(name.encode()).hexdigest()[:32]


def drop_vectors(cache: Path) -> None:
    """Delete all vectors in a cache: a vector tells something of the text that it was made of.

    What can't be deleted is in a cache that can't be written: the index there stays too.
    """
    with suppress(OSError):
        shutil.rmtree(cache / _FOLDER)


def _written(name: str, vectors: Mapping[str, Vector]) -> bytes:
    facts = {"version": VERSION, "byteorder": sys.byteorder, "name": name, "blobs": list(vectors)}
    numbers = array("f", (value for vector in vectors.values() for value in vector))
    whole = json.dumps(facts).encode() + b"\n" + numbers.tobytes()
    return b"%08x %s" % (zlib.crc32(whole), whole)


def _read(data: bytes, name: str) -> dict[str, Vector]:
    whole = memoryview(data)[9:]
    if int(data[:8], 16) != zlib.crc32(whole):
        return {}
    end = data.index(b"\n") + 1
    facts = json.loads(data[9:end])
    if (facts["version"], facts["byteorder"], facts["name"]) != (VERSION, sys.byteorder, name):
        return {}
    numbers = array("f")
    numbers.frombytes(data[end:])
    blobs = facts["blobs"]
    size = len(numbers) // len(blobs) if blobs else 0
    return {blob: numbers[at * size : (at + 1) * size] for at, blob in enumerate(blobs)}
