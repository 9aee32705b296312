"""What can be told of a sealed file without a key: that it is one, and for how many keys of which kind.

Source: the age file format, https://age-encryption.org/v1, "Header"; its lines for SSH keys have the first four bytes
of the SHA-256 of the public key.
"""

from __future__ import annotations

import base64
import hashlib
from typing import NamedTuple

MAGIC = b"age-encryption.org/v1\n"
# A header has a few lines for each recipient; a memory for thousands of people is not sealed.
_MOST_HEADER_BYTES = 1 << 20
_END_OF_HEADER = b"\n--- "
# What follows a header at least: a nonce, and the tag of an empty text.
_LEAST_PAYLOAD = 32
_ANY_KIND = "X25519"
_SSH = "ssh-ed25519"


class Recipients(NamedTuple):
    """For whom a file is encrypted: the tags of SSH keys, and how many other keys, of which nothing is known."""

    tags: frozenset[str]
    others: int

    @property
    def is_context(self) -> bool:
        """Whether it is for the key of a context alone, rather than for the keys of people."""
        return not self.tags and self.others > 0

    def is_wider(self, before: Recipients) -> bool:
        """Whether somebody may open it who could not open an earlier version, as far as can be told."""
        return not self.tags <= before.tags or self.others > before.others


def is_sealed(data: bytes) -> bool:
    """Return whether bytes are those of a sealed file."""
    return data.startswith(MAGIC)


def is_cut_off(data: bytes) -> bool:
    """Return whether a sealed file is too short for any content: without the end of its header, or what follows it."""
    _, end, rest = data.partition(_END_OF_HEADER)
    return not end or len(rest.partition(b"\n")[2]) < _LEAST_PAYLOAD


def recipients(data: bytes) -> Recipients:
    """Return for whom a sealed file is encrypted; nobody if its header can't be read."""
    head = data[:_MOST_HEADER_BYTES].partition(b"\n---")[0]
    words = [line.decode("ascii", "replace").split() for line in head.split(b"\n") if line.startswith(b"-> ")]
    kinds = [(line[1], line[2:]) for line in words if len(line) > 1]
    tags = frozenset(rest[0] for kind, rest in kinds if kind == _SSH and rest)
    # Lines of a kind that nobody knows are padding, which age's programs add at random.
    return Recipients(tags, sum(kind == _ANY_KIND for kind, _ in kinds))


def tag_of(public_key: bytes) -> str:
    """Return how a sealed file names an SSH key, given by its wire form."""
    return base64.b64encode(hashlib.sha256(public_key).digest()[:4]).decode().rstrip("=")
