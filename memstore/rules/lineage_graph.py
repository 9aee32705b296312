"""The graph of lineage, read from a catalogue's columns.

A node is a row for a memory, and a text for anything else that a memory names. Ids carry lineage: a ref leads to the
memory with its id, wherever the file lies and whatever type the ref claims. Nothing is computed before it is asked
for, so that one trace among 100,000 memories costs little more than reading the columns.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.model.catalog import ITEM_SEPARATOR
from memstore.model.ids import MEMORY_TYPES
from memstore.model.lineage import EdgeKind
from memstore.model.provenance import is_external_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, KeysView, Mapping, Sequence

Key = int | str
"""A node: the row of a memory, or the text that names what is none."""

# Kinds whose column stands with the dependent, and kinds whose column stands with the source.
FORWARD = (EdgeKind.DERIVED_FROM, EdgeKind.EVIDENCE, EdgeKind.RELATES_TO, EdgeKind.SUPERSEDES, EdgeKind.CITES)
BACKWARD = (EdgeKind.PROCESSED_INTO, EdgeKind.SUPERSEDED_BY)
ALL_KINDS = frozenset(EdgeKind)
_RANK = {kind: i for i, kind in enumerate(EdgeKind)}

# What a memory rests on. What it supersedes carries nothing, and a citation is no ground.
_GROUND = frozenset({EdgeKind.DERIVED_FROM, EdgeKind.PROCESSED_INTO, EdgeKind.RELATES_TO})
# The ledger's words after which evidence still counts for something.
_GROUND_OPS = frozenset({"assert", "support", "partial", "edit", "checkpoint", "counted"})
# Words that say nothing about whether the evidence itself counts.
_SILENT_OPS = frozenset({"propagate", "witness"})


class Link(NamedTuple):
    """All that joins a memory to one neighbour; `ops` are the ledger's words, the latest last."""

    key: Key
    kinds: tuple[EdgeKind, ...]
    ops: tuple[str, ...] = ()

    @property
    def is_ground(self) -> bool:
        """Whether the dependent rests on the source; what lies outside the vault is no ground."""
        if isinstance(self.key, str) and is_external_mark(self.key):
            return False
        if not _GROUND.isdisjoint(self.kinds):
            return True
        telling = [op for op in self.ops if op not in _SILENT_OPS]
        return bool(telling) and telling[-1] in _GROUND_OPS

    @property
    def is_support(self) -> bool:
        """Whether the dependent is the poorer without the source: ground, or a citation."""
        return self.is_ground or EdgeKind.CITES in self.kinds


class Graph:
    """Who depends on what, among the rows that the viewer may see.

    Args:
        column: gives a field of the catalogue's entries for every row, lists joined by `ITEM_SEPARATOR`.
        rows: the rows that are there at all for the viewer.
        is_missing: whether an id that none of the rows has is to be shown as missing; else it does not exist.
    """

    def __init__(
        self, column: Callable[[str], Sequence[str]], rows: Sequence[int], *, is_missing: Callable[[str], bool]
    ) -> None:
        self.column = column
        self.rows = rows
        self._is_missing = is_missing
        self._links: dict[Key, tuple[Link, ...]] = {}
        self._back: dict[Key, tuple[Link, ...]] = {}

    # -- nodes -----------------------------------------------------------------------------------

    def row_of(self, memory_id: str) -> int | None:
        """Return the row of the memory with this id; of two, the one whose path comes first."""
        return self._row_by_id.get(memory_id)

    def row_at(self, path: str, memory_id: str) -> int | None:
        """Return the row of the memory in the file at `path`, None where there is none."""
        row = self._row_by_id.get(memory_id)
        if row is not None and self._paths[row] == path:
            return row
        return next((row for row in self.rows if self._paths[row] == path), None)

    def name(self, key: Key) -> str:
        """Return what tells a node from all others: its ref, its path where that is not enough, or its text."""
        if isinstance(key, str):
            return key
        memory_id = self._ids[key]
        if memory_id and self._row_by_id.get(memory_id) == key:
            return f"{self._types[key]}:{memory_id}"
        return self._paths[key]

    def is_gone(self, key: Key) -> bool:
        """Whether nothing is left of a node: no memory has the id, or it was forgotten."""
        if isinstance(key, str):
            return not is_external_mark(key)
        return self._statuses[key] == "forgotten"

    # -- edges -----------------------------------------------------------------------------------

    def sources(self, key: Key) -> tuple[Link, ...]:
        """Return what a node depends on, in a lasting order; of a missing memory, what its sources say of it."""
        if key not in self._links:
            self._links[key] = self._sources_of_missing(key) if isinstance(key, str) else self._sources(key)
        return self._links[key]

    def dependents(self, key: Key, *, kinds: frozenset[EdgeKind] = ALL_KINDS) -> tuple[Link, ...]:
        """Return what depends on a node by edges of these kinds, in a lasting order; a link has the dependent's key."""
        named = key[key.find(":") + 1 :] if isinstance(key, str) else self._ids[key]
        near: set[Key] = {row for kind in kinds.intersection(FORWARD) for row in self._namers[kind].rows_naming(named)}
        if isinstance(key, int):
            near.update(found for kind in kinds.intersection(BACKWARD) for found, _ in self._targets(kind, key))
        links = [
            Link(dependent, link.kinds, link.ops)
            for dependent in near
            for link in self.sources(dependent)
            if link.key == key and not kinds.isdisjoint(link.kinds)
        ]
        return self._in_order(links)

    def dangling(self) -> list[tuple[int, EdgeKind, str]]:
        """Return who names what is not there, and where: row, kind and ref, in a lasting order."""
        found: set[tuple[int, EdgeKind, str]] = set()
        for kind in EdgeKind:
            namers = self._namers[kind]
            for memory_id in namers.ids - self._row_by_id.keys():
                for row in namers.rows_naming(memory_id):
                    refs = (key for key, _ in self._targets(kind, row) if isinstance(key, str) and self.is_gone(key))
                    found.update((row, kind, ref) for ref in refs)
        return sorted(found, key=lambda one: (self._paths[one[0]], _RANK[one[1]], one[2]))

    def neighbours(self, key: Key, *, up: bool) -> tuple[Link, ...]:
        """Return the sources of a node, or its dependents."""
        if up:
            return self.sources(key)
        if key not in self._back:
            self._back[key] = self.dependents(key)
        return self._back[key]

    def _sources(self, row: int) -> tuple[Link, ...]:
        kinds: dict[Key, list[EdgeKind]] = defaultdict(list)
        ops: dict[Key, list[str]] = defaultdict(list)
        for kind in FORWARD:
            for key, op in self._targets(kind, row):
                kinds[key].append(kind)
                if op:
                    ops[key].append(op)
        memory_id = self._ids[row]
        if self._row_by_id.get(memory_id) == row:
            for kind in BACKWARD:
                for source in self._namers[kind].rows_naming(memory_id):
                    kinds[source].append(kind)
        return self._in_order([Link(key, _once(of), tuple(ops.get(key, ()))) for key, of in kinds.items()])

    def _sources_of_missing(self, ref: str) -> tuple[Link, ...]:
        kinds: dict[Key, list[EdgeKind]] = defaultdict(list)
        for kind in BACKWARD:
            for row in self._namers[kind].rows_naming(_id_in(ref)):
                if ref in self._cells[kind][row].split(ITEM_SEPARATOR):
                    kinds[row].append(kind)
        return self._in_order([Link(row, _once(of)) for row, of in kinds.items()])

    def _targets(self, kind: EdgeKind, row: int) -> Iterator[tuple[Key, str]]:
        """Yield what a row's cell names, with the ledger's word where it has one."""
        cell = self._cells[kind][row]
        for item in cell.split(ITEM_SEPARATOR) if cell else ():
            op, text = item.split(" ", 1) if kind is EdgeKind.EVIDENCE else ("", item)
            key = self._key_of(text)
            if key is not None:
                yield key, op

    def _key_of(self, text: str) -> Key | None:
        """Return the node that a text names; None for one that does not exist for the viewer."""
        memory_id = _id_in(text)
        if not memory_id:
            return text if is_external_mark(text) else None
        row = self._row_by_id.get(memory_id)
        if row is not None:
            return row
        return text if self._is_missing(memory_id) else None

    def _in_order(self, links: list[Link]) -> tuple[Link, ...]:
        """Return links by kind, then by name: row numbers differ from one snapshot to the next."""
        if len(links) > 1:
            links.sort(key=lambda link: (_RANK[link.kinds[0]], self.name(link.key)))
        return tuple(links)

    # -- columns ---------------------------------------------------------------------------------

    @cached_property
    def _ids(self) -> Sequence[str]:
        return self.column("id")

    @cached_property
    def _types(self) -> Sequence[str]:
        return self.column("type")

    @cached_property
    def _paths(self) -> Sequence[str]:
        return self.column("path")

    @cached_property
    def _statuses(self) -> Sequence[str]:
        return self.column("status")

    @cached_property
    def _cells(self) -> Mapping[EdgeKind, Sequence[str]]:
        return {kind: self.column(kind.value) for kind in EdgeKind}

    @cached_property
    def _row_by_id(self) -> dict[str, int]:
        ids = self._ids
        found = {ids[row]: row for row in self.rows}
        found.pop("", None)
        if len(found) < len(self.rows) and len(found) < sum(ids[row] != "" for row in self.rows):  # two have one id
            paths = self._paths
            found = {ids[row]: row for row in sorted(self.rows, key=paths.__getitem__, reverse=True) if ids[row]}
        return found

    @cached_property
    def _namers(self) -> Mapping[EdgeKind, Namers]:
        return {kind: Namers(self._cells[kind], self.rows) for kind in EdgeKind}


class Namers:
    """A column read backwards: which rows name an id.

    Built when first asked, by whole-list operations: a loop over 100,000 cells would take longer than a search.
    """

    def __init__(self, cells: Sequence[str], rows: Sequence[int]) -> None:
        self._cells, self._all_rows = cells, rows

    def rows_naming(self, memory_id: str) -> list[int]:
        """Return the rows with a ref to a memory's id, of whatever type they say it is; or with a mark that ends so."""
        last, others = self._read
        if memory_id not in last:
            return []
        return [*others.get(memory_id, ()), last[memory_id]]

    @property
    def ids(self) -> KeysView[str]:
        """All ids that are named, and the ends of marks."""
        return self._read[0].keys()

    @cached_property
    def _read(self) -> tuple[dict[str, int], Mapping[str, list[int]]]:
        """For each id the last row that names it, and the other rows where there are any."""
        cells = self._cells
        rows = [row for row in self._all_rows if cells[row]]
        if not rows:
            return {}, {}
        joined = ITEM_SEPARATOR.join([cells[row] for row in rows])
        items = [item[item.find(":") + 1 :] for item in joined.split(ITEM_SEPARATOR)]
        if len(items) != len(rows):
            rows = [row for row in rows for _ in range(cells[row].count(ITEM_SEPARATOR) + 1)]
        last = dict(zip(items, rows, strict=True))
        others: dict[str, list[int]] = defaultdict(list)
        for item, row in zip(items, rows, strict=True):
            if last[item] != row:
                others[item].append(row)
        return last, others


def _once(kinds: list[EdgeKind]) -> tuple[EdgeKind, ...]:
    if len(kinds) == 1:
        return (kinds[0],)
    return tuple(sorted(set(kinds), key=_RANK.__getitem__))


def _id_in(ref: str) -> str:
    """Return the id in a ref; empty for a text that is none."""
    kind, _, memory_id = ref.partition(":")
    return memory_id if kind in _TYPES else ""


_TYPES = frozenset(MEMORY_TYPES)
