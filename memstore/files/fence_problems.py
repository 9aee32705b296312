"""What is wrong with a fence, or with the text between two, found before any YAML is parsed.

A fence that was meant but is none, conflict markers, control characters, tabs.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from memstore.core.finding import Position, Problem, worth_showing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# A file that opens like this and soon names a type is meant to be a memory; if it counted as plain, its grants would be
# lost.
_ALMOST_OPENING = re.compile(rb"(?:\xef\xbb\xbf|\s)*-{2,4}[^\S\r\n]*\r?\n(?:[^\n]*\n){0,20}?type[ \t]*:")
_CARRIAGE_RETURNS = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r(?!\n)")
# If a merge conflicts from line 1 on, as with different line ends, the fences of both sides are below git's marker.
_CONFLICT_ABOVE = re.compile(rb"(?:\xef\xbb\xbf)?<{7,}[ \r\n]")
_FENCE_BELOW = re.compile(rb"^(?:\xef\xbb\xbf)?---[ \t]*\r?$", re.MULTILINE)
_UNFINISHED = "a conflict marker of an unfinished merge"
_KEEP_ONE_SIDE = "keep one side, and delete the marker lines"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_ALMOST_CLOSING = re.compile(
    rb"^(?:[ \t]+-{3}|-{2}|-{4,}|\.{3}|\+{3}|-?\xe2\x80[\x93\x94]-?|(?:\xe2\x80[\x93\x94]){2,3})[ \t]*\r?$",
    re.MULTILINE,
)
# The lines of a frontmatter: a key, an item, the continuation of the line above, a comment.
_LIKE_YAML = re.compile(rb"[A-Za-z_\"'][^:]*:(?:\s|$)|[ \t]|- |#|\]|\}")


def fence_that_was_meant(data: bytes) -> Problem | None:
    """Return what is wrong with the opening of a file that is meant to be a memory; None for any other text."""
    if data.startswith(_UTF_16):
        return Problem("utf8-invalid", Position(1), "the file is in UTF-16", hint="save the file as UTF-8")
    if is_in_conflict(data):
        return Problem("conflict-marker", Position(1), _UNFINISHED, hint=_KEEP_ONE_SIDE)
    if _CARRIAGE_RETURNS.match(data):
        return Problem(
            "line-end",
            Position(1),
            "the lines end with a carriage return alone",
            hint="save the file with line feeds (LF) or CRLF",
        )
    found = _ALMOST_OPENING.match(data)
    if found is None:
        return None
    start = len(found[0]) - len(found[0].lstrip(BOM_UTF8 + b" \t\r\n"))
    line = data.count(b"\n", 0, start) + 1
    problem = Problem(
        "fence-opening",
        Position(line),
        "this looks like frontmatter, but its fence is not on line 1, or is not ---",
        hint="begin the file with a line ---, with nothing before it",
    )
    return problem.with_line(data.partition(b"\n")[0].rstrip(b"\r").decode(), "---" if line == 1 else None)


def is_in_conflict(data: bytes) -> bool:
    """Return whether a file begins with a merge conflict and has a fence in or below it."""
    return _CONFLICT_ABOVE.match(data) is not None and _FENCE_BELOW.search(data) is not None


def unclosed(data: bytes, head_start: int, *, within: int) -> Problem:
    """Return the problem of an unclosed fence, at the line that was meant to close it."""
    almost = _ALMOST_CLOSING.search(data, head_start)
    if almost:
        found = almost[0].rstrip(b"\r").decode()
        problem = Problem(
            "fence-unclosed",
            Position(data.count(b"\n", 0, almost.start()) + 1),
            f"the frontmatter is opened on line 1 and never closed; `{found.strip()}` does not close it",
            hint="write --- at the start of the line",
        )
        return problem.with_line(found, "---")
    last = 1
    for line in data[head_start:].split(b"\n", within)[:within]:
        if not _LIKE_YAML.match(line):
            break
        last += 1
    return Problem(
        "fence-unclosed",
        Position(1),
        "the frontmatter is opened here and never closed",
        hint=f"put a line --- between the last key and the text, probably after line {last}",
    )


def not_utf8(data: bytes) -> Problem:
    """Return the problem of the first byte that is not UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        return Problem(
            "utf8-invalid",
            Position(line, column),
            f"byte 0x{data[error.start]:02x} is not UTF-8",
            hint="save the file as UTF-8",
        )
    raise AssertionError("called only for bytes that do not decode")


# -- problems independent of the YAML --------------------------------------------------------------


# Per kind; a hostile file could produce millions of them.
MOST_OF_A_KIND = 20

_CONFLICT_MARKER = re.compile(r"^(<{7}|={7}|>{7}|\|{7})(?= |\r?$)", re.MULTILINE)
# C0 except tab and line ends, DEL, C1 with NEL, the line and paragraph separators, byte order marks, lone CR.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\r(?!\n)")
_KEY = re.compile(r"[A-Za-z_][\w-]*:(?=\s|$)")
# Complete on one line: not a text or a list that may continue below.
_KEY_WITH_VALUE = re.compile(r"[A-Za-z_][\w-]*:\s+[^\s|>\[{#]")
_TAB_INDENT = re.compile(r"^ *\t", re.MULTILINE)


def problems(head: str, lines: list[str], first_line: int) -> list[Problem]:
    """Return what is wrong with the text `head`, whose `lines` begin on file line `first_line`."""
    scan = _Scan(head, lines, first_line)
    return list(scan.markers()) or [
        *islice(scan.controls(), MOST_OF_A_KIND),
        *islice(scan.tabs(), MOST_OF_A_KIND),
    ]


class _Scan:
    """Searches one text for problems."""

    def __init__(self, head: str, lines: list[str], first_line: int) -> None:
        self.head, self.lines, self.first_line = head, lines, first_line

    def markers(self) -> Iterator[Problem]:
        found = list(islice(_CONFLICT_MARKER.finditer(self.head), MOST_OF_A_KIND))
        # The line that opens a conflict represents all of it.
        for m in [m for m in found if m.group().startswith("<")] or found:
            yield Problem(
                "conflict-marker",
                self._place(m.start()),
                _UNFINISHED,
                hint=_KEEP_ONE_SIDE,
            )

    def controls(self) -> Iterator[Problem]:
        for m in _CONTROL.finditer(self.head):
            found = Problem(
                "yaml-control",
                self._place(m.start()),
                f"the control character U+{ord(m.group()):04X}",
                hint="delete it, or keep it in the text below the fence",
            )
            yield found if m.group() == "\r" else self._mended(found, lambda line: _CONTROL.sub("", line))

    def tabs(self) -> Iterator[Problem]:
        for m in _TAB_INDENT.finditer(self.head):
            number = self.head.count("\n", 0, m.start())
            above = self.lines[number - 1] if number else ""
            found = Problem("yaml-tab", self._place(m.end() - 1), "a tab used as indent", hint="indent with spaces")
            yield self._mended(found, partial(_untabbed, above=above))

    def _place(self, offset: int) -> Position:
        line = self.head.count("\n", 0, offset)
        return Position(self.first_line + line, offset - (self.head.rfind("\n", 0, offset) + 1) + 1)

    def _mended(self, found: Problem, mend: Callable[[str], str]) -> Problem:
        """Return a problem with its line mended, unless that is too long to show."""
        line = worth_showing(self.lines[found.at.line - self.first_line].rstrip("\r"))
        return found if line is None else found.with_line(line, mend(line))


def _untabbed(line: str, above: str) -> str:
    """Return a line indented with spaces; a key that has nothing above to belong to is not indented at all."""
    rest = line.lstrip(" \t")
    if _KEY.match(rest) and _KEY_WITH_VALUE.match(above):
        return rest
    return line[: len(line) - len(rest)].replace("\t", "  ") + rest
