"""Problems of a text that is being read, before its path is known, and of a memory that is being checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.finding import Finding, Position, Severity
from memstore.core.finding_codes import finding_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.core.memory import Memory

    Place = Callable[..., Position]


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


# -- a memory being checked ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Checked:
    """A memory with positions: `place` gives the position of a key or an item, `body_line` is the body's first line."""

    path: str
    memory: Memory
    place: Place
    body_line: int

    def finding(
        self, code: str, text: str, hint: str, *at: str | int, line: int | None = None, mended: str | None = None
    ) -> Finding:
        """Return a finding at a key or an item, or on a line of the file."""
        place = Position(line) if line is not None else self.place(*at)
        return finding_of(code, self.path, text, hint, place, mended=mended, key=str(at[0]) if at else "")
