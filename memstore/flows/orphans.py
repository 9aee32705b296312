"""Find memories without provenance: no source recorded at all, or a ref that leads nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec.edges import places
from memstore.codec.memory_file import MemoryFile
from memstore.errors import VaultError
from memstore.flows.lineage import graph_of
from memstore.model.one_line import one_line
from memstore.rules import lineage_trace, lineage_walk
from memstore.rules.provenance_gaps import without_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from memstore.core.view import View
    from memstore.model.catalog import EdgeKind
    from memstore.model.finding import Position
    from memstore.model.lineage import Node
    from memstore.rules.lineage_graph import Graph

# What of all that can be filled in says where a memory comes from.
_TELLS = frozenset({"derived_from", "source_type"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Dangling:
    """A ref that leads nowhere: who names it, in which field, where in the file.

    `is_ungrounded` tells that nothing is left of what the memory rests on.
    """

    node: Node
    field: str
    target: str
    at: Position
    is_ungrounded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphans:
    """Memories that can't say where they come from; tombstones are not among them.

    `is_fixable` tells that `fix_provenance` can fill in where one of those without source comes from; `left_out` counts
    the orphans and refs beyond the limit, and `unreadable` the files that can't be read, as far as the viewer may know.
    """

    without_source: tuple[Node, ...]
    dangling: tuple[Dangling, ...]
    is_fixable: bool = False
    left_out: int = 0
    unreadable: int = 0

    __repr__ = one_line


def find_orphans(view: View, *, limit: int | None = None) -> Orphans:
    """Return the orphans among the memories that the viewer may see; refs that lead nowhere are the owner's to see.

    Args:
        view: the vault.
        limit: how many of both together to return at most, the orphans first; None for all.
    """
    graph = graph_of(view)
    orphans = without_source(graph)
    dangling = [one for one in graph.dangling() if not graph.is_gone(one[0])]
    most = len(orphans) + len(dangling) if limit is None else limit
    shown = orphans[:most]
    refs = dangling[: most - len(shown)]
    paths = graph.column("path")
    return Orphans(
        without_source=tuple(lineage_trace.node_of(graph, row) for row in shown),
        dangling=tuple(_dangling(view, graph, refs)),
        is_fixable=bool(orphans) and _is_fixable(view, graph, {paths[row] for row in orphans}),
        left_out=len(orphans) + len(dangling) - len(shown) - len(refs),
        unreadable=len(view.broken),
    )


def _is_fixable(view: View, graph: Graph, paths: AbstractSet[str]) -> bool:
    from memstore.flows.fix_provenance import plan  # only where there are orphans: it loads all that writes

    changes = plan(view, graph)
    return any(change.path in paths and change.key in _TELLS for change in changes)


def _dangling(view: View, graph: Graph, found: Sequence[tuple[int, EdgeKind, str]]) -> Iterator[Dangling]:
    ungrounded = lineage_walk.ungrounded(graph, {row for row, _, _ in found})
    for row, kind, target in found:
        node = lineage_trace.node_of(graph, row)
        for field, at in _places(view, node.path, kind, target):
            yield Dangling(node=node, field=field, target=target, at=at, is_ungrounded=row in ungrounded)


def _places(view: View, path: str, kind: EdgeKind, target: str) -> list[tuple[str, Position]]:
    """Return where the file names the target; none where it was saved, without it, since the snapshot."""
    try:
        file = view.read(path)
    except VaultError:
        return []
    return places(file, kind, target) if isinstance(file, MemoryFile) else []
