"""Advice on YAML that can't be read: the line that was probably meant, proved by reading the text with it.

A parser reports where it stopped, but people need to know which line to correct. So common typing slips (a missing
quote, bracket, space or indent) are corrected one at a time on the lines around that place. The first correction that
makes the text readable up to there is shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memstore.core.finding import Position, Problem, first_difference, worth_showing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Each guess costs a parse, and a frontmatter larger than this was not typed by a person.
LARGEST_TRIED = 64 * 1024

_VALUE = re.compile(r"(?P<before>\s*(?:- +)*(?:[^\s:#\"'\[\]{}][^:#]*: +|(?<=- )))(?P<value>\S.*?)\s*")
_TIGHT_COLON = re.compile(r"(\s*(?:- )?[A-Za-z_][\w-]*):(\S.*)")
_STAR = re.compile(r"(?<=[\[,\s])\*(?=[\],\s]|$)")
_DASH = re.compile(r"( *)- ")
# An item of a list in brackets: a whole quotation, or what there is up to the next comma.
_ITEM = re.compile(r"\s*+(?P<item>\"[^\"]*+\"(?=\s*+(?:,|\Z))|'[^']*+'(?=\s*+(?:,|\Z))|[^,]*+)(?P<after>,|\Z)")


_EMPTY = re.compile(r"[\[{]\s*[\]}]\s*\Z")


def of_syntax_error(
    error: Any, lines: list[str], first_line: int, first_problem_line: Callable[[str], int | None] | None
) -> Problem:
    """Return a YAML `error` as a problem.

    Args:
        error: libyaml's error, with its marks.
        lines: the text's lines.
        first_line: the file line on which they begin, from 1.
        first_problem_line: returns the first bad line of a text, counted from 0, or None if the text is sound; without
            it no mended line is looked for.
    """
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line, column = (mark.line, mark.column) if mark else (0, 0)
    said = str(getattr(error, "problem", None) or error)
    text = f"not readable as YAML: {said}"
    if first_problem_line is not None and sum(map(len, lines)) <= LARGEST_TRIED:
        opened = getattr(error, "context_mark", None)
        for number in _suspects(line, opened.line if opened else None, lines):
            found = _mend(lines, number, max(line, number), first_problem_line)
            if found is not None:
                hint, mended = found
                was = _text(lines, number)
                at = Position(first_line + number, first_difference(was, mended) + 1)
                # A bracket with nothing in it may have begun anything.
                return Problem("yaml-syntax", at, text, hint).with_line(was, None if _EMPTY.search(mended) else mended)
    hint = "look for a missing quote, bracket or indent on this line or the one before"
    if "could not find expected ':'" in said:
        begun = getattr(error, "context_mark", None)  # a possible key; libyaml reports it one line late
        line, column = (begun.line, begun.column) if begun else (line, column)
        hint = "write `key: value`; a text of several lines needs `key: |` and an indent"
    return Problem("yaml-syntax", Position(first_line + line, column + 1), text, hint)


def _suspects(line: int, opened: int | None, lines: list[str]) -> list[int]:
    """Return the lines where the slip may be: where reading stopped, where the open part began, the one before.

    A quote that is not closed on its line has two more: that line, and the last one that may belong to its text.
    """
    above = next((n for n in range(min(line, len(lines)) - 1, -1, -1) if lines[n].strip()), 0)
    candidates = [line, opened, *_open_quote(lines[: line + 1]), above]
    return list(dict.fromkeys(n for n in candidates if n is not None and n < len(lines) and lines[n].strip()))


def _open_quote(lines: list[str]) -> list[int]:
    """Return the last line where a value opens a quote that it does not close, and the last line of that value."""
    for number in range(len(lines) - 1, -1, -1):
        line = _text(lines, number)
        value = _VALUE.fullmatch(line) if worth_showing(line) else None
        if value and value["value"][0] in "\"'" and value["value"].count(value["value"][0]) % 2:
            return [number, _last_line(lines, number)]
    return []


def _last_line(lines: list[str], number: int) -> int:
    """Return the last line of the value that begins on line `number`: what follows it is indented deeper."""
    last = number
    for below in range(number + 1, len(lines)):
        if lines[below].strip():
            if _indent(lines[below]) <= _indent(lines[number]):
                break
            last = below
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _mend(
    lines: list[str], number: int, gave_up: int, first_problem_line: Callable[[str], int | None]
) -> tuple[str, str] | None:
    """Return a hint and a correction of line `number` that makes the text sound beyond where reading stopped."""
    line = _text(lines, number)
    if worth_showing(line) is None:
        return None
    for hint, guess in _guesses(line, lines[:number]):
        if guess == line:
            continue
        wrong = first_problem_line("\n".join([*lines[:number], guess, *lines[number + 1 :]]))
        if wrong is None or wrong > gave_up:
            return hint, guess
    return None


def _guesses(line: str, above: list[str]) -> Iterator[tuple[str, str]]:
    """Yield possible corrections of `line`, with a hint for each."""
    yield 'write everybody as "*", in quotes', _STAR.sub('"*"', line)
    if "\t" in line:
        yield "use spaces, not tabs", line.replace("\t", " ")
    if line[:1] == " " and not line.lstrip().startswith("- "):
        yield "put the key at the start of its line", line.lstrip()
    yield from _better_indents(line, above)
    if line[:1] == " " and not line.lstrip().startswith("- "):  # perhaps more of a text in quotes
        yield from (("the quote is not closed", line.rstrip() + quote) for quote in "\"'")
    tight = _TIGHT_COLON.fullmatch(line)
    if tight:
        yield "put a space after the colon", f"{tight[1]}: {tight[2]}"
    value = _VALUE.fullmatch(line)
    if value:
        yield from _better_values(value["before"], value["value"])


def _better_indents(line: str, above: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the line with its dash below the previous item's dash, or with a dash added if it follows an item."""
    before = next((m for m in map(_DASH.match, reversed(above)) if m), None)
    if before and _DASH.match(line):
        yield "put the dash below the one above", before[1] + line.lstrip()
    elif before and _DASH.match(above[-1]) and line.startswith(before[1]):
        yield "begin each item of a list with a dash", f"{before[1]}- {line.lstrip()}"


def _better_values(before: str, value: str) -> Iterator[tuple[str, str]]:
    if value.startswith("["):
        yield from _better_lists(before, value)
    for opening, closing in (("[", "]"), ("{", "}")):
        if value.startswith(opening) and closing not in value:
            yield f"the {opening} is not closed", f"{before}{value}{closing}"
    for quote in "\"'":
        if value.startswith(quote) and value.count(quote) == 1:
            yield "the quote is not closed", f"{before}{value}{quote}"
        elif value.endswith(quote) and value.count(quote) == 1:
            yield "the quote is not opened", f"{before}{quote}{value}"
    inner = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
    escaped = inner.replace("\\", "\\\\").replace('"', '\\"')
    yield "put quotes around a text that contains a colon, a quote or another special character", f'{before}"{escaped}"'


def _better_lists(before: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield a list in brackets with a quote at both ends of each item that has one, and with one bracket at its end."""
    inner = value[1:].rstrip().rstrip("]")
    items = [found["item"].rstrip() for found in _ITEM.finditer(inner) if found[0]]
    quoted = [_quoted_at_both_ends(item) for item in items]
    if quoted != items:
        yield "the quote is not closed", f"{before}[{', '.join(quoted)}]"
    if value.endswith("]]"):
        yield "the list is closed twice", f"{before}[{inner}]"


def _quoted_at_both_ends(item: str) -> str:
    for quote in "\"'":
        if item.count(quote) == 1 and item.startswith(quote):
            return f"{item}{quote}"
        if item.count(quote) == 1 and item.endswith(quote):
            return f"{quote}{item}"
    return item


def _text(lines: list[str], number: int) -> str:
    return lines[number].rstrip("\r")
