"""A vault opened with all that it needs of the world, for `VaultView` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.files.vault import read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from memstore.access.local_state import ContextState, DiskAccessLog, VerdictCache
    from memstore.beliefs.run_record import RunRecord
    from memstore.conflicts.lexicon import WordNet
    from memstore.core.change import Journal
    from memstore.core.clock import Clock, IdSource
    from memstore.core.config import Config
    from memstore.files.memory_file import ReadFile
    from memstore.files.vault import FileStat, VaultFiles
    from memstore.history.git_history import GitHistory
    from memstore.search.index import Library
    from memstore.search.local_state import DerivedCache
    from memstore.search.meaning import Embedder, VectorStore
    from memstore.search.uses import UsageLog
    from memstore.trust.pin import UserPins
    from memstore.trust.signatures import Signatures
    from memstore.vault.view import VaultView


class Workspace(NamedTuple):
    """What `composition` opens, for `view` alone.

    `actor` is the entity who acts and looks, `contexts` tells in which context they do; `alone` is their word that
    nobody else listens, `overheard` that somebody unknown may, context or none. `within` is the vault as it was opened
    for a wider session, which bounds what this one shows. `here` is the folder in which they are, below the vault's,
    where they are in it. `kept_in` gives the real folders in which this machine keeps what belongs to this vault, and
    to others.
    """

    vault: VaultFiles
    history: GitHistory
    library: Library
    clock: Clock
    ids: IdSource
    config: Config
    actor: str
    journal: Journal
    usage: UsageLog
    access_log: DiskAccessLog
    runs: RunRecord
    signatures: Signatures
    pins: UserPins
    contexts: ContextState
    alone: bool
    here: str
    lexicon: WordNet
    verdicts: VerdictCache
    derived: DerivedCache
    embedder: Embedder | None
    vectors: VectorStore
    kept_in: Callable[[], tuple[Path, ...]] = tuple
    overheard: bool = False
    within: Workspace | None = None

    def view(self) -> VaultView:
        """Return what the actor may see of the vault from now on: take one for each command."""
        from memstore.vault.view import VaultView

        return VaultView(self)


# -- all files, for the vault's owner --------------------------------------------------------------


class WholeVault:
    """The files of a vault as they are now.

    Args:
        vault: where they lie.
        rows: the rows of all memories among them, ascending.
    """

    def __init__(self, vault: VaultFiles, rows: Callable[[], Sequence[int]]) -> None:
        self._vault = vault
        self._rows = rows

    @property
    def rows(self) -> Sequence[int]:
        """The rows of all memories, others' among them that the owner may not be shown; ascending."""
        return self._rows()

    def memory_files(self) -> Iterator[FileStat]:
        """Yield all Markdown files that can be memories, in no order."""
        return self._vault.memory_files()

    def registry_files(self) -> list[str]:
        """Return the paths of all registry files, sorted."""
        return sorted(self._vault.registry_files())

    def read(self, path: str) -> bytes:
        """Return a file's bytes; `VaultError` where they can't be had."""
        return self._vault.read(path)

    def read_file(self, path: str) -> ReadFile:
        """Return what a file holds; one that is too large is a broken file. `VaultError` where it can't be read."""
        return read_file(self._vault, path)
