"""What a hook says to the person, beside what it decides."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Write lines to standard error; if there is none, or it takes no text, what the hook decides stands."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(text + "\n")
    except OSError:
        pass
