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
    from collections.abc import Iterator

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


def changed_citations(view: View, file: MemoryFile) -> Iterator[Finding]:
    """Yield such notices of one memory; there must be a repository, and its owner must be looking."""
    name = str(file.memory.ref or file.path)
    for place in dict.fromkeys(places_in(file.memory.body, file.memory.derived_from)):
        if place.lines is None or place.blob is None:
            continue
        path = _path_of(view, place)
        now = _bytes_at(view, path) if path else None
        if path is not None and now is None and (moved := view.of(HISTORY).moved_to(path)):
            path, now = moved, _bytes_at(view, moved)
        if path is None or (now is not None and digests.is_blob(now, place.blob)):
            continue
        old = next(iter(view.blobs([place.blob]).values()), None)
        if old is None:
            continue
        verdict = compare(lines_of(old), lines_of(now or b""), place.lines)
        if verdict.standing in (CitationStanding.SAME, CitationStanding.MOVED) and now is not None:
            continue
        gone = verdict.lines is None or now is None
        at = Position(1 if gone or verdict.lines is None else verdict.lines[0])
        first, last = place.lines
        span = f"line {first}" if first == last else f"lines {first} to {last}"
        what = "are gone" if gone else "have changed"
        yield finding_of(
            "citation-changed",
            path,
            f"{name} cites {span} of revision {place.blob[:10]}, which {what if first != last else _ONE[what]}",
            f"read {file.path}; then cite the lines as they are: memstore edit {name}",
            at,
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
