"""Digests of bytes: blob ids, by which git names the bytes of files, and plain SHA-256."""

from __future__ import annotations

import hashlib

# Precedes the hexadecimal digits of a SHA-256 digest that is not a git id.
DIGEST_PREFIX = "sha256:"
_SHA256_DIGITS = 64


def blob_id(data: bytes, object_format: str = "sha1") -> str:
    """Return the blob id of these bytes in a repository's object format, `sha1` or `sha256`."""
    digest = hashlib.new(object_format, usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def is_blob(data: bytes, blob: str) -> bool:
    """Whether a blob id, or the beginning of one, is that of these bytes in either object format."""
    return any(blob_id(data, name).startswith(blob) for name in ("sha1", "sha256"))


def format_of(blob: str) -> str:
    """Return the object format of an id."""
    return "sha256" if len(blob) == _SHA256_DIGITS else "sha1"


def empty_tree(object_format: str) -> str:
    """Return git's id of a tree without entries."""
    return hashlib.new(object_format, b"tree 0\0", usedforsecurity=False).hexdigest()


def digest_of(data: bytes) -> str:
    """Return the SHA-256 digest of these bytes, with `DIGEST_PREFIX`."""
    return DIGEST_PREFIX + hashlib.sha256(data).hexdigest()
