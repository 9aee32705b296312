"""A folder in which something is made that gets its place once it is complete; a killed program's is deleted later."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.files.write_lock import flocked

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def unfinished_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a new folder in another one, under a name that begins so, and delete it afterwards.

    Those that programs which died left there are deleted first.
    """
    for left in parent.glob(f"{prefix}*"):
        with _locked(left) as is_dead:
            if is_dead:
                shutil.rmtree(left, ignore_errors=True)
    with (
        tempfile.TemporaryDirectory(prefix=prefix, dir=parent, ignore_cleanup_errors=True) as made,
        _locked(Path(made)),
    ):
        yield Path(made)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Hold the lock of such a folder, and yield whether it was free: then its maker is dead."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        yield flocked(handle, patience_seconds=0)
    finally:
        os.close(handle)
