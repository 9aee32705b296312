"""The pipe: one message a line on standard input, one answer a line on standard output (docs/adr/0034)."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

from memstore.mcp import protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.mcp.server import Server

# A longer line is not read; a memory has at most half as many.
MOST_BYTES = 16 * 1024 * 1024
_CHUNK = 64 * 1024


def serve(server: Server) -> None:
    """Answer one message after the other until there are no more, or nobody reads the answers."""
    conversation = protocol.Conversation(server)
    with _claimed() as (source, sink), suppress(BrokenPipeError):
        for line in _lines(source):
            if line is None:
                answer: bytes | None = protocol.too_long(MOST_BYTES)
            else:
                answer = conversation.answered(line) if line.strip() else None
            if answer is not None:
                sink.write(answer + b"\n")
                sink.flush()


def _lines(source: BinaryIO) -> Iterator[bytes | None]:
    """Yield lines, None for one that is too long, of which no more is kept than that."""
    while line := source.readline(MOST_BYTES + 1):
        if len(line) <= MOST_BYTES or line.endswith(b"\n"):
            yield line
            continue
        while (rest := source.readline(_CHUNK)) and not rest.endswith(b"\n"):
            pass
        yield None


@contextmanager
def _claimed() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Take the two streams for messages alone: git, and whatever else is started meanwhile, gets others."""
    stdin, stdout = sys.stdin, sys.stdout
    try:
        ends = [os.dup(stream.fileno()) for stream in (stdin, stdout)]
    except (AttributeError, OSError, ValueError):  # streams that are no files of the system
        yield cast("BinaryIO", stdin.buffer), cast("BinaryIO", stdout.buffer)
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    with os.fdopen(ends[0], "rb") as source, os.fdopen(ends[1], "wb") as sink:
        os.dup2(nowhere, stdin.fileno())
        os.dup2(nowhere if sys.stderr is None else sys.stderr.fileno(), stdout.fileno())
        sys.stdin = cast("TextIO", None)  # whoever asks for input is told that there is none
        try:
            yield source, sink
        finally:
            sys.stdin = stdin
            os.dup2(source.fileno(), stdin.fileno())
            os.dup2(sink.fileno(), stdout.fileno())
            os.close(nowhere)
