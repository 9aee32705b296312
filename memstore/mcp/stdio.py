"""The pipe: one message per line on standard input, one answer per line on standard output (docs/adr/0034)."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

from memstore.core.errors import UsageError
from memstore.mcp import protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.mcp.server import Server

# Longer lines are rejected; a memory has at most half as many bytes.
MOST_BYTES = 16 * 1024 * 1024
_CHUNK = 64 * 1024


def serve(server: Server) -> None:
    """Answer messages one after another until the input ends or nobody reads the answers.

    Raises:
        UsageError: one of the two standard streams is closed.
    """
    for stream, name in ((sys.stdin, "input"), (sys.stdout, "output")):
        if stream is None:  # closed before the program began
            raise UsageError(
                f"standard {name} is closed, and the messages go through it",
                hint="a client starts this command, and keeps both streams open",
            )
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
    """Yield lines without a byte order mark; None for one longer than `MOST_BYTES`, which is not kept in memory."""
    while line := source.readline(MOST_BYTES + 1):
        if len(line) <= MOST_BYTES or line.endswith(b"\n"):
            yield line.removeprefix(codecs.BOM_UTF8)
            continue
        while (rest := source.readline(_CHUNK)) and not rest.endswith(b"\n"):
            pass
        yield None


@contextmanager
def _claimed() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Reserve the two standard streams for messages: git and other child processes get other streams."""
    stdin, stdout = sys.stdin, sys.stdout
    try:
        ends = [os.dup(stream.fileno()) for stream in (stdin, stdout)]
    except (AttributeError, OSError, ValueError):  # the streams have no file descriptors
        yield cast("BinaryIO", stdin.buffer), cast("BinaryIO", stdout.buffer)
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    with os.fdopen(ends[0], "rb") as source, os.fdopen(ends[1], "wb") as sink:
        os.dup2(nowhere, stdin.fileno())
        os.dup2(nowhere if sys.stderr is None else sys.stderr.fileno(), stdout.fileno())
        sys.stdin = cast("TextIO", None)  # code that asks for input finds none
        try:
            yield source, sink
        finally:
            sys.stdin = stdin
            os.dup2(source.fileno(), stdin.fileno())
            os.dup2(sink.fileno(), stdout.fileno())
            os.close(nowhere)
