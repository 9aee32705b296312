"""How a command answers an agent's hook: the program behind it must go on, whatever goes wrong here."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

from memstore.agents.hook_events import MOST_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memstore.cli.session import CliSession

MOST_SECONDS = 25  # less than the programs are told to wait


def answer_hook(session: CliSession, answer: Callable[[str], str]) -> None:
    """Print the answer to what is on standard input, if there is one.

    If anything goes wrong, nothing is printed but a line on standard error, and the command still succeeds.

    Args:
        session: the call.
        answer: returns the answer to an input; empty for none.
    """
    from memstore.cli import output

    try:
        with _in_time():
            text = answer(_input())
        if text:
            output.write_lines((text,))
            output.flush()
    except (Exception, _TooLateError) as error:  # noqa: BLE001 - a hook that fails stops the agent
        _tell(session, error)


def _input() -> str:
    """Return standard input; empty if there is none. Raise `UsageError` for one that is too long."""
    if sys.stdin is None:
        return ""
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        from memstore.core.errors import UsageError

        raise UsageError(f"the input of a hook has at most {MOST_BYTES:,} bytes")
    return data.decode("utf-8-sig", "surrogateescape")


def _tell(session: CliSession, error: BaseException) -> None:
    from memstore.cli import output
    from memstore.cli.failures import failure_of

    if (isinstance(error, OSError) and str(error.filename) == "standard output") or isinstance(error, BrokenPipeError):
        with suppress(OSError, ValueError):
            output.discard()  # nobody reads it any more
        return
    with suppress(OSError, ValueError):  # nobody reads that either
        if not session.choices.quiet:
            said = failure_of(error).message if isinstance(error, Exception) else str(error)
            output.write_message(f"memstore: {output.safe_line(' '.join(said.split()))}")


class _TooLateError(BaseException):
    """The time is over. Not an `Exception`, so that nothing on the way takes it for a file that can't be read."""


@contextmanager
def _in_time() -> Iterator[None]:
    """Raise `_TooLateError` inside the block when its time is over."""

    def stop(_: int, __: object) -> NoReturn:
        raise _TooLateError(f"no answer within {MOST_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
