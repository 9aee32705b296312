"""Findings: problems in a person's data, as values; while a text is being read, before its path is known, `Problem`."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from memstore.core.short_repr import short_repr


class Severity(Enum):
    """How serious a finding is: an error fails a check and excludes the file, a warning does neither.

    A notice reports something that is not a fault.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


class Position(NamedTuple):
    """A place in a file; line and column count from 1, and columns count characters."""

    line: int
    column: int = 1


class Extent(NamedTuple):
    """A part of a file, from `start` up to `end`, which is not in it; empty if something is missing there."""

    start: Position
    end: Position


class Finding(NamedTuple):
    """One problem, with its place and what to do about it.

    `mended` is the corrected line, if only one correction makes sense. `key` is the frontmatter key it concerns (the
    outermost one for a nested value); empty if it concerns no key or the key is unknown.

    `extent` is what it is about, such as a value where `at` is its key; None for all from `at` to the end of the line.
    `meant` is what was probably meant, as the text to put in its place; that makes the `mended` line, if there is one.
    """

    code: str
    severity: Severity
    path: str
    at: Position
    text: str
    hint: str | None = None
    mended: str | None = None
    key: str = ""
    extent: Extent | None = None
    meant: str | None = None

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def is_error(self) -> bool:
        """Whether a check fails because of this."""
        return self.severity is Severity.ERROR

    @property
    def line(self) -> str:
        """The finding on one line, in a form that editors and terminals can jump from."""
        at = f"{self.path}:{self.at.line}:{self.at.column}"
        return f"{at}: {self.severity.value}: {self.text} [{self.code}]"


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return the findings sorted by path, place and code, without duplicates."""
    return tuple(sorted(set(findings), key=lambda f: (f.path, f.at, f.code, f.text)))


# A longer line is useless on a screen.
LONGEST_SHOWN = 500


class Problem(NamedTuple):
    """One problem of a text; what it says is passed on to its `Finding`."""

    code: str
    at: Position
    text: str
    hint: str | None = None
    mended: str | None = None
    key: str = ""
    extent: Extent | None = None
    meant: str | None = None

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
            extent=self.extent,
            meant=self.meant,
        )

    def with_line(self, line: str, mended: str | None) -> Problem:
        """Return this problem with its `line` as it should read: the extent is the part in which the two differ."""
        if mended is None:
            return self
        start = first_difference(line, mended)
        same = first_difference(line[: start - 1 if start else None : -1], mended[: start - 1 if start else None : -1])
        number = self.at.line
        extent = Extent(Position(number, start + 1), Position(number, len(line) - same + 1))
        meant = mended[start : len(mended) - same]
        return self._replace(mended=worth_showing(mended), extent=extent, meant=meant)


def first_difference(one: str, other: str) -> int:
    """Return how many characters at the start of two texts are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def worth_showing(line: str | None) -> str | None:
    """Return a mended line, or None if it is too long to show."""
    return line if line is not None and len(line) <= LONGEST_SHOWN else None
