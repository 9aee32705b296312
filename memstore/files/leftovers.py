"""Temporary files of writers that were killed, which still have the text of what was to be written, or to go."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.places import TEMPORARY_PREFIX
from memstore.files.fence import MOST_BYTES
from memstore.files.local_state import regular_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


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
