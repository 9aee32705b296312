"""Findings: problems in a person's data, as values."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from memstore.core.short_repr import short_repr


class Severity(Enum):
    """How bad it is: an error fails a check and leaves the file out, a warning does not, a notice is no fault."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


class Position(NamedTuple):
    """A place in a file: line and column count from 1; the column counts characters."""

    line: int
    column: int = 1


class Finding(NamedTuple):
    """One problem, with its place and what to do about it.

    `mended` is the line as it could read, where that needs no judgement; `key` the frontmatter key that it is about
    (the outermost one of a value inside another), empty where it is about none, or about which can't be told.
    """

    code: str
    severity: Severity
    path: str
    at: Position
    text: str
    hint: str | None = None
    mended: str | None = None
    key: str = ""

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def is_error(self) -> bool:
        """Whether a check fails because of this."""
        return self.severity is Severity.ERROR

    @property
    def line(self) -> str:
        """The finding on one line, which editors and terminals jump from."""
        at = f"{self.path}:{self.at.line}:{self.at.column}"
        return f"{at}: {self.severity.value}: {self.text} [{self.code}]"


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return the findings by path, place and code, without repetition."""
    return tuple(sorted(set(findings), key=lambda f: (f.path, f.at, f.code, f.text)))
