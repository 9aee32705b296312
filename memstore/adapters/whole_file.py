"""Files of memstore's own, written whole or not at all; memories are written by `disk_vault`, which guards more."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Write a file anew in one step; its folder must be there.

    Args:
        path: the file; a link in its place is replaced, and not followed.
        data: what it is to hold.
        mode: its permissions; None for those that it has, or those of any new file.
    """
    if mode is None and path.exists():
        mode = path.stat().st_mode & 0o7777
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(scratch, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if mode is not None:
                os.fchmod(handle, mode)
            os.fsync(handle)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder outlive a crash of the machine."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
