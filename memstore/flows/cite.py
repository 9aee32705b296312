"""Make a citation of lines, and find out what became of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import git_blob, memory_file
from memstore.codec.line_map import LineMap
from memstore.codec.memory_file import MemoryFile
from memstore.errors import NotFoundError, RefusedError, UsageError
from memstore.flows.uses import record_use
from memstore.model.one_line import one_line
from memstore.model.retrieval import Citation
from memstore.rules import citation as rules
from memstore.rules.citation import Place, Standing
from memstore.rules.vault_places import is_memory_path

if TYPE_CHECKING:
    from memstore.codec.opened import Opened
    from memstore.core.view import View
    from memstore.flows.audience import Audience
    from memstore.model.catalog import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A citation and what became of it.

    `now` is where the lines are now, None where they are gone; `before` holds them as they were cited. A
    citation just made is SAME.
    """

    ref: str | None
    standing: Standing
    now: Citation | None
    before: str
    text: str

    __repr__ = one_line


def cite(view: View, text: str) -> Cited:
    """Return the citation of a memory's lines, which is a use of it, or what became of a citation.

    Args:
        view: the vault.
        text: `REF`, `REF:L3-L5` for a new citation; `[[ref#L3-L5@blob]]` for one that was made.

    Raises:
        NotFoundError: the viewer may see no such memory.
        UsageError: the file has no such lines.
    """
    place = rules.parse_place(text)
    then = view
    entry = _entry(then, place)
    file = then.read(entry.path)
    if file is None:
        raise NotFoundError(f"no memory answers to `{place.name}`", hint="memstore list shows what there is")
    data = file.data
    blob = git_blob.blob_id(data, git_blob.format_of(entry.blob))
    if place.lines and place.blob and not blob.startswith(place.blob):
        return _resolved(view, text, place, place.lines, entry, data, blob)
    lines = place.lines or _text_lines(then, entry)
    _stop_at_hidden(then, file, lines)
    now = _citation(entry, data, blob, lines)
    record_use(view, entry.id, "cite")
    return Cited(ref=entry.ref, standing=Standing.SAME, now=now, before=now.excerpt, text=_written(entry, lines, blob))


def _entry(then: View, place: Place) -> Entry:
    return then.find(place.name)


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
    """Stop where lines of a frontmatter would be shown that names memories which are hidden from the viewer."""
    if lines[0] < file.text.body_line and not then.shows_all(file):
        raise RefusedError(
            f"lines {lines[0]} to {lines[1]} of {file.path} say more than its text, and not all of that is for you",
            hint=f"cite lines from L{file.text.body_line} on",
        )


def _text_lines(then: View, entry: Entry) -> tuple[int, int]:
    """Return the lines of all of a memory's text; of its whole file where it has none."""
    paths = then.column("path")
    # A file that was edited has a dead row, too, which says what it was.
    file = then.opened(next(row for row in then.rows if paths[row] == entry.path))
    if file is None:
        raise NotFoundError(f"no memory answers to `{entry.path}`", hint="memstore list shows what there is")
    if not file.passages:
        return 1, LineMap(file.data).line_count
    return file.passages[0].line_start, file.passages[-1].line_end


def _written(entry: Entry, lines: tuple[int, int], blob: str) -> str:
    return rules.written(entry.ref or entry.path, lines, blob)


def _resolved(
    view: View, text: str, place: Place, lines: tuple[int, int], entry: Entry, data: bytes, blob: str
) -> Cited:
    """Return what became of lines that were cited from another revision."""
    old = _old_bytes(view, place.blob or "", entry)
    if old is None:
        raise NotFoundError(
            f"the repository does not have the revision {place.blob} of {entry.path}",
            hint=f"it was never committed; `memstore cite {entry.ref or entry.path}` cites the file as it is",
        )
    before = LineMap(old)
    if lines[1] > before.line_count:
        raise UsageError(f"revision {place.blob} of {entry.path} has {before.line_count} lines, not {lines[1]}")
    verdict = rules.compare(_lines(old), _lines(data), lines)
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
    """Return the bytes of a revision of a memory by its id, which may be abbreviated; the history is the owner's alone.

    An id can name any blob of the repository.
    """
    view.require_owner()
    data = next(iter(view.blobs([blob]).values()), b"")
    file = memory_file.read(entry.path, data)
    is_its = isinstance(file, MemoryFile) and file.memory.id in (None, entry.id) and view.sees(file.memory)
    return data if is_its else None


def cites_standing_lines(audience: Audience, file: Opened) -> bool:
    """Whether a memory cites lines, in its text or as its source, of files that are still as they were."""
    return any(
        _stands(audience, place)
        for place in rules.places_in(file.text.body, file.entry.derived_from)
        if place.blob is not None
    )


def _stands(audience: Audience, place: Place) -> bool:
    blob = place.blob or ""
    rows = audience.then.rows_of_id(place.name.rpartition(":")[2])
    if rows:
        return any(audience.column("blob")[row].startswith(blob) for row in rows)
    if is_memory_path(place.name):
        paths = audience.column("path")
        named = (row for row in audience.rows if paths[row] == place.name)
        return any(audience.column("blob")[row].startswith(blob) for row in named)
    data = audience.then.cited_file(place.name)
    return data is not None and any(git_blob.blob_id(data, name).startswith(blob) for name in ("sha1", "sha256"))
