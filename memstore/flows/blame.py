"""Who wrote each line of a memory, and when."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from memstore.codec.memory_file import MemoryFile
from memstore.errors import FormatError
from memstore.flows.at import find_at
from memstore.flows.resolve import resolve
from memstore.flows.visible import stop_for_others
from memstore.ports.vault import read_file

if TYPE_CHECKING:
    from memstore.model.catalog import Entry
    from memstore.ports.history import Commit
    from memstore.ports.workspace import Workspace


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


def blame(ws: Workspace, ref: str) -> Blame:
    """Return the commit of each entry of the confidence's history, and of each line of the body.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
        FormatError: the file can't be read any more.
        GitError: there is no repository.
    """
    stop_for_others(ws)
    ws.history.require()
    entry = resolve(ws, ref, snapshot=ws.library.snapshot())
    file = read_file(ws.vault, entry.path)
    if not isinstance(file, MemoryFile):
        raise FormatError(f"{entry.path} can't be read", hint="memstore check says why")
    texts = _lines(file.data)
    commits = _commits(ws, entry, texts)
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


def _commits(ws: Workspace, entry: Entry, texts: list[bytes]) -> list[Commit | None]:
    """Return the commit of each line as it is now: what git says of the committed file, line matched to line."""
    written: list[Commit | None] = [None] * len(texts)
    head = ws.history.head()
    place = find_at(ws, head, entry) if head else None
    if head is None or place is None:
        return written
    path, blob = place
    committed = ws.history.blame(path, head)
    old = _lines(ws.history.blobs([blob])[blob])
    for start, at, size in SequenceMatcher(None, old, texts, autojunk=False).get_matching_blocks():
        written[at : at + size] = committed[start : start + size]
    return written


def _lines(data: bytes) -> list[bytes]:
    """Return the lines as git counts them; the last one may lack its line end."""
    return data.removesuffix(b"\n").split(b"\n") if data else []
