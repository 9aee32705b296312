"""Why a result stands where it stands, and why a memory is none, as text of at most 80 columns."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from memstore.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memstore.cli.session import CliSession
    from memstore.search.explanation import Explanation, ScorePart, WhyNot
    from memstore.search.retrieval import Hit

WIDTH = 80
_WIDEST_TERM = 16
_WHERE = {
    "memory": "in the memory: {places}",
    "line": "in line {line}: {places}",
    "pair": "in line {line}, words of the query side by side",
    "typed": "in line {line}, letter by letter",
    "named": "a title or heading that stands in the query as a whole",
    "alias": "an alias of the memory stands in the query",
    "speaker": "said by one whom the query names",
    "answer": "holds a time or number, as the question asks for",
    "asking": "only asks",
    "whole": "the share of its memory's score",
    "meaning": "alike in meaning",
    "recent": "new: at most 2 %",
    "filter": "passes the filters; no words are asked for",
    "order": "cut off: no more than 1, nor than the result before",
}
_LOOKED_UP = "its title, file name or folders are looked for"
_PLACES = {
    "line": "itself",
    "before": "the line before",
    "after": "the line after",
    "near": "two lines away",
    "name": "file name",
}


def explained(hit: Hit, explanation: Explanation) -> Iterator[str]:
    """Yield what a result's score is made of, below its line."""
    yield f"  {hit.relevance:.3f} relevance, the sum of"
    widest = min(_WIDEST_TERM, max((len(part.term or "") for part in explanation.parts), default=0))
    for part in explanation.parts:
        term = output.safe_line(part.term or "")
        where = f"{_where(part, explanation.line)}{', by --also' if part.by_also else ''}"
        yield from _wrapped(f"  {part.points:+7.3f}  {term:<{widest}}  ", where)
    for part in explanation.chosen:
        yield from _wrapped("  cited as it is ", _where(part, hit.citation.line_start))
    if explanation.quality:
        worth = ", ".join(f"{name} {term:+.2f}" for name, term in explanation.quality._asdict().items() if term)
        yield from _wrapped(f"  {hit.quality:.2f} quality: ", f"{worth} (base from {explanation.origin})")
    trust = hit.trust_level or "unverified"
    stale = ", stale" if hit.is_stale else ""
    yield f"  status {explanation.status}, trust {trust}{stale}: neither changes the relevance"


def _where(part: ScorePart, line: int) -> str:
    if part.kind == "line" and not line:
        return f"in {_places_text(dict(part.places))}"
    if part.kind == "named" and part.term is None:
        return _LOOKED_UP
    return _WHERE[part.kind].format(line=line, places=_places_text(dict(part.places)))


def _places_text(places: Mapping[str, int]) -> str:
    named = ((_PLACES.get(where, where), count) for where, count in places.items())
    return ", ".join(f"{where} ×{count}" if count > 1 else where for where, count in named)


def why_not(session: CliSession, found: WhyNot) -> Iterator[str]:
    """Yield why a memory is not among the results, or where it is."""
    name = found.ref or output.safe_line(found.path)
    if not found.reasons:
        yield f"{name} is result {found.place}"
        return
    yield session.paint("heading", f"{name} is not shown:")
    for reason in found.reasons:
        text = f"{reason.text}; {reason.hint}" if reason.hint else reason.text
        yield from _wrapped("  ", output.safe_line(text))
    held = (f"{one.term} ({_places_text(dict(one.places))})" for one in found.sought if one.places)
    yield from _wrapped("  it holds ", _terms(held))
    if not any(reason.code == "no_words" for reason in found.reasons):  # which names them
        yield from _wrapped("  it lacks ", _terms(one.term for one in found.sought if not one.places))


def _terms(terms: Iterable[str]) -> str:
    return output.safe_line(", ".join(terms))


def _wrapped(begin: str, text: str) -> list[str]:
    """Return a text after a beginning, the further lines below where it starts; none where there is no text."""
    return wrap(text, WIDTH, initial_indent=begin, subsequent_indent=" " * min(len(begin), WIDTH // 2)) if text else []
