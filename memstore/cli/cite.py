"""`memstore cite` and `memstore stats`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.cli.filters import Given, filter_options
from memstore.cli.options import at_option, command, ref_argument

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import Session
    from memstore.flows.cite import Cited
    from memstore.flows.stats import Stats


@command(
    "cite",
    examples=(
        "memstore cite m_7f3k9q2x1c:L21-L23                      # make a citation of these lines",
        "memstore cite '[[belief:m_7f3k9q2x1c#L21@3ab92c01de]]'  # what became of one",
    ),
)
@ref_argument("citation", metavar="REF[:L1-L2]|CITATION")
def cite(session: Session, citation: str) -> None:
    """Cite lines of a memory, or say what became of cited lines: same, moved, changed or gone."""
    from memstore.flows.cite import cite as make

    cited = make(session.view(), citation)
    session.emit("cite", document=lambda: _document(cited), lines=lambda: _lines(session, cited))


def _document(cited: Cited) -> dict[str, Any]:
    from memstore.codec.results import citation_document

    return {
        "ref": cited.ref,
        "status": cited.standing.value,
        "text": cited.text,
        "citation": citation_document(cited.now) if cited.now else None,
        "cited_excerpt": cited.before,
    }


def _lines(session: Session, cited: Cited) -> Iterator[str]:
    from memstore.cli.output import safe, safe_line
    from memstore.rules.citation import Standing

    paint = session.paint
    now = cited.now
    if now is None:
        yield f"{paint('error', cited.standing.value)}: {safe_line(cited.text)}"
    else:
        place = f"{paint('path', safe_line(now.path))}:{paint('line', _span(now.line_start, now.line_end))}"
        role = "ok" if cited.standing is Standing.SAME else "warning"
        yield f"{safe_line(cited.text)}"
        yield f"{paint(role, cited.standing.value)}: {place}"
    if cited.standing in (Standing.CHANGED, Standing.GONE):
        yield from _diff(session, cited.before, now.excerpt if now else "")
    elif now:
        yield from (f"    {line}" for line in safe(now.excerpt).split("\n"))


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _diff(session: Session, before: str, after: str) -> Iterator[str]:
    import difflib

    from memstore.cli.output import safe

    roles = {"-": "removed", "+": "added"}
    for line in difflib.ndiff(safe(before).split("\n"), safe(after).split("\n") if after else []):
        if line[0] != "?":
            yield session.paint(roles.get(line[0], "dim"), f"  {line}")


@command(
    "stats", examples=("memstore stats", "memstore stats --tag dog --since 1y --status all", "memstore stats --json")
)
@filter_options
@at_option()
def stats(session: Session, given: Given, at: str | None) -> None:
    """Count memories by type, status, month and author, and their words; all of them, unless filtered."""
    from memstore.flows.stats import stats as count

    view = session.view()
    counted = count(view, given.filters(view.clock.now()) if given != Given() else None, at=at)
    session.emit("stats", document=lambda: _stats_document(counted), lines=lambda: _stats_lines(session, counted))
    session.say_left_out(counted.left_out)


def _stats_document(counted: Stats) -> dict[str, Any]:
    return {
        "total": counted.total,
        "words": counted.words,
        "types": dict(counted.types),
        "statuses": dict(counted.statuses),
        "months": dict(counted.months),
        "authors": dict(counted.authors),
        "left_out": counted.left_out,
    }


def _stats_lines(session: Session, counted: Stats) -> Iterator[str]:
    from memstore.cli.output import safe_line

    yield f"{counted.total:6}  memories, {counted.words:,} words"
    for name, counts in (
        ("type", counted.types),
        ("status", counted.statuses),
        ("month", counted.months),
        ("author", counted.authors),
    ):
        if counts:
            yield session.paint("heading", f"by {name}:")
            yield from (f"{count:6}  {safe_line(value) or 'none'}" for value, count in counts)
