"""Advice on TOML that can't be read: where it goes wrong, and the line that was meant, proved by reading it."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.finding import worth_showing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Up to Python 3.13, the parser reports the position only in its text.
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_SETTING = re.compile(r"\s*(?P<name>.+?)\s*[=:]\s*(?P<value>.*?),?(?P<comment>\s+#.*|\s*)")
_BARE = re.compile(r"[\w-]+", re.ASCII)
# Quotes that people put around a text or a name, some inserted by word processors.
_QUOTES = "\"'`\u201c\u201d\u201e\u2018\u2019"
_FLAGS = {"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}


class Slip(NamedTuple):
    """Where a text stops being TOML, line and column from 1, and what the parser said about it.

    `name` is what the line seems to set; empty if unknown. `mended` is the corrected line, None if there is none.
    `is_again` is true if the line repeats a setting from a line above.
    """

    line: int
    column: int
    said: str
    name: str
    mended: str | None
    is_again: bool = False


def of_syntax_error(error: Exception, text: str, fits: Callable[[str, object], bool]) -> Slip:
    """Return the slip that makes a text invalid TOML.

    Args:
        error: what the parser raised.
        text: the whole text.
        fits: whether a name may have a value.
    """
    lines = text.split("\n")
    said, line, column = _explanation(error, lines)
    last = lines[line - 1].rstrip("\r")
    is_again = _is_toml(last) and _is_toml("\n".join([*lines[: line - 1], ""]))
    written = _SETTING.fullmatch(last)
    if written is None:
        return Slip(line, column, said, "", None, is_again)
    guesses = (guess for guess in _guesses(written) if _is_sound(guess, fits) and _helps(guess, line, lines))
    return Slip(line, column, said, written["name"].strip(_QUOTES), worth_showing(next(guesses, None)), is_again)


def _explanation(error: Exception, lines: list[str]) -> tuple[str, int, int]:
    """Return what the parser said, and the line and column."""
    place = _PLACE.search(str(error))
    said = _PLACE.sub("", str(error))
    said = said[:1].lower() + said[1:]
    if place is not None and place[1] is not None:
        return said, int(place[1]), int(place[2])
    last = max((number for number, line in enumerate(lines, start=1) if line.strip()), default=1)
    return said, last, len(lines[last - 1].rstrip()) + 1


def _guesses(written: re.Match[str]) -> Iterator[str]:
    """Yield possible corrections of a line: with an equals sign, and name and value in TOML's notation."""
    name, value, comment = written["name"].strip(_QUOTES), written["value"].strip(_QUOTES), written["comment"]
    begin = name if _BARE.fullmatch(name) else f'"{name}"'
    if value.lower() in _FLAGS:
        yield f"{begin} = {_FLAGS[value.lower()]}{comment}"
    if value.isdigit():
        yield f"{begin} = {value}{comment}"
    if value.startswith(("[", "{")):
        return
    quote = "'" if {'"', "\\"} & {*value} else '"'
    yield f"{begin} = {quote}{value}{quote}{comment}"


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _is_sound(guess: str, fits: Callable[[str, object], bool]) -> bool:
    try:
        return all(fits(name, value) for name, value in tomllib.loads(guess).items())
    except tomllib.TOMLDecodeError:
        return False


def _helps(guess: str, line: int, lines: list[str]) -> bool:
    """Return whether the text with that line is TOML, at least up to a later line."""
    mended = [*lines[: line - 1], guess, *lines[line:]]
    try:
        tomllib.loads("\n".join(mended))
    except tomllib.TOMLDecodeError as error:
        return _explanation(error, mended)[1] > line
    return True
