"""Cited lines that have changed: what memories cite of files and of each other, compared with what is there now."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from memstore.core import digests
from memstore.core.finding import Position, in_order
from memstore.core.finding_codes import finding_of
from memstore.core.ids import MemoryRef
from memstore.files import FILES
from memstore.history import HISTORY
from memstore.search.citations import CitationStanding, compare, lines_of, places_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.search.citations import Place


def cited_lines(view: View) -> tuple[Finding, ...]:
    """Return a notice for each citation whose lines have changed or gone since, at the place where they are now.

    A citation names the revision that it is from, which must be in the repository. Lines that only moved are the same,
    also into a file that a commit renamed.

    Args:
        view: the vault.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
        GitError: there is no repository.
    """
    view.require_owner()
    view.of(HISTORY).require()
    return in_order([finding for file in view.memories() for finding in changed_citations(view, file)])


def changed_citations(view: View, file: MemoryFile, texts: Mapping[str, bytes] | None = None) -> Iterator[Finding]:
    """Yield such notices of one memory; there must be a repository, and its owner must be looking.

    `texts` has, by path, what is not saved yet.
    """
    for place, lines, blob in _pinned(file):
        path = _path_of(view, place)
        now = (texts or {}).get(path) or _bytes_at(view, path) if path else None
        if path is not None and now is None and (moved := view.of(HISTORY).moved_to(path)):
            path, now = moved, _bytes_at(view, moved)
        if path is None or (now is not None and digests.is_blob(now, blob)):
            continue
        old = next(iter(view.blobs([blob]).values()), None)
        if old is None:
            continue
        if (at := _where_changed(old, now, lines)) is not None:
            yield _notice(file, path, lines, blob, at)


def citations_changed_between(after: View, base: str, head: str) -> tuple[Finding, ...]:
    """Return a notice for each citation whose lines were as they are cited in one commit and are not in another.

    Args:
        after: the vault at `head`, as its owner sees it.
        base: the earlier commit.
        head: the later commit.
    """
    changed = after.of(HISTORY).differing(base, head)
    found: list[Finding] = []
    for file in after.memories() if changed else ():
        for place, lines, blob in _pinned(file):
            differing = changed.get(_path_of(after, place) or "")
            if differing is None:
                continue
            blobs = after.blobs(filter(None, (blob, differing.blob_before, differing.blob_after)))
            old = next((data for name, data in blobs.items() if name.startswith(blob)), None)
            before = blobs.get(differing.blob_before)
            if old is None or before is None or _where_changed(old, before, lines) is not None:
                continue
            now = blobs.get(differing.blob_after or "")
            if (at := _where_changed(old, now, lines)) is not None:
                found.append(_notice(file, differing.path, lines, blob, at))
    return in_order(found)


def _pinned(file: MemoryFile) -> Iterator[tuple[Place, tuple[int, int], str]]:
    """Yield the places of a certain revision that a memory cites, each with the lines and the blob."""
    for place in dict.fromkeys(places_in(file.memory.body, file.memory.derived_from)):
        if place.lines is not None and place.blob is not None:
            yield place, place.lines, place.blob


def _where_changed(old: bytes, now: bytes | None, lines: tuple[int, int]) -> tuple[Position, bool] | None:
    """Return where cited lines that have changed are now, and whether they are gone; None if they are the same."""
    verdict = compare(lines_of(old), lines_of(now or b""), lines)
    if verdict.standing in (CitationStanding.SAME, CitationStanding.MOVED) and now is not None:
        return None
    if now is None or verdict.lines is None:
        return Position(1), True
    return Position(verdict.lines[0]), False


def _notice(file: MemoryFile, path: str, lines: tuple[int, int], blob: str, at: tuple[Position, bool]) -> Finding:
    name = str(file.memory.ref or file.path)
    (first, last), (position, gone) = lines, at
    span = f"line {first}" if first == last else f"lines {first} to {last}"
    what = "are gone" if gone else "have changed"
    return finding_of(
        "citation-changed",
        path,
        f"{name} cites {span} of revision {blob[:10]}, which {what if first != last else _ONE[what]}",
        f"read {file.path}; then cite the lines as they are: memstore edit {name}",
        position,
    )


_ONE = {"are gone": "is gone", "have changed": "has changed"}


def _path_of(view: View, place: Place) -> str | None:
    """Return the path of what is cited, relative to the vault; None for a memory that is not there."""
    ref = MemoryRef.parse(place.name)
    if ref is not None:
        row = next(iter(view.rows_of_id(ref.id)), None)
        return None if row is None else view.entry(row).path
    return posixpath.normpath(place.name.removeprefix("file:"))


def _bytes_at(view: View, path: str) -> bytes | None:
    try:
        return view.of(FILES).read(view.root / path)
    except OSError:
        return None
