"""What of SSHSIG is refused: as stock does, or stricter."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.errors import FormatError
from memstore.trust import ssh_wire, sshsig
from memstore.trust.ssh_wire import string

NAMESPACE = "attest@memstore.dev"
POINT = bytes(range(32))
ED25519 = string("ssh-ed25519") + string(POINT)
PRIME = (1 << 2047) | 1


def blob(
    *,
    version: int = 1,
    key: bytes = ED25519,
    namespace: str = NAMESPACE,
    reserved: bytes = b"",
    hashed_with: str = "sha512",
    inner: bytes = string("ssh-ed25519") + string(bytes(64)),
) -> bytes:
    parts = string(key) + string(namespace) + string(reserved) + string(hashed_with) + string(inner)
    return b"SSHSIG" + version.to_bytes(4) + parts


def read(data: bytes) -> sshsig.SshSignature:
    return sshsig.read(base64.b64encode(data).decode(), namespace=NAMESPACE)


def test_a_signature_that_is_written_reads_as_it_was() -> None:
    text = base64.b64encode(blob()).decode()
    assert sshsig.write(sshsig.read(text, namespace=NAMESPACE)) == text
    assert sshsig.from_armour(sshsig.armoured(text)) == text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"SSHSIG",
        blob() + b"\0",
        blob()[:-1],
        blob(version=2),
        blob(namespace="git"),
        blob(namespace="attest@memstore.dev.example"),
        blob(reserved=b"x"),
        blob(hashed_with="sha1"),
        blob(hashed_with="sha384"),
        blob(key=ED25519 + b"\0"),
        blob(key=string("ssh-ed25519") + string(POINT[:-1])),
        blob(key=string("ssh-dss") + string(b"x")),
        blob(key=string("sk-ssh-ed25519@openssh.com") + string(POINT) + string("ssh:")),
        blob(inner=string("ssh-ed25519") + string(bytes(63))),
        blob(inner=string("ssh-ed25519") + string(bytes(64)) + b"\0"),
        blob(inner=string("rsa-sha2-512") + string(bytes(256))),
        blob(key=string("ssh-rsa") + string(b"\x01\x00\x01") + string(ssh_wire.mpint(PRIME >> 1))),
        blob(
            key=string("ssh-rsa") + string(b"\x01\x00\x01") + string(ssh_wire.mpint(PRIME)),
            inner=string("ssh-rsa") + string(bytes(256)),
        ),
        blob(key=string("ssh-rsa") + string(b"\x00\x01\x00\x01") + string(ssh_wire.mpint(PRIME))),
        blob(key=string("ecdsa-sha2-nistp256") + string("nistp384") + string(b"\x04" + bytes(64))),
    ],
)
def test_a_malformed_signature_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        read(data)


@pytest.mark.parametrize("text", ["a", "U1NIU0lH=", " U1NIU0lH", "U1NI\nU0lH", "U1NIU0lHä", "QQ=", "QR=="])
def test_base64_is_written_in_one_way(text: str) -> None:
    with pytest.raises(FormatError, match="base64"):
        ssh_wire.unarmoured(text)


@given(st.binary(max_size=200), st.integers(0, 400), st.binary(max_size=4))
def test_no_bytes_do_anything_but_read_or_be_refused(data: bytes, at: int, put: bytes) -> None:
    whole = blob()
    for candidate in (data, whole[:at] + put + whole[at + len(put) :], whole[:at] + put + whole[at:]):
        try:
            found = read(candidate)
        except FormatError:
            continue
        assert base64.b64decode(sshsig.write(found)) == candidate


P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def decoded(encoded: bytes) -> tuple[int, int] | None:
    """Return the point of an encoding, by the formulas of RFC 8032; None where there is none."""
    y = int.from_bytes(encoded, "little") & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    return (x, y % P) if x * x % P == square else None


def doubled(point: tuple[int, int]) -> tuple[int, int]:
    x, y = point
    product = D * x * x * y * y % P
    return 2 * x * y * pow(1 + product, -1, P) % P, (y * y + x * x) * pow(1 - product, -1, P) % P


def test_the_points_that_are_refused_are_those_of_small_order() -> None:
    points = {encoded: decoded(encoded) for encoded in ssh_wire._POINTS_OF_SMALL_ORDER}
    # A curve with cofactor 8 has eight of them: x or -x for each y. A y below 19 can also be written as y + P.
    heights = {point[1] for point in points.values() if point}
    assert len({(x, point[1]) for point in points.values() if point for x in (point[0], -point[0] % P)}) == 8
    assert {int.from_bytes(encoded, "little") for encoded in points} == heights | {y + P for y in heights if y < 19}
    for encoded, point in points.items():
        assert point is not None
        assert doubled(doubled(doubled(point))) == (0, 1)
        for sign in (0, 0x80):
            key = string("ssh-ed25519") + string(encoded[:-1] + bytes([encoded[-1] | sign]))
            with pytest.raises(FormatError, match="weak point"):
                ssh_wire.public_key(key)


def test_the_line_of_a_key_says_what_the_key_is() -> None:
    encoded = base64.b64encode(ED25519).decode()
    key, comment = ssh_wire.read_public_key(f"ssh-ed25519 {encoded} Ash of the park\n")
    assert (key.blob, comment) == (ED25519, "Ash of the park")
    for line in ("", "ssh-ed25519", f"ssh-rsa {encoded}", f"{encoded}", f"ssh-ed25519 {encoded}=="):
        with pytest.raises(FormatError):
            ssh_wire.read_public_key(line)
