"""A workspace that touches no disk, for tests of use cases that write."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from memstore.core.change import names_in
from memstore.core.config import Config
from memstore.core.digests import blob_id
from memstore.core.facet import Facets
from memstore.files import memory_file
from memstore.history import HISTORY
from memstore.search import USAGE
from memstore.search.library import IndexStatus, Refreshed
from memstore.search.memory_snapshot import document_of, snapshot_of_files
from memstore.vault.view import VaultView
from memstore.vault.workspace import DRAFTS, JOURNAL, Workspace
from tests.absent import NoVerdicts, absent
from tests.memory_vault import MemoryVault
from tests.support import CountingIds, TickClock

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from memstore.access.local_state import VerdictCache
    from memstore.core.change import Operation
    from memstore.files.vault import FileStat
    from memstore.history.git_history import GitHistory
    from memstore.search.library import Snapshot
    from memstore.search.memory_snapshot import Document
    from memstore.search.usage_log import Use

OWNER = "human:sean"


class ReadingLibrary:
    """Reads every file for every snapshot."""

    def __init__(self, vault: MemoryVault) -> None:
        self._vault = vault

    def snapshot(self) -> Snapshot:
        return self.snapshot_of((stat.path, self._vault.read(stat.path)) for stat in self._vault.memory_files())

    def latest(self) -> Snapshot:
        return self.snapshot()

    def glance(self) -> Snapshot:
        return self.snapshot()

    def snapshot_of(self, files: Iterable[tuple[str, bytes]]) -> Snapshot:
        return snapshot_of_files(files, blob_id=blob_id)

    def documents(self, files: Sequence[FileStat]) -> Iterator[tuple[FileStat, Document]]:
        for stat in files:
            if stat.path in self._vault.files:
                data = self._vault.read(stat.path)
                yield stat, document_of(memory_file.read(stat.path, data), blob_id(data))

    def laid_over(self, snapshot: Snapshot, texts: Mapping[str, bytes]) -> Snapshot:  # noqa: ARG002 -- it reads all anew
        there = [(path, self._vault.read(path)) for path in self._vault.files if path not in texts]
        return self.snapshot_of([*there, *texts.items()])

    def status(self) -> IndexStatus:
        return IndexStatus(folder=self._vault.root, built=True)

    def rebuild(self) -> Snapshot:
        return self.snapshot()

    def refresh(self, *, purge: bool = False) -> Refreshed:  # noqa: ARG002 -- there is nothing to be purged
        return Refreshed(0, written=True)


class LastOperation:
    """A journal in memory."""

    def __init__(self) -> None:
        self._last: dict[str | None, Operation] = {}
        self._begun: Operation | None = None

    def begin(self, operation: Operation) -> None:
        self._begun = operation

    def begun(self) -> Operation | None:
        return self._begun

    def record(self, operation: Operation) -> None:
        self._last.pop(operation.by, None)
        self._last[operation.by], self._begun = operation, None

    def recorded(self) -> bool:
        return False  # what is recorded is cleared in the same step

    def clear(self) -> None:
        self._begun = None

    def forget(self, names: Collection[str], operation: Operation) -> None:
        self._last = {by: one for by, one in self._last.items() if not names_in(one, names)}
        self.record(operation)

    def last(self, by: str | None = None) -> Operation | None:
        if by is None:
            return next(reversed(self._last.values()), None)
        return self._last.get(by, self._last.get(None))

    def mark(self, by: str) -> Callable[[], None]:
        known = dict(self._last)

        def put_back() -> None:
            self._last = known | {who: one for who, one in self._last.items() if who != by}

        return put_back


class ListedUses:
    """A log of uses in memory."""

    path = None

    def __init__(self) -> None:
        self.listed: list[Use] = []

    def record(self, use: Use) -> None:
        self.listed.append(use)

    def uses(self, memory_ids: Collection[str] | None = None) -> Iterator[Use]:
        return (use for use in self.listed if memory_ids is None or use.memory_id in memory_ids)


def history_that(**answers: object) -> GitHistory:
    """Return a history that gives these answers, at any moment."""
    history = SimpleNamespace(**answers)
    history.at_once = lambda: history
    return cast("GitHistory", history)


def memory_workspace(
    files: dict[str, bytes] | None = None, *, actor: str = OWNER, config: Config | None = None
) -> Workspace:
    """Return a vault of Sean's in memory, without a repository."""
    vault = MemoryVault(files)
    return Workspace(
        vault=vault,
        library=ReadingLibrary(vault),
        clock=TickClock(),
        ids=CountingIds(),
        config=config or Config(owner=OWNER),
        actor=actor,
        alone=False,
        here="",
        verdicts=cast("VerdictCache", NoVerdicts()),
        open_view=VaultView,
        facets=absent(
            HISTORY.made_by(lambda: history_that(repository=None, blob_id=blob_id)), USAGE.made_by(ListedUses)
        ),
        own=Facets(JOURNAL.made_by(LastOperation), DRAFTS.made_by(lambda: None)),
    )


def files_of(ws: Workspace) -> dict[str, bytes]:
    """Return the files of a vault in memory."""
    return cast("MemoryVault", ws.vault).files
