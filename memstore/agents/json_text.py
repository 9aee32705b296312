"""Read JSON as people write it, with the place of every value, and put members into the text or take them out again.

Comments, trailing commas, single quotes and bare keys are accepted, as some programs do (JSONC, JSON5). Whatever is not
put in or taken out stays as it is, byte for byte.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True)
class JsonNode:
    """A value and where it is in the text: from `start` up to `end`.

    `members` are those of an object, with the place of each key; `items` those of an array.
    """

    value: Any
    start: int
    end: int
    members: dict[str, tuple[int, JsonNode]] = field(default_factory=dict)
    items: list[JsonNode] = field(default_factory=list)

    def at(self, *path: str) -> JsonNode | None:
        """Return the value at a path of keys, if there is one."""
        node: JsonNode | None = self
        for key in path:
            if node is None or key not in node.members:
                return None
            node = node.members[key][1]
        return node


class Insertion(NamedTuple):
    """A text, and where in the file it was or would be put."""

    at: int
    text: str


def read(text: str, name: str) -> JsonNode:
    """Return the value of a text, which is an object.

    Args:
        text: the content of a file.
        name: the file, for the error.

    Raises:
        FormatError: the text can't be read; the message names file, line and column.
    """
    return _Reader(text, name).whole()


_BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'", re.DOTALL)
_WORD = re.compile(r"""[^\s,:\[\]{}"'/]+""")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Infinity|NaN)")
_CONSTANTS = {"true": True, "false": False, "null": None}
_DEEPEST = 200


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._text, self._name, self._at, self._depth = text, name, 0, 0

    def whole(self) -> JsonNode:
        self._skip()
        node = self._value()
        self._skip()
        if self._at < len(self._text):
            raise self._error("nothing may follow the value")
        if not isinstance(node.value, dict):
            self._at = node.start
            raise self._error("an object is expected")
        return node

    def _value(self) -> JsonNode:
        start = self._at
        match self._text[start : start + 1]:
            case "{":
                return self._nested(self._object)
            case "[":
                return self._nested(self._array)
            case '"' | "'":
                return JsonNode(self._string(), start, self._at)
        word = self._match(_WORD)
        if word in _CONSTANTS:
            return JsonNode(_CONSTANTS[word], start, self._at)
        if word and _NUMBER.fullmatch(word):
            # Ours are whole numbers; nobody computes with the others.
            return JsonNode(int(word) if word.isdecimal() else word, start, self._at)
        self._at = start
        raise self._error("a value is expected")

    def _nested(self, reader: Callable[[], JsonNode]) -> JsonNode:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error("it is nested too deeply")
        node = reader()
        self._depth -= 1
        return node

    def _object(self) -> JsonNode:
        node = JsonNode({}, self._at, 0)
        while self._more(node, "}"):
            at = self._at
            key = self._string() if self._text[at : at + 1] in ('"', "'") else self._match(_WORD)
            if not key and self._at == at:
                raise self._error("a key is expected")
            if key in node.members:
                self._at = at
                raise self._error(f"the key {key} is there twice")
            self._skip()
            if self._text[self._at : self._at + 1] != ":":
                raise self._error("a colon is expected")
            self._at += 1
            self._skip()
            value = self._value()
            node.members[key] = (at, value)
            node.value[key] = value.value
        return node

    def _array(self) -> JsonNode:
        node = JsonNode([], self._at, 0)
        while self._more(node, "]"):
            node.items.append(self._value())
            node.value.append(node.items[-1].value)
        return node

    def _more(self, node: JsonNode, closing: str) -> bool:
        """Go on to the next member or item, past the comma between two; at the end, close the node."""
        is_first = self._at == node.start
        if is_first:
            self._at += 1
        self._skip()
        sign = self._text[self._at : self._at + 1]
        if not is_first and sign == ",":
            self._at += 1
            self._skip()
            sign = self._text[self._at : self._at + 1]
        elif not is_first and sign != closing:
            raise self._error(f"a comma or {closing} is expected")
        if sign != closing:
            return True
        self._at += 1
        node.end = self._at
        return False

    def _string(self) -> str:
        text = self._match(_STRING)
        if not text:
            raise self._error("a text has no closing quote")
        if text[0] == "'":
            text = '"' + text[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
        try:
            return str(json.loads(text, strict=False))
        except ValueError as error:
            self._at -= len(text)
            raise self._error("a text has an escape that JSON does not have") from error

    def _skip(self) -> None:
        self._match(_BLANK)

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found.group()

    def _error(self, problem: str) -> FormatError:
        line = self._text.count("\n", 0, self._at) + 1
        column = self._at - (self._text.rfind("\n", 0, self._at) + 1) + 1
        return FormatError(
            f"{self._name}:{line}:{column}: this is not JSON: {problem}; nothing was written",
            hint="correct the file, then try again",
        )


# -- putting in ------------------------------------------------------------------------------------


def with_member(text: str, node: JsonNode, key: str, value: Any) -> tuple[str, Insertion]:
    """Return the text with a new first member of an object, and what was put in."""
    return _put_in(text, node, f"{json.dumps(key)}: ", value, is_empty=not node.members)


def with_item(text: str, node: JsonNode, value: Any) -> tuple[str, Insertion]:
    """Return the text with a new first item of an array, and what was put in."""
    return _put_in(text, node, "", value, is_empty=not node.items)


# Blanks, and a comment that ends on the same line, behind an opening bracket.
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*|/\*[^\n]*?\*/[ \t]*)?(?=\r?\n)")


def _put_in(text: str, node: JsonNode, label: str, value: Any, *, is_empty: bool) -> tuple[str, Insertion]:
    rest = _REST_OF_LINE.match(text, node.start + 1)
    end = "\r\n" if "\r\n" in text else "\n"
    outer = _indent(text, node.start)
    step = _step(text)
    if rest is None and not is_empty:  # all on one line, as the file is written
        said = f"{label}{json.dumps(value, ensure_ascii=False)}, "
        return _inserted(text, node.start + 1, said)
    lines = json.dumps(value, ensure_ascii=False, indent=step).split("\n")
    said = end + (outer + step) + label + (end + outer + step).join(lines)
    if not is_empty:
        said += ","
    elif rest is None:
        said += end + outer
    return _inserted(text, node.start + 1 if rest is None else rest.end(), said)


def _inserted(text: str, at: int, said: str) -> tuple[str, Insertion]:
    return text[:at] + said + text[at:], Insertion(at, said)


def _indent(text: str, at: int) -> str:
    """Return the white space at the beginning of the line of a position."""
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _step(text: str) -> str:
    """Return what the file indents by: the first indent in it, two spaces if there is none."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


# -- taking out ------------------------------------------------------------------------------------


def without_member(text: str, node: JsonNode, key: str) -> str:
    """Return the text without a member of an object."""
    at, value = node.members[key]
    return _taken_out(text, at, value.end)


def without_item(text: str, item: JsonNode) -> str:
    """Return the text without an item of an array."""
    return _taken_out(text, item.start, item.end)


_LINE_END = re.compile(r"[ \t]*\r?\n")


def _taken_out(text: str, start: int, end: int) -> str:
    """Take out a member or item with the comma behind it, or the one before; with its lines, if they are its own."""
    behind = _BLANK.match(text, end)
    stop = behind.end() if behind else end
    if text[stop : stop + 1] == ",":
        end = stop + 1
    else:
        before = text.rfind(",", 0, start)
        if before >= 0 and _BLANK.fullmatch(text, before + 1, start):
            text = text[:before] + text[before + 1 :]
            start, end = start - 1, end - 1
    line = text.rfind("\n", 0, start) + 1
    newline = _LINE_END.match(text, end)
    if newline and not text[line:start].strip():
        return text[:line] + text[newline.end() :]
    return text[:start] + text[end:].lstrip(" \t")
