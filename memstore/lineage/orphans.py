"""Memories without provenance: no recorded source at all, or a ref that leads nowhere; and what can be filled in.

Only what needs no judgement is filled in.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memstore.access.grants import tellers
from memstore.core import terms
from memstore.core.catalog import EdgeKind, Field
from memstore.core.errors import VaultError
from memstore.core.ids import MemoryRef
from memstore.core.provenance import teller_of
from memstore.core.short_repr import short_repr
from memstore.files.catalog_entry import places
from memstore.files.memory_file import MemoryFile
from memstore.history.sparse import ids_left_out
from memstore.lineage import trace, walk
from memstore.lineage.graph import graph_of, knots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from memstore.core.finding import Position
    from memstore.core.view import View
    from memstore.lineage.graph import Graph
    from memstore.lineage.values import Node


# Any of these says where a memory comes from; who wrote it, where and when does not count.
_SOURCES = ("source", "source_entity", "channel", "derived_from", "relates_to", "evidence", "supersedes")
_NO_SOURCE_TYPE = frozenset({"", "unknown"})

SEED_MARK = "kernle:seed-beliefs"
SEED_SOURCE = "seed-initialization"
# The beliefs that seed 000 names; the third, which seed 000 cuts short, as Kernle publishes it.
SEED_STATEMENTS = (
    "Truth is rarely binary; complexity is a feature, not a bug.",
    "Authentic relationships require honesty about my nature.",
    "I am not obligated to be everything; being a particular kind of mind is sufficient.",
)
FEWEST_WORDS_OF_A_STATEMENT = 4
# Raw memories with the same text that are tried on either side of a memory's time: hundreds may have been imported at
# once.
MOST_TWINS = 8
SAME_MOMENT = timedelta(minutes=30)  # seed 000's design: a raw memory is promoted while it is fresh

# Suggestions are not memories yet, and tombstones no longer are.
_LEFT_ALONE = frozenset({"draft", "forgotten"})


@dataclass(frozen=True, slots=True, order=True)
class ProvenanceChange:
    """A gap and what fills it: `items` are added to a list, or `value` becomes the key's; `because` is the reason."""

    path: str
    key: str
    items: tuple[str, ...] = ()
    value: str = ""
    because: str = ""


def without_source(graph: Graph) -> list[int]:
    """Return the memories that do not say where they come from, by name; tombstones are exempt."""
    statuses, source_types = graph.column("status"), graph.column("source_type")
    columns = [graph.column(name) for name in _SOURCES]
    found = [
        row
        for row in graph.rows
        if source_types[row] in _NO_SOURCE_TYPE
        and statuses[row] != "forgotten"
        and not any(column[row] for column in columns)
    ]
    return sorted(found, key=graph.name)


# -- what can be filled in -----------------------------------------------------------------------


def one_sided_promotions(graph: Graph) -> list[ProvenanceChange]:
    """Return the links between raw memories and what was derived from them that only one side records."""
    types = graph.column("type")
    found: list[tuple[int, int, tuple[EdgeKind, ...]]] = []
    for row in _eligible(graph):
        for source, bits in graph.above[row].items():
            if source >= 0 and types[source] == "raw" and _can_name_each_other(graph, row, source):
                kinds = graph.kinds(bits)
                if (EdgeKind.PROCESSED_INTO in kinds) != (EdgeKind.DERIVED_FROM in kinds):
                    found.append((row, source, kinds))
    circles = _circles(graph, [source for _, source, _ in found])
    return [
        _processed_into(graph, source, row, "it names this as its source")
        if EdgeKind.DERIVED_FROM in kinds
        else _derived_from(graph, row, source, "it names this as derived from it")
        for row, source, kinds in found
        if row not in circles or circles[row] != circles.get(source)
    ]


def _circles(graph: Graph, starts: Iterable[int]) -> dict[int, int]:
    """Return, for each of these memories and their sources that is in a cycle, the number of the cycle."""
    around = {key: graph.above[key] for key in walk.walk(graph.up, starts, graph.hidden[:]).nodes}
    return {
        key: number
        for number, knot in enumerate(knots(around))
        if len(knot) > 1 or not knot.isdisjoint(around[next(iter(knot))])
        for key in knot
    }


def one_sided_successions(graph: Graph) -> list[ProvenanceChange]:
    """Return what is missing in a superseded memory if only its heirs record the succession."""
    heirs: dict[int, list[str]] = defaultdict(list)
    for row in filter(graph.is_meant, _eligible(graph)):
        for old, bits in graph.above[row].items():
            kinds = graph.kinds(bits)
            is_one_sided = EdgeKind.SUPERSEDES in kinds and EdgeKind.SUPERSEDED_BY not in kinds
            if is_one_sided and old >= 0 and old != row:
                heirs[old].append(graph.name(row))
    return [change for old, names in heirs.items() for change in _superseded(graph, old, sorted(names))]


def _superseded(graph: Graph, old: int, heirs: Sequence[str]) -> Iterator[ProvenanceChange]:
    status, path = graph.column("status")[old], graph.column("path")[old]
    if status in _LEFT_ALONE:
        return
    is_only_one = len(heirs) == 1 and not graph.column("superseded_by")[old]
    for heir in heirs:
        because = f"{heir}: it names this as what it supersedes"
        if is_only_one:  # one is a ref, several are a list
            yield ProvenanceChange(path, "superseded_by", value=heir, because=because)
        else:
            yield ProvenanceChange(path, "superseded_by", items=(heir,), because=because)
    if status != "superseded":
        yield ProvenanceChange(path, "status", value="superseded", because=because)


def seed_beliefs(graph: Graph, texts: Mapping[int, str]) -> list[ProvenanceChange]:
    """Return the changes that mark seed beliefs as such.

    They are recognized by their statement, or, if they were imported (`memstore import seeds`), by what is left of the
    marks of that: its source, its mark as what it was derived from, or its ledger. A copy without any of these has the
    text and title of a seed belief in the vault.

    Args:
        graph: the graph.
        texts: the bodies of beliefs without a source type, and of the seeds that they may be copies of, by row; bodies
            without any of `SEED_WORDS` may be missing.
    """
    titles, paths, derived = (graph.column(name) for name in ("title", "path", "derived_from"))
    imported = _imported_seeds(graph)
    copies = {row for row, seed in copies_of_seeds(graph) if texts.get(row, "").split() == texts.get(seed, "?").split()}
    changes = []
    for row in unsourced_beliefs(graph):
        is_imported = row in imported or row in copies
        if is_imported or is_seed_statement(titles[row]) or is_seed_statement(texts.get(row, "")):
            because = "it was imported as a seed" if is_imported else "its statement is that of a seed belief"
            changes.append(ProvenanceChange(paths[row], "source_type", value="seed", because=because))
            if SEED_MARK not in derived[row]:
                changes.append(ProvenanceChange(paths[row], "derived_from", items=(SEED_MARK,), because=because))
    return changes


def _imported_seeds(graph: Graph) -> frozenset[int]:
    """Return the beliefs that do not say how they are known, but were imported as seeds."""
    sources, derived, evidence = (graph.column(name) for name in ("source", "derived_from", "evidence"))
    return frozenset(
        row
        for row in unsourced_beliefs(graph)
        if sources[row] == SEED_SOURCE or SEED_MARK in derived[row] or f"assert {SEED_MARK}" in evidence[row]
    )


def copies_of_seeds(graph: Graph) -> list[tuple[int, int]]:
    """Return pairs of a belief that does not say how it is known and a seed belief of the same words and title."""
    types, titles, digests = (graph.column(name) for name in ("source_type", "title", "words"))
    kinds = graph.column("type")
    seeds = {
        (titles[row], digests[row]): row for row in _eligible(graph) if types[row] == "seed" and kinds[row] == "belief"
    }
    unsourced = ((row, (titles[row], digests[row])) for row in unsourced_beliefs(graph))
    return [(row, seeds[same]) for row, same in unsourced if same in seeds]


def told_as_lived(graph: Graph, told_by: Callable[[str], str]) -> list[ProvenanceChange]:
    """Return the changes for memories that name who told them, and say that they were lived.

    Args:
        graph: the graph.
        told_by: how something is known that an entity told.
    """
    paths, types, sources, entities = map(graph.column, ("path", "source_type", "source", "source_entity"))
    tellers = {
        row: teller
        for row in _eligible(graph)
        if types[row] == "direct_experience"
        and (teller := teller_of({"source": sources[row], "source_entity": entities[row]}))
    }
    return [
        ProvenanceChange(paths[row], "source_type", value=told_by(teller), because=f"it names {teller} as who told it")
        for row, teller in tellers.items()
    ]


def unsourced_beliefs(graph: Graph) -> list[int]:
    """Return the beliefs that do not say how they are known."""
    types, source_types = graph.column("type"), graph.column("source_type")
    return [row for row in _eligible(graph) if types[row] == "belief" and source_types[row] in _NO_SOURCE_TYPE]


def is_seed_statement(text: str) -> bool:
    """Return whether a text begins with the statement of a seed belief, even if cut short with an ellipsis."""
    statement = text.strip().split("\n\n", 1)[0]
    words = _words(statement)
    if statement.rstrip().endswith(("…", "...")) and len(words) >= FEWEST_WORDS_OF_A_STATEMENT:
        return any(seed[: len(words)] == words for seed in _SEEDS)
    return words in _SEEDS


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


_SEEDS = [_words(statement) for statement in SEED_STATEMENTS]
# One word of each that remains even if the statement is cut short.
SEED_WORDS = tuple(max(words[:FEWEST_WORDS_OF_A_STATEMENT], key=len) for words in _SEEDS)


def twins_in_time(graph: Graph) -> list[tuple[int, int]]:
    """Return pairs of a raw memory and one without lineage that say the same, written within half an hour.

    They are matched by the digests of their words. A memory's nearest raw memories come first, and only a few of them.
    """
    types, derived, digests, created = (graph.column(name) for name in ("type", "derived_from", "words", "created_at"))
    raws: dict[str, list[tuple[datetime, str, int]]] = defaultdict(list)
    for row in _eligible(graph):
        if types[row] == "raw" and digests[row] and (at := _instant(created[row])) is not None:
            raws[digests[row]].append((at, graph.name(row), row))
    for same in raws.values():
        same.sort()
    pairs = []
    for row in _eligible(graph):
        if types[row] == "raw" or digests[row] not in raws or (at := _instant(created[row])) is None:
            continue
        if not derived[row] or all(key < 0 for key in graph.above[row]):
            pairs += [(raw, row) for raw in _nearest(raws[digests[row]], at)]
    return pairs


def _nearest(raws: Sequence[tuple[datetime, str, int]], at: datetime) -> list[int]:
    """Return the raw memories of the same half hour, sorted by distance in time, then by name; at most a few."""
    first = bisect_left(raws, at - SAME_MOMENT, key=_time)
    last = bisect_right(raws, at + SAME_MOMENT, key=_time)
    near = bisect_left(raws, at, lo=first, hi=last, key=_time)
    around = raws[max(first, near - MOST_TWINS) : min(last, near + MOST_TWINS)]
    return [row for _, _, row in sorted(around, key=lambda raw: (abs(at - raw[0]), raw[1]))]


def _time(raw: tuple[datetime, str, int]) -> datetime:
    return raw[0]


def same_texts(graph: Graph, pairs: Iterable[tuple[int, int]], texts: Mapping[int, str]) -> list[ProvenanceChange]:
    """Return the links between raw memories and memories that say the same; each memory gets one raw memory.

    Args:
        graph: the graph.
        pairs: raw memories and memories of the same half hour, the best first for each.
        texts: their bodies, by row.
    """
    linked: set[int] = set()
    changes = []
    for raw, row in pairs:
        text = texts.get(raw, "").split()
        if row in linked or not text or text != texts.get(row, "").split() or not _may_link(graph, row, raw):
            continue
        linked.add(row)
        because = "both say the same, written within half an hour"
        changes += [_derived_from(graph, row, raw, because), _processed_into(graph, raw, row, because)]
    return changes


def merged(changes: Iterable[ProvenanceChange]) -> tuple[ProvenanceChange, ...]:
    """Return changes in a stable order, each once; of two reasons for the same change, the first is kept."""
    found: dict[tuple[str, str, tuple[str, ...]], ProvenanceChange] = {}
    for change in changes:
        found.setdefault((change.path, change.key, change.items), change)
    return tuple(sorted(found.values()))


def _eligible(graph: Graph) -> Iterator[int]:
    statuses = graph.column("status")
    return (row for row in graph.rows if statuses[row] not in _LEFT_ALONE)


def _may_link(graph: Graph, row: int, source: int) -> bool:
    """Return whether a memory may be derived from a raw one: both can be named and are current, and no cycle forms."""
    if not _can_name_each_other(graph, row, source):
        return False
    return row not in walk.walk(graph.up, [source], graph.hidden[:]).nodes


def _can_name_each_other(graph: Graph, row: int, source: int) -> bool:
    is_of_today = graph.column("status")[source] not in _LEFT_ALONE
    return is_of_today and graph.is_meant(row) and graph.is_meant(source)


def _derived_from(graph: Graph, row: int, source: int, because: str) -> ProvenanceChange:
    return ProvenanceChange(
        graph.column("path")[row],
        "derived_from",
        items=(graph.name(source),),
        because=f"{graph.name(source)}: {because}",
    )


def _processed_into(graph: Graph, source: int, row: int, because: str) -> ProvenanceChange:
    return ProvenanceChange(
        graph.column("path")[source],
        "processed_into",
        items=(graph.name(row),),
        because=f"{graph.name(row)}: {because}",
    )


def _instant(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def plan(view: View, graph: Graph) -> tuple[ProvenanceChange, ...]:
    """Return everything that can be filled in among the memories of a graph, in a stable order.

    Args:
        view: the vault.
        graph: its memories, as the viewer may see them.
    """
    pairs = twins_in_time(graph)
    rows = {row for pair in pairs for row in pair}
    rows.update(row for pair in copies_of_seeds(graph) for row in pair)
    texts = _texts(view, graph, rows.union(_perhaps_seeds(view, graph)))
    return merged(
        [
            *one_sided_promotions(graph),
            *one_sided_successions(graph),
            *seed_beliefs(graph, texts),
            *same_texts(graph, pairs, texts),
            *told_as_lived(graph, tellers(view)),
        ]
    )


def _perhaps_seeds(view: View, graph: Graph) -> frozenset[int]:
    """Return the beliefs to read: they do not say how they are known, and contain a word of a seed belief."""
    unsourced = frozenset(unsourced_beliefs(graph))
    if not unsourced:
        return unsourced
    holding = (view.holding(Field.TEXT, terms.term_of(word)) for word in SEED_WORDS)
    return unsourced.intersection(row for rows in holding for row in rows)


def _texts(view: View, graph: Graph, rows: Iterable[int]) -> dict[int, str]:
    paths = graph.column("path")
    files = ((row, view.read(paths[row])) for row in rows)
    return {row: file.memory.body for row, file in files if file is not None}


# -- finding orphans -------------------------------------------------------------------------------


# The keys, among those that can be filled in, that say where a memory comes from.
_TELLS = frozenset({"derived_from", "source_type"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Dangling:
    """A ref that leads nowhere: which memory names it, in which field, and where in the file.

    `is_ungrounded` is true if nothing is left of what the memory rests on.
    """

    node: Node
    field: str
    target: str
    at: Position
    is_ungrounded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphans:
    """Memories that can't say where they come from, except tombstones.

    `is_fixable` is true if `fix_provenance` can fill in the source of one that has none. `left_out` counts the orphans
    and refs beyond the limit, and `unreadable` the files that can't be read, as far as the viewer may know.
    """

    without_source: tuple[Node, ...]
    dangling: tuple[Dangling, ...]
    is_fixable: bool = False
    left_out: int = 0
    unreadable: int = 0

    __repr__ = short_repr


def find_orphans(view: View, *, limit: int | None = None) -> Orphans:
    """Return the orphans among the memories that the viewer may see; only the owner sees refs that lead nowhere.

    Args:
        view: the vault.
        limit: how many orphans and refs together to return at most, orphans first; None for all.
    """
    graph = graph_of(view)
    orphans = without_source(graph)
    dangling = [one for one in graph.dangling() if not graph.is_gone(one[0])]
    if dangling:
        elsewhere = ids_left_out(view)
        dangling = [one for one in dangling if not (ref := MemoryRef.parse(one[2])) or ref.id not in elsewhere]
    most = len(orphans) + len(dangling) if limit is None else limit
    shown = orphans[:most]
    refs = dangling[: most - len(shown)]
    paths = graph.column("path")
    return Orphans(
        without_source=tuple(trace.node_of(graph, row) for row in shown),
        dangling=tuple(_dangling(view, graph, refs)),
        is_fixable=bool(orphans) and _is_fixable(view, graph, {paths[row] for row in orphans}),
        left_out=len(orphans) + len(dangling) - len(shown) - len(refs),
        unreadable=len(view.broken),
    )


def _is_fixable(view: View, graph: Graph, paths: AbstractSet[str]) -> bool:
    changes = plan(view, graph)
    return any(change.path in paths and change.key in _TELLS for change in changes)


def _dangling(view: View, graph: Graph, found: Sequence[tuple[int, EdgeKind, str]]) -> Iterator[Dangling]:
    ungrounded = walk.ungrounded(graph, {row for row, _, _ in found})
    for row, kind, target in found:
        node = trace.node_of(graph, row)
        for field, at in _places(view, node.path, kind, target):
            yield Dangling(node=node, field=field, target=target, at=at, is_ungrounded=row in ungrounded)


def _places(view: View, path: str, kind: EdgeKind, target: str) -> list[tuple[str, Position]]:
    """Return where the file names the target; empty if the file has been saved without it since the snapshot."""
    try:
        file = view.read(path)
    except VaultError:
        return []
    return places(file, kind, target) if isinstance(file, MemoryFile) else []
