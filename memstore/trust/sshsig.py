"""SSHSIG, the signature format of `ssh-keygen -Y sign`: what stock OpenSSH writes and accepts, or a subset.

Source: OpenSSH's PROTOCOL.sshsig, version 1.
"""

from __future__ import annotations

import base64
import hashlib
import textwrap
from typing import NamedTuple

from memstore.core.errors import FormatError
from memstore.trust.formats import ssh_certificate
from memstore.trust.keyring import ECDSA_CURVES, ED25519, RSA, Certificate, PublicKey
from memstore.trust.ssh_wire import Reader, public_key, string, unarmoured

_MAGIC = b"SSHSIG"
_VERSION = 1
HASHES = ("sha512", "sha256")
# The hash of signatures made here, as in stock OpenSSH.
HASH = "sha512"
RSA_FORMATS = {"rsa-sha2-512": "sha512", "rsa-sha2-256": "sha256"}
_ARMOUR_WIDTH = 70
_ED25519_SIGNATURE_BYTES = 64
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"


class SshSignature(NamedTuple):
    """A signature that was read: the key that made it, and what must be checked with that key.

    `format` is the kind of `raw`: the key's type, or for RSA one of `RSA_FORMATS`. If it came with a `certificate`, the
    key is the certified one.
    """

    key: PublicKey
    namespace: str
    hash: str
    format: str
    raw: bytes
    certificate: Certificate | None = None


def read(text: str, *, namespace: str) -> SshSignature:
    """Return the signature in one line of base64.

    Raises:
        FormatError: it is malformed, for another namespace, by a key that is too weak, or in an unknown form.
    """
    reader = Reader(unarmoured(text))
    if reader.take(len(_MAGIC)) != _MAGIC or reader.number() != _VERSION:
        raise FormatError("it is not an SSH signature of version 1")
    blob = reader.string()
    certificate = ssh_certificate.read(blob) if ssh_certificate.is_certificate(Reader(blob).text()) else None
    key = certificate.key if certificate else public_key(blob)
    said, reserved, hashed_with = reader.text(), reader.string(), reader.text()
    inner = Reader(reader.string())
    reader.end()
    if said != namespace:
        raise FormatError(f"it was made for {said!r}, not for {namespace!r}")
    if reserved or hashed_with not in HASHES:
        raise FormatError(f"it is hashed with {hashed_with!r} or has reserved bytes; sha512 and sha256 are known")
    kind, raw = inner.text(), inner.string()
    inner.end()
    _check_kind(key, kind, raw)
    return SshSignature(key, said, hashed_with, kind, raw, certificate)


def write(signature: SshSignature) -> str:
    """Return a signature as one line of base64."""
    parts = (
        string(signature.certificate.blob if signature.certificate else signature.key.blob),
        string(signature.namespace),
        string(b""),
        string(signature.hash),
        string(string(signature.format) + string(signature.raw)),
    )
    return base64.b64encode(_MAGIC + _VERSION.to_bytes(4) + b"".join(parts)).decode()


def signed_bytes(message: bytes, *, namespace: str, hashed_with: str = HASH) -> bytes:
    """Return the bytes that the key itself signs: the message's hash in its frame."""
    digest = hashlib.new(hashed_with, message).digest()
    return _MAGIC + string(namespace) + string(b"") + string(hashed_with) + string(digest)


def armoured(text: str) -> str:
    """Return a signature as `ssh-keygen -Y verify -s FILE` reads it."""
    return "\n".join([_BEGIN, *textwrap.wrap(text, _ARMOUR_WIDTH), _END, ""])


def from_armour(text: str) -> str:
    """Return the line of base64 from the output of `ssh-keygen -Y sign`; `FormatError` for anything else."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if lines[:1] != [_BEGIN] or lines[-1:] != [_END]:
        raise FormatError("it is not an armoured SSH signature", hint="`ssh-keygen -Y sign` writes them")
    return "".join(lines[1:-1])


def _check_kind(key: PublicKey, kind: str, raw: bytes) -> None:
    """Require that this key can have made a signature of this kind."""
    if key.type == RSA:
        if kind not in RSA_FORMATS:
            raise FormatError(f"a signature of kind {kind!r} by an RSA key; SHA-1 does not count")
    elif kind != key.type:
        raise FormatError(f"a signature of kind {kind!r} by a key of type {key.type}")
    if kind == ED25519 and len(raw) != _ED25519_SIGNATURE_BYTES:
        raise FormatError("an ed25519 signature of the wrong length")
    if kind in ECDSA_CURVES:
        ecdsa_numbers(raw)


def ecdsa_numbers(raw: bytes) -> tuple[int, int]:
    """Return r and s of an ECDSA signature; `FormatError` if they are not encoded correctly."""
    reader = Reader(raw)
    numbers = reader.positive(), reader.positive()
    reader.end()
    return numbers
