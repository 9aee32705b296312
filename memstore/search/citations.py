"""Citations: lines of a file at one of its revisions, how they are written, and whether they still stand."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOB_DIGITS = 10  # of an abbreviated blob id, as people read it

_PLACE = re.compile(
    r"(?:file:)?(?P<name>.+?)"
    r"(?:(?:\#L?|:L|(?<=\.md):)(?P<start>[1-9]\d{0,8})(?:-L?(?P<end>[1-9]\d{0,8}))?)?"
    r"(?:@(?P<blob>[0-9a-f]{4,64}))?",
    re.DOTALL,
)
_IN_BODY = re.compile(r"\[\[([^\[\]#\n]{1,300}#L\d{1,9}(?:-L\d{1,9})?@[0-9a-f]{4,64})\]\]")


@dataclass(frozen=True, slots=True)
class Place:
    """What a citation points at: a ref or path, its lines (None: all of the text), the file's blob (None: as it is)."""

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


def written(ref: str, lines: tuple[int, int], blob: str) -> str:
    """Return a citation as a body holds it: `[[ref#L3-L5@blob]]`."""
    first, last = lines
    at = f"L{first}" if first == last else f"L{first}-L{last}"
    return f"[[{ref}#{at}@{blob[:BLOB_DIGITS]}]]"


def places_in(body: str, sources: Sequence[str]) -> Iterator[Place]:
    """Yield the places that a memory cites: in its body, and as files among what it was derived from."""
    yield from (parse_place(found) for found in _IN_BODY.findall(body))
    for source in sources:
        if source.startswith("file:") and (place := parse_place(source)).lines and place.blob:
            yield place


class Standing(Enum):
    """What became of cited lines."""

    SAME = "same"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of cited lines, and where they are now; GONE has no lines."""

    standing: Standing
    lines: tuple[int, int] | None = None


def compare(old: Sequence[str], new: Sequence[str], lines: tuple[int, int]) -> Verdict:
    """Return what became of the lines `lines` (from 1, inclusive) of `old` in `new`; line ends don't count."""
    first, last = lines
    cited = [line.rstrip("\r") for line in old[first - 1 : last]]
    there = [line.rstrip("\r") for line in new]
    if there[first - 1 : last] == cited:
        return Verdict(Standing.SAME, lines)
    width = len(cited)
    found = [
        at + 1 for at in range(len(there) - width + 1) if there[at] == cited[0] and there[at : at + width] == cited
    ]
    if found:
        nearest = min(found, key=lambda at: (abs(at - first), at))
        return Verdict(Standing.MOVED, (nearest, nearest + width - 1))
    return _changed([line.rstrip("\r") for line in old], there, lines)


def _changed(old: list[str], new: list[str], lines: tuple[int, int]) -> Verdict:
    """Return the lines that now stand where the cited ones stood; GONE where none do."""
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
        return Verdict(Standing.GONE)
    return Verdict(Standing.CHANGED, (min(touched) + 1, max(touched) + 1))
