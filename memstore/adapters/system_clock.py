"""The machine's clock."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """Tells the machine's time."""

    def now(self) -> datetime:
        """Return the time, in UTC, to the second."""
        return datetime.now(UTC).replace(microsecond=0)
