"""From refs in memories' fields to edges as numbers.

A ref leads to the memory with its id, whatever type it claims; of two with the same id, to the one whose path comes
first. `derived_from` and its like stand with the dependent, `processed_into` and `superseded_by` with the source.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from memstore.model.catalog import ITEM_SEPARATOR, EdgeKind
from memstore.model.edge_table import GROUND, HOP_SHIFT, EdgeTable, Side
from memstore.model.ids import MEMORY_TYPES
from memstore.model.provenance import is_external_mark

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

KINDS = tuple(EdgeKind)
"""The fields that name other memories, in the order of their bits."""

_TYPES = frozenset(MEMORY_TYPES)
# The ledger's words after which evidence still counts for something.
_GROUND_OPS = frozenset({"assert", "support", "partial", "edit", "checkpoint", "counted"})
# Words that say nothing about whether the evidence itself counts.
_SILENT_OPS = frozenset({"propagate", "witness"})


def bits_of(*kinds: EdgeKind) -> int:
    """Return the bits of kinds of edges."""
    return sum(1 << KINDS.index(kind) for kind in kinds)


BACKWARD = bits_of(EdgeKind.PROCESSED_INTO, EdgeKind.SUPERSEDED_BY)
FORWARD = bits_of(*EdgeKind) & ~BACKWARD
_EVIDENCE = bits_of(EdgeKind.EVIDENCE)
PROCESSED = bits_of(EdgeKind.PROCESSED_INTO)
# What a memory rests on beside its evidence. What it supersedes carries nothing, and a citation is no ground.
_GROUND_KINDS = bits_of(EdgeKind.DERIVED_FROM, EdgeKind.RELATES_TO) | PROCESSED
_BIT_BY_KIND = tuple(1 << i for i in range(len(KINDS)))

Near = dict[int, int]
"""A node's neighbours, with the bits of the edge."""


class Rows(NamedTuple):
    """What rows are called: their ids, types and paths, and the row that each id leads to."""

    ids: Sequence[str]
    types: Sequence[str]
    paths: Sequence[str]
    by_id: Mapping[str, int]

    @classmethod
    def of(cls, column: Callable[[str], Sequence[str]], rows: Sequence[int]) -> Rows:
        """Return what those of `rows` are called."""
        ids, paths = column("id"), column("path")
        found = {ids[row]: row for row in rows}
        found.pop("", None)
        if len(found) < len(rows) and len(found) < sum(ids[row] != "" for row in rows):  # two have one id
            found = {ids[row]: row for row in sorted(rows, key=paths.__getitem__, reverse=True) if ids[row]}
        return cls(ids, column("type"), paths, found)

    def name(self, row: int) -> str:
        """Return what tells a memory from all others: its ref, or its path where that is not enough."""
        return f"{self.types[row]}:{self.ids[row]}" if self.is_meant(row) else self.paths[row]

    def is_meant(self, row: int) -> bool:
        """Whether refs with a row's id lead to it: it has one, and of two with the same it is the first."""
        return self.by_id.get(self.ids[row]) == row


def has_copies(ids: Sequence[str], rows: Sequence[int]) -> bool:
    """Whether two of these rows have the same id."""
    named = [ids[row] for row in rows if ids[row]]
    return len(set(named)) < len(named)


class Nodes:
    """The nodes that texts name; a text that names no memory gets a number when it is first asked for."""

    def __init__(self, rows: Rows, texts: Iterable[str], is_missing: Callable[[str], bool]) -> None:
        self.rows = rows
        self.texts = list(texts)
        self._is_missing = is_missing
        self._known: dict[str, int | None] = {
            text: ~i for i, text in enumerate(self.texts) if text and not self._leads(text)
        }
        self._free = [i for i, text in enumerate(self.texts) if not text]
        self._names: dict[int, str] = {}

    def knowall_nodes(self) -> None:
        """Learn all refs at once, as it pays where all memories are read."""
        ids, types = self.rows.ids, self.rows.types
        self._names = {row: f"{types[row]}:{ids[row]}" for row in self.rows.by_id.values()}
        self._known.update((name, row) for row, name in self._names.items())

    def node(self, text: str) -> int | None:
        """Return the node that a text names; None for one that does not exist."""
        if text in self._known:
            return self._known[text]
        kind, _, memory_id = text.partition(":")
        row = self.rows.by_id.get(memory_id) if kind in _TYPES else None
        if row is None and self._exists(kind, memory_id, text):
            row = self._new(text)
        self._known[text] = row
        return row

    def name(self, node: int) -> str:
        """Return what a node is called."""
        if node in self._names:
            return self._names[node]
        return self.rows.name(node) if node >= 0 else self.texts[~node]

    def is_mark(self, node: int) -> bool:
        """Whether a node lies outside the vault."""
        return node < 0 and is_external_mark(self.texts[~node])

    def _leads(self, text: str) -> bool:
        kind, _, memory_id = text.partition(":")
        return memory_id in self.rows.by_id and kind in _TYPES

    def _exists(self, kind: str, memory_id: str, text: str) -> bool:
        if memory_id and kind in _TYPES:
            return self._is_missing(memory_id)
        return is_external_mark(text)

    def _new(self, text: str) -> int:
        if self._free:
            self.texts[self._free[-1]] = text
            return ~self._free.pop()
        self.texts.append(text)
        return -len(self.texts)

    # -- what a memory's fields say ----------------------------------------------------------------

    def edges(self, row: int, cells: Sequence[str]) -> Iterator[tuple[int, int, int]]:
        """Yield the edges that a memory records: dependent, source and bits; some more than once.

        Args:
            row: the memory's.
            cells: its fields, in the order of `KINDS`.
        """
        for bit, cell in zip(_BIT_BY_KIND, cells, strict=True):
            if not cell:
                continue
            if bit == _EVIDENCE:
                yield from self._evidence(row, cell)
                continue
            for text in cell.split(ITEM_SEPARATOR):
                node = self.node(text)
                if node is None:
                    continue
                is_mark = node < 0 and self.is_mark(node)
                ground = GROUND if bit & _GROUND_KINDS and not is_mark else 0
                if not bit & BACKWARD:
                    yield row, node, bit | ground
                elif not is_mark:
                    yield node, row, bit | ground

    def _evidence(self, row: int, cell: str) -> Iterator[tuple[int, int, int]]:
        counts: dict[int, int] = {}
        for item in cell.split(ITEM_SEPARATOR):
            op, _, text = item.partition(" ")
            node = self.node(text)
            if node is None:
                continue
            counts.setdefault(node, 0)
            if op not in _SILENT_OPS:
                counts[node] = GROUND if op in _GROUND_OPS and not self.is_mark(node) else 0
        for node, ground in counts.items():
            yield row, node, _EVIDENCE | ground

    def in_order(self, near: Near) -> list[int]:
        """Return neighbours as hops, by the first kind of the edge, then by name."""
        if len(near) < 2:  # noqa: PLR2004 - one alone is in order
            return [node << HOP_SHIFT | bits for node, bits in near.items()]
        named = [(bits & -bits, self.name(node), node << HOP_SHIFT | bits) for node, bits in near.items()]
        named.sort()
        return [hop for _, _, hop in named]


def edges_of(
    column: Callable[[str], Sequence[str]], rows: Sequence[int], *, is_missing: Callable[[str], bool]
) -> EdgeTable:
    """Return the edges among rows, read from all their fields.

    Args:
        column: gives a field of the catalogue's entries for every row, lists joined by `ITEM_SEPARATOR`.
        rows: the rows that are there at all.
        is_missing: whether an id that none of the rows has is to be shown as missing; else it does not exist.
    """
    nodes = Nodes(Rows.of(column, rows), (), is_missing)
    nodes.knowall_nodes()
    columns = [column(kind.value) for kind in KINDS]
    above: defaultdict[int, Near] = defaultdict(dict)
    for row in rows:
        for dependent, source, bits in nodes.edges(row, [cells[row] for cells in columns]):
            near = above[dependent]
            near[source] = near.get(source, 0) | bits
    count = len(nodes.rows.ids)
    upward = _side(nodes, above, count)
    below: defaultdict[int, Near] = defaultdict(dict)
    while above:
        dependent, near = above.popitem()
        for source, bits in near.items():
            below[source][dependent] = bits
    return EdgeTable(count, nodes.texts, upward, _side(nodes, below, count))


def _side(nodes: Nodes, near: Mapping[int, Near], rows: int) -> Side:
    return packed((nodes.in_order(near[node]) if node in near else ()) for node in all_nodes(rows, len(nodes.texts)))


def all_nodes(rows: int, texts: int) -> Iterator[int]:
    """Yield all nodes in the order of `Side.ends`."""
    yield from range(rows)
    yield from range(-texts, 0)


def packed(all_hops: Iterable[Sequence[int]]) -> Side:
    """Return the hops of all nodes, in the order of `all_nodes`, as one side of a table."""
    from array import array

    hops: array[int] = array("q")
    ends: array[int] = array("q")
    for some in all_hops:
        hops.extend(some)
        ends.append(len(hops))
    return Side(hops, ends)
