"""What a hook says to the person, beside what it decides."""

from __future__ import annotations

import sys

from memstore.core.harmless import safe


def say(*lines: str | None) -> None:
    """Write lines to standard error, but for None; what they quote from files does nothing to the terminal.

    If there is no standard error, or it takes no text, what the hook decides stands.
    """
    try:
        if sys.stderr is not None:
            sys.stderr.write("".join(f"{safe(line)}\n" for line in lines if line is not None))
    except OSError:
        pass
