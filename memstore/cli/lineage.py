"""`memstore trace`, `memstore check orphans`, `memstore check fix-provenance`."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memstore.cli.options import WholeNumber, at_option, command, named_argument
from memstore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.cli.output import Palette
    from memstore.cli.session import CliSession
    from memstore.core.conflict import PairVerdict
    from memstore.lineage.orphans import Dangling, Orphans
    from memstore.lineage.repair import FixedProvenance
    from memstore.lineage.trace import Harmed, Impact
    from memstore.lineage.values import Trace

_Command = TypeVar("_Command", bound="Callable[..., Any]")

FORMATS = ("tree", "svg", "dot", "mermaid", "json")
# How many lines people see unless they ask for more: enough to scroll through, and quick to draw.
MOST_LINES = 1000


def _limit_option(help_text: str) -> Callable[[_Command], _Command]:
    return click.option("-n", "--limit", type=WholeNumber(min=0), metavar="N", help=help_text)


def _more(left_out: int) -> str:
    return f"{left_out:,} more {'is' if left_out == 1 else 'are'}"


def _most(session: CliSession, limit: int | None, *, is_drawn: bool = True) -> int | None:
    """Return how many lines to show: the given limit, 0 for all; by default a limit for people, and all otherwise."""
    if limit is not None:
        return limit or None
    return MOST_LINES if is_drawn and not session.as_json else None


@command(
    "trace",
    examples=(
        "memstore trace m_7f3                          # what it was derived from, and rests on",
        "memstore trace m_7f3 --reverse                # what was derived from it",
        "memstore trace m_7f3 -n 50                    # no more than the 50 nearest links",
        "memstore trace m_7f3 --at 2026-03-01          # as it was on that day",
        "memstore trace m_7f3 --format svg > lineage.svg",
        "memstore trace m_7f3 --format dot | dot -Tpdf > lineage.pdf",
        "memstore trace m_7f3 --impact                 # what would lose its support without it",
    ),
)
@named_argument()
@click.option("--reverse", is_flag=True, help="Follow links down to what depends on it, instead of up to its sources.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="tree", show_default=True, help="The output format."
)
@click.option("--depth", type=WholeNumber(min=0), metavar="N", help="Follow at most this many links in a row.")
@_limit_option(
    f"Show at most this many links, nearest first; 0 for all. By default {MOST_LINES} in a tree and in SVG, else all."
)
@click.option("--impact", is_flag=True, help="Show what would lose its support if the memory were gone, instead.")
@at_option()
def trace(
    session: CliSession,
    ref: str,
    *,
    reverse: bool,
    form: str,
    depth: int | None,
    limit: int | None,
    impact: bool,
    at: str | None,
) -> None:
    """Show where a memory comes from: its sources, their sources, and so on; each memory once."""
    from memstore.conflicts.verdicts import verdicts_on
    from memstore.lineage.trace import trace_memory
    from memstore.lineage.values import NodeState

    if impact:
        if reverse or form != "tree" or depth is not None or at:
            raise UsageError("--impact takes no other option than --limit", hint=f"memstore trace {ref} --impact")
        _show_impact(session, ref, limit)
        return
    session.choices.json = session.choices.json or form == "json"
    most = _most(session, limit, is_drawn=form in ("tree", "svg"))
    traced = trace_memory(session.view(), ref, reverse=reverse, depth=depth, limit=most, at=at)
    is_now_here = not at and traced.start.state is NodeState.MEMORY and traced.start.path != traced.start.key
    verdicts = verdicts_on(session.view(), traced.start.key) if is_now_here else ()
    session.emit(
        "trace", traced, lambda: _drawing_lines(session, traced, verdicts, form), verbatim=True, verdicts=verdicts
    )


def _drawing_lines(session: CliSession, traced: Trace, verdicts: Sequence[PairVerdict], form: str) -> Iterator[str]:
    from memstore.cli.lineage_text import trace_lines
    from memstore.cli.output import safe_line
    from memstore.documents.lineage import dot_lines, mermaid_lines

    match form:
        case "svg":
            from memstore.report.drawing import trace_drawing

            return iter((trace_drawing(traced),))
        case "dot":
            return (safe_line(line) for line in dot_lines(traced))
        case "mermaid":
            return (safe_line(line) for line in mermaid_lines(traced))
        case _:
            from memstore.cli.written import verdict_lines

            return chain(trace_lines(session.paint, traced), verdict_lines(session, verdicts))


# -- orphans -------------------------------------------------------------------------------------


@command("orphans", examples=("memstore check orphans", "memstore check orphans --json"))
@_limit_option(f"List at most this many; 0 for all. By default {MOST_LINES} in text output, else all.")
def orphans(session: CliSession, *, limit: int | None) -> None:
    """List memories that can't say where they come from, and refs that lead nowhere."""
    from memstore.lineage.orphans import find_orphans

    found = find_orphans(session.view(), limit=_most(session, limit))
    session.emit("orphans", found, lambda: _orphans_lines(session.paint, found))
    session.say_left_out(found.unreadable)


def _orphans_lines(paint: Palette, found: Orphans) -> Iterator[str]:
    from memstore.cli.lineage_text import named

    if found.without_source:
        yield paint("heading", "Orphaned Memories (no source recorded):")
        for node in found.without_source:
            why = f"source_type: {node.source_type}" if node.source_type else "no source"
            yield f"  {named(paint, node)} ({why})"
    if found.dangling:
        yield from ("",) if found.without_source else ()
        yield paint("heading", "Dangling refs:")
        for one in found.dangling:
            yield f"  {_dangling(paint, one)}"
    if not found.without_source and not found.dangling:
        yield "Every memory says where it comes from."
        return
    if found.left_out:
        yield f"  {_more(found.left_out)} left out; -n 0 lists all."
    yield ""
    if found.is_fixable:
        yield "Fix: memstore check fix-provenance"
    elif found.without_source:
        yield 'Fix: record where they come from, as in memstore set REF source="a walk"'
    else:
        yield "Fix: correct these refs in an editor, or remove them"


def _dangling(paint: Palette, one: Dangling) -> str:
    from memstore.cli.output import safe_line

    place = paint.place(one.node.path, one.at.line)
    ungrounded = ", and nothing else that it rests on is left" if one.is_ungrounded else ""
    return f"{place}: {one.field} names {paint('ref', safe_line(one.target))}, which does not exist{ungrounded}"


# -- impact --------------------------------------------------------------------------------------


def _show_impact(session: CliSession, ref: str, limit: int | None) -> None:
    from memstore.lineage.trace import impact_of

    found = impact_of(session.view(), [ref], limit=_most(session, limit))
    session.emit("impact", found, lambda: _impact_lines(session.paint, found))


def _impact_lines(paint: Palette, found: Impact) -> Iterator[str]:
    from memstore.cli.lineage_text import named

    yield f"If {named(paint, found.gone[0])} were gone,"
    if not found.lost and not found.weakened:
        yield "nothing would lose its support."
    for title, harmed in (
        ("these would have no support left:", found.lost),
        ("these would lose a source:", found.weakened),
    ):
        if harmed:
            yield paint("heading", title)
            yield from (_harm_line(paint, one) for one in harmed)
    if found.left_out:
        yield ""
        yield f"{_more(found.left_out)} left out; -n 0 shows all."


def _harm_line(paint: Palette, one: Harmed) -> str:
    from memstore.cli.lineage_text import named
    from memstore.cli.output import safe_line
    from memstore.documents.lineage import edge_words
    from memstore.lineage.values import Direction

    edges = "; ".join(f"{edge_words(edge, Direction.UP)} {safe_line(edge.source)}" for edge in one.edges)
    return f"  {named(paint, one.node)} ({edges})"


# -- fix-provenance ------------------------------------------------------------------------------


@command("fix-provenance", examples=("memstore check fix-provenance --dry-run", "memstore check fix-provenance"))
@click.option("--dry-run", is_flag=True, help="Change nothing; print the plan as JSON.")
@click.option("-c", "--commit", is_flag=True, help="Commit the files as well.")
def fix_provenance(session: CliSession, *, dry_run: bool, commit: bool) -> None:
    """Fill in sources that were not recorded, where that needs no judgement.

    It fills in links that only one of two memories records, the source of seed beliefs, and links between raw memories
    and memories that say the same within half an hour. What names its teller no longer says direct_experience.
    """
    from memstore.lineage.repair import fix_provenance as fix

    fixed = fix(session.view(), dry_run=dry_run, commit=commit)
    session.choices.json = session.choices.json or (dry_run and not session.choices.jsonl)
    session.emit("fix-provenance", fixed, lambda: _fixed_lines(session, fixed))


def _fixed_lines(session: CliSession, fixed: FixedProvenance) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint = session.paint
    for file in fixed.files:
        where = f"{paint.path(file.path)}:1:"
        if file.skipped:
            yield f"{where} {paint('warning', 'left alone')}: {safe_line(file.skipped)}"
        for change in () if file.skipped else file.changes:
            value = ", ".join(change.items) or change.value
            yield f"{where} {change.key}: {paint('added', safe_line(value))}  {paint('dim', safe_line(change.because))}"
    if not fixed.files:
        yield "Nothing to fill in."
