"""The part of a MEMORY.md that the program writes, between two comments; everything around it is the user's.

    <!-- memstore:begin what has graduated; memstore beliefs graduate writes this -->
    - Claire likes it hot. [[belief:m_2m8c1a9v0d]]
    <!-- memstore:end m_2m8c1a9v0d=8c1d2f -->

The second comment has a digest of the line that was written for each memory, so a line that was edited or removed by
hand can be told from one that the program has to change.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from memstore.core.errors import FormatError

BEGIN = "<!-- memstore:begin what has graduated; memstore beliefs graduate writes this -->"
_BEGIN = re.compile(r"<!-- memstore:begin\b.*-->\s*")
_END = re.compile(r"<!-- memstore:end((?: [a-z0-9_-]+=[0-9a-f]+)*) -->\s*")
_LINE = re.compile(r"- .* \[\[[a-z]+:([a-z0-9_-]+)\]\]\s*")


class Page(NamedTuple):
    """A MEMORY.md: the user's text before and after the block, the block's lines, and their digests by memory id.

    `first_line` is the file line of the block's first line, from 1; `eol` is the line end.
    """

    before: str = ""
    lines: tuple[str, ...] = ()
    after: str = ""
    written: dict[str, str] = {}  # noqa: RUF012 - never changed
    first_line: int = 1
    eol: str = "\n"

    @property
    def user_lines(self) -> int:
        """How many lines are around the block, including the blank one above a new block."""
        return len(self.before.splitlines()) + len(self.after.splitlines()) + self.is_new

    @property
    def is_new(self) -> bool:
        """Whether the block is still to be added below a text."""
        return bool(self.before) and self.first_line == 1


def id_of(line: str) -> str | None:
    """Return the id of the memory that a line of the block names; None if it names none."""
    found = _LINE.fullmatch(line)
    return found[1] if found else None


def digest(line: str) -> str:
    """Return a digest that shows whether a line is still as it was written."""
    return hashlib.sha256(line.strip().encode(errors="surrogateescape")).hexdigest()[:6]


def read(path: str, data: bytes | None) -> Page:
    """Return a page; a new block will go at its end if it has none.

    Raises:
        FormatError: the comments around the block are not one pair.
    """
    text = (data or b"").decode(errors="surrogateescape")
    eol = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    begins = [at for at, line in enumerate(lines) if _BEGIN.fullmatch(line)]
    ends = [at for at, line in enumerate(lines) if _END.fullmatch(line)]
    if not begins and not ends:
        return Page(before=text, eol=eol)
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
        at = (begins or ends)[-1] + 1
        raise FormatError(
            f"{path}:{at}: the comments memstore:begin and memstore:end don't make a pair; nothing was written",
            hint="put back the missing one, or remove both: memstore beliefs graduate then writes a new block",
        )
    found = _END.fullmatch(lines[ends[0]])
    written = dict(pair.split("=") for pair in (found[1].split() if found else ()))
    return Page(
        before="".join(lines[: begins[0]]),
        lines=tuple(line.rstrip("\r\n") for line in lines[begins[0] + 1 : ends[0]]),
        after="".join(lines[ends[0] + 1 :]),
        written=written,
        first_line=begins[0] + 2,
        eol=eol,
    )


def rendered(page: Page) -> bytes:
    """Return the bytes of a page; a new block goes below the user's text, after a blank line."""
    before = page.before
    if page.is_new:
        before += (page.eol if not before.endswith("\n") else "") + page.eol
    written = "".join(f" {memory_id}={mark}" for memory_id, mark in page.written.items())
    block = [BEGIN, *page.lines, f"<!-- memstore:end{written} -->"]
    return (before + "".join(line + page.eol for line in block) + page.after).encode(errors="surrogateescape")
