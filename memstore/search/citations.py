"""Citations of lines of a file at one revision: parse and write them, and check whether the lines are still there."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from memstore.core import digests
from memstore.core.places import is_memory_path
from memstore.files import FILES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.search.opened import Opened
    from memstore.search.ranker import Audience


MOST_LINE = 999_999_999  # a citation's line has nine digits at most
BLOB_DIGITS = 10  # length of an abbreviated blob id in a citation

_PLACE = re.compile(
    r"(?:file:)?(?P<name>.+?)"
    r"(?:(?:\#L?|:L|(?<=\.md):)(?P<start>[1-9]\d{0,8})(?:-L?(?P<end>[1-9]\d{0,8}))?)?"
    r"(?:@(?P<blob>[0-9a-f]{4,64}))?",
    re.DOTALL,
)
_IN_BODY = re.compile(r"\[\[([^\[\]#\n]{1,300}#L\d{1,9}(?:-L\d{1,9})?@[0-9a-f]{4,64})\]\]")


@dataclass(frozen=True, slots=True)
class Place:
    """The target of a citation: a ref or path, lines (None: the whole text), and a blob (None: the current file)."""

    name: str
    lines: tuple[int, int] | None = None
    blob: str | None = None


def parse_place(text: str) -> Place:
    """Return the place that a text names: `REF:L3-L5`, `[[ref#L3-L5@blob]]`, `file:path#L3@blob`, `path.md:3`."""
    found = _PLACE.fullmatch(text.strip().removeprefix("[[").removesuffix("]]"))
    if found is None:
        return Place(text)
    lines = None
    if found["start"]:
        first, last = int(found["start"]), int(found["end"] or found["start"])
        lines = (min(first, last), max(first, last))
    return Place(found["name"], lines, found["blob"])


def citation_text(ref: str, lines: tuple[int, int], blob: str) -> str:
    """Return a citation in the form used in bodies: `[[ref#L3-L5@blob]]`."""
    return f"[[{ref}#{lines_mark(*lines)}@{blob[:BLOB_DIGITS]}]]"


def lines_mark(first: int, last: int) -> str:
    """Return lines as they stand in a citation: `L3-L5`, or `L3`."""
    return f"L{first}" if first == last else f"L{first}-L{last}"


def places_in(body: str, sources: Sequence[str]) -> Iterator[Place]:
    """Yield the places that a memory cites: those in its body, and the `file:` citations among its sources."""
    yield from (parse_place(found) for found in _IN_BODY.findall(body))
    for source in sources:
        if source.startswith("file:") and (place := parse_place(source)).lines and place.blob:
            yield place


def lines_of(data: bytes) -> list[str]:
    """Return the lines of a file, to compare them."""
    return data.decode(errors="replace").removesuffix("\n").split("\n")


class CitationStanding(Enum):
    """Whether cited lines are still in the file."""

    SAME = "same"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class CitationVerdict:
    """Whether cited lines are still in the file, and where they are now; GONE has no lines."""

    standing: CitationStanding
    lines: tuple[int, int] | None = None


def compare(old: Sequence[str], new: Sequence[str], lines: tuple[int, int]) -> CitationVerdict:
    """Return where the lines `lines` (from 1, inclusive) of `old` are in `new`; line endings are ignored."""
    if found := _where(old, new, lines):
        return CitationVerdict(CitationStanding.SAME if found == lines else CitationStanding.MOVED, found)
    return _changed([line.rstrip("\r") for line in old], [line.rstrip("\r") for line in new], lines)


def _where(old: Sequence[str], new: Sequence[str], lines: tuple[int, int]) -> tuple[int, int] | None:
    """Return the place of these lines of `old` in `new`, the nearest if there are several; None if there is none."""
    first, last = lines
    cited = [line.rstrip("\r") for line in old[first - 1 : last]]
    there = [line.rstrip("\r") for line in new]
    if there[first - 1 : last] == cited:
        return lines
    width = len(cited)
    found = [
        at + 1 for at in range(len(there) - width + 1) if there[at] == cited[0] and there[at : at + width] == cited
    ]
    nearest = min(found, key=lambda at: (abs(at - first), at), default=None)
    return None if nearest is None else (nearest, nearest + width - 1)


def _changed(old: list[str], new: list[str], lines: tuple[int, int]) -> CitationVerdict:
    """Return the lines that replaced the cited ones, or GONE if nothing did."""
    first, last = lines
    touched: list[int] = []
    for tag, old_start, old_end, new_start, new_end in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        start, end = max(old_start, first - 1), min(old_end, last)
        if start >= end or tag == "delete":
            continue
        if tag == "equal":
            touched += [new_start + start - old_start, new_start + end - old_start - 1]
        else:
            touched += [new_start, new_end - 1]
    if not touched:
        return CitationVerdict(CitationStanding.GONE)
    return CitationVerdict(CitationStanding.CHANGED, (min(touched) + 1, max(touched) + 1))


# -- for the quality of a hit ----------------------------------------------------------------------


def cites_standing_lines(audience: Audience, file: Opened) -> bool:
    """Whether a memory cites, in its text or as a source, lines that still stand in at least one file.

    In a file that has changed since, the lines are looked for by the vault's owner alone, who has its history.
    """
    places = [place for place in places_in(file.text.body, file.entry.derived_from) if place.blob]
    if any(_is_unchanged(audience, place) for place in places):
        return True
    if not places or not audience.then.is_owners:
        return False
    old = audience.then.blobs({place.blob or "" for place in places})
    return any(
        _still_stand(before, audience, place)
        for place in places
        for blob, before in old.items()
        if blob.startswith(place.blob or "")
    )


def _is_unchanged(audience: Audience, place: Place) -> bool:
    blob = place.blob or ""
    rows = _rows_of(audience, place)
    if rows is not None:
        return any(audience.column("blob")[row].startswith(blob) for row in rows)
    data = audience.then.of(FILES).cited(place.name)
    return data is not None and digests.is_blob(data, blob)


def _still_stand(before: bytes, audience: Audience, place: Place) -> bool:
    """Whether the cited lines of a file's earlier bytes are in it now, wherever."""
    old = lines_of(before)
    if place.lines is None or not 1 <= place.lines[0] <= place.lines[1] <= len(old):
        return False
    rows = _rows_of(audience, place)
    if rows is None:
        now = [audience.then.of(FILES).cited(place.name)]
    else:
        paths = audience.column("path")
        now = [file.data if file else None for file in map(audience.then.text, [paths[row] for row in rows])]
    return any(_where(old, lines_of(data), place.lines) for data in now if data is not None)


def _rows_of(audience: Audience, place: Place) -> Sequence[int] | None:
    """Return the visible rows that a citation names, by id or path; None if it names a file that is no memory's."""
    if rows := audience.then.rows_of_id(place.name.rpartition(":")[2]):
        return rows
    if not is_memory_path(place.name, mixed=audience.then.config.mixed):
        return None
    paths = audience.column("path")
    return [row for row in audience.rows if paths[row] == place.name]
