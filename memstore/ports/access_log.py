"""What others were shown, and what they asked for in vain: a log of this machine, which no repository holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime


class Access(NamedTuple):
    """One look of somebody who is not the owner alone: when, in UTC, who, in which context, and by what (`how`).

    `shown` are the ids of memories that they were told of, `denied` of those that they asked for and may not see.
    """

    at: datetime
    by: str
    context: str | None
    how: str
    shown: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()


class AccessLog(Protocol):
    """Remembers looks as well as it can; it never fails."""

    def record(self, access: Access) -> None:
        """Remember a look; forget it silently where that can't be done."""

    def accesses(self) -> Iterator[Access]:
        """Yield all looks, the oldest first; what can't be read is left out."""
