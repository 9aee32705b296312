"""Lineage for other programs: JSON documents, Graphviz, Mermaid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.core.catalog import EdgeKind
from memstore.core.keys import EXTERNAL
from memstore.lineage.values import Direction, NodeState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.lineage.orphans import Orphans
    from memstore.lineage.repair import FixedProvenance
    from memstore.lineage.trace import Harmed, Impact
    from memstore.lineage.values import Edge, Node, Trace

# Names of an edge: seen from the dependent, and from its source.
_UP = {
    EdgeKind.DERIVED_FROM: "derived from",
    EdgeKind.PROCESSED_INTO: "derived from",
    EdgeKind.EVIDENCE: "rests on",
    EdgeKind.RELATES_TO: "relates to",
    EdgeKind.SUPERSEDES: "supersedes",
    EdgeKind.SUPERSEDED_BY: "supersedes",
    EdgeKind.CITES: "cites",
}
_DOWN = {
    EdgeKind.DERIVED_FROM: "source of",
    EdgeKind.PROCESSED_INTO: "source of",
    EdgeKind.EVIDENCE: "evidence of",
    EdgeKind.RELATES_TO: "related to by",
    EdgeKind.SUPERSEDES: "superseded by",
    EdgeKind.SUPERSEDED_BY: "superseded by",
    EdgeKind.CITES: "cited by",
}
# The meaning of the ledger's latest op for some evidence, seen from both ends.
_OPS_UP = {
    "support": "supported by", "partial": "partly supported by", "contradict": "contradicted by",
    "retract": "no longer rests on", "propagate": "depends on", "witness": "witnessed with",
}  # fmt: skip
_OPS_DOWN = {
    "support": "supports", "partial": "partly supports", "contradict": "contradicts",
    "retract": "no longer evidence of", "propagate": "counts for", "witness": "witnesses",
}  # fmt: skip


def edge_words(edge: Edge, direction: Direction) -> str:
    """Return the name of an edge, seen from where the trace came from: "derived from, supported by"."""
    up = direction is Direction.UP
    words = [(_UP if up else _DOWN)[kind] for kind in edge.kinds if kind not in _WEAK]
    if EdgeKind.EVIDENCE in edge.kinds and edge.ops:
        words += [word for word in [(_OPS_UP if up else _OPS_DOWN).get(edge.ops[-1])] if word]
    if not words:
        kind = EdgeKind.EVIDENCE if EdgeKind.EVIDENCE in edge.kinds else EdgeKind.RELATES_TO
        words = [(_UP if up else _DOWN)[kind]]
    return ", ".join(dict.fromkeys(words))


# Used only if no other name applies.
_WEAK = frozenset({EdgeKind.EVIDENCE, EdgeKind.RELATES_TO})


# -- JSON ----------------------------------------------------------------------------------------


def trace_document(trace: Trace) -> dict[str, Any]:
    """Return a trace as JSON: nodes by their key, edges from dependent to source."""
    names_marks = any(node.source_type == EXTERNAL and node.state is not NodeState.MEMORY for node in trace.nodes)
    return {
        **({"external": True} if names_marks else {}),
        "ref": trace.start.key,
        "direction": trace.direction.value,
        "nodes": [{**node_document(node), "distance": node.distance} for node in trace.nodes],
        "edges": [edge_document(edge) for edge in trace.edges],
        "roots": [node.key for node in trace.roots],
        "chain": [node.key for node in trace.chain],
        "ungrounded": trace.is_ungrounded,
        "left_out": {"memories": trace.left_out.memories, "edges": trace.left_out.edges},
    }


def node_document(node: Node) -> dict[str, Any]:
    """Return a node as JSON; only memories have a path, a type, a title and a status.

    `external` marks title and key as a quotation.
    """
    about = {
        "path": node.path,
        "type": node.type,
        "title": node.title,
        "status": node.status,
        "source_type": node.source_type,
    }
    has_id = node.state is NodeState.MEMORY and node.key != node.path
    return {
        "key": node.key,
        "ref": node.key if has_id else None,
        "state": node.state.value,
        **{name: value or None for name, value in about.items()},
        **({"external": True} if node.source_type == EXTERNAL else {}),
    }


def edge_document(edge: Edge) -> dict[str, Any]:
    """Return an edge as JSON; `kinds` are the fields that record it."""
    return {
        "dependent": edge.dependent,
        "source": edge.source,
        "kinds": [kind.value for kind in edge.kinds],
        "ops": list(edge.ops),
        "in_cycle": edge.in_cycle,
    }


def orphans_document(found: Orphans) -> dict[str, Any]:
    """Return memories without a source, and refs that lead nowhere."""
    return {
        "orphans": [node_document(node) for node in found.without_source],
        "dangling": [
            {
                "ref": one.node.key,
                "path": one.node.path,
                "line": one.at.line,
                "column": one.at.column,
                "field": one.field,
                "target": one.target,
                "ungrounded": one.is_ungrounded,
            }
            for one in found.dangling
        ],
        "left_out": found.left_out,
    }


def impact_document(found: Impact) -> dict[str, Any]:
    """Return which memories would lose ground if a memory were gone."""
    return {
        "ref": found.gone[0].key,
        "lost": [_harmed_document(one) for one in found.lost],
        "weakened": [_harmed_document(one) for one in found.weakened],
        "left_out": found.left_out,
    }


def _harmed_document(one: Harmed) -> dict[str, Any]:
    return {**node_document(one.node), "edges": [edge_document(edge) for edge in one.edges]}


def fixed_provenance_document(fixed: FixedProvenance) -> dict[str, Any]:
    """Return the sources that were filled in, or would be, by file."""
    return {
        "dry_run": fixed.dry_run,
        "files": [
            {
                "ref": file.ref,
                "path": file.path,
                "changes": [
                    {"key": c.key, "add": list(c.items), "set": c.value or None, "because": c.because}
                    for c in file.changes
                ],
                "skipped": file.skipped,
            }
            for file in fixed.files
        ],
        "conflicts": [],
        "findings": [],
    }


# -- drawings ------------------------------------------------------------------------------------

_SHAPES = {
    NodeState.MEMORY: "box",
    NodeState.MISSING: "octagon",
    NodeState.NOT_CHECKED_OUT: "octagon",
    NodeState.EXTERNAL: "ellipse",
}


def dot_lines(trace: Trace) -> Iterator[str]:
    """Yield a trace as a Graphviz digraph; arrows point from dependents to sources."""
    yield "digraph lineage {"
    yield "  rankdir=BT;"
    for node in trace.nodes:
        yield f"  {_dot(node.key)} [label={_dot(_label(node))}, shape={_SHAPES[node.state]}];"
    for edge in trace.edges:
        yield f"  {_dot(edge.dependent)} -> {_dot(edge.source)} [label={_dot(edge_words(edge, Direction.UP))}];"
    yield "}"


def _dot(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def mermaid_lines(trace: Trace) -> Iterator[str]:
    """Yield a trace as a Mermaid flowchart; arrows point from dependents to sources."""
    names = {node.key: f"n{number}" for number, node in enumerate(trace.nodes)}
    yield "flowchart BT"
    for node in trace.nodes:
        yield f'  {names[node.key]}["{_mermaid(_label(node))}"]'
    for edge in trace.edges:
        words = edge_words(edge, Direction.UP)
        yield f'  {names[edge.dependent]} -->|"{_mermaid(words)}"| {names[edge.source]}'


def _mermaid(text: str) -> str:
    """Return a text that Mermaid shows as it is: characters special to Mermaid or HTML become entities."""
    escaped = "".join(f"#{ord(sign)};" if sign in '"<>&#`[]{}|\\' else sign for sign in text)
    return escaped.replace("\n", "<br>")


def _label(node: Node) -> str:
    if node.absence:
        return f"{node.name}\n{node.absence}"
    return f"{node.name}\n{node.title}" if node.title else node.name


def provenance_document(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return where memories come from, as PROV-JSON."""
    return {"provenance": found}
