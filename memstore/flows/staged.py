"""Checks of what is staged: each file by itself, as a successor of its committed state, and its id among all."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from memstore.codec import memory_file
from memstore.flows.changes import changes_between, check_changes, introduced_ids
from memstore.model.finding import in_order
from memstore.rules import transitions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.codec.memory_file import ReadFile
    from memstore.flows.changes import Changes
    from memstore.model.finding import Finding
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


def check_staged(history: History) -> tuple[Finding, ...]:
    """Return what is wrong with the staged memories."""
    changes, files = staged(history)
    findings = check_changes(changes, files)
    introduced = introduced_ids(changes, files)
    if introduced:
        paths: dict[str, list[str]] = defaultdict(list)
        for path, memory_id in history.staged_ids({memory_id for memory_id, _ in introduced.values()}).items():
            paths[memory_id].append(path)
        findings += transitions.duplicates(paths, {path: place for path, (_, place) in introduced.items()})
    return in_order(findings)
