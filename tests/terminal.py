"""The installed program at a terminal, as a person sees it."""

from __future__ import annotations

import os
import pty
import subprocess
import termios
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from tests.installed import MEMSTORE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


class Seen(NamedTuple):
    """What a terminal showed, and how the program ended."""

    code: int
    text: str


def at_a_terminal(
    words: tuple[str, ...],
    folder: Path,
    environment: Mapping[str, str],
    *,
    size: tuple[int, int] | None = None,
    typed: bytes = b"",
    watched: Callable[[subprocess.Popen[bytes], bytes], None] | None = None,
) -> Seen:
    """Run the program at a terminal of its own.

    Args:
        words: its arguments.
        folder: where it is run.
        environment: all its variables.
        size: rows and columns of the terminal; None if it doesn't know them.
        typed: what was typed before.
        watched: is called with the process and what was shown so far, whenever there is more.
    """
    terminal, end = pty.openpty()
    os.write(terminal, typed)
    if size:
        termios.tcsetwinsize(end, size)
    with subprocess.Popen(
        [MEMSTORE, *words], cwd=folder, env=environment, stdin=end, stdout=end, stderr=end
    ) as process:
        os.close(end)
        seen = b""
        with suppress(OSError):  # Linux tells the end of a terminal so
            while part := os.read(terminal, 4096):
                seen += part
                if watched:
                    watched(process, seen)
    os.close(terminal)
    return Seen(process.returncode, seen.decode().replace("\r\n", "\n"))
