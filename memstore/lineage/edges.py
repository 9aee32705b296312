"""The edges of lineage as numbers: what 100,000 memories depend on, and what depends on them, in four arrays.

A *node* is a number: the row of a memory, or a negative one for what is named and is no memory; -1 is the first of
`texts`. A *hop* is a number, too: the neighbour's times 256, and in the low byte the kinds of the edge, a bit each in
the order of `EdgeKind`, with `GROUND` where the dependent rests on the source. A node's hops are in a lasting order:
by their first kind, then by the neighbour's name, since row numbers differ from one snapshot to the next.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HOP_SHIFT = 8
BITS = 0xFF
GROUND = 0x80


class Side:
    """All hops one way, up to sources or down to dependents.

    Args:
        hops: the hops of all nodes, one after the other.
        ends: where the hops of each node end; those of rows first, then those of texts, of -1 last.
        changed: the hops of nodes for which the arrays do not hold any more.
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
        """Return how many hops these nodes have together."""
        kept = [node for node in nodes if node not in self.changed] if self.changed else nodes
        anew = sum(len(self.changed[node]) for node in nodes if node in self.changed) if self.changed else 0
        return anew + sum(map(self.ends.__getitem__, kept)) - sum(map(self.starts.__getitem__, kept))


class EdgeTable:
    """Who depends on what among all memories of a snapshot, hidden ones too.

    Args:
        rows: how many rows there are, dead ones included.
        texts: what is named and is no memory: refs that lead nowhere, and marks of what lies outside the vault. One
            that nobody names any more is empty.
        above: the hops from dependents to sources.
        below: the same edges read backwards.
    """

    def __init__(self, rows: int, texts: Sequence[str], above: Side, below: Side) -> None:
        self.rows, self.texts, self.above, self.below = rows, texts, above, below

    @property
    def size(self) -> int:
        """How many nodes there are. A sequence of this length has all of them as its indices, negative ones too."""
        return self.rows + len(self.texts)
