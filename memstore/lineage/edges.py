"""The edges of lineage as numbers: what 100,000 memories depend on, and what depends on them, in four arrays.

A *node* is a number: the row of a memory, or a negative number for anything named that is not a memory; -1 is the first
of `texts`. A *hop* is also a number: the neighbour's times 256, and in the low byte the kinds of the edge, one bit each
in the order of `EdgeKind`, plus `GROUND` if the dependent rests on the source. A node's hops have a stable order: by
their first kind, then by the neighbour's name, since row numbers differ from one snapshot to the next.

A ref leads to the memory with its id, whatever type it gives; if two have the same id, to the one whose path comes
first. `derived_from` and similar keys are recorded in the dependent, `processed_into` and `superseded_by` in the
source. If a few files change, the refs in them are read, and memories that name one of them are read again.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.catalog import ITEM_SEPARATOR, EdgeKind
from memstore.core.ids import MEMORY_TYPES
from memstore.core.memory import is_external_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence


HOP_SHIFT = 8
BITS = 0xFF
GROUND = 0x80


class EdgeSide:
    """All hops in one direction, up to sources or down to dependents.

    Args:
        hops: the hops of all nodes, one after the other.
        ends: where the hops of each node end: first those of rows, then those of texts, ending with -1.
        changed: the hops of nodes for which the arrays are out of date.
    """

    def __init__(self, hops: array[int], ends: array[int], changed: Mapping[int, Sequence[int]] | None = None) -> None:
        self.hops, self.ends = hops, ends
        self.changed = changed or {}

    @cached_property
    def starts(self) -> array[int]:
        """Where the hops of each node begin."""
        return array("q", [0]) + self.ends[:-1]

    def near(self, node: int) -> Sequence[int]:
        """Return the hops of a node."""
        if node in self.changed:
            return self.changed[node]
        return self.hops[self.starts[node] : self.ends[node]]

    def count(self, nodes: Sequence[int]) -> int:
        """Return how many hops these nodes have in total."""
        kept = [node for node in nodes if node not in self.changed] if self.changed else nodes
        anew = sum(len(self.changed[node]) for node in nodes if node in self.changed) if self.changed else 0
        return anew + sum(map(self.ends.__getitem__, kept)) - sum(map(self.starts.__getitem__, kept))


class EdgeTable:
    """The dependencies among all memories of a snapshot, including hidden ones.

    Args:
        rows: the number of rows, including dead ones.
        texts: everything named that is not a memory: refs that lead nowhere, and marks of what is outside the vault. A
            text that nobody names any more is empty.
        above: the hops from dependents to sources.
        below: the same edges in reverse.
    """

    def __init__(self, rows: int, texts: Sequence[str], above: EdgeSide, below: EdgeSide) -> None:
        self.rows, self.texts, self.above, self.below = rows, texts, above, below

    @property
    def size(self) -> int:
        """The number of nodes. A sequence of this length can be indexed by every node, including negative ones."""
        return self.rows + len(self.texts)


# -- from refs to edges ----------------------------------------------------------------------------


KINDS = tuple(EdgeKind)
"""The fields that name other memories, in the order of their bits."""

_TYPES = frozenset(MEMORY_TYPES)
# The ledger's ops whose evidence still counts for something.
_GROUND_OPS = frozenset({"assert", "support", "partial", "edit", "checkpoint", "counted"})
# Ops that say nothing about whether the evidence itself counts.
_SILENT_OPS = frozenset({"propagate", "witness"})


def bits_of(*kinds: EdgeKind) -> int:
    """Return the bits of kinds of edges."""
    return sum(1 << KINDS.index(kind) for kind in kinds)


BACKWARD = bits_of(EdgeKind.PROCESSED_INTO, EdgeKind.SUPERSEDED_BY)
FORWARD = bits_of(*EdgeKind) & ~BACKWARD
_EVIDENCE = bits_of(EdgeKind.EVIDENCE)
PROCESSED = bits_of(EdgeKind.PROCESSED_INTO)
# What a memory rests on in addition to its evidence. The memory it supersedes doesn't support it, and a citation is not
# ground.
_GROUND_KINDS = bits_of(EdgeKind.DERIVED_FROM, EdgeKind.RELATES_TO) | PROCESSED
_BIT_BY_KIND = tuple(1 << i for i in range(len(KINDS)))

Near = dict[int, int]
"""A node's neighbours, with the bits of the edge."""


class Rows(NamedTuple):
    """The names of rows: their ids, types and paths, and the row that each id leads to."""

    ids: Sequence[str]
    types: Sequence[str]
    paths: Sequence[str]
    by_id: Mapping[str, int]

    @classmethod
    def of(cls, column: Callable[[str], Sequence[str]], rows: Sequence[int]) -> Rows:
        """Return the names of `rows`."""
        ids, paths = column("id"), column("path")
        found = {ids[row]: row for row in rows}
        found.pop("", None)
        if len(found) < len(rows) and len(found) < sum(ids[row] != "" for row in rows):  # two share an id
            found = {ids[row]: row for row in sorted(rows, key=paths.__getitem__, reverse=True) if ids[row]}
        return cls(ids, column("type"), paths, found)

    def name(self, row: int) -> str:
        """Return a unique name of a memory: its ref, or its path if the ref is not enough."""
        return f"{self.types[row]}:{self.ids[row]}" if self.is_meant(row) else self.paths[row]

    def is_meant(self, row: int) -> bool:
        """Return whether refs with a row's id lead to it: it has an id, and is the first of those that share it."""
        return self.by_id.get(self.ids[row]) == row


def has_copies(ids: Sequence[str], rows: Sequence[int]) -> bool:
    """Return whether two of these rows have the same id."""
    named = [ids[row] for row in rows if ids[row]]
    return len(set(named)) < len(named)


class Nodes:
    """The nodes that texts name; a text that names no memory gets a number on first use."""

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
        """Learn all refs at once, which pays off if all memories are read."""
        ids, types = self.rows.ids, self.rows.types
        self._names = {row: f"{types[row]}:{ids[row]}" for row in self.rows.by_id.values()}
        self._known.update((name, row) for row, name in self._names.items())

    def node(self, text: str) -> int | None:
        """Return the node that a text names; None if it does not exist."""
        if text in self._known:
            return self._known[text]
        kind, _, memory_id = text.partition(":")
        row = self.rows.by_id.get(memory_id) if kind in _TYPES else None
        if row is None and self._exists(kind, memory_id, text):
            row = self._new(text)
        self._known[text] = row
        return row

    def name(self, node: int) -> str:
        """Return the name of a node."""
        if node in self._names:
            return self._names[node]
        return self.rows.name(node) if node >= 0 else self.texts[~node]

    def is_mark(self, node: int) -> bool:
        """Return whether a node is outside the vault."""
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

    # -- edges in a memory's fields ----------------------------------------------------------------

    def edges(self, row: int, cells: Sequence[str]) -> Iterator[tuple[int, int, int]]:
        """Yield the edges that a memory records: dependent, source and bits; some more than once.

        Args:
            row: the memory's row.
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
        """Return neighbours as hops, sorted by the first kind of the edge, then by name."""
        if len(near) < 2:  # noqa: PLR2004 - a single one needs no sorting
            return [node << HOP_SHIFT | bits for node, bits in near.items()]
        named = [(bits & -bits, self.name(node), node << HOP_SHIFT | bits) for node, bits in near.items()]
        named.sort()
        return [hop for _, _, hop in named]


def edges_of(
    column: Callable[[str], Sequence[str]], rows: Sequence[int], *, is_missing: Callable[[str], bool]
) -> EdgeTable:
    """Return the edges among rows, read from all their fields.

    Args:
        column: returns a field of the catalogue's entries for every row, lists joined by `ITEM_SEPARATOR`.
        rows: the rows that exist at all.
        is_missing: whether to show an id that no row has as missing; otherwise it does not exist.
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


def _side(nodes: Nodes, near: Mapping[int, Near], rows: int) -> EdgeSide:
    return packed((nodes.in_order(near[node]) if node in near else ()) for node in all_nodes(rows, len(nodes.texts)))


def all_nodes(rows: int, texts: int) -> Iterator[int]:
    """Yield all nodes in the order of `EdgeSide.ends`."""
    yield from range(rows)
    yield from range(-texts, 0)


def packed(all_hops: Iterable[Sequence[int]]) -> EdgeSide:
    """Return the hops of all nodes, in the order of `all_nodes`, as one side of a table."""
    from array import array

    hops: array[int] = array("q")
    ends: array[int] = array("q")
    for some in all_hops:
        hops.extend(some)
        ends.append(len(hops))
    return EdgeSide(hops, ends)


# -- updating for a few changed files --------------------------------------------------------------


class EdgeChanges(NamedTuple):
    """The changes since the previous table.

    `dropped` are rows whose files are gone or were read again; `read` are the rows of files that were read again, which
    may be the same. `moved` are rows of which only the path has changed. `rows` has the current names.
    """

    rows: Rows
    dropped: frozenset[int]
    read: Sequence[int]
    moved: Collection[int]


def changed(before: EdgeTable, changes: EdgeChanges, cells: Callable[[int], Sequence[str]]) -> EdgeTable:
    """Return the table with a few files changed; now no two memories may have the same id.

    Memories that name one that is gone or new are read again: a ref that led somewhere may now lead nowhere.

    Args:
        before: the table as it was.
        changes: the changes.
        cells: returns a row's current fields, in the order of `KINDS`.
    """
    rows = changes.rows
    nodes = Nodes(rows, before.texts, is_missing=lambda _: True)
    above, below = _Edited(before, before.above), _Edited(before, before.below)
    again = _naming(before, changes, above, below)
    _forget(changes.dropped | again, above, below)
    for row in (*again, *changes.read):
        for dependent, source, bits in nodes.edges(row, cells(row)):
            above[dependent][source] = below[source][dependent] = above[dependent].get(source, 0) | bits
    for row in changes.moved:
        if not rows.ids[row]:  # its name is its path, so its order among others may change
            for one, other in ((above, below), (below, above)):
                for node in one[row]:
                    _ = other[node]
    count = len(rows.ids)
    for node in (*range(before.rows, count), *range(-len(nodes.texts), -len(before.texts))):
        _ = above[node], below[node]
    for node in [node for node in {*above, *below} if node < 0]:
        if not above[node] and not below[node]:
            nodes.texts[~node] = ""
    return EdgeTable(count, nodes.texts, above.side(nodes), below.side(nodes))


class _Edited(dict[int, Near]):
    """The neighbours of the nodes accessed so far, to be changed; copied from a table on first access."""

    def __init__(self, before: EdgeTable, side: EdgeSide) -> None:
        super().__init__()
        self._before, self._side = before, side

    def __missing__(self, node: int) -> Near:
        is_known = -len(self._before.texts) <= node < self._before.rows
        hops = self._side.near(node) if is_known else ()
        near = self[node] = {hop >> HOP_SHIFT: hop & BITS for hop in hops}
        return near

    def side(self, nodes: Nodes) -> EdgeSide:
        return EdgeSide(self._side.hops, self._side.ends, {node: nodes.in_order(near) for node, near in self.items()})


def _naming(before: EdgeTable, changes: EdgeChanges, above: _Edited, below: _Edited) -> frozenset[int]:
    """Return the rows, except dropped ones, whose refs may now lead elsewhere."""
    ids = changes.rows.ids
    come = {ids[row] for row in changes.read if ids[row]}
    found = [row for row in changes.dropped if row < before.rows]
    found += [~i for i, text in enumerate(before.texts) if text and text.partition(":")[2] in come]
    naming = {row for node in found for row, bits in below[node].items() if bits & FORWARD}
    naming |= {row for node in found for row, bits in above[node].items() if bits & BACKWARD}
    return frozenset(row for row in naming if row >= 0) - changes.dropped


def _forget(rows: frozenset[int], above: _Edited, below: _Edited) -> None:
    """Remove everything that these rows record, and keep what others record about them."""
    for row in rows:
        for source, bits in list(above[row].items()):
            kept = 0 if source in rows else bits & BACKWARD
            _leave(above, below, row, source, kept | (GROUND if kept & PROCESSED else 0))
        for dependent, bits in list(below[row].items()):
            kept = 0 if dependent in rows else bits & FORWARD
            _leave(above, below, dependent, row, kept and kept | bits & GROUND)


def _leave(above: _Edited, below: _Edited, dependent: int, source: int, bits: int) -> None:
    if bits:
        above[dependent][source] = below[source][dependent] = bits
    else:
        del above[dependent][source], below[source][dependent]


def flattened(table: EdgeTable) -> EdgeTable:
    """Return an equal table whose arrays contain everything, with no changed nodes."""
    if not table.above.changed and not table.below.changed:
        return table
    above, below = (
        packed(map(side.near, all_nodes(table.rows, len(table.texts)))) for side in (table.above, table.below)
    )
    return EdgeTable(table.rows, table.texts, above, below)
