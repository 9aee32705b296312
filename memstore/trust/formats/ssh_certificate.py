"""SSH user certificates, as made by `ssh-keygen -s`: an authority's statement of whose key this is, and until when.

Source: OpenSSH's PROTOCOL.certkeys, version 01.
"""

from __future__ import annotations

from memstore.core.errors import FormatError
from memstore.core.times import moment
from memstore.trust.keyring import CERTIFICATE_SUFFIX, KEY_TYPES, RSA, Certificate, PublicKey
from memstore.trust.ssh_wire import Reader, public_key, string

_USER = 1
# RFC 8332; SHA-1 doesn't count here, either.
_RSA_FORMATS = ("rsa-sha2-512", "rsa-sha2-256")
_FIELDS_OF_KEY = {RSA: 2, "ssh-ed25519": 1}
_FIELDS_OF_ECDSA_KEY = 2


def is_certificate(kind: str) -> bool:
    """Return whether a type is that of a certificate for a supported type of key."""
    return kind.endswith(CERTIFICATE_SUFFIX) and kind.removesuffix(CERTIFICATE_SUFFIX) in KEY_TYPES


def read(blob: bytes) -> Certificate:
    """Return the certificate in a wire form; the caller must check whether its authority's signature holds.

    Raises:
        FormatError: it is malformed, a host's, without principals, or has critical options, which are not supported.
    """
    reader = Reader(blob)
    kind = reader.text()
    if not is_certificate(kind):
        raise FormatError(f"certificates of type {kind!r} are not supported")
    reader.string()  # the nonce
    key = _key(kind.removesuffix(CERTIFICATE_SUFFIX), reader)
    serial, role, key_id = reader.long(), reader.number(), reader.string()
    principals = _strings(reader.string())
    after, before = reader.long(), reader.long()
    critical, _, reserved = reader.string(), reader.string(), reader.string()
    authority = public_key(reader.string())
    signed = reader.so_far()
    inner = Reader(reader.string())
    reader.end()
    form, raw = inner.text(), inner.string()
    inner.end()
    if role != _USER:
        raise FormatError("it is a host certificate, and hosts don't vouch for memories")
    if critical or reserved:
        raise FormatError("the certificate has critical options, and none is supported")
    if not principals:
        raise FormatError(
            "the certificate does not name anybody", hint="ssh-keygen -s CA -n ENTITY makes one that does"
        )
    if form not in (_RSA_FORMATS if authority.type == RSA else (authority.type,)):
        raise FormatError(f"the certificate's signature is of the unsupported kind {form!r}")
    return Certificate(
        blob=blob,
        key=key,
        authority=authority,
        principals=principals,
        valid_after=moment(after),
        valid_before=moment(before),
        key_id=key_id.decode("utf-8", "replace"),
        serial=serial,
        signed=signed,
        form=form,
        raw=raw,
    )


def _key(kind: str, reader: Reader) -> PublicKey:
    """Return the plain key, whose parts are in the certificate without the type."""
    parts = [reader.string() for _ in range(_FIELDS_OF_KEY.get(kind, _FIELDS_OF_ECDSA_KEY))]
    return public_key(string(kind) + b"".join(map(string, parts)))


def _strings(packed: bytes) -> tuple[str, ...]:
    reader = Reader(packed)
    found = []
    while not reader.is_done:
        found.append(reader.text())
    return tuple(found)
