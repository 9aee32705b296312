"""The vault on disk. Other programs, mainly editors, change its files at any moment and ignore our locks."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Self

from memstore.core.errors import ChangedMeanwhileError, NoFileError, SealedError, TooLargeError, VaultError
from memstore.core.places import TEMPORARY_PREFIX, is_sealed_path
from memstore.core.times import moment
from memstore.files import walk
from memstore.files.fence import MOST_BYTES
from memstore.files.local_state import NO_ROOM, regular_bytes, sync_folder
from memstore.files.vault import DONE_ALL_THE_SAME, gone
from memstore.files.write_lock import WriteLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime

    from memstore.core.places import RegistryKind
    from memstore.files.vault import FileStat, Opener


LEFT_BEHIND_AFTER_SECONDS = 3600
# A folder into which a thousand files are written is not swept a thousand times.
SWEPT_AGAIN_AFTER_SECONDS = 60
# renameat2(2). Some containers reject calls they don't know; the plain rename that follows then reports its own errors.
_AT_CURRENT_FOLDER, _NO_REPLACE, _EXCHANGE = -100, 1, 2
_NOT_SUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM})
# O_NONBLOCK: opening a named pipe must not wait for a writer.
_OPEN_TO_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class DiskVault:
    """A folder of memories.

    Args:
        root: the vault's folder.
        state: the folder of its local state, which has the write lock; created when first needed.
        mixed: whether the vault holds notes of other programs (`core.config.Config.mixed`).
        opener: returns what opens sealed files; None if nothing can.
    """

    def __init__(
        self, root: Path, *, state: Path, mixed: bool = False, opener: Callable[[], Opener] | None = None
    ) -> None:
        self._root = root
        self._opener = opener
        self.mixed = mixed
        self._real_root = os.path.realpath(root)
        self._base = os.path.join(self._real_root, "")  # noqa: PTH118 -- ends with a slash
        self._lock = WriteLock(state / "write.lock")
        self._swept: dict[Path, float] = {}
        # The real folders of files that are created together, by name; None outside `together`.
        self._together: dict[str, Path] | None = None

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self._root

    def lock(self) -> AbstractContextManager[None]:
        """Keep other writers out; see the protocol."""
        if not Path(self._real_root).is_dir():  # what is written now, the lock's own file too, would make it anew
            raise gone(self._root)
        return self._lock.held()

    def memory_files(self) -> Iterator[FileStat]:
        """Yield all Markdown files that can be memories (docs/format.md, "Where files are"), in no particular order."""
        rules = walk.ignore_rules(self._root, mixed=self.mixed)
        yield from walk.walk(self._root, walk.KnownTree(), rules).new

    def registry_files(self, kinds: Iterable[RegistryKind] | None = None) -> Iterator[str]:
        """Yield the paths of all registry files (`core.places`), or of those of some kinds, in no particular order."""
        from memstore.core.places import RegistryKind, kind_of

        for kind in RegistryKind if kinds is None else kinds:
            found = self._files_below(kind.value)
            yield from [path for path in found if kind_of(path) is kind and not self._is_foreign(path)]

    def _is_foreign(self, path: str) -> bool:
        """Return whether a file is another program's; if it can't be read, it counts as the vault's own."""
        from memstore.files.plain_note import is_foreign

        if not self.mixed:
            return False
        try:
            return is_foreign(path, self.read(path), mixed=True)
        except VaultError:
            return False

    def audit_files(self) -> Iterator[str]:
        """Yield the paths of all files with audit events, in no particular order."""
        from memstore.core.places import is_audit_path

        yield from [path for path in self._files_below("audit") if is_audit_path(path)]

    def _files_below(self, top: str) -> Iterator[str]:
        """Yield the paths of all files below a folder, except in hidden folders."""
        place = os.path.join(self._real_root, top)  # noqa: PTH118
        for folder, folders, names in os.walk(place, onerror=_stop_unless_missing):
            folders[:] = [name for name in folders if not name.startswith(".")]
            below = os.path.relpath(folder, self._real_root).replace(os.sep, "/")
            yield from [f"{below}/{name}" for name in names]

    def read(self, path: str) -> bytes:
        """Return a file's bytes; of a sealed memory, what was sealed; see the protocol."""
        data = self.stored(path)
        if not is_sealed_path(path):
            return data
        if self._opener is None:
            raise SealedError(f"{path} is sealed, and no key is at hand")
        return self._opener().opened(path, data)

    def stored(self, path: str) -> bytes:
        """Return a file's bytes as they are on disk; see the protocol."""
        joined = self._joined(path)
        try:
            handle = os.open(joined, _OPEN_TO_READ)
        except OSError as error:
            raise _cant("read", path, error) from error
        try:
            self._must_be_inside(path, _place_of(handle, joined))
            status = os.fstat(handle)
            if stat.S_ISDIR(status.st_mode):
                raise VaultError(f"{path} is a folder, where a file is expected", hint="check its permissions")
            if not stat.S_ISREG(status.st_mode):
                raise VaultError(f"{path} is not a regular file", hint="put a plain file in its place")
            if status.st_size > MOST_BYTES:
                raise TooLargeError(
                    f"{path} has {status.st_size:,} bytes; a memory has at most {MOST_BYTES:,}",
                    size=status.st_size,
                    beginning=os.read(handle, MOST_BYTES),
                )
            return b"".join(_parts_of(handle, status.st_size))
        except OSError as error:
            raise _cant("read", path, error) from error
        finally:
            os.close(handle)

    def leaves_out(self, path: str) -> bool:
        """Return whether a path is excluded by `.memstoreignore`, or in a mixed vault by git's ignore files."""
        return walk.ignore_rules(self._root, mixed=self.mixed, paths=[path]).leave_out(path)

    def saved_at(self, path: str) -> datetime | None:
        """Return when a file was last saved, in UTC; None if there is no such file."""
        try:
            return moment(self._place(path).stat().st_mtime)
        except (OSError, VaultError):
            return None

    def create(self, path: str, data: bytes, *, like: str | None = None) -> None:
        """Write a new file, completely or not at all; see the protocol."""
        status = None if like is None else self._status_of(like)
        with self._new_place(path) as place, _Temporary(place.parent, path, self._swept) as temporary:
            temporary.write(data, mode=stat.S_IMODE(status.st_mode) if status else None, saved=status)
            try:
                os.link(temporary.place, place)  # unlike a rename, a link never overwrites
            except OSError as error:
                if not temporary.is_at(place):  # NFS may create the link and still report failure
                    if isinstance(error, FileExistsError):
                        raise _is_there(path) from error
                    _rename_to_free(temporary.place, place, path)  # FAT and some network folders don't support links
            with _or_back("write", path, lambda: _take_away(place, data)):
                if self._together is None:
                    sync_folder(place.parent)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Resolve the folders of files created meanwhile, and make them durable, once each; see the protocol."""
        self._together = {}
        try:
            yield
            for folder in sorted({*self._together.values()}):
                try:
                    sync_folder(folder)
                except OSError as error:
                    raise _cant("write into", folder.name, error) from error
        finally:
            self._together = None

    def replace(self, path: str, data: bytes, *, expected: bytes) -> None:
        """Rewrite a file, completely or not at all; `ChangedMeanwhileError` unless its bytes are `expected`."""
        place = self._place(path)
        with _Temporary(place.parent, path, self._swept) as temporary:
            temporary.write(data, mode=_mode_of(place))
            self._must_be(path, expected)
            if not temporary.exchange(place, data, expected=expected):
                temporary.rename_over(place, data, expected=expected)

    def delete(self, path: str, *, expected: bytes) -> None:
        """Delete a file; `ChangedMeanwhileError` unless its bytes are `expected`."""
        self._must_be(path, expected)
        place = Path(self._real_root, path)
        aside = _temporary_in(place.parent)
        # (1) The file is renamed; (2) its content is checked, so that nobody's save is deleted with it; (3) the folder
        # is made durable; (4) the file is deleted. A crash before (4) leaves a temporary file, which is swept later.
        try:
            with _or_back("delete", path, lambda: _put_back(aside, place)):
                place.rename(aside)
                if _seen(Path(os.path.realpath(aside))) != expected:
                    raise _changed(path, "its text has changed")
                sync_folder(place.parent)
        except FileNotFoundError as error:
            raise _changed(path, "it is gone") from error
        except OSError as error:
            raise _cant("delete", path, error) from error
        with suppress(OSError):
            aside.unlink()
            _sweep(place.parent, place.parent.stat().st_mtime, self._swept)

    def _must_be(self, path: str, expected: bytes) -> None:
        try:
            found = self.stored(path)
        except TooLargeError:
            found = None
        except NoFileError as error:
            raise _changed(path, "it is gone") from error
        if found != expected:
            raise _changed(path, "its text has changed")

    def _place(self, path: str) -> Path:
        """Return the real path of an existing file; links are followed, so a write goes to their target."""
        return self._inside(path, os.path.realpath(self._joined(path)))

    @contextmanager
    def _new_place(self, path: str) -> Iterator[Path]:
        """Yield the path for a new file, with its folders created; they are removed again if writing the file fails."""
        above, name = os.path.split(self._joined(path))
        if self._together is not None and above in self._together:
            yield self._together[above] / name
            return
        folder = self._inside(path, os.path.realpath(above))
        made: list[Path] = []
        try:
            try:
                _make_folders(folder, made)
            except OSError as error:
                raise _cant("make the folder of", path, error) from error
            if self._together is not None:
                self._together[above] = folder
            yield folder / name
        except BaseException:
            with suppress(OSError):  # a folder that is not empty stays, with those above it
                for one in reversed(made):
                    one.rmdir()
            raise

    def _status_of(self, path: str) -> os.stat_result | None:
        """Return a file's stat result; None if it is gone."""
        try:
            return self._place(path).stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _cant("read", path, error) from error

    def _joined(self, path: str) -> str:
        parts = path.split("/")
        if not path or "\0" in path or any(part in ("", ".", "..", ".git") for part in parts):
            raise VaultError(f"{path!r} is not a path in the vault", hint="write it relative to the vault's folder")
        return self._base + path

    def _inside(self, path: str, place: str) -> Path:
        self._must_be_inside(path, place)
        return Path(place)

    def _must_be_inside(self, path: str, place: str) -> None:
        if place != self._real_root and not place.startswith(self._real_root.rstrip(os.sep) + os.sep):
            raise VaultError(f"{path} leads out of the vault, to {place}", hint="keep memories inside the vault")


class _Temporary:
    """A file beside the one that it will become; deleted at the end, unless it holds what somebody else saved."""

    def __init__(self, folder: Path, path: str, swept: dict[Path, float]) -> None:
        self.folder, self.path, self._swept = folder, path, swept
        self.place = _temporary_in(folder)
        self._inode = 0
        self._is_ours = True

    def __enter__(self) -> Self:
        return self

    def write(self, data: bytes, *, mode: int | None, saved: os.stat_result | None = None) -> None:
        """Write the file to disk.

        Args:
            data: its bytes.
            mode: its permissions; None for those of any new file.
            saved: the stat result of a file whose times this one takes over; None for the current time.
        """
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            handle = os.open(self.place, flags, 0o666 if mode is None else 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                if mode is not None:
                    os.fchmod(handle, mode)
                status = os.fstat(handle)
                _sweep(self.folder, status.st_mtime, self._swept)
                if saved is not None:
                    os.utime(handle, ns=(saved.st_atime_ns, saved.st_mtime_ns))
                os.fsync(handle)
            self._inode = status.st_ino
        except OSError as error:
            raise _cant("write", self.path, error) from error

    def is_at(self, place: Path) -> bool:
        """Return whether the file is also at a given path."""
        try:
            return place.lstat().st_ino == self._inode
        except OSError:
            return False

    def exchange(self, place: Path, data: bytes, *, expected: bytes) -> bool:
        """Exchange places with a file that holds `expected`; False if the system can't do that in one step."""
        # (1) The two files are exchanged; (2) the displaced file is checked: if an editor has saved since the
        # comparison, the exchange is undone; (3) the folder is made durable; (4) the displaced file is deleted, on
        # leaving. A crash before (4) leaves it as the temporary file.
        self._is_ours = False
        kept = f"; what was there is in {self.place.name}"
        with _or_back("write", self.path, lambda: self._exchange_back(place, data), kept=kept):
            try:
                done = swapped(self.place, place)
            except FileNotFoundError as error:
                raise _changed(self.path, "it is gone") from error
            if done and _seen(self.place) != expected:
                raise _changed(self.path, "its text has changed")
            if done:
                sync_folder(self.folder)
        self._is_ours = True
        return done

    def _exchange_back(self, place: Path, data: bytes) -> None:
        """Undo an exchange; anything saved since is newer than what is restored, and ends up in the file's place."""
        if self.place.lstat().st_ino == self._inode:
            self._is_ours = True  # there was no exchange
            return
        # The content last put into the place, and the content of the temporary file.
        placed: _Seen | None = data
        kept = self._seen_or_none()
        while True:
            try:
                if not swapped(self.place, place):
                    raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
            except FileNotFoundError:  # an editor that deletes the file before saving it
                _put_back(self.place, place)
                return
            out = self._seen_or_none()
            if out is None or placed is None:
                return  # what can't be read is not deleted
            if out == placed:
                self._is_ours = True
                break
            placed, kept = kept, out
        with suppress(OSError):  # make the undo durable too, if possible
            sync_folder(self.folder)

    def _seen_or_none(self) -> _Seen | None:
        try:
            return _seen(self.place)
        except OSError:
            return None

    def rename_over(self, place: Path, data: bytes, *, expected: bytes) -> None:
        """Replace a file that held `expected` a moment ago; a save made at this very moment is lost."""

        def write_back() -> None:
            with _Temporary(self.folder, self.path, self._swept) as again:
                again.write(expected, mode=_mode_of(place))
                if _seen(place) == data:
                    again.place.replace(place)

        self.place.replace(place)
        with _or_back("write", self.path, write_back):
            sync_folder(self.folder)

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: object) -> None:
        if self._is_ours:
            with suppress(OSError):  # if it can't be removed now, it is swept later
                self.place.unlink(missing_ok=True)
        if isinstance(value, OSError):
            raise _cant("write", self.path, value) from value


@contextmanager
def _or_back(what: str, path: str, back: Callable[[], object], *, kept: str = "") -> Iterator[None]:
    """Undo a change to a file if the rest fails; if undoing fails too, the error says that the change was made.

    Args:
        what: what is done, a verb.
        path: the file.
        back: undoes the change.
        kept: where to find what was there before, if it can't be restored.
    """
    try:
        yield
    except BaseException as error:
        try:
            back()
        except (OSError, ChangedMeanwhileError, VaultError):
            reason = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
            raise VaultError(
                f"can't {what} {path}: {reason}{kept}",
                hint="check the disk and the file",
                outcome=DONE_ALL_THE_SAME,
            ) from error
        raise


# A file's bytes; for anything that is not a plain file or is larger than a memory, its identifying stats.
_Seen = bytes | tuple[int, int, int]


def _seen(place: Path) -> _Seen:
    """Return the content at a path; `OSError` if there is none, or it can't be read."""
    status = place.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
        return status.st_ino, status.st_size, status.st_mtime_ns
    with os.fdopen(os.open(place, _OPEN_TO_READ | os.O_NOFOLLOW), "rb") as file:
        return file.read()


def _take_away(place: Path, data: bytes) -> None:
    """Delete a file that holds `data`; any other file stays."""
    aside = _temporary_in(place.parent)
    place.rename(aside)
    try:
        is_ours = _seen(aside) == data
    except OSError:
        _put_back(aside, place)
        raise
    if is_ours:
        aside.unlink()
    else:
        _put_back(aside, place)


def _put_back(aside: Path, place: Path) -> None:
    """Restore the name of a file that was put aside; a file saved there since is newer, and stays."""
    try:
        _rename_to_free(aside, place, place.name)
        with suppress(OSError):
            sync_folder(place.parent)
    except ChangedMeanwhileError:
        with suppress(OSError):
            aside.unlink()
    except FileNotFoundError:
        return  # it was not put aside


def _temporary_in(folder: Path) -> Path:
    return folder / f"{TEMPORARY_PREFIX}{os.getpid()}-{os.urandom(4).hex()}"


def _sweep(folder: Path, now: float, swept: dict[Path, float]) -> None:
    """Remove files that killed writers left in a folder long ago; `now` is the time of the folder's file system.

    `swept` has the time of each folder's last sweep.
    """
    if abs(now - swept.get(folder, -SWEPT_AGAIN_AFTER_SECONDS)) < SWEPT_AGAIN_AFTER_SECONDS:
        return
    swept[folder] = now
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 -- names are all that is needed
            if name.startswith(TEMPORARY_PREFIX):
                left = folder / name
                with suppress(OSError):
                    if left.lstat().st_mtime < now - LEFT_BEHIND_AFTER_SECONDS:
                        left.unlink()


def _rename_to_free(old: Path, new: Path, path: str) -> None:
    """Rename without overwriting; if the system can't ensure that, check first: the lock keeps our writers out."""
    try:
        if _renamed(old, new, _NO_REPLACE):
            return
    except FileExistsError as error:
        raise _is_there(path) from error
    if os.path.lexists(new):
        raise _is_there(path)
    old.rename(new)


def swapped(one: Path, other: Path) -> bool:
    """Exchange two files in one step; False if the system can't."""
    return _renamed(one, other, _EXCHANGE)


def _renamed(old: Path, new: Path, flag: int) -> bool:
    """Rename with a flag of renameat2(2); False if the system or the file system does not support it."""
    rename = _renameat2()
    number = rename(os.fsencode(old), os.fsencode(new), flag) if rename else errno.ENOSYS
    if number and number not in _NOT_SUPPORTED:
        raise OSError(number, os.strerror(number), str(old), None, str(new))
    return not number


@cache
def _renameat2() -> Callable[[bytes, bytes, int], int] | None:
    """Return the kernel's rename with flags, which returns an error number or 0; None if it doesn't exist."""
    if sys.platform != "linux":
        return None
    import ctypes  # not needed by a search, which writes nothing

    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)

    def rename(old: bytes, new: bytes, flag: int) -> int:
        return ctypes.get_errno() if call(_AT_CURRENT_FOLDER, old, _AT_CURRENT_FOLDER, new, flag) else 0

    return rename


def _place_of(handle: int, path: str) -> str:
    """Return the real path of an open file, from the kernel if possible: that is one call instead of many."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 -- called for every file that a search reads
    except OSError:
        return os.path.realpath(path)


def _parts_of(handle: int, size: int) -> Iterator[bytes]:
    """Yield the bytes of an open file of some `size`; the file may have grown since, so reading goes on to its end."""
    while part := os.read(handle, size + 1):
        yield part
        if len(part) == size:
            return  # one more byte was requested, so this is the end


def _make_folders(folder: Path, made: list[Path]) -> None:
    """Create a folder and its parents, durably; add each created one to `made`."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for inner in reversed(missing):
        with suppress(FileExistsError):
            inner.mkdir()
            made.append(inner)
        sync_folder(inner.parent)


def _mode_of(place: Path) -> int | None:
    try:
        return stat.S_IMODE(place.stat().st_mode)
    except OSError:
        return None


def _cant(what: str, path: str, error: OSError) -> VaultError:
    kind = NoFileError if isinstance(error, FileNotFoundError | NotADirectoryError) else VaultError
    hint = "make room there, and try again" if error.errno in NO_ROOM else "check the path and its permissions"
    if error.errno == errno.ENAMETOOLONG:
        hint = "give a shorter path"
    return kind(f"can't {what} {path}: {error.strerror or error}", hint=hint)


def _is_there(path: str) -> ChangedMeanwhileError:
    return ChangedMeanwhileError(f"{path} already exists", hint="choose another name, or edit that file")


def _changed(path: str, how: str) -> ChangedMeanwhileError:
    return ChangedMeanwhileError(f"{path} changed in the meantime: {how}", hint="check the file, and try again")


def _stop_unless_missing(error: OSError) -> None:
    """Ignore a missing folder; one that can't be listed may hold anything, even a denial, so it is an error."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise _cant("list", str(error.filename), error) from error


# -- what killed writers left ----------------------------------------------------------------------


def drop_leftovers(folders: Iterable[Path], is_known: Callable[[bytes], bool]) -> None:
    """Delete temporary files in some folders whose bytes `is_known` accepts; the vault must be locked.

    Any other may hold what somebody saved while it was written, and stays.
    """
    for folder in folders:
        with suppress(OSError):
            for name in os.listdir(folder):  # noqa: PTH208 -- names are all that is needed
                if name.startswith(TEMPORARY_PREFIX):
                    with suppress(OSError):
                        if is_known(regular_bytes(folder / name, most=MOST_BYTES)):
                            (folder / name).unlink()


def folders_below(root: Path) -> Iterable[Path]:
    """Yield a vault's folder and those in it, but for git's."""
    for folder, folders, _ in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        yield Path(folder)
