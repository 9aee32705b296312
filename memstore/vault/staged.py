"""Checks of what is staged: each file by itself, as a successor of its committed state, and its id among all."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from memstore.access.audit import consents_gone
from memstore.access.widening import WideningContext, check_widening, surroundings
from memstore.core.finding import Finding, in_order
from memstore.core.ids import is_memory_id
from memstore.core.places import kind_of
from memstore.core.problems import Checked
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.history.changes import changes_between, introduced_ids
from memstore.vault import checks, transitions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from memstore.core.change import Changes
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.history.git_history import GitHistory


class Staged(NamedTuple):
    """What is staged: the changes of memories, and the files as they are in the index, by path."""

    changes: Changes
    files: Mapping[str, ReadFile]


def staged(history: GitHistory) -> Staged:
    """Return what a commit of the index would change; reads blobs only, no file of the work tree."""
    files = history.staged()
    blobs = history.blobs(blob for file in files for blob in (file.old, file.new) if blob)
    before = {
        file.path: memory_file.read(file.path, blobs[file.old], mixed=history.mixed) for file in files if file.old
    }
    after = {file.path: memory_file.read(file.path, blobs[file.new], mixed=history.mixed) for file in files if file.new}
    return Staged(changes_between(before, after), after)


def check_staged(history: GitHistory, *, owner: Callable[[], str], now: datetime) -> tuple[Finding, ...]:
    """Return what is wrong with the staged memories.

    Args:
        history: the repository.
        owner: gives the vault's owner; asked only where grants changed.
        now: the time, UTC.
    """
    changes, files = staged(history)
    findings = check_changes(changes, files)
    findings += check_widening(changes.memories, files, lambda ids: _around(history, owner(), ids), now)
    findings += consents_gone(set(history.staged_paths()), history.index_files)
    introduced = introduced_ids(changes, files)
    if introduced:
        paths: dict[str, list[str]] = defaultdict(list)
        for path, memory_id in history.staged_ids({memory_id for memory_id, _ in introduced.values()}).items():
            paths[memory_id].append(path)
        findings += transitions.duplicates(paths, {path: place for path, (_, place) in introduced.items()})
    return in_order(findings)


def _around(history: GitHistory, owner: str, ids: frozenset[str]) -> WideningContext:
    """Return the staged registries, and the staged memories with these ids and all that they were made of."""
    from dataclasses import replace

    from memstore.access.policy import labels_of
    from memstore.access.registry_world import world_of

    blobs = history.index_files()
    own = {path: blob for path, blob in blobs.items() if kind_of(path)}
    data = history.blobs(own.values())
    memories: dict[str, Memory] = {}
    waiting = set(ids)
    while waiting:
        paths = history.staged_ids(waiting)
        read = history.blobs(blobs[path] for path in paths)
        found = [memory_file.read(path, read[blobs[path]], mixed=history.mixed) for path in paths]
        new = {file.memory.id: file.memory for file in found if isinstance(file, MemoryFile) and file.memory.id}
        memories |= new
        waiting = {text.partition(":")[2] for memory in new.values() for text in memory.derived_from} - memories.keys()
        waiting &= {text for text in waiting if is_memory_id(text)}
        if not new:
            break
    world = world_of(owner, [(path, data.get(blob)) for path, blob in own.items()])
    return WideningContext(
        replace(world, memories={name: labels_of(memory) for name, memory in memories.items()}), memories
    )


def findings_of(view: View, changes: Changes, files: Mapping[str, ReadFile]) -> list[Finding]:
    """Return what is wrong with changes, as the pre-commit hook does.

    Args:
        view: the vault as it is.
        changes: what became of which memories.
        files: the files that hold them now, by path.
    """
    introduced = introduced_ids(changes, files)
    holders = {
        memory_id: [view.entry(row).path for row in view.rows_of_id(memory_id)] for memory_id, _ in introduced.values()
    }
    findings = check_changes(changes, files)
    findings += check_widening(changes.memories, files, lambda ids: surroundings(view, ids), view.clock.now())
    findings += transitions.duplicates(holders, {path: place for path, (_, place) in introduced.items()})
    return findings


def check_changes(changes: Changes, after: Mapping[str, ReadFile]) -> list[Finding]:
    """Return what is wrong with the new state by itself, and as a successor of the old one."""
    findings = [finding for file in changes.broken for finding in file.findings]
    for change in changes.memories:
        file = after.get(change.path_after or "")
        if not isinstance(file, MemoryFile):
            continue
        place = file.front.position
        findings += checks.errors_in(Checked(file.path, file.memory, place, file.text.body_line))
        if change.before is not None:
            findings += transitions.check(change.before, file.memory, path=file.path, place=place)
    return findings
