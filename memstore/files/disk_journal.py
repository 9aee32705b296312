"""The last operation and a begun one, stored in files of the vault's local state."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from memstore.core.change import Operation, Written, names_in
from memstore.core.errors import VaultError
from memstore.files.local_state import BEGUN_OPERATION, make_private, regular_bytes, sync_folder, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

VERSION = 1
# The import of a whole archive is undone with git; a journal of it would cost as much as the import.
MOST_BYTES = 16 * 1024 * 1024


class DiskJournal:
    """Remembers the last operation after the program has ended.

    Args:
        state: the folder of the vault's local state; created when first needed.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._begun = state / BEGUN_OPERATION
        self._mark: str | None = None

    def begin(self, operation: Operation) -> None:
        """Remember what is about to be written, until it is recorded or cleared."""
        # The mark identifies this operation; it is copied to the last operation once that is recorded.
        mark = os.urandom(8).hex()
        with _trouble("write", self._begun):
            _keep(self._begun, _document(operation) | {"mark": mark})
            sync_folder(self._begun.parent)  # before any of its files is written
        self._mark = mark

    def begun(self) -> Operation | None:
        """Return the operation that was begun and not cleared; None if there is none or its record is garbled."""
        return _operation_in(_journal_entry(self._begun))

    def record(self, operation: Operation) -> None:
        """Remember an operation in place of the one before; if it is too large, neither of them is kept."""
        # (1) The last operation gets the mark of the begun one, in one step; (2) that is made durable; (3) the begun
        # one is deleted. After a crash before (1), the next process to open the vault restores the files; after a crash
        # later on, `recorded` is true and only (3) is left to do. So nothing that fails after (1) may say that it was
        # not recorded, and (3) must not happen without (2): with neither record, the files would not be restored and
        # `undo` would not know of them.
        path = self._path_of(operation.by)
        with _trouble("write", path):
            if not _is_too_large(operation):
                _keep(path, _document(operation) | ({"mark": self._mark} if self._mark else {}))
            elif self._mark:
                _keep(path, {"version": VERSION, "mark": self._mark})
            else:
                path.unlink(missing_ok=True)
        with suppress(OSError):
            if self._mark:
                sync_folder(self._state)
            self._begun.unlink(missing_ok=True)
            self._mark = None

    def recorded(self) -> bool:
        """Return whether the begun operation was recorded but not cleared, because the program died in between."""
        kept = _journal_entry(self._begun)
        mark, begun = _mark_in(kept), _operation_in(kept)
        return mark is not None and mark == _mark_in(_journal_entry(self._path_of(begun.by if begun else None)))

    def clear(self) -> None:
        """Forget what was begun."""
        with _trouble("remove", self._begun):
            self._begun.unlink(missing_ok=True)
        self._mark = None

    def forget(self, names: Collection[str], operation: Operation) -> None:
        """Drop every operation in which one of these names occurs, or that can't be read; remember this one instead."""
        for path in self._newest():
            kept = _operation_in(_journal_entry(path))
            if kept is None or names_in(kept, names):
                self._drop(path)
        self.record(operation)

    def last(self, by: str | None = None) -> Operation | None:
        """Return the last operation of an entity, or of anybody; None if none is known."""
        paths = self._newest() if by is None else [self._path_of(by), self._path_of(None)]
        for path in paths:
            with suppress(VaultError):
                if (found := _operation_in(_journal_entry(path))) is not None and by in (None, found.by or by):
                    return found
        return None

    def mark(self, by: str) -> Callable[[], None]:
        """Return what puts an entity's last operation back as it is now, as old as it is."""
        path = self._path_of(by)
        with _trouble("read", path):
            try:
                kept, age = regular_bytes(path), path.lstat()
            except (FileNotFoundError, NotADirectoryError):
                return lambda: self._drop(path)

        def put_back() -> None:
            with _trouble("write", path):
                write_whole(path, kept, mode=0o600)
                os.utime(path, ns=(age.st_atime_ns, age.st_mtime_ns))

        return put_back

    def _drop(self, path: Path) -> None:
        with _trouble("remove", path):
            path.unlink(missing_ok=True)

    def _path_of(self, by: str | None) -> Path:
        """Return the file for the last operation of an entity; None stands for operations without a recorded entity."""
        name = f"-{hashlib.sha256(by.encode()).hexdigest()[:16]}" if by else ""
        return self._state / f"last-operation{name}.json"

    def _newest(self) -> list[Path]:
        """Return the files of all last operations, newest first."""
        found: list[tuple[int, Path]] = []
        with suppress(OSError):
            found += [(path.lstat().st_mtime_ns, path) for path in self._state.glob("last-operation*.json")]
        return [path for _, path in sorted(found, reverse=True)]


@contextmanager
def _trouble(what: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise VaultError(
            f"can't {what} the journal {path}: {error.strerror or error}",
            hint="make room there, or fix the permissions",
        ) from error


def _is_too_large(operation: Operation) -> bool:
    return sum(len(data or b"") for file in operation.files for data in (file.before, file.after)) > MOST_BYTES


def _document(operation: Operation) -> dict[str, Any]:
    return {
        "version": VERSION,
        "verb": operation.verb,
        "at": operation.at,
        "by": operation.by,
        "files": [[os.fsencode(f.path).hex(), _text(f.before), _text(f.after)] for f in operation.files],
    }


def _keep(path: Path, document: dict[str, Any]) -> None:
    make_private(path.parent)
    write_whole(path, json.dumps(document).encode(), mode=0o600)


def _journal_entry(path: Path) -> object:
    """Return the document in a file; None if there is no such file, or it is not one of ours."""
    with _trouble("read", path):
        try:
            return json.loads(regular_bytes(path))
        except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
            return None


def _mark_in(document: object) -> str | None:
    mark = document.get("mark") if isinstance(document, dict) else None
    return mark if isinstance(mark, str) else None


def _operation_in(document: object) -> Operation | None:
    try:
        return _operation(document) if isinstance(document, dict) else None
    except (ValueError, KeyError, TypeError):
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
