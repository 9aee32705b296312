"""The frontmatter fence: where a file's YAML ends and its body begins."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memstore.codec.problem import Problem
from memstore.model.finding import Position

BOM = b"\xef\xbb\xbf"

# A fence may be followed by blanks, which editors leave behind unseen.
_OPENING = re.compile(rb"---[ \t]*(\r?\n|\Z)")
_CLOSING = re.compile(rb"^---[ \t]*(\r?\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FencedText:
    """A file taken apart: `before + head + between + body` are its bytes.

    `head` is the YAML between the fences, `head_line` and `body_line` the file lines on which head and body begin.
    """

    before: bytes
    head: str
    between: bytes
    body: str
    body_line: int

    @property
    def head_line(self) -> int:
        """The file line on which the head begins."""
        return 2

    @property
    def newline(self) -> str:
        """The file's own line end, as its first line has it."""
        return "\r\n" if self.before.endswith(b"\r\n") else "\n"

    def joined(self, head: str) -> bytes:
        """Return the file's bytes with another head."""
        return self.before + head.encode() + self.between + self.body.encode()


def split(data: bytes) -> FencedText | Problem | None:
    """Take a file apart at its fences.

    Returns:
        The parts; a `Problem` where a fence was opened and nothing sound follows; None for a file without a fence,
        which is no memory.
    """
    start = len(BOM) if data.startswith(BOM) else 0
    opening = _OPENING.match(data, start)
    if opening is None:
        return None
    closing = _CLOSING.search(data, opening.end())
    if closing is None:
        return Problem(
            "fence-unclosed",
            Position(1),
            "the frontmatter is opened here and never closed",
            hint="put a line --- between the last key and the text",
        )
    try:
        head = data[opening.end() : closing.start()].decode()
        body = data[closing.end() :].decode()
    except UnicodeDecodeError:
        return _not_utf8(data)
    return FencedText(
        before=data[: opening.end()],
        head=head,
        between=data[closing.start() : closing.end()],
        body=body,
        body_line=data.count(b"\n", 0, closing.end()) + 1,
    )


def _not_utf8(data: bytes) -> Problem:
    """Return the problem of the first byte that is not UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        return Problem(
            "utf8-invalid",
            Position(line, column),
            f"byte 0x{data[error.start]:02x} is not UTF-8",
            hint="save the file as UTF-8",
        )
    raise AssertionError("called only for bytes that do not decode")
