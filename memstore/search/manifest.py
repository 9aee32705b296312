"""The manifest: the catalogue of all files when the index was written, as one file of columns that are read separately.

The first line is JSON: the version, and the offset and checksum of each column. The columns follow: numbers as 64-bit
integers in this machine's byte order, texts joined by NUL; of a column with few different texts each is stored once,
and a byte for each row. Most reads need only a few of about forty columns.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import json
import os
import sys
import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from memstore.core.errors import VaultError

_SEPARATOR = "\0"
_RECORDS, _RECORD_ENDS = "records", "record ends"
# Follows the name of a column with few different texts, such as the status: for each row, the number of its text.
_CODES = " codes"
_MOST_CODES = 256
_MOST_HEADER_BYTES = 64 * 1024 * 1024
# The manifest is stamped, then renamed, so its change time is just after its modification time.
_STAMP_TO_RENAME_NS = 1_000_000_000


class DamagedError(VaultError):
    """The cache is not as it was written; it should be deleted."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the index is damaged: {what}", hint="memstore index rebuild")


class Contents(NamedTuple):
    """The contents of a manifest: `facts` are JSON values; a column is one field of all rows, a record is one row."""

    facts: Mapping[str, Any]
    numbers: Mapping[str, Sequence[int]]
    texts: Mapping[str, Sequence[str]]
    records: Sequence[str]


class Manifest:
    """A manifest that is open for reading; it does not change when the file is replaced."""

    def __init__(self, handle: int, facts: dict[str, Any], columns: dict[str, list[int]], start: int) -> None:
        self.facts = facts
        self._handle, self._columns, self._start = handle, columns, start
        self._numbers: dict[str, array[int]] = {}
        self._texts: dict[str, list[str]] = {}
        status = os.fstat(handle)
        self.identity = (status.st_ino, status.st_mtime_ns, status.st_size)

    def __del__(self) -> None:
        os.close(self._handle)

    def numbers(self, name: str) -> "array[int]":
        """Return a column of integers; the caller must not change it."""
        if name not in self._numbers:
            column = array("q")
            column.frombytes(self._bytes(name))
            self._numbers[name] = column
        return self._numbers[name]

    def texts(self, name: str) -> list[str]:
        """Return a column of texts; the caller must not change it."""
        if name not in self._texts:
            cells = self._cells(name)
            if (codes := f"{name}{_CODES}") in self._columns:
                rows = self._bytes(codes)
                cells = cells * len(rows) if len(cells) == 1 else [cells[code] for code in rows]
            self._texts[name] = cells
        return self._texts[name]

    def _cells(self, name: str) -> list[str]:
        text = self._bytes(name).decode("utf-8", "surrogateescape")
        count = self._columns[name][3]
        cells = text.split(_SEPARATOR) if count else []
        if len(cells) != count:
            raise DamagedError(f"column {name} has {len(cells)} cells, not {count}")
        return cells

    def record(self, row: int) -> str:
        """Return the record of a row, without reading the others."""
        ends = self.numbers(_RECORD_ENDS)
        start = ends[row - 1] if row else 0
        offset = self._start + self._columns[_RECORDS][0]
        return os.pread(self._handle, ends[row] - start, offset + start).decode("utf-8", "surrogateescape")

    def check(self) -> None:
        """Compare all columns with their checksums; raise `DamagedError` if one differs."""
        for name in self._columns:
            self._bytes(name)

    def _bytes(self, name: str) -> bytes:
        offset, length, checksum, _ = self._columns[name]
        data = os.pread(self._handle, length, self._start + offset)
        if len(data) != length or zlib.crc32(data) != checksum:
            raise DamagedError(f"column {name} of the manifest")
        return data


def write(path: Path, contents: Contents) -> None:
    """Replace the manifest at `path` atomically; readers of the old one keep using it."""
    columns: dict[str, list[int]] = {}
    parts: list[bytes] = []
    offset = 0
    records = [record.encode("utf-8", "surrogateescape") for record in contents.records]
    ends = array("q", accumulate(map(len, records)))
    numbers = ((name, _packed(column), len(column)) for name, column in contents.numbers.items())
    texts = (part for name, column in contents.texts.items() for part in _texts(name, column))
    rows = ((_RECORD_ENDS, ends.tobytes(), len(ends)), (_RECORDS, b"".join(records), len(records)))
    for name, data, count in (*numbers, *texts, *rows):
        columns[name] = [offset, len(data), zlib.crc32(data), count]
        parts.append(data)
        offset += len(data)
    temporary = path.with_name(f"{path.name}-{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            stamp = os.fstat(file.fileno()).st_mtime_ns
            facts = {"byteorder": sys.byteorder, "stamp": stamp, "bytes": offset, "columns": columns}
            header = json.dumps(facts | dict(contents.facts), separators=(",", ":")).encode()
            file.write(b"%08x %s\n" % (zlib.crc32(header), header))
            file.writelines(parts)
        os.utime(temporary, ns=(stamp, stamp))
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def identity(path: Path) -> tuple[int, int, int] | None:
    """Return inode, modification time (ns) and size, which identify a manifest at `path`; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def read(path: Path) -> Manifest:
    """Open the manifest at `path`.

    All columns are checked immediately only if the file may have been changed; otherwise each when it is read.

    Raises:
        DamagedError: there is no manifest, or it is not as it was written.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise DamagedError(f"no manifest ({error.strerror})") from error
    try:
        manifest = _open_manifest(handle)
    except (OSError, ValueError, KeyError, TypeError) as error:
        os.close(handle)
        raise DamagedError("the manifest's first line") from error
    except DamagedError:
        os.close(handle)
        raise
    if not _is_as_stamped(os.fstat(handle), manifest.facts["stamp"]):
        manifest.check()
    return manifest


def _open_manifest(handle: int) -> Manifest:
    facts, start = _header(handle)
    size, stamp = os.fstat(handle).st_size, facts["stamp"]
    if size != start + facts["bytes"] or facts["byteorder"] != sys.byteorder or not isinstance(stamp, int):
        raise DamagedError("the manifest's size")
    return Manifest(handle, facts, facts["columns"], start)


def _is_as_stamped(status: os.stat_result, stamp: int) -> bool:
    return status.st_mtime_ns == stamp and status.st_ctime_ns - stamp <= _STAMP_TO_RENAME_NS


def _header(handle: int) -> tuple[dict[str, Any], int]:
    """Return the facts in the first line, and the offset of the columns."""
    line = b""
    while b"\n" not in line:
        part = os.pread(handle, 65536, len(line))
        if not part or len(line) > _MOST_HEADER_BYTES:
            raise DamagedError("the manifest's first line")
        line += part
    line = line[: line.index(b"\n")]
    if int(line[:8], 16) != zlib.crc32(line[9:]):
        raise DamagedError("the manifest's first line")
    facts: dict[str, Any] = json.loads(line[9:])
    return facts, len(line) + 1


def _packed(column: Sequence[int]) -> bytes:
    return (column if isinstance(column, array) else array("q", column)).tobytes()


def _texts(name: str, column: Sequence[str]) -> Iterator[tuple[str, bytes, int]]:
    """Yield the parts of a column of texts, each with its name and its number of cells."""
    first = column[: 2 * _MOST_CODES]
    different = {*column} if 2 * len({*first}) <= len(first) else set[str]()
    if not 0 < len(different) <= _MOST_CODES:
        yield name, _column_bytes(column), len(column)
        return
    code = {text: number for number, text in enumerate(sorted(different))}
    yield name, _column_bytes([*code]), len(code)
    yield f"{name}{_CODES}", bytes(map(code.__getitem__, column)), len(column)


def _column_bytes(column: Sequence[str]) -> bytes:
    return _SEPARATOR.join(column).encode("utf-8", "surrogateescape")
