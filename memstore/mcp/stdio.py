"""The pipe: one message per line on standard input, one answer per line on standard output (docs/adr/0034).

One thread reads, also while a tool runs: it answers `ping` itself, notes what was cancelled, and sees the end of the
input. All else is answered by the main thread, one message after another.
"""

from __future__ import annotations

import codecs
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from queue import Empty, Queue, SimpleQueue
from typing import TYPE_CHECKING, TextIO, cast

from memstore.core.errors import UsageError
from memstore.mcp import protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedReader

    from memstore.mcp.server import Server

# Longer lines are rejected; a memory has at most half as many bytes.
MOST_BYTES = 16 * 1024 * 1024
_CHUNK = 64 * 1024
# As many messages are read ahead while a tool runs; then the client has to wait.
MOST_WAITING = 100
# A client that ends the input so soon after its last request wants the answer; later, it has left.
SOON_SECONDS = 0.5
_LEFT = signal.SIGUSR1
_END = object()


def serve(server: Server) -> None:
    """Answer messages until the input ends or nobody reads the answers.

    Raises:
        UsageError: one of the two standard streams is closed.
    """
    for stream, name in ((sys.stdin, "input"), (sys.stdout, "output")):
        if stream is None:  # closed before the program began
            raise UsageError(
                f"standard {name} is closed, and the messages go through it",
                hint="a client starts this command, and keeps both streams open",
            )
    with _claimed() as (read, write), suppress(BrokenPipeError, _LeftError):
        Pipe(protocol.Conversation(server), read, write).serve()


class _LeftError(KeyboardInterrupt):
    """The client has left while something was answered; like an interrupt, it stops everything that goes on."""


class Pipe:
    """The two ends of a pipe, and what was asked through it and is not answered yet.

    Args:
        conversation: what answers.
        read: returns at most that many bytes, none at the end.
        write: writes all bytes.
    """

    def __init__(
        self, conversation: protocol.Conversation, read: Callable[[int], bytes], write: Callable[[bytes], object]
    ) -> None:
        self._conversation, self._read, self._write = conversation, read, write
        self._asked: Queue[object] = Queue(MOST_WAITING)
        self._writing, self._ending = threading.Lock(), threading.Lock()
        self._pongs: SimpleQueue[bytes] = SimpleQueue()
        self._due: dict[str | int | None, bool] = {}  # the requests without an answer, and whether they are cancelled
        self._number: str | int | None = None  # of the request that is answered
        self._is_busy = self._is_over = self._has_left = False
        conversation.notify = lambda line: self._tell(line, self._number)

    def serve(self) -> None:
        """Answer everything until the input ends or nobody reads the answers."""
        before = signal.signal(_LEFT, self._leave)
        threading.Thread(target=self._take_all, daemon=True).start()
        try:
            while (message := self._asked.get()) is not _END and not self._has_left:
                self._is_busy = True
                self._answer(message)
                self._is_busy = False
        finally:
            self._is_busy = False
            with self._ending:
                self._is_over = True
            signal.signal(_LEFT, before)

    def _leave(self, _: int, __: object) -> None:
        self._has_left = True
        if self._is_busy:
            raise _LeftError

    def _answer(self, message: object) -> None:
        self._number = number = _number(message)
        if not self._due.get(number):
            self._tell(message if isinstance(message, bytes) else self._conversation.answered_message(message), number)
        self._due.pop(number, None)

    def _tell(self, answer: bytes | None, number: str | int | None = None) -> None:
        """Write an answer or a notification, unless the request was cancelled meanwhile."""
        with self._writing:
            if answer is not None and not self._due.get(number):
                self._write(answer + b"\n")
        self._send_pongs()

    def _send_pongs(self) -> None:
        """Write the answers to pings; whoever writes something else just now does it afterwards, so that nobody waits.

        The thread that reads would not see the end of the input while it waits for a client that reads nothing.
        """
        while not self._pongs.empty() and self._writing.acquire(blocking=False):
            try:
                with suppress(Empty):
                    self._write(self._pongs.get_nowait())
            finally:
                self._writing.release()

    # -- the thread that reads ------------------------------------------------------------------------

    def _take_all(self) -> None:
        asked_at = time.monotonic()
        try:
            with suppress(OSError):  # the client is gone, with both ends
                for line in _lines(self._read):
                    if line is None:
                        self._asked.put(protocol.too_long(MOST_BYTES))
                    elif line.strip():
                        self._take(line)
                    asked_at = time.monotonic()
        finally:
            if time.monotonic() - asked_at > SOON_SECONDS or (self._due and all([*self._due.values()])):
                self._stop()
            self._asked.put(_END)

    def _stop(self) -> None:
        """Stop the main thread in what it does, wherever it waits; nobody wants the answer any more."""
        with self._ending:
            if not self._is_over:
                signal.pthread_kill(threading.main_thread().ident or 0, _LEFT)

    def _take(self, line: bytes) -> None:
        message = protocol.parsed(line)
        if isinstance(message, protocol.ProtocolError):
            self._asked.put(protocol.refused(message))
            return
        request = message if isinstance(message, dict) else {}
        match request.get("method"):
            case "ping":
                if answer := self._conversation.answered_message(message):
                    self._pongs.put(answer + b"\n")
                    self._send_pongs()
            case "notifications/cancelled":
                params = request.get("params")
                number = params.get("requestId") if isinstance(params, dict) else None
                if isinstance(number, str | int) and number in self._due:
                    self._due[number] = True
            case _:
                if (number := _number(message)) is not None:
                    self._due[number] = False
                self._asked.put(message)


def _number(message: object) -> str | int | None:
    """Return the id of a request; None for anything else."""
    number = message.get("id") if isinstance(message, dict) and "method" in message else None
    return number if isinstance(number, str | int) else None


def _lines(read: Callable[[int], bytes]) -> Iterator[bytes | None]:
    """Yield lines without a byte order mark; None for one longer than `MOST_BYTES`, which is not kept in memory."""
    line = bytearray()
    while chunk := read(_CHUNK):
        first, *others = chunk.split(b"\n")
        line += first[: MOST_BYTES + 1 - len(line)]
        for other in others:
            yield _whole(line)
            line = bytearray(other)
    if line:
        yield _whole(line)


def _whole(line: bytearray) -> bytes | None:
    return bytes(line).removeprefix(codecs.BOM_UTF8) if len(line) <= MOST_BYTES else None


@contextmanager
def _claimed() -> Iterator[tuple[Callable[[int], bytes], Callable[[bytes], object]]]:
    """Reserve the two standard streams for messages, and return how to read and write them, without a buffer.

    Git and other child processes get other streams.
    """
    stdin, stdout = sys.stdin, sys.stdout
    try:
        ends = [os.dup(stream.fileno()) for stream in (stdin, stdout)]
    except (AttributeError, OSError, ValueError):  # the streams have no file descriptors
        yield cast("BufferedReader", stdin.buffer).read1, stdout.buffer.write
        return
    for end in ends:  # a client may have made them otherwise for itself
        os.set_blocking(end, True)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, stdin.fileno())
    os.dup2(nowhere if sys.stderr is None else sys.stderr.fileno(), stdout.fileno())
    sys.stdin = cast("TextIO", None)  # code that asks for input finds none
    try:
        yield partial(os.read, ends[0]), partial(_write, ends[1])
    finally:
        sys.stdin = stdin
        for end, stream in zip(ends, (stdin, stdout), strict=True):
            os.dup2(end, stream.fileno())
        os.close(nowhere)  # the ends stay open: the reader may still wait at one


def _write(end: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(end, rest) :]
