"""Times as memories have them."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

_LENGTH = len("0001-01-01T00:00:00Z")


def instant(at: datetime) -> str:
    """Return a time that knows its zone as memories have it: RFC 3339 in UTC, to the second."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}".rjust(_LENGTH, "0")  # %Y leaves out leading zeros on Linux
