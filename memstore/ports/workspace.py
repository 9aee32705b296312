"""A vault opened with all that a flow needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memstore.ports.access_log import NoAccessLog
from memstore.ports.context_state import NoContext
from memstore.ports.derived import NoDerived
from memstore.ports.embedder import NoVectors
from memstore.ports.journal import NoJournal
from memstore.ports.lexicon import NoLexicon
from memstore.ports.pins import NoPins
from memstore.ports.run_record import NoRuns
from memstore.ports.signatures import NoSignatures
from memstore.ports.usage import NoUsage
from memstore.ports.verdicts import NoVerdicts

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
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
    journal: Journal = field(default_factory=NoJournal)
    usage: UsageLog = field(default_factory=NoUsage)
    access_log: AccessLog = field(default_factory=NoAccessLog)
    runs: RunRecord = field(default_factory=NoRuns)
    signatures: Signatures = field(default_factory=NoSignatures)
    pins: Pins = field(default_factory=NoPins)
    contexts: ContextState = field(default_factory=NoContext)
    alone: bool = False
    here: str = ""
    lexicon: Lexicon = field(default_factory=NoLexicon)
    verdicts: Verdicts = field(default_factory=NoVerdicts)
    derived: Derived = field(default_factory=NoDerived)
    embedder: Embedder | None = None
    vectors: VectorStore = field(default_factory=NoVectors)
