"""What happened to memories between two states of the vault, matched by id and not by path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.codec.memory_file import BrokenFile, MemoryFile
from memstore.core.change import Changes
from memstore.model.change import MemoryChange

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.codec.memory_file import ReadFile
    from memstore.model.finding import Position
    from memstore.model.memory import Memory


def changes_between(before: Mapping[str, ReadFile], after: Mapping[str, ReadFile]) -> Changes:
    """Return what happened between two states, each given by the files that differ, by path.

    A memory is the same one as long as its id is; where its id is gone altogether, as long as its path is.
    """
    old, new = _memories(before), _memories(after)
    pairs = _pairs(old, new)
    broken = tuple(file for _, file in sorted(after.items()) if isinstance(file, BrokenFile))
    unreadable = {file.path for file in broken}
    changes = [
        MemoryChange(before=old.get(was), after=new.get(now), path_before=was or None, path_after=now or None)
        for was, now in pairs
        if was not in unreadable or now
    ]
    return Changes(tuple(sorted(changes, key=lambda change: change.path_after or change.path_before or "")), broken)


def introduced_ids(changes: Changes, after: Mapping[str, ReadFile]) -> dict[str, tuple[str, Position]]:
    """Return the ids that files have now and had not before, with the place, by path."""
    found: dict[str, tuple[str, Position]] = {}
    for change in changes.memories:
        memory, path = change.after, change.path_after
        if memory is None or path is None or memory.id is None:
            continue
        known = change.before is not None and change.before.id == memory.id
        file = after[path]
        if not known and isinstance(file, MemoryFile):
            found[path] = (memory.id, file.front.position("id"))
    return found


def _memories(files: Mapping[str, ReadFile]) -> dict[str, Memory]:
    return {path: file.memory for path, file in files.items() if isinstance(file, MemoryFile)}


def _pairs(old: Mapping[str, Memory], new: Mapping[str, Memory]) -> list[tuple[str, str]]:
    """Return old path and new path of each memory; empty for the side on which it is not."""
    old_ids = {memory.id: path for path, memory in old.items() if memory.id}
    new_ids = {memory.id: path for path, memory in new.items() if memory.id}
    pairs: list[tuple[str, str]] = []
    matched: set[str] = set()
    for path, memory in new.items():
        was = _earlier(path, memory, old, old_ids, new_ids)
        if was in matched:  # a copy of a memory is a new one with an id that is taken
            was = ""
        matched.add(was)
        pairs.append((was, path))
    return pairs + [(path, "") for path in old if path not in matched]


def _earlier(
    path: str,
    memory: Memory,
    old: Mapping[str, Memory],
    old_ids: Mapping[str, str],
    new_ids: Mapping[str, str],
) -> str:
    """Return the path at which a memory was before, or nothing."""
    here = old.get(path)
    if here is not None and here.id == memory.id:
        return path
    if memory.id and memory.id in old_ids:
        return old_ids[memory.id]
    # The same place with another id: the same memory, unless the one that was here went elsewhere.
    return path if here is not None and (here.id or "") not in new_ids else ""
