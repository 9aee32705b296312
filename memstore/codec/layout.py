"""Where the values of a frontmatter stand in its text; ruamel.yaml finds the places and writes nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar and its place: offsets in characters, `end` exclusive; `style` is `'`, `"`, `|`, `>` or empty."""

    start: int
    end: int
    style: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list; it ends where its closing bracket or its last item does."""

    start: int
    end: int
    flow: bool
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Mapping:
    """A map; it ends where its closing brace or its last value does."""

    start: int
    end: int
    flow: bool
    pairs: tuple[Pair, ...]

    def pair(self, name: str) -> Pair | None:
        """Return the pair of a key, or None where the key is missing."""
        return next((pair for pair in self.pairs if pair.name == name), None)


Node = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class Pair:
    """A key and its value."""

    name: str
    key: Scalar
    value: Node


class UnlocatableError(Exception):
    """The text can be read, and yet the places in it can't be told."""


def locate(head: str) -> Mapping | None:
    """Return the places of all that stands between the fences; None where there is nothing.

    Raises:
        UnlocatableError: ruamel.yaml does not follow this spelling.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        node = YAML(typ="safe", pure=True).compose(head)
    except YAMLError as error:
        raise UnlocatableError(str(error)) from error
    found = None if node is None else _node(node, head)
    if found is not None and not isinstance(found, Mapping):
        raise UnlocatableError("the frontmatter is no map")
    return found


def _node(node: Any, head: str) -> Node:
    start, end, style = node.start_mark.index, node.end_mark.index, getattr(node, "style", None) or ""
    if node.id == "scalar":
        return Scalar(start, _block_scalar_end(head, start, end) if style in ("|", ">") else end, style)
    flow = bool(node.flow_style)
    if node.id == "sequence":
        items = _items(node.value, head, start, flow=flow)
        return Sequence(start, end if flow else items[-1].end, flow, items)
    pairs = tuple(_pair(key, value, head) for key, value in node.value)
    return Mapping(start, end if flow else pairs[-1].value.end, flow, pairs)


def _pair(key: Any, value: Any, head: str) -> Pair:
    if key.id != "scalar":
        raise UnlocatableError("a key that is no word")
    place = _node(key, head)
    assert isinstance(place, Scalar)  # noqa: S101 - tells the type checker what the line above made sure of
    found = _node(value, head)
    # ruamel.yaml takes what comes next for the place of a value that is not there.
    if found.start == found.end:
        colon = head.find(":", place.end, found.start)
        found = _nothing_at(place.end if colon < 0 else colon + 1)
    return Pair(key.value, place, found)


def _items(nodes: list[Any], head: str, start: int, *, flow: bool) -> tuple[Node, ...]:
    items: list[Node] = []
    for node in nodes:
        item = _node(node, head)
        if item.start == item.end and not flow:
            gap = without_comments(head[start : item.start])
            item = _nothing_at(start + gap.index("-") + 1)
        items.append(item)
        start = item.end
    return tuple(items)


def _nothing_at(at: int) -> Scalar:
    return Scalar(at, at, "")


# A `#` begins a comment after a blank or at the start of a line.
_COMMENT = re.compile(r"(?:(?<=\s)|^)#[^\n]*")


def without_comments(text: str) -> str:
    """Return what stands between two values with blanks instead of comments, so that its signs can be found."""
    return _COMMENT.sub(lambda m: " " * len(m[0]), text)


_KEEPS_BLANKS = re.compile(r"[|>][0-9]?\+")


def _block_scalar_end(head: str, start: int, end: int) -> int:
    """Return where the last line of a block scalar ends; the blank lines after it are its own only with `+`."""
    text = head[start:end]
    kept = text.removesuffix("\n").removesuffix("\r") if _KEEPS_BLANKS.match(text) else text.rstrip()
    return line_end(head, start + len(kept))


def line_start(head: str, at: int) -> int:
    """Return where the line that holds `at` begins."""
    return head.rfind("\n", 0, at) + 1


def line_end(head: str, at: int) -> int:
    """Return where the line that holds `at` ends, before its line end."""
    end = head.find("\n", at)
    end = len(head) if end < 0 else end
    return end - 1 if end > at and head[end - 1] == "\r" else end


def next_line(head: str, at: int) -> int:
    """Return where the line after the one that holds `at` begins."""
    end = head.find("\n", at)
    return len(head) if end < 0 else end + 1


def after_colon(head: str, pair: Pair) -> int:
    """Return the place right after the colon of a key."""
    return head.index(":", pair.key.end) + 1
