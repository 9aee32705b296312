"""Changes to a list in its own style: items are added and removed, the others and all comments stay as they are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from memstore.files.layout import Scalar, Sequence, line_end, line_start, next_line, without_comments
from memstore.files.render import item_of, scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.files.layout import Node
    from memstore.files.render import Plain


@dataclass(frozen=True, slots=True, order=True)
class ItemChange:
    """A text that replaces the characters from `start` up to `end`."""

    start: int
    end: int
    text: str


def changed(head: str, changes: list[ItemChange]) -> str:
    """Return the text with all changes made; where two of them overlap, the text is removed once."""
    out, at = [], 0
    for change in sorted(changes, key=lambda c: (c.start, c.end)):
        out += [head[at : change.start], change.text]
        at = max(at, change.end)
    return "".join([*out, head[at:]])


@dataclass(frozen=True, slots=True)
class _Run:
    """A step from the old list to the new one: old items `first` up to `last` become `items`."""

    first: int
    last: int
    items: list[Plain]


def list_changes(head: str, key: str, place: Sequence, old: list[Plain], new: list[Plain]) -> list[ItemChange]:
    """Return the changes that turn the list at `place` from `old`, which is not empty, into `new`.

    The text has only line feeds; the caller converts them to the file's line ends.
    """
    style = _Flow(head, key, place) if place.flow else _Block(head, key, place)
    changes: list[ItemChange] = []
    for run in _runs(old, new):
        pairs = min(run.last - run.first, len(run.items))
        for i, item in enumerate(run.items[:pairs], run.first):
            changes += _replaced(place.items[i], item) or style.replaced(i, item)
        if run.first + pairs < run.last:
            changes += style.removed(run.first + pairs, run.last)
        if run.items[pairs:]:
            changes += style.inserted(run.first + pairs, run.items[pairs:])
    return changes


def _runs(old: list[Plain], new: list[Plain]) -> Iterator[_Run]:
    before, after = [json.dumps(item) for item in old], [json.dumps(item) for item in new]
    for what, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what != "equal":
            yield _Run(i1, i2, new[j1:j2])


def _replaced(place: Node, item: Plain) -> list[ItemChange]:
    """Return the change of one scalar item to another in the same quotes; empty unless both are scalars."""
    if not isinstance(place, Scalar) or place.style in ("|", ">") or isinstance(item, list | dict):
        return []
    if place.start == place.end:
        return []
    return [ItemChange(place.start, place.end, scalar(item, style=place.style, flow=True))]


class _Block:
    """A list with a dash and a line for each item."""

    def __init__(self, head: str, key: str, place: Sequence) -> None:
        self.head, self.key, self.place = head, key, place
        self.indent = head[line_start(head, place.start) : place.start]
        self.dash_lines = self._dash_lines()

    def _dash_lines(self) -> list[int]:
        """Return where the line of each item's dash begins."""
        starts = [line_start(self.head, self.place.start)]
        for item in self.place.items[:-1]:
            at = next_line(self.head, item.end)
            while not self.head.startswith(self.indent + "-", at):
                at = next_line(self.head, at)
            starts.append(at)
        return starts

    def _line(self, item: Plain) -> str:
        return f"{self.indent}- {item_of(self.key, item, flow=False)}\n"

    def replaced(self, i: int, item: Plain) -> list[ItemChange]:
        return [*self.removed(i, i + 1), *self.inserted(i + 1, [item])]

    def removed(self, first: int, last: int) -> list[ItemChange]:
        return [
            ItemChange(self.dash_lines[i], next_line(self.head, self.place.items[i].end), "")
            for i in range(first, last)
        ]

    def inserted(self, before: int, items: list[Plain]) -> list[ItemChange]:
        at = next_line(self.head, self.place.items[before - 1].end) if before else self.dash_lines[0]
        return [ItemChange(at, at, "".join(self._line(item) for item in items))]


class _Flow:
    """A list in brackets, on one line or on several."""

    def __init__(self, head: str, key: str, place: Sequence) -> None:
        self.head, self.key, self.place = head, key, place
        self.on_lines = "\n" in head[place.start : place.end]
        ends = [item.start for item in place.items[1:]] + [place.end - 1]
        self.commas = [self._comma(item.end, end) for item, end in zip(place.items, ends, strict=True)]

    def _comma(self, start: int, end: int) -> int | None:
        """Return the offset of the comma between two offsets; None if there is none, as after a last item."""
        at = without_comments(self.head[start:end]).find(",")
        return None if at < 0 else start + at

    def _text(self, item: Plain) -> str:
        return item_of(self.key, item, flow=True)

    def replaced(self, i: int, item: Plain) -> list[ItemChange]:
        place = self.place.items[i]
        return [ItemChange(place.start, place.end, self._text(item))]

    def removed(self, first: int, last: int) -> list[ItemChange]:
        items = self.place.items
        if self.on_lines:
            return [change for i in range(first, last) for change in self._taken_out(i)]
        if first == 0:
            return [ItemChange(items[0].start, items[last].start if last < len(items) else items[-1].end, "")]
        return [ItemChange(items[first - 1].end, items[last - 1].end, "")]

    def _taken_out(self, i: int) -> list[ItemChange]:
        """Return the changes that remove an item and its comma but no comments; a line with nothing else goes too."""
        head, place, comma = self.head, self.place.items[i], self.commas[i]
        end = place.end if comma is None else comma + 1
        if comma is not None and head[place.end : comma].strip():
            return [ItemChange(place.start, place.end, ""), ItemChange(comma, comma + 1, "")]
        begin, finish = line_start(head, place.start), line_end(head, end)
        if not head[begin : place.start].strip() and not head[end:finish].strip():
            return [ItemChange(begin, next_line(head, end), "")]
        return [ItemChange(place.start, end + len(head[end:finish]) - len(head[end:finish].lstrip()), "")]

    def inserted(self, before: int, items: list[Plain]) -> list[ItemChange]:
        texts = [self._text(item) for item in items]
        if before == 0:
            at = self.place.items[0].start
            return [ItemChange(at, at, "".join(text + ", " for text in texts))]
        last = self.place.items[before - 1]
        if not self._stands_alone(last):
            return [ItemChange(last.end, last.end, "".join(", " + text for text in texts))]
        return self._inserted_lines(before - 1, texts)

    def _stands_alone(self, item: Node) -> bool:
        """Return whether an item begins a line."""
        return not self.head[line_start(self.head, item.start) : item.start].strip()

    def _inserted_lines(self, after: int, texts: list[str]) -> list[ItemChange]:
        """Return the changes that insert items on lines of their own, below an item and the comment beside it."""
        last, comma = self.place.items[after], self.commas[after]
        indent = self.head[line_start(self.head, last.start) : last.start]
        end = line_end(self.head, last.end if comma is None else comma)
        if end >= self.place.end:
            # The bracket closes on this line.
            return [ItemChange(last.end, last.end, "".join(f",\n{indent}{text}" for text in texts))]
        if comma is None:
            lines = "".join(f"\n{indent}{text}," for text in texts).removesuffix(",")
            return [ItemChange(last.end, last.end, ","), ItemChange(end, end, lines)]
        return [ItemChange(end, end, "".join(f"\n{indent}{text}," for text in texts))]
