"""Finish what a program that died had begun to write: an operation on several files is whole, or was never there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.errors import LockedError, VaultError
from memstore.ports.journal import Written

if TYPE_CHECKING:
    from memstore.ports.journal import Journal
    from memstore.ports.vault import Vault


def recover(vault: Vault, journal: Journal) -> bool:
    """Write what is left of an operation that was begun; return whether there was something to finish.

    It is left as it is where somebody changed one of its files since, and while its writer is still alive.
    """
    try:
        with vault.lock():
            begun = journal.begun()
            if begun is None:
                return False
            now = {file.path: _now(vault, file.path) for file in begun.files}
            if all(now[file.path] in (file.before, file.after) for file in begun.files):
                for file in begun.files:
                    if now[file.path] != file.after:
                        put(vault, file)
            journal.record(begun)
    except LockedError:
        return False
    return True


def _now(vault: Vault, path: str) -> bytes | None:
    try:
        return vault.read(path)
    except VaultError:
        return None


def put(vault: Vault, file: Written) -> None:
    """Write one file of an operation."""
    match file:
        case Written(before=None, after=bytes() as after):
            vault.create(file.path, after)
        case Written(before=bytes() as before, after=None):
            vault.delete(file.path, expected=before)
        case Written(before=bytes() as before, after=bytes() as after):
            vault.replace(file.path, after, expected=before)
