"""Makes and verifies signatures with the `cryptography` library (the extra `sign`)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_ssh_private_key,
    load_ssh_public_key,
)

from memstore.core.errors import FormatError, VaultError
from memstore.trust import sshsig
from memstore.trust.keyring import ECDSA_CURVES, PublicKey
from memstore.trust.ssh_wire import mpint, read_public_key, string

if TYPE_CHECKING:
    from memstore.trust.sshsig import SshSignature

    PrivateKey = ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey

_HASHES = {"sha512": hashes.SHA512, "sha256": hashes.SHA256}
# RFC 5656, section 6.2.1: the hash that goes with each curve.
_CURVE_HASHES: dict[str, type[hashes.SHA256 | hashes.SHA384 | hashes.SHA512]] = {
    "nistp256": hashes.SHA256,
    "nistp384": hashes.SHA384,
    "nistp521": hashes.SHA512,
}


def holds(signature: SshSignature, signed: bytes) -> bool:
    """Return whether the key in a signature made it over these bytes, and its authority the certificate, if any."""
    certificate = signature.certificate
    return _is_made_by(signature.key, signature.format, signature.raw, signed) and (
        certificate is None or _is_made_by(certificate.authority, certificate.form, certificate.raw, certificate.signed)
    )


def _is_made_by(by: PublicKey, form: str, raw: bytes, signed: bytes) -> bool:
    try:
        _verify(_loaded(by), by, form, raw, signed)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError, FormatError):
        return False
    return True


@lru_cache(maxsize=256)  # usually a few keys made all signatures of a vault
def _loaded(by: PublicKey) -> object:
    return load_ssh_public_key(f"{by.type} {by.base64}".encode())


def _verify(key: object, by: PublicKey, form: str, raw: bytes, signed: bytes) -> None:
    match key:
        case ed25519.Ed25519PublicKey():
            key.verify(raw, signed)
        case rsa.RSAPublicKey():
            hashed_with = _HASHES[sshsig.RSA_FORMATS[form]]()
            key.verify(raw, signed, padding.PKCS1v15(), hashed_with)
        case ec.EllipticCurvePublicKey():
            der = encode_dss_signature(*sshsig.ecdsa_numbers(raw))
            key.verify(der, signed, ec.ECDSA(_curve_hash(by)))
        case _:
            raise FormatError("a key of a kind other than it says")


def load_private(data: bytes, path: str) -> PrivateKey | None:
    """Return the private key in the bytes of a file; None if a passphrase protects it.

    Raises:
        VaultError: the file has no private key, or one of an unknown kind.
    """
    try:
        key = load_ssh_private_key(data, password=None)
    except TypeError:
        return None
    except (ValueError, UnsupportedAlgorithm, NotImplementedError) as error:
        raise VaultError(
            f"{path} is not a private key in OpenSSH format: {error}", hint="ssh-keygen makes one"
        ) from error
    if isinstance(key, ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        return key
    raise VaultError(f"{path} has a key of a kind that can't sign here", hint="ssh-keygen -t ed25519")


def public_of(key: PrivateKey) -> PublicKey:
    """Return the public part of a private key; `FormatError` if it is too weak to vouch for anything."""
    line = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    return read_public_key(line)[0]


def sign(key: PrivateKey, signed: bytes) -> tuple[str, bytes]:
    """Return the kind of the signature over these bytes, and the signature."""
    public = public_of(key)
    match key:
        case ed25519.Ed25519PrivateKey():
            return public.type, key.sign(signed)
        case rsa.RSAPrivateKey():
            return "rsa-sha2-512", key.sign(signed, padding.PKCS1v15(), hashes.SHA512())
        case ec.EllipticCurvePrivateKey():
            numbers = decode_dss_signature(key.sign(signed, ec.ECDSA(_curve_hash(public))))
            return public.type, b"".join(string(mpint(number)) for number in numbers)


def _curve_hash(key: PublicKey) -> hashes.HashAlgorithm:
    return _CURVE_HASHES[ECDSA_CURVES[key.type]]()
