"""Trace where a memory comes from, or what has come from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.flows.lineage import graph_of, row_of
from memstore.model.lineage import Direction
from memstore.rules import lineage_trace

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.model.catalog import Entry
    from memstore.model.lineage import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedBothWays:
    """What stands directly around one memory: what it depends on, and what depends on it."""

    sources: Trace
    dependents: Trace


def trace_memory(
    view: View,
    ref: str,
    *,
    direction: Direction = Direction.UP,
    depth: int | None = None,
    limit: int | None = None,
) -> Trace:
    """Return the lineage of the memory that `ref` names, as far as the viewer may see it.

    Args:
        view: the vault.
        ref: what names the memory.
        direction: up to sources, or down to dependents.
        depth: how many edges to follow at most; None for all.
        limit: how many edges to show at most, those nearest to the memory; None for all.

    Raises:
        NotFoundError: there is no such memory that the viewer may see.
    """
    entry = view.find(ref)
    graph = graph_of(view)
    return lineage_trace.trace(graph, row_of(graph, entry), direction=direction, depth=depth, limit=limit)


def trace_both_ways(then: View, entry: Entry, *, limit: int | None = None) -> TracedBothWays:
    """Return what stands directly above and below a memory that the viewer may see.

    Args:
        then: the vault at the time in question.
        entry: the memory, as that view has it.
        limit: how many dependents to show at most; None for all.

    Raises:
        ChangedMeanwhileError: the file is not there any more.
    """
    graph = graph_of(then)
    row = row_of(graph, entry)
    return TracedBothWays(
        sources=lineage_trace.trace(graph, row, direction=Direction.UP, depth=1),
        dependents=lineage_trace.trace(graph, row, direction=Direction.DOWN, depth=1, limit=limit),
    )
