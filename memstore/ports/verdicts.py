"""What was decided for somebody, kept until something changes: deciding about every memory takes long."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Verdict(NamedTuple):
    """The rows that may be seen, ascending, in the `state` of the vault that they were decided on.

    They hold from `since` until just before `until`: seconds since 1970; None is without end.
    """

    state: str
    since: float
    until: float | None
    rows: Sequence[int]


class Verdicts(Protocol):
    """Keeps the last verdict of each viewer."""

    def last(self, viewer: str) -> Verdict | None:
        """Return the last verdict that was kept for a viewer, in whatever state; None where none can be read."""

    def keep(self, viewer: str, verdict: Verdict) -> None:
        """Keep a verdict in place of the viewer's last one; not being able to is no error."""
