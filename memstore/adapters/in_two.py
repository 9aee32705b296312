"""Work on many things by two processes, in order, as one would do it alone."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from typing import BinaryIO

_Thing = TypeVar("_Thing")
_Result = TypeVar("_Result")

# Starting a second process and hearing from it pays from so many things on.
MANY = 2000
_BATCH = 100


def worked(things: Sequence[_Thing], work: Callable[[_Thing], _Result]) -> Generator[_Result]:
    """Yield what `work` gives for each thing; where there are many, every other batch is done by a second process.

    The second process never outlives the first by more than a batch, however that ends: writing into a pipe that nobody
    reads fails. Where the second one fails, the first does its work.
    """
    if len(things) < MANY or not _can_fork():
        yield from map(work, things)
        return
    batches = [things[start : start + _BATCH] for start in range(0, len(things), _BATCH)]
    with _second_process(batches[1::2], work) as pipe:
        for number, batch in enumerate(batches):
            done: list[_Result] | None = _received(pipe) if number % 2 else None
            yield from map(work, batch) if done is None else done


def _can_fork() -> bool:
    """Return whether there is another processor to use, and no thread whose locks a fork would copy."""
    return hasattr(os, "fork") and _processors() > 1 and threading.active_count() == 1


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _second_process(
    batches: Sequence[Sequence[_Thing]], work: Callable[[_Thing], _Result]
) -> Iterator[BinaryIO | None]:
    """Start the second process, give the pipe that it writes its results into, and end it; None where there is none."""
    reading, writing = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        yield None
        return
    if child == 0:
        _be_the_second(batches, work, reading, writing)
    os.close(writing)
    try:
        with open(reading, "rb", buffering=1 << 16) as pipe:  # noqa: PTH123 -- a descriptor
            yield pipe
    finally:
        with suppress(OSError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _be_the_second(
    batches: Sequence[Sequence[_Thing]], work: Callable[[_Thing], _Result], reading: int, writing: int
) -> None:
    """Work the batches, and end the process: nothing that belongs to the first may happen twice."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the first, which ends this one
        os.close(reading)
        with open(writing, "wb") as pipe:
            for batch in batches:
                pickle.dump([work(thing) for thing in batch], pipe, pickle.HIGHEST_PROTOCOL)
                pipe.flush()
        code = 0
    finally:
        os._exit(code)  # as forked processes end: buffers, locks and handlers are the first one's


def _received(pipe: BinaryIO | None) -> list[_Result] | None:
    """Return the next batch of the second process; None where it has ended before its time."""
    if pipe is None:
        return None
    try:
        batch: list[_Result] = pickle.load(pipe)  # noqa: S301 -- our own process wrote it
    except (EOFError, OSError, pickle.UnpicklingError):
        return None
    return batch
