"""Draws lineage as SVG: boxes for memories, and lines that lead from each to what it was derived from."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.catalog import EdgeKind
from memstore.core.columns import fitted
from memstore.core.quotation import shown_title
from memstore.documents.lineage import edge_words
from memstore.lineage.placing import placed
from memstore.lineage.values import Direction, Edge, NodeState
from memstore.report.markup import Markup, element

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.lineage.placing import Spot
    from memstore.lineage.values import Node, Trace

WIDTH, HEIGHT = 216, 44
# From one column to the next, from one row to the next; how far lines with words need the columns apart.
COLUMN, COLUMN_WITH_WORDS, ROW = WIDTH + 72, WIDTH + 132, HEIGHT + 16
MARGIN = 12
# Where the words of an edge are, as a part of the first curve's width and height: a point of it, nearer to the source.
WORDS_AT = 0.43, 0.35
# How much of a title and of a ref has room in a box, in widths of a narrow letter.
TITLE_ROOM, NAME_ROOM = 26, 30

# Colours have a contrast of at least 4.5 with what is behind them for text, and 3 for lines (WCAG 2.2, 1.4.3, 1.4.11).
STYLE = """
.lineage{font:13px system-ui,sans-serif}
.lineage .box rect{fill:#fff;stroke:#6b7280}
.lineage .box text{fill:#1f2328}
.lineage .box .name{font-size:11px;fill:#57606a}
.lineage .belief rect{fill:#eef4ff;stroke:#3b6fd4}
.lineage .gone rect,.lineage .outside rect{stroke-dasharray:4 3}
.lineage .gone text{fill:#a3263a}
.lineage .start rect{stroke-width:2.5}
.lineage .edge path{fill:none;stroke:#6b7280;stroke-width:1.4}
.lineage .edge text{font-size:11px;fill:#57606a;stroke:#fff;stroke-width:4px;paint-order:stroke}
.lineage .edge .head{fill:#6b7280;stroke:none}
.lineage .against path{stroke:#b3261e}
.lineage .against .head{fill:#b3261e}
.lineage .for path{stroke:#1a7f37}
.lineage .for .head{fill:#1a7f37}
.lineage .successor path:first-of-type{stroke-dasharray:6 4}
.lineage a:focus-visible rect{stroke:#0550ae;stroke-width:3}
@media (prefers-color-scheme:dark){
.lineage .box rect{fill:#1c2128;stroke:#8b949e}
.lineage .box text{fill:#e6edf3}
.lineage .box .name{fill:#9da7b1}
.lineage .belief rect{fill:#15233d;stroke:#6ea8fe}
.lineage .gone text{fill:#ff9aa5}
.lineage .edge path{stroke:#8b949e}
.lineage .edge text{fill:#9da7b1;stroke:#0d1117}
.lineage .edge .head{fill:#8b949e}
.lineage .against path{stroke:#ff7b72}
.lineage .against .head{fill:#ff7b72}
.lineage .for path{stroke:#56d364}
.lineage .for .head{fill:#56d364}
.lineage a:focus-visible rect{stroke:#79c0ff}
}
"""


class Drawn(NamedTuple):
    """A drawing, and its size in pixels."""

    svg: Markup
    width: int
    height: int


def trace_drawing(trace: Trace) -> Markup:
    """Return a trace as an SVG document of its own, for light and dark surroundings."""
    left_out = trace.left_out.memories
    name = f"Lineage of {trace.start.title or trace.start.key}"
    about = f"{left_out:,} more {'memory is' if left_out == 1 else 'memories are'} not drawn" if left_out else ""
    style = element("style", Markup(STYLE))
    return drawing(tuple(trace.nodes), tuple(trace.edges), name=name, about=about, style=style, words=True,
                   start=trace.start.key).svg  # fmt: skip


def drawing(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    *,
    name: str,
    about: str = "",
    style: Markup | None = None,
    words: bool = False,
    start: str | None = None,
    address: Callable[[Node], str | None] = lambda _: None,
) -> Drawn:
    """Return a drawing of lineage; sources are on the left, and arrows point from dependents to sources.

    Args:
        nodes: what to draw; the order decides where nothing else does.
        edges: those among the nodes.
        name: what the drawing is called by programs that read it aloud.
        about: anything more to say about it.
        style: the style sheet, for a drawing that stands by itself.
        words: whether to write on each edge what it is.
        start: the key of the node that stands out.
        address: returns where a node leads to.
    """
    placement = placed([node.key for node in nodes], [(edge.dependent, edge.source) for edge in edges])
    step = COLUMN_WITH_WORDS if words else COLUMN
    spots = placement.spots.values()
    width = int(max((spot.column for spot in spots), default=0) * step + WIDTH + 2 * MARGIN)
    lowest = max((spot.row for way in (spots, *placement.ways) for spot in way), default=0.0)
    height = int(lowest * ROW + HEIGHT + 2 * MARGIN)
    svg = element(
        "svg",
        element("title", name),
        element("desc", about) if about else None,
        style,
        (_edge(edge, way, step, words=words) for edge, way in zip(edges, placement.ways, strict=True)),
        (_box(node, placement.spots[node.key], step, address(node), is_start=node.key == start) for node in nodes),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        class_="lineage",
        role="img" if words else "group",
        aria_label=name,
    )
    return Drawn(svg, width, height)


# -- boxes -----------------------------------------------------------------------------------------


def _box(node: Node, spot: Spot, step: int, address: str | None, *, is_start: bool) -> Markup:
    x, y = _corner(spot, step)
    names = ["box", node.type if node.type == "belief" else "", _STATES[node.state], "start" if is_start else ""]
    if node.status not in ("", "active"):
        names.append("gone")
    note = node.absence or ("" if node.status in ("", "active") else node.status)
    below = f"{node.name} · {note}" if note else node.name
    shown = shown_title(node.title, node.source_type)
    title, name = (shown, below) if node.title else (node.name, note or _STATES[node.state])
    box = element(
        "g",
        element("title", f"{title} ({below})" if node.title else below),
        element("rect", x=x, y=y, width=WIDTH, height=HEIGHT, rx=6),
        element("text", shortened(title, TITLE_ROOM), x=x + 10, y=y + 19),
        element("text", shortened(name, NAME_ROOM), x=x + 10, y=y + 35, class_="name"),
        class_=" ".join(filter(None, names)),
    )
    return element("a", box, href=address) if address else box


_STATES = {
    NodeState.MEMORY: "",
    NodeState.MISSING: "gone",
    NodeState.NOT_CHECKED_OUT: "gone",
    NodeState.EXTERNAL: "outside",
}


def _corner(spot: Spot, step: int) -> tuple[int, float]:
    return MARGIN + spot.column * step, round(MARGIN + spot.row * ROW, 1)


def shortened(text: str, room: int) -> str:
    """Return the beginning of a text that fits into some widths of a narrow letter; wide characters take two."""
    return fitted(" ".join(text.split()), room)


# -- edges -----------------------------------------------------------------------------------------


def _edge(edge: Edge, way: Sequence[Spot], step: int, *, words: bool) -> Markup:
    """Return a line from the left side of the dependent to the right side of the source, where its arrow is."""
    points = list(_points(way, step))
    (x, y), (next_x, next_y), *_ = points
    curves = "".join(_curve(one, other) for one, other in pairwise(points))
    said = _words(edge.kinds, edge.ops[-1:])
    # Against the direction of the columns, the line leads back to the source's left side.
    tip = 7 if len(way) > 1 and way[-1].column > way[0].column else -7
    at_x, at_y = round(x + (next_x - x) * WORDS_AT[0]), round(y + (next_y - y) * WORDS_AT[1] - 4, 1)
    written = element("text", said, x=at_x, y=at_y, text_anchor="middle")
    return element(
        "g",
        element("title", f"{edge.dependent} {said} {edge.source}"),
        element("path", d=f"M{x} {y}{curves}"),
        element("path", d=f"M{x} {y}l{tip} -4v8z", class_="head"),
        written if words else None,
        class_=f"edge {_manner(edge)}".rstrip(),
    )


def _points(way: Sequence[Spot], step: int) -> Iterator[tuple[float, float]]:
    leads_right = way[-1].column > way[0].column
    for at, spot in enumerate(way):
        x, y = _corner(spot, step)
        middle = round(y + HEIGHT / 2, 1)
        if at == 0:
            yield (x + WIDTH if leads_right else x), middle
        elif at == len(way) - 1:
            yield (x if leads_right else x + WIDTH), middle
        else:  # it passes a column: straight through it
            ends = ((x, middle), (x + WIDTH, middle))
            yield from ends if leads_right else ends[::-1]


def _curve(one: tuple[float, float], other: tuple[float, float]) -> str:
    (x, y), (to_x, to_y) = one, other
    if y == to_y:
        return f"H{to_x}"
    half = (x + to_x) / 2
    return f"C{half} {y} {half} {to_y} {to_x} {to_y}"


@cache
def _words(kinds: tuple[EdgeKind, ...], ops: tuple[str, ...]) -> str:
    return edge_words(Edge("", "", kinds, ops), Direction.UP)


def _manner(edge: Edge) -> str:
    """Return the class of an edge: whether it speaks for or against its dependent, or is a succession."""
    if edge.ops:
        match edge.ops[-1]:
            case "contradict":
                return "against"
            case "support" | "partial":
                return "for"
    return "successor" if not _SUCCESSION.isdisjoint(edge.kinds) else ""


_SUCCESSION = frozenset({EdgeKind.SUPERSEDES, EdgeKind.SUPERSEDED_BY})
