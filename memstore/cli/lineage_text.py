"""Lineage in readable form: trees, and the card of one memory with its sources."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memstore.cli.output import safe_line
from memstore.core import quotation
from memstore.core.catalog import EdgeKind
from memstore.core.keys import EXTERNAL
from memstore.documents.lineage import edge_words
from memstore.lineage.values import Edge, Mark, NodeState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memstore.cli.output import Palette
    from memstore.core.memory import LedgerLine
    from memstore.lineage.trace import TracedBothWays
    from memstore.lineage.values import Node, Trace
    from memstore.memories.show import Shown

# Beyond this depth, a drawing shows the depth as a number instead of indenting further: chains may be very long.
DEEPEST_INDENT = 30
LONGEST_CONTENT = 60
_STEPS = {True: ("├── ", "└── ", "│   "), False: ("|-- ", "`-- ", "|   ")}


# -- a whole trace -------------------------------------------------------------------------------


def trace_lines(paint: Palette, trace: Trace) -> Iterator[str]:
    """Yield the tree of a trace, then the chain of supersessions, and whether the memory is ungrounded."""
    fork, end, bar = _STEPS[paint.signs]
    outer = [""]  # the prefix of the lines of each level
    nodes: dict[str, str] = {}  # most appear on several lines
    words = cache(lambda kinds, op: f"{edge_words(Edge('', '', kinds, op), trace.direction)} ")
    for level, node, edge, mark, is_last in trace.tree:
        text = nodes.get(node.key)
        if text is None:
            text = nodes[node.key] = named(paint, node)
        if mark is not Mark.NONE:
            text += f"  {paint('dim', f'({mark.value})')}"
        if edge is None:
            yield text
            continue
        before = outer[min(level, DEEPEST_INDENT + 1) - 1]
        depth = f"({level}) " if level > DEEPEST_INDENT + 1 else ""
        if level <= DEEPEST_INDENT:
            outer[level:] = [before + ("    " if is_last else bar)]
        yield before + (end if is_last else fork) + depth + words(edge.kinds, edge.ops[-1:]) + text
    if trace.left_out.edges:
        yield ""
        yield _left_out(trace)
    if trace.chain:
        yield ""
        yield f"Superseded in turn: {_in_turn(paint, trace)}"
    if trace.is_ungrounded:
        yield ""
        yield paint("warning", "Ungrounded: everything that it rests on is gone.")


def _in_turn(paint: Palette, trace: Trace) -> str:
    """Return the chain, oldest first; the parts of a split and the sources of a merge appear side by side."""
    alike: dict[int, list[str]] = {}
    for generation, node in sorted(zip(trace.generations, trace.chain, strict=True), key=lambda one: one[0]):
        alike.setdefault(generation, []).append(_ref(paint, node))
    return " → ".join(", ".join(refs) for refs in alike.values())


def _left_out(trace: Trace) -> str:
    memories, edges = trace.left_out
    shown = len(trace.edges)
    beyond = f"; {memories:,} {'memory is' if memories == 1 else 'memories are'} left out" if memories else ""
    return f"{shown:,} of {shown + edges:,} links, the nearest{beyond}: -n 0 draws all."


def named(paint: Palette, node: Node) -> str:
    """Return a node on one line: its ref and title, and its status if it is not the usual one."""
    notes = [*([node.absence] if node.absence else []), *_unusual(node)]
    title = f" {paint('title', quoted(node.title))}" if node.title else ""
    return _ref(paint, node) + title + "".join(f" {paint('warning', f'({note})')}" for note in notes)


def _unusual(node: Node) -> list[str]:
    """Return what is not as with most memories: the status, and that it is external."""
    kind = node.source_type if node.source_type == EXTERNAL else ""
    return [word for word in (node.status, kind) if word not in ("", "active")]


def quoted(text: str) -> str:
    """Return a text in quotes, on one line."""
    return f'"{safe_line(text)}"'


def _ref(paint: Palette, node: Node) -> str:
    return paint("ref", safe_line(node.name))


# -- one memory and its surroundings -------------------------------------------------------------


def card_lines(paint: Palette, shown: Shown, traced: TracedBothWays) -> Iterator[str]:
    """Yield a memory with its sources and dependents, in the form of seed 000, sections 4.1 and 4.2."""
    is_raw = shown.entry.type == "raw"
    yield from _raw_head(shown) if is_raw else _head(shown, traced)
    sections = (("Lineage", _lineage(shown, traced)), ("Derived", _derived_items(traced.dependents)))
    for title, items in sections:
        if items:
            yield ""
            yield paint("heading", f"{title}:")
            yield from _tree(paint, items)


_Item = tuple[str, tuple[str, ...]]
"""A line of a card's tree, and the lines below it."""


def _tree(paint: Palette, items: list[_Item]) -> Iterator[str]:
    fork, end, bar = _STEPS[paint.signs]
    for i, (text, below) in enumerate(items):
        is_last = i == len(items) - 1
        yield f"  {end if is_last else fork}{text}"
        for j, line in enumerate(below):
            yield f"  {'    ' if is_last else bar}{end if j == len(below) - 1 else fork}{line}"


def _head(shown: Shown, traced: TracedBothWays) -> Iterator[str]:
    memory = shown.memory
    yield f"{memory.type.capitalize()}: {_quoted_words(shown, shown.entry.title)}"
    if memory.confidence is not None:
        yield f"Confidence: {_confidence(shown)}"
    yield f"Source: {_source(shown, traced)}"
    if memory.created_at:
        yield f"Created: {memory.created_at[:10]}"
    if memory.status != "active":
        yield f"Status: {memory.status}"


def _raw_head(shown: Shown) -> Iterator[str]:
    memory = shown.memory
    yield f"Raw Entry: {safe_line(memory.id or shown.entry.path)}"
    yield f"Content: {_quoted_words(shown, _first_words(memory.body))}"
    if memory.status != "active":
        yield f"Status: {memory.status}"
    else:
        yield f"Status: {'Processed' if memory.processed_into else 'Unprocessed'}"


def _quoted_words(shown: Shown, text: str) -> str:
    """Return words of a memory in quotes, which those of an external one can't end."""
    return quoted(text) if shown.external is None else f"{quotation.quoted(text)} ({shown.external.trust})"


def _first_words(text: str) -> str:
    words = " ".join(text.split())
    if len(words) <= LONGEST_CONTENT:
        return words
    return words[:LONGEST_CONTENT].rsplit(" ", 1)[0] + "..."


def _confidence(shown: Shown) -> str:
    """Return the confidence and its initial value: "0.85 → 0.87 (reinforced)", "0.65 (seed → 0.65)"."""
    memory = shown.memory
    now = f"{memory.confidence:.2f}"
    if not _weighed(memory.confidence_history):
        return f"{now} ({memory.source_type or 'unknown'} → {now})"
    first = next((line for line in memory.confidence_history if line.new is not None), None)
    began = f"{first.new:.2f} → " if first and first.op in _STATED else ""
    return f"{began}{now} ({_course(memory.confidence_history)})"


_STATED = frozenset({"assert", "edit", "checkpoint"})
_REINFORCING = frozenset({"support", "partial"})


def _weighed(history: Iterable[LedgerLine]) -> list[LedgerLine]:
    return [line for line in history if line.op in _REINFORCING or line.op == "contradict"]


def _course(history: Iterable[LedgerLine]) -> str:
    ops = {"contradicted" if line.op == "contradict" else "reinforced" for line in _weighed(history)}
    return " and ".join(sorted(ops, reverse=True))


def _source(shown: Shown, traced: TracedBothWays) -> str:
    """Return how the memory is known: its own source type, and those of the evidence added to it."""
    memory = shown.memory
    own = memory.source_type or "unknown"
    nodes = {node.key: node for node in traced.sources.nodes}
    evidence = [
        nodes[line.evidence_source] for line in _weighed(memory.confidence_history) if line.evidence_source in nodes
    ]
    types = list(dict.fromkeys([own, *(node.source_type for node in evidence if node.type)]))
    if len(types) > 1:
        return " + ".join(types)
    marks = [node.key for node in traced.sources.nodes if node.state is NodeState.EXTERNAL]
    if own == EXTERNAL:
        return f"{own} ({quotation.quoted(memory.source or memory.source_entity or '')})"
    detail = ", ".join(marks) or memory.source or memory.source_entity
    return f"{own} ({safe_line(detail)})" if detail else own


def _lineage(shown: Shown, traced: TracedBothWays) -> list[_Item]:
    memory, trace = shown.memory, traced.sources
    nodes = {node.key: node for node in trace.nodes}
    edges = [edge for edge in trace.edges if edge.dependent == trace.start.key]
    items = [_made_of(shown, nodes[edge.source], edge) for edge in edges if _is_origin(edge)]
    if not items and (memory.source or memory.source_entity):
        source = memory.source or memory.source_entity or ""
        text = quotation.quoted(source) if memory.source_type == EXTERNAL else safe_line(source)
        items.append((f"Source: {text} (type: {memory.source_type or 'unknown'})", ()))
    events = [line for line in memory.confidence_history if line.op in _EVENTS and line.evidence_source in nodes]
    items += [_event(line, nodes) for line in events]
    told = {line.evidence_source for line in events}
    for edge in edges:
        items += [
            (f"{word}: {safe_line(nodes[edge.source].name)}", _below(nodes[edge.source])) for word in _other(edge, told)
        ]
    if memory.confidence is not None and memory.type != "raw":
        items.append((_balance(shown), ()))
    return items


def _other(edge: Edge, told: set[str | None]) -> list[str]:
    """Return what else an edge is, besides an origin and the ledger's events."""
    words = [word for kinds, word in _OTHER if not kinds.isdisjoint(edge.kinds)]
    if not words and edge.source not in told and not _is_origin(edge):
        words = ["Relates to" if EdgeKind.RELATES_TO in edge.kinds else "Rests on"]
    return words


_EVENTS = {
    "support": "Reinforced", "partial": "Partly confirmed", "contradict": "Contradicted", "retract": "Retracted",
}  # fmt: skip
_SUCCESSION = frozenset({EdgeKind.SUPERSEDES, EdgeKind.SUPERSEDED_BY})
_OTHER = (
    (_SUCCESSION, "Supersedes"),
    (frozenset({EdgeKind.CITES}), "Cites"),
)
_ORIGINS = frozenset({EdgeKind.DERIVED_FROM, EdgeKind.PROCESSED_INTO})


def _is_origin(edge: Edge) -> bool:
    return not _ORIGINS.isdisjoint(edge.kinds)


def _made_of(shown: Shown, node: Node, edge: Edge) -> _Item:
    """Return the line of one origin; a stated confidence is shown with the source that it was stated from."""
    memory = shown.memory
    if node.state is not NodeState.EXTERNAL:
        return f"Derived from: {safe_line(node.name)}", _below(node)
    notes = [f"type: {memory.source_type or 'unknown'}"]
    stated = next((line.new for line in memory.confidence_history if line.op == "assert"), None)
    if stated is not None and "assert" in edge.ops and _weighed(memory.confidence_history):
        notes.append(f"confidence: {stated:.2f}")
    return f"Source: {safe_line(node.name)} ({', '.join(notes)})", ()


def _event(line: LedgerLine, nodes: dict[str, Node]) -> _Item:
    node = nodes[line.evidence_source or ""]
    return f"{_EVENTS[line.op]}: {line.timestamp[:10]} from {safe_line(node.name)}", _below(node)


def _below(node: Node) -> tuple[str, ...]:
    """Return the line that describes a memory, below the line that names it."""
    if node.state is NodeState.MISSING:
        return ("missing: no memory has this id",)
    if node.absence:
        return (node.absence,)
    if node.state is NodeState.EXTERNAL:
        return ()
    about = f" ({', '.join(notes)})" if (notes := _unusual(node)) else ""
    return (f"{node.type.capitalize()}: {quoted(node.title)}{about}",)


def _balance(shown: Shown) -> str:
    memory = shown.memory
    weighed = _weighed(memory.confidence_history)
    if not weighed:
        return "No reinforcements yet"
    against = sum(line.op == "contradict" for line in weighed)
    counts = [_count(len(weighed) - against, "reinforcement"), _count(against, "contradiction")]
    return f"Current: {memory.confidence:.2f} after {' and '.join(text for text in counts if text)}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}" if number else ""


def _derived_items(trace: Trace) -> list[_Item]:
    nodes = {node.key: node for node in trace.nodes}
    edges = (edge for edge in trace.edges if edge.source == trace.start.key)
    items: list[_Item] = [(_dependent(nodes[edge.dependent], edge), ()) for edge in edges]
    if trace.left_out.edges:
        more = (
            f"… and {trace.left_out.edges:,} more: memstore trace {safe_line(trace.start.key)} --reverse --depth 1 -n 0"
        )
        items.append((more, ()))
    return items


def _dependent(node: Node, edge: Edge) -> str:
    """Return the line of a dependent; how it depends is added unless it was simply made from this memory."""
    text = safe_line(node.name) + (f" {quoted(node.title)}" if node.title else "")
    if node.absence:
        return f"{text} ({node.absence})"
    words = _unusual(node)
    said = _FROM_THIS.get(edge.ops[-1], "") if edge.ops else ""
    if said:
        words.append(said)
    elif not _SUCCESSION.isdisjoint(edge.kinds):
        words.append("supersedes this")
    elif not _is_origin(edge):
        words.append(_KIND_FROM_THIS[edge.kinds[0]])
    return f"{text} ({', '.join(words)})" if words else text


_FROM_THIS = {
    "support": "reinforced from this", "partial": "partly confirmed from this",
    "contradict": "contradicted from this", "retract": "once reinforced from this", "witness": "witnessed with this",
}  # fmt: skip
_KIND_FROM_THIS = {
    EdgeKind.EVIDENCE: "rests on this", EdgeKind.RELATES_TO: "relates to this", EdgeKind.CITES: "cites this",
}  # fmt: skip
