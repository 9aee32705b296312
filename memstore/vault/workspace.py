"""A vault opened with all that it needs of the world."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memstore.model.config import Config
    from memstore.ports.access_log import AccessLog
    from memstore.ports.clock import Clock, IdSource
    from memstore.ports.context_state import ContextState
    from memstore.ports.derived import Derived
    from memstore.ports.embedder import Embedder, VectorStore
    from memstore.ports.history import History
    from memstore.ports.journal import Journal
    from memstore.ports.lexicon import Lexicon
    from memstore.ports.pins import Pins
    from memstore.ports.run_record import RunRecord
    from memstore.ports.search_index import Library
    from memstore.ports.signatures import Signatures
    from memstore.ports.usage import UsageLog
    from memstore.ports.vault import Vault
    from memstore.ports.verdicts import Verdicts
    from memstore.vault.view import VaultView


class Workspace(NamedTuple):
    """What `wiring` opens, for `view` alone.

    `actor` is the entity who acts and looks, `contexts` tells in which context they do; `alone` is their word that
    nobody else listens. `here` is the folder in which they are, below the vault's, where they are in it.
    `kept_in` gives the real folders in which this machine keeps what belongs to this vault, and to others.
    """

    vault: Vault
    history: History
    library: Library
    clock: Clock
    ids: IdSource
    config: Config
    actor: str
    journal: Journal
    usage: UsageLog
    access_log: AccessLog
    runs: RunRecord
    signatures: Signatures
    pins: Pins
    contexts: ContextState
    alone: bool
    here: str
    lexicon: Lexicon
    verdicts: Verdicts
    derived: Derived
    embedder: Embedder | None
    vectors: VectorStore
    kept_in: Callable[[], tuple[Path, ...]] = tuple

    def view(self) -> VaultView:
        """Return what the actor may see of the vault from now on: take one for each command."""
        from memstore.vault.view import VaultView

        return VaultView(self)
