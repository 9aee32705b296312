"""How the edges change with a few files: what they name is read, and what names one of them is read again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.model.edge_table import BITS, GROUND, HOP_SHIFT, EdgeTable, Side
from memstore.rules.edge_table import BACKWARD, FORWARD, PROCESSED, Near, Nodes, Rows, all_nodes, packed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence


class Changes(NamedTuple):
    """What is different from the table before.

    `dropped` are rows whose files are gone or read anew, `read` those of files that were read anew, which may be the
    same; `moved` are rows whose path alone is another. `rows` are as they are now.
    """

    rows: Rows
    dropped: frozenset[int]
    read: Sequence[int]
    moved: Collection[int]


def changed(before: EdgeTable, changes: Changes, cells: Callable[[int], Sequence[str]]) -> EdgeTable:
    """Return the table with a few files changed; no two memories may have the same id now.

    What names a memory that is gone, or one that has come, is read again: a ref that led somewhere may lead nowhere.

    Args:
        before: the table as it was.
        changes: what is different.
        cells: gives a row's fields as they are now, in the order of `KINDS`.
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
        if not rows.ids[row]:  # it is called by its path, and may stand at another place beside others
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
    """The neighbours of the nodes that were looked at, to be changed; taken from a table as they are asked for."""

    def __init__(self, before: EdgeTable, side: Side) -> None:
        super().__init__()
        self._before, self._side = before, side

    def __missing__(self, node: int) -> Near:
        is_known = -len(self._before.texts) <= node < self._before.rows
        hops = self._side.near(node) if is_known else ()
        near = self[node] = {hop >> HOP_SHIFT: hop & BITS for hop in hops}
        return near

    def side(self, nodes: Nodes) -> Side:
        return Side(self._side.hops, self._side.ends, {node: nodes.in_order(near) for node, near in self.items()})


def _naming(before: EdgeTable, changes: Changes, above: _Edited, below: _Edited) -> frozenset[int]:
    """Return the rows, but for the dropped ones, whose refs may lead elsewhere now."""
    ids = changes.rows.ids
    come = {ids[row] for row in changes.read if ids[row]}
    found = [row for row in changes.dropped if row < before.rows]
    found += [~i for i, text in enumerate(before.texts) if text and text.partition(":")[2] in come]
    naming = {row for node in found for row, bits in below[node].items() if bits & FORWARD}
    naming |= {row for node in found for row, bits in above[node].items() if bits & BACKWARD}
    return frozenset(row for row in naming if row >= 0) - changes.dropped


def _forget(rows: frozenset[int], above: _Edited, below: _Edited) -> None:
    """Take away all that these rows record, and leave what others record about them."""
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
    """Return a table without changed nodes: all is in the arrays."""
    if not table.above.changed and not table.below.changed:
        return table
    above, below = (
        packed(map(side.near, all_nodes(table.rows, len(table.texts)))) for side in (table.above, table.below)
    )
    return EdgeTable(table.rows, table.texts, above, below)
