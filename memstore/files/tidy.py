"""Evens out the layout of a frontmatter without changing a value: what `memstore check fmt` does.

Blanks at line ends are removed, times get double quotes, and each entry of a history gets a line of its own. Comments,
order, quotes, aligned values, list styles and the text below stay. If that can't be done without doubt, the file stays
as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.core.keys import KEY_BY_NAME, KEYS, Key, Shape
from memstore.files import fence, strict_yaml
from memstore.files.fence import FencedText
from memstore.files.layout import (
    Mapping,
    Scalar,
    Sequence,
    UnlocatableError,
    after_colon,
    line_start,
    located,
    next_line,
    without_comments,
)
from memstore.files.render import quoted
from memstore.files.splice import same_value
from memstore.files.splice_list import ItemChange, changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memstore.files.layout import Node, Pair
    from memstore.files.memory_file import MemoryFile
    from memstore.files.strict_yaml import Frontmatter

_TIMES = (Shape.INSTANT, Shape.DAY)
# In plain lines, only a date without quotes can be uneven.
_BARE_DATE = re.compile(r"(?<![\"'])\b\d{4}-\d\d-\d\d")
_BLANKS_AT_END = re.compile(r"[ \t]+(?=\r?\n|\Z)")


def tidied(file: MemoryFile) -> bytes:
    """Return the file's bytes in an even layout; unchanged if they already are, or if it can't be done safely."""
    front, text, values = file.front, file.text, file.front.values
    if front.is_plain and not _BARE_DATE.search(text.head):
        return file.data
    try:
        root = located(front, text.head)
        for step in (_entries_on_lines, _times_quoted, _no_blanks_at_ends):
            changes = [] if root is None or root.flow else list(step(_Page(text.head, root, values)))
            if changes and (after := _changed(text, changes, values)):
                text, front = after
                root = located(front, text.head)
    except UnlocatableError:
        pass
    return text.joined(text.head)


def _changed(
    text: FencedText, changes: list[ItemChange], values: dict[str, Any]
) -> tuple[FencedText, Frontmatter] | None:
    """Return the text after the changes, with its values; None if that would change the values."""
    changes = [ItemChange(c.start, c.end, c.text.replace("\n", text.newline)) for c in changes]
    after = fence.split(text.joined(changed(text.head, changes)))
    if not isinstance(after, FencedText) or (after.between, after.body) != (text.between, text.body):
        return None
    front = strict_yaml.read(after.head, first_line=after.head_line)
    return (after, front) if not front.problems and same_value(front.values, values) else None


@dataclass(frozen=True, slots=True)
class _Page:
    """A head, its positions and its values."""

    head: str
    root: Mapping
    values: dict[str, Any]

    def text(self, place: Node) -> str:
        return self.head[place.start : place.end]


# -- the steps -----------------------------------------------------------------------------------


def _entries_on_lines(page: _Page) -> Iterator[ItemChange]:
    """Yield the changes that put each entry of a history on one line; entries that contain comments stay."""
    for pair in page.root.pairs:
        key = KEY_BY_NAME.get(pair.name)
        if key is None or key.shape is not Shape.ENTRIES or not isinstance(place := pair.value, Sequence):
            continue
        if place.flow:
            yield from _unbracketed(page, pair, place)
            continue
        for item in place.items:
            if isinstance(item, Mapping) and "\n" in page.text(item) and not _commented(page, item):
                yield ItemChange(item.start, item.end, _on_one_line(page, item))


def _unbracketed(page: _Page, pair: Pair, place: Sequence) -> Iterator[ItemChange]:
    """Yield the change from a list of entries in brackets to one with a dash and a line for each."""
    rest = page.head[place.end : next_line(page.head, place.end)].strip()
    if (
        place.items
        and all(isinstance(item, Mapping) for item in place.items)
        and not rest
        and not _commented(page, place)
    ):
        margin = page.head[line_start(page.head, pair.key.start) : pair.key.start]
        lines = [f"{margin}  - {_on_one_line(page, item)}" for item in place.items]
        yield ItemChange(after_colon(page.head, pair), place.end, "".join(f"\n{line}" for line in lines))


def _on_one_line(page: _Page, place: Node) -> str:
    """Return a value on one line, each scalar as it was written if that is allowed between brackets."""
    match place:
        case Mapping(pairs=pairs):
            parts = [f"{page.text(pair.key)}: {_on_one_line(page, pair.value)}" for pair in pairs]
            return "{" + ", ".join(parts) + "}"
        case Sequence(items=items):
            return "[" + ", ".join(_on_one_line(page, item) for item in items) + "]"
        case Scalar(style=style):
            text = page.text(place)
            if not text:
                return "null"
            return quoted(text) if not style and _NEEDS_QUOTES.search(text) else text


# Plain text with these would end, or begin something else, between brackets.
_NEEDS_QUOTES = re.compile(r"[,\[\]{}]")


def _commented(page: _Page, place: Node) -> bool:
    """Return whether a value contains a comment, or what looks like one."""
    text = page.head[place.start : place.end]
    return without_comments(text) != text


def _times_quoted(page: _Page) -> Iterator[ItemChange]:
    """Yield the changes that put bare times in double quotes, so that every reader reads them as text."""
    for pair in page.root.pairs:
        yield from _quoted_times(page, pair, KEYS)


def _quoted_times(page: _Page, pair: Pair, keys: Iterable[Key]) -> Iterator[ItemChange]:
    key = next((key for key in keys if key.name == pair.name), None)
    if key is None or not (key.shape in _TIMES or any(part.shape in _TIMES for part in key.entry)):
        return
    match pair.value:
        case Scalar(style="") as place if key.shape in _TIMES and place.end > place.start:
            yield ItemChange(place.start, place.end, quoted(page.text(place)))
        case Mapping(pairs=pairs):
            for part in pairs:
                yield from _quoted_times(page, part, key.entry)
        case Sequence(items=items):
            for item in items:
                for part in item.pairs if isinstance(item, Mapping) else ():
                    yield from _quoted_times(page, part, key.entry)


def _no_blanks_at_ends(page: _Page) -> Iterator[ItemChange]:
    """Yield the changes that remove blanks at line ends, except within texts of several lines."""
    blanks = list(_BLANKS_AT_END.finditer(page.head))
    kept = list(_texts_of_several_lines(page, page.root)) if blanks else ()
    for found in blanks:
        if not any(place.start <= found.start() < place.end for place in kept):
            yield ItemChange(found.start(), found.end(), "")


def _texts_of_several_lines(page: _Page, place: Node) -> Iterator[Scalar]:
    match place:
        case Scalar():
            if "\n" in page.text(place):
                yield place
        case Sequence(items=items):
            for item in items:
                yield from _texts_of_several_lines(page, item)
        case Mapping(pairs=pairs):
            for pair in pairs:
                yield from _texts_of_several_lines(page, pair.value)
