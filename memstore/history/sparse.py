"""What a sparse checkout leaves out of the work tree: for git it is there, and refs to it lead somewhere.

It is a module of its own because rules about lineage need it, which must not reach the operating system by `revisions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.places import is_memory_path
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.history import HISTORY

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile


def left_out(view: View) -> tuple[ReadFile, ...]:
    """Return the memories and notes that a sparse checkout leaves out, as git's index has them, by path."""
    paths = view.of(HISTORY).sparse_files() if view.of(HISTORY).repository is not None else ()
    named = sorted(path for path in paths if is_memory_path(path, mixed=view.config.mixed))
    if not named:
        return ()
    index = view.of(HISTORY).index_files()
    data = view.blobs(index[path] for path in named)
    there = ((path, data[index[path]]) for path in named if index[path] in data)
    return tuple(memory_file.read(path, text, mixed=view.config.mixed) for path, text in there)


def ids_left_out(view: View) -> frozenset[str]:
    """Return the ids of the memories that a sparse checkout leaves out."""
    files = (file for file in left_out(view) if isinstance(file, MemoryFile))
    return frozenset(file.memory.id for file in files if file.memory.id)
