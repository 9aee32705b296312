"""Lineage as a graph that people draw by hand, including cycles, as far as the viewer may see it.

A node is a number: a row for a memory, a negative number for anything else that a memory names (`edges`). Lineage goes
by id: a ref leads to the memory with its id, wherever the file is and whatever type the ref gives. A walk may pass half
a million edges, so it uses numbers; names and the ledger's ops are read only for what is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from memstore.core.catalog import ITEM_SEPARATOR, EdgeKind
from memstore.core.errors import changed_while_read
from memstore.core.ids import MEMORY_TYPES, MemoryRef
from memstore.core.memory import is_external_mark
from memstore.lineage import EDGES, LEFT_OUT
from memstore.lineage.edges import BACKWARD, BITS, FORWARD, GROUND, HOP_SHIFT, KINDS, Rows, bits_of, edges_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from memstore.core.catalog import Entry
    from memstore.core.view import View
    from memstore.lineage.edges import EdgeSide, EdgeTable


_Node = TypeVar("_Node", bound=Hashable)


class Cycles:
    """The cycles of a graph, each found when one of its nodes is first asked for; all of them together cost one search.

    A knot is a set of nodes that all lead to each other (a strongly connected component), or a node with an edge to
    itself. Of each knot, only a shortest cycle through its smallest node counts: without it there may be no other.

    Args:
        targets: returns the nodes that a node leads to.
    """

    def __init__(self, targets: Callable[[str], Iterable[str]]) -> None:
        self._targets = cache(targets)
        self._search = _Search(self._targets)
        self._found: dict[str, tuple[str, ...]] = {}

    def of(self, node: str) -> tuple[str, ...]:
        """Return the cycle that a node is part of; empty if it is in none.

        It begins with its knot's smallest node and follows the edges; the last node leads to the first.
        """
        for knot in self._search.run(node) if node not in self._search.place else ():
            cycle = _shortest_way_back(self._targets, min(knot), knot)
            self._found.update(dict.fromkeys(cycle, cycle))
        return self._found.get(node, ())


def _shortest_way_back(targets: Callable[[str], Iterable[str]], start: str, knot: set[str]) -> tuple[str, ...]:
    """Return the nodes of a shortest path from `start` to itself within its knot; empty if there is none."""
    came_from: dict[str, str] = {}
    level = [start]
    while level:
        following = []
        for node in level:
            for target in sorted(knot.intersection(targets(node))):
                if target == start:
                    return tuple(_walked(came_from, start, node))
                if target not in came_from:
                    came_from[target] = node
                    following.append(target)
        level = following
    return ()


def _walked(came_from: Mapping[str, str], start: str, end: str) -> list[str]:
    way = [end]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]


def knots(edges: Mapping[_Node, Iterable[_Node]]) -> Iterator[set[_Node]]:
    """Yield the strongly connected components (Gabow 2000), without recursion: chains may have any length."""
    search = _Search(lambda node: edges.get(node, ()))
    for root in edges:
        if root not in search.place:
            yield from search.run(root)


class _Search(Generic[_Node]):
    """The state of one search.

    `path` has the nodes that are not in a component yet, and `place` the position of each in it. `bounds` are the
    positions where those begin that, as far as is known, do not lead back to the ones before.
    """

    def __init__(self, targets: Callable[[_Node], Iterable[_Node]]) -> None:
        self.targets = targets
        self.place: dict[_Node, int] = {}
        self.path: list[_Node] = []
        self.bounds: list[int] = []

    def run(self, root: _Node) -> Iterator[set[_Node]]:
        place, bounds = self.place, self.bounds
        work = [(root, self._enter(root))]
        while work:
            node, targets = work[-1]
            for target in targets:
                at = place.get(target)
                if at is None:
                    work.append((target, self._enter(target)))
                    break
                while bounds[-1] > at:
                    bounds.pop()
            else:
                work.pop()
                if bounds[-1] == place[node]:
                    yield self._leave(bounds.pop())

    def _enter(self, node: _Node) -> Iterator[_Node]:
        self.place[node] = len(self.path)
        self.bounds.append(len(self.path))
        self.path.append(node)
        return iter(self.targets(node))

    def _leave(self, start: int) -> set[_Node]:
        """Remove a component from the path; from now on its positions come after all others."""
        if start == len(self.path) - 1:  # most are one node
            node = self.path.pop()
            self.place[node] = sys.maxsize
            return {node}
        knot = set(self.path[start:])
        del self.path[start:]
        self.place.update(dict.fromkeys(knot, sys.maxsize))
        return knot


# -- the graph as a viewer sees it -----------------------------------------------------------------


ALL_KINDS = frozenset(EdgeKind)
# The edges whose loss weakens the dependent: ground, or a citation.
SUPPORT = GROUND | bits_of(EdgeKind.CITES)

_EVIDENCE = bits_of(EdgeKind.EVIDENCE)
_KINDS_OF_BITS = [tuple(kind for i, kind in enumerate(KINDS) if bits >> i & 1) for bits in range(GROUND)]
_KINDS_OF_BITS *= 2  # the same with GROUND
_TYPES = frozenset(MEMORY_TYPES)


class GraphLink(NamedTuple):
    """All that connects a memory to one neighbour; `ops` are the ledger's ops, the latest last."""

    key: int
    kinds: tuple[EdgeKind, ...]
    ops: tuple[str, ...] = ()


_Asked = TypeVar("_Asked")
_Given = TypeVar("_Given")


class _Kept(dict[_Asked, _Given]):
    """The results of a function: computed on first access, then kept in the dict."""

    def __init__(self, compute: Callable[[_Asked], _Given]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, asked: _Asked) -> _Given:
        given = self[asked] = self._compute(asked)
        return given


class Graph:
    """The dependencies among the rows that the viewer may see.

    `above` has what each node depends on and `below` what depends on it: the neighbours in a stable order, each with
    the bits of the edge. `up` and `down` have the same as hops, for long walks, which must leave out what is `hidden`.

    Args:
        column: returns a field of the catalogue's entries for every row, lists joined by `ITEM_SEPARATOR`.
        rows: the rows that exist for the viewer.
        table: the edges of these rows, or of more rows, of which only the viewer's are used; in that case no two rows
            may have the same id, because a ref that leads to a hidden one would have to lead to the other.
        shows_missing: whether refs that lead nowhere are shown; otherwise they do not exist.
        left_out: returns the ids of memories that a sparse checkout leaves out of the work tree.
    """

    def __init__(
        self,
        column: Callable[[str], Sequence[str]],
        rows: Sequence[int],
        table: EdgeTable,
        *,
        shows_missing: bool,
        left_out: Callable[[], Collection[str]] = frozenset,
    ) -> None:
        self.column = column
        self.rows = rows
        self.table = table
        self._shows_missing = shows_missing
        self._left_out = cache(left_out)
        self.above: Mapping[int, Mapping[int, int]] = _Kept(lambda key: self._near(self.up, key))
        self.below: Mapping[int, Mapping[int, int]] = _Kept(lambda key: self._near(self.down, key))
        self.names: _Kept[int, str] = _Kept(self._name)
        self._ops: Mapping[int, Mapping[str, tuple[str, ...]]] = _Kept(self._ops_of)

    @property
    def up(self) -> EdgeSide:
        """The hops from dependents to sources, including hidden ones."""
        return self.table.above

    @property
    def down(self) -> EdgeSide:
        """The hops from sources to dependents, including hidden ones."""
        return self.table.below

    # -- nodes -----------------------------------------------------------------------------------

    def row_of(self, memory_id: str) -> int | None:
        """Return the row of the memory with this id; if two have it, the one whose path comes first."""
        return self._called.by_id.get(memory_id)

    def row_at(self, path: str, memory_id: str) -> int | None:
        """Return the row of the memory in the file at `path`; None if there is none."""
        row = self.row_of(memory_id)
        paths = self._called.paths
        if row is not None and paths[row] == path:
            return row
        return next((row for row in self.rows if paths[row] == path), None)

    def name(self, key: int) -> str:
        """Return a unique name of a node: its ref, its path if the ref is not enough, or its text."""
        return self.names[key]

    def is_mark(self, key: int) -> bool:
        """Return whether a node is outside the vault."""
        return key < 0 and is_external_mark(self.table.texts[~key])

    def is_left_out(self, key: int) -> bool:
        """Return whether a node is a memory that git has, and that a sparse checkout leaves out of the work tree."""
        ref = MemoryRef.parse(self.table.texts[~key]) if key < 0 else None
        return ref is not None and ref.id in self._left_out()

    def is_gone(self, key: int) -> bool:
        """Return whether nothing is left of a node: no memory has the id, or it was forgotten."""
        return bool(self.gone[key])

    def is_meant(self, row: int) -> bool:
        """Return whether refs with a row's id lead to it: it has an id, and is the first of those that share it."""
        return self._called.is_meant(row)

    @cached_property
    def hidden(self) -> bytearray:
        """The nodes that do not exist for the viewer: 1 for each of them, in the order of `EdgeTable.size`."""
        hidden = bytearray(self.table.size)
        if len(self.rows) < self.table.rows:
            hidden[: self.table.rows] = b"\1" * self.table.rows
            for row in self.rows:
                hidden[row] = 0
        if not self._shows_missing:
            for i, text in enumerate(self.table.texts):
                hidden[~i] = not is_external_mark(text)
        return hidden

    @cached_property
    def gone(self) -> bytearray:
        """The nodes of which nothing is left: 1 for each of them, in the order of `EdgeTable.size`."""
        gone = bytearray(self.table.size)
        statuses = self.column("status")
        if "forgotten" in statuses:
            for row in self.rows:
                gone[row] = statuses[row] == "forgotten"
        for i, text in enumerate(self.table.texts):
            gone[~i] = bool(text) and not is_external_mark(text)
        return gone

    def _name(self, key: int) -> str:
        return self._called.name(key) if key >= 0 else self.table.texts[~key]

    # -- edges -----------------------------------------------------------------------------------

    def sources(self, key: int) -> tuple[GraphLink, ...]:
        """Return what a node depends on, in a stable order; for a missing memory, what its sources say about it."""
        return tuple(
            GraphLink(source, self.kinds(bits), self.ops(key, source, bits)) for source, bits in self.above[key].items()
        )

    def dependents(self, key: int, *, kinds: frozenset[EdgeKind] = ALL_KINDS) -> tuple[GraphLink, ...]:
        """Return what depends on a node by edges of these kinds, in a stable order; a link has the dependent's key."""
        asked = bits_of(*kinds)
        return tuple(
            GraphLink(dependent, self.kinds(bits), self.ops(dependent, key, bits))
            for dependent, bits in self.below[key].items()
            if bits & asked
        )

    def kinds(self, bits: int) -> tuple[EdgeKind, ...]:
        """Return the kinds for bits as in `above` and `below`."""
        return _KINDS_OF_BITS[bits]

    def ops(self, dependent: int, source: int, bits: int) -> tuple[str, ...]:
        """Return the ledger's ops for a source that is joined by these kinds, the latest last."""
        if not bits & _EVIDENCE:
            return ()
        return self._ops[dependent].get(self._called.ids[source] if source >= 0 else self.table.texts[~source], ())

    def dangling(self) -> list[tuple[int, EdgeKind, str]]:
        """Return the refs to what does not exist: row, kind and ref, in a stable order."""
        found: list[tuple[int, int, str]] = []
        for i, text in enumerate(self.table.texts):
            if self.gone[~i] and not self.hidden[~i]:
                found += [(row, bits & FORWARD, text) for row, bits in self.below[~i].items()]
                found += [(row, bits & BACKWARD, text) for row, bits in self.above[~i].items()]
        paths = self._called.paths
        found.sort(key=lambda one: paths[one[0]])
        named = [(row, kind, text) for row, bits, text in found for kind in self.kinds(bits)]
        return sorted(named, key=lambda one: (paths[one[0]], KINDS.index(one[1]), one[2]))

    def _near(self, side: EdgeSide, key: int) -> Mapping[int, int]:
        hidden = self.hidden
        return {hop >> HOP_SHIFT: hop & BITS for hop in side.near(key) if not hidden[hop >> HOP_SHIFT]}

    def _ops_of(self, row: int) -> Mapping[str, tuple[str, ...]]:
        """Return the ledger's ops by their subject: a memory's id, or the text of anything else."""
        found: dict[str, tuple[str, ...]] = {}
        for item in self.column(EdgeKind.EVIDENCE.value)[row].split(ITEM_SEPARATOR):
            op, _, text = item.partition(" ")
            kind, _, memory_id = text.partition(":")
            about = memory_id if kind in _TYPES and self.row_of(memory_id) is not None else text
            found[about] = (*found.get(about, ()), op)
        return found

    # -- columns ---------------------------------------------------------------------------------

    @cached_property
    def described_by(self) -> Sequence[Sequence[str]]:
        """The columns that describe a memory to people: type, title, status, path, source type."""
        return [self.column(name) for name in ("type", "title", "status", "path", "source_type")]

    @cached_property
    def _called(self) -> Rows:
        return Rows.of(self.column, self.rows)


# -- the graph of a view ---------------------------------------------------------------------------


def graph_of(view: View) -> Graph:
    """Return the graph of all memories that the viewer may see; for the viewer, all others do not exist.

    Refs that lead nowhere are shown only to the vault's owner: to anybody else they might reveal a hidden memory.
    """
    table = view.of(EDGES)
    if table is None:
        ids = view.column("id")
        known = {ids[row] for row in view.whole.rows} if view.is_owners else None
        table = edges_of(
            view.column, view.rows, is_missing=lambda memory_id: known is not None and memory_id not in known
        )
    return Graph(view.column, view.rows, table, shows_missing=view.is_owners, left_out=lambda: view.of(LEFT_OUT))


def row_of(graph: Graph, entry: Entry) -> int:
    """Return the node of a memory that was resolved; `ChangedMeanwhileError` if it no longer exists."""
    row = graph.row_at(entry.path, entry.id)
    if row is None:
        raise changed_while_read(entry.path)
    return row
