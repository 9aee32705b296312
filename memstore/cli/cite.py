"""`memstore why`, `memstore show --cite` and `memstore list --stats`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import at_option, command, named_argument
from memstore.core.config import QUALITY_PROFILES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import CliSession
    from memstore.memories.cite import Cited
    from memstore.memories.what_if import WhatIf
    from memstore.memories.why import Number, Why
    from memstore.search.filters import Which
    from memstore.vault.stats import Stats


def show_citation(session: CliSession, citation: str) -> None:
    """Cite lines of a memory, or show what became of cited lines: same, moved, changed or gone."""
    from memstore.memories.cite import cite as make

    cited = make(session.view(), citation)
    session.emit("cite", cited, lambda: _lines(session, cited), verbatim=True)


def _lines(session: CliSession, cited: Cited) -> Iterator[str]:
    from memstore.cli.output import safe, safe_line
    from memstore.core.quotation import quoted_lines
    from memstore.search.citations import CitationStanding

    paint = session.paint
    now, outside = cited.now, cited.external
    if now is None:
        yield f"{paint('error', cited.standing.value)}: {safe_line(cited.text)}"
    else:
        place = paint.place(now.path, _span(now.line_start, now.line_end))
        role = "ok" if cited.standing is CitationStanding.SAME else "warning"
        yield f"{safe_line(cited.text)}"
        yield f"{paint(role, cited.standing.value)}: {place}"
    if outside is not None:
        yield paint("warning", outside.opening)
        yield from quoted_lines(now.excerpt if now else cited.before)
    elif cited.standing in (CitationStanding.CHANGED, CitationStanding.GONE):
        yield from _diff(session, cited.before, now.excerpt if now else "")
    elif now:
        yield from (f"    {line}" for line in safe(now.excerpt).split("\n"))


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _diff(session: CliSession, before: str, after: str) -> Iterator[str]:
    import difflib

    from memstore.cli.output import safe

    roles = {"-": "removed", "+": "added"}
    for line in difflib.ndiff(safe(before).split("\n"), safe(after).split("\n") if after else []):
        if line[0] != "?":
            yield session.paint(roles.get(line[0], "dim"), f"  {line}")


def show_counts(session: CliSession, given: Which, at: str | None) -> None:
    """Count memories and notes, by type, status, month and author, and their words; all of them, unless filtered."""
    from memstore.vault.stats import stats as count

    counted = count(session.view(), at=at, **given)
    session.emit("stats", counted, lambda: _stats_lines(session, counted))
    session.say_left_out(counted.left_out)


def _stats_lines(session: CliSession, counted: Stats) -> Iterator[str]:
    from memstore.cli.output import safe_line

    if counted.total or not counted.notes:
        yield f"{counted.total:6}  memor{'y' if counted.total == 1 else 'ies'}"
    if counted.notes:
        yield f"{counted.notes:6}  note{'s' * (counted.notes != 1)}"
    yield f"{counted.words:6}  words"
    for name, counts in (
        ("type", counted.types),
        ("status", counted.statuses),
        ("month", counted.months),
        ("author", counted.authors),
    ):
        if counts:
            yield session.paint("heading", f"by {name}:")
            yield from (f"{count:6}  {safe_line(value) or 'none'}" for value, count in counts)


# -- why -------------------------------------------------------------------------------------------


@command(
    "why",
    examples=(
        "memstore why m_7f3",
        "memstore why m_7f3 --without episode:m_abc    # what the numbers would be without that evidence",
        "memstore why m_7f3 --without 16               # without the evidence on that line of the file",
        "memstore why m_7f3 --if m_abc=0.4             # if another memory were held with 0.4",
        'memstore why m_7f3 --if "-m_abc 0.8"          # if that spoke against it, with weight 0.8',
        "memstore why m_7f3 --if +notes/x.md:L3-L5     # if what these lines say supported it",
        "memstore why m_7f3 --at 2026-03-01            # what it would have said on that day",
        "memstore why m_7f3 --profile seed-003",
    ),
)
@named_argument()
@click.option(
    "--profile", type=click.Choice(QUALITY_PROFILES), help="How quality is computed, whatever the settings say."
)
@click.option(
    "--without",
    multiple=True,
    metavar="REF|LINE",
    help="Show what the numbers would be without a memory, lines of a file, or the evidence on a line; repeatable.",
)
@click.option(
    "--if",
    "assuming",
    multiple=True,
    metavar="ASSUMPTION",
    help="Show what they would be if REF=NUMBER, or with +REF (evidence for it) or -REF (against it); repeatable.",
)
@at_option()
def why(
    session: CliSession,
    ref: str,
    profile: str | None,
    without: tuple[str, ...],
    assuming: tuple[str, ...],
    at: str | None,
) -> None:
    """Show how a memory's numbers were computed: confidence, quality, strength, term by term.

    A term that comes from the file names its line. Asking why does not count as a use of the memory. With `--without`
    and `--if` nothing is written.
    """
    from memstore.core.config import QualityProfile
    from memstore.memories.what_if import why_if
    from memstore.memories.why import why as explain

    chosen = QualityProfile(profile) if profile else None
    if without or assuming:
        found = why_if(session.view(), ref, without=without, assuming=assuming, profile=chosen, at=at)
        lines = _lines_of_why(session, found.would_be, found)
        session.emit("why", found, lambda: lines)
        return
    explained = explain(session.view(), ref, profile=chosen, at=at)
    session.emit("why", explained, lambda: _lines_of_why(session, explained))


def _lines_of_why(session: CliSession, explained: Why, what_if: WhatIf | None = None) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.cli.written import verdict_lines
    from memstore.core.quotation import shown_title

    paint, entry = session.paint, explained.shown.entry
    title = shown_title(entry.title, entry.source_type)
    yield f"{paint('ref', entry.ref or entry.type)}  {paint('title', safe_line(title))}"
    yield f"{paint.path(explained.shown.path)} {paint('dim', f'@{explained.shown.revision[:10]}')}"
    yield from (safe_line(assumed) for assumed in (what_if.assumed if what_if else ()))
    now = what_if.why.numbers if what_if else explained.numbers
    if what_if and [one.value for one in now] == [one.value for one in explained.numbers]:
        yield "no number changes: they do not rest on that"
    for number, before in zip(explained.numbers, now, strict=True):
        yield ""
        yield from _number_lines(session, explained, number, before)
    yield from verdict_lines(session, explained.shown.verdicts)


def _number_lines(session: CliSession, explained: Why, number: Number, before: Number) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.history.changes import number as worded

    paint = session.paint
    value, was = ("none" if one.value is None else worded(one.value) for one in (number, before))
    value = value if value == was else f"{was} → {value}"
    yield f"{paint('heading', number.name)}  {paint('title', value)}  {paint('dim', number.meaning)}"
    width = max((len(term.name) for term in number.terms), default=0)
    for term in number.terms:
        line = explained.line_of(term)
        amount = f"{term.value:9.2f} {number.unit}" if number.unit else f"{term.value:+9.4f}"
        place = paint("dim", f"  line {line}") if line else ""
        yield f"{amount}  {term.name.ljust(width)}  {safe_line(term.why)}{place}"
