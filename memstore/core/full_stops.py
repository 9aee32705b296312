"""Full stops: which ones end a sentence, and which belong to the word before them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# The sentence always continues after these: `Dr. Amsel`, `e.g. tea`, `approx. 5`.
_ABBREVIATED = (
    r"(?i)(?:\b(?:dr|mr|ms|mrs|st|vs|prof|approx|ca|cf|dept|ext|fig|messrs|mt|rev|sr|jr|tel|vol)\.|\.[a-z]\.)$"
)
# The sentence continues after these if a number follows: `no. 3`, `p. 12`; but `He said no.` ends one.
_BEFORE_A_NUMBER = r"(?i)\b(?:no|nos|nr|art|pp?|par|sec|ch|max|min|est|c)\.$"
# An initial is at the beginning, or follows a name or another initial; `plan B.` ends a sentence.
_INITIAL = r"(?:^|(?:^|\s)(?:[A-Z]\.|[A-Z][^\W\d_]+)[ ]|^[ ]*)[A-Z]\.$"
_TWO_INITIALS = r"[A-Z]\. [A-Z]\."
_FARTHEST_BACK = 24
_BREAK = r"(?<=[.!?…])[\"')\]]*\s+"


def ends_sentence(text: str, end: int, after: int) -> bool:
    """Return whether a sentence ends with a full stop before `end`, with the next one beginning at `after`."""
    if not text.endswith(".", 0, end):
        return True
    start = max(0, end - _FARTHEST_BACK)
    before = text[start:end]
    if re.search(_ABBREVIATED, before) or (re.search(_INITIAL, before) and text[after : after + 1].isupper()):
        return False
    if re.match(_TWO_INITIALS, text[max(0, end - 2) : after + 2]):
        return False
    return not (text[after : after + 1].isdigit() and re.search(_BEFORE_A_NUMBER, before))


def first_sentence(text: str) -> str:
    """Return the first sentence of a text."""
    return next(split_sentences(text), text)


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a one-paragraph text."""
    start = 0
    for found in re.finditer(_BREAK, text):
        if ends_sentence(text, *found.span()):
            yield text[start : found.end()].rstrip()
            start = found.end()
    yield text[start:]
