"""Harmless text: the characters of a memory that could control a terminal or reverse a line are spelt out."""

from __future__ import annotations

import re

# Characters that could control a terminal or reverse a line: C0 except tab and line feed, DEL, C1, the bidirectional
# embeddings, overrides and isolates (Unicode TR 9), the line and paragraph separators, tag characters.
_HARMFUL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f"
# What is in no value of one line: control characters, line and paragraph separators, U+FEFF, what is not UTF-8.
NO_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_HARMFUL_IN_TEXT = f"[{_HARMFUL}]"
_HARMFUL_IN_LINE = f"[{_HARMFUL}\t\n]"


def safe(text: str) -> str:
    """Return text of several lines with its control characters spelt out, so that it does nothing to a terminal."""
    return re.sub(_HARMFUL_IN_TEXT, _spelt, text.replace("\r\n", "\n"))


def safe_line(text: str) -> str:
    """Return text that is harmless and stays on one line."""
    if text.isprintable():  # printable text is harmless
        return text
    return re.sub(_HARMFUL_IN_LINE, _spelt, text)


def _spelt(match: re.Match[str]) -> str:
    """Return a character spelt out: line ends and tabs as a space, others as U+XXXX."""
    return " " if match.group() in "\t\n" else f"<U+{ord(match.group()):04X}>"
