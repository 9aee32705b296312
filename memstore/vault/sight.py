"""The labels of a snapshot's memories, from the catalogue's columns: no file is opened to decide who may see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, reduce
from typing import TYPE_CHECKING, Any

from memstore.model.catalog import ITEM_SEPARATOR
from memstore.model.sharing import Generalization
from memstore.model.world import Labels
from memstore.rules.copies import both

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.ports.search_index import Catalog

_TEXTS = ("owner", "status", "source_entity", "context", "generalization")
_LISTS = ("source_chain", "subject_ids", "access_grants", "access_denies", "consent_grants", "upstream_grants")

# What decides about a memory apart from its id: the columns of a catalogue; lineage stands last.
COLUMNS = (*_TEXTS, *_LISTS, "derived_from")


class CatalogLabels(Mapping[str, Labels]):
    """The memories of a catalogue by id; where two files have one id, only what both would show.

    Args:
        catalog: the catalogue.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._columns = [catalog.column(name) for name in COLUMNS]
        self._ids = ids = catalog.column("id")
        self._rows = {ids[row]: row for row in catalog.memories}
        self._rows.pop("", None)
        self._copies = _copies(ids, catalog.memories, self._rows)
        self._made: dict[str, Labels] = {}

    def __getitem__(self, memory_id: str) -> Labels:
        if memory_id not in self._made:
            rows = self.copies_of(memory_id) or (self._rows[memory_id],)
            self._made[memory_id] = reduce(both, map(self.of_row, rows))
        return self._made[memory_id]

    def __contains__(self, memory_id: object) -> bool:
        return memory_id in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def copied(self) -> Mapping[str, Sequence[int]]:
        """The rows of each id that several files have."""
        return self._copies

    def copies_of(self, memory_id: str) -> Sequence[int]:
        """Return the rows of all files with this id, if there are several."""
        return self._copies.get(memory_id, ())

    def of_copies(self, memory_id: str, owner: str | None) -> Labels | None:
        """Return what all files of one owner with this id would show; None where there are not several.

        Somebody else's file is no copy: whoever takes an id that is in use harms nobody by it.
        """
        theirs = [labels for labels in map(self.of_row, self.copies_of(memory_id)) if labels.owner == owner]
        return reduce(both, theirs) if len(theirs) > 1 else None

    def of_row(self, row: int) -> Labels:
        """Return the labels of the memory in one file."""
        return labels_of_cells(self._ids[row], [column[row] for column in self._columns])


def labels_of_cells(memory_id: str, cells: Sequence[str]) -> Labels:
    """Return the labels that the cells of a row say, in the order of `COLUMNS`."""
    text = dict(zip(COLUMNS, cells, strict=True))
    lists: dict[str, Any] = {name: _items(text[name]) for name in (*_LISTS, "derived_from")}
    lists["upstream_grants"] = tuple(tuple(label[1:-1].split()) for label in lists["upstream_grants"])
    verdict, _, acknowledged_by = text["generalization"].partition(" ")
    return Labels(
        id=memory_id,
        owner=text["owner"] or None,
        status=text["status"],
        source_entity=text["source_entity"] or None,
        context=text["context"] or None,
        generalized=bool(verdict),
        generalization=Generalization(verdict=verdict, acknowledged_by=acknowledged_by or None) if verdict else None,
        **lists,
    )


@cache
def _items(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(ITEM_SEPARATOR)) if cell else ()


def _copies(ids: Sequence[str], rows: Sequence[int], last: Mapping[str, int]) -> dict[str, list[int]]:
    """Return the rows of each id that more than one of `rows` has; `last` has the last row of each."""
    copies: dict[str, list[int]] = {ids[row]: [] for row in rows if ids[row] and last[ids[row]] != row}
    for row in rows if copies else ():
        if ids[row] in copies:
            copies[ids[row]].append(row)
    return copies
