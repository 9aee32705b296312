"""A vault opened with all that a flow needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.records import NamedTuple

if TYPE_CHECKING:
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


class Workspace(NamedTuple):
    """What `wiring` hands to every flow.

    `actor` is the entity who acts and looks, `contexts` tells in which context they do; `alone` is their word that
    nobody else listens. `here` is the folder in which they are, below the vault's, where they are in it.
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
