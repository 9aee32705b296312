"""The lock that keeps out a second writer of a vault."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from memstore.core.errors import LockedError, VaultError
from memstore.files.local_state import FIRST_SECONDS, NO_ROOM, NOT_FOLLOWED, make_private, regular_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATIENCE_SECONDS = 5.0
_PAUSE_SECONDS = 0.02


class WriteLock:
    """A file locked with `flock`: the kernel releases the lock when its holder dies, however it dies.

    A thread that holds the lock may take it again.
    """

    def __init__(self, path: Path, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self.path = path
        self.patience_seconds = patience_seconds
        self._thread = threading.RLock()
        self._depth = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock.

        Raises:
            LockedError: somebody else held it for longer than `patience_seconds`.
            VaultError: the lock file can't be created.
        """
        if not self._thread.acquire(timeout=self.patience_seconds):
            raise self._locked()
        try:
            if self._depth:
                self._depth += 1
                yield
                return
            with self._file_locked():
                self._depth = 1
                yield
        finally:
            self._depth = max(0, self._depth - 1)
            self._thread.release()

    @contextmanager
    def _file_locked(self) -> Iterator[None]:
        handle = self._opened()
        try:
            if not flocked(handle, patience_seconds=self.patience_seconds):
                raise self._locked()
            with suppress(OSError):  # on a full disk, the lock holds without a name
                os.ftruncate(handle, 0)
                os.pwrite(handle, f"process {os.getpid()} on {os.uname().nodename}\n".encode(), 0)
            yield
        finally:
            os.close(handle)  # which releases the lock

    def _opened(self) -> int:
        try:
            make_private(self.path.parent)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | NOT_FOLLOWED, 0o600)
        except OSError as error:
            hint = "make room there, and try again" if error.errno in NO_ROOM else None
            if error.errno == errno.EROFS:
                hint = "the disk can be read, but not written: mount it writable, or copy the vault"
            raise self._cant(str(error.strerror), hint) from error
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return handle
        os.close(handle)
        raise self._cant("it is not a plain file")

    def _cant(self, why: str, hint: str | None = None) -> VaultError:
        return VaultError(
            f"can't make the lock {self.path}: {why}",
            hint=hint or "remove what lies there, or fix the folder's permissions",
        )

    def _locked(self) -> LockedError:
        try:
            holder = regular_bytes(self.path).decode(errors="replace").strip() or "another program"
        except OSError:
            holder = "another program"
        return LockedError(
            f"{holder} is writing to the vault; waited {self.patience_seconds:g} s",
            hint="try again when it has finished",
        )


def flocked(
    handle: int, *, patience_seconds: float, on_wait: Callable[[], object] = bool, how: int = fcntl.LOCK_EX
) -> bool:
    """Lock an open file for this process alone; False if somebody else held it for all of `patience_seconds`.

    `on_wait` is called again and again when that has taken as long as is worth a word. With `fcntl.LOCK_SH` as `how`,
    others may hold it in the same way.
    """
    begun = time.monotonic()
    deadline = begun + patience_seconds
    while True:
        try:
            fcntl.flock(handle, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            if time.monotonic() >= begun + FIRST_SECONDS:
                on_wait()
            time.sleep(_PAUSE_SECONDS)
        else:
            return True
