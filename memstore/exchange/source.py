"""The source of an import: a file, a folder or a ZIP archive, opened for reading only."""

from __future__ import annotations

import posixpath
import re
import shutil
import sqlite3
import stat
import zipfile
import zlib
from collections import Counter
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, cast

from memstore.core.errors import FormatError
from memstore.core.places import kind_of
from memstore.core.times import instant, moment
from memstore.files import FILES
from memstore.files.plain_note import MOST_BYTES_TO_CLAIM, means_to_be_registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from memstore.core.view import View

# The limit for a file that is read as a whole; larger ones are streamed.
MOST_BYTES = 64 * 1024 * 1024
_ZIP = b"PK\x03\x04"
_HIDDEN = re.compile(r"(?:^|/)(?:\.|__MACOSX/)")


class ImportSource:
    """A file, the files of a folder, or those of a ZIP archive. Hidden files and links are left out.

    The registry files of a vault, in it or below, are among `registries` and not among `names`: who somebody is and who
    agreed to what are no memories.

    Args:
        view: the view through which files are read.
        path: the absolute path.
        name: the path as the person gave it, for messages.

    Raises:
        FileNotFoundError: the path does not exist, or may not be read.
        FormatError: the path is an archive that can't be read.
    """

    def __init__(self, view: View, path: Path, name: str) -> None:
        self._view, self.path, self.name = view, path, name.rstrip("/")
        self._files = view.of(FILES).below(path)
        self._zip = self._archive() if self._files is None else None
        if self._files is not None:
            self.names = tuple(sorted(self._files))
        elif self._zip is not None:
            self._members = _members(self._zip)
            self.names = tuple(sorted(name for name in self._members if not _HIDDEN.search(name)))
        else:
            self.names = (self.place[-1],)
        self.registries = tuple(filter(self._is_registry, self.names)) if self.is_folder else ()
        self.names = tuple(name for name in self.names if name not in self.registries)

    @property
    def place(self) -> list[str]:
        """The parts of the path: the folders, and last its own name."""
        return posixpath.normpath(self.path.as_posix()).split("/")

    @property
    def stem(self) -> str:
        """The name of the source without a suffix."""
        return self.place[-1].partition(".")[0]

    @property
    def is_folder(self) -> bool:
        """Whether the source is a folder or an archive, and so may have several files."""
        return self._files is not None or self._zip is not None

    def where(self, name: str, line: int | None = None) -> str:
        """Return the name of a file, and of a line in it, for messages."""
        place = f"{self.name}/{name}" if self.is_folder else self.name
        return place if line is None else f"{place}:{line}"

    def matching(self, pattern: str) -> tuple[str, ...]:
        """Return the sorted names of the files that a regular expression matches in full, ignoring case."""
        whole = re.compile(pattern, re.IGNORECASE)
        return tuple(name for name in self.names if whole.fullmatch(name))

    @contextmanager
    def stream(self, name: str) -> Iterator[BinaryIO]:
        """Open a file for reading bytes."""
        if self._zip is not None:
            try:
                with self._zip.open(self._member(name)) as member:
                    yield cast("BinaryIO", member)
            except _NOT_UNPACKED as error:
                raise FormatError(f"{self.where(name)} can't be unpacked: {error}") from error
            return
        with self._view.of(FILES).stream(self._path(name)) as file:
            yield file

    def data(self, name: str) -> bytes:
        """Return the bytes of a file; raise `FormatError` if it has more than `MOST_BYTES`."""
        with self.stream(name) as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise FormatError(f"{self.where(name)} has more than {MOST_BYTES:,} bytes", hint="import it in parts")
        return data

    @contextmanager
    def database(self, name: str) -> Iterator[sqlite3.Connection]:
        """Open a copy of a file as a read-only SQLite database, including changes that are still in its WAL."""
        with TemporaryDirectory(prefix="memstore-") as folder:
            copy = Path(folder, "copy.db")
            with self.stream(name) as file, copy.open("wb") as to:
                shutil.copyfileobj(file, to)
            log = copy.with_name("copy.db-wal")
            with suppress(FileNotFoundError), self._beside(name, "-wal") as file, log.open("wb") as to:
                shutil.copyfileobj(file, to)
            with closing(sqlite3.connect(copy)) as database:
                try:
                    database.execute("PRAGMA trusted_schema = OFF")
                    database.execute("PRAGMA query_only = ON")
                except sqlite3.DatabaseError as error:
                    raise FormatError(f"{self.where(name)} is not an SQLite database: {error}") from error
                yield database

    def _is_registry(self, name: str) -> bool:
        """Return whether a file is at a registry file's place in a vault, and claims to be one."""
        parts = name.split("/")
        if not any(kind_of("/".join(parts[at:])) for at in range(len(parts) - 1)):
            return False
        with suppress(FormatError, OSError), self.stream(name) as file:
            return means_to_be_registry(file.read(MOST_BYTES_TO_CLAIM))
        return False

    def _beside(self, name: str, suffix: str) -> AbstractContextManager[BinaryIO]:
        """Open the file with this name plus a suffix; raise `FileNotFoundError` if there is none."""
        if self.is_folder:
            return self.stream(f"{name}{suffix}")
        return self._view.of(FILES).stream(self.path.with_name(f"{self.path.name}{suffix}"))

    def saved_at(self, name: str) -> str | None:
        """Return when a file was last saved, RFC 3339 in UTC; None if unknown."""
        if self._zip is not None:
            member = self._member(name)
            with suppress(ValueError):
                return _instant(_exact_time(member) or datetime(*member.date_time, tzinfo=UTC))
            return None
        saved = self._view.of(FILES).saved_at(self._path(name))
        return _instant(saved) if saved else None

    def _member(self, name: str) -> zipfile.ZipInfo:
        """Return what the archive has under a name; raise `FileNotFoundError` if there is nothing."""
        if name not in self._members:
            raise FileNotFoundError(self.where(name))
        return self._members[name]

    def _path(self, name: str) -> Path:
        return self.path / name if self._files is not None else self.path

    def close(self) -> None:
        """Close the archive, if there is one; a file or a folder is not held open."""
        if self._zip is not None:
            self._zip.close()
            self._archived.close()

    def _archive(self) -> zipfile.ZipFile | None:
        self._archived = self._view.of(FILES).stream(self.path)
        if self._archived.read(len(_ZIP)) != _ZIP:
            self._archived.close()
            return None
        try:
            return zipfile.ZipFile(self._archived)
        except (zipfile.BadZipFile, ValueError) as error:
            self._archived.close()
            raise FormatError(f"{self.name} is not a sound ZIP archive: {error}") from error


# What zipfile raises for a damaged member, one with a password, and one packed in a way that it doesn't know.
_NOT_UNPACKED = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError)


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the files of an archive by their paths in it, each of which stays below the archive's own folder.

    Links are left out. Of several files with one path, the later ones are numbered.
    """
    found: dict[str, zipfile.ZipInfo] = {}
    numbers = Counter[str]()  # so that an archive of one name a million times is read in linear time
    for info in archive.infolist():
        name = _member_name(info)
        if not name or name.endswith("/") or stat.S_ISLNK(info.external_attr >> 16):
            continue
        free = name
        while free in found:
            numbers[name] += 1
            stem, dot, suffix = name.rpartition(".")
            number = numbers[name] + 1
            free = f"{stem} ({number}).{suffix}" if dot else f"{name} ({number})"
        found[free] = info
    return found


_FLAG_UTF_8 = 0x800
_DRIVE = re.compile(r"[A-Za-z]:(?=/)")


def _member_name(info: zipfile.ZipInfo) -> str:
    """Return the path of a member with slashes, without a drive, a root or `..`; of a folder, it ends with a slash.

    Programs of today that don't set the flag of UTF-8 write it all the same; the rest is code page 437.
    """
    name = info.orig_filename
    if not info.flag_bits & _FLAG_UTF_8 and not name.isascii():
        with suppress(UnicodeError):
            name = name.encode("cp437").decode()
    name = _DRIVE.sub("", name.replace("\\", "/"), count=1)
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return "/".join(parts) + ("/" if name.endswith("/") and parts else "")


_EXACT_TIME, _OF_CHANGE = 0x5455, 1  # APPNOTE.TXT 4.6.1, "extended timestamp"; most programs write it


def _exact_time(member: zipfile.ZipInfo) -> datetime | None:
    """Return when a member was saved, if the archive says it exactly: the usual time of a member names no zone."""
    rest = member.extra
    while len(rest) > _FIELD:
        kind, size = int.from_bytes(rest[:2], "little"), int.from_bytes(rest[2:_FIELD], "little")
        field, rest = rest[_FIELD : _FIELD + size], rest[_FIELD + size :]
        if kind == _EXACT_TIME and len(field) > _FIELD and field[0] & _OF_CHANGE:
            return moment(int.from_bytes(field[1 : 1 + _FIELD], "little", signed=True))
    return None


_FIELD = 4  # the bytes of a field's head, and of a time


def _instant(at: datetime) -> str | None:
    """Return a file's time; None for the earliest possible time, which means that no time was recorded."""
    return instant(at) if at.year > 1980 else None  # noqa: PLR2004 - ZIP's first year, and what 0 means elsewhere
