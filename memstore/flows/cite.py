"""Make a citation of lines, and find out what became of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import git_blob, memory_file
from memstore.codec.line_map import LineMap
from memstore.codec.memory_file import MemoryFile
from memstore.errors import NotFoundError, RefusedError, UsageError, VaultError
from memstore.flows.audience import view
from memstore.flows.opened import opened
from memstore.flows.resolve import resolve
from memstore.flows.uses import record_use
from memstore.flows.visible import sees, stop_for_others
from memstore.model.retrieval import Citation
from memstore.rules import citation as rules
from memstore.rules.citation import Place, Standing
from memstore.rules.vault_places import is_memory_path

if TYPE_CHECKING:
    from memstore.flows.audience import Audience, View
    from memstore.flows.opened import Opened
    from memstore.model.catalog import Entry
    from memstore.ports.workspace import Workspace


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


def cite(ws: Workspace, text: str) -> Cited:
    """Return the citation of a memory's lines, which is a use of it, or what became of a citation.

    Args:
        ws: the vault.
        text: `REF`, `REF:L3-L5` for a new citation; `[[ref#L3-L5@blob]]` for one that was made.

    Raises:
        NotFoundError: the viewer may see no such memory.
        UsageError: the file has no such lines.
    """
    place = rules.parse_place(text)
    then = view(ws, None)
    entry = _entry(then, place)
    data = then.read(entry.path)
    blob = git_blob.blob_id(data, git_blob.format_of(entry.blob))
    if place.lines and place.blob and not blob.startswith(place.blob):
        return _resolved(ws, text, place, place.lines, entry, data, blob)
    lines = place.lines or _text_lines(then, entry)
    _stop_at_untold(then, entry, data, lines)
    now = _citation(entry, data, blob, lines)
    record_use(ws, entry.id, "cite")
    return Cited(ref=entry.ref, standing=Standing.SAME, now=now, before=now.excerpt, text=_written(entry, lines, blob))


def _entry(then: View, place: Place) -> Entry:
    return resolve(then.ws, place.name, snapshot=then.snapshot)


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


def _stop_at_untold(then: View, entry: Entry, data: bytes, lines: tuple[int, int]) -> None:
    """Stop where lines of a frontmatter would be shown that names memories which the viewer may not be told of."""
    file = memory_file.read(entry.path, data)
    if not isinstance(file, MemoryFile) or lines[0] >= file.text.body_line:
        return
    from memstore.flows.told_refs import is_all_told  # a search loads this module, too

    if not is_all_told(then.ws, then.snapshot, file):
        raise RefusedError(
            f"lines {lines[0]} to {lines[1]} of {entry.path} say more than its text, and not all of that is for you",
            hint=f"cite lines from L{file.text.body_line} on",
        )


def _text_lines(then: View, entry: Entry) -> tuple[int, int]:
    """Return the lines of all of a memory's text; of its whole file where it has none."""
    paths = then.snapshot.catalog.column("path")
    # A file that was edited has a dead row, too, which says what it was.
    file = opened(then, next(row for row in then.snapshot.catalog.memories if paths[row] == entry.path))
    if file is None:
        raise NotFoundError(f"no memory answers to `{entry.path}`", hint="memstore list shows what there is")
    if not file.passages:
        return 1, LineMap(file.data).line_count
    return file.passages[0].line_start, file.passages[-1].line_end


def _written(entry: Entry, lines: tuple[int, int], blob: str) -> str:
    return rules.written(entry.ref or entry.path, lines, blob)


def _resolved(
    ws: Workspace, text: str, place: Place, lines: tuple[int, int], entry: Entry, data: bytes, blob: str
) -> Cited:
    """Return what became of lines that were cited from another revision."""
    old = _old_bytes(ws, place.blob or "")
    if old is None or not _is_of(ws, old, entry):
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


def _old_bytes(ws: Workspace, blob: str) -> bytes | None:
    """Return the bytes of a revision by its id, which may be abbreviated; the history is the owner's alone."""
    stop_for_others(ws)
    found = ws.history.blobs([blob]) if ws.history.repository else {}
    return next(iter(found.values()), None)


def _is_of(ws: Workspace, old: bytes, entry: Entry) -> bool:
    """Whether an old revision is of this memory and may be seen: an id can name any blob of the repository."""
    file = memory_file.read(entry.path, old)
    if not isinstance(file, MemoryFile) or file.memory.id not in (None, entry.id):
        return False
    return sees(ws, file.memory)


def cites_standing_lines(audience: Audience, file: Opened) -> bool:
    """Whether a memory cites lines, in its text or as its source, of files that are still as they were."""
    return any(
        _stands(audience, place)
        for place in rules.places_in(file.text.body, file.entry.derived_from)
        if place.blob is not None
    )


def _stands(audience: Audience, place: Place) -> bool:
    blob = place.blob or ""
    rows = audience.catalog.rows_of_id(place.name.rpartition(":")[2])
    if rows:
        visible = set(audience.rows)
        return any(row in visible and audience.column("blob")[row].startswith(blob) for row in rows)
    if is_memory_path(place.name):
        paths = audience.column("path")
        named = (row for row in audience.rows if paths[row] == place.name)
        return any(audience.column("blob")[row].startswith(blob) for row in named)
    try:
        data = audience.then.ws.vault.read(place.name)
    except VaultError:
        return False
    return any(git_blob.blob_id(data, name).startswith(blob) for name in ("sha1", "sha256"))
