"""Take back what memstore wrote last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import memory_file
from memstore.codec.memory_file import MemoryFile
from memstore.errors import ChangedMeanwhileError, NotFoundError, VaultError
from memstore.flows.audit import is_audited, recorded
from memstore.flows.recover import put
from memstore.flows.visible import seer
from memstore.model.instants import instant
from memstore.model.registry import RegistryKind, expected_id, kind_of
from memstore.ports.journal import Operation, Written

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.model.memory import Memory
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
    sees = seer(ws)
    with ws.vault.lock():
        last = ws.journal.last()
        if last is None or not all(_may_know(sees, file) for file in last.files):
            raise NotFoundError(
                "memstore knows of nothing to undo here", hint="git restore brings back what is committed"
            )
        for file in last.files:
            _expect(ws, file)
        back = Operation(
            verb="undo",
            at=instant(ws.clock.now()),
            files=tuple(Written(file.path, file.after, file.before) for file in last.files),
        )
        if not dry_run:
            if is_audited(last.verb):
                event = recorded(ws, "undo", of=last.verb, withdrawn=_withdrawn(back))
                ws.vault.create(event.path, event.after or b"")
            for file in back.files:
                put(ws.vault, file)
            ws.journal.record(back)
    return Undone(verb=last.verb, at=last.at, paths=tuple(file.path for file in last.files)), back


def _withdrawn(back: Operation) -> list[str]:
    """Return the ids of the consents whose files go with what is undone."""
    gone = [file.path for file in back.files if file.after is None]
    return [expected_id(path, kind) for path in gone if (kind := kind_of(path)) is RegistryKind.CONSENT]


def _may_know(sees: Callable[[Memory], bool], file: Written) -> bool:
    """Whether the viewer may see a file both as it was and as it was made; one that is no memory is the owner's."""
    read = [memory_file.read(file.path, data) for data in (file.before, file.after) if data is not None]
    return all(sees(one.memory) for one in read if isinstance(one, MemoryFile))


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
