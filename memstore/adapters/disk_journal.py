"""The last operation and the one that was begun, in files of the vault's local state."""

from __future__ import annotations

import base64
import json
import os
from typing import TYPE_CHECKING, Any

from memstore.adapters.local_state import BEGUN_OPERATION, make_private
from memstore.adapters.whole_file import write_whole
from memstore.ports.journal import Operation, Written

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1
# An import of a whole archive is taken back with git; a journal of it would cost as much as the import.
MOST_BYTES = 16 * 1024 * 1024


class DiskJournal:
    """Remembers the last operation beyond the end of the program.

    Args:
        state: the folder of the vault's local state; made when it is first needed.
    """

    def __init__(self, state: Path) -> None:
        self._path = state / "last-operation.json"
        self._begun = state / BEGUN_OPERATION

    def begin(self, operation: Operation) -> None:
        """Remember what is about to be written, until it is recorded."""
        _keep(self._begun, operation)

    def begun(self) -> Operation | None:
        """Return the operation that was begun and not recorded; None where all is well."""
        return _kept(self._begun)

    def record(self, operation: Operation) -> None:
        """Remember an operation instead of the one before; one that is too large is not kept, and neither is that."""
        self._remember(operation)
        self._begun.unlink(missing_ok=True)

    def _remember(self, operation: Operation) -> None:
        if sum(len(data or b"") for file in operation.files for data in (file.before, file.after)) > MOST_BYTES:
            self._path.unlink(missing_ok=True)
            return
        _keep(self._path, operation)

    def last(self) -> Operation | None:
        """Return the last operation, or None where none is known."""
        return _kept(self._path)


def _keep(path: Path, operation: Operation) -> None:
    document = {
        "version": VERSION,
        "verb": operation.verb,
        "at": operation.at,
        "by": operation.by,
        "files": [[os.fsencode(f.path).hex(), _text(f.before), _text(f.after)] for f in operation.files],
    }
    make_private(path.parent)
    write_whole(path, json.dumps(document).encode(), mode=0o600)


def _kept(path: Path) -> Operation | None:
    try:
        return _operation(json.loads(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError):
        # No file, or none of ours: then nothing is known.
        return None


def _operation(document: dict[str, Any]) -> Operation | None:
    if document["version"] != VERSION:
        return None
    files = tuple(
        Written(os.fsdecode(bytes.fromhex(path)), _data(before), _data(after))
        for path, before, after in document["files"]
    )
    by = document.get("by")
    return Operation(str(document["verb"]), str(document["at"]), files, by if isinstance(by, str) else None)


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _data(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)
