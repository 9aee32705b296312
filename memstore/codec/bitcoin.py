"""The header of a block of Bitcoin's chain: what it says of time, and whether anybody worked for it."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from memstore.errors import FormatError

HEADER_BYTES = 80
# A header's time may be off: at most two hours ahead of the network's clock, and later than the median of the eleven
# blocks before it. What is in a block is therefore taken to be no older than this after the time it says.
CLOCK_SLACK = timedelta(hours=2)


class Header(NamedTuple):
    """What counts of a header: the root of its transactions, and when it was made at the latest, UTC."""

    merkle_root: bytes
    at: datetime


def read(data: bytes) -> Header:
    """Return what a header says.

    Raises:
        FormatError: it has not 80 bytes, or its hash shows none of the work that it claims, as after any slip.
    """
    if len(data) != HEADER_BYTES or not _is_mined(data):
        raise FormatError("it is no header of a block: 80 bytes, with the work that they claim")
    seconds = int.from_bytes(data[68:72], "little")
    return Header(data[36:68], datetime.fromtimestamp(seconds, UTC) + CLOCK_SLACK)


def _is_mined(data: bytes) -> bool:
    """Whether the header's hash is below the target that it names in its compact form."""
    exponent, mantissa = data[75], int.from_bytes(data[72:75], "little")
    target = mantissa << 8 * (exponent - 3) if exponent >= 3 else mantissa >> 8 * (3 - exponent)  # noqa: PLR2004
    found = hashlib.sha256(hashlib.sha256(data).digest()).digest()
    return mantissa < 0x800000 and int.from_bytes(found, "little") <= target  # noqa: PLR2004 - else it is negative
