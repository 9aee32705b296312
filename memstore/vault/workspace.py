"""An opened vault with everything that it needs from its surroundings, for `VaultView` alone."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from memstore.access.forgotten import ForgottenTexts
from memstore.access.local_state import ContextState, DiskAccessLog, DiskStacks, Quoted, SessionsQuoted, VerdictCache
from memstore.core.clock import Clock, IdSource
from memstore.core.config import Config
from memstore.files.vault import VaultFiles
from memstore.search.local_state import DerivedCache
from memstore.search.uses import UsageLog

if TYPE_CHECKING:
    from memstore.beliefs.run_record import RunRecord
    from memstore.conflicts.inference import Inference
    from memstore.conflicts.lexicon import WordNet
    from memstore.core.change import Journal, Operation, Signing
    from memstore.history.git_history import GitHistory
    from memstore.search.library import Library
    from memstore.search.meaning import Embedder, VectorStore
    from memstore.trust.pin import UserPins
    from memstore.trust.seal_keys import SealKeys
    from memstore.trust.signatures import Signatures
    from memstore.vault.editor import Drafts
    from memstore.vault.view import VaultView


_Made = TypeVar("_Made")


class _Later:
    """An object that is made when first used: a search, for example, needs neither the history nor the journal.

    Args:
        make: makes it.
    """

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> object:
        if "_made" not in self.__dict__:
            self._made = self._make()
        return getattr(self._made, name)


def later(make: Callable[[], _Made]) -> _Made:
    """Return what `make` makes, which is made when it is first used."""
    return cast("_Made", _Later(make))


class WriteTerms(NamedTuple):
    """The circumstances of a write, for the gate (docs/adr/0047).

    `keep_secret` lets what looks like a secret pass, `again` an exact copy. `at_terminal` means that a person sits at
    one, `is_served` that a server answers a client.
    """

    keep_secret: bool = False
    again: bool = False
    at_terminal: bool = False
    is_served: bool = False


class Workspace(NamedTuple):
    """What `composition` opens, for `view` alone.

    `actor` is the entity who acts and looks, `contexts` says in which context; `alone` is their assurance that nobody
    else listens, `overheard` that an unknown listener is assumed. `within` is the vault opened for a wider session,
    which bounds what this one shows. `stacks` are the shared stacks on this machine; `open_stack` opens the one in a
    folder, with the settings and the context for it, and `drop_cache` deletes what was computed of it. In a stack that
    is mounted beside a vault, `mounted_by` is that vault and `sender` says whose it is. In `pending_keys`, new keys
    of contexts wait for what is sealed for them; `pending_act` notes what was begun outside of the tree. `here` is
    the actor's current folder relative to the vault's, if it is inside. `kept_in` returns the real folders in which
    this machine keeps data of this vault, and of others. `quoted` are the external memories that an agent was
    shown, `sessions_quoted` those that hooks have shown it. `forgotten` has the digests of what was forgotten,
    `terms` the circumstances of a write. `signing` says whether what the actor writes is signed; for None it is
    not. `adoption` is what the same command wrote before, so that it has something to write to. `on_progress` is
    called during long work with what is done, how much of it, and how much there is.
    """

    vault: VaultFiles
    history: "GitHistory"
    library: "Library"
    clock: Clock
    ids: IdSource
    config: Config
    actor: str
    journal: "Journal"
    usage: UsageLog
    access_log: DiskAccessLog
    runs: "RunRecord"
    signatures: "Signatures"
    pins: "UserPins"
    contexts: ContextState
    alone: bool
    here: str
    lexicon: "WordNet"
    verdicts: VerdictCache
    derived: DerivedCache
    embedder: "Embedder | None"
    inference: "Inference | None"
    vectors: "VectorStore"
    seal_keys: "SealKeys"
    quoted: Quoted
    sessions_quoted: SessionsQuoted
    forgotten: ForgottenTexts
    drafts: "Drafts | None" = None
    pending_keys: "Path | None" = None
    pending_act: "Path | None" = None
    kept_in: Callable[[], tuple[Path, ...]] = tuple
    overheard: bool = False
    within: "Workspace | None" = None
    stacks: DiskStacks | None = None
    open_stack: "Callable[[str, Config, ContextState], Workspace] | None" = None
    drop_cache: Callable[[str], None] | None = None
    mounted_by: "Workspace | None" = None
    sender: str | None = None
    signing: "Signing | None" = None
    terms: WriteTerms = WriteTerms()
    adoption: "Operation | None" = None
    on_progress: Callable[[str, int, int], None] | None = None

    def view(self) -> "VaultView":
        """Return what the actor may see of the vault from now on; take a new view for each command."""
        from memstore.vault.view import VaultView

        return VaultView(self.at_once())

    def at_once(self) -> "Workspace":
        """Return this workspace with a history of one moment (`history.git_history.GitHistory.at_once`)."""
        return self._replace(history=later(lambda: self.history.at_once()))  # noqa: PLW0108 - not made yet
