"""Take back what memstore wrote last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import memory_file
from memstore.codec.memory_file import MemoryFile
from memstore.errors import ChangedMeanwhileError, NotFoundError, VaultError
from memstore.flows.audit import is_audited, recorded
from memstore.flows.recover import put
from memstore.flows.visible import owns, seer
from memstore.model.instants import instant
from memstore.model.registry import RegistryKind, expected_id, kind_of
from memstore.ports.journal import Operation, Written

if TYPE_CHECKING:
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """Which operation was taken back, when it had been done, and the paths of its files."""

    verb: str
    at: str
    paths: tuple[str, ...]


def undo(ws: Workspace, *, dry_run: bool = False) -> tuple[Undone, Operation]:
    """Take back the last operation, and return it with what was written to do so; a second `undo` does it again.

    Args:
        ws: the vault.
        dry_run: only say what would be written.

    Raises:
        NotFoundError: nothing is known that could be taken back, or it is somebody else's.
        ChangedMeanwhileError: a file is no longer as the operation left it; nothing was taken back.
    """
    with ws.vault.lock():
        last = ws.journal.last()
        if last is None or not _may_undo(ws, last):
            raise NotFoundError(
                "memstore knows of nothing to undo here", hint="git restore brings back what is committed"
            )
        for file in last.files:
            _expect(ws, file)
        back = Operation(
            verb="undo",
            at=instant(ws.clock.now()),
            files=tuple(Written(file.path, file.after, file.before) for file in last.files),
            by=ws.actor,
        )
        if not dry_run:
            if is_audited(last.verb) or _is_about_access(last):
                gone, again = _consents(back)
                event = recorded(ws, "undo", of=last.verb, withdrawn=gone, consents=again)
                ws.vault.create(event.path, event.after or b"")
            for file in back.files:
                put(ws.vault, file)
            ws.journal.record(back)
    return Undone(verb=last.verb, at=last.at, paths=tuple(file.path for file in last.files)), back


def _is_about_access(last: Operation) -> bool:
    """Whether an operation changed who may see what, by whatever command."""
    shared = [
        [one.memory.sharing for data in (file.before, file.after) if (one := _memory_in(file.path, data))]
        for file in last.files
    ]
    return any(kind_of(file.path) for file in last.files) or any(len({*both}) > 1 for both in shared)


def _memory_in(path: str, data: bytes | None) -> MemoryFile | None:
    file = None if data is None or kind_of(path) else memory_file.read(path, data)
    return file if isinstance(file, MemoryFile) else None


def _consents(back: Operation) -> tuple[list[str], list[str]]:
    """Return the ids of the consents whose files go with what is undone, and of those whose files come back."""
    gone: list[str] = []
    again: list[str] = []
    for file in back.files:
        if (kind := kind_of(file.path)) is RegistryKind.CONSENT and None in (file.before, file.after):
            (gone if file.after is None else again).append(expected_id(file.path, kind))
    return gone, again


def _may_undo(ws: Workspace, last: Operation) -> bool:
    """Whether an operation is the actor's to take back: they did it, or all of its files are theirs.

    They must see all of its memories, too, as they were and as they were made.
    """
    sees = seer(ws)
    files = [(file.path, data) for file in last.files for data in (file.before, file.after) if data is not None]
    known = [one.memory for path, data in files if (one := _memory_in(path, data))]
    own = all(owns(ws, memory) for memory in known) and (len(known) == len(files) or ws.actor == ws.config.owner)
    return (own or last.by == ws.actor) and all(map(sees, known))


def _expect(ws: Workspace, file: Written) -> None:
    try:
        now = ws.vault.read(file.path)
    except VaultError:
        now = None
    if now != file.after:
        what = "is gone" if now is None else "was changed" if file.after is not None else "was written again"
        raise ChangedMeanwhileError(
            f"{file.path} {what} since; nothing was undone",
            hint="memstore diff shows what changed; git restore brings it back",
        )
