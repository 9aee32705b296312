"""Digests, by the small modules that Python has for them: `hashlib` loads OpenSSL, which takes longer than a search's.

`random` of the standard library does the same. The hashes are the same whoever computes them.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Digest(Protocol):
    """A digest being made, as `hashlib` has it."""

    def update(self, data: bytes, /) -> None:
        """Take more bytes."""

    def hexdigest(self) -> str:
        """Return the digest of all bytes so far, in hexadecimal digits."""


def new(name: str) -> Digest:
    """Return a new digest, `sha1` or `sha256`."""
    return maker(name)()


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal digits."""
    digest = new("sha256")
    digest.update(data)
    return digest.hexdigest()


def maker(name: str) -> Callable[..., Digest]:
    """Return what makes digests, of bytes to begin with, if they are given."""
    if "hashlib" not in sys.modules:
        for module in (f"_{name}", "_sha2", "_blake2"):
            try:
                found: Callable[..., Digest] = getattr(__import__(module), name)
            except (ImportError, AttributeError):  # another Python
                continue
            return found
    import hashlib

    return partial(hashlib.new, name, usedforsecurity=False)
