"""What is wrong with a frontmatter before any YAML is looked at: conflict markers, control characters, tabs."""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from memstore.codec.advice import worth_showing
from memstore.codec.problem import Problem
from memstore.model.finding import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Of each kind; a hostile file could make millions of them.
MOST_OF_A_KIND = 20

_CONFLICT_MARKER = re.compile(r"^(<{7}|={7}|>{7}|\|{7})(?= |\r?$)", re.MULTILINE)
# C0 but for tab and line ends, DEL, C1 with NEL, the line and paragraph separators, byte order marks, lone CR.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\r(?!\n)")
_KEY = re.compile(r"[A-Za-z_][\w-]*:(?=\s|$)")
# On one line: not with a text or a list that may go on below.
_KEY_WITH_VALUE = re.compile(r"[A-Za-z_][\w-]*:\s+[^\s|>\[{#]")
_TAB_INDENT = re.compile(r"^ *\t", re.MULTILINE)


def problems(head: str, lines: list[str], first_line: int) -> list[Problem]:
    """Return what is wrong with the text `head`, whose `lines` begin on the file line `first_line`."""
    scan = _Scan(head, lines, first_line)
    return list(scan.markers()) or [
        *islice(scan.controls(), MOST_OF_A_KIND),
        *islice(scan.tabs(), MOST_OF_A_KIND),
    ]


class _Scan:
    """The searches over one text."""

    def __init__(self, head: str, lines: list[str], first_line: int) -> None:
        self.head, self.lines, self.first_line = head, lines, first_line

    def markers(self) -> Iterator[Problem]:
        found = list(islice(_CONFLICT_MARKER.finditer(self.head), MOST_OF_A_KIND))
        # The line that opens a conflict stands for all of it.
        for m in [m for m in found if m.group().startswith("<")] or found:
            yield Problem(
                "conflict-marker",
                self._place(m.start()),
                "a conflict marker of an unfinished merge",
                hint="keep one side, and delete the marker lines",
            )

    def controls(self) -> Iterator[Problem]:
        for m in _CONTROL.finditer(self.head):
            yield Problem(
                "yaml-control",
                self._place(m.start()),
                f"the control character U+{ord(m.group()):04X}",
                hint="delete it, or keep it in the text below the fence",
                mended=self._mended(m, lambda line: _CONTROL.sub("", line)) if m.group() != "\r" else None,
            )

    def tabs(self) -> Iterator[Problem]:
        for m in _TAB_INDENT.finditer(self.head):
            number = self.head.count("\n", 0, m.start())
            above = self.lines[number - 1] if number else ""
            yield Problem(
                "yaml-tab",
                self._place(m.end() - 1),
                "a tab as indent",
                hint="indent with spaces",
                mended=self._mended(m, partial(_untabbed, above=above)),
            )

    def _place(self, offset: int) -> Position:
        line = self.head.count("\n", 0, offset)
        return Position(self.first_line + line, offset - (self.head.rfind("\n", 0, offset) + 1) + 1)

    def _mended(self, found: re.Match[str], mend: Callable[[str], str]) -> str | None:
        """Return the line of what was `found`, mended; None where it is too long to be shown."""
        line = worth_showing(self.lines[self.head.count("\n", 0, found.start())].rstrip("\r"))
        return None if line is None else mend(line)


def _untabbed(line: str, above: str) -> str:
    """Return a line indented with spaces; a key that has nothing to stand under is not indented at all."""
    rest = line.lstrip(" \t")
    if _KEY.match(rest) and _KEY_WITH_VALUE.match(above):
        return rest
    return line[: len(line) - len(rest)].replace("\t", "  ") + rest
