"""What an importer yields: drafts of memories, with the lines of the originals that they cite."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.change import Skipped
from memstore.core.digests import blob_id
from memstore.core.errors import FormatError
from memstore.core.times import instant, stated
from memstore.files.strict_yaml import folded_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from memstore.exchange.source import ImportSource
    from memstore.files.render import Plain

# The longest text of one memory of a conversation; what was said beyond it becomes another.
MOST_CHARACTERS = 200_000
LONGEST_TITLE = 200
LONGEST_VALUE = 2000
DEEPEST = 8
_LARGEST = 10**15


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """An unchanged file of another program: `name` is its path in the source, `data` its bytes."""

    name: str
    data: bytes


class CitedLines(NamedTuple):
    """A range of lines in an original, counted from 1, both ends inclusive."""

    original: Original
    first: int
    last: int


# How a memory that memstore exported says that it is one.
RECORD = "memstore.memory/1"


class Exported(NamedTuple):
    """What memstore wrote of a memory when it exported it: the path of its file, its frontmatter, and its text."""

    path: str
    values: Mapping[str, Any]
    body: str

    @property
    def was_forgotten(self) -> bool:
        """Whether only a note is left of it, that it was forgotten."""
        return self.values.get("status") == "forgotten"


class When(NamedTuple):
    """When something was said: RFC 3339 in UTC, or None; `unread` is what the source states if that can't be read."""

    at: str | None = None
    unread: str = ""


UNKNOWN = When()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory before it is written.

    Attributes:
        key: a permanent name, unique among all sources of the format. The memory's id is derived from it, so a second
            import recognizes the memory. If the source has no ids of its own, `key_of` makes a key.
        where: the place in the source, for messages, like `memory.jsonl:3`.
        type: the type of memory.
        title: one line; if empty, the first heading or sentence of the text serves as the title.
        body: the text.
        source: the origin, as free text.
        source_type: how it is known.
        author: the entity that said it; None if the source doesn't say.
        by_person: whether the person who owns the source said it: the vault's owner, if that is a person.
        made: when it was said, as the source states it.
        user: whom the source says that it is about, as it calls them; empty if it doesn't say.
        cites: the lines of the originals that it comes from.
        derived_from: the keys and types of other drafts that it was derived from.
        marks: further sources in its lineage, like `url:https://example.org`.
        path: the path of its file in the vault, which keeps links between files intact; empty for the usual place.
        values: further keys of the frontmatter.
        exported: the memory that memstore exported to this place, if the source says so. Anybody can write that.
    """

    key: str
    where: str
    type: str
    body: str
    source: str
    source_type: str
    cites: tuple[CitedLines, ...]
    title: str = ""
    author: str | None = None
    by_person: bool = False
    made: When = UNKNOWN
    user: str = ""
    derived_from: tuple[tuple[str, str], ...] = ()
    marks: tuple[str, ...] = ()
    path: str = ""
    values: Mapping[str, Plain] = field(default_factory=dict)
    exported: Exported | None = None


# Why a memory is left out of which only that is known.
FORGOTTEN_THERE = "it was forgotten in the vault that it is from"


if TYPE_CHECKING:
    Importer = Callable[[ImportSource], Iterator[Draft | Skipped]]


def sound(where: str, read: Callable[[], Iterable[Draft | Skipped]]) -> Iterator[Draft | Skipped]:
    """Yield what a record of a source makes; if it can't be read, what says so, so that the others still come in."""
    try:
        yield from read()
    except FormatError as error:
        yield Skipped.unread(where, error)


def utf8(where: str, data: bytes) -> str:
    """Return the text of a file; raise `FormatError` if its bytes are not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"it is not UTF-8 at byte {error.start + 1}: save it as UTF-8", where=where) from error


def key_of(name: str, data: bytes) -> str:
    """Return a key from a name and the content, for a source whose names alone are not unique."""
    return f"{name}@{blob_id(data)}"


# -- text of other programs ------------------------------------------------------------------------


_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\ufeff\ufffe\uffff\ud800-\udfff]")
_NO_WORD = re.compile(r"[^\w/.-]+")


def clean(text: str) -> str:
    """Return a text with line feeds as its only line ends, without half characters and controls, which say nothing."""
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", text))


def in_parts(texts: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    """Yield texts, each with its place, in parts of at most `MOST_CHARACTERS`; a longer text is cut."""
    part: list[tuple[int, str]] = []
    size = 0
    for place, text in enumerate(texts):
        for at in range(0, len(text), MOST_CHARACTERS):
            piece = text[at : at + MOST_CHARACTERS]
            if part and size + len(piece) > MOST_CHARACTERS:
                yield part
                part, size = [], 0
            part.append((place, piece))
            size += len(piece)
    if part:
        yield part


def one_line(value: object, longest: int = LONGEST_TITLE) -> str:
    """Return a value as one line of text, cut to `longest` characters; empty if it is not a text or a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    line = " ".join(clean(str(value)).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def words(value: object) -> list[Plain]:
    """Return tags, without blanks or duplicates, from a list or from a text with commas."""
    listed = value if isinstance(value, list) else str(value).split(",") if isinstance(value, str) else []
    tags = (_NO_WORD.sub("-", one_line(item).lstrip("#")).strip("-") for item in listed)
    return [*dict.fromkeys(tag for tag in tags if tag)]


def time_of(value: object) -> str | None:
    """Return a time that a record states, in UTC; None if it states none that can be read."""
    at = stated(value)
    return instant(at) if at else None


def when(*said: object, saved: str | None = None) -> When:
    """Return the first of the stated times that can be read; if none is stated, that of the file, where it has one."""
    there = [one for one in said if one not in (None, "")]
    at = next(filter(None, map(time_of, there)), None)
    return When(at or saved) if at or not there else When(None, one_line(str(there[0]), 60) or "?")


def _distinct(names: Iterable[object]) -> list[str]:
    """Return names in one line, numbered where frontmatter would take one for another: `Tag`, `tag 2`."""
    found: dict[str, str] = {}
    last: Counter[str] = Counter()
    for name in map(one_line, names):
        free = name
        while folded_key(free) in found:
            last[name] += 1
            free = f"{name} {last[name] + 1}".strip()
        found[folded_key(free)] = free
    return [*found.values()]


def plain(value: Any, *, depth: int = DEEPEST) -> Plain:
    """Return a value of JSON or YAML in a form that frontmatter can hold: one-line texts, numbers, flags, lists, maps.

    Values nested more than `depth` levels deep, and numbers that are too large, become texts. Names that differ only in
    capitals are numbered.
    """
    match value:
        case bool() | None:
            return value
        case int() if abs(value) < _LARGEST:
            return value
        case float() if abs(value) < _LARGEST:
            return round(value, 6)
        case list() if depth:
            return [plain(item, depth=depth - 1) for item in value]
        case dict() if depth:
            return dict(zip(_distinct(value), (plain(item, depth=depth - 1) for item in value.values()), strict=True))
        case _:
            return one_line(str(value), LONGEST_VALUE)
