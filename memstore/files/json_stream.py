"""Read the items of a JSON file one at a time, however large the file is.

A file is either one list, whose items are read one by one, or a sequence of values, as in JSONL. Only the text of one
item is held in memory; an item of more than `MOST_CHARACTERS` characters is an error. After an item that can't be read,
`items` goes on where it finds the next one.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

CHUNK_BYTES = 1 << 18
MOST_CHARACTERS = 64 * 1024 * 1024
# The end of a chunk can cut a word, a number or an escape; an error further from the end has another cause.
_LONGEST_CUT = 32
_BLANKS = " \t\r\n"
_BLANK = re.compile(f"[{_BLANKS}]*")
_OPENS, _CLOSES, _COMMA = "[", "]", ","
# A number may continue in the next chunk unless one of these follows it.
_AFTER_NUMBERS = (",", "]", " ", "\t", "\r", "\n")


# A byte that is not UTF-8, as it is decoded.
_NO_LETTER = re.compile("[\udc80-\udcff]")
_BEGINS = re.compile(r"^[{\[]", re.MULTILINE)


class Item(NamedTuple):
    """A value in the file, and the line that it begins on, counted from 1; or why it can't be read, with the column."""

    line: int
    value: Any
    why: str = ""


def items(stream: BinaryIO, *, under: Sequence[str] = ()) -> Iterator[Item]:
    """Yield the items of a JSON file, in order.

    What can't be read is an item, too: of a list, all from the first mistake on, unless only letters of one item are
    mangled; of a sequence of values, what stands before the next line that begins with a bracket.

    Args:
        stream: the bytes of the file.
        under: keys, for a file that is an object: the first of them that holds a list provides the items; if none does,
            the object itself is the item.
    """
    reader = _Reader(stream)
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


class _MistakeError(Exception):
    """What is wrong at a place in the text."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.at = at


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


class _Reader:
    """The text of a stream; `text[at:]` is unread, and `line` and `column` are the position where the text begins."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        self._json = json.JSONDecoder(parse_constant=_no_number)
        self._text, self._at, self._is_all = "", 0, False
        self._line, self._column = 1, 1

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
        try:
            if self.peek() == _CLOSES:
                self._at += 1
            else:
                while True:
                    yield self._value()
                    if self._sign((_COMMA, _CLOSES), "`,` or `]`") == _CLOSES:
                        break
            self._sign(("",), "the end of the file")
        except _MistakeError as error:
            yield self._unread(error, "; what follows is left out, too")

    def _sign(self, signs: Sequence[str], said: str) -> str:
        """Return the next character, one of `signs`, and go on behind it."""
        if (sign := self.peek()) not in signs:
            raise _MistakeError(f"expected {said}", self._at)
        self._at += len(sign)
        return sign

    def values(self) -> Iterator[Item]:
        """Yield one value after another, up to the end of the file."""
        while self.peek():
            try:
                yield self._value()
            except _MistakeError as error:
                following = _BEGINS.search(self._text, self._at + 1, error.at + 1)  # it can't be part of what is broken
                yield self._unread(error, ends=following.start() if following else len(self._text))
                self._skip()

    def _skip(self) -> None:
        """Go on at the next line that may begin a value; the stream ends if there is none."""
        while not (found := _BEGINS.search(self._text, self._at + 1)):
            self._at = max(self._at, len(self._text) - 1)
            self._drop_what_was_read()
            if not self._more(CHUNK_BYTES):
                self._at = len(self._text)
                return
        self._at = found.start()

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
                    raise _MistakeError(error.msg[:1].lower() + error.msg[1:], error.pos) from error
            except (ValueError, RecursionError) as error:
                why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
                raise _MistakeError(why, self._at) from error
            else:
                if self._is_all or len(self._text) - end > _LONGEST_CUT or self._text[end : end + 1] in _AFTER_NUMBERS:
                    line, mangled = self._line, _NO_LETTER.search(self._text, self._at, end)
                    self._at = end
                    return self._unread(_MistakeError("", mangled.start())) if mangled else Item(line, value)
            if len(self._text) > MOST_CHARACTERS:
                raise _MistakeError(f"one item has more than {MOST_CHARACTERS:,} characters", self._at)
            self._more(step)
            step *= 2  # doubled because a long item is decoded from its beginning again each time

    def _more(self, count: int) -> bool:
        """Read more of the stream; return whether there was anything."""
        if self._is_all:
            return False
        data = self._stream.read(count)
        self._is_all = not data
        self._text += self._decode.decode(data, final=self._is_all)
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

    def _unread(self, error: _MistakeError, more: str = "", *, ends: int | None = None) -> Item:
        """Return the item for a mistake, which lies before the blanks at the end of what is broken."""
        line, column = self._place(min(error.at, len(self._text[:ends].rstrip(_BLANKS))))
        is_mangled = _NO_LETTER.match(self._text, error.at)
        what = "this is not UTF-8: save it as UTF-8" if is_mangled else f"this is not JSON: {error}"
        return Item(line, None, f"column {column}: {what}{more}")


def _end_of_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
