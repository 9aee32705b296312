"""Gathers what a viewer may see of a whole vault: what needs attention, every memory, lineage, and who sees what."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import RIGHTS
from memstore.access.report import audit_sight, sight_report
from memstore.beliefs.archive import prunable
from memstore.beliefs.next_lines import held_now
from memstore.beliefs.reconsolidation import standing
from memstore.conflicts.compare import Comparer, Survey, survey
from memstore.core import digests
from memstore.core.catalog import EdgeKind, FileKind
from memstore.core.short_repr import short_repr
from memstore.files import memory_file
from memstore.files.catalog_entry import entry_of
from memstore.files.memory_file import PlainFile
from memstore.history import HISTORY
from memstore.lineage.graph import graph_of
from memstore.lineage.orphans import find_orphans
from memstore.lineage.trace import edge_of, node_of
from memstore.lineage.values import NodeState
from memstore.search.filters import PastRows
from memstore.search.opened import Opened
from memstore.search.ranker import Audience
from memstore.search.reranker import grounds_of
from memstore.search.uses import uses_of
from memstore.trust.reader import TrustReader
from memstore.vault.cited_lines import changed_citations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.report import Sighted
    from memstore.beliefs.archive import Prunable
    from memstore.beliefs.reconsolidation import BeliefStanding
    from memstore.core.catalog import Entry
    from memstore.core.conflict import Conflict
    from memstore.core.finding import Finding
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.lineage.graph import Graph, GraphLink
    from memstore.lineage.orphans import Orphans
    from memstore.lineage.values import Edge, Node
    from memstore.search.usage_log import Use
    from memstore.trust.score import Trust

# Lineage by association says little in a drawing of everything, and makes it unreadable.
_DRAWN = frozenset(EdgeKind) - {EdgeKind.RELATES_TO}
# A memory rests on what it was made from, and on its evidence.
_RESTS_ON = frozenset({EdgeKind.DERIVED_FROM, EdgeKind.PROCESSED_INTO, EdgeKind.EVIDENCE})
_NO_LONGER_HOLDS = frozenset({"superseded", "archived", "forgotten"})
# How many boxes are drawn, in one drawing and in all: larger drawings can't be read.
MOST_IN_A_DRAWING, MOST_DRAWN = 120, 400
MOST_NEIGHBOURS = 20
# Comparing takes most of the time. Of larger vaults only the newest memories are compared, each with all others.
MOST_COMPARED, COMPARED_OF_MORE = 500, 60
# A smaller drop of a confidence is not worth telling.
LEAST_DROP = 0.05


class Neighbour(NamedTuple):
    """A memory beside another one in the lineage, and the edge between them."""

    node: Node
    edge: Edge


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedMemory:
    """One memory or plain note: its file, its numbers of today, its neighbours, and who sees it.

    `dropped` is how far the confidence has fallen, by the last evidence or by fading since; 0 if it has not. `past` is
    true if it is active although it has been superseded or its validity has ended. `worn` are the memories that it
    rests on and that no longer hold; `recited` are its citations of lines that have changed. `seen` is None unless the
    vault's owner is looking.
    """

    entry: Entry
    file: MemoryFile
    confidence_now: float | None
    dropped: float
    strength: float
    standing: BeliefStanding | None
    prunable: Prunable | None
    past: bool
    trust: Trust
    sources: tuple[Neighbour, ...]
    dependents: tuple[Neighbour, ...]
    more_neighbours: int
    worn: tuple[Node, ...]
    recited: tuple[Finding, ...]
    seen: Sighted | None

    __repr__ = short_repr

    @property
    def memory(self) -> Memory:
        """The memory in the file."""
        return self.file.memory

    @property
    def is_active(self) -> bool:
        """Whether it holds today, as far as its status says."""
        return self.memory.status == "active"


class LineagePart(NamedTuple):
    """A part of the lineage that is connected in itself, as far as it is drawn; `total` counts all of its nodes."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultReport:
    """What a viewer may see of a vault at a moment.

    `memories` are newest first; `parts` are the connected parts of the lineage, the largest first, and
    `undrawn` counts the memories of those left out. `sight` has what each entity sees, None unless the vault's owner
    is looking. `compared` is how many of the newest active memories were compared with the others for conflicts, None
    for all; `not_compared` how many pairs that are alike were not, or only in part. `unreadable` is how many files
    can't be read, as far as the viewer may know.
    """

    vault: str
    actor: str
    context: str | None
    at: datetime
    memories: tuple[ReportedMemory, ...]
    conflicts: tuple[Conflict, ...]
    compared: int | None
    not_compared: int
    orphans: Orphans
    parts: tuple[LineagePart, ...]
    undrawn: int
    sight: Mapping[str, tuple[Sighted, ...]] | None
    unreadable: int

    __repr__ = short_repr


def report(view: View) -> VaultReport:
    """Return what the viewer may see of the whole vault.

    Raises:
        RefusedError: the context has expired or can't be read.
    """
    graph = graph_of(view)
    memories = tuple(_memories(view, graph))
    parts, undrawn = _parts(graph)
    view.note_shown("report", (one.entry.id for one in memories if one.entry.id))
    context = view.of(RIGHTS).session.context
    found, compared = _conflicts(view, memories)
    return VaultReport(
        vault=view.root.name,
        actor=view.actor,
        context=context.id if context else None,
        at=view.clock.now(),
        memories=memories,
        conflicts=found.conflicts,
        not_compared=found.not_compared,
        compared=compared,
        orphans=find_orphans(view),
        parts=tuple(parts),
        undrawn=undrawn,
        sight=sight_report(view) if view.is_owners else None,
        unreadable=len(view.broken),
    )


def _conflicts(view: View, memories: Sequence[ReportedMemory]) -> tuple[Survey, int | None]:
    """Return the open conflicts, and how many of the newest memories were compared; None for all."""
    newest = [one for one in memories if one.entry.kind is FileKind.MEMORY and one.is_active]
    if len(newest) <= MOST_COMPARED:
        return survey(view), None
    comparer = Comparer(view)
    found: dict[frozenset[str], Conflict] = {}
    for one in view.with_progress("comparing memories", newest[:COMPARED_OF_MORE]):
        side = comparer.side_at(one.entry.path)
        for each in comparer.conflicts(side) if side else ():
            found.setdefault(frozenset(each.refs), each)
    in_order = tuple(sorted(found.values(), key=lambda one: one.order))
    return Survey(in_order, comparer.left_out), COMPARED_OF_MORE


# -- the memories ----------------------------------------------------------------------------------


def _memories(view: View, graph: Graph) -> Iterator[ReportedMemory]:
    """Yield all memories and plain notes, newest first, then by path."""
    reader = _MemoryReader(view, graph)
    entries = {row: view.entry(row) for row in view.texts}
    by_path = sorted(entries, key=lambda row: entries[row].path)
    for row in view.with_progress(
        "reading memories", sorted(by_path, key=lambda row: entries[row].created_at, reverse=True)
    ):
        file = view.text(entries[row].path)
        if file is not None:  # it may have been replaced meanwhile
            yield reader.read(row, entries[row], file)


class _MemoryReader:
    """Reads memories for the report; has what all of them need."""

    def __init__(self, view: View, graph: Graph) -> None:
        self._view, self._graph = view, graph
        self._audience = Audience(view)
        self._now = view.clock.now()
        self._uses: Mapping[str, Sequence[Use]] = uses_of(view)
        self._past = PastRows(view, self._now).among(view.rows)
        self._trust = TrustReader(view)
        self._cites = view.is_owners and view.of(HISTORY).repository is not None
        self._seen = {one.path: one for one in audit_sight(view)} if view.is_owners else {}

    def read(self, row: int, entry: Entry, file: MemoryFile | PlainFile) -> ReportedMemory:
        """Return a memory with everything that is said about it."""
        is_memory = not isinstance(file, PlainFile)
        whole = memory_file.as_if_adopted(file) if isinstance(file, PlainFile) else file
        memory, now = whole.memory, self._now
        blob = digests.blob_id(whole.data, digests.format_of(entry.blob))
        opened = Opened(entry_of(whole, blob), whole.data, whole.text, mixed=self._view.config.mixed)
        strength = grounds_of(self._audience, opened, self._uses, now).strength.retrieval
        today = held_now(memory, now)
        sources = self._graph.sources(row) if is_memory else ()
        dependents = self._graph.dependents(row) if is_memory else ()
        return ReportedMemory(
            entry=entry,
            file=whole,
            confidence_now=today,
            dropped=_confidence_drop(memory, today),
            strength=strength,
            standing=None if today is None else standing(memory, now),
            prunable=prunable(memory, now, strength=strength),
            past=row in self._past and memory.status == "active",
            trust=self._trust.of(memory),
            sources=tuple(self._above(row, sources[:MOST_NEIGHBOURS])),
            dependents=tuple(self._below(row, dependents[:MOST_NEIGHBOURS])),
            more_neighbours=max(0, len(sources) - MOST_NEIGHBOURS) + max(0, len(dependents) - MOST_NEIGHBOURS),
            worn=tuple(self._worn(sources)) if memory.status == "active" else (),
            recited=tuple(changed_citations(self._view, whole)) if is_memory and self._cites else (),
            seen=self._seen.get(entry.path),
        )

    def _above(self, row: int, links: Sequence[GraphLink]) -> Iterator[Neighbour]:
        for link in links:
            yield Neighbour(node_of(self._graph, link.key), edge_of(self._graph, row, link))

    def _below(self, row: int, links: Sequence[GraphLink]) -> Iterator[Neighbour]:
        for link in links:
            edge = edge_of(self._graph, link.key, link._replace(key=row))
            yield Neighbour(node_of(self._graph, link.key), edge)

    def _worn(self, links: Sequence[GraphLink]) -> Iterator[Node]:
        for link in links:
            node = node_of(self._graph, link.key)
            is_ground = not _RESTS_ON.isdisjoint(link.kinds) and link.ops[-1:] != ("retract",)
            if node.state is NodeState.MEMORY and node.status in _NO_LONGER_HOLDS and is_ground:
                yield node


def _confidence_drop(memory: Memory, today: float | None) -> float:
    """Return how far a confidence is below what it was before its last change, or below what it has faded from."""
    if today is None or memory.confidence is None:
        return 0.0
    last = next((line for line in reversed(memory.confidence_history) if line.new is not None), None)
    before = max(memory.confidence, (last.old if last else None) or 0.0)
    drop = before - today
    return drop if drop >= LEAST_DROP else 0.0


# -- lineage ---------------------------------------------------------------------------------------


def _parts(graph: Graph) -> tuple[list[LineagePart], int]:
    """Return the connected parts of the lineage, the largest first, and how many memories are in none that is drawn."""
    links = _links(graph)
    found: list[list[int]] = []
    met: set[int] = set()
    for start in sorted(links, key=lambda key: (-len(links[key]), graph.name(key))):
        if start not in met:
            found.append(_connected(links, start, graph))
            met.update(found[-1])
    parts: list[LineagePart] = []
    left = MOST_DRAWN
    for keys in sorted(found, key=lambda keys: (-len(keys), graph.name(keys[0]))):
        shown = keys[: min(MOST_IN_A_DRAWING, left)]
        if len(shown) > 1:
            parts.append(_part(graph, shown, len(keys)))
            left -= len(shown)
    drawn = sum(len(part.nodes) for part in parts)
    return parts, len(met) - drawn


def _links(graph: Graph) -> dict[int, set[int]]:
    """Return the neighbours of every node that has one, in both directions."""
    found: dict[int, set[int]] = defaultdict(set)
    for row in graph.rows:
        for link in graph.sources(row):
            if link.key != row and not _DRAWN.isdisjoint(link.kinds) and not graph.is_mark(link.key):
                found[row].add(link.key)
                found[link.key].add(row)
    return found


def _connected(links: Mapping[int, set[int]], start: int, graph: Graph) -> list[int]:
    """Return the nodes that are connected with one, nearest first."""
    reached = {start: None}
    level = [start]
    while level:
        following = sorted({other for key in level for other in links[key]} - reached.keys(), key=graph.name)
        reached.update(dict.fromkeys(following))
        level = following
    return list(reached)


def _part(graph: Graph, keys: Sequence[int], total: int) -> LineagePart:
    shown = set(keys)
    edges = [
        edge_of(graph, key, link)
        for key in keys
        for link in graph.sources(key)
        if link.key in shown and link.key != key and not _DRAWN.isdisjoint(link.kinds)
    ]
    return LineagePart(tuple(node_of(graph, key) for key in keys), tuple(edges), total)
