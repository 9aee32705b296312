"""Writes a report as one HTML page that loads nothing, sends nothing, and runs only the script that filters it.

Everything comes from the report's values, and is escaped by `markup.element`.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from memstore.access.sight import in_words
from memstore.beliefs.archive import Prunable
from memstore.core.catalog import FileKind
from memstore.core.keys import EXTERNAL
from memstore.core.quotation import quoted, shown_title
from memstore.documents.form import Form
from memstore.documents.lineage import edge_words
from memstore.lineage.values import Direction, NodeState
from memstore.report.chart import chart, levels, sparkline
from memstore.report.drawing import STYLE, drawing
from memstore.report.markup import Markup, element, encodable, file_address, joined, web_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memstore.access.report import Sighted
    from memstore.core.conflict import Conflict, Lines
    from memstore.core.memory import LedgerLine
    from memstore.lineage.values import Node
    from memstore.report.contents import LineagePart, Neighbour, ReportedMemory, VaultReport
    from memstore.report.markup import Content

# By this, a file is recognized as a page that may be written over.
BEGINNING = b"<!doctype html>\n<!-- written by memstore export html -->\n"
_HERE = Path(__file__).parent
# How much of a text, and how many items of a list, the page has; the rest is in the files.
MOST_TEXT = 1200
MOST_ITEMS = 60
MOST_LEDGER_LINES = 12

_OPS = {
    "assert": "stated", "support": "supported by", "partial": "partly supported by", "contradict": "contradicted by",
    "retract": "evidence taken back:", "edit": "edited", "checkpoint": "summed up", "propagate": "carried over from",
}  # fmt: skip


def page(report: VaultReport, *, base: str = "") -> bytes:
    """Return a report as an HTML page.

    Args:
        report: what to show.
        base: the relative address of the vault's folder from where the page will be, with a final slash, if any.
    """
    script, style = _shipped("page.js"), _shipped("page.css") + STYLE
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{report.vault}: memories"),
        element("style", Markup(style)),
    )
    body = element("body", _Page(report, base).parts(), element("script", Markup(script)))
    return BEGINNING + element("html", head, body, lang="en").encode() + b"\n"


def _html(_: VaultReport, said: Mapping[str, Any]) -> str | None:
    made: bytes | None = said.get("made")
    return None if made is None else made.decode()


def _dropped(found: VaultReport) -> int:
    return sum(bool(one.dropped) and one.is_active for one in found.memories)


Form(
    """VaultReport
    @report: memstore export html --json
    path: The file that was written, as it was named; null if the page is in this document.
    page: The HTML page; null if it was written to a file.
    memories# conflicts#
    dropped: Active memories whose confidence fell, by new evidence or by fading.
    without_source#=orphans.without_source
    dangling#=orphans.dangling: Refs that lead nowhere.
    unreadable: Files that can't be read, as far as the viewer may know.
""",
    path="str | None",
    page=_html,
    dropped=_dropped,
)


@cache
def _shipped(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


class _Page:
    """The parts of the page; knows where each memory is in it."""

    def __init__(self, report: VaultReport, base: str) -> None:
        self._report, self._base = report, base
        self._anchors: dict[str, str] = {}
        for one in sorted(report.memories, key=lambda one: one.entry.path):
            anchor = f"memory-{one.entry.id}" if one.entry.id else f"file-{_short_digest(one.entry.path)}"
            if anchor in self._anchors.values():  # somebody left a copy
                anchor = f"file-{_short_digest(one.entry.path)}"
            self._anchors[one.entry.path] = anchor
            self._anchors.setdefault(one.entry.ref or one.entry.path, anchor)

    def parts(self) -> Iterator[Content]:
        report = self._report
        yield element("a", "Skip to the memories", href="#memories", class_="skip")
        yield element(
            "header", element("h1", f"Memories in {report.vault}"), element("p", self._said_first()), self._nav()
        )
        yield element("main", self._attention(), self._memories(), self._lineage(), self._sight())

    def _nav(self) -> Markup:
        report = self._report
        parts = (
            ("attention", "Needs attention", True),
            ("memories", "Memories", True),
            ("lineage", "Lineage", bool(report.parts)),
            ("sight", "Who sees what", report.sight is not None),
        )
        links = (element("a", text, href=f"#{name}") for name, text, is_there in parts if is_there)
        return element("nav", links, aria_label="Parts of this page")

    def _said_first(self) -> Iterator[Content]:
        report = self._report
        active = sum(one.is_active for one in report.memories)
        types = Counter(one.entry.type for one in report.memories if one.entry.kind is not FileKind.PLAIN)
        counts = " · ".join(
            f"{kind} {count:,}" for kind, count in sorted(types.items(), key=lambda it: (-it[1], it[0]))
        )
        yield f"{_count(len(report.memories), 'memory', 'memories')}, {active:,} of them active"
        yield f": {counts}" if counts else ""
        yield element("br")
        yield "This is what "
        yield element("b", report.actor)
        yield f" may see in {report.context}" if report.context else " may see"
        yield f" as of {report.at:%Y-%m-%d %H:%M} UTC."

    # -- what needs attention ----------------------------------------------------------------------

    def _attention(self) -> Markup:
        report = self._report
        memories = report.memories
        groups = [
            self._group("Conflicts", "Two memories that can’t both be right, the gravest first.",
                        [self._conflict(one) for one in report.conflicts], "memstore conflicts", self._compared()),
            self._group("Undecided", "There is evidence for both sides, or evidence that the text does not cover yet.",
                        [self._undecided(one) for one in memories if _is_undecided(one)], "memstore list"),
            self._group("Confidence that dropped", "By new evidence, or because its evidence is old.",
                        [self._drop(one) for one in sorted(
                            (one for one in memories if one.dropped and one.is_active),
                            key=lambda one: (-one.dropped, one.entry.path))], "memstore list --sort confidence"),
            self._group("Stale", "What may no longer be so.",
                        [self._stale(one, reasons) for one in memories
                         if (reasons := [*_reasons(one)]) or one.worn or one.recited], "memstore list"),
            self._group("Without a source", "Nobody can say where these come from.",
                        [self._node(node) for node in report.orphans.without_source], "memstore check orphans"),
            self._group("Links that lead nowhere", "No memory has the id that these name.",
                        [self._dangling(one.node, one.field, one.target, one.at.line)
                         for one in report.orphans.dangling], "memstore check orphans"),
        ]  # fmt: skip
        found = [group for group in groups if group]
        if report.unreadable:
            files = _count(report.unreadable, "file", "files")
            found.append(element("p", f"{files} can’t be read: ", element("code", "memstore check"), " says why."))
        nothing = element("p", "Nothing: no conflicts, nothing stale, and every memory has a source.")
        return element(
            "section", element("h2", "Needs attention"), found or nothing, id="attention", class_="attention"
        )

    def _compared(self) -> Content:
        """Return what was not compared, if anything was not."""
        said: list[Markup] = []
        if self._report.compared is not None:
            newest = f"Only the newest {self._report.compared:,} memories were compared with the others; "
            said.append(element("p", newest, element("code", "memstore conflicts"), " compares all of them."))
        if self._report.not_compared:
            pairs = _count(self._report.not_compared, "pair", "pairs")
            said.append(element("p", f"{pairs} of memories with many lines alike were not compared, or only in part."))
        return said or None

    @staticmethod
    def _group(title: str, about: str, items: Sequence[Content], command: str, remark: Content = None) -> Markup | None:
        if not (items or remark):
            return None
        more = len(items) - MOST_ITEMS
        rest = element("p", f"{more:,} more: ", element("code", command)) if more > 0 else None
        listed = element("ul", (element("li", item) for item in items[:MOST_ITEMS]))
        count = element("span", f"{len(items):,}", class_="count")
        summary = element("summary", element("h3", f"{title} ", count))
        return element(
            "details", summary, element("p", about, class_="about"), remark, listed, rest, open=len(items) <= _FEW
        )

    def _conflict(self, one: Conflict) -> Iterator[Content]:
        yield element("span", one.conflict_type.value, class_="badge warning")
        for ref, title, lines in zip(one.refs, one.titles, one.lines, strict=True):
            current = element("span", "probably current", class_="badge") if ref == one.current else None
            quotation = element("blockquote", dedent(lines.said).strip(), dir="auto")
            yield element("div", self._link(ref, title or ref), " ", self._place(lines), " ", current, quotation)
        yield element("p", "Decide: ", element("code", one.command))

    def _undecided(self, one: ReportedMemory) -> Iterator[Content]:
        yield self._to(one)
        held = one.standing
        if held and held.contested:
            yield f" has {held.votes_for} independent sources for it and {held.votes_against} against it. "
        if held and held.labile:
            yield f" met evidence on {held.labile:%Y-%m-%d} that it did not lead to expect. "
        yield element("code", f"memstore edit {one.entry.ref or one.entry.path}")

    def _drop(self, one: ReportedMemory) -> Iterator[Content]:
        today = one.confidence_now or 0.0
        yield self._spark(one)
        yield f" {today + one.dropped:.2f} → "
        yield element("b", f"{today:.2f}")
        yield " "
        yield self._to(one)

    def _stale(self, one: ReportedMemory, reasons: Sequence[str]) -> Iterator[Content]:
        yield self._to(one)
        if reasons:
            yield f": {'; '.join(reasons)}"
        for at, node in enumerate(one.worn[:3]):
            yield "; rests on " if at or reasons else ": rests on "
            yield self._node(node)
            yield f", which is {node.status}"
        for at, finding in enumerate(one.recited[:3]):
            yield f"{'; ' if at or reasons or one.worn else ' '}{finding.text}: "
            yield self._file(finding.path, finding.at.line)

    def _dangling(self, node: Node, field: str, target: str, line: int) -> Iterator[Content]:
        yield self._node(node)
        yield f" names {target} in {field} "
        yield self._file(node.path, line)

    # -- the memories ------------------------------------------------------------------------------

    def _memories(self) -> Markup:
        report = self._report
        search = element(
            "form",
            element("label", "Filter", for_="filter"),
            element("input", id="filter", type="search", autocomplete="off", spellcheck="false",
                    placeholder="words, types, tags, names", aria_describedby="filtered"),
            element("output", f"{_count(len(report.memories), 'memory', 'memories')}", id="filtered", for_="filter"),
            role="search",
            hidden=True,
        )  # fmt: skip
        listed = element("ol", (self._memory(one) for one in report.memories), class_="memories", id="list")
        about = element("p", "Newest first. Every memory opens to its text, its numbers and its lineage.")
        return element("section", element("h2", "Memories"), about, search, listed, id="memories")

    def _memory(self, one: ReportedMemory) -> Markup:
        entry, memory = one.entry, one.memory
        badges = [element("span", "plain note" if entry.kind is FileKind.PLAIN else entry.type, class_="badge")]
        if not one.is_active:
            badges.append(element("span", memory.status, class_="badge warning"))
        if memory.source_type == EXTERNAL:
            badges.append(element("span", "from outside", class_="badge warning"))
        numbers: list[Content] = []
        if one.confidence_now is not None:
            numbers += [self._spark(one), element("span", f"{one.confidence_now:.2f}", class_="number")]
        summary = element(
            "summary",
            element("h3", shown_title(entry.title, memory.source_type) if entry.title else entry.path, dir="auto"),
            element("span", badges, numbers, element("time", entry.created_at[:10]), class_="beside"),
        )
        details = element("details", summary, self._text(one), self._facts(one), self._ledger(one))
        return element("li", details, id=self._anchors[entry.path], class_=None if one.is_active else "past")

    def _text(self, one: ReportedMemory) -> Iterator[Content]:
        text = one.memory.body.strip("\n")
        cut = text[:MOST_TEXT].rstrip()
        if cut and one.memory.source_type == EXTERNAL:
            source = quoted(one.memory.source) if one.memory.source else "an unnamed source"
            yield element("p", f"Quoted from outside, as {source} has it:")
        if cut:
            yield element("pre", cut + ("…" if len(cut) < len(text.rstrip()) else ""), dir="auto")

    def _facts(self, one: ReportedMemory) -> Markup:
        memory = one.memory
        facts: list[tuple[str, Content]] = [("file", self._file(one.entry.path, one.file.text.body_line))]
        if one.entry.ref:
            facts.append(("ref", element("code", one.entry.ref)))
        if one.confidence_now is not None:
            facts.append(("confidence", _confidence(one)))
        if one.trust.terms or one.trust.stale:
            because = "; ".join(term.because for term in one.trust.terms)
            facts.append(("trust", f"{one.trust.score:.2f}, {one.trust.word}" + (f": {because}" if because else "")))
        source = shown_title(memory.source or "", memory.source_type) if memory.source else ""
        facts += [
            (name, value)
            for name, value in (
                ("author", memory.author),
                ("source", " · ".join(filter(None, (memory.source_type, memory.source_entity, source)))),
                ("tags", ", ".join(memory.tags)),
                ("about", ", ".join(memory.subject_ids)),
            )
            if value
        ]
        facts += [("comes from", self._neighbour(near, up=True)) for near in one.sources]
        facts += [("led to", self._neighbour(near, up=False)) for near in one.dependents]
        if one.more_neighbours:
            facts.append(("", f"{one.more_neighbours:,} more links"))
        if one.seen is not None:
            seen = in_words(one.seen.seen_by, but=one.seen.but) or "nobody but its owner"
            facts.append(("seen by", seen))
        return element("dl", ((element("dt", name), element("dd", value)) for name, value in facts))

    def _neighbour(self, near: Neighbour, *, up: bool) -> Iterator[Content]:
        yield f"{edge_words(near.edge, Direction.UP if up else Direction.DOWN)} "
        yield self._node(near.node)
        if near.node.status not in ("", "active"):
            yield f" ({near.node.status})"

    def _ledger(self, one: ReportedMemory) -> Iterator[Content]:
        """Yield the chart of a confidence that changed, and what changed it."""
        held = levels(one.memory)
        if len(held) < 2:  # noqa: PLR2004 -- a line needs two points
            return
        lines = one.memory.confidence_history
        rows = [self._ledger_row(line) for line in lines[-MOST_LEDGER_LINES:]]
        if len(lines) > len(rows):
            earlier = f"{len(lines) - len(rows):,} earlier: memstore why {one.entry.ref or one.entry.path}"
            rows.insert(0, element("tr", element("td", earlier, colspan=3)))
        heads = element("tr", (element("th", name, scope="col") for name in ("When", "What", "Confidence")))
        table = element("table", element("thead", heads), element("tbody", rows))
        yield element(
            "div", chart(held, one.confidence_now or 0.0, self._report.at), element("div", table, class_="wide"),
            class_="course",
        )  # fmt: skip

    def _ledger_row(self, line: LedgerLine) -> Markup:
        source = line.evidence_source
        what: list[Content] = [f"{_OPS.get(line.op, line.op)} "]
        if source:
            what.append(self._link(source, source))
        if line.reason:
            what.append(f" ({line.reason})")
        old = "" if line.old is None else f"{line.old:.2f} → "
        value = "" if line.new is None else f"{old}{line.new:.2f}"
        return element("tr", element("td", line.timestamp[:10]), element("td", what), element("td", value))

    # -- lineage -----------------------------------------------------------------------------------

    def _lineage(self) -> Markup | None:
        parts = self._report.parts
        if not parts:
            return None
        about = element(
            "p",
            "Sources are on the left; an arrow points from a memory to what it was derived from. Green supports, red "
            "contradicts, a dashed line supersedes. A box leads to its memory.",
        )
        rest = None
        if self._report.undrawn:
            undrawn = _count(self._report.undrawn, "more box is", "more boxes are")
            command = element("code", "memstore trace REF --format svg")
            rest = element("p", f"{undrawn} not drawn; ", command, " draws the lineage of one memory.")
        figures = (self._figure(number, part) for number, part in enumerate(parts, start=1))
        return element("section", element("h2", "Lineage"), about, figures, rest, id="lineage")

    def _figure(self, number: int, part: LineagePart) -> Markup:
        name = f"Lineage {number}: {len(part.nodes)} memories"
        if part.total > len(part.nodes):
            name += f" of {part.total:,}, those nearest to the one with most links"
        drawn = drawing(part.nodes, part.edges, name=name, address=lambda node: self._address(node.key))
        # A drawing that is wider than the screen is scrolled, also by the keyboard.
        scrolled = element("div", drawn.svg, class_="scrolled", tabindex=0, role="region", aria_label=name)
        return element("figure", scrolled, element("figcaption", name))

    # -- who sees what -----------------------------------------------------------------------------

    def _sight(self) -> Markup | None:
        sight = self._report.sight
        if sight is None:
            return None
        everybody = {one.path for one in sight.get("*", ())}
        groups = [
            self._seen_by(entity, [one for one in found if entity == "*" or one.path not in everybody], len(found))
            for entity, found in sorted(sight.items(), key=lambda item: (item[0] != "*", -len(item[1]), item[0]))
            if entity != self._report.actor  # who sees this page, with all that is on it
        ]
        about = element(
            "p",
            "Who else sees which memories, by themselves or in a context, besides those of their own. "
            "What everybody sees is listed once, at the top. ",
            element("code", "memstore --as ENTITY export html"),
            " makes the page of what somebody else may see.",
        )
        return element("section", element("h2", "Who sees what"), about, groups, id="sight")

    def _seen_by(self, entity: str, found: Sequence[Sighted], total: int) -> Markup:
        shown = found[:MOST_ITEMS]
        items = [element("li", self._link(one.path, one.title or one.path)) for one in shown]
        if len(found) > len(shown):
            items.append(element("li", f"{len(found) - len(shown):,} more"))
        name = "Everybody" if entity == "*" else entity
        beside = "" if len(found) == total else f", {len(found):,} that not everybody sees"
        summary = element("summary", element("h3", name, " ", element("span", f"{total:,}{beside}", class_="count")))
        listed = element("ul", items) if items else element("p", "Only what everybody sees.")
        return element("details", summary, listed)

    # -- links -------------------------------------------------------------------------------------

    def _spark(self, one: ReportedMemory) -> Markup | None:
        held = levels(one.memory)
        return sparkline(held, one.confidence_now or 0.0, self._report.at) if held else None

    def _address(self, name: str) -> str | None:
        anchor = self._anchors.get(name)
        return None if anchor is None else f"#{anchor}"

    def _to(self, one: ReportedMemory) -> Markup:
        title = shown_title(one.entry.title, one.memory.source_type) if one.entry.title else one.entry.path
        return self._link(one.entry.path, title)

    def _node(self, node: Node) -> Markup:
        if node.state is NodeState.MEMORY:
            return self._link(node.key, shown_title(node.title, node.source_type) if node.title else node.key)
        return joined(self._link(node.key, node.name), f" ({node.absence})" if node.absence else "")

    def _link(self, name: str, text: str) -> Markup:
        """Return a link to a memory of the page, or to a page on the web; only the text if it is neither."""
        address = self._address(name)
        if address is not None:
            return element("a", text, href=address, dir="auto")
        page_on_the_web = web_address(name.removeprefix("url:"))
        if page_on_the_web is not None:
            return element("a", text, href=page_on_the_web, rel="noopener noreferrer external")
        return element("span", text, dir="auto")

    def _file(self, path: str, line: int) -> Markup:
        return element("a", f"{path}:{line}", href=file_address(self._base + path, line=line), class_="file")

    def _place(self, lines: Lines) -> Markup:
        return self._file(lines.path, lines.line_start)


_FEW = 20


def _is_undecided(one: ReportedMemory) -> bool:
    return bool(one.is_active and one.standing and (one.standing.contested or one.standing.labile))


def _reasons(one: ReportedMemory) -> Iterable[str]:
    """Yield why a memory may no longer be so, except for what it rests on."""
    if one.past:
        until = one.memory.valid_until
        yield f"it is active, and its validity ended on {until[:10]}" if until else "it is active, and superseded"
    if one.trust.stale:
        yield "its author signed an earlier text"
    if one.prunable is Prunable.REFUTED:
        yield f"it is refuted, with a confidence of {one.confidence_now or 0.0:.2f}"
    if one.prunable is Prunable.STALE:
        yield "its evidence is old, and nobody has used it for long"


def _confidence(one: ReportedMemory) -> str:
    held, today = one.memory.confidence, one.confidence_now or 0.0
    said = f"{today:.2f} today"
    if held is not None and f"{held:.2f}" != f"{today:.2f}":
        said += f", {held:.2f} when its evidence was last weighed"
    if one.standing and (one.standing.votes_for or one.standing.votes_against):
        said += f"; {one.standing.votes_for} for, {one.standing.votes_against} against"
    return said


def _count(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"


def _short_digest(text: str) -> str:
    return hashlib.sha256(encodable(text).encode()).hexdigest()[:10]
