"""OpenTimestamps proofs: from a file's digest, by appending and hashing, to the root of a block of Bitcoin's chain.

A small reader of version 1 that follows what calendars write: SHA-256, append and prepend. A branch with another
operation is read but not followed. Source: github.com/opentimestamps/python-opentimestamps, `core`.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from memstore.core.errors import FormatError
from memstore.core.times import moment

MAGIC = bytes.fromhex("004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e89294")
_VERSION = 1
_FORK, _ATTESTATION = 0xFF, 0x00
_SHA256, _APPEND, _PREPEND = 0x08, 0xF0, 0xF1
# Operations without an operand that are not followed here: SHA-1, RIPEMD-160, Keccak-256, reverse, hexlify.
_NOT_FOLLOWED = frozenset({0x02, 0x03, 0x67, 0xF2, 0xF3})
_BITCOIN = bytes.fromhex("0588960d73d71901")
_PENDING = bytes.fromhex("83dfe30d2ef90c8e")
_DIGEST_BYTES = 32
# The reference implementation's limits, and one for the whole: a proof from five calendars has some 3,000 bytes.
_MOST_BYTES = 1 << 16
_MOST_MESSAGE_BYTES = 4096
_MOST_ATTESTATION_BYTES = 8192
_MOST_FORKS = 256
_MOST_NUMBER_BYTES = 9


class TimeProof(NamedTuple):
    """A proof that was read.

    `digest` is the SHA-256 of what is proven. `blocks` are heights and the Merkle roots to which it leads, in Bitcoin's
    byte order; `pending` are the calendars that have promised one.
    """

    digest: bytes
    blocks: tuple[tuple[int, bytes], ...]
    pending: tuple[str, ...]


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        if self._at + count > len(self._data):
            raise FormatError("the proof ends too early")
        self._at += count
        return self._data[self._at - count : self._at]

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        """Return an unsigned number with seven bits per byte, lowest first."""
        found = 0
        for i in range(_MOST_NUMBER_BYTES):
            byte = self.byte()
            found |= (byte & 0x7F) << (7 * i)
            if byte < 0x80:  # noqa: PLR2004 - the bit that means another byte follows
                return found
        raise FormatError("a number in the proof is too long")

    def string(self, most: int) -> bytes:
        length = self.number()
        if length > most:
            raise FormatError(f"a part of the proof has {length} bytes, and may have at most {most}")
        return self.take(length)

    def end(self) -> None:
        if self._at != len(self._data):
            raise FormatError("there is something after the proof")


def read(data: bytes) -> TimeProof:
    """Return the proof in the bytes of an `.ots` file.

    Raises:
        FormatError: it is not a proof, or larger or deeper than any proof.
    """
    if len(data) > _MOST_BYTES:
        raise FormatError(f"the proof has {len(data)} bytes, and may have at most {_MOST_BYTES}")
    reader = _Bytes(data)
    if not data.startswith(MAGIC) or reader.take(len(MAGIC)) != MAGIC or reader.number() != _VERSION:
        raise FormatError("it is not an OpenTimestamps proof of version 1", hint="`ots stamp FILE` writes FILE.ots")
    if reader.byte() != _SHA256:
        raise FormatError("it is not a proof of a SHA-256 digest")
    digest = reader.take(_DIGEST_BYTES)
    blocks: list[tuple[int, bytes]] = []
    pending: list[str] = []
    # What is left to prove, innermost last; None where an operation was not followed.
    waiting: list[bytes | None] = [digest]
    while waiting:
        message, tag = waiting.pop(), reader.byte()
        if tag == _FORK:
            waiting.append(message)
            tag = reader.byte()
        if tag == _ATTESTATION:
            _attested(reader, message, blocks, pending)
        else:
            waiting.append(_result(reader, tag, message))
        if len(waiting) > _MOST_FORKS:
            raise FormatError("the proof has too many branches")
    reader.end()
    return TimeProof(digest, tuple(blocks), tuple(pending))


def _attested(reader: _Bytes, message: bytes | None, blocks: list[tuple[int, bytes]], pending: list[str]) -> None:
    """Read one attestation; those of other chains are ignored."""
    kind, said = reader.take(len(_BITCOIN)), _Bytes(reader.string(_MOST_ATTESTATION_BYTES))
    if kind == _BITCOIN:
        height = said.number()
        said.end()
        if message is not None:
            blocks.append((height, message))
    elif kind == _PENDING:
        pending.append(said.string(_MOST_ATTESTATION_BYTES).decode("ascii", "replace"))
        said.end()


def _result(reader: _Bytes, tag: int, message: bytes | None) -> bytes | None:
    """Return the result of an operation on a message."""
    if tag in _NOT_FOLLOWED:
        return None
    if tag == _SHA256:
        return None if message is None else hashlib.sha256(message).digest()
    if tag not in (_APPEND, _PREPEND):
        raise FormatError(f"the proof has an operation 0x{tag:02x}, which is unknown")
    operand = reader.string(_MOST_MESSAGE_BYTES)
    if message is None:
        return None
    result = message + operand if tag == _APPEND else operand + message
    if not operand or len(result) > _MOST_MESSAGE_BYTES:
        raise FormatError("the proof makes a message of an invalid length")
    return result


# -- block headers: time and proof of work ---------------------------------------------------------


HEADER_BYTES = 80
# A header's time may be wrong: at most two hours ahead of the network's clock, and later than the median of the
# previous eleven blocks. So the content of a block is assumed to have existed no later than this long after its time.
CLOCK_SLACK = timedelta(hours=2)


# Bitcoin's difficulty was 4.4e10 at the end of 2014 and was never below 4e10 after that; a quarter of it is asked for.
_HARD_SINCE = datetime(2015, 1, 1, tzinfo=UTC)
_EASIEST_TARGET = (0xFFFF << 208) // 10**10  # 0xFFFF << 208 is the target of difficulty 1


class Header(NamedTuple):
    """What matters of a header: the root of its transactions, its latest possible time, in UTC, and its target."""

    merkle_root: bytes
    at: datetime
    target: int

    @property
    def is_of_main_chain(self) -> bool:
        """Whether it shows about as much work as Bitcoin's blocks of its time do, which nobody does alone."""
        return self.at < _HARD_SINCE or self.target <= _EASIEST_TARGET


def read_header(data: bytes) -> Header:
    """Return the content of a header.

    Raises:
        FormatError: it does not have 80 bytes, or its hash lacks the work that it claims, as after any typo.
    """
    target = _target(data) if len(data) == HEADER_BYTES else 0
    if int.from_bytes(hashlib.sha256(hashlib.sha256(data).digest()).digest(), "little") > target:
        raise FormatError("it is not a block header: 80 bytes, with the proof of work that they claim")
    seconds = int.from_bytes(data[68:72], "little")
    return Header(data[36:68], moment(seconds) + CLOCK_SLACK, target)


def _target(data: bytes) -> int:
    """Return the target that a header gives in compact form; 0, which no hash reaches, if that is negative."""
    exponent, mantissa = data[75], int.from_bytes(data[72:75], "little")
    if mantissa >= 0x800000:  # noqa: PLR2004
        return 0
    return mantissa << 8 * (exponent - 3) if exponent >= 3 else mantissa >> 8 * (3 - exponent)  # noqa: PLR2004
