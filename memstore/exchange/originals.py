"""Where the originals of an import are kept, and how a memory cites their lines.

An original is stored at `imports/FORMAT/NAME-BLOB.original`. BLOB is the first digits of its blob id, so a changed
source never replaces an original that a memory cites. A long original is split into parts; joined, they are its bytes.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.places import ORIGINAL_SUFFIX, ORIGINALS
from memstore.search.citations import BLOB_DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# Half of the size limit for files of a vault, so that each part can be read again.
MOST_PART_BYTES = 4 * 1024 * 1024
LONGEST_NAME = 60
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class StoredPart(NamedTuple):
    """A stored file: its path in the vault, its bytes, the line of the original that it begins on, and its blob id."""

    path: str
    data: bytes
    first_line: int
    blob: str

    @property
    def last_line(self) -> int:
        """The line of the original that the part ends on."""
        return self.first_line + max(self.data.rstrip(b"\n").count(b"\n"), 0)


def parts(folder: str, name: str, data: bytes, *, blob_id: Callable[[bytes], str]) -> tuple[StoredPart, ...]:
    """Return the files in which an original is stored.

    Args:
        folder: the name of the format, which is also the name of the folder.
        name: the original's name in its source.
        data: its bytes.
        blob_id: computes the blob id of bytes as the vault's repository does.
    """
    digits = blob_id(data)[:BLOB_DIGITS]
    stem = f"{ORIGINALS}/{folder}/{_file_name(name)}-{digits}"
    pieces = list(_pieces(data))
    found: list[StoredPart] = []
    line = 1
    for number, piece in enumerate(pieces, 1):
        path = f"{stem}{f'.{number}' if len(pieces) > 1 else ''}{ORIGINAL_SUFFIX}"
        found.append(StoredPart(path, piece, line, blob_id(piece)))
        line += piece.count(b"\n")
    return tuple(found)


def marks(kept: tuple[StoredPart, ...], first: int, last: int) -> list[str]:
    """Return the marks by which a memory's sources name lines of an original, `file:PATH#L3-L5@BLOB`, one per part."""
    found = []
    for part in kept:
        start, end = max(first, part.first_line), min(last, part.last_line)
        if start <= end:
            at = start - part.first_line + 1
            to = end - part.first_line + 1
            span = f"L{at}" if at == to else f"L{at}-L{to}"
            found.append(f"file:{part.path}#{span}@{part.blob[:BLOB_DIGITS]}")
    return found


def _file_name(name: str) -> str:
    """Return a safe file name for an arbitrary name."""
    plain = _NO_NAME.sub("-", name.replace("/", "--")).strip("-.")
    return plain[-LONGEST_NAME:].lstrip("-.") or "original"


def _pieces(data: bytes) -> Iterator[bytes]:
    """Yield parts of at most `MOST_PART_BYTES`, which end at line ends unless a single line is longer than that."""
    start = 0
    while len(data) - start > MOST_PART_BYTES:
        newline = data.rfind(b"\n", start, start + MOST_PART_BYTES)
        end = newline + 1 if newline >= start else start + MOST_PART_BYTES
        yield data[start:end]
        start = end
    if start < len(data) or not data:
        yield data[start:]


# -- originals that are parts of a file ------------------------------------------------------------


def json_line(value: Any) -> bytes:
    """Return a value as JSON on one line; if it has a lone surrogate, everything outside ASCII is escaped."""
    text = json.dumps(value, ensure_ascii=False) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:
        return (json.dumps(value) + "\n").encode()


def laid_out(value: Mapping[str, Any], key: str) -> tuple[bytes, Mapping[Any, int]]:
    """Return an object as JSON with each item of the list or map at `key` on a line of its own.

    Returns:
        The JSON, and the line of each item by its index in the list or its key in the map.
    """
    whole = value.get(key)
    if not isinstance(whole, dict | list) or not whole:
        return json_line(value), {}
    is_map = isinstance(whole, dict)
    rest = json_line({name: item for name, item in value.items() if name != key}).removesuffix(b"}\n")
    opening, closing = (b"{", b"}") if is_map else (b"[", b"]")
    pairs = list(whole.items() if isinstance(whole, dict) else enumerate(whole))
    items = (json_line(item).rstrip(b"\n") for _, item in pairs)
    named = (json_line(name).rstrip(b"\n") + b": " + item for (name, _), item in zip(pairs, items, strict=True))
    head = rest + (b"" if rest == b"{" else b",") + b"\n" + json_line(key).rstrip(b"\n") + b": " + opening + b"\n"
    each = b",\n".join(named if is_map else items)
    first = head.count(b"\n") + 1
    return head + each + b"\n" + closing + b"}\n", {name: first + at for at, (name, _) in enumerate(pairs)}
