"""Plain notes: Markdown files that are not memories, read loosely because another program or a person wrote them.

Nothing in them is an error: front matter that isn't YAML is text, and bytes that aren't UTF-8 are read as U+FFFD. A
note's keys never make it visible to anybody, and it is never rewritten.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memstore.core.ids import is_entity_id
from memstore.core.memory import Memory
from memstore.core.places import RegistryKind, kind_of, page_name, stem_of
from memstore.core.times import instant, stated, time_in
from memstore.files import fence
from memstore.files.fence import BOM, FencedText
from memstore.files.strict_yaml import folded_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NOTE_TYPE = "note"

_TOML = re.compile(r"\+\+\+[ \t]*\r?\n")
_TOML_END = re.compile(r"^\+\+\+[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_CODE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#[ \t]+(.*)")  # those below it head a section, not the note
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*$")
# The first heading is looked for in this many lines.
MOST_LINES_TO_HEADING = 200
LONGEST_TITLE = 200
# The properties of a page in Logseq: lines `key:: value` before anything else, also as the first item of a list.
_PROPERTIES = re.compile(r"(?:- (?=[^\s:]+::)|\s*\n)?((?: {0,2}[^\s:]+::(?:[ \t][^\n]*)?(?:\n|\Z))+)")
_PAGE_LINK = re.compile(r"#?\[\[(.*?)\]\]")
# What basic-memory calls a note in links; to Jekyll and others a permalink is an address, or true or false.
_PERMALINK = re.compile(r"(?!(?:true|false)\Z)[\w-]+(?:/[\w-]+)*")
# A day in a file's name: 2026-02-01, 20260201, 202602011530.
_DAY_IN_NAME = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?:\d{4}|\d{6})?(?!\d)")
_MONTH = re.compile(r"\s*(\d{4})[-/](\d\d?)\s*", re.ASCII)
# Keys that programs use for the creation date and, failing that, for the last modification.
_CREATED = ("created_at", "created", "date", "date_created", "creation_date", "date created", "timestamp")
_MODIFIED = ("modified", "updated", "lastmod", "last_modified", "date modified")
_TAGS = ("tags", "tag", "keywords", "categories")
_ALIASES = ("aliases", "alias")
# The keys whose values a note's memory has in fields of its own.
_READ = frozenset({"title", *_TAGS, *_ALIASES, *_CREATED, *_MODIFIED})

# In a vault with other programs' notes, a fence makes a memory if it has an id of memstore (a suggestion's counts, too)
# or an owner.
_ID_LINE = re.compile(rb"^(?:\"id\"|'id'|id)[ \t]*:[ \t]*[\"']?(?:m_|prop_[0-9a-f]{12})", re.MULTILINE)
# With its continuation lines: a mangled value still says whose it is.
_OWNER_LINES = re.compile(
    rb"^[ \t{?]*(?:\"owner\"|'owner'|owner)[ \t]*:?((?:[^\n]*)(?:\n(?:[ \t:]|- )[^\n]*)*)", re.MULTILINE
)
_WORD = re.compile(rb"[^\s\"'\[\]{},]+")


def means_to_be_memory(data: bytes) -> bool:
    """Return whether a file in a vault with notes of other programs claims to be a memory, readable or not.

    A line of its fence begins with an id of memstore or with an owner. If it were taken for a note, everything else in
    the fence about who may see it would be lost.
    """
    head = fence.head_of(data)
    if _ID_LINE.search(head):
        return True
    return any(
        is_entity_id(word.decode(errors="replace"))
        for found in _OWNER_LINES.finditer(head)
        for word in _WORD.findall(found[1])
    )


# Every registry file has one of these: the id of an entity, a group or a context, or who consents.
_REGISTRY_LINE = re.compile(
    rb"""
    ^[ \t{?]*["']?(?:
        id["']?[ \t]*:[ \t]*["']?[a-z][a-z0-9_-]*:[^\s]
        | grantor["']?[ \t]*:
        | type["']?[ \t]*:[ \t]*["']?(?:consent|delegation|revocation|witness-request)\b
    )
    """,
    re.MULTILINE | re.VERBOSE,
)
MOST_BYTES_TO_CLAIM = 16_384


def means_to_be_registry(data: bytes) -> bool:
    """Return whether a file at a registry file's place, in a vault with notes of other programs, claims to be one.

    Args:
        data: its bytes; the first `MOST_BYTES_TO_CLAIM` decide.
    """
    return _REGISTRY_LINE.search(data[:MOST_BYTES_TO_CLAIM]) is not None


def is_registry(path: str, data: bytes) -> bool:
    """Return whether a file in a vault with other notes is a registry file: by its place, and by what it claims."""
    kind = kind_of(path)
    return kind is RegistryKind.VERDICT or (kind is not None and means_to_be_registry(data))


def is_foreign(path: str, data: bytes, *, mixed: bool) -> bool:
    """Return whether a file in a registry folder is another program's note or data."""
    return mixed and kind_of(path) is not None and not is_registry(path, data)


def parts(data: bytes) -> FencedText:
    """Return the parts of a note; anything that is not YAML or TOML front matter belongs to the body."""
    return read(data)[0]


def note(path: str, data: bytes) -> tuple[FencedText, Memory, Mapping[str, Any]]:
    """Return the parts of a note, what is known of it (title, date, tags, aliases, text), and its front matter."""
    text, front = read(data)
    values = {**_properties(text.body), **folded(front)}
    names = _words_of(values, *_ALIASES, by=",")
    permalink, foreign_id = _line_of(values.get("permalink")), _line_of(values.get("id"))
    more = (permalink if _PERMALINK.fullmatch(permalink) else "", foreign_id)
    memory = Memory(
        type=NOTE_TYPE,
        title=_title(path, values, text.body),
        tags=_words_of(values, *_TAGS, by=r"[,\s]"),
        aliases=tuple(dict.fromkeys((*names, *filter(None, more)))),
        created_at=_created_at(path, values),
        body=text.body,
        extra={name: value for name, value in front.items() if folded_key(name) not in _READ},
    )
    return text, memory, front


def folded(front: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a note's front matter by key, however people write that: `Tags`, `TITLE`."""
    found: dict[str, Any] = {}
    for name, value in front.items():
        found.setdefault(folded_key(name), value)
    return found


def read(data: bytes) -> tuple[FencedText, Mapping[str, Any]]:
    """Return the parts of a note, and the values of its front matter; for YAML every scalar is a text."""
    text = data.decode("utf-8", "replace")
    clean = text.encode() if "\N{REPLACEMENT CHARACTER}" in text else data
    if isinstance(fenced := fence.split(clean), FencedText):
        values = _yaml(fenced.head)
        if values is not None:
            return fenced, values
    elif _TOML.match(text) and (found := _toml(text)):
        return found
    mark = BOM if data.startswith(BOM) else b""
    return FencedText(before=mark, head="", between=b"", body=text.removeprefix("\ufeff"), body_line=1), {}


def _yaml(head: str) -> Mapping[str, Any] | None:
    """Return the values of a YAML map, every scalar as text; None if it is not a map."""
    import yaml

    try:
        values = yaml.load(head, getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # noqa: S506 -- makes only strings
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        return None
    if values is None or values == "":
        return {}
    return {str(name): value for name, value in values.items()} if isinstance(values, dict) else None


def _toml(text: str) -> tuple[FencedText, Mapping[str, Any]] | None:
    """Return the parts of a text that begins with a TOML fence; None if that is not closed or can't be read."""
    import tomllib

    opening = _TOML.match(text)
    closing = _TOML_END.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    head, body = text[opening.end() : closing.start()], text[closing.end() :]
    try:
        values = tomllib.loads(head.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    return (
        FencedText(
            before=opening[0].encode(),
            head=head,
            between=closing[0].encode(),
            body=body,
            body_line=text.count("\n", 0, closing.end()) + 1,
        ),
        values,
    )


def _properties(body: str) -> Mapping[str, Any]:
    """Return the properties that a page of Logseq begins with; tags and aliases as lists, since they have commas."""
    found = _PROPERTIES.match(body)
    pairs = (line.removeprefix("- ").strip().partition("::") for line in (found[1].splitlines() if found else ()))
    values = {key.casefold(): _PAGE_LINK.sub(r"\1", value).strip() for key, _, value in pairs}
    listed = {key: re.split(r"[,\uff0c]", values[key]) for key in ("tags", "alias") if key in values}
    return {key: values[key] for key in ("title", *_CREATED, *_MODIFIED) if key in values} | listed


def _title(path: str, values: Mapping[str, Any], body: str) -> str:
    """Return the title from the front matter, else the first heading of level 1, else the file's name."""
    title = (
        _line_of(values.get("title")) or _line_of(_first_heading(body)) or page_name(path) or _line_of(stem_of(path))
    )
    return title[:LONGEST_TITLE]


def _first_heading(body: str) -> str:
    in_code, above = "", ""
    for line in body.split("\n", MOST_LINES_TO_HEADING)[:MOST_LINES_TO_HEADING]:
        if fence_line := _CODE.match(line):
            sign = fence_line[1]
            if not in_code:
                in_code = sign
            elif sign.startswith(in_code):
                in_code = ""
        elif not in_code:
            if (heading := _HEADING.match(line)) and (text := heading[1].rstrip(" \t").rstrip("#").rstrip(" \t")):
                return " ".join(text.split())
            if above and _UNDERLINE.match(line):
                return " ".join(above.split())
        above = line.strip()
    return ""


def _line_of(value: Any) -> str:
    """Return a value as one line of text; empty if it can't be one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    line = " ".join(str(value).replace("\0", "\N{REPLACEMENT CHARACTER}").split())
    return line.encode("utf-8", "replace").decode()  # YAML escapes can spell lone surrogates


def _words_of(values: Mapping[str, Any], *names: str, by: str) -> tuple[str, ...]:
    """Return the words that front matter has under these names, as a list or on one line."""
    found: list[str] = []
    for name in names:
        value = values.get(name)
        listed = value if isinstance(value, list) else re.split(by, value) if isinstance(value, str) else []
        found += (_line_of(item).removeprefix("#") for item in listed)
    return tuple(dict.fromkeys(item for item in found if item))


def _created_at(path: str, values: Mapping[str, Any]) -> str | None:
    """Return when a note was made, RFC 3339 in UTC, from its front matter or its name; None if neither says."""
    days: Iterator[str | None] = (_instant(values.get(name)) for name in (*_CREATED, *_MODIFIED))
    return next((day for day in days if day), None) or _day_in_name(path)


def unread_dates(data: bytes) -> list[tuple[str, str]]:
    """Return the dates in a note's front matter that can't be read, each with its key."""
    values = read(data)[1]
    said = ((name, _line_of(value)) for name, value in values.items() if folded_key(name) in (*_CREATED, *_MODIFIED))
    return [(name, text) for name, text in said if text and _instant(values[name]) is None]


def unread_parts(data: bytes) -> Iterator[tuple[str, int, str]]:
    """Yield what of a note is only text to memstore, or not even that: a finding's code, the line, and why."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        yield "note-encoding", data.count(b"\n", 0, error.start) + 1, f"byte {data[error.start]:#04x} is no UTF-8"
        data = data.decode("utf-8", "replace").encode()
    if isinstance(fenced := fence.split(data), FencedText):
        import yaml

        try:
            yaml.load(fenced.head, getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # noqa: S506 -- makes only strings
        except (yaml.YAMLError, ValueError, RecursionError, TypeError) as unread:
            mark = getattr(unread, "problem_mark", None)
            line = fenced.head_line + (min(mark.line, fenced.head.count("\n")) if mark else 0)
            yield "note-frontmatter", line, getattr(unread, "problem", None) or "it is no YAML"


def _day_in_name(path: str) -> str | None:
    for found in _DAY_IN_NAME.finditer(stem_of(path)):
        year, _, month, day = found.groups()
        try:
            return instant(datetime(int(year), int(month), int(day), tzinfo=UTC))
        except ValueError:
            continue
    return None


def _instant(value: Any) -> str | None:
    """Return a time in UTC; a time without a zone counts as UTC, and a month alone is its first day."""
    month = _MONTH.fullmatch(value) if isinstance(value, str) else None
    if at := time_in(f"{month[1]}-{month[2]:0>2}-01" if month else value) or stated(value):
        return instant(at)
    return _day_in_name(value) if isinstance(value, str) else None
