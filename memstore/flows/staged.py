"""Checks of what is staged: each file by itself, as a successor of its committed state, and its id among all."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from memstore.codec import memory_file
from memstore.codec.memory_file import MemoryFile
from memstore.flows.changes import changes_between, check_changes, introduced_ids
from memstore.flows.widening import Surroundings, check_widening
from memstore.model.finding import Finding, Position, in_order
from memstore.model.finding_codes import CODES
from memstore.model.ids import is_memory_id
from memstore.model.registry import RegistryKind, kind_of
from memstore.rules import transitions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    from memstore.codec.memory_file import ReadFile
    from memstore.core.change import Changes
    from memstore.model.memory import Memory
    from memstore.ports.history import History


class Staged(NamedTuple):
    """What is staged: the changes of memories, and the files as they are in the index, by path."""

    changes: Changes
    files: Mapping[str, ReadFile]


def staged(history: History) -> Staged:
    """Return what a commit of the index would change; reads blobs only, no file of the work tree."""
    files = history.staged()
    blobs = history.blobs(blob for file in files for blob in (file.old, file.new) if blob)
    before = {file.path: memory_file.read(file.path, blobs[file.old]) for file in files if file.old}
    after = {file.path: memory_file.read(file.path, blobs[file.new]) for file in files if file.new}
    return Staged(changes_between(before, after), after)


def check_staged(history: History, *, owner: Callable[[], str], now: datetime) -> tuple[Finding, ...]:
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


def consents_gone(before: Collection[str], now: Callable[[], Collection[str]]) -> list[Finding]:
    """Return an error for each consent's file that was there and is not: it may have refused, or taken something back.

    Args:
        before: paths that were there, of any files.
        now: gives the paths that are there; called only if needed. A file may have been moved.
    """
    consents = {path for path in before if kind_of(path) is RegistryKind.CONSENT}
    names = {path.rpartition("/")[2] for path in now() if kind_of(path) is RegistryKind.CONSENT} if consents else set()
    return [
        Finding(
            code="consent-deleted",
            severity=CODES["consent-deleted"].severity,
            path=path,
            at=Position(1),
            text="the file of a consent, a refusal or a revocation was committed, and is gone",
            hint="git restore --staged --worktree brings it back; memstore consent revoke takes a consent back",
        )
        for path in sorted(consents)
        if path.rpartition("/")[2] not in names
    ]


def _around(history: History, owner: str, ids: frozenset[str]) -> Surroundings:
    """Return the staged registries, and the staged memories with these ids and all that they were made of."""
    from dataclasses import replace

    from memstore.codec.registry_world import world_of
    from memstore.rules.judge import labels_of

    blobs = history.index_files()
    own = {path: blob for path, blob in blobs.items() if kind_of(path)}
    data = history.blobs(own.values())
    memories: dict[str, Memory] = {}
    waiting = set(ids)
    while waiting:
        paths = history.staged_ids(waiting)
        read = history.blobs(blobs[path] for path in paths)
        found = [memory_file.read(path, read[blobs[path]]) for path in paths]
        new = {file.memory.id: file.memory for file in found if isinstance(file, MemoryFile) and file.memory.id}
        memories |= new
        waiting = {text.partition(":")[2] for memory in new.values() for text in memory.derived_from} - memories.keys()
        waiting &= {text for text in waiting if is_memory_id(text)}
        if not new:
            break
    world = world_of(owner, [(path, data.get(blob)) for path, blob in own.items()])
    return Surroundings(
        replace(world, memories={name: labels_of(memory) for name, memory in memories.items()}), memories
    )
