"""`memstore why`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import command, ref_argument
from memstore.model.config import QUALITY_PROFILES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import Session
    from memstore.flows.why import Why
    from memstore.rules.explanation import Number


@command("why", examples=("memstore why m_7f3", "memstore why m_7f3 --profile seed-003", "memstore why m_7f3 --json"))
@ref_argument()
@click.option(
    "--profile", type=click.Choice(QUALITY_PROFILES), help="How quality is computed, whatever the settings say."
)
def why(session: Session, ref: str, profile: str | None) -> None:
    """Show how a memory's numbers came about: confidence, quality, strength, term by term.

    A term that stands in the file names its line. To ask why is no use of the memory.
    """
    from memstore.flows.why import why as explain
    from memstore.model.config import QualityProfile

    explained = explain(session.view(), ref, profile=QualityProfile(profile) if profile else None)
    session.emit("why", document=lambda: _document(explained), lines=lambda: _lines(session, explained))


def _document(explained: Why) -> dict[str, Any]:
    from memstore.codec.results import DIGITS

    return {
        "ref": explained.shown.entry.ref,
        "path": explained.shown.entry.path,
        "revision": explained.shown.revision,
        "numbers": [
            {
                "name": number.name,
                "value": None if number.value is None else round(number.value, DIGITS),
                "meaning": number.meaning,
                "unit": number.unit or None,
                "terms": [
                    {
                        "name": term.name,
                        "value": round(term.value, DIGITS),
                        "why": term.why,
                        "line": explained.line_of(term),
                    }
                    for term in number.terms
                ],
            }
            for number in explained.numbers
        ],
    }


def _lines(session: Session, explained: Why) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint, entry = session.paint, explained.shown.entry
    yield f"{paint('ref', entry.ref or entry.type)}  {paint('title', safe_line(entry.title))}"
    yield f"{paint('path', safe_line(entry.path))} {paint('dim', f'@{explained.shown.revision[:10]}')}"
    for number in explained.numbers:
        yield ""
        yield from _number_lines(session, explained, number)


def _number_lines(session: Session, explained: Why, number: Number) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.rules.differences import number as worded

    paint = session.paint
    value = "none" if number.value is None else worded(number.value)
    yield f"{paint('heading', number.name)}  {paint('title', value)}  {paint('dim', number.meaning)}"
    width = max((len(term.name) for term in number.terms), default=0)
    for term in number.terms:
        line = explained.line_of(term)
        amount = f"{term.value:9.2f} {number.unit}" if number.unit else f"{term.value:+9.4f}"
        place = paint("dim", f"  line {line}") if line else ""
        yield f"{amount}  {term.name.ljust(width)}  {safe_line(term.why)}{place}"
