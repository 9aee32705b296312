"""From values to YAML text, one value at a time, such that every reader reads the same value back.

Also converts values that people type on a command line to what a frontmatter holds.
"""

from __future__ import annotations

import csv
import math
import re
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING

from memstore.core.errors import UsageError
from memstore.core.harmless import NO_LINE
from memstore.core.keys import KEY_BY_NAME, LEDGER_KEYS, Key, Shape
from memstore.files.shapes import is_absent
from memstore.files.strict_yaml import is_plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.memory import LedgerLine


Plain = str | int | float | bool | None | list["Plain"] | dict[str, "Plain"]

# A list of words stays on its key's line while the line is this short, so people see tags at a glance.
WIDEST_FLOW_LIST = 80

_QUOTE_BEFORE = re.compile(r"[-?:,\[\]{}#&*!|>'\"%@`=~<+.\s]")
_TIME_LIKE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
# In flow style, brackets and commas end a plain text; so does a colon at its end.
_FLOW_SIGNS = re.compile(r"[,\[\]{}]")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_ESCAPED = re.compile('[\\\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]')


def scalar(value: str | float | None, *, style: str = "", flow: bool = False) -> str:
    """Return a scalar as YAML text on one line.

    Args:
        value: text, number, boolean or nothing.
        style: the quote to use, `'` or `"`; empty for none if the text allows it.
        flow: whether it is inside brackets.
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
    """Return a finite number in a spelling that both YAML 1.1 and 1.2 read as a number."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a number that a file can hold")
    text = repr(value)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def quoted(text: str) -> str:
    """Return the text in double quotes."""
    return '"' + _ESCAPED.sub(lambda m: _ESCAPES.get(m[0]) or f"\\u{ord(m[0]):04x}", text) + '"'


@lru_cache(maxsize=1024)  # most texts of a new file also occur in the one before
def may_stand_bare(text: str, *, flow: bool = False) -> bool:
    """Return whether every reader reads an unquoted text as itself, including texts that look like times."""
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
    """Return any value on one line: lists and maps in brackets, with texts bare where that is safe."""
    if isinstance(value, dict):
        return entry(value)
    if isinstance(value, list):
        return "[" + ", ".join(flow_value(item) for item in value) + "]"
    return scalar(value, flow=in_brackets)


def entry(value: dict[str, Plain], keys: Sequence[Key] = ()) -> str:
    """Return a map on one line, with texts in double quotes except for words that a key offers as a choice."""
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
    """Return the value of a top-level key as it is written to a new file.

    Returns:
        The text on the key's line, and the items of the list below it, without dashes; one of the two is empty.
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


# -- ledger lines ----------------------------------------------------------------------------------


# Written on every line, so that people see its effect at a glance.
_ALWAYS = frozenset({"old", "new"})


def entry_of(line: LedgerLine) -> dict[str, Plain]:
    """Return the map for one line of a history, in the order of the table of keys."""
    entry: dict[str, Plain] = {}
    for key in LEDGER_KEYS:
        value = getattr(line, key.name)
        plain = list(value) if isinstance(value, tuple) else value
        if key.name in _ALWAYS or not is_absent(plain):
            entry[key.name] = plain
    return entry


# -- values as people type them --------------------------------------------------------------------


LISTS = frozenset(
    {
        Shape.LINES,
        Shape.WORDS,
        Shape.ENTITIES,
        Shape.GRANTS,
        Shape.REFS,
        Shape.SOURCES,
        Shape.HEIRS,
        Shape.ENTRIES,
        Shape.GRANT_LISTS,
    }
)
# In a person's own words a comma is part of the text; in these lists it can only separate two items.
_NEVER_WITH_COMMA = frozenset({Shape.ENTITIES, Shape.GRANTS, Shape.REFS})
NOBODY = "none"


def stop_unless_line(name: str, text: str) -> None:
    """Raise `UsageError` for what can't be the value of one line that a key has."""
    if NO_LINE.search(text):
        raise UsageError(f"`{name}` must be one line without control characters", hint="put the rest into the text")


def parse(name: str, texts: Sequence[str], *, split: bool = False) -> Plain:
    """Return the value of a key for the words that were given for it.

    Args:
        name: the key; one that is not in the table takes any text, number or flag.
        texts: what was typed, once for each time the key was named; the last one counts if the key is not a list.
        split: whether commas separate the items of every list; commas in quotes don't.

    Raises:
        UsageError: a text can't be such a value.
    """
    key = KEY_BY_NAME.get(name)
    for text in texts:
        stop_unless_line(name, text)
    if key is None:
        return _own(texts[-1])
    if key.shape is Shape.ENTRY:
        return _entry(key, [part for text in texts for part in _parted(text)])
    if key.shape is Shape.ENTRIES:
        return [_in_order(key, text) for text in texts]
    if key.shape in LISTS:
        parted = split or key.shape in _NEVER_WITH_COMMA or name in ("tags", "context_tags")
        return _items(key, [item for text in texts for item in (_parted(text) if parted else [text.strip()])])
    return _single(key, texts[-1].strip())


def _items(key: Key, items: Sequence[str]) -> Plain:
    """Return a list, each item once; `none` among grants means nobody."""
    said = list(dict.fromkeys(item for item in items if item))
    if key.shape is Shape.GRANTS and NOBODY in said:
        if len(said) > 1:
            raise UsageError(
                f"`{key.name}` names {NOBODY} and others at once", hint=f"write either {NOBODY} or those who may"
            )
        return []
    return [*said]


def _parted(text: str) -> list[str]:
    """Return the parts of a text between commas; double quotes protect a comma, and enclosing brackets are ignored."""
    whole = text.strip()
    if whole.startswith("[") and whole.endswith("]") and not whole.startswith("[["):
        text = whole[1:-1]
    return [part.strip() for part in next(csv.reader([text], skipinitialspace=True), [])]


def _single(key: Key, text: str) -> Plain:
    match key.shape:
        case Shape.FLAG:
            if text not in ("true", "false"):
                raise _no(key, text)
            return text == "true"
        case Shape.FRACTION | Shape.NUMBER | Shape.COUNT:
            return _number(key, text)
        case _:
            return text


def _number(key: Key, text: str) -> Plain:
    try:
        number = int(text) if key.shape is Shape.COUNT else round(float(text), 4)
    except ValueError:
        raise _no(key, text) from None
    if "_" in text or (isinstance(number, float) and not isfinite(number)):  # a number only to Python
        raise _no(key, text)
    return number


def _no(key: Key, text: str) -> UsageError:
    return UsageError(f"`{key.name}` must be {key.shape.value}, and is `{text}`", hint=f"write {key.shape.value}")


def _own(text: str) -> Plain:
    """Return the value of a person's own key: a number or flag if every reader reads it as one, else the text."""
    from memstore.files.strict_yaml import is_plain, resolve_plain

    stripped = text.strip()
    value = resolve_plain(stripped)
    return stripped if value is None or isinstance(value, str) or is_plain(stripped) else value


def _entry(key: Key, parts: Sequence[str]) -> Plain:
    """Return a map from `name=value` parts."""
    pairs = [part.partition("=") for part in parts if part]
    if not all(equals for _, equals, _ in pairs):
        names = ", ".join(f"{part.name}=…" for part in key.entry)
        raise UsageError(f"`{key.name}` must be a map", hint=f"write {names}")
    return {name.strip(): value.strip() for name, _, value in pairs}


def _in_order(key: Key, text: str) -> Plain:
    """Return an entry of a list from its values, separated by semicolons, in the order of its keys."""
    values = [part.strip() for part in text.split(";")]
    if not sum(part.required for part in key.entry) <= len(values) <= len(key.entry):
        form = "; ".join(part.name if part.required else f"[{part.name}]" for part in key.entry)
        raise UsageError(f"`{key.name}` needs other parts than `{text}`", hint=f'write "{form}"')
    return {part.name: value for part, value in zip(key.entry, values, strict=False) if value}
