"""Undo an operation: whose it is, what must be written for that, and the audit event that records it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.access.audit import is_audited, recorded
from memstore.access.grants import gained
from memstore.access.registry import expected_id
from memstore.core.change import UNDO_OF, Operation, Written
from memstore.core.digests import digest_of
from memstore.core.errors import ChangedMeanwhileError, VaultError
from memstore.core.places import RegistryKind, kind_of
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile, PlainFile
from memstore.vault.look import LOOK

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.files.vault import VaultFiles


def taking_back(view: View, last: Operation, at: str) -> tuple[Operation, tuple[Written, ...]]:
    """Return the operation that takes back another at time `at`, and the event to write with it, if it needs one."""
    files = tuple(Written(file.path, file.after, file.before) for file in last.files)
    undone = last.verb.removeprefix(UNDO_OF)  # what takes back an undo does again what that took back
    verb = f"{UNDO_OF}{last.verb}" if undone == last.verb else undone
    back = Operation(verb=verb, at=at, files=files, by=view.actor)
    unadopted = _unadopted(view, back)
    if not (is_audited(last.verb) or _is_about_access(view, last) or unadopted):
        return back, ()
    gone, again = _consents(back)
    kinds = ((file.path, kind_of(file.path)) for file in files)
    changed = [expected_id(path, kind) for path, kind in kinds if kind not in (None, RegistryKind.CONSENT)]
    says = [digest_of(file.after) for file in files if kind_of(file.path) and file.after is not None]
    memory, to, whom = _grants(view, back)
    about = {"withdrawn": gone, "consents": again, "changed": changed, "says": says, "unadopted": unadopted}
    return back, (recorded(view, "undo", of=last.verb, memory=memory, to=to, whom=whom, **about),)


def taken_back_by_hand(vault: VaultFiles, last: Operation) -> frozenset[str]:
    """Return the paths of files that are already as before the operation.

    Raises:
        ChangedMeanwhileError: a file is neither as the operation left it nor as it was before.
    """
    back = set()
    for file in last.files:
        try:
            now = vault.stored(file.path)
        except VaultError:
            now = None
        if now == file.before:
            back.add(file.path)
        elif now != file.after:
            what = "is gone" if now is None else "was changed" if file.after is not None else "was written again"
            raise ChangedMeanwhileError(
                f"{file.path} {what} since; nothing was undone",
                hint="memstore diff shows what changed; put it back as it was, or leave it as it is",
            )
    return frozenset(back)


def _is_about_access(view: View, last: Operation) -> bool:
    """Whether an operation, by whatever command, changed who may see what."""
    shared = [
        [one.memory.sharing for data in (file.before, file.after) if (one := _memory_in(view, file.path, data))]
        for file in last.files
    ]
    return any(kind_of(file.path) and not shown for file, shown in zip(last.files, shared, strict=True)) or any(
        len({*both}) > 1 for both in shared
    )


def _memory_in(view: View, path: str, data: bytes | None) -> MemoryFile | None:
    file = None if data is None else _read(view, path, data)
    return file if isinstance(file, MemoryFile) else None


def _read(view: View, path: str, data: bytes) -> ReadFile:
    return memory_file.read(path, view.of(LOOK).opened_bytes(path, data), mixed=view.config.mixed)


def _consents(back: Operation) -> tuple[list[str], list[str]]:
    """Return the ids of the consents whose files the undoing deletes, and of those whose files it restores."""
    gone: list[str] = []
    again: list[str] = []
    for file in back.files:
        if (kind := kind_of(file.path)) is RegistryKind.CONSENT and None in (file.before, file.after):
            (gone if file.after is None else again).append(expected_id(file.path, kind))
    return gone, again


def _unadopted(view: View, back: Operation) -> list[str]:
    """Return the ids of memories that the vault's owner makes plain notes again; the guard of pushes asks for them.

    One that was moved when it was adopted is known by its text.
    """
    if not view.acts_for_owner or not view.config.mixed:
        return []
    again = [(file.path, _read(view, file.path, file.after)) for file in back.files if file.after is not None]
    places = {path for path, will in again if not isinstance(will, MemoryFile)}
    texts = {will.memory.body for _, will in again if isinstance(will, PlainFile)}
    was = [(file, _memory_in(view, file.path, file.before)) for file in back.files]
    return [
        old.memory.id
        for file, old in was
        if old and old.memory.id and (file.path in places or (file.after is None and old.memory.body in texts))
    ]


def _grants(view: View, back: Operation) -> tuple[list[str], list[str], list[str]]:
    """Return the memories whose grants the undoing changes, who is granted them again, and who no longer."""
    owner = view.config.owner
    memories: list[str] = []
    again: list[str] = []
    no_more: list[str] = []
    for file in back.files:
        was, will = (_memory_in(view, file.path, data) for data in (file.before, file.after))
        if was and will and was.memory.sharing != will.memory.sharing:
            memories.append(will.memory.id or file.path)
            again += gained(was.memory, will.memory, owner)
            no_more += gained(will.memory, was.memory, owner)
    return memories, [*dict.fromkeys(again)], [*dict.fromkeys(no_more)]


def may_undo(view: View, last: Operation) -> bool:
    """Whether the actor may take an operation back: they did it, or all of its files are theirs.

    They must also be able to see all of its memories, as they were before and after it.
    """
    files = [(file.path, data) for file in last.files for data in (file.before, file.after) if data is not None]
    known = [one.memory for path, data in files if (one := _memory_in(view, path, data))]
    own = all(view.owns(memory) for memory in known) and (len(known) == len(files) or view.acts_for_owner)
    return (own or last.by == view.actor) and all(map(view.sees, known))
