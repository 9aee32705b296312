"""The active context, in a file of the vault's local state: one for each acting entity and session."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from memstore.errors import VaultError

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.model.world import ActiveContext

VERSION = 1


class ContextFile:
    """Remembers the context beyond the end of the program.

    Args:
        state: the folder of the vault's local state; made when it is first needed.
        entity: who acts.
        session: tells the sessions of one entity apart (MEMSTORE_SESSION); mostly empty.
        declared: the context that this process was told, which stands before the one in the file.
    """

    def __init__(self, state: Path, *, entity: str, session: str = "", declared: str | None = None) -> None:
        name = hashlib.sha256(f"{entity}\0{session}".encode()).hexdigest()[:16]
        self._path = state / "contexts" / f"{name}.json"
        self.declared = declared

    def current(self) -> ActiveContext | None:
        """Return the active context, expired or not; an ambiguous one where the file can't be read."""
        if self.declared is not None:
            from memstore.model.world import ActiveContext

            return ActiveContext(id=self.declared)
        try:
            return _read(self._path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return _read(b"")

    def enter(self, context: ActiveContext) -> None:
        """Keep that this context was entered, in place of the one before; it must say when it expires."""
        import json

        from memstore.adapters.local_state import make_private
        from memstore.adapters.whole_file import write_whole
        from memstore.model.instants import instant

        if context.expires_at is None:
            raise ValueError("a context that is kept has to expire")
        document = {
            "version": VERSION,
            "context": context.id,
            "participants": list(context.participants),
            "role": context.role,
            "expires_at": instant(context.expires_at),
        }
        try:
            make_private(self._path.parent.parent)
            make_private(self._path.parent)
            write_whole(self._path, json.dumps(document).encode(), mode=0o600)
        except OSError as error:
            raise VaultError(
                f"the context can't be kept in {self._path.parent}: {error.strerror}", hint="look at its permissions"
            ) from error

    def leave(self) -> None:
        """Keep that no context is active; whatever was kept is gone."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            raise VaultError(
                f"the context can't be left: {self._path}: {error.strerror}", hint="look at its permissions"
            ) from error


def _read(data: bytes) -> ActiveContext:
    """Return the context that a file names; one that can't be read could name any."""
    import json
    from datetime import datetime

    from memstore.model.world import ActiveContext

    try:
        document = json.loads(data)
        participants, role = document["participants"], document["role"]
        texts = [document["context"], *participants, *([] if role is None else [role])]
        if document["version"] != VERSION or not isinstance(participants, list) or not _are_texts(texts):
            return ActiveContext(id="", ambiguous=True)
        expires_at = datetime.fromisoformat(document["expires_at"])
        if expires_at.tzinfo is None:
            return ActiveContext(id="", ambiguous=True)
        return ActiveContext(id=document["context"], participants=tuple(participants), expires_at=expires_at, role=role)
    except (ValueError, KeyError, TypeError):
        return ActiveContext(id="", ambiguous=True)


def _are_texts(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)
