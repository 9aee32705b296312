"""The wire format of SSH: length-prefixed strings, and public keys (RFC 4251, 4253, 5656, 8709)."""

from __future__ import annotations

import base64
import binascii

from memstore.core.errors import FormatError
from memstore.trust.keyring import CERTIFICATE_SUFFIX, ECDSA_CURVES, ED25519, KEY_TYPES, RSA, PublicKey

_LENGTH_BYTES = 4
SHORTEST_RSA_BITS = 2048
LONGEST_RSA_BITS = 16384  # as in stock OpenSSH
# All encodings of points of small order, except for the sign bit: whoever has one as a key vouches for any message.
_POINTS_OF_SMALL_ORDER = frozenset(
    bytes.fromhex(point)
    for point in (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    )
)
_ED25519_BYTES = 32
# FIPS 186-5's curves y² = x³ - 3x + b over the integers modulo p, each as (p, b).
_CURVES = {
    "nistp256": (
        2**256 - 2**224 + 2**192 + 2**96 - 1,
        0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    ),
    "nistp384": (
        2**384 - 2**128 - 2**96 + 2**32 - 1,
        0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
    ),
    "nistp521": (
        2**521 - 1,
        0x51953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B503F00,
    ),
}
_UNCOMPRESSED = b"\x04"


class Reader:
    """Takes the strings out of a message, one by one; `FormatError` for whatever does not fit."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        if self._at + count > len(self._data):
            raise FormatError("the signature or key ends too early")
        self._at += count
        return self._data[self._at - count : self._at]

    def number(self) -> int:
        """Return the next uint32."""
        return int.from_bytes(self.take(_LENGTH_BYTES))

    def long(self) -> int:
        """Return the next uint64."""
        return int.from_bytes(self.take(2 * _LENGTH_BYTES))

    def string(self) -> bytes:
        """Return the next string."""
        return self.take(self.number())

    def text(self) -> str:
        """Return the next string, which must be ASCII."""
        try:
            return self.string().decode("ascii")
        except UnicodeDecodeError as error:
            raise FormatError("a name in the signature or key is not ASCII") from error

    def positive(self) -> int:
        """Return the next mpint, which must be positive and without extra bytes."""
        data = self.string()
        number = int.from_bytes(data, signed=True)
        if number <= 0 or mpint(number) != data:
            raise FormatError("a number in the signature or key is malformed")
        return number

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        return self._at == len(self._data)

    def so_far(self) -> bytes:
        """Return what has been taken so far."""
        return self._data[: self._at]

    def end(self) -> None:
        """Require that nothing is left."""
        if not self.is_done:
            raise FormatError("there is something after the signature or key")


def string(data: bytes | str) -> bytes:
    """Return a string in wire format."""
    raw = data.encode("ascii") if isinstance(data, str) else data
    return len(raw).to_bytes(_LENGTH_BYTES) + raw


def mpint(number: int) -> bytes:
    """Return the bytes of a positive mpint, without its length."""
    return number.to_bytes(number.bit_length() // 8 + 1, signed=True)


def unarmoured(text: str) -> bytes:
    """Return the bytes of base64 on one line, in its canonical spelling; `FormatError` for any other."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError("it is not base64") from error
    if base64.b64encode(data).decode() != text:
        raise FormatError("its base64 is not in canonical form")
    return data


def public_key(blob: bytes) -> PublicKey:
    """Return the key in a wire form.

    Raises:
        FormatError: it is none of `KEY_TYPES`, is malformed, or too weak to vouch for anything.
    """
    reader = Reader(blob)
    kind = reader.text()
    if kind == ED25519:
        _check_ed25519(reader.string())
    elif kind == RSA:
        _check_rsa(exponent=reader.positive(), modulus=reader.positive())
    elif kind in ECDSA_CURVES:
        if reader.text() != ECDSA_CURVES[kind]:
            raise FormatError(f"a key of type {kind} on another curve")
        _check_point(reader.string(), _CURVES[ECDSA_CURVES[kind]])
    elif kind.endswith(CERTIFICATE_SUFFIX):
        raise FormatError("it is a certificate, not a key", hint="memstore trust keys add ENTITY CA.pub --authority")
    else:
        raise FormatError(f"keys of type {kind!r} are not supported", hint=f"use one of {', '.join(KEY_TYPES)}")
    reader.end()
    return PublicKey(kind, blob)


def read_public_key(line: str) -> tuple[PublicKey, str]:
    """Return the key and the comment of a line `TYPE BASE64 [COMMENT]`, as in a `.pub` file.

    Raises:
        FormatError: it is not such a line, or not a key that `public_key` accepts.
    """
    kind, _, rest = line.strip().partition(" ")
    encoded, _, comment = rest.strip().partition(" ")
    if not encoded:
        raise FormatError("it is not a public key", hint="the .pub file has one: TYPE BASE64 COMMENT")
    key = public_key(unarmoured(encoded))
    if key.type != kind:
        raise FormatError(f"the line says {kind}, but its key is of type {key.type}")
    return key, comment.strip()


def _check_ed25519(point: bytes) -> None:
    if len(point) != _ED25519_BYTES:
        raise FormatError("an ed25519 key of the wrong length")
    if point[:-1] + bytes([point[-1] & 0x7F]) in _POINTS_OF_SMALL_ORDER:
        raise FormatError("this ed25519 key is a weak point: it would vouch for any message")


def _check_point(point: bytes, curve: tuple[int, int]) -> None:
    """Require that a point is written as OpenSSH writes it, uncompressed, and is on the curve."""
    prime, constant = curve
    size = (prime.bit_length() + 7) // 8
    if point[:1] != _UNCOMPRESSED or len(point) != 1 + 2 * size:
        raise FormatError("an ECDSA key whose point is compressed", hint="make another one with ssh-keygen")
    x, y = int.from_bytes(point[1 : 1 + size]), int.from_bytes(point[1 + size :])
    if max(x, y) >= prime or (y * y - x * x * x + 3 * x - constant) % prime:
        raise FormatError("an ECDSA key whose point is not on its curve")


def _check_rsa(*, exponent: int, modulus: int) -> None:
    if not SHORTEST_RSA_BITS <= modulus.bit_length() <= LONGEST_RSA_BITS:
        raise FormatError(
            f"an RSA key of {modulus.bit_length()} bits; {SHORTEST_RSA_BITS} to {LONGEST_RSA_BITS} are supported"
        )
    if not exponent % 2 or exponent == 1:
        raise FormatError("an RSA key with an invalid exponent")
