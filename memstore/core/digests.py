"""Blob ids: the name that git gives to a file's bytes."""

from __future__ import annotations

import hashlib

# Before the hexadecimal digits of a SHA-256 digest that is not git's.
DIGEST_PREFIX = "sha256:"
_SHA256_DIGITS = 64


def blob_id(data: bytes, object_format: str = "sha1") -> str:
    """Return the id of the blob with these bytes, in a repository's object format, `sha1` or `sha256`."""
    digest = hashlib.new(object_format, usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def format_of(blob: str) -> str:
    """Return the object format that an id is of."""
    return "sha256" if len(blob) == _SHA256_DIGITS else "sha1"
