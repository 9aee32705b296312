"""What is wrong with a text that is being read: a finding that does not know its path yet."""

from __future__ import annotations

from typing import NamedTuple

from memstore.model.finding import Finding, Position, Severity


class Problem(NamedTuple):
    """One problem of a text; `mended` and `key` are those of the `Finding` that it becomes."""

    code: str
    at: Position
    text: str
    hint: str | None = None
    mended: str | None = None
    key: str = ""

    def found_in(self, path: str) -> Finding:
        """Return the finding that this problem is in the file at `path`."""
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
