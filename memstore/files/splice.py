"""Edits of a memory file that touch only what they must: splice the text, read it again, compare.

Positions come from the parser, text from the file, and the strict reader has the last word: an edit is not made unless
its result says exactly what was meant. Anything a person wrote by hand stays as it was written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memstore.core.errors import FormatError
from memstore.core.finding import Problem
from memstore.core.keys import KEYS
from memstore.files import fence, strict_yaml
from memstore.files.layout import (
    Mapping,
    Pair,
    Scalar,
    Sequence,
    UnlocatableError,
    after_colon,
    line_end,
    line_start,
    located,
    next_line,
)
from memstore.files.render import flow_value, item_of, parts_of, scalar
from memstore.files.shapes import is_absent, listed
from memstore.files.splice_list import ItemChange, changed, list_changes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memstore.files.fence import FencedText
    from memstore.files.memory_file import MemoryFile
    from memstore.files.render import Plain
    from memstore.files.strict_yaml import Frontmatter


@dataclass(frozen=True, slots=True)
class SetValue:
    """Set a key's value; a new key goes where the table of keys has it."""

    key: str
    value: Plain


@dataclass(frozen=True, slots=True)
class RemoveKey:
    """Remove a key and its lines."""

    key: str


@dataclass(frozen=True, slots=True)
class AppendItems:
    """Add the items that a list does not have yet."""

    key: str
    items: tuple[Plain, ...]


@dataclass(frozen=True, slots=True)
class RemoveItems:
    """Remove items from a list; if none are left, the key loses its value but stays."""

    key: str
    items: tuple[Plain, ...]


@dataclass(frozen=True, slots=True)
class AppendEntry:
    """Append an entry to a history, on one line."""

    key: str
    entry: dict[str, Plain]


Edit = SetValue | RemoveKey | AppendItems | RemoveItems | AppendEntry


def apply(file: MemoryFile, edits: Iterable[Edit]) -> bytes:
    """Return the file's bytes after the edits, applied in order.

    Raises:
        FormatError: the way the text is written doesn't allow the edit without touching more than was asked for.
    """
    return _applied(file.path, file.text, file.front, edits)


def apply_to_text(path: str, text: FencedText, edits: Iterable[Edit]) -> bytes:
    """Return the bytes of a file after the edits; its YAML must be sound, but it need not be a memory yet.

    Raises:
        FormatError: as `apply` does.
    """
    return _applied(path, text, strict_yaml.read(text.head, first_line=text.head_line), edits)


def _applied(path: str, text: FencedText, front: Frontmatter, edits: Iterable[Edit]) -> bytes:
    for edit in edits:
        text, front = _after(path, text, front, edit)
    return text.joined(text.head)


# -- one edit ------------------------------------------------------------------------------------


def _after(path: str, text: FencedText, front: Frontmatter, edit: Edit) -> tuple[FencedText, Frontmatter]:
    """Return text and frontmatter after one edit, written in the first way that reads back as meant."""
    wanted = _wanted(front.values, edit)
    if wanted is front.values:
        return text, front
    for head in _ways(path, text, front, wanted, edit.key):
        spliced = fence.split(text.joined(head))
        if spliced is None or isinstance(spliced, Problem) or not _same_outside(text, spliced):
            continue
        read = strict_yaml.read(spliced.head, first_line=spliced.head_line)
        if not read.problems and _same_but_for(edit.key, front.values, read.values, wanted):
            return spliced, read
    raise _by_hand(path, front, edit.key)


def _by_hand(path: str, front: Frontmatter, key: str) -> FormatError:
    return FormatError(
        f"{path}:{front.position(key).line}: `{key}` can't be changed here without changing other lines",
        hint="change the line in an editor",
    )


def _wanted(values: dict[str, Any], edit: Edit) -> dict[str, Any]:
    """Return the values that the edit should produce: `values` itself if nothing changes."""
    match edit:
        case RemoveKey(key):
            return {name: value for name, value in values.items() if name != key} if key in values else values
        case SetValue(key, value):
            return _with(values, key, value)
        case AppendItems(key, items):
            old = listed(values.get(key))
            return _with(values, key, [*old, *(x for i, x in enumerate(items) if x not in old and x not in items[:i])])
        case RemoveItems(key, items):
            return _with(values, key, [item for item in listed(values.get(key)) if item not in items])
        case AppendEntry(key, entry):
            return _with(values, key, [*listed(values.get(key)), entry])


def _with(values: dict[str, Any], key: str, value: Plain) -> dict[str, Any]:
    old = values.get(key)
    if same_value(old, value) or (is_absent(old) and is_absent(value)):
        return values
    return {**values, key: value}


def same_value(one: object, other: object) -> bool:
    """Return whether two values read the same: `true` is not `1`, but `1` is `1.0`."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same_value(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same_value(a, b) for a, b in zip(one, other, strict=True))
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _same_outside(before: FencedText, after: FencedText) -> bool:
    """Return whether fences and body are the same bytes."""
    return (before.before, before.between, before.body) == (after.before, after.between, after.body)


def _same_but_for(key: str, before: dict[str, Any], after: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Return whether only the value of `key` differs, and is the wanted one, with all other keys in the same order."""
    others = [name for name in before if name != key]
    return (
        others == [name for name in after if name != key]
        and all(same_value(before[name], after[name]) for name in others)
        and (key in after) == (key in wanted)
        and same_value(after.get(key), wanted.get(key))
    )


# -- ways to write an edit -----------------------------------------------------------------------


def _ways(path: str, text: FencedText, front: Frontmatter, wanted: dict[str, Any], key: str) -> Iterator[str]:
    """Yield versions of the head with the edit made; the one that keeps most of the style comes first."""
    try:
        root = located(front, text.head)
        for way in _edits_of(_Sheet(text.head, root), root.pair(key) if root else None, front.values, wanted, key):
            changes = [ItemChange(c.start, c.end, c.text.replace("\n", text.newline)) for c in way()]
            if changes:
                yield changed(text.head, changes)
    except UnlocatableError as error:
        raise _by_hand(path, front, key) from error


def _edits_of(
    sheet: _Sheet, pair: Pair | None, values: dict[str, Any], wanted: dict[str, Any], key: str
) -> list[Callable[[], list[ItemChange]]]:
    if pair is None:
        return [lambda: sheet.added(key, wanted[key]), lambda: sheet.added_last(key, wanted[key])]
    if key not in wanted:
        return [lambda: sheet.removed(pair), lambda: sheet.removed_with_blank_lines(pair)]
    return [lambda: sheet.in_style(pair, values[key], wanted[key]), lambda: sheet.rewritten(pair, wanted[key])]


_BLANK_LINES = re.compile(r"(?:[ \t]*\r?\n)*")
_ORDER = {key.name: i for i, key in enumerate(KEYS)}


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A head and its positions; the methods return the changes for one edit, with line feeds only."""

    head: str
    root: Mapping | None

    @property
    def flow(self) -> bool:
        """Whether the whole frontmatter is in braces."""
        return self.root is not None and self.root.flow

    # -- adding a key ----------------------------------------------------------------------------

    def added(self, key: str, value: Plain) -> list[ItemChange]:
        """Return the change that adds a key after the nearest key that precedes it in the table."""
        before = self._nearest_before(key)
        if self.root is None or before is None:
            return self.added_last(key, value)
        if self.flow:
            return [ItemChange(before.value.end, before.value.end, f", {self._flow_pair(key, value)}")]
        at = next_line(self.head, before.value.end)
        return [ItemChange(at, at, self._lines(key, value))]

    def added_last(self, key: str, value: Plain) -> list[ItemChange]:
        """Return the change that adds a key before the closing fence."""
        if self.root is not None and self.root.flow:
            at = self.root.pairs[-1].value.end if self.root.pairs else self.root.start + 1
            comma = ", " if self.root.pairs else ""
            return [ItemChange(at, at, f"{comma}{self._flow_pair(key, value)}")]
        return [ItemChange(len(self.head), len(self.head), self._lines(key, value))]

    def _nearest_before(self, key: str) -> Pair | None:
        """Return the pair that `key` should follow according to the table of keys."""
        rank = _ORDER.get(key)
        if self.root is None or rank is None:
            return None
        earlier = [pair for pair in self.root.pairs if _ORDER.get(pair.name, len(KEYS)) < rank]
        return max(earlier, key=lambda pair: _ORDER[pair.name], default=None)

    def _flow_pair(self, key: str, value: Plain) -> str:
        inline, items = parts_of(key, value)
        rest = "[" + ", ".join(items) + "]" if items else inline
        if not isinstance(value, dict | list):
            rest = rest if rest.startswith('"') else flow_value(value)
        return f"{scalar(key, flow=True)}: {rest}"

    def _lines(self, key: str, value: Plain) -> str:
        """Return the lines of a new key with its value."""
        indent = self._indent()
        inline, items = parts_of(key, value)
        return f"{indent}{scalar(key)}:{' ' + inline if inline else ''}\n" + self._item_lines(items)

    def _item_lines(self, items: tuple[str, ...]) -> str:
        return "".join(f"{self._list_indent()}- {item}\n" for item in items)

    def _indent(self) -> str:
        return " " * (self.root.start - line_start(self.head, self.root.start)) if self.root else ""

    def _list_indent(self) -> str:
        """Return the indent of the file's own lists; if it has none, two spaces more than the keys."""
        pairs = self.root.pairs if self.root else ()
        for pair in pairs:
            if isinstance(pair.value, Sequence) and not pair.value.flow:
                start = line_start(self.head, pair.value.start)
                return self.head[start : pair.value.start]
        return self._indent() + "  "

    # -- removing a key --------------------------------------------------------------------------

    def removed(self, pair: Pair) -> list[ItemChange]:
        """Return the change that removes a key and its value."""
        if self.root is None or not self.root.flow:
            return [ItemChange(line_start(self.head, pair.key.start), next_line(self.head, pair.value.end), "")]
        i = self.root.pairs.index(pair)
        if i > 0:
            return [ItemChange(self.root.pairs[i - 1].value.end, pair.value.end, "")]
        end = self.root.pairs[1].key.start if len(self.root.pairs) > 1 else pair.value.end
        return [ItemChange(pair.key.start, end, "")]

    def removed_with_blank_lines(self, pair: Pair) -> list[ItemChange]:
        """Return the change that also removes the blank lines below, which a `|+` text above would take for its own."""
        (change,) = self.removed(pair)
        blank = _BLANK_LINES.match(self.head, change.end)
        return [replace(change, end=blank.end() if blank else change.end)]

    # -- changing a value ------------------------------------------------------------------------

    def in_style(self, pair: Pair, old: Plain, new: Plain) -> list[ItemChange]:
        """Return the changes that write the new value in the style of the old one; empty if that is not possible."""
        place = pair.value
        if isinstance(place, Sequence) and isinstance(old, list) and isinstance(new, list):
            return self._list(pair, place, old, new)
        if isinstance(place, Scalar) and place.style not in ("|", ">") and not isinstance(new, list | dict):
            return [self._scalar(pair.name, place, new)]
        return []

    def _list(self, pair: Pair, place: Sequence, old: list[Plain], new: list[Plain]) -> list[ItemChange]:
        """Return the changes of a list; an emptied list is written `[]`, and its comments stay."""
        if old and new:
            return list_changes(self.head, pair.name, place, old, new)
        if old and not place.flow:
            colon = after_colon(self.head, pair)
            return [ItemChange(colon, colon, " []"), *list_changes(self.head, pair.name, place, old, [])]
        if old or any(isinstance(item, dict) for item in new):
            return []
        items = ", ".join(item_of(pair.name, item, flow=True) for item in new)
        return [ItemChange(place.start + 1, place.start + 1, items)]

    def _scalar(self, key: str, place: Scalar, new: str | float | None) -> ItemChange:
        """Return the change of one scalar, in its old quotes; a number or a YAML word gets none."""
        bare = parts_of(key, new)[0]
        text = scalar(new, style=place.style, flow=self.flow) if place.style or self.flow else bare
        if not place.style and bare.startswith('"'):
            text = bare
        return ItemChange(place.start, place.end, text if place.end > place.start else " " + text)

    def rewritten(self, pair: Pair, new: Plain) -> list[ItemChange]:
        """Return the changes that remove the old value and write the new one as in a new file."""
        if self.flow:
            return [ItemChange(pair.key.start, pair.value.end, self._flow_pair(pair.name, new))]
        inline, items = parts_of(pair.name, new)
        colon = after_colon(self.head, pair)
        changes = self._emptied(pair, colon)
        if items:
            at = line_end(self.head, colon)
            return [*changes, ItemChange(at, at, "\n" + self._item_lines(items).removesuffix("\n"))]
        return [*changes, ItemChange(colon, colon, " " + inline)]

    def _emptied(self, pair: Pair, colon: int) -> list[ItemChange]:
        """Return the changes that leave only comments after a key's colon."""
        place, head = pair.value, self.head
        if place.start == place.end:
            return []
        if isinstance(place, Scalar) and place.style in ("|", ">"):
            header = place.start + len(head[place.start : line_end(head, place.start)].split(None, 1)[0])
            return [ItemChange(colon, header, ""), ItemChange(line_end(head, colon), line_end(head, place.end), "")]
        if line_start(head, place.start) > colon:
            # The value is below its key: its lines go, and comments beside the key stay.
            return [ItemChange(line_start(head, place.start), next_line(head, place.end), "")]
        return [ItemChange(colon, place.end, "")]
