"""Archive and restore memories: an archived memory stays whole, under its name, and is found only on request.

Memories that could be archived are proposed, with the reason; nothing is ever deleted.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Unpack

from memstore.beliefs import ledger
from memstore.beliefs.next_lines import held, replay_of
from memstore.core.change import Edit
from memstore.core.errors import RefusedError
from memstore.core.named import refs_of
from memstore.core.transaction import Saving, again_where_changed, message_of, save_all
from memstore.files import memory_file, splice
from memstore.files.memory_file import MemoryFile
from memstore.history import HISTORY, WORK_TREE
from memstore.history.revisions import revisions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memstore.core.change import Saved
    from memstore.core.memory import Memory
    from memstore.core.named import Names
    from memstore.core.view import View


@again_where_changed
def archive(view: View, memories: Names, *, reason: str | None = None, **saving: Unpack[Saving]) -> tuple[Saved, ...]:
    """Archive memories: searches and lists leave them out unless the status `archived` is requested.

    >>> old = note(ws.view(), "The café opens at ten.")
    >>> [saved.changed for saved in archive(ws.view(), [old.ref])]
    [True]

    Args:
        view: the vault.
        memories: the memories.
        reason: why; it is kept in `status_reason` and in the commit's message.
        saving: dry_run, commit.

    Raises: NotFoundError: a ref names no memory. RefusedError: a memory is superseded or was forgotten, so it is
    already out of sight.
    """
    files = _open_memories(view, memories)
    edits = [edit_of_archiving(file, reason) for file in files]
    return save_all(view, edits, verb="archive", message=reason, **saving)


@again_where_changed
def restore(view: View, memories: Names, *, reason: str | None = None, **saving: Unpack[Saving]) -> tuple[Saved, ...]:
    """Bring archived memories back, byte for byte as they were.

    Takes the arguments and raises the errors of `archive`; the reason is kept in the commit's message only.

    Raises:
        UsageError: a reason is given, but no commit to keep it in.
    """
    message = message_of(view, reason, saving)
    edits = [Edit(path=file.path, before=file, after=_restored(view, file)) for file in _open_memories(view, memories)]
    return save_all(view, edits, verb="restore", message=message, **saving)


def _open_memories(view: View, memories: Names) -> list[MemoryFile]:
    return list({file.path: file for file in (view.original(ref) for ref in refs_of(memories))}.values())


def edit_of_archiving(file: MemoryFile, reason: str | None = None) -> Edit:
    """Return the edit that archives a memory, and that `restore` undoes.

    Raises: RefusedError: it is superseded or was forgotten, so it is already out of sight.
    """
    _refuse_others(file, "so it is already out of sight")
    is_new = file.memory.status != "archived"
    return Edit(path=file.path, before=file, after=_archived(file, reason) if is_new else file.data)


def _archived(file: MemoryFile, reason: str | None) -> bytes:
    return splice.apply(file, [splice.SetValue("status", "archived"), *reasons(reason)])


def reasons(reason: str | None) -> list[splice.SetValue]:
    """Return the edits that record why a memory is archived."""
    words = " ".join((reason or "").split())
    return [splice.SetValue("status_reason", words)] if words else []


def _restored(view: View, file: MemoryFile) -> bytes:
    """Return the bytes of an archived memory as they were before; other changes since then are kept."""
    _refuse_others(file, "so it was not archived")
    if file.memory.status != "archived":
        return file.data
    before = next(_states_before(view, file), None)
    if before is not None and _archived(before, file.memory.status_reason) == file.data:
        return before.data
    stood = before is not None and "status" in before.front.values
    status = splice.SetValue("status", before.memory.status) if before and stood else splice.RemoveKey("status")
    return splice.apply(file, [status, splice.RemoveKey("status_reason")])


def _refuse_others(file: MemoryFile, told: str) -> None:
    if file.memory.status not in ("active", "archived", "draft"):
        name = file.memory.ref or file.path
        raise RefusedError(f"{name} is {file.memory.status}, {told}", hint=f"memstore show {name} says more")


def _states_before(view: View, file: MemoryFile) -> Iterator[MemoryFile]:
    """Yield the known states of a memory in which it was not archived, latest first."""
    for data in _earlier(view, file):
        known = memory_file.read(file.path, data, mixed=view.config.mixed)
        if isinstance(known, MemoryFile) and known.memory.id == file.memory.id and known.memory.status != "archived":
            yield known


def _earlier(view: View, file: MemoryFile) -> Iterator[bytes]:
    last = view.of(WORK_TREE).last_operation()
    yield from (one.before for one in last.files if last and one.path == file.path and one.before) if last else ()
    if view.of(HISTORY).repository and view.of(HISTORY).head():
        for revision in revisions(view, file.path, file.memory.id or ""):
            yield from (state.data for state in (revision.after, revision.before) if state)


# -- what could be archived ------------------------------------------------------------------------


REFUTED_BELOW = 0.30
LEAST_LIVE_EVIDENCE = 0.5
LEAST_STRENGTH = 0.05


class Prunable(StrEnum):
    """Why a memory could be archived."""

    REFUTED = "refuted"
    STALE = "stale"


def prunable(memory: Memory, now: datetime, *, strength: float) -> Prunable | None:
    """Return why a memory could be archived; None if it should stay.

    Args:
        memory: the memory; it stays if it is not active, if it is pinned or foundational, or if it has no confidence.
        now: UTC.
        strength: its strength, in [0, 1].
    """
    number = held(memory)
    if number is None or memory.status != "active" or memory.foundational or memory.importance == "pinned":
        return None
    if number < REFUTED_BELOW:
        return Prunable.REFUTED
    if strength < LEAST_STRENGTH and live_evidence(memory, now) < LEAST_LIVE_EVIDENCE:
        return Prunable.STALE
    return None


def figures(memory: Memory, now: datetime, *, strength: float, uses: int) -> str:
    """Return the numbers behind `prunable` as text; takes its arguments, and the number of uses."""
    left = f"{live_evidence(memory, now):.2f} observations left"
    return (
        f"confidence {held(memory) or 0.0:g}, {left}, strength {strength:.2f}, {uses} {'use' if uses == 1 else 'uses'}"
    )


def live_evidence(memory: Memory, now: datetime) -> float:
    """Return how many observations still support a confidence at `now`, 0 or more; they fade with age."""
    return max(0.0, replay_of(memory, now).precision - ledger.PRIOR_WEIGHT)
