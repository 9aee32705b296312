"""Cite lines of a memory, and check a citation; cite lines of any file as a source."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import SHARED
from memstore.core import digests
from memstore.core.errors import InStackError, NotFoundError, RefusedError, UsageError
from memstore.core.short_repr import short_repr
from memstore.files import FILES, memory_file
from memstore.files.memory_file import MemoryFile, PlainFile
from memstore.files.passages import LineMap
from memstore.history import HISTORY
from memstore.search import INDEX
from memstore.search.citations import (
    BLOB_DIGITS,
    CitationStanding,
    citation_text,
    compare,
    lines_mark,
    lines_of,
    parse_place,
)
from memstore.search.retrieval import Citation
from memstore.search.uses import record_use

if TYPE_CHECKING:
    from memstore.core.catalog import Entry
    from memstore.core.memory import Memory
    from memstore.core.quotation import External
    from memstore.core.view import View
    from memstore.search.citations import Place


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

    A memory of a loaded stack can be cited, too; its path is then `stack:NAME/…`.

    Args:
        view: the vault.
        text: `REF` or `REF:L3-L5` for a new citation; `[[ref#L3-L5@blob]]` to check an existing one.

    Raises:
        NotFoundError: the viewer may not see such a memory, or the repository does not have the cited revision.
        RefusedError: the lines include frontmatter that names memories hidden from the viewer.
        UsageError: the file does not have these lines.
    """
    place = parse_place(text)
    try:
        entry = view.named(place.name, notes=True)
    except InStackError as error:
        mount = next((one for one in view.of(SHARED).beside if one.name == error.stack), None)
        if mount is None or mount.view is None:
            raise
        cited = _cited(mount.view, text, place, mount.view.named(error.path, notes=True))
        now = cited.now and cited.now._replace(path=mount.path(cited.now.path))
        return replace(cited, now=now)
    return _cited(view, text, place, entry)


def _cited(then: View, text: str, place: Place, entry: Entry) -> Cited:
    file = then.text(entry.path)
    if file is None:
        raise NotFoundError(f"no memory matches `{place.name}`", hint="memstore list shows what there is")
    data = file.data
    blob = digests.blob_id(data, digests.format_of(entry.blob))
    outside = then.external(file.memory) if isinstance(file, MemoryFile) else None
    if place.lines and place.blob and not blob.startswith(place.blob):
        return replace(_resolved(then, text, place, place.lines, entry, data, blob), external=outside)
    lines = place.lines or _text_lines(then, entry)
    if isinstance(file, MemoryFile):
        _stop_at_hidden(then, file, lines)
    now = _citation(entry, data, blob, lines)
    record_use(then, entry.id, "cite")
    return Cited(
        ref=entry.ref,
        standing=CitationStanding.SAME,
        now=now,
        before=now.excerpt,
        text=_citation_text(entry, lines, blob),
        external=outside,
    )


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
    file = then.of(INDEX).opened(next(row for row in then.texts if paths[row] == entry.path))
    if file is None:
        raise NotFoundError(f"no memory matches `{entry.path}`", hint="memstore list shows what there is")
    if not file.passages:
        return 1, LineMap(file.data).line_count
    return file.passages[0].line_start, file.passages[-1].line_end


def _citation_text(entry: Entry, lines: tuple[int, int], blob: str) -> str:
    return citation_text(entry.ref or entry.path, lines, blob)


def _resolved(
    view: View, text: str, place: Place, lines: tuple[int, int], entry: Entry, data: bytes, blob: str
) -> Cited:
    """Return the current state of lines that were cited from another revision."""
    old = _old_bytes(view, place.blob or "", entry)
    if old is None:
        raise NotFoundError(
            f"the repository does not have the revision {place.blob} of {entry.path}",
            hint=f"it was never committed; `memstore show --cite {entry.ref or entry.path}` cites the file as it is",
        )
    before = LineMap(old)
    if lines[1] > before.line_count:
        raise UsageError(f"revision {place.blob} of {entry.path} has {before.line_count} lines, not {lines[1]}")
    verdict = compare(lines_of(old), lines_of(data), lines)
    now = _citation(entry, data, blob, verdict.lines) if verdict.lines else None
    return Cited(
        ref=entry.ref,
        standing=verdict.standing,
        now=now,
        before=before.excerpt(*lines),
        text=_citation_text(entry, verdict.lines, blob) if verdict.lines else text,
    )


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


# -- lines of any file -----------------------------------------------------------------------------

FILE_MARK = "file:"
EXCERPT = "excerpt"  # the key under which a memory keeps what such lines say, where the file doesn't show it


class SourceLines(NamedTuple):
    """The place in a file from which a memory says that it was taken, with what stands there.

    Lines count from 1, inclusive; None if the memory names the file alone. `excerpt` is None if what they said is
    unknown; `version_hash` is the blob id of the file where it was compared. `note` says why they can't be relied on.
    """

    path: str
    line_start: int | None
    line_end: int | None
    excerpt: str | None
    version_hash: str | None = None
    note: str | None = None


def source_lines(view: View, memory: Memory) -> SourceLines | None:
    """Return the first place in a file among a memory's sources; None if it names no file.

    The file is read if it is in the vault and the viewer may see it. Lines that moved are found by the vault's owner.
    """
    mark = next((source for source in memory.derived_from if source.startswith(FILE_MARK)), None)
    if mark is None:
        return None
    place = parse_place(mark)
    path, lines = place.name, place.lines or (None, None)
    said = SourceLines(path, lines[0], lines[1], _kept(memory))
    data = _within(view, path)
    if data is None:
        return said._replace(note=f"{path} is not in the vault, so nothing shows what it says")
    if place.lines is None:
        return said
    if place.blob is None:
        return said._replace(note=f"nothing says which revision of {path} was cited")
    return _as_they_are(view, said, place.lines, place.blob, data)


def _as_they_are(view: View, said: SourceLines, lines: tuple[int, int], blob: str, data: bytes) -> SourceLines:
    """Return lines of a file that is in the vault, which were cited from one of its revisions, as they are now."""
    said = said._replace(note=f"{said.path} has changed since, and these lines may be others now")
    same = digests.is_blob(data, blob)
    old = data if same else next(iter(view.blobs([blob]).values()), None) if view.is_owners else None
    if old is None or lines[1] > LineMap(old).line_count:
        return said
    excerpt = LineMap(old).excerpt(*lines)
    verdict = compare(lines_of(old), lines_of(data), lines)
    if verdict.lines and verdict.standing in (CitationStanding.SAME, CitationStanding.MOVED):
        return SourceLines(said.path, *verdict.lines, excerpt, view.of(HISTORY).blob_id(data))
    return said._replace(excerpt=excerpt)


def _kept(memory: Memory) -> str | None:
    """Return what a memory itself keeps of the lines."""
    kept = memory.extra.get(EXCERPT)
    return kept if isinstance(kept, str) else None


def _within(view: View, path: str) -> bytes | None:
    """Return the bytes of a file in the vault that the viewer may see; a memory could name any file of the machine."""
    try:
        return None if view.of(FILES).cited(path) is None else view.of(FILES).read(view.root / path)
    except OSError:
        return None


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
    return f"{FILE_MARK}{path}#{lines_mark(first, last)}@{view.of(HISTORY).blob_id(data)[:BLOB_DIGITS]}"
