"""Where a planted word still is, in any file below a folder: plain, in base64, or compressed."""

from __future__ import annotations

import base64
import re
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BASE64 = re.compile(rb"[A-Za-z0-9+/]{8,}={0,2}")
_ZLIB = re.compile(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08")
_DEPTH = 3


def planted_in(folder: Path, word: str) -> list[str]:
    """Return the paths below a folder whose names or contents have a word, relative to it, sorted."""
    word = word.lower()
    found = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if word in name.lower() or (path.is_file() and not path.is_symlink() and holds(path.read_bytes(), word)):
            found.append(name)
    return found


def holds(data: bytes, word: str) -> bool:
    """Return whether bytes have a word, in any case and UTF-8 or UTF-16, also where they encode other bytes."""
    needles = (word.encode(), word.encode("utf-16-le"))
    return any(needle in layer.lower() for layer in _layers(data, _DEPTH) for needle in needles)


def _layers(data: bytes, depth: int) -> Iterator[bytes]:
    yield data
    if not depth:
        return
    for found in _BASE64.finditer(data):
        text = found[0].rstrip(b"=")
        for start in range(4):  # letters before it may have been taken for its beginning
            part = text[start : start + (len(text) - start) // 4 * 4]
            yield from _layers(base64.b64decode(part), depth - 1 if start == 0 else 0)
    for found in _ZLIB.finditer(data):
        try:
            opened = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data[found.start() :])
        except zlib.error:
            continue
        yield from _layers(opened, depth - 1)
