"""Passages: a body split into citable pieces, each with its file lines, as `sed -n 'START,ENDp'` would print them.

It works line by line and is tolerant: whatever a line looks like, it belongs to exactly one passage.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import re
from enum import Enum
from typing import NamedTuple

from memstore.core.titles import heading_text


class PassageKind(Enum):
    """The kind of a passage."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    QUOTE = "quote"
    RULE = "rule"
    HEADING = "heading"


class Passage(NamedTuple):
    """A piece of a body: file lines `line_start` to `line_end`, from 1, both inclusive, at most 40 below its headings.

    The lines include the headings directly above the passage; `text` is what follows them, without the speaker.
    `headings` are the headings above it, outermost first, and the header of its table; `opening` those of them that are
    among its lines. A section without text is a passage of kind HEADING whose text is its heading.
    """

    kind: PassageKind
    line_start: int
    line_end: int
    text: str
    headings: tuple[str, ...] = ()
    speaker: str = ""
    opening: tuple[str, ...] = ()


# Their text is not meant as a statement.
SAYS_NOTHING = frozenset({PassageKind.CODE, PassageKind.RULE})

# Longer ones are split: nobody reads more for a citation.
MOST_LINES = 40

# Also as the first line of an item; what follows backticks has none, else they are code within a line.
_FENCE = r"[ \t]*(?>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}+(?![^\n]*`)|~{3,}+)"
_FENCE_OR_ITEM = frozenset("`~-*+0123456789")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_UNDERLINE = r" {0,3}(=+|-{2,})[ \t]*$"
_RULE = r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$"
_FEWEST_OF_RULE = 3
_ITEM = re.compile(r"([ \t]*(?:[-*+]|\d{1,9}[.)]))(?:[ \t]+|$)")
_QUOTE = re.compile(r"[ \t]*>")
_INDENT_OF_CODE = 4
_ROW = r"[ \t]*\|"
_DELIMITER = r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$"
_SPEAKER = r"(?:\*\*|__)?([^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,3})(?:\*\*|__)?:(?:\*\*|__)?[ \t]+(?=\S)"


def passages(body: str, *, first_line: int) -> list[Passage]:
    """Return the passages of a body, in order; together they contain every line that is not blank.

    Args:
        body: the text after the frontmatter.
        first_line: the file line on which it begins, from 1.
    """
    cutter = _Cutter(first_line)
    for number, line in enumerate(body.split("\n"), first_line):
        cutter.line(number, line.removesuffix("\r"))
    cutter.end()
    return cutter.done


class _Cutter:
    """Processes one line after the other; for one use."""

    def __init__(self, first_line: int) -> None:
        self.done: list[Passage] = []
        self.headings: list[tuple[int, str]] = []
        self.heading_line: int | None = None  # of the first heading still without text
        self.waiting: list[str] = []  # the headings from that line on
        self.kind: PassageKind | None = None  # of the current passage, None between passages
        self.start = first_line
        self.texts: list[str] = []
        self.columns: list[int] = []  # of the open items, outermost first: where their text begins
        self.fence = ""  # of the current code block; empty for one that is only indented
        self.column = 0  # code ends before a line that begins to the left of it
        self.table_head = ""
        self.last_heading_line = first_line

    def line(self, number: int, line: str) -> None:
        """Process the next line."""
        content = line.lstrip()
        if self.kind is PassageKind.CODE and (not content or _column(line) >= self.column):
            self._code_line(line)
        elif not content:
            self._close()
            self.table_head = ""
        elif self.kind in _BEFORE_INDENTED and line[0] in " \t" and self._is_indented_code(line):
            self._open(PassageKind.CODE, number, line)
            self.fence, self.column = "", self._column_around(line) + _INDENT_OF_CODE
        elif content[0] not in _SIGNS:
            self._plain_line(number, line)
        elif content[0] in _FENCE_OR_ITEM and (fence := re.match(_FENCE, line)):
            self._open(PassageKind.CODE, number, line)
            self.fence, self.column = fence[1], self.columns[-1] if self.columns else 0
        elif content[0] == "#" and (heading := _HEADING.match(line)):
            rest = (heading[2] or "").rstrip(" \t")
            self._heading(number, len(heading[1]), heading_text(rest).strip() if rest.strip("#") else "")
        elif not self._is_underline(number, line):
            self._text_line(number, line)

    def _plain_line(self, number: int, line: str) -> None:
        """Process a line without a special beginning: it continues the item, quotation or paragraph before it."""
        if self.kind in _CONTINUED:
            self.texts.append(line)
        else:
            self._open(PassageKind.PARAGRAPH, number, line)

    def end(self) -> None:
        """Finish after the last line."""
        self._close()
        self._close_section()

    def _text_line(self, number: int, line: str) -> None:
        kind = _kind_of(line)
        if kind is PassageKind.ROW and self.kind is PassageKind.ROW and self._is_table_head_end(line):
            self.texts.append(line)
            self.table_head = self.texts[0]
        elif kind is PassageKind.PARAGRAPH:
            self._plain_line(number, line)
        elif kind is PassageKind.QUOTE and self.kind is kind:
            self.texts.append(line)
        else:
            self._open(kind, number, line)

    def _is_indented_code(self, line: str) -> bool:
        """Return whether a line is code by its indentation alone; an item is one at any depth, as in an outline."""
        deep = _column(line) >= self._column_around(line) + _INDENT_OF_CODE
        return deep and not _ITEM.match(line) and not re.match(_FENCE, line)

    def _enter_items(self, kind: PassageKind, line: str) -> None:
        """Leave the items that a new passage is not in, and enter those that it begins."""
        column = _column(line)
        while self.columns and self.columns[-1] > column:
            self.columns.pop()
        found = _ITEM.match(line) if kind in _IN_ITEMS else None
        while found:
            start, end = (len(line[:at].expandtabs(_INDENT_OF_CODE)) for at in (found.end(1), found.end()))
            self.columns.append(end if start < end <= start + _INDENT_OF_CODE else start + 1)
            found = _ITEM.match(line, found.end())

    def _column_around(self, line: str) -> int:
        """Return where the text of the innermost open item begins that the line belongs to; 0 outside of items."""
        column = _column(line)
        return next((at for at in reversed(self.columns) if at <= column), 0)

    def _is_table_head_end(self, line: str) -> bool:
        return len(self.texts) == 1 and not self.table_head and re.match(_DELIMITER, line) is not None

    def _code_line(self, line: str) -> None:
        self.texts.append(line)
        if self.fence and line.strip().startswith(self.fence) and not line.strip().strip(self.fence[0]):
            self._close()

    def _open(self, kind: PassageKind, number: int, line: str) -> None:
        self._close()
        if kind is not PassageKind.ROW:
            self.table_head = ""
        if self.columns or kind in _IN_ITEMS:
            self._enter_items(kind, line)
        self.kind, self.start, self.texts = kind, number, [line]

    def _close(self) -> None:
        """End the current passage, if any; the headings that were waiting for text become its first lines."""
        if self.kind is None:
            return
        while not self.texts[-1].strip():  # code that no fence closes ends with its last line of text
            self.texts.pop()
        text, speaker = "\n".join(self.texts), ""
        if self.kind is PassageKind.ITEM:
            text = text[_end_of_bullet(text) :]
            if ":" in text and (found := re.match(_SPEAKER, text)):
                speaker, text = found[1], text[found.end() :]
        headings = [title for _, title in self.headings if title]
        if self.table_head and self.texts[0] is not self.table_head:
            headings.append(self.table_head)
        lines = text.split("\n")
        for at in range(0, len(lines), MOST_LINES):
            piece = lines[at : at + MOST_LINES]
            self.done.append(
                Passage(
                    self.kind,
                    line_start=self.start + at if at else self.heading_line or self.start,
                    line_end=self.start + at + len(piece) - 1,
                    text="\n".join(piece),
                    headings=tuple(headings),
                    speaker=speaker,
                    opening=() if at else tuple(self.waiting),
                )
            )
        self.kind = self.heading_line = None
        self.waiting = []

    def _heading(self, number: int, level: int, title: str) -> None:
        self._close()
        if self.headings and self.headings[-1][0] >= level:
            self._close_section()
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.headings.append((level, title))
        self.waiting += [title] if title else []
        self.heading_line = self.heading_line or number
        self.last_heading_line = number
        self.table_head = ""

    def _close_section(self) -> None:
        """Make a passage of headings without text."""
        if self.heading_line is not None:
            title = self.headings[-1][1]
            above = tuple(title for _, title in self.headings[:-1] if title)
            self.done.append(
                Passage(
                    PassageKind.HEADING,
                    self.heading_line,
                    self.last_heading_line,
                    title,
                    headings=above,
                    opening=tuple(self.waiting[:-1]),
                )
            )
            self.heading_line = None
            self.waiting = []

    def _is_underline(self, number: int, line: str) -> bool:
        """Return whether the line makes the one text line above it a heading; if so, process it."""
        if self.kind is not PassageKind.PARAGRAPH or len(self.texts) != 1:
            return False
        underline = re.match(_UNDERLINE, line)
        if underline is None:
            return False
        self.kind = None
        self._heading(number - 1, 1 if underline[1][0] == "=" else 2, self.texts[0].strip())
        self.last_heading_line = number
        return True


# After these, a deep line doesn't continue a text.
_BEFORE_INDENTED = frozenset({None, PassageKind.RULE})
_IN_ITEMS = frozenset({PassageKind.ITEM, PassageKind.CODE})
_CONTINUED = frozenset({PassageKind.PARAGRAPH, PassageKind.ITEM, PassageKind.QUOTE})
# The first characters, after blanks, of lines that may be more than plain text.
_SIGNS = frozenset("`~#=-*_+>|0123456789")


def _kind_of(line: str) -> PassageKind:
    """Return the kind of passage that a line begins or continues; the line is not a heading or code."""
    sign = line.lstrip()[0]
    if sign in "*-_" and line.count(sign) >= _FEWEST_OF_RULE and re.match(_RULE, line):
        return PassageKind.RULE
    if sign in "*-+0123456789" and _ITEM.match(line):
        return PassageKind.ITEM
    if sign == ">" and _QUOTE.match(line):
        return PassageKind.QUOTE
    if sign == "|" and re.match(_ROW, line):
        return PassageKind.ROW
    return PassageKind.PARAGRAPH


def _column(line: str) -> int:
    """Return how deep a line is indented, in columns from 0."""
    blanks = line[: len(line) - len(line.lstrip())]
    return len(blanks.expandtabs(_INDENT_OF_CODE)) if "\t" in blanks else len(blanks)


def _end_of_bullet(text: str) -> int:
    found = _ITEM.match(text)
    return found.end() if found else 0


# -- line numbers of a file's bytes ----------------------------------------------------------------


class LineMap:
    """A file by lines; lines count from 1 and end with a line feed, as LF or CRLF."""

    def __init__(self, data: bytes) -> None:
        self._lines = data.split(b"\n")

    @property
    def line_count(self) -> int:
        """The number of lines, at least 1; the empty line after a final line feed does not count."""
        return len(self._lines) - (not self._lines[-1]) or 1

    def excerpt(self, line_start: int, line_end: int) -> str:
        """Return the text of the lines, both inclusive, without the last line feed.

        Raises:
            ValueError: the file has no such lines.
        """
        if not 1 <= line_start <= line_end <= self.line_count:
            named = f"line {line_start}" if line_start == line_end else f"lines {line_start} to {line_end}"
            raise ValueError(f"{named} of {self.line_count}")
        return b"\n".join(self._lines[line_start - 1 : line_end]).decode("utf-8", "replace")
