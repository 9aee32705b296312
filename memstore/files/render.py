"""Values to YAML text, one value at a time, such that every reader reads the value back."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from memstore.codec.strict_yaml import is_plain
from memstore.model.keys import KEY_BY_NAME, Key, Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

Plain = str | int | float | bool | None | list["Plain"] | dict[str, "Plain"]

# A list of words stays on its key's line as long as the line stays this short; so people see tags at a glance.
WIDEST_FLOW_LIST = 80

_QUOTE_BEFORE = re.compile(r"[-?:,\[\]{}#&*!|>'\"%@`=~<+.\s]")
_TIME_LIKE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
# In flow style brackets and commas end a plain text; so does a colon that ends it.
_FLOW_SIGNS = re.compile(r"[,\[\]{}]")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_ESCAPED = re.compile('[\\\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]')


def scalar(value: str | float | None, *, style: str = "", flow: bool = False) -> str:
    """Return a scalar as YAML text on one line.

    Args:
        value: text, number, boolean or nothing.
        style: the quote the text should stand in, `'` or `"`; empty for none where the text allows it.
        flow: whether it stands between brackets.
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return number(value)
    if style == "'" and not _ESCAPED.search(value.replace("\\", "").replace('"', "")):
        return "'" + value.replace("'", "''") + "'"
    return value if not style and may_stand_bare(value, flow=flow) else quoted(value)


def number(value: float) -> str:
    """Return a finite number in the spelling that YAML 1.1 and 1.2 both read as one."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number that a file can hold")
    text = repr(value)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def quoted(text: str) -> str:
    """Return the text in double quotes."""
    return '"' + _ESCAPED.sub(lambda m: _ESCAPES.get(m[0]) or f"\\u{ord(m[0]):04x}", text) + '"'


def may_stand_bare(text: str, *, flow: bool = False) -> bool:
    """Whether a text needs no quotes to be read as itself by every reader, times included."""
    return (
        text != ""
        and text == text.strip()
        and not _QUOTE_BEFORE.match(text)
        and not _ESCAPED.search(text.replace('"', "").replace("\\", ""))
        and ": " not in text
        and " #" not in text
        and not text.endswith(":")
        and not _TIME_LIKE.match(text)
        and not (flow and _FLOW_SIGNS.search(text))
        and is_plain(text)
    )


def flow_value(value: Plain, *, in_brackets: bool = True) -> str:
    """Return any value on one line: lists and maps in brackets, their texts bare where they may be."""
    if isinstance(value, dict):
        return entry(value)
    if isinstance(value, list):
        return "[" + ", ".join(flow_value(item) for item in value) + "]"
    return scalar(value, flow=in_brackets)


def entry(value: dict[str, Plain], keys: Sequence[Key] = ()) -> str:
    """Return a map on one line, its texts in double quotes but for the words that a key offers as a choice."""
    by_name = {key.name: key for key in keys}

    def part(name: str, item: Plain) -> str:
        if isinstance(item, dict):
            return entry(item)
        if isinstance(item, list):
            return "[" + ", ".join(part(name, x) for x in item) + "]"
        known = by_name.get(name)
        bare = known is not None and known.shape is Shape.CHOICE
        return scalar(item, style="" if bare else '"', flow=True)

    return "{" + ", ".join(f"{scalar(name, flow=True)}: {part(name, item)}" for name, item in value.items()) + "}"


def item_of(key: str, value: Plain, *, flow: bool) -> str:
    """Return one item of the list `key`, on one line."""
    known = KEY_BY_NAME.get(key)
    if isinstance(value, dict):
        return entry(value, known.entry if known else ())
    return flow_value(value, in_brackets=flow)


def parts_of(key: str, value: Plain) -> tuple[str, tuple[str, ...]]:
    """Return the value of a top-level key as it is written anew.

    Returns:
        What stands on the key's line, and the items of the list that stands below it, without dashes; one of the two
        is empty.
    """
    known = KEY_BY_NAME.get(key)
    if isinstance(value, dict):
        return entry(value, known.entry if known else ()), ()
    if isinstance(value, list):
        inline = "[" + ", ".join(item_of(key, item, flow=True) for item in value) + "]"
        if not any(isinstance(item, dict) for item in value) and len(key) + 2 + len(inline) <= WIDEST_FLOW_LIST:
            return inline, ()
        return "", tuple(item_of(key, item, flow=False) for item in value)
    timed = known is not None and known.shape in (Shape.INSTANT, Shape.DAY)
    return scalar(value, style='"' if timed else ""), ()
