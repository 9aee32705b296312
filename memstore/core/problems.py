"""Problems of a text that is being read, before its path is known."""

from __future__ import annotations

from typing import NamedTuple

from memstore.core.finding import Finding, Position, Severity

# A longer line is useless on a screen.
LONGEST_SHOWN = 500


class Problem(NamedTuple):
    """One problem of a text; `mended` and `key` are passed on to its `Finding`."""

    code: str
    at: Position
    text: str
    hint: str | None = None
    mended: str | None = None
    key: str = ""

    def found_in(self, path: str) -> Finding:
        """Return this problem as a finding in the file at `path`."""
        return Finding(
            code=self.code,
            severity=Severity.ERROR,
            path=path,
            at=self.at,
            text=self.text,
            hint=self.hint,
            mended=self.mended,
            key=self.key,
        )


def worth_showing(line: str | None) -> str | None:
    """Return a mended line, or None if it is too long to show."""
    return line if line is not None and len(line) <= LONGEST_SHOWN else None
