"""The vault on disk. Other programs, editors above all, change its files at any moment and know nothing of locks."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Self

from memstore.adapters import tree_walk
from memstore.adapters.write_lock import WriteLock
from memstore.codec.fence import MOST_BYTES
from memstore.errors import ChangedMeanwhileError, NoFileError, TooLargeError, VaultError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime

    from memstore.ports.vault import FileStat

# Begins with a dot, so that neither the walk nor `ls` shows it.
TEMPORARY_PREFIX = ".memstore-tmp-"
LEFT_BEHIND_AFTER_SECONDS = 3600
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
# O_NONBLOCK: opening a named pipe must not wait for somebody to write into it.
_OPEN_TO_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class DiskVault:
    """A folder of memories.

    Args:
        root: the vault's folder.
        state: the folder of its local state, where the write lock lies; made when it is first needed.
    """

    def __init__(self, root: Path, *, state: Path) -> None:
        self._root = root
        self._real_root = os.path.realpath(root)
        self._lock = WriteLock(state / "write.lock")

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self._root

    def lock(self) -> AbstractContextManager[None]:
        """Keep other writers out; `LockedError` when one stays for longer than a few seconds."""
        return self._lock.held()

    def memory_files(self) -> Iterator[FileStat]:
        """Yield all Markdown files that can be memories (2-format.md, "Where"), in no order."""
        rules = tree_walk.ignore_rules(self._root)
        yield from tree_walk.walk(self._root, tree_walk.KnownTree(), ignored_by=rules).new

    def registry_files(self) -> Iterator[str]:
        """Yield the paths of all registry files (`model.registry`), in no order."""
        from memstore.model.registry import REGISTRY_FOLDERS, kind_of

        for top in REGISTRY_FOLDERS:
            yield from [path for path in self._files_below(top) if kind_of(path)]

    def audit_files(self) -> Iterator[str]:
        """Yield the paths of all files with audit events, in no order."""
        from memstore.rules.vault_places import is_audit_path

        yield from [path for path in self._files_below("audit") if is_audit_path(path)]

    def _files_below(self, top: str) -> Iterator[str]:
        """Yield the paths of all files below a folder, but for hidden folders."""
        place = os.path.join(self._real_root, top)  # noqa: PTH118
        for folder, folders, names in os.walk(place, onerror=_stop_unless_missing):
            folders[:] = [name for name in folders if not name.startswith(".")]
            below = os.path.relpath(folder, self._real_root).replace(os.sep, "/")
            yield from [f"{below}/{name}" for name in names]

    def read(self, path: str) -> bytes:
        """Return a file's bytes.

        Raises:
            TooLargeError: it has more bytes than a memory may have (`fence.MOST_BYTES`); none of them was read.
            NoFileError: there is no such file.
            VaultError: it is no regular file, can't be read, or lies outside the vault.
        """
        joined = self._joined(path)
        try:
            handle = os.open(joined, _OPEN_TO_READ)
        except OSError as error:
            raise _cant("read", path, error) from error
        try:
            self._inside(path, _place_of(handle, joined))
            status = os.fstat(handle)
            if stat.S_ISDIR(status.st_mode):
                raise VaultError(f"{path} is a folder that can't be looked into", hint="look at its permissions")
            if not stat.S_ISREG(status.st_mode):
                raise VaultError(f"{path} is no regular file", hint="a memory is a plain Markdown file")
            if status.st_size > MOST_BYTES:
                raise TooLargeError(
                    f"{path} has {status.st_size:,} bytes; a memory has at most {MOST_BYTES:,}", size=status.st_size
                )
            with os.fdopen(handle, "rb", closefd=False) as file:
                return file.read()
        except OSError as error:
            raise _cant("read", path, error) from error
        finally:
            os.close(handle)

    def saved_at(self, path: str) -> datetime | None:
        """Return when a file was saved last, UTC; None where there is no such file."""
        from datetime import UTC, datetime

        try:
            saved = self._place(path).stat().st_mtime
            return datetime.fromtimestamp(saved, UTC)
        except (OSError, OverflowError, ValueError, VaultError):
            return None

    def create(self, path: str, data: bytes) -> None:
        """Write a new file, whole or not at all; `ChangedMeanwhileError` where one is there already."""
        place = self._new_place(path)
        with _Temporary(place.parent, path) as temporary:
            temporary.write(data, mode=None)
            try:
                os.link(temporary.place, place)  # unlike a rename, a link never overwrites
            except FileExistsError as error:
                raise _is_there(path) from error
            except OSError:
                _rename_to_free(temporary.place, place, path)  # FAT and some network folders have no links

    def replace(self, path: str, data: bytes, *, expected: bytes) -> None:
        """Write a file anew, whole or not at all; `ChangedMeanwhileError` unless its bytes are `expected`."""
        place = self._place(path)
        with _Temporary(place.parent, path) as temporary:
            temporary.write(data, mode=_mode_of(place))
            self._must_be(path, expected)
            temporary.place.replace(place)

    def move(self, path: str, to: str) -> None:
        """Give a file another name; `ChangedMeanwhileError` where one is there already."""
        old, new = self._place(path), self._new_place(to)
        try:
            _rename_to_free(old, new, to)
            _sync_folder(new.parent)
            _sync_folder(old.parent)
        except OSError as error:
            raise _cant("move", path, error) from error

    def delete(self, path: str, *, expected: bytes) -> None:
        """Take a file away; `ChangedMeanwhileError` unless its bytes are `expected`."""
        self._must_be(path, expected)
        place = Path(self._real_root, path)
        try:
            place.unlink()
            _sync_folder(place.parent)
        except OSError as error:
            raise _cant("delete", path, error) from error

    def _must_be(self, path: str, expected: bytes) -> None:
        try:
            found = self.read(path)
        except TooLargeError:
            found = None
        except VaultError as error:
            raise _changed(path, "it is gone") from error
        if found != expected:
            raise _changed(path, "its text is another one")

    def _place(self, path: str) -> Path:
        """Return the real place of an existing file; links are followed, so that a write goes where they lead."""
        return self._inside(path, os.path.realpath(self._joined(path)))

    def _new_place(self, path: str) -> Path:
        """Return the place of a file to come, with its folders made."""
        joined = self._joined(path)
        folder = self._inside(path, os.path.realpath(os.path.dirname(joined)))  # noqa: PTH120 -- bytes-safe as it is
        try:
            _make_folders(folder)
        except OSError as error:
            raise _cant("make the folder of", path, error) from error
        return folder / os.path.basename(joined)  # noqa: PTH119

    def _joined(self, path: str) -> str:
        parts = path.split("/")
        if not path or "\0" in path or any(part in ("", ".", "..", ".git") for part in parts):
            raise VaultError(f"{path!r} is no path in the vault", hint="paths are relative to the vault's folder")
        return os.path.join(self._real_root, *parts)  # noqa: PTH118

    def _inside(self, path: str, place: str) -> Path:
        if place != self._real_root and not place.startswith(self._real_root.rstrip(os.sep) + os.sep):
            raise VaultError(f"{path} leads out of the vault, to {place}", hint="keep memories inside the vault")
        return Path(place)


class _Temporary:
    """A file beside the one that it will become; it is gone at the end, whatever happens, and the folder is durable."""

    def __init__(self, folder: Path, path: str) -> None:
        self.folder, self.path = folder, path
        self.place = folder / f"{TEMPORARY_PREFIX}{os.getpid()}-{os.urandom(4).hex()}"

    def __enter__(self) -> Self:
        return self

    def write(self, data: bytes, *, mode: int | None) -> None:
        """Write the file down to the disk; without `mode` it has the permissions of any new file."""
        try:
            handle = os.open(self.place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                if mode is not None:
                    os.fchmod(handle, mode)
                os.fsync(handle)
                now = os.fstat(handle).st_mtime
            _sweep(self.folder, now)
        except OSError as error:
            raise _cant("write", self.path, error) from error

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: object) -> None:
        self.place.unlink(missing_ok=True)
        if isinstance(value, OSError):
            raise _cant("write", self.path, value) from value
        if kind is None:
            _sync_folder(self.folder)


def _sweep(folder: Path, now: float) -> None:
    """Remove what killed writers left in a folder long ago; `now` is the folder's own file system's time."""
    for name in os.listdir(folder):  # noqa: PTH208 -- names are all that is needed
        if name.startswith(TEMPORARY_PREFIX):
            left = folder / name
            try:
                if left.lstat().st_mtime < now - LEFT_BEHIND_AFTER_SECONDS:
                    left.unlink()
            except OSError:
                continue


def _rename_to_free(old: Path, new: Path, path: str) -> None:
    """Rename without overwriting, as far as can be known; writers of ours are kept out by the lock."""
    if os.path.lexists(new):
        raise _is_there(path)
    old.rename(new)


def _place_of(handle: int, path: str) -> str:
    """Return the real place of an open file: from the kernel where it tells, which is one call instead of many."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 -- a search asks this for every file it reads
    except OSError:
        return os.path.realpath(path)


def _make_folders(folder: Path) -> None:
    """Make a folder and those above it, durably."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for inner in reversed(missing):
        inner.mkdir(exist_ok=True)
        _sync_folder(inner.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _mode_of(place: Path) -> int | None:
    try:
        return stat.S_IMODE(place.stat().st_mode)
    except OSError:
        return None


def _cant(what: str, path: str, error: OSError) -> VaultError:
    kind = NoFileError if isinstance(error, FileNotFoundError | NotADirectoryError) else VaultError
    hint = "make room there, and try again" if error.errno in _NO_ROOM else "look at the path and its permissions"
    return kind(f"can't {what} {path}: {error.strerror or error}", hint=hint)


def _is_there(path: str) -> ChangedMeanwhileError:
    return ChangedMeanwhileError(f"{path} is there already", hint="choose another name, or edit that file")


def _changed(path: str, how: str) -> ChangedMeanwhileError:
    return ChangedMeanwhileError(
        f"{path} changed meanwhile: {how}; nothing was written", hint="look at the file and try again"
    )


def _stop_unless_missing(error: OSError) -> None:
    """Let a folder be missing; one that can't be listed may hold anything, a refusal too."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise _cant("list", str(error.filename), error) from error
