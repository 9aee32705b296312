"""Where the values of a frontmatter stand in its text; ruamel.yaml finds the places and writes nothing."""

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
    """A map; it ends where its closing brace or its last value does, that of all keys where their text does."""

    start: int
    end: int
    flow: bool
    pairs: tuple[Pair, ...]

    def pair(self, name: str) -> Pair | None:
        """Return the pair of a key, or None where the key is missing."""
        return next((pair for pair in self.pairs if pair.name == name), None)


Node = Scalar | Sequence | Mapping


@dataclass(frozen=True)
class Pair:
    """A key and its value; `find` is asked where they stand when that matters.

    Raises:
        UnlocatableError: by `key` and `value`, where that can't be told.
    """

    name: str
    find: Callable[[], tuple[Scalar, Node]]

    @cached_property
    def _places(self) -> tuple[Scalar, Node]:
        return self.find()

    @property
    def key(self) -> Scalar:
        """Where the key stands."""
        return self._places[0]

    @property
    def value(self) -> Node:
        """Where the value stands."""
        return self._places[1]


class UnlocatableError(Exception):
    """The text can be read, and yet the places in it can't be told."""


def located(front: Frontmatter, head: str) -> Mapping | None:
    """Return the places in a frontmatter that was read from `head`; None where there is nothing.

    Of keys below each other each is looked at by itself, and only when its place is asked for: ruamel.yaml takes ten
    times longer to find all places than the strict reader takes for everything.

    Raises:
        UnlocatableError: ruamel.yaml does not follow this spelling; the places that are returned may raise it, too.
    """
    starts = _line_of_each_key(front, head)
    if not starts:
        return locate(head)
    whole = cache(lambda: locate(head))

    def found_in(name: str, start: int, end: int) -> Callable[[], tuple[Scalar, Node]]:
        return lambda: _alone(name, head, start, end) or _among(name, whole())

    ends = [*starts.values(), len(head)]
    pairs = (Pair(name, found_in(name, *part)) for name, part in zip(starts, pairwise(ends), strict=True))
    first = ends[0] + front.position(next(iter(starts))).column - 1
    return Mapping(first, len(head), flow=False, pairs=tuple(pairs))


def _line_of_each_key(front: Frontmatter, head: str) -> dict[str, int]:
    """Return where the line of each key begins; nothing where one does not begin its line, as in braces."""
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
    """Return the text of each key with its value and the comments above it; joined they are the head.

    Returns:
        The parts in the order of the file, comments below the last key under an empty name; None where keys don't
        stand below each other.
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
    """Return where the comments begin that end the lines of a key, and belong to what stands below them.

    They are indented no deeper than keys: in a literal text a line like these is text.
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
    """Return the places of a key and its value, which begin and end with these lines; None where that is not so."""
    try:
        node = _composed(head[start:end])
        pairs = [_pair(key, value, head, start) for key, value in node.value] if node.id == "mapping" else []
    except UnlocatableError:
        return None
    return (pairs[0].key, pairs[0].value) if [pair.name for pair in pairs] == [name] else None


def _among(name: str, root: Mapping | None) -> tuple[Scalar, Node]:
    pair = root.pair(name) if root else None
    if pair is None:
        raise UnlocatableError(f"the key {name!r} is not found again")
    return pair.key, pair.value


def locate(head: str) -> Mapping | None:
    """Return the places of all that stands between the fences; None where there is nothing.

    Raises:
        UnlocatableError: ruamel.yaml does not follow this spelling.
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
        return YAML(typ="safe", pure=True).compose(text)
    except YAMLError as error:
        raise UnlocatableError(str(error)) from error


def _node(node: Any, head: str, at: int) -> Node:
    """Return the place of a node of the text that begins at `at`."""
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
    assert isinstance(place, Scalar)  # noqa: S101 - tells the type checker what the line above made sure of
    found = _node(value, head, at)
    # ruamel.yaml takes what comes next for the place of a value that is not there.
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
