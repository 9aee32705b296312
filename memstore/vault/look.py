"""The innermost of a view: a snapshot of the vault, and which of its rows somebody may see.

`VaultView` is made of it, and so are the facets of a view. Only `memstore.vault` may ask for it, since it leads to
content beside the view.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

from memstore.access import CONTEXTS, STACK_FOLDERS
from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.errors import RefusedError, SealedError
from memstore.core.facet import Facet
from memstore.core.ids import is_group
from memstore.core.places import is_sealed_path
from memstore.files.vault import note_bytes
from memstore.trust import SEAL_KEYS
from memstore.vault.workspace import Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from memstore.access.stack import Mount, Stack
    from memstore.access.world import Session, World
    from memstore.core.catalog import Entry, Field
    from memstore.core.clock import Clock, IdSource
    from memstore.core.config import Config
    from memstore.core.memory import Memory
    from memstore.search.facets import Ranker
    from memstore.search.library import SearchIndex, Snapshot
    from memstore.vault.foreign import ForeignMemories
    from memstore.vault.sight import CatalogLabels, Sight
    from memstore.vault.workspace import Workspace

    Postings = tuple[Sequence[int], Sequence[int]]

# The columns in which a foreign memory is shown otherwise than its file has it; `foreign.COLUMNS`, which is heavier.
_SAID_BY_SENDERS = frozenset({"source_type", "confidence", "importance", "channel"})


class Look:
    """What the actor of a workspace may look at, from the first look on; `core.view.View` explains what a view has.

    Args:
        ws: the opened vault.
        moment: the state that is looked at.
    """

    def __init__(self, ws: Workspace, moment: Moment) -> None:
        self.ws, self.moment = ws, moment
        self._at = moment  # once the files were looked at, with them
        self.bytes_of = moment.read or partial(note_bytes, ws.vault)
        self._columns: dict[str, Sequence[str]] = {}

    @property
    def is_past(self) -> bool:
        return self.moment.read is not None

    @property
    def actor(self) -> str:
        return self.ws.actor

    @property
    def config(self) -> Config:
        return self.ws.config

    @property
    def clock(self) -> Clock:
        return self.ws.clock

    @property
    def ids(self) -> IdSource:
        return self.ws.ids

    @property
    def root(self) -> Path:
        return self.ws.vault.root

    @cached_property
    def is_owners(self) -> bool:
        if not self.acts_for_owner:
            return False
        return self.is_alone or self.sight.hears_only(self.config.owner)

    @cached_property
    def acts_for_owner(self) -> bool:
        owner = self.config.owner
        return bool(self.actor) and (self.actor == owner or (is_group(owner) and self.sight.acts_for_owner))

    def require_owner(self, act: str = "see its history and its checks") -> None:
        if self.is_owners:
            return
        alone = f"only the vault's owner may {act}"
        if self.acts_for_owner:
            raise RefusedError(f"{alone}, and others listen", hint="--self says that nobody else listens")
        raise RefusedError(alone, hint="ask the owner")

    @cached_property
    def rows(self) -> Sequence[int]:
        catalog = self.snapshot.catalog
        if self._at.decided is not None:
            return catalog.memories
        if self.is_alone and all(map(self._is_sole, set(catalog.column("owner")))):
            return catalog.memories  # the usual case: no registry needs to be read
        rows = self.sight.rows()
        return rows if self._at.labels is None else sorted({*rows}.intersection(catalog.memories))

    @cached_property
    def texts(self) -> Sequence[int]:
        catalog = self.snapshot.catalog
        if not self.plain:
            return self.rows
        return catalog.texts if len(self.rows) == len(catalog.memories) else sorted((*self.rows, *self.plain))

    @property
    def broken(self) -> Sequence[int]:
        return self.snapshot.catalog.broken if self.is_owners else ()

    @cached_property
    def plain(self) -> Sequence[int]:
        return self.snapshot.catalog.plain if self.sees_notes else ()

    @cached_property
    def sees_notes(self) -> bool:
        """Whether plain notes, of any state of the vault, are shown to the actor."""
        named = self.config.notes_for
        return self.is_owners or (self.is_alone and (self.actor in named or self.sight.is_in_one_of(named)))

    def column(self, name: str) -> Sequence[str]:
        is_foreign = name in _SAID_BY_SENDERS and self.foreign is not None
        if self.is_owners and not is_foreign:
            return self.snapshot.catalog.column(name)
        if name not in self._columns:
            self._columns[name] = self._shown_column(name)
        return self._columns[name]

    def entry(self, row: int) -> Entry:
        entry = self.snapshot.catalog.entry(row)
        if self.foreign is not None:
            entry = self.foreign.entry(entry)
        if self.is_owners:
            return entry
        if not self.mask[row]:
            raise KeyError(row)
        from memstore.vault.redaction import COLUMNS_OF_REFS

        named: dict[str, Any] = {name: tuple(filter(self._is_shown, getattr(entry, name))) for name in COLUMNS_OF_REFS}
        return entry._replace(**named)

    def rows_of_id(self, memory_id: str) -> Sequence[int]:
        rows = [row for row in self.snapshot.catalog.rows_of_id(memory_id) if self.sees_all or self.mask[row]]
        # The order of rows depends on files that the actor may not see.
        return rows if len(rows) < 2 else sorted(rows, key=self.snapshot.catalog.column("path").__getitem__)  # noqa: PLR2004

    def holding(self, field: Field, term: str) -> Sequence[int]:
        return self.index.postings(field, term)[0]

    def sees(self, memory: Memory) -> bool:
        return (self.is_alone and self._is_sole(memory.owner or "")) or self.sight.sees(memory)

    def owns(self, memory: Memory) -> bool:
        return self.owns_as(memory.owner or "")

    # -- for what is made of it --------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """Who is looking now, and in which context; `RefusedError` if the context has expired or can't be read."""
        from memstore.vault.sight import session_of

        return session_of(self.ws)

    @cached_property
    def is_alone(self) -> bool:
        """Whether nobody but the viewer listens; a context that can't be relied on is an error even then."""
        if self.ws.of(CONTEXTS).current() is None and not self.ws.overheard and self.ws.within is None:
            return True
        return self.session.alone and not is_group(self.config.owner)  # of a group, everybody listens for himself

    def keeps(self, place: Path) -> bool:
        """Whether a real path is where this machine keeps data of vaults: git folders, indexes, journals."""
        return ".git" in place.parts or any(place.is_relative_to(folder) for folder in self.ws.kept_in())

    @property
    def is_taken(self) -> bool:
        """Whether any file has been looked at."""
        return "snapshot" in self.__dict__

    @property
    def taken(self) -> Moment:
        """The moment, with the files if any has been looked at."""
        return self._at if self.is_taken else self.moment

    @cached_property
    def snapshot(self) -> Snapshot:
        """The files at the moment of the look: all of them, or those that the actor may see."""
        self._at = self.moment if self.moment.snapshot else self.ws.taken()
        return cast("Snapshot", self._at.snapshot)

    @property
    def labelled(self) -> Snapshot:
        """The labels of all files at the moment of the look."""
        snapshot = self.snapshot
        return self._at.labels or snapshot

    @property
    def of_all(self) -> Moment:
        """The moment with files of which none are left out, to be looked at by others."""
        snapshot = self.snapshot
        return Moment() if self._at.labels else Moment(snapshot)

    @cached_property
    def sight(self) -> Sight:
        """What decides who sees which of them."""
        from memstore.vault.sight import Sight

        return Sight(self.ws, lambda: self.labelled, self._at.decided)

    @cached_property
    def mask(self) -> bytearray:
        """For every row, whether it is one of `texts`."""
        mask = bytearray(len(self.snapshot.catalog.column("path")))
        for row in self.texts:
            mask[row] = 1
        return mask

    @cached_property
    def sees_all(self) -> bool:
        """Whether no memory and no plain note is hidden."""
        return len(self.texts) == len(self.snapshot.catalog.texts)

    def _shown_column(self, name: str) -> Sequence[str]:
        from memstore.vault.redaction import COLUMNS_OF_REFS

        whole = self.snapshot.catalog.column(name)
        if name in _SAID_BY_SENDERS and self.foreign is not None:
            whole = self.foreign.column(name, whole)
        cells = [""] * len(whole)
        for row in self.texts:
            cells[row] = whole[row]
        if name in COLUMNS_OF_REFS:
            shown = {cell: ITEM_SEPARATOR.join(filter(self._is_shown, cell.split(ITEM_SEPARATOR))) for cell in {*cells}}
            return [shown[cell] for cell in cells]
        return cells

    @cached_property
    def foreign(self) -> ForeignMemories | None:
        """How foreign memories are shown: all of a loaded stack are, and none of a vault's own."""
        if not self.ws.sender:
            return None
        from memstore.vault.foreign import ForeignMemories

        return ForeignMemories(self.ws.sender)

    @cached_property
    def index(self) -> SeenIndex:
        """The words of the visible rows."""
        return SeenIndex(self.snapshot.index, None if self.sees_all else self.mask)

    def is_hidden(self, memory_id: str) -> bool:
        """Whether a memory with this id exists but none may be seen; for the log of what was denied."""
        return bool(self.labelled.catalog.rows_of_id(memory_id)) and not self.rows_of_id(memory_id)

    def is_own(self, entry: Entry) -> bool:
        """Whether a memory is the actor's own according to the catalogue."""
        return self.owns_as(entry.owner)

    def owns_as(self, owner: str) -> bool:
        """Whether what has this owner, or the vault's for an empty one, is the actor's own."""
        return self._is_sole(owner) or (owner in ("", self.config.owner) and self.acts_for_owner)

    def _is_sole(self, owner: str) -> bool:
        return bool(self.actor) and self.actor == (owner or self.config.owner)

    @cached_property
    def _is_shown(self) -> Callable[[str], bool]:
        from memstore.vault.redaction import shown_refs

        ids = self.snapshot.catalog.column("id")
        return shown_refs(None if self.is_owners else {ids[row] for row in self.rows})

    def shown_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a frontmatter without refs to hidden or missing memories."""
        from memstore.vault.redaction import shown_values

        return dict(values) if self.is_owners else shown_values(values, self._is_shown)

    def opened_bytes(self, path: str, data: bytes) -> bytes:
        """Return what was sealed in the bytes of a file; the bytes as they are if they aren't sealed, or stay so."""
        if not is_sealed_path(path):
            return data
        try:
            return self.ws.of(SEAL_KEYS).opened(path, data)
        except SealedError:
            return data

    @cached_property
    def labels(self) -> CatalogLabels:
        """The labels of all memories."""
        return self._labels_of(None)

    def _labels_of(self, rows: Sequence[int] | None) -> CatalogLabels:
        from memstore.vault.sight import CatalogLabels, relabelled

        by_stack = relabelled(self.stack, self.clock.now()) if self.stack else None
        return CatalogLabels((self.labelled if rows is None else self.snapshot).catalog, by_stack, rows)

    @cached_property
    def policy(self) -> World:
        """The registries, with the labels of all memories that the actor may know of."""
        # A hidden file with the id of one that is seen must not count, either.
        return self.registries._replace(memories=self.labels if self.is_owners else self._labels_of(self.rows))

    @cached_property
    def stack(self) -> Stack | None:
        """The manifest, if this vault is a shared stack."""
        from memstore.vault.registries import stack_of

        return stack_of(self.ws)

    @cached_property
    def mounts(self) -> Sequence[Mount]:
        """The shared stacks mounted beside the vault that are for the actor; none in the past."""
        if self.is_past or not self.ws.of(STACK_FOLDERS).mounted():
            return ()
        from memstore.vault.mounts import mounts

        return mounts(self.ws)

    @cached_property
    def own(self) -> Mount | None:
        """The actor's own vault beside one that a group owns; None in the past, and where somebody else may listen."""
        if self.is_past or self.ws.open_own is None or not (is_group(self.config.owner) and self.is_owners):
            return None
        from memstore.vault.mounts import own

        return own(self.ws)

    @property
    def registries(self) -> World:
        """The current registries, without any memories; a past state has the owner of that time."""
        from memstore.vault.registries import registries_at, registries_of

        return (registries_at(self.ws, self.moment.commit) if self.moment.commit else registries_of(self.ws)).world()

    @cached_property
    def ranker(self) -> Ranker:
        """What ranks memories by words."""
        from memstore.search.ranker import IndexRanker

        return IndexRanker(self.index, self.snapshot.state)


LOOK: Facet[Look] = Facet("look")


class SeenIndex:
    """A search index, without the rows that are hidden.

    Args:
        index: that of all rows.
        mask: for every row, whether it is visible; None if all are.
    """

    def __init__(self, index: SearchIndex, mask: bytearray | None) -> None:
        self._index, self._mask = index, mask

    def postings(self, field: Field, term: str) -> Postings:
        found = self._index.postings(field, term)
        if self._mask is None:
            return found
        seen = [(row, times) for row, times in zip(*found, strict=True) if self._mask[row]]
        return [row for row, _ in seen], [times for _, times in seen]

    def frequency(self, term: str) -> int:
        if self._mask is None:
            return self._index.frequency(term)
        from memstore.core.catalog import Field

        return len(self.postings(Field.TEXT, term)[0])

    def positions(self, field: Field, term: str, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        return self._index.positions(field, term, rows)

    def lengths(self, field: Field) -> Sequence[int]:
        return self._index.lengths(field)

    def terms(self, prefix: str) -> Sequence[str]:
        return self._index.terms(prefix)
