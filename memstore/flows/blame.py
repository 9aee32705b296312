"""Who wrote each line of a memory, and when."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from memstore.codec.memory_file import MemoryFile
from memstore.errors import FormatError
from memstore.flows.revisions import find_at
from memstore.model.one_line import one_line

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.model.catalog import Entry
    from memstore.ports.history import Commit


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """One line of the file, from 1, with the commit that wrote it; None where it is not committed yet."""

    line: int
    text: str
    commit: Commit | None


@dataclass(frozen=True, slots=True)
class Blame:
    """The history entries and the body of a memory, line by line."""

    ref: str | None
    path: str
    history: tuple[BlamedLine, ...]
    body: tuple[BlamedLine, ...]

    __repr__ = one_line


def blame(view: View, ref: str) -> Blame:
    """Return the commit of each entry of the confidence's history, and of each line of the body.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
        FormatError: the file can't be read any more.
        GitError: there is no repository.
    """
    view.require_owner()
    view.history.require()
    entry = view.find(ref)
    file = view.whole.read_file(entry.path)
    if not isinstance(file, MemoryFile):
        raise FormatError(f"{entry.path} can't be read", hint="memstore check says why")
    texts = _lines(file.data)
    commits = _commits(view, entry, texts)
    lines = [
        BlamedLine(number, text.decode(errors="replace").rstrip("\r"), commits[number - 1])
        for number, text in enumerate(texts, start=1)
    ]
    entries = [file.front.position("confidence_history", i).line for i in range(len(file.memory.confidence_history))]
    return Blame(
        entry.ref,
        entry.path,
        history=tuple(lines[number - 1] for number in entries),
        body=tuple(lines[file.text.body_line - 1 :]),
    )


def _commits(view: View, entry: Entry, texts: list[bytes]) -> list[Commit | None]:
    """Return the commit of each line as it is now: what git says of the committed file, line matched to line."""
    written: list[Commit | None] = [None] * len(texts)
    head = view.history.head()
    place = find_at(view, head, entry) if head else None
    if head is None or place is None:
        return written
    path, blob = place
    committed = view.history.blame(path, head)
    old = _lines(view.blobs([blob])[blob])
    for start, at, size in SequenceMatcher(None, old, texts, autojunk=False).get_matching_blocks():
        written[at : at + size] = committed[start : start + size]
    return written


def _lines(data: bytes) -> list[bytes]:
    """Return the lines as git counts them; the last one may lack its line end."""
    return data.removesuffix(b"\n").split(b"\n") if data else []
