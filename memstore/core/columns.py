"""How wide a text is where every letter takes one column or two, as in a terminal, and texts that fit into so many.

A text may have colours, which take no room. What a terminal does with a sequence of emoji differs between terminals;
here it is what most of them do today.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_END_OF_COLOURS = "\x1b[0m"
# A letter with what is drawn on it or joined to it, so that no line ends within: marks, selectors, skin tones, and
# whatever follows a zero width joiner.
_JOINED = "[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]"
_SIGN = re.compile(rf"\x1b\[[\d;]*m|.(?:\u200d.|{_JOINED})*", re.DOTALL)
_EMOJI = "\ufe0f"  # after it, the sign before is drawn as an emoji
_MEDIAL_JAMO = range(0x1160, 0x1200)  # these are drawn into the syllable that the letter before them begins


def columns(text: str) -> int:
    """Return how many columns a text takes."""
    if text.isascii() and "\x1b" not in text:
        return len(text)
    return sum(map(_width, _SIGN.findall(text)))


@lru_cache(maxsize=4096)
def _width(sign: str) -> int:
    """Return how many columns a sign takes with all that belongs to it; none for a colour."""
    if sign[0] == "\x1b" and len(sign) > 1:
        return 0
    if unicodedata.category(sign[0]) in ("Mn", "Me", "Cf") or ord(sign[0]) in _MEDIAL_JAMO:
        return 0
    return 2 if unicodedata.east_asian_width(sign[0]) in "WF" or _EMOJI in sign else 1


def fitted(text: str, room: int) -> str:
    """Return a text without colours as it is, or if it takes more columns its beginning, with an ellipsis."""
    return text if columns(text) <= room else _beginning(_SIGN.findall(text), room - 1).rstrip() + "…"


def fitted_end(text: str, room: int) -> str:
    """Return a text without colours as it is, or if it takes more columns its end, with an ellipsis before it."""
    if columns(text) <= room:
        return text
    backwards = _SIGN.findall(text)[::-1]
    return "…" + "".join(_SIGN.findall(_beginning(backwards, room - 1))[::-1])


def _beginning(signs: list[str], room: int) -> str:
    taken = 0
    for at, sign in enumerate(signs):
        taken += _width(sign)
        if taken > room:
            return "".join(signs[:at])
    return "".join(signs)


def padded(text: str, room: int) -> str:
    """Return a text with blanks behind it up to a number of columns."""
    return text + " " * max(room - columns(text), 0)


def wrapped(text: str, room: int) -> Iterator[str]:
    """Yield a text as lines of at most so many columns, broken at blanks; within a word that is longer than a line.

    A colour that goes on in the next line is ended and begun again there.
    """
    colour, line, taken = "", "", 0
    for word in text.split():
        width = columns(word)
        if taken and taken + 1 + width > room:
            yield line + (_END_OF_COLOURS if colour else "")
            line, taken = colour, 0
        elif taken:
            line, taken = f"{line} ", taken + 1
        if width <= room:
            line, taken = line + word, taken + width
            colour = _colour_after(word, colour)
            continue
        for sign in _SIGN.findall(word):
            if taken and taken + _width(sign) > room:
                yield line + (_END_OF_COLOURS if colour else "")
                line, taken = colour, 0
            line, taken = line + sign, taken + _width(sign)
            colour = _colour_after(sign, colour)
    if taken:
        yield line


def hanging(line: str, room: int) -> Iterator[str]:
    """Yield a line as lines of at most so many columns, broken at blanks, and further in from the second on.

    A word that is longer than a line, such as a path, stays whole.
    """
    if columns(line) <= room:
        yield line
        return
    indent = " " * min(len(line) - len(line.lstrip()) + _HANG, room // 2)
    colour, begun, taken = "", "", 0
    for blanks, word in _WORD.findall(line.rstrip()):
        width = columns(word)
        if taken and taken + len(blanks) + width > room:
            yield begun + (_END_OF_COLOURS if colour else "")
            begun, taken = indent + colour + word, len(indent) + width
        else:
            begun, taken = begun + blanks + word, taken + len(blanks) + width
        colour = _colour_after(word, colour)
    yield begun


_HANG = 4
_WORD = re.compile(r"(\s*)(\S+)")


def _colour_after(text: str, colour: str) -> str:
    """Return the colour that holds behind a text, given the one before it; empty for none."""
    found = _COLOUR.findall(text) if "\x1b" in text else ()
    return colour if not found else "" if found[-1] == _END_OF_COLOURS else found[-1]
