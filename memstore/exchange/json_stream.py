"""Read the items of a JSON file one at a time, however large the file is.

A file is either one list, whose items are read one by one, or a sequence of values, as in JSONL. Only the text of one
item is held in memory; an item of more than `MOST_CHARACTERS` characters is an error.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from memstore.core.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

CHUNK_BYTES = 1 << 18
MOST_CHARACTERS = 64 * 1024 * 1024
# The end of a chunk can cut a word, a number or an escape; an error further from the end has another cause.
_LONGEST_CUT = 32
_BLANK = re.compile(r"[ \t\r\n]*")
_OPENS, _CLOSES, _COMMA = "[", "]", ","
# A number may continue in the next chunk unless one of these follows it.
_AFTER_NUMBERS = (",", "]", " ", "\t", "\r", "\n")


class Item(NamedTuple):
    """A value in the file, and the line that it begins on, counted from 1."""

    line: int
    value: Any


def items(stream: BinaryIO, name: str, *, under: Sequence[str] = ()) -> Iterator[Item]:
    """Yield the items of a JSON file.

    Args:
        stream: the bytes of the file.
        name: the file's name, for messages.
        under: keys, for a file that is an object: the first of them that holds a list provides the items; if none does,
            the object itself is the item.

    Raises:
        FormatError: the file is not JSON; the message has the line and column.
    """
    reader = _Reader(stream, name)
    if reader.peek() == _OPENS:
        yield from reader.listed()
        return
    for item in reader.values():
        listed = (
            next((item.value[key] for key in under if isinstance(item.value.get(key), list)), None)
            if isinstance(item.value, dict)
            else None
        )
        yield from (item,) if listed is None else (Item(item.line, one) for one in listed)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


class _Reader:
    """The text of a stream; `text[at:]` is unread, and `line` and `column` are the position where the text begins."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream, self._name = stream, name
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder(parse_constant=_no_number)
        self._text, self._at, self._is_all = "", 0, False
        self._line, self._column, self._bytes = 1, 1, 0

    def peek(self) -> str:
        """Return the next character that is not blank; empty at the end."""
        while True:
            self._at = _end_of_blanks(self._text, self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more(CHUNK_BYTES):
                return ""

    def listed(self) -> Iterator[Item]:
        """Yield the items of the list that begins here and ends with the file."""
        self._at += 1
        if self.peek() == _CLOSES:
            self._at += 1
        else:
            while True:
                yield self._value()
                if (sign := self.peek()) not in (_COMMA, _CLOSES):
                    self._fail("expected `,` or `]`", self._at)
                self._at += 1
                if sign == _CLOSES:
                    break
        if self.peek():
            self._fail("expected the end of the file", self._at)

    def values(self) -> Iterator[Item]:
        """Yield one value after another, up to the end of the file."""
        while self.peek():
            yield self._value()

    def _value(self) -> Item:
        self.peek()
        self._drop_what_was_read()
        step = CHUNK_BYTES
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _LONGEST_CUT
                if self._is_all or not is_cut:
                    self._fail(error.msg[:1].lower() + error.msg[1:], error.pos)
            except (ValueError, RecursionError) as error:
                why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
                self._fail(why, self._at)
            else:
                if self._is_all or len(self._text) - end > _LONGEST_CUT or self._text[end : end + 1] in _AFTER_NUMBERS:
                    line = self._line
                    self._at = end
                    return Item(line, value)
            if len(self._text) > MOST_CHARACTERS:
                self._fail(f"one item has more than {MOST_CHARACTERS:,} characters", self._at)
            self._more(step)
            step *= 2  # doubled because a long item is decoded from its beginning again each time

    def _more(self, count: int) -> bool:
        """Read more of the stream; return whether there was anything."""
        if self._is_all:
            return False
        data = self._stream.read(count)
        self._is_all = not data
        try:
            self._text += self._decode.decode(data, final=self._is_all)
        except UnicodeDecodeError as error:
            where = self._bytes + error.start
            raise FormatError(
                f"{self._name} is not UTF-8 near byte {where + 1:,}", hint="save it as UTF-8, or export it again"
            ) from error
        self._bytes += len(data)
        return bool(data)

    def _drop_what_was_read(self) -> None:
        self._line, self._column = self._place(self._at)
        self._text, self._at = self._text[self._at :], 0

    def _place(self, at: int) -> tuple[int, int]:
        """Return the line and column of an offset, from 1."""
        newlines = self._text.count("\n", 0, at)
        if not newlines:
            return self._line, self._column + at
        return self._line + newlines, at - self._text.rfind("\n", 0, at)

    def _fail(self, what: str, at: int) -> NoReturn:
        line, column = self._place(min(at, len(self._text)))
        raise FormatError(
            f"{self._name}:{line}:{column}: this is not JSON: {what}", hint="export it again, or mend that place"
        )


def _end_of_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
