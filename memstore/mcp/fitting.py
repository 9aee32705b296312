"""Answers that fit into an agent's context window, however much there is to say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Characters of an answer's text, and of its document: about 25,000 tokens. Clients cut off more than that themselves.
MOST_ANSWERED = 100_000
# How long lists and texts in a document may be; the first of these with which it fits is taken.
_LENGTHS = ((1_000, 50_000), (200, 20_000), (100, 10_000), (50, 5_000), (20, 2_000), (10, 1_000), (5, 500), (2, 200))
SHORTENED = "shortened"


def fitted_lines(lines: Iterable[str], most: int = MOST_ANSWERED) -> tuple[tuple[str, ...], str | None]:
    """Return the lines that fit into `most` characters, and what is to be said of the others, if there are any."""
    whole = [part for line in lines for part in line.split("\n")]
    kept: list[str] = []
    room = most
    for line in whole:
        if len(line) + 1 > room:
            break
        kept.append(line)
        room -= len(line) + 1
    if not (left := len(whole) - len(kept)):
        return tuple(kept), None
    if not kept:
        kept, left = [whole[0][: most - 1] + "…"], left - 1
    more = f"{left:,} more {'line' if left == 1 else 'lines'}" if left else "the rest of this line"
    return tuple(kept), f"… left out: {more}; an answer has at most {most:,} characters, so ask for less at once"


def fitted_document(document: Mapping[str, Any], most: int = MOST_ANSWERED) -> Mapping[str, Any]:
    """Return a document with at most `most` characters as JSON: lists end early, and so do texts, if they must."""
    if _length(document) <= most:
        return document
    short: Mapping[str, Any] = document
    for items, characters in _LENGTHS:
        short = {**_short(document, items, characters), SHORTENED: True}
        if _length(short) <= most:
            break
    return short


def _length(document: Mapping[str, Any]) -> int:
    return len(json.dumps(document, ensure_ascii=False, separators=(",", ":")))


def _short(value: Any, items: int, characters: int) -> Any:
    match value:
        case dict():
            return {key: _short(part, items, characters) for key, part in [*value.items()][: max(items, 100)]}
        case list() | tuple():
            return [_short(part, items, characters) for part in value[:items]]
        case str() if len(value) > characters:
            return value[: characters - 1] + "…"
        case _:
            return value
