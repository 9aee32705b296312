"""The positions of a frontmatter's values in its text, found by ruamel.yaml, which writes nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.files.strict_yaml import Frontmatter


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar and its position: offsets in characters, `end` exclusive; `style` is `'`, `"`, `|`, `>` or empty."""

    start: int
    end: int
    style: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list; it ends with its closing bracket or its last item."""

    start: int
    end: int
    flow: bool
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Mapping:
    """A map; it ends with its closing brace or last value, and the map of all keys with the text."""

    start: int
    end: int
    flow: bool
    pairs: tuple[Pair, ...]

    def pair(self, name: str) -> Pair | None:
        """Return the pair of a key, or None if the key is missing."""
        return next((pair for pair in self.pairs if pair.name == name), None)


Node = Scalar | Sequence | Mapping


@dataclass(frozen=True)
class Pair:
    """A key and its value; `find` is called for their positions when these are needed.

    Raises:
        UnlocatableError: by `key` and `value`, if the positions can't be determined.
    """

    name: str
    find: Callable[[], tuple[Scalar, Node]]

    @cached_property
    def _places(self) -> tuple[Scalar, Node]:
        return self.find()

    @property
    def key(self) -> Scalar:
        """The key's position."""
        return self._places[0]

    @property
    def value(self) -> Node:
        """The value's position."""
        return self._places[1]


class UnlocatableError(Exception):
    """The text can be read, but positions in it can't be determined."""


def located(front: Frontmatter, head: str) -> Mapping | None:
    """Return the positions in a frontmatter that was read from `head`; None if it is empty.

    If each key begins a line, each is parsed by itself, and only when its position is needed: finding all positions
    with ruamel.yaml takes ten times longer than the strict reader takes for everything.

    Raises:
        UnlocatableError: ruamel.yaml can't parse this spelling; the returned positions may raise it, too.
    """
    starts = _line_of_each_key(front, head)
    if not starts:
        return locate(head)
    whole = cache(lambda: locate(head))

    def found_in(name: str, start: int, end: int) -> Callable[[], tuple[Scalar, Node]]:
        return lambda: _alone(name, head, start, end) or _find_key(name, whole())

    ends = [*starts.values(), len(head)]
    pairs = (Pair(name, found_in(name, *part)) for name, part in zip(starts, pairwise(ends), strict=True))
    first = ends[0] + front.position(next(iter(starts))).column - 1
    return Mapping(first, len(head), flow=False, pairs=tuple(pairs))


def _line_of_each_key(front: Frontmatter, head: str) -> dict[str, int]:
    """Return where the line of each key begins; empty if a key doesn't begin its line, as in braces."""
    lines = [0, *(m.end() for m in re.finditer("\n", head))]
    starts: dict[str, int] = {}
    for name in front.values:
        at = front.position(name)
        start = lines[at.line - front.first_line]
        if head[start : start + at.column - 1].strip(" "):
            return {}
        starts[name] = start
    above = head[: min(starts.values(), default=0)]
    return {} if without_comments(above).strip() else starts


def parts_by_key(front: Frontmatter, head: str) -> dict[str, str] | None:
    """Return the text of each key with its value and the comments above it; joined, they are the head.

    Returns:
        The parts in file order, with comments below the last key under an empty name; None if the keys are not on lines
        of their own.
    """
    starts = _line_of_each_key(front, head)
    if not starts or "" in starts:
        return None
    first = next(iter(starts))
    indent = front.position(first).column - 1
    cuts = [0]
    for start, end in pairwise([*starts.values(), len(head)]):
        cuts.append(_comments_start(head, start, end, indent))
    parts = dict(zip(starts, (head[start:end] for start, end in pairwise(cuts)), strict=True))
    return {**parts, "": head[cuts[-1] :]}


def _comments_start(head: str, start: int, end: int, indent: int) -> int:
    """Return where the comments begin that follow the lines of a key and belong to what is below them.

    They are not indented deeper than keys: in a literal text a line like these is text.
    """
    lines = head[start:end].splitlines(keepends=True)
    found, at = end, end
    for line in reversed(lines[1:]):
        text = line.lstrip(" ")
        if text.startswith("#") and len(line) - len(text) <= indent:
            found = at - len(line)
        elif text.strip():
            break
        at -= len(line)
    return found


def _alone(name: str, head: str, start: int, end: int) -> tuple[Scalar, Node] | None:
    """Return the positions of a key and its value that occupy exactly these lines; None if they don't."""
    try:
        node = _composed(head[start:end])
        pairs = [_pair(key, value, head, start) for key, value in node.value] if node.id == "mapping" else []
    except UnlocatableError:
        return None
    return (pairs[0].key, pairs[0].value) if [pair.name for pair in pairs] == [name] else None


def _find_key(name: str, root: Mapping | None) -> tuple[Scalar, Node]:
    pair = root.pair(name) if root else None
    if pair is None:
        raise UnlocatableError(f"the key {name!r} is not found again")
    return pair.key, pair.value


def locate(head: str) -> Mapping | None:
    """Return the positions of everything between the fences; None if there is nothing.

    Raises:
        UnlocatableError: ruamel.yaml can't parse this spelling.
    """
    node = _composed(head)
    found = None if node is None else _node(node, head, 0)
    if found is not None and not isinstance(found, Mapping):
        raise UnlocatableError("the frontmatter is not a map")
    return found


def _composed(text: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        # Without a list of plug-ins, ruamel.yaml looks for them in its folder, each time.
        return YAML(typ="safe", pure=True, plug_ins=[]).compose(text)
    except YAMLError as error:
        raise UnlocatableError(str(error)) from error


def _node(node: Any, head: str, at: int) -> Node:
    """Return the position of a node in the text that begins at `at`."""
    start, end, style = node.start_mark.index + at, node.end_mark.index + at, getattr(node, "style", None) or ""
    if node.id == "scalar":
        return Scalar(start, _block_scalar_end(head, start, end) if style in ("|", ">") else end, style)
    flow = bool(node.flow_style)
    if node.id == "sequence":
        items = _items(node.value, head, start, at, flow=flow)
        return Sequence(start, end if flow else items[-1].end, flow, items)
    pairs = tuple(_pair(key, value, head, at) for key, value in node.value)
    return Mapping(start, end if flow else pairs[-1].value.end, flow, pairs)


def _pair(key: Any, value: Any, head: str, at: int) -> Pair:
    if key.id != "scalar":
        raise UnlocatableError("a key that is not a word")
    place = _node(key, head, at)
    assert isinstance(place, Scalar)  # noqa: S101 - for the type checker; the line above ensures it
    found = _node(value, head, at)
    # For a missing value, ruamel.yaml gives the position of whatever comes next.
    if found.start == found.end:
        colon = head.find(":", place.end, found.start)
        found = _nothing_at(place.end if colon < 0 else colon + 1)
    return Pair(key.value, lambda: (place, found))


def _items(nodes: list[Any], head: str, start: int, at: int, *, flow: bool) -> tuple[Node, ...]:
    items: list[Node] = []
    for node in nodes:
        item = _node(node, head, at)
        if item.start == item.end and not flow:
            gap = without_comments(head[start : item.start])
            item = _nothing_at(start + gap.index("-") + 1)
        items.append(item)
        start = item.end
    return tuple(items)


def _nothing_at(at: int) -> Scalar:
    return Scalar(at, at, "")


# A `#` begins a comment after white space or at the start of a line.
_COMMENT = re.compile(r"(?:(?<=\s)|^)#[^\n]*")


def without_comments(text: str) -> str:
    """Return the text between two values with comments blanked out, so that punctuation can be found."""
    return _COMMENT.sub(lambda m: " " * len(m[0]), text)


_KEEPS_BLANKS = re.compile(r"[|>][0-9]?\+")


def _block_scalar_end(head: str, start: int, end: int) -> int:
    """Return where the last line of a block scalar ends; the blank lines after it belong to it only with `+`."""
    text = head[start:end]
    kept = text.removesuffix("\n").removesuffix("\r") if _KEEPS_BLANKS.match(text) else text.rstrip()
    return line_end(head, start + len(kept))


def line_start(head: str, at: int) -> int:
    """Return where the line that contains `at` begins."""
    return head.rfind("\n", 0, at) + 1


def line_end(head: str, at: int) -> int:
    """Return where the line that contains `at` ends, before its line end."""
    end = head.find("\n", at)
    end = len(head) if end < 0 else end
    return end - 1 if end > at and head[end - 1] == "\r" else end


def next_line(head: str, at: int) -> int:
    """Return where the line after the one that contains `at` begins."""
    end = head.find("\n", at)
    return len(head) if end < 0 else end + 1


def after_colon(head: str, pair: Pair) -> int:
    """Return the offset right after a key's colon."""
    return head.index(":", pair.key.end) + 1
