"""An opened vault with everything that it needs from its surroundings, for `VaultView` alone."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from memstore.access.local_state import ContextState, VerdictCache
from memstore.core.clock import Clock, IdSource
from memstore.core.config import Config
from memstore.core.facet import Facet, Facets
from memstore.core.write_terms import WriteTerms
from memstore.files.vault import VaultFiles
from memstore.history import HISTORY

if TYPE_CHECKING:
    from memstore.access.stack import Mount
    from memstore.core.change import Journal
    from memstore.core.view import View
    from memstore.history.git_history import GitHistory
    from memstore.search.library import Library, Snapshot
    from memstore.vault.editor import Drafts


_T = TypeVar("_T")

# What only the package `vault` is given: it would lead to content beside a view.
JOURNAL: "Facet[Journal]" = Facet("journal")
DRAFTS: "Facet[Drafts | None]" = Facet("drafts")


class Moment(NamedTuple):
    """A state of a vault: its files, what returns their bytes by path, and the commit whose state it is, if any.

    Without files, they are taken when they are first looked at; without what reads them, the current ones are read.
    `labels` has the labels of all memories where the files are those alone that the viewer may see; `decided` has them
    by id where these files are also all that they may see.
    """

    snapshot: "Snapshot | None" = None
    read: "Callable[[str], bytes] | None" = None
    commit: str | None = None
    labels: "Snapshot | None" = None
    decided: Any = None  # `sight.LabelsById`, which imports this module


class Workspace(NamedTuple):
    """What `composition` opens, for `view` alone.

    `actor` is the entity who acts and looks; `alone` is their assurance that nobody else listens, `overheard` that an
    unknown listener is assumed. `within` is the vault opened for a wider session, which bounds what this one shows.
    `facets` are what its views hand out of this machine, `own` is what they don't. `open_stack` opens the shared stack
    in a folder, with the settings and the context for it, and `drop_cache` deletes what was computed of it.
    `open_own` opens an entity's own vault, if the user's settings name one that is theirs. In a stack
    that is mounted beside a vault, `mounted_by` is that vault and `sender` says whose it is. In `pending_keys`, new
    keys of contexts wait for what is sealed for them; `pending_act` notes what was begun outside of the tree. `here` is
    the actor's current folder relative to the vault's, if it is inside. `kept_in` returns the real folders in which
    this machine keeps data of this vault, and of others. `terms` are those on which things are written. `on_progress`
    is called during long work with what is done, how much of it, and how much there is. `elsewhere` has the vault's
    index in a database, if it is to be looked at there. `along` are other vaults, which are searched along with it.
    """

    vault: VaultFiles
    library: "Library"
    clock: Clock
    ids: IdSource
    config: Config
    actor: str
    alone: bool
    here: str
    verdicts: VerdictCache
    facets: Facets
    open_view: "Callable[[Workspace, Moment], View]"
    own: Facets
    pending_keys: "Path | None" = None
    pending_act: "Path | None" = None
    kept_in: Callable[[], tuple[Path, ...]] = tuple
    overheard: bool = False
    within: "Workspace | None" = None
    open_stack: "Callable[[str, Config, ContextState], Workspace] | None" = None
    drop_cache: Callable[[str], None] | None = None
    open_own: "Callable[[str], Workspace | None] | None" = None
    mounted_by: "Workspace | None" = None
    sender: str | None = None
    terms: WriteTerms = WriteTerms()
    on_progress: Callable[[str, int, int], None] | None = None
    elsewhere: Any = None  # `index_elsewhere.IndexElsewhere`, which imports this module
    along: "tuple[Mount, ...]" = ()

    def view(self) -> "View":
        """Return what the actor may see of the vault from now on; take a new view for each command."""
        return self.at_once().view_at()

    def view_at(self, moment: Moment = Moment()) -> "View":  # noqa: B008 - nothing can change it
        """Return what the actor may see of the vault at a moment, with the history that this workspace has."""
        return self.open_view(self, moment)

    def taken(self) -> Moment:
        """Return the files as they are now, as far as the actor may look at them, or all."""
        found: Moment | None = self.elsewhere.moment(self) if self.elsewhere else None
        return found or Moment(self.library.snapshot())

    def at_once(self) -> "Workspace":
        """Return this workspace with a history of one moment (`history.git_texts.GitTexts.at_once`)."""
        return self._replace(facets=self.facets.having(HISTORY.made_by(lambda: self.history.at_once())))  # noqa: PLW0108 - not made yet

    def of(self, facet: Facet[_T]) -> _T:
        """Return what views hand out under this name."""
        return self.facets.of(facet)

    def having(self, facet: Facet[_T], value: _T) -> "Workspace":
        """Return this workspace with something else under this name."""
        return self._replace(facets=self.facets.having(facet.made_by(lambda: value)))

    @property
    def history(self) -> "GitHistory":
        """The repository around the vault."""
        return self.facets.of(HISTORY)

    @property
    def journal(self) -> "Journal":
        """What is being written, and what was written last."""
        return self.own.of(JOURNAL)

    @property
    def drafts(self) -> "Drafts | None":
        """The drafts of edits; None if none are kept."""
        return self.own.of(DRAFTS)
