"""The frontmatter fence: where a file's YAML ends and its body begins.

What is wrong with a file that can't be split is told by `fence_problems`, which few commands need.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import UsageError

if TYPE_CHECKING:
    from memstore.core.finding import Problem


# The end of an unclosed frontmatter is looked for within this many lines.
MOST_HEAD_LINES = 200
BOM = b"\xef\xbb\xbf"

# A memory is about a page. Anything larger is a log or a mistake, and reading it whole would stall every search.
MOST_BYTES = 8 * 1024 * 1024

# A fence may be followed by blanks, which editors leave behind unnoticed.
_OPENING = re.compile(rb"---[ \t]*(\r?\n|\Z)")
_CLOSING = re.compile(rb"\n(---[ \t]*(?:\r?\n|\Z))")


class FencedText(NamedTuple):
    """A file split into parts: `before + head + between + body` are its bytes.

    `head` is the YAML between the fences; `head_line` and `body_line` are the file lines on which head and body begin.
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
        """The file's line end, taken from its first line."""
        return "\r\n" if self.before.endswith(b"\r\n") else "\n"

    def joined(self, head: str) -> bytes:
        """Return the file's bytes with another head."""
        return self.before + encoded(head) + self.between + encoded(self.body)


def encoded(text: str) -> bytes:
    """Return the bytes of a text for a file.

    Raises:
        UsageError: it has half a character, which a program leaves that cuts a text in the middle of one.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise unwritable() from error


def unwritable() -> UsageError:
    """Return the error for a text that no command writes; U+0000 is found by `vault/transitions.py`."""
    return UsageError("a text has a character that can't be written", hint="leave out U+0000 and lone surrogates")


class Span(NamedTuple):
    """Where the parts of a file are: its head from `head` to `closing`, its body from `body` to the end."""

    head: int
    closing: int
    body: int


def span(data: bytes) -> Span | None:
    """Return where the parts of a file are; None for one without a fence, or with a fence that is never closed."""
    opening = _OPENING.match(data, len(BOM) if data.startswith(BOM) else 0)
    closing = _CLOSING.search(data, opening.end() - 1) if opening else None
    return Span(opening.end(), closing.start(1), closing.end()) if opening and closing else None


def split(data: bytes) -> "FencedText | Problem | None":
    """Split a file at its fences.

    Returns:
        The parts; a `Problem` if a fence is opened but what follows is not sound; None for a file without a fence,
        which is not a memory.
    """
    start = len(BOM) if data.startswith(BOM) else 0
    opening = _OPENING.match(data, start)
    closing = _CLOSING.search(data, opening.end() - 1) if opening else None
    if opening is None or closing is None:
        from memstore.files.fence_problems import fence_that_was_meant, unclosed

        return unclosed(data, opening.end(), within=MOST_HEAD_LINES) if opening else fence_that_was_meant(data)
    try:
        head = data[opening.end() : closing.start(1)].decode()
        body = data[closing.end() :].decode()
    except UnicodeDecodeError:
        from memstore.files.fence_problems import not_utf8

        return not_utf8(data)
    return FencedText(
        before=data[: opening.end()],
        head=head,
        between=closing[1],
        body=body,
        body_line=data.count(b"\n", 0, closing.end()) + 1,
    )


def head_of(data: bytes) -> bytes:
    """Return the text between the fences; for an unclosed or conflicting fence, up to where it would have ended.

    Empty if there is no fence.
    """
    start = len(BOM) if data.startswith(BOM) else 0
    opening = _OPENING.match(data, start)
    if opening is None:
        from memstore.files.fence_problems import is_in_conflict

        return b"\n".join(data.split(b"\n", MOST_HEAD_LINES)[:MOST_HEAD_LINES]) if is_in_conflict(data) else b""
    closing = _CLOSING.search(data, opening.end() - 1)
    if closing is not None:
        return data[opening.end() : closing.start(1)]
    return b"\n".join(data[opening.end() :].split(b"\n", MOST_HEAD_LINES)[:MOST_HEAD_LINES])
