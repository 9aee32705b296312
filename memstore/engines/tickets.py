"""Who sees what: the broker looks at labels, and writes a ticket for the classes that somebody sees.

A ticket is a random secret. The database has its digest alone, keeps it for a minute, and lets it open one generation
of one vault: a reader that finds another one sees nothing, and is told so.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memstore.core.catalog import FileKind
from memstore.core.errors import ChangedMeanwhileError, NotFoundError
from memstore.engines.blocks import KIND, BlockKey
from memstore.engines.database import BROKER, READER, connected, errors_told
from memstore.engines.engine_snapshot import Blocks, EngineSnapshot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from memstore.engines.database import Session

LASTS_SECONDS = 60
_INDEX_ANEW = "memstore engine index URL"


class Broker:
    """A session that sees all labels of a vault and no content.

    Args:
        url: the address of the database.
        opened: its session.
        name: the name of the vault.
    """

    def __init__(self, url: str, opened: Session, name: str) -> None:
        self._url, self._opened = url, opened
        found = _first(opened, "SELECT vault, id, generation, commit FROM memstore.vault WHERE name = %s", [name])
        if found is None:
            raise NotFoundError(f"no vault {name} is indexed there", hint="memstore engine status URL")
        self._vault, made, self._generation, self.commit = found
        self.labels = EngineSnapshot(Blocks(opened, self._vault), f"{made} {self._generation}")

    @contextmanager
    def contents(self, rows: Collection[int]) -> Iterator[EngineSnapshot]:
        """Yield what is in these files: of the classes that they are, and in nothing else."""
        classes = sorted(self.classes(rows))
        secret = self.ticket(classes)
        with connected(self._url, role=READER) as reader:
            begin_reading(reader)
            reader.execute("SELECT set_config('memstore.ticket', %s, true)", [secret])
            if _first(reader, "SELECT generation FROM memstore.vault", []) != (self._generation,):
                raise ChangedMeanwhileError("the index was written meanwhile", hint="try again")
            yield EngineSnapshot(Blocks(reader, self._vault), f"{self.labels.state} {classes}")

    def ticket(self, classes: Collection[int]) -> str:
        """Return a new ticket for these classes; those that have run out are deleted."""
        secret = secrets.token_hex(32)
        with connected(self._url, role=BROKER) as writer:
            writer.execute("DELETE FROM memstore.ticket WHERE expires < now()")
            writer.execute(
                "INSERT INTO memstore.ticket VALUES (%s, %s, %s, %s, now() + make_interval(secs => %s))",
                [digest(secret), self._vault, self._generation, [*classes], LASTS_SECONDS],
            )
        return secret

    def classes(self, rows: Collection[int]) -> set[int]:
        """Return the classes of these files.

        Raises:
            ChangedMeanwhileError: only a part of a class is among them: since the index was written, time or a registry
                has changed who sees what.
        """
        shown, seen, size = frozenset(rows), Counter[int](), Counter[int]()
        for kind in FileKind:
            for audience, numbers in self.labels.blocks.audiences(BlockKey(KIND, kind.value.encode())):
                seen[audience] += len(shown.intersection(numbers))
                size[audience] += len(numbers)
        if any(0 < count < size[audience] for audience, count in seen.items()):
            raise ChangedMeanwhileError("since the index was written, who sees what has changed", hint=_INDEX_ANEW)
        return {audience for audience, count in seen.items() if count}


@contextmanager
def broker(url: str, name: str) -> Iterator[Broker]:
    """Yield a session of the broker's with a vault.

    Raises:
        NotFoundError: no vault of this name is indexed.
    """
    with errors_told(), connected(url, role=BROKER) as opened:
        begin_reading(opened)
        yield Broker(url, opened, name)


def begin_reading(opened: Session) -> None:
    """Begin a transaction that writes nothing, and reads the same whatever is written meanwhile."""
    opened.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def digest(secret: str) -> bytes:
    """Return the digest of a ticket, which the database keeps."""
    return hashlib.sha256(secret.encode()).digest()


def _first(opened: Session, query: str, values: list[object]) -> tuple[Any, ...] | None:
    return opened.execute(query.encode(), values).fetchone()
