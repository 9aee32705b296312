"""An independent builder of OpenTimestamps proofs and of blocks that prove them: no network, and no code of memstore's.

A step is ("sha256",), ("append", operand), ("prepend", operand) or any other operation as (byte,). A proof is a tree:
[step, …, end], where the end is ("bitcoin", height), ("pending", uri), ("litecoin", height) or ("fork", [tree, tree…]).
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MAGIC = b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94"
_ATTESTATIONS = {"bitcoin": "0588960d73d71901", "pending": "83dfe30d2ef90c8e", "litecoin": "06869a0d73d71b45"}
# The easiest target of the test network: every other header is below it.
_EASY = 0x207FFFFF


def number(value: int) -> bytes:
    """Return an unsigned number, seven bits a byte, the lowest first."""
    low, rest = value % 128, value // 128
    return bytes([low + 128]) + number(rest) if rest else bytes([low])


def text(data: bytes) -> bytes:
    """Return bytes with their length in front."""
    return number(len(data)) + data


def built(tree: list[Any]) -> bytes:
    """Return the bytes of a tree."""
    *steps, end = tree
    return b"".join(map(_step, steps)) + _end(end)


def proof(digest: bytes, tree: list[Any]) -> bytes:
    """Return the bytes of an `.ots` file."""
    return MAGIC + b"\x01\x08" + digest + built(tree)


def _step(step: tuple[Any, ...]) -> bytes:
    if step[0] == "sha256":
        return b"\x08"
    if step[0] in ("append", "prepend"):
        return {"append": b"\xf0", "prepend": b"\xf1"}[step[0]] + text(step[1])
    return bytes([step[0]])


def _end(end: tuple[str, Any]) -> bytes:
    kind, value = end
    if kind == "fork":
        *first, last = map(built, value)
        return b"".join(b"\xff" + branch for branch in first) + last
    said = text(value.encode()) if kind == "pending" else number(value)
    return b"\x00" + bytes.fromhex(_ATTESTATIONS[kind]) + text(said)


def root(digest: bytes, steps: list[Any]) -> bytes:
    """Return where steps lead from a digest."""
    found = digest
    for step in steps:
        match step[0]:
            case "sha256":
                found = hashlib.sha256(found).digest()
            case "append":
                found += step[1]
            case "prepend":
                found = step[1] + found
    return found


def header(merkle_root: bytes, at: datetime) -> bytes:
    """Return the header of a block with that root, worked for at the easiest target."""
    seconds = int(at.astimezone(UTC).timestamp())
    for nonce in range(1000):
        data = (2).to_bytes(4, "little") + bytes(32) + merkle_root + seconds.to_bytes(4, "little")
        data += _EASY.to_bytes(4, "little") + nonce.to_bytes(4, "little")
        if hashlib.sha256(hashlib.sha256(data).digest()).digest()[31] < 0x7F:
            return data
    raise AssertionError


def pin(config_home: str, height: int, block: bytes) -> None:
    """Pin a block by hand, as easy as it is: `keys pin --block` takes none that anybody could have made."""
    file = Path(config_home) / "memstore" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    before = file.read_text() if file.exists() else ""
    file.write_text(f'{before}\n[block_headers]\n"{height}" = "{block.hex()}"\n')
