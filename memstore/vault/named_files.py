"""Read and write files that somebody names; a file inside a vault is available only to those who may see it."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.access import RIGHTS
from memstore.access.consents import is_asked
from memstore.core.config import CONFIG_PATH
from memstore.core.errors import RefusedError, VaultError
from memstore.core.places import RegistryKind, is_memory_path, is_own_path, kind_of
from memstore.core.times import moment
from memstore.files.config_file import NOBODY, owner_of
from memstore.files.local_state import regular_bytes, vault_around, without_dots, write_whole
from memstore.vault.look import LOOK

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import BinaryIO

    from memstore.core.view import View


# The most bytes read from one named file; a device may never end.
MOST_BYTES = 256 * 1024 * 1024


class VaultNamedFiles:
    """The files that somebody names, for whoever has a view."""

    def __init__(self, view: View) -> None:
        self._view = view

    def read(self, path: Path) -> bytes:
        with self.stream(path) as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:  # it may never end
            raise OSError(errno.EFBIG, f"it has more than {MOST_BYTES:,} bytes", str(path))
        return data

    def stream(self, path: Path) -> BinaryIO:
        # Access is decided on the file that was opened, under whatever name: the system resolves links and the case of
        # letters, and `without_dots` resolves `..`. A file with several hard links has several places, of which only
        # one is known here.
        named = without_dots(path)
        try:
            handle = os.open(named, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if _may_be_read(self._view, Path(os.path.realpath(named))):  # `resolve` fails on a cycle of links
                number = error.errno or errno.EIO
                raise OSError(number, os.strerror(number), str(path)) from error
            raise _missing(path) from error  # whatever stands in the way is hidden as well
        try:
            _require_file(self._view, handle, path)
            os.set_blocking(handle, True)  # wait for a pipe: `--queries <(command)`
            return os.fdopen(handle, "rb")
        except BaseException:
            os.close(handle)
            raise

    def below(self, path: Path) -> Sequence[str] | None:
        # To those who see none of its files, a folder in a vault is not there.
        folder = Path(os.path.realpath(without_dots(path)))
        if not folder.is_dir():
            return None
        found: list[str] = []
        for place, folders, names in os.walk(folder, onerror=_raise):
            folders[:] = [name for name in folders if not name.startswith(".")]
            shown = [name for name in names if not name.startswith(".")]
            files = [name for name in shown if stat.S_ISREG(os.lstat(f"{place}/{name}").st_mode)]
            inside = Path(place).relative_to(folder).as_posix()
            above = "" if inside == "." else f"{inside}/"
            if self._view.is_owners:  # of the files in one folder, the owner may read all or none
                files = files if files and _may_be_read(self._view, Path(place, files[0])) else []
            else:
                files = [name for name in files if _may_be_read(self._view, Path(place, name))]
            found += (f"{above}{name}" for name in files)
        return found if found or _may_be_read(self._view, folder) else None

    def saved_at(self, path: Path) -> datetime | None:
        with self.stream(path) as file:
            return moment(os.fstat(file.fileno()).st_mtime)

    def put(self, path: Path, data: bytes, *, over: bytes) -> None:
        # What is not a regular file, like a pipe, is written to and not replaced.
        place = _place_to_write(self._view, path, over=over)
        if place.exists() and not place.is_file():
            with path.open("wb", buffering=0) as file:
                file.write(data)
            return
        write_whole(place, data)

    def check_place(self, path: Path, *, over: bytes) -> None:
        _place_to_write(self._view, path, over=over)

    def has_folder(self, path: str) -> bool:
        if self._view.is_owners:
            with suppress(OSError):  # no folder has a name that is too long, or lies where nobody may look
                return (self._view.root / path).is_dir()
            return False
        paths = self._view.column("path")
        return any(paths[row].startswith(f"{path}/") for row in self._view.rows)

    def cited(self, path: str) -> bytes | None:
        if is_own_path(path) and not self._view.is_owners:
            return None
        try:
            return self._view.of(LOOK).ws.vault.read(path)
        except VaultError:
            return None


def _require_file(view: View, handle: int, path: Path) -> None:
    """Raise unless an open file may be read by the actor, and is not a folder."""
    if not _may_be_read(view, _place_of(handle, path)):
        raise _missing(path)
    if stat.S_ISDIR(os.fstat(handle).st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def _place_to_write(view: View, path: Path, *, over: bytes) -> Path:
    """Return the real path of a file that may be written."""
    place = Path(os.path.realpath(without_dots(path)))
    _require_free(view, place, path)
    if place.is_dir() or not place.parent.is_dir():
        why = errno.EISDIR if place.is_dir() else errno.ENOENT
        raise OSError(why, os.strerror(why), str(path))
    if place.is_file():
        with place.open("rb") as file:
            begins = file.read(len(over))
        if begins not in (b"", over):
            raise RefusedError(
                f"{path} is there, and is not an earlier page", hint="name another file, or move it away"
            )
    return place


def _require_free(view: View, place: Path, path: Path) -> None:
    """Raise if a real path is one that a memory, the vault or git could have, whether or not anything is there.

    Only the owner of the vault learns anything about what is in it.
    """
    around = vault_around(place)
    if around is None and not view.of(LOOK).keeps(place):
        return
    if around == view.root.resolve():
        is_owners = view.is_owners
    else:
        is_owners = around is not None and view.of(LOOK).is_alone and _owner_of(around) == view.actor
    parts = place.relative_to(around).parts if around else ()
    if not is_owners or any(part.startswith(".") for part in parts) or place.suffix not in _PAGES:
        raise RefusedError(
            f"{path} is in a vault, where only its owner may put a page, and only one called .html",
            hint="name a file elsewhere",
        )


_PAGES = frozenset({".html", ".htm"})


def _raise(error: OSError) -> None:
    raise error


def _missing(path: Path) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def _may_be_read(view: View, place: Path) -> bool:
    """Whether the actor may read the file at a real path."""
    root = view.root.resolve()
    if not view.is_owners and view.of(LOOK).keeps(place):
        return False
    around = vault_around(place)
    if around is None or around == root:
        return view.is_owners or around is None or _is_seen(view, place, root)
    return view.of(LOOK).is_alone and _owner_of(around) == view.actor


def _is_seen(view: View, place: Path, root: Path) -> bool:
    """Whether a path in the view's own vault is that of a memory which the actor may see, or of a request to them."""
    if not place.is_relative_to(root):
        return False
    inside = place.relative_to(root).as_posix()
    if kind_of(inside) is RegistryKind.REQUEST:
        request = view.of(RIGHTS).registry(RegistryKind.REQUEST).get(inside)
        return request is not None and is_asked(view, request)
    return is_memory_path(inside, mixed=view.config.mixed) and view.read(inside) is not None


def _owner_of(vault: Path) -> str:
    """Return who owns another vault; an id that nobody has if the vault does not say so itself."""
    try:
        return owner_of(regular_bytes(vault / CONFIG_PATH), default=NOBODY)
    except OSError:
        return NOBODY


def _place_of(handle: int, path: Path) -> Path:
    """Return the real path of an open file, from the kernel if available, so that no name is resolved twice."""
    try:
        # A pipe has `pipe:[1]`, which is not a path, in particular not one in the working folder.
        return Path("/", os.readlink(f"/proc/self/fd/{handle}"))  # noqa: PTH115 -- not a link that could be followed
    except OSError:
        return Path(os.path.realpath(without_dots(path)))
