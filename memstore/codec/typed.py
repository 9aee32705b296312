"""Values as people type them on a command line, made into what a frontmatter holds."""

from __future__ import annotations

import csv
import re
from math import isfinite
from typing import TYPE_CHECKING

from memstore.errors import UsageError
from memstore.model.keys import KEY_BY_NAME, Key, Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.codec.render import Plain

LISTS = frozenset(
    {
        Shape.LINES,
        Shape.ENTITIES,
        Shape.GRANTS,
        Shape.REFS,
        Shape.SOURCES,
        Shape.HEIRS,
        Shape.ENTRIES,
        Shape.GRANT_LISTS,
    }
)
# In a person's own words a comma is a comma; in these lists it can only stand between two items.
_NEVER_WITH_COMMA = frozenset({Shape.ENTITIES, Shape.GRANTS, Shape.REFS})
NOBODY = "none"

_NO_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")


def parse(name: str, texts: Sequence[str], *, split: bool = False) -> Plain:
    """Return the value of a key for the words that were given for it.

    Args:
        name: the key; one that the table does not have takes any text, number or flag.
        texts: what was typed, once for each time the key was named; the last one counts where the key is no list.
        split: whether commas part the items of every list; in quotes they don't.

    Raises:
        UsageError: a text can't be such a value.
    """
    key = KEY_BY_NAME.get(name)
    for text in texts:
        if _NO_LINE.search(text):
            raise UsageError(f"`{name}` must be one line without control characters", hint="put the rest into the text")
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
            raise UsageError(f"`{key.name}`: {NOBODY} and others at once", hint=f"write either {NOBODY} or who may")
        return []
    return [*said]


def _parted(text: str) -> list[str]:
    """Return the parts of a text between commas; double quotes keep a comma, and brackets around all say nothing."""
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
    if "_" in text or (isinstance(number, float) and not isfinite(number)):  # what only Python takes for a number
        raise _no(key, text)
    return number


def _no(key: Key, text: str) -> UsageError:
    return UsageError(f"`{key.name}` must be {key.shape.value}, and is `{text}`", hint=f"write {key.shape.value}")


def _own(text: str) -> Plain:
    """Return the value of a person's own key: a number or flag where it reads as one to everybody, else the text."""
    from memstore.codec.strict_yaml import is_plain, resolve_plain

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
    """Return an entry of a list from its values in the order of its keys, parted by semicolons."""
    values = [part.strip() for part in text.split(";")]
    if not sum(part.required for part in key.entry) <= len(values) <= len(key.entry):
        form = "; ".join(part.name if part.required else f"[{part.name}]" for part in key.entry)
        raise UsageError(f"`{key.name}` needs other parts than `{text}`", hint=f'write "{form}"')
    return {part.name: value for part, value in zip(key.entry, values, strict=False) if value}
