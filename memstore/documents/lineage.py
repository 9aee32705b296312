"""Lineage for other programs: JSON documents, Graphviz, Mermaid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.core.catalog import EdgeKind
from memstore.core.keys import EXTERNAL
from memstore.documents.form import Form
from memstore.documents.parts import no_conflicts, no_findings
from memstore.lineage.values import Direction, NodeState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.lineage.trace import Impact
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


def _ref(node: Node) -> str | None:
    return node.key if node.state is NodeState.MEMORY and node.key != node.path else None


def _is_external(node: Node) -> bool:
    return node.source_type == EXTERNAL


_NODE = """
    key: identifies the node: its ref; its path if it has no id; otherwise the text that names it
    ref state path~ type~ title~ status~
    source_type~: of a memory; "external" also for something that an external memory names: the key is its text
    external?: only for external memories, and for what they name: the title, or the key, is a quotation
"""
Form(
    f"""Node
{_NODE}
""",
    ref=_ref,
    external=_is_external,
)
_distant = Form[object](
    f"""Node
{_NODE}    distance
""",
    definition="distant_node",
    ref=_ref,
    external=_is_external,
)
Form("""Edge
    dependent source
    kinds[1..]: the fields in which it is recorded
    ops: the ledger operations of the evidence, the latest last
    in_cycle
""")
Form("LeftOut", "memories edges")


def _names_marks(trace: Trace) -> bool:
    return any(node.source_type == EXTERNAL and node.state is not NodeState.MEMORY for node in trace.nodes)


trace_document: Form[Trace] = Form(
    """Trace
    @trace: where a memory comes from, or what came from it
    external?: only if texts in it quote an external memory
    ref=start.key: the key of the node where the trace began
    direction nodes[1..] edges roots=roots.*.key
    chain=chain.*.key: the memories that superseded each other, oldest first; empty if there are none
    ungrounded=is_ungrounded
    left_out: what is not shown, because of --limit
    verdicts?: what was judged of its statements and others'
""",
    external=_names_marks,
    nodes=_distant,
    verdicts="Sequence[PairVerdict]",
)
Form("""Dangling
    ref=node.key path=node.path line=at.line[1..] column=at.column[1..] field target ungrounded=is_ungrounded
""")
Form("""Orphans
    @orphans: memories that don't say where they come from, and refs that lead nowhere
    orphans=without_source dangling
    left_out: how many orphans and refs are beyond --limit
""")


def _removed_text(found: Impact) -> str:
    return found.gone[0].key


Form("Harmed", "*node edges")
Form(
    """Impact
    @impact: which memories would lose ground if a memory were gone
    ref
    lost: the memories that would have no ground left
    weakened: the memories that would lose a source but still have ground
    left_out: how many memories are left out, because of --limit
""",
    ref=_removed_text,
)
Form("ProvenanceChange", "key add=items set=value~ because")
Form("""Filled
    ref path changes
    skipped: why the file was not changed
""")
Form(
    """FixedProvenance
    @fix-provenance: provenance that was filled in, or would be
    dry_run files conflicts findings
""",
    conflicts=no_conflicts,
    findings=no_findings,
)
provenance_document: Form[Mapping[str, Any]] = Form("""Mapping[str, Any]
    @export-prov: where memories come from
    provenance=.: W3C PROV-JSON
""")


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
