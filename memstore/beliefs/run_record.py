"""When consolidation last ran here, for each actor: a protocol, and a file of the vault's local state."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memstore.files.local_state import make_private, write_whole

if TYPE_CHECKING:
    from pathlib import Path


class Run(NamedTuple):
    """One run: when, in UTC, and the refs of the memories that it looked at."""

    at: datetime
    refs: frozenset[str]


class RunRecord(Protocol):
    """A store for the last run."""

    def last(self) -> Run | None:
        """Return the last run; None if none is known."""

    def record(self, run: Run) -> None:
        """Remember a run instead of the one before."""


# -- on disk ---------------------------------------------------------------------------------------


VERSION = 1


class DiskRuns:
    """A store on disk for the last run.

    Args:
        state: the folder of the vault's local state; created when it is first needed.
        actor: the principal that acts.
    """

    def __init__(self, state: Path, actor: str) -> None:
        self._path = state / f"consolidated-{hashlib.sha256(actor.encode()).hexdigest()[:16]}.json"

    def last(self) -> Run | None:
        """Return the last run; None if none is known."""
        try:
            document = json.loads(self._path.read_bytes())
            if document["version"] != VERSION:
                return None
            at = datetime.fromisoformat(document["at"])
            return Run(at, frozenset(map(str, document["refs"]))) if at.tzinfo else None
        except (OSError, ValueError, KeyError, TypeError):
            return None  # there is no file, or it has another format

    def record(self, run: Run) -> None:
        """Remember a run instead of the one before."""
        make_private(self._path.parent)
        document = {"version": VERSION, "at": run.at.isoformat(), "refs": sorted(run.refs)}
        write_whole(self._path, json.dumps(document).encode(), mode=0o600)
