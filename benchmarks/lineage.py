#!/usr/bin/env python3
"""Measure what lineage costs among 100,000 memories and print the table of docs/lineage.md.

    .venv/bin/python benchmarks/lineage.py [--size 100000] [--rounds 3]

The graph is made in memory, as a catalogue's columns; no file is read or written. All figures are CPU time (user +
system), medians of several rounds, each with a graph of its own, so that every one pays for reading the refs, and with
the drawing where there is one. Compare the ratios to `python -c pass`, never the milliseconds.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import statistics
import sys
import time
from functools import cache, cached_property
from typing import TYPE_CHECKING

from memstore.cli.lineage_text import trace_lines
from memstore.cli.output import Palette
from memstore.model.catalog import ITEM_SEPARATOR
from memstore.model.lineage import Direction, EdgeKind
from memstore.rules.lineage_graph import Graph
from memstore.rules.lineage_trace import trace
from memstore.rules.lineage_walk import impact
from memstore.rules.provenance_gaps import without_source

if TYPE_CHECKING:
    from collections.abc import Callable

    Measured = Callable[[Graph], int]

HOPS = 100
DEPENDENTS = 100
TYPES = ("raw", "episode", "note", "belief")
# How often a memory names another, for each field: 4.3 edges in all.
REFS = {
    EdgeKind.DERIVED_FROM: 1.6,
    EdgeKind.RELATES_TO: 1.0,
    EdgeKind.EVIDENCE: 0.8,
    EdgeKind.CITES: 0.5,
    EdgeKind.PROCESSED_INTO: 0.3,
    EdgeKind.SUPERSEDES: 0.1,
}
SEED = 3


class Made:
    """A synthetic vault: a chain, a memory with many dependents, and a crowd that names each other.

    Args:
        size: how many memories.
        is_tangled: whether a memory of the crowd may name any other, so that nearly all lead to each other; else it
            names older ones only, and is named by younger ones in `processed_into`.
    """

    def __init__(self, size: int, *, is_tangled: bool) -> None:
        self.size = size
        self.hub = HOPS + 1
        self.crowd = self.hub + DEPENDENTS + 1
        self._refs = [f"{TYPES[row % len(TYPES)]}:m_{row:08x}" for row in range(size)]
        self._cells: dict[str, list[str]] = {kind.value: [""] * size for kind in EdgeKind}
        for row in range(HOPS):
            self._name(row, EdgeKind.DERIVED_FROM, [row + 1])
        for row in range(self.hub + 1, self.crowd):
            self._name(row, EdgeKind.DERIVED_FROM, [self.hub])
        self._crowd(random.Random(SEED), is_tangled=is_tangled)  # noqa: S311 - the same graph every time

    def _crowd(self, chance: random.Random, *, is_tangled: bool) -> None:
        for row in range(self.crowd + 1, self.size - 1):
            for kind, often in REFS.items():
                count = int(often) + (chance.random() < often % 1)
                low, high = (row + 1, self.size) if kind is EdgeKind.PROCESSED_INTO else (self.crowd, row)
                if is_tangled:
                    low, high = self.crowd, self.size
                self._name(row, kind, [chance.randrange(low, high) for _ in range(count)])

    def _name(self, row: int, kind: EdgeKind, targets: list[int]) -> None:
        word = "support " if kind is EdgeKind.EVIDENCE else ""
        self._cells[kind.value][row] = ITEM_SEPARATOR.join(f"{word}{self._refs[target]}" for target in targets)

    @property
    def edges(self) -> int:
        """How many refs there are."""
        return sum(cell.count(ITEM_SEPARATOR) + 1 for cells in self._cells.values() for cell in cells if cell)

    @cached_property
    def _texts(self) -> dict[str, str]:
        """The columns, each as one text: split anew for every graph they lie in memory as those of an index do."""
        types, ids = zip(*(ref.split(":") for ref in self._refs), strict=True)
        columns = {
            "type": types,
            "id": ids,
            "path": [f"{ref.replace(':', 's/')}.md" for ref in self._refs],
            "title": [f"Memory number {row}" for row in range(self.size)],
            "status": ["active"] * self.size,
            "source_type": ["inference"] * self.size,
            **dict.fromkeys(("source", "source_entity", "channel"), [""] * self.size),
            **self._cells,
        }
        return {name: "\0".join(cells) for name, cells in columns.items()}

    def graph(self) -> Graph:
        """Return the graph of all, from which nothing has been read yet."""
        texts = self._texts  # made now, outside what is measured
        read = cache(lambda name: texts[name].split("\0"))
        return Graph(read, range(self.size), is_missing=bool)


def traced(start: int, direction: Direction, *, depth: int | None = None) -> Measured:
    """Return what draws a trace and gives the number of its nodes."""
    paint = Palette(colours=False, signs=True)

    def measured(graph: Graph) -> int:
        found = trace(graph, start, direction=direction, depth=depth)
        for _ in trace_lines(paint, found):
            pass
        return len(found.nodes)

    return measured


def harmed(start: int) -> Measured:
    """Return what asks for the impact of a loss and gives the number of those that it harms."""

    def measured(graph: Graph) -> int:
        found = impact(graph, [start])
        return len(found.lost) + len(found.weakened)

    return measured


def orphaned(graph: Graph) -> int:
    """Ask for orphans and refs that lead nowhere, and return how many there are."""
    return len(without_source(graph)) + len(graph.dangling())


def questions(made: Made, tangle: Made) -> dict[str, tuple[Made, Measured]]:
    """Return what is measured, and on which graph."""
    last = made.size - 2
    return {
        "`trace`, a chain of 100 hops": (made, traced(0, Direction.UP)),
        "`trace --reverse`, a chain of 100 hops": (made, traced(HOPS, Direction.DOWN)),
        "`impact`, 100 dependents": (made, harmed(made.hub)),
        "`orphans`": (made, orphaned),
        "`trace --depth 3`, any of a crowd": (made, traced(last, Direction.UP, depth=3)),
        "`trace`, the last of a crowd": (made, traced(last, Direction.UP)),
        "`trace --reverse`, the first of a crowd": (made, traced(made.crowd, Direction.DOWN)),
        "`impact`, the first of a crowd": (made, harmed(made.crowd)),
        "`trace`, where all lead to each other": (tangle, traced(last, Direction.UP)),
        "`trace --reverse`, where all lead to each other": (tangle, traced(last, Direction.DOWN)),
    }


def cpu_of(measured: Measured, made: Made) -> tuple[float, int]:
    """Return CPU seconds, and what was found."""
    graph = made.graph()
    gc.collect()
    gc.disable()  # as good as the program, which collects seldom
    started = time.process_time()
    found = measured(graph)
    return time.process_time() - started, found


def cpu_of_python() -> float:
    """Return the CPU seconds of a Python that does nothing."""
    child = os.posix_spawn(sys.executable, [sys.executable, "-c", "pass"], os.environ)
    usage = os.wait4(child, 0)[2]
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Make the graphs, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    made, tangle = (Made(arguments.size, is_tangled=is_tangled) for is_tangled in (False, True))
    unit = statistics.median(cpu_of_python() for _ in range(arguments.rounds))
    print(f"{made.size:,} memories, {made.edges:,} and {tangle.edges:,} edges; `python -c pass` {unit * 1000:.0f} ms\n")
    print("| what | memories found | CPU time | x `python -c pass` |\n|---|---:|---:|---:|")
    for name, (where, measured) in questions(made, tangle).items():
        runs = [cpu_of(measured, where) for _ in range(arguments.rounds)]
        seconds = statistics.median(seconds for seconds, _ in runs)
        print(f"| {name} | {runs[0][1]:,} | {seconds * 1000:.0f} ms | {seconds / unit:.0f} |")


if __name__ == "__main__":
    main()
