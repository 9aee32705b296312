"""Who sees what: the broker looks at labels, and writes a ticket for the classes that somebody sees.

A ticket is a random secret. The database has its digest alone, keeps it for a minute, and lets it open one generation
of one vault: a reader that finds another one sees nothing, and is told so.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.catalog import FileKind
from memstore.core.errors import ChangedMeanwhileError, NotFoundError, RefusedError
from memstore.engines.audiences import state_of
from memstore.engines.blocks import KIND, BlockKey
from memstore.engines.database import BROKER, READER, connected, errors_told
from memstore.engines.engine_snapshot import EngineSnapshot, SessionBlocks
from memstore.engines.labels import EngineLabels, of_each_class
from memstore.search.memory_snapshot import MemoryCatalog, MemoryIndex
from memstore.vault.index_elsewhere import moment_there, rows_seen
from memstore.vault.registries import registries_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from memstore.access.world import World
    from memstore.core.view import View
    from memstore.engines.database import Session
    from memstore.engines.labels import LabelRow
    from memstore.search.library import Snapshot
    from memstore.vault.workspace import Moment, Workspace

LASTS_SECONDS = 60
_INDEX_ANEW = "memstore engine index URL"


class Broker:
    """A session that sees all labels of a vault and no content.

    Args:
        url: the address of the database.
        opened: its session.
        name: the name of the vault.
        is_here: whether a commit is in its history; a vault of this name may be another one.
        roots: returns the commits with which its history begins, by which it is known under another name.
    """

    def __init__(
        self,
        url: str,
        opened: Session,
        name: str,
        is_here: Callable[[str], bool] = bool,
        roots: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._url, self._opened = url, opened
        query = "SELECT vault, id, generation, commit, registries, steady_until FROM memstore.vault WHERE"
        found = _first(opened, f"{query} name = %s", [name])
        if found is None or not is_here(found[3]):
            values: list[object] = [[*roots()], name]
            rows = opened.execute(
                f"{query} origin = ANY (%s) ORDER BY name = %s DESC, name".encode(), values
            ).fetchall()
            found = next((row for row in rows if is_here(row[3])), next(iter(rows), None))
        if found is None:
            raise NotFoundError(f"no vault {name} is indexed there", hint="memstore engine status URL")
        self._vault, made, self._generation, self.commit, self._registries, self._steady_until = found
        self._state = f"{made} {self._generation}"
        self.labels = EngineSnapshot(SessionBlocks(opened, self._vault), self._state)

    @contextmanager
    def view(self, ws: Workspace) -> Iterator[View]:
        """Yield what the actor of a vault sees of it."""
        with self.moment(ws) as moment:
            yield ws.view_at(moment)

    @contextmanager
    def moment(self, ws: Workspace) -> Iterator[Moment]:
        """Yield the files that the actor of a vault sees.

        As long as registries and time are those by which classes were made, one file stands for each class; otherwise
        all are decided about.
        """
        if not self._stands(registries_of(ws).world(), ws.clock.now()):
            with moment_there(ws, self.labels, self.contents) as moment:
                yield moment
            return
        sampled = [*of_each_class(self._opened, self._vault).values()]
        labels = _Sampled(MemoryCatalog([one.entry for one in sampled]), f"{self._state} sampled")
        by_id = EngineLabels(self._opened, self._vault)
        with moment_there(ws, labels, partial(self._opened_classes, sampled), by_id) as moment:
            yield moment

    def _stands(self, registries: World, at: datetime) -> bool:
        until = self._steady_until
        return bool(state_of(registries) == self._registries and (until is None or at < until))

    def _opened_classes(
        self, sampled: Sequence[LabelRow], rows: Collection[int]
    ) -> AbstractContextManager[EngineSnapshot]:
        return self._of_classes({sampled[row].audience for row in rows})

    def contents(self, rows: Collection[int], but: Collection[int] = ()) -> AbstractContextManager[EngineSnapshot]:
        """Yield what is in these files: of the classes that they are, and in nothing else; see `classes`."""
        return self._of_classes(self.classes(rows, but))

    def of_all(self, ws: Workspace) -> WholeIndex:
        """Return what opens all that is indexed, for an actor who sees all of it.

        Raises:
            RefusedError: they don't.
        """
        if self._stands(registries_of(ws).world(), ws.clock.now()):
            sampled = [*of_each_class(self._opened, self._vault).values()]
            labels: Snapshot = _Sampled(MemoryCatalog([one.entry for one in sampled]), f"{self._state} sampled")
            count, classes = len(sampled), {one.audience for one in sampled}
        else:
            catalog, labels = self.labels.catalog, self.labels
            rows = [*catalog.texts, *catalog.broken, *catalog.sealed]
            count, classes = len(rows), self.classes(rows)
        if len(rows_seen(ws, labels)) < count:
            raise RefusedError("some of it is for others alone", hint="ask for search, list, trace or recall instead")
        return WholeIndex(self._vault, f"{self._state} {sorted(classes)}", self.ticket(classes))

    @contextmanager
    def _of_classes(self, audiences: Collection[int]) -> Iterator[EngineSnapshot]:
        classes = sorted(audiences)
        with reading(self._url, self.ticket(classes), self._generation) as reader:
            yield EngineSnapshot(SessionBlocks(reader, self._vault), f"{self._state} {classes}")

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

    def classes(self, rows: Collection[int], but: Collection[int] = ()) -> set[int]:
        """Return the classes of these files; whether those in `but` are among them doesn't matter.

        Raises:
            ChangedMeanwhileError: only a part of a class is among them: since the index was written, time or a registry
                has changed who sees what.
        """
        shown, left_out = frozenset(rows), frozenset(but)
        seen, size = Counter[int](), Counter[int]()
        for kind in FileKind:
            for audience, numbers in self.labels.blocks.audiences(BlockKey(KIND, kind.value.encode())):
                seen[audience] += len(shown.intersection(numbers))
                size[audience] += len(numbers) - len(left_out.intersection(numbers))
        if any(0 < count < size[audience] for audience, count in seen.items()):
            raise ChangedMeanwhileError("since the index was written, who sees what has changed", hint=_INDEX_ANEW)
        return {audience for audience, count in seen.items() if count}


class WholeIndex(NamedTuple):
    """The number of a vault, a name for its state, and a ticket for all that is indexed of it."""

    vault: int
    state: str
    ticket: str


class _Sampled:
    """The labels of one file of each class, and of what decides about these; nothing in it can be searched."""

    is_certain = True

    def __init__(self, catalog: MemoryCatalog, state: str) -> None:
        self.state: str | None = state
        self.catalog, self.index = catalog, MemoryIndex.empty()


@contextmanager
def broker(
    url: str,
    name: str,
    *,
    is_here: Callable[[str], bool] = bool,
    roots: Callable[[], Sequence[str]] = tuple,
) -> Iterator[Broker]:
    """Yield a session of the broker's with a vault; the arguments are those of `Broker`.

    Raises:
        NotFoundError: no vault of this name is indexed.
    """
    with errors_told(), connected(url, role=BROKER) as opened:
        begin_reading(opened)
        yield Broker(url, opened, name, is_here, roots)


@contextmanager
def reading(url: str, ticket: str, generation: int | None = None) -> Iterator[Session]:
    """Yield a reader's session that sees what a ticket opens; if it is known, of this generation.

    Raises:
        ChangedMeanwhileError: that is nothing.
    """
    with connected(url, role=READER) as reader:
        begin_reading(reader)
        reader.execute("SELECT set_config('memstore.ticket', %s, true)", [ticket])
        found = _first(reader, "SELECT generation FROM memstore.vault", [])
        if found is None or generation not in (None, *found):
            raise ChangedMeanwhileError("the index was written meanwhile, or a minute ago", hint="try again")
        yield reader


def begin_reading(opened: Session) -> None:
    """Begin a transaction that writes nothing, and reads the same whatever is written meanwhile."""
    opened.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def digest(secret: str) -> bytes:
    """Return the digest of a ticket, which the database keeps."""
    return hashlib.sha256(secret.encode()).digest()


def _first(opened: Session, query: str, values: list[object]) -> tuple[Any, ...] | None:
    return opened.execute(query.encode(), values).fetchone()
