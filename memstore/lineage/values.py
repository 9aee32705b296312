"""The values of lineage: what memories are derived from, and what is derived from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar, overload

from memstore.core.keys import EXTERNAL
from memstore.core.quotation import quoted
from memstore.core.short_repr import short_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memstore.core.catalog import EdgeKind


class NodeState(Enum):
    """What is at the end of an edge."""

    MEMORY = "memory"
    MISSING = "missing"
    NOT_CHECKED_OUT = "not-checked-out"  # git has it, and a sparse checkout leaves it out of the work tree
    EXTERNAL = "external"


_ABSENT = frozenset({NodeState.MISSING, NodeState.NOT_CHECKED_OUT})


class Direction(Enum):
    """The direction in which lineage is followed: up to sources, or down to dependents."""

    UP = "up"
    DOWN = "down"


class Mark(Enum):
    """Why a line of a drawn tree ends there."""

    NONE = ""
    ABOVE = "see above"
    BELOW = "see below"
    CYCLE = "cycle"
    CUT = "more"


class Node(NamedTuple):
    """A memory, or something that a memory names and that is not a memory.

    `key` distinguishes the nodes of one trace: the ref; the path for a memory without an id; else the text as it was
    named. `distance` counts edges from the start of the trace. What an external memory names is external, too.
    """

    key: str
    state: NodeState
    distance: int
    type: str = ""
    title: str = ""
    status: str = ""
    path: str = ""
    source_type: str = ""

    @property
    def absence(self) -> str:
        """Why the memory is not there, in words; empty if it is, or if this is no memory."""
        return self.state.value.replace("-", " ") if self.state in _ABSENT else ""

    @property
    def name(self) -> str:
        """The key as people are shown it: between quotes if it is the text of an external memory."""
        is_text = self.state is not NodeState.MEMORY and self.source_type == EXTERNAL
        return quoted(self.key) if is_text else self.key


class Edge(NamedTuple):
    """All that is recorded between a dependent and one of its sources, by the nodes' keys.

    `ops` are the ledger's ops for evidence, the latest last. `in_cycle` is true if the source depends on the dependent
    in turn.
    """

    dependent: str
    source: str
    kinds: tuple[EdgeKind, ...]
    ops: tuple[str, ...] = ()
    in_cycle: bool = False


class Branch(NamedTuple):
    """One line of a drawn tree, in drawing order: `level` 0 is where the trace began; `edge` leads here."""

    level: int
    node: Node
    edge: Edge | None
    mark: Mark = Mark.NONE
    is_last: bool = True


class LeftOut(NamedTuple):
    """How much of a trace is not shown: memories, and the edges that lead from nodes of the trace to others."""

    memories: int
    edges: int


_Item_co = TypeVar("_Item_co", covariant=True)


class Series(Sequence[_Item_co]):
    """Items that are made as they are read, so the first of 100,000 need not wait for the last.

    Args:
        make: returns all items in order, the same ones each time.
    """

    def __init__(self, make: Callable[[], Iterable[_Item_co]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[_Item_co]:
        """Make one item after the other."""
        return iter(self._make())

    @cached_property
    def _all(self) -> tuple[_Item_co, ...]:
        return tuple(self._make())

    @overload
    def __getitem__(self, at: int) -> _Item_co: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[_Item_co]: ...
    def __getitem__(self, at: int | slice) -> _Item_co | Sequence[_Item_co]:
        """Return an item, or a slice of them; this makes and keeps all items."""
        return self._all[at]

    def __len__(self) -> int:
        """Return the number of items; this makes and keeps all items."""
        return len(self._all)

    def __eq__(self, other: object) -> bool:
        """Return whether two series have the same items."""
        return isinstance(other, Series) and self._all == other._all

    def __hash__(self) -> int:
        """Return a hash of all items."""
        return hash(self._all)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Where a memory comes from, or what has come from it.

    `nodes` are in the order in which they were reached, starting with `start`. `roots` are the nodes at which the way
    up ends. `chain` is the chain of memories that superseded each other, oldest first; empty if there is none.
    `generations` has, for each member of the chain, how many came before it. `is_ungrounded` is true if all roots are
    gone. `left_out` counts what is missing from nodes, edges and tree.
    """

    start: Node
    direction: Direction
    nodes: Series[Node]
    edges: Series[Edge]
    tree: Series[Branch]
    roots: Series[Node]
    chain: tuple[Node, ...]
    generations: tuple[int, ...]
    is_ungrounded: bool
    left_out: LeftOut

    __repr__ = short_repr
