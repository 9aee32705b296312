"""A text as an editor holds it: lines as the protocol counts them, and places in the units that were agreed on."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.core.finding import Finding

_LINE_END = re.compile(r"\r\n|\n|\r")
_BYTES_OF_UNIT = {types.PositionEncodingKind.Utf8: 1, types.PositionEncodingKind.Utf16: 2}
_CODECS = {types.PositionEncodingKind.Utf8: "utf-8", types.PositionEncodingKind.Utf16: "utf-16-le"}


class TextSpan(NamedTuple):
    """A part of a text: offsets in characters from 0, `end` exclusive."""

    start: int
    end: int


class Text:
    """A text and its lines.

    Args:
        source: the text.
        encoding: the units in which the editor counts within a line.
    """

    def __init__(self, source: str, encoding: types.PositionEncodingKind | str | None = None) -> None:
        self.source = source
        self._encoding = types.PositionEncodingKind(encoding or types.PositionEncodingKind.Utf16)

    @cached_property
    def data(self) -> bytes:
        """The bytes that a file with this text has."""
        return self.source.encode("utf-8", "surrogatepass")

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins."""
        return [0, *(found.end() for found in _LINE_END.finditer(self.source))]

    @property
    def line_count(self) -> int:
        """How many lines it has; after a line end at the end, there is an empty one."""
        return len(self._starts)

    def line(self, number: int) -> str:
        """Return a line without its end, counted from 0; empty beyond the last one."""
        if not 0 <= number < len(self._starts):
            return ""
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.source)
        return self.source[self._starts[number] : end].rstrip("\r\n")

    def line_start(self, number: int) -> int:
        """Return where a line begins, counted from 0; the end of the text beyond the last one."""
        return self._starts[number] if number < len(self._starts) else len(self.source)

    def line_of(self, offset: int) -> int:
        """Return the number of the line, from 0, that has an offset."""
        return bisect_right(self._starts, offset) - 1

    def offset(self, place: types.Position) -> int:
        """Return the offset of a place; one beyond the end of its line is that end."""
        if place.line >= len(self._starts):
            return len(self.source)
        line, start = self.line(place.line), self._starts[max(place.line, 0)]
        if line.isascii() or self._encoding not in _CODECS:
            return start + min(max(place.character, 0), len(line))
        units = 0
        size = _BYTES_OF_UNIT[self._encoding]
        for at, sign in enumerate(line):
            if units >= place.character:
                return start + at
            units += len(sign.encode(_CODECS[self._encoding], "surrogatepass")) // size
        return start + len(line)

    def place(self, offset: int) -> types.Position:
        """Return the place of an offset."""
        number = self.line_of(min(max(offset, 0), len(self.source)))
        before = self.source[self._starts[number] : offset].rstrip("\r\n")
        if before.isascii() or self._encoding not in _CODECS:
            return types.Position(number, len(before))
        units = len(before.encode(_CODECS[self._encoding], "surrogatepass")) // _BYTES_OF_UNIT[self._encoding]
        return types.Position(number, units)

    def range(self, span: TextSpan) -> types.Range:
        """Return a part of it as the protocol has it."""
        return types.Range(self.place(span.start), self.place(span.end))

    def span(self, part: types.Range) -> TextSpan:
        """Return a part of it as the protocol has it; never one that ends before it begins."""
        start = self.offset(part.start)
        return TextSpan(start, max(start, self.offset(part.end)))

    @cached_property
    def _file_lines(self) -> list[int]:
        """Where each line of the file begins, as findings and links count them: only LF ends one."""
        return [0, *(found.end() for found in re.finditer("\n", self.source))]

    def at(self, line: int, column: int = 1) -> int:
        """Return the offset of a place in a file: line and column from 1."""
        if line > len(self._file_lines):
            return len(self.source)
        start = self._file_lines[max(line, 1) - 1]
        return min(start + column - 1, self.file_line(line).end)

    def file_line(self, line: int) -> TextSpan:
        """Return a line of the file, counted from 1, without its end."""
        if line > len(self._file_lines):
            return TextSpan(len(self.source), len(self.source))
        start = self._file_lines[max(line, 1) - 1]
        end = self.source.find("\n", start)
        end = len(self.source) if end < 0 else end
        return TextSpan(start, end - 1 if end > start and self.source[end - 1] == "\r" else end)

    def file_lines_of(self, span: TextSpan) -> tuple[int, int]:
        """Return the first and the last line of the file, from 1, that a part of it is on."""
        return bisect_right(self._file_lines, span.start), bisect_right(self._file_lines, span.end)

    def span_of(self, finding: Finding) -> TextSpan:
        """Return what a finding is about: what it names, else the rest of the line, else the whole line."""
        if finding.extent is not None:
            start = self.at(*finding.extent.start)
            return TextSpan(start, max(start, self.at(*finding.extent.end)))
        start, line = self.at(*finding.at), self.file_line(finding.at.line)
        return TextSpan(start, line.end) if start < line.end else line

    def changed(self, changes: Iterable[types.TextDocumentContentChangeEvent]) -> Text:
        """Return the text after an editor's changes, one after the other."""
        text = self
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = text.span(change.range)
                text = Text(text.source[:start] + change.text + text.source[end:], self._encoding)
            else:
                text = Text(change.text, self._encoding)
        return text
