"""Full stops: which ones end a sentence, and which belong to the word before them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# The sentence always continues after these: `Dr. Amsel`, `e.g. tea`, `approx. 5`.
_ABBREVIATED = re.compile(
    r"(?:\b(?:dr|mr|ms|mrs|st|vs|prof|approx|ca|cf|dept|ext|fig|messrs|mt|rev|sr|jr|tel|vol)\.|\.[a-z]\.)$",
    re.IGNORECASE,
)
# The sentence continues after these if a number follows: `no. 3`, `p. 12`; but `He said no.` ends one.
_BEFORE_A_NUMBER = re.compile(r"\b(?:no|nos|nr|art|pp?|par|sec|ch|max|min|est|c)\.$", re.IGNORECASE)
# An initial is at the beginning, or follows a name or another initial; `plan B.` ends a sentence.
_INITIAL = re.compile(r"(?:^|(?:^|\s)(?:[A-Z]\.|[A-Z][^\W\d_]+)[ ]|^[ ]*)[A-Z]\.$")
_TWO_INITIALS = re.compile(r"[A-Z]\. [A-Z]\.")
_FARTHEST_BACK = 24
_BREAK = re.compile(r"(?<=[.!?…])[\"')\]]*\s+")


def ends_sentence(text: str, end: int, after: int) -> bool:
    """Return whether a sentence ends with a full stop before `end`, with the next one beginning at `after`."""
    if not text.endswith(".", 0, end):
        return True
    start = max(0, end - _FARTHEST_BACK)
    before = text[start:end]
    if _ABBREVIATED.search(before) or (_INITIAL.search(before) and text[after : after + 1].isupper()):
        return False
    if _TWO_INITIALS.match(text, max(0, end - 2)):
        return False
    return not (text[after : after + 1].isdigit() and _BEFORE_A_NUMBER.search(before))


def first_sentence(text: str) -> str:
    """Return the first sentence of a text."""
    return next(split_sentences(text), text)


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a one-paragraph text."""
    start = 0
    for found in _BREAK.finditer(text):
        if ends_sentence(text, *found.span()):
            yield text[start : found.end()].rstrip()
            start = found.end()
    yield text[start:]
