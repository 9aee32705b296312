"""Answers that are longer than the screen, a screen at a time."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, cast

from memstore.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

VARIABLES = ("MEMSTORE_PAGER", "PAGER")
LAST_RESORT = "less"
# As git has it: end where one screen holds it all (F), let colours through (R), leave the text on the screen (X).
LESS = "FRX"


def write_lines(lines: Iterable[str]) -> None:
    """Write lines to the terminal that standard output is: at once where they fit on it, else through a pager.

    The pager is the first that is named of MEMSTORE_PAGER, PAGER and `less`; what a repository calls one is never run,
    since it may come from anybody. There is none where that is empty, `cat` or not there, or the terminal is dumb.
    """
    screen = os.get_terminal_size(sys.stdout.fileno())
    rest = iter(lines)
    first = list(islice(rest, screen.lines))
    pager = [] if _fit(first, screen) else _pager()
    if pager:
        _write_through(pager, chain(first, rest))
    else:
        output.write_lines(chain(first, rest))


def _fit(lines: Sequence[str], screen: os.terminal_size) -> bool:
    """Whether lines stand on one screen with the prompt below them; a long one takes several rows."""
    if not (screen.columns and screen.lines):  # a terminal that doesn't know its size has nobody before it
        return True
    return sum(max(len(line) - 1, 0) // screen.columns + 1 for line in lines) < screen.lines


def _pager() -> list[str]:
    """Return the words that start the pager, none for no pager."""
    import shlex
    import shutil

    named = next((os.environ[name] for name in VARIABLES if name in os.environ), LAST_RESORT)
    try:
        words = shlex.split(named)
    except ValueError:  # a quotation that does not end
        return []
    is_there = words and words != ["cat"] and shutil.which(words[0]) is not None
    return words if is_there and os.environ.get("TERM", "dumb") != "dumb" else []


def _write_through(pager: list[str], lines: Iterable[str]) -> None:
    """Write to the pager's input, and wait until the person has read enough.

    Ctrl-C meanwhile is for the pager alone: `less` takes it to mean that it need not wait for the rest.
    """
    import signal
    import subprocess

    output.flush()
    encoding, errors = sys.stdout.encoding, sys.stdout.errors or "strict"
    process = subprocess.Popen(pager, stdin=subprocess.PIPE, env={"LESS": LESS, "LESSCHARSET": "utf-8", **os.environ})
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # not before the start: the pager would inherit it
    pipe = cast("IO[bytes]", process.stdin)
    try:
        with suppress(BrokenPipeError), pipe:
            for line in lines:
                pipe.write(f"{line}\n".encode(encoding, errors))
    finally:
        process.wait()
        signal.signal(signal.SIGINT, before)
