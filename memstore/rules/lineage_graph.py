"""The graph of lineage, read from a catalogue's columns.

A node is a row for a memory, and a text for anything else that a memory names. Ids carry lineage: a ref leads to the
memory with its id, wherever the file lies and whatever type the ref claims. Nothing is computed before it is asked
for, so that one trace among 100,000 memories costs little more than reading the columns. A walk may pass half a million
edges: what a memory names is read from its own fields, who names it from the fields' text, or once that is asked more
often from all of them read backwards; and the kinds that join two nodes stay bits of a number until somebody wants to
read them.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import chain, compress, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memstore.model.catalog import ITEM_SEPARATOR
from memstore.model.ids import MEMORY_TYPES
from memstore.model.lineage import EdgeKind
from memstore.model.provenance import is_external_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

Key = int | str
"""A node: the row of a memory, or the text that names what is none."""

# Kinds whose column stands with the dependent, and kinds whose column stands with the source.
FORWARD = (EdgeKind.DERIVED_FROM, EdgeKind.EVIDENCE, EdgeKind.RELATES_TO, EdgeKind.SUPERSEDES, EdgeKind.CITES)
BACKWARD = (EdgeKind.PROCESSED_INTO, EdgeKind.SUPERSEDED_BY)
ALL_KINDS = frozenset(EdgeKind)
_RANK = {kind: i for i, kind in enumerate(EdgeKind)}

# The ledger's words after which evidence still counts for something.
_GROUND_OPS = frozenset({"assert", "support", "partial", "edit", "checkpoint", "counted"})
# Words that say nothing about whether the evidence itself counts.
_SILENT_OPS = frozenset({"propagate", "witness"})

# Who names so many memories is looked for in the fields' text, while it is named so often at most.
_FEW_SOUGHT, _FEW_NAMINGS = 12, 50


def _bit(kind: EdgeKind) -> int:
    return 1 << _RANK[kind]


# What a memory rests on. What it supersedes carries nothing, and a citation is no ground.
_GROUND = _bit(EdgeKind.DERIVED_FROM) | _bit(EdgeKind.PROCESSED_INTO) | _bit(EdgeKind.RELATES_TO)
_EVIDENCE = _bit(EdgeKind.EVIDENCE)
_CITES = _bit(EdgeKind.CITES)
_KINDS_OF_BITS = [tuple(kind for kind in EdgeKind if bits & _bit(kind)) for bits in range(1 << len(EdgeKind))]


class Link(NamedTuple):
    """All that joins a memory to one neighbour; `ops` are the ledger's words, the latest last."""

    key: Key
    kinds: tuple[EdgeKind, ...]
    ops: tuple[str, ...] = ()


_Asked = TypeVar("_Asked")
_Given = TypeVar("_Given")


class _Kept(dict[_Asked, _Given]):
    """What a function gives: computed when first asked for, a dict's item from then on."""

    def __init__(self, compute: Callable[[_Asked], _Given]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, asked: _Asked) -> _Given:
        given = self[asked] = self._compute(asked)
        return given


class Graph:
    """Who depends on what, among the rows that the viewer may see.

    `above` has what each node depends on and `below` what depends on it: the neighbours in a lasting order, each with
    the kinds of the edges between as bits. `grounds` has what each node rests on. All are filled as they are asked.

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
        self.above: Mapping[Key, Mapping[Key, int]] = _Kept(self._above)
        self.below: Mapping[Key, Mapping[Key, int]] = _Kept(self._below)
        self.grounds: Mapping[Key, Sequence[Key]] = _Kept(self._grounds)
        self.names: _Kept[Key, str] = _Kept(self._name)
        self._is_missing = is_missing
        self._sought = 0
        self._nodes: _Kept[str, Key | None] = _Kept(self._key_of)
        self._ops: Mapping[int, Mapping[Key, tuple[str, ...]]] = _Kept(self._ops_of)

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
        return self.names[key]

    def is_gone(self, key: Key) -> bool:
        """Whether nothing is left of a node: no memory has the id, or it was forgotten."""
        if isinstance(key, str):
            return not is_external_mark(key)
        return self._statuses[key] == "forgotten"

    def _name(self, key: Key) -> str:
        if isinstance(key, str):
            return key
        return f"{self._types[key]}:{self._ids[key]}" if self.is_meant(key) else self._paths[key]

    def is_meant(self, row: int) -> bool:
        """Whether refs with a row's id lead to it: it has one, and of two with the same it is the first."""
        return self._row_by_id.get(self._ids[row]) == row

    def _key_of(self, text: str) -> Key | None:
        """Return the node that a text names; None for one that does not exist for the viewer."""
        kind, _, memory_id = text.partition(":")
        if not memory_id or kind not in _TYPES:
            return text if is_external_mark(text) else None
        row = self._row_by_id.get(memory_id)
        if row is not None:
            return row
        return text if self._is_missing(memory_id) else None

    # -- edges -----------------------------------------------------------------------------------

    def sources(self, key: Key) -> tuple[Link, ...]:
        """Return what a node depends on, in a lasting order; of a missing memory, what its sources say of it."""
        return tuple(
            Link(source, _KINDS_OF_BITS[bits], self.ops(key, source, bits)) for source, bits in self.above[key].items()
        )

    def dependents(self, key: Key, *, kinds: frozenset[EdgeKind] = ALL_KINDS) -> tuple[Link, ...]:
        """Return what depends on a node by edges of these kinds, in a lasting order; a link has the dependent's key."""
        near = self.below[key]
        if kinds != ALL_KINDS:
            near = self._in_order({dependent: self.above[dependent][key] for dependent in self.near(key, kinds)})
        return tuple(
            Link(dependent, _KINDS_OF_BITS[bits], self.ops(dependent, key, bits)) for dependent, bits in near.items()
        )

    def near(self, key: Key, kinds: frozenset[EdgeKind]) -> dict[Key, int]:
        """Return what depends on a node by edges of these kinds, with their bits, in no order."""
        backward, forward = (
            [column for column in columns if column.kind in kinds] for columns in (self._backward, self._forward)
        )
        found = self._named_by(key, backward)
        self._add_naming(found, key, forward)
        return found

    def kinds(self, bits: int) -> tuple[EdgeKind, ...]:
        """Return the kinds that stand in `above` and `below` as bits."""
        return _KINDS_OF_BITS[bits]

    def ops(self, dependent: Key, source: Key, bits: int) -> tuple[str, ...]:
        """Return the ledger's words for a source that is joined by these kinds, the latest last."""
        return self._ops[dependent].get(source, ()) if bits & _EVIDENCE and isinstance(dependent, int) else ()

    def is_ground(self, dependent: Key, source: Key, bits: int) -> bool:
        """Whether the dependent rests on the source; what lies outside the vault is no ground."""
        if isinstance(source, str) and is_external_mark(source):
            return False
        if bits & _GROUND:
            return True
        telling = [op for op in self.ops(dependent, source, bits) if op not in _SILENT_OPS]
        return bool(telling) and telling[-1] in _GROUND_OPS

    def is_support(self, dependent: Key, source: Key, bits: int) -> bool:
        """Whether the dependent is the poorer without the source: ground, or a citation."""
        return bool(bits & _CITES) or self.is_ground(dependent, source, bits)

    def dangling(self) -> list[tuple[int, EdgeKind, str]]:
        """Return who names what is not there, and where: row, kind and ref, in a lasting order."""
        found: set[tuple[int, EdgeKind, str]] = set()
        for column in self._columns.values():
            nodes = column.nodes
            rows, texts = column.pairs()
            found.update(
                (row, column.kind, text)
                for row, text in zip(rows, texts, strict=True)
                if isinstance(nodes[text], str) and self.is_gone(text)
            )
        return sorted(found, key=lambda one: (self._paths[one[0]], _RANK[one[1]], one[2]))

    def _grounds(self, key: Key) -> Sequence[Key]:
        is_ground = self.is_ground
        return [
            source
            for source, bits in self.above[key].items()
            if (bits & _GROUND and isinstance(source, int)) or is_ground(key, source, bits)
        ]

    def _above(self, key: Key) -> Mapping[Key, int]:
        found = self._named_by(key, self._forward)
        if isinstance(key, int) or not is_external_mark(key):
            self._add_naming(found, key, self._backward)
        return self._in_order(found)

    def _below(self, key: Key) -> Mapping[Key, int]:
        return self._in_order(self.near(key, ALL_KINDS))

    def _named_by(self, key: Key, columns: Iterable[_Column]) -> dict[Key, int]:
        """Return what a memory itself names in these columns."""
        found: dict[Key, int] = {}
        if isinstance(key, str):
            return found
        for column in columns:
            cell = column.cells[key]
            if cell:
                for text in column.refs(cell):
                    node = column.nodes[text]
                    if node is not None:
                        found[node] = found.get(node, 0) | column.bit
        return found

    def _add_naming(self, found: dict[Key, int], key: Key, columns: Iterable[_Column]) -> None:
        """Add who names a node in these columns."""
        if isinstance(key, int) and not self.is_meant(key):
            return
        sought = None
        if self._sought < _FEW_SOUGHT:
            sought = key if isinstance(key, str) else self._ids[key]
        elif self._sought == _FEW_SOUGHT:
            self._know_all()
        self._sought += 1
        for column in columns:
            for row in column.rows_naming(key, sought):
                found[row] = found.get(row, 0) | column.bit

    def _know_all(self) -> None:
        """Make the refs of all memories known at once, before all fields are read backwards."""
        refs = [f"{kind}:{memory_id}" for kind, memory_id in zip(self._types, self._ids, strict=True)]
        meant = self._row_by_id.values()
        self.names.update((row, refs[row]) for row in meant)
        self._nodes.update((refs[row], row) for row in meant)

    def _ops_of(self, row: int) -> Mapping[Key, tuple[str, ...]]:
        found: dict[Key, tuple[str, ...]] = {}
        for item in self._columns[EdgeKind.EVIDENCE].cells[row].split(ITEM_SEPARATOR):
            op, _, text = item.partition(" ")
            node = self._nodes[text]
            if op and node is not None:
                found[node] = (*found.get(node, ()), op)
        return found

    def _in_order(self, found: dict[Key, int]) -> Mapping[Key, int]:
        """Return neighbours by kind, then by name: row numbers differ from one snapshot to the next."""
        if len(found) < 2:  # noqa: PLR2004 - one alone is in order
            return found
        keys = sorted(found, key=self.names.__getitem__)
        keys.sort(key=lambda key: found[key] & -found[key])
        return {key: found[key] for key in keys}

    # -- columns ---------------------------------------------------------------------------------

    @cached_property
    def described_by(self) -> Sequence[Sequence[str]]:
        """The columns that tell people what a memory is: type, title, status, path, source type."""
        return [self.column(name) for name in ("type", "title", "status", "path", "source_type")]

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
    def _row_by_id(self) -> dict[str, int]:
        ids = self._ids
        found = {ids[row]: row for row in self.rows}
        found.pop("", None)
        if len(found) < len(self.rows) and len(found) < sum(ids[row] != "" for row in self.rows):  # two have one id
            paths = self._paths
            found = {ids[row]: row for row in sorted(self.rows, key=paths.__getitem__, reverse=True) if ids[row]}
        return found

    @cached_property
    def _columns(self) -> Mapping[EdgeKind, _Column]:
        heirs: Mapping[str, Key | None] = _Kept(lambda text: None if is_external_mark(text) else self._nodes[text])
        return {
            kind: _Column(kind, self.column(kind.value), self.rows, heirs if kind in BACKWARD else self._nodes)
            for kind in EdgeKind
        }

    @cached_property
    def _forward(self) -> Sequence[_Column]:
        return [self._columns[kind] for kind in FORWARD]

    @cached_property
    def _backward(self) -> Sequence[_Column]:
        return [self._columns[kind] for kind in BACKWARD]


class _Column:
    """One field's refs, as they stand and read backwards.

    Args:
        kind: what they mean.
        cells: the field of every row.
        rows: the rows that are read backwards.
        nodes: the node that a ref leads to.
    """

    def __init__(
        self, kind: EdgeKind, cells: Sequence[str], rows: Sequence[int], nodes: Mapping[str, Key | None]
    ) -> None:
        self.kind = kind
        self.bit = _bit(kind)
        self.cells = cells
        self.nodes = nodes
        self._rows = rows
        self._has_ops = kind is EdgeKind.EVIDENCE

    def refs(self, cell: str) -> list[str]:
        """Return the refs in a cell, without the ledger's words."""
        items = cell.split(ITEM_SEPARATOR)
        return [item.partition(" ")[2] for item in items] if self._has_ops else items

    def rows_naming(self, key: Key, sought: str | None) -> Iterable[int]:
        """Return the rows that name a node; some twice.

        Args:
            key: the node.
            sought: what its refs end with, to be looked for in the fields' text while that is asked for few nodes;
                None once it pays to read all refs.
        """
        if sought is None or self._joined.count(sought) > _FEW_NAMINGS:
            return self._rows_by_node.get(key, ())
        return self._found(key, sought)

    def _found(self, key: Key, sought: str) -> Iterator[int]:
        at = self._joined.find(sought)
        while at >= 0:
            row = self._joined.count(_CELL_SEPARATOR, 0, at)
            if row in self._there and any(self.nodes[text] == key for text in self.refs(self.cells[row])):
                yield row
            at = self._joined.find(sought, at + 1)

    @cached_property
    def _rows_by_node(self) -> Mapping[Key | None, Sequence[int]]:
        found: dict[Key | None, list[int]] = defaultdict(list)
        rows, texts = self.pairs()
        for row, node in zip(rows, map(self.nodes.__getitem__, texts), strict=True):
            found[node].append(row)
        return found

    @cached_property
    def _joined(self) -> str:
        return _CELL_SEPARATOR.join(self.cells)

    @cached_property
    def _there(self) -> Container[int]:
        return self._rows if isinstance(self._rows, range) else frozenset(self._rows)

    def pairs(self) -> tuple[Iterable[int], Sequence[str]]:
        """Return all refs, each with the row that names it."""
        every = len(self._rows) == len(self.cells)
        cells = self.cells if every else [self.cells[row] for row in self._rows]
        texts = self.refs(ITEM_SEPARATOR.join(filter(None, cells)))
        counts = [cell.count(ITEM_SEPARATOR) + 1 for cell in filter(None, cells)]
        rows = chain.from_iterable(map(repeat, compress(self._rows, cells), counts))
        return (rows, texts) if counts else ((), ())


_CELL_SEPARATOR = "\0"  # no value holds it
_TYPES = frozenset(MEMORY_TYPES)
