"""Citations of lines of a file at one revision: parse and write them, and check whether the lines are still there."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core import digests
from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.core.places import is_memory_path
from memstore.core.short_repr import short_repr
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile, PlainFile
from memstore.files.passages import LineMap
from memstore.search.retrieval import Citation
from memstore.search.uses import record_use

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.catalog import Entry
    from memstore.core.quotation import External
    from memstore.core.view import View
    from memstore.search.opened import Opened
    from memstore.search.ranker import Audience


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


def written(ref: str, lines: tuple[int, int], blob: str) -> str:
    """Return a citation in the form used in bodies: `[[ref#L3-L5@blob]]`."""
    first, last = lines
    at = f"L{first}" if first == last else f"L{first}-L{last}"
    return f"[[{ref}#{at}@{blob[:BLOB_DIGITS]}]]"


def places_in(body: str, sources: Sequence[str]) -> Iterator[Place]:
    """Yield the places that a memory cites: those in its body, and the `file:` citations among its sources."""
    yield from (parse_place(found) for found in _IN_BODY.findall(body))
    for source in sources:
        if source.startswith("file:") and (place := parse_place(source)).lines and place.blob:
            yield place


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


# -- making and checking citations ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A citation and the current state of the cited lines.

    `now` is the current place of the lines, or None if they are gone; `before` is the text that was cited. A new
    citation is SAME. `external` is set if the lines are a quotation.
    """

    ref: str | None
    standing: CitationStanding
    now: Citation | None
    before: str
    text: str
    external: External | None = None

    __repr__ = short_repr


def cite(view: View, text: str) -> Cited:
    """Return a new citation of a memory's lines, or check an existing one; a new citation is a use of the memory.

    Args:
        view: the vault.
        text: `REF` or `REF:L3-L5` for a new citation; `[[ref#L3-L5@blob]]` to check an existing one.

    Raises:
        NotFoundError: the viewer may not see such a memory, or the repository does not have the cited revision.
        RefusedError: the lines include frontmatter that names memories hidden from the viewer.
        UsageError: the file does not have these lines.
    """
    place = parse_place(text)
    then = view
    entry = _entry(then, place)
    file = then.text(entry.path)
    if file is None:
        raise NotFoundError(f"no memory matches `{place.name}`", hint="memstore list shows what there is")
    data = file.data
    blob = digests.blob_id(data, digests.format_of(entry.blob))
    outside = view.external(file.memory) if isinstance(file, MemoryFile) else None
    if place.lines and place.blob and not blob.startswith(place.blob):
        return replace(_resolved(view, text, place, place.lines, entry, data, blob), external=outside)
    lines = place.lines or _text_lines(then, entry)
    if isinstance(file, MemoryFile):
        _stop_at_hidden(then, file, lines)
    now = _citation(entry, data, blob, lines)
    record_use(view, entry.id, "cite")
    return Cited(
        ref=entry.ref,
        standing=CitationStanding.SAME,
        now=now,
        before=now.excerpt,
        text=_written(entry, lines, blob),
        external=outside,
    )


def _entry(then: View, place: Place) -> Entry:
    return then.named(place.name, notes=True)


def _citation(entry: Entry, data: bytes, blob: str, lines: tuple[int, int]) -> Citation:
    there = LineMap(data)
    if lines[1] > there.line_count:
        raise UsageError(
            f"{entry.path} has {there.line_count} lines, not {lines[1]}",
            hint=f"cite lines up to L{there.line_count}",
        )
    return Citation(
        path=entry.path,
        line_start=lines[0],
        line_end=lines[1],
        excerpt=there.excerpt(*lines),
        version_hash=blob,
    )


def _stop_at_hidden(then: View, file: MemoryFile, lines: tuple[int, int]) -> None:
    """Raise `RefusedError` if the lines include frontmatter that names memories hidden from the viewer."""
    if lines[0] < file.text.body_line and not then.shows_all(file):
        raise RefusedError(
            f"lines {lines[0]} to {lines[1]} of {file.path} say more than its text, and not all of that is for you",
            hint=f"cite lines from L{file.text.body_line} on",
        )


def _text_lines(then: View, entry: Entry) -> tuple[int, int]:
    """Return the first and last line of a memory's text, or of the whole file if it has no text."""
    paths = then.column("path")
    # An edited file also has a dead row, which describes its old content.
    file = then.opened(next(row for row in then.texts if paths[row] == entry.path))
    if file is None:
        raise NotFoundError(f"no memory matches `{entry.path}`", hint="memstore list shows what there is")
    if not file.passages:
        return 1, LineMap(file.data).line_count
    return file.passages[0].line_start, file.passages[-1].line_end


def _written(entry: Entry, lines: tuple[int, int], blob: str) -> str:
    return written(entry.ref or entry.path, lines, blob)


def _resolved(
    view: View, text: str, place: Place, lines: tuple[int, int], entry: Entry, data: bytes, blob: str
) -> Cited:
    """Return the current state of lines that were cited from another revision."""
    old = _old_bytes(view, place.blob or "", entry)
    if old is None:
        raise NotFoundError(
            f"the repository does not have the revision {place.blob} of {entry.path}",
            hint=f"it was never committed; `memstore cite {entry.ref or entry.path}` cites the file as it is",
        )
    before = LineMap(old)
    if lines[1] > before.line_count:
        raise UsageError(f"revision {place.blob} of {entry.path} has {before.line_count} lines, not {lines[1]}")
    verdict = compare(_lines(old), _lines(data), lines)
    now = _citation(entry, data, blob, verdict.lines) if verdict.lines else None
    return Cited(
        ref=entry.ref,
        standing=verdict.standing,
        now=now,
        before=before.excerpt(*lines),
        text=_written(entry, verdict.lines, blob) if verdict.lines else text,
    )


def _lines(data: bytes) -> list[str]:
    return data.decode(errors="replace").removesuffix("\n").split("\n")


def _old_bytes(view: View, blob: str, entry: Entry) -> bytes | None:
    """Return the bytes of a memory's revision by its (abbreviated) blob id; only the owner may read the history.

    The id could name any blob of the repository, so the result is None unless the blob is this memory.
    """
    view.require_owner()
    data = next(iter(view.blobs([blob]).values()), b"")
    file = memory_file.read(entry.path, data, mixed=view.config.mixed)
    if isinstance(file, MemoryFile):
        return data if file.memory.id in (None, entry.id) and view.sees(file.memory) else None
    return data if isinstance(file, PlainFile) and data else None  # the file before it was adopted


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
    data = audience.then.cited_file(place.name)
    return data is not None and any(digests.blob_id(data, name).startswith(blob) for name in ("sha1", "sha256"))


def _still_stand(before: bytes, audience: Audience, place: Place) -> bool:
    """Whether the cited lines of a file's earlier bytes are in it now, wherever."""
    old = _lines(before)
    if place.lines is None or not 1 <= place.lines[0] <= place.lines[1] <= len(old):
        return False
    rows = _rows_of(audience, place)
    if rows is None:
        now = [audience.then.cited_file(place.name)]
    else:
        paths = audience.column("path")
        now = [file.data if file else None for file in map(audience.then.text, [paths[row] for row in rows])]
    return any(_where(old, _lines(data), place.lines) for data in now if data is not None)


def _rows_of(audience: Audience, place: Place) -> Sequence[int] | None:
    """Return the visible rows that a citation names, by id or path; None if it names a file that is no memory's."""
    if rows := audience.then.rows_of_id(place.name.rpartition(":")[2]):
        return rows
    if not is_memory_path(place.name, mixed=audience.then.config.mixed):
        return None
    paths = audience.column("path")
    return [row for row in audience.rows if paths[row] == place.name]


# -- lines of any file -----------------------------------------------------------------------------


BLOB_DIGITS_SHOWN = 10
_LINES = re.compile(r"L?(\d{1,9})(?:-L?(\d{1,9}))?")


def seen_from(root: Path, path: Path) -> str:
    """Return a file's path relative to a folder, with symbolic links resolved."""
    return Path(os.path.relpath(path.resolve(), root.resolve())).as_posix()


def cite_file(view: View, path: str, data: bytes, lines: str) -> str:
    """Return lines of a file in the form of a source: `file:path#L1-L2@blob`.

    Args:
        view: the vault.
        path: the file's path, relative to the vault's folder.
        data: its bytes.
        lines: `L10-L20`, `10-20` or `L10`; from 1, both inclusive.

    Raises:
        UsageError: `lines` is malformed, or the file does not have these lines.
    """
    found = _LINES.fullmatch(lines)
    if found is None:
        raise UsageError(f"`{lines}` are not lines", hint="write PATH:L10-L20")
    first, last = int(found[1]), int(found[2] or found[1])
    count = LineMap(data).line_count
    if not 1 <= first <= last <= count:
        raise UsageError(f"{path} has {count} lines, so no lines {first} to {last}")
    span = f"L{first}" if first == last else f"L{first}-L{last}"
    return f"file:{path}#{span}@{view.history.blob_id(data)[:BLOB_DIGITS_SHOWN]}"
