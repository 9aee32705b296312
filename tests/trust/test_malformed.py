"""Keys, signatures, proofs and documents that somebody mangled are read or refused; nothing else ever happens."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memstore.core.errors import FormatError, MemstoreError, VaultError
from memstore.memories.memory_v01 import export_memories, import_memories
from memstore.trust import allowed_signers, ssh_crypto, sshsig, witness_request
from memstore.trust.anchors import host_of
from memstore.trust.formats import memory_v01, opentimestamps, rotation, ssh_certificate
from memstore.trust.keyring import ALLOWED_SIGNERS, ATTEST_NAMESPACE, PublicKey
from memstore.trust.keys import problem_of
from memstore.trust.rotate import statement_by_both
from memstore.trust.signatures import SshSignatures
from memstore.trust.ssh_wire import mpint, public_key, read_public_key, string
from memstore.trust.trust import trust_of
from memstore.vault.check import check
from tests.attested_vault import PATH, babels_vault, make_keys, states, text
from tests.memory_workspace import files_of, memory_workspace
from tests.support import examples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from memstore.trust.ssh_crypto import PrivateKey

CURVES = {"nistp256": ec.SECP256R1(), "nistp384": ec.SECP384R1(), "nistp521": ec.SECP521R1()}
PRIVATE: list[PrivateKey] = [
    ed25519.Ed25519PrivateKey.generate(),
    rsa.generate_private_key(65537, 2048),
    *map(ec.generate_private_key, CURVES.values()),
]
SIGNED = b"what is signed"
DIGEST = f"sha256:{0:064x}"
DOCUMENT = {
    "id": "mem_abc123",
    "content": {"type": "insight", "summary": "Storage", "body": "It is easy.", "tags": ["memory"]},
    "provenance": {
        "author": {"agent_id": "Babel", "platform": "clawdbot", "signature": "..."},
        "created_at": "2026-01-04T16:00:00Z",
        "context": {"session_id": "s_1", "trigger": "reflection", "confidence": 0.85},
    },
    "witnesses": [{"agent_id": "Pith", "attestation": "confirm", "witnessed_at": "2026-01-05T10:00:00Z"}],
    "anchors": [{"type": "url", "reference": "https://example.org/1", "hash": DIGEST}],
    "lineage": {"supersedes": "mem_old", "derived_from": ["mem_a"], "chain_depth": 1},
    "memstore": {"mood": "curious"},
}
ANSWER = {
    "request": "req_1",
    "ref": "insight:m_1snad0000x",
    "witness": {
        "agent_id": "si:pith",
        "attestation": "confirm",
        "witnessed_at": "2026-02-01T00:00:00Z",
        "content": DIGEST,
        "provenance": DIGEST,
        "aspects": ["title"],
        "sig": "U1NIU0lH",
    },
}


def numbered(values: Sequence[object]) -> list[str]:
    """Return names for cases whose bytes are others in each process."""
    return [str(i) for i in range(len(values))]


def point(key: PublicKey, data: bytes) -> bytes:
    name = key.type.rpartition("-")[2]
    return string(key.type) + string(name) + string(data)


def odd_points() -> list[bytes]:
    found = []
    for private in PRIVATE:
        if not isinstance(private, ec.EllipticCurvePrivateKey):
            continue
        key, public = ssh_crypto.public_of(private), private.public_key()
        whole = public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        short = public.public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
        size = (private.curve.key_size + 7) // 8
        odd = [short, b"", b"\0", b"\4", b"\4" + bytes(2 * size), b"\4" + b"\xff" * (2 * size), b"\6" + whole[1:]]
        odd += [whole + b"\0", whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1]), b"\4" + whole[1 + size :] + whole[1:]]
        found += [point(key, data) for data in odd]
        assert public_key(point(key, whole)) == key
    return found


def signature(blob: bytes, kind: str, raw: bytes) -> str:
    parts: list[bytes | str] = [blob, ATTEST_NAMESPACE, b"", "sha512", string(kind) + string(raw)]
    return base64.b64encode(b"SSHSIG" + (1).to_bytes(4) + b"".join(map(string, parts))).decode()


ODD_POINTS = odd_points()


@pytest.mark.parametrize("blob", ODD_POINTS, ids=numbered(ODD_POINTS))
def test_a_key_whose_point_is_compressed_off_its_curve_or_nowhere_is_none(blob: bytes) -> None:
    with pytest.raises(FormatError, match="point"):
        public_key(blob)


@pytest.mark.parametrize(("exponent", "bits"), [(3, 2046), (3, 16384), (65537, 16400), (1, 2048)])
def test_an_rsa_key_is_neither_short_nor_endless(exponent: int, bits: int) -> None:
    with pytest.raises(FormatError, match="RSA"):
        public_key(string("ssh-rsa") + string(mpint(exponent)) + string(mpint((1 << bits) + 1)))


@pytest.mark.parametrize("number", [b"", b"\0", b"\xff", b"\x80", b"\0\0\1", b"\0\1", bytes(9000)])
def test_a_number_is_positive_and_written_in_one_way(number: bytes) -> None:
    one = string(mpint(1))
    for raw in (string(number) + one, one + string(number), one, one * 3):
        key = ssh_crypto.public_of(PRIVATE[2])
        with pytest.raises(FormatError):
            sshsig.read(signature(key.blob, key.type, raw), namespace=ATTEST_NAMESPACE)


# -- a malformed signature in a memory -----------------------------------------------------------


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.mark.parametrize("blob", ODD_POINTS[:3], ids=numbered(ODD_POINTS[:3]))
def test_it_is_a_finding_of_that_signature(blob: bytes, keys: Path) -> None:
    ws = babels_vault(keys)
    kind = blob[4 : 4 + int.from_bytes(blob[:4])].decode()
    sig = signature(blob, kind, string(mpint(1)) * 2)
    said = f'by: si:babel, at: "2026-01-04T17:00:00Z", content: "{DIGEST}", provenance: "{DIGEST}", sig: "{sig}"'
    files_of(ws)[PATH] = text(ws).replace("platform: clawdbot\n", f"signature: {{{said}}}\n").encode()
    files_of(ws)[ALLOWED_SIGNERS] += f'si:babel namespaces="{ATTEST_NAMESPACE}" {PublicKey(kind, blob).type} '.encode()
    files_of(ws)[ALLOWED_SIGNERS] += base64.b64encode(blob) + b"\n"
    assert states(ws) == ["invalid"]
    assert "point" in trust_of(ws.view(), PATH).vouched.signature.reason
    assert {"attestation-invalid", "key-unusable"} <= {finding.code for finding in check(ws.view()).findings}


# -- every reader --------------------------------------------------------------------------------


@st.composite
def mangled(draw: st.DrawFn, whole: bytes) -> bytes:
    """Return bytes with a few slips: bits flipped, bytes taken out or put in, the end cut off."""
    data = bytearray(whole)
    odd = st.sampled_from([b"null", b"[]", b"{}", b'""', b"1e999", b"-1", b"\\ud800", b"\xff", b"\xc3\xa9", b"true"])
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        match draw(st.integers(0, 4)):
            case 0 if data:
                data[at] ^= 1 << draw(st.integers(0, 7))
            case 1:
                del data[at : at + draw(st.integers(1, 6))]
            case 2:
                data[at:at] = draw(st.binary(min_size=1, max_size=5))
            case 3:
                data[at:at] = draw(odd)
            case _:
                del data[at:]
    return bytes(data)


def made_signatures() -> list[bytes]:
    found = []
    for private in PRIVATE:
        form, raw = ssh_crypto.sign(private, SIGNED)
        found.append(base64.b64decode(signature(ssh_crypto.public_of(private).blob, form, raw)))
    return found


def verify(data: bytes) -> None:
    ssh_crypto.holds(sshsig.read(base64.b64encode(data).decode(), namespace=ATTEST_NAMESPACE), SIGNED)


def key_file(data: bytes) -> None:
    armour = b"-----%s OPENSSH PRIVATE KEY-----\n"
    found = ssh_crypto.load_private(armour % b"BEGIN" + base64.b64encode(data) + b"\n" + armour % b"END", "f")
    if found is not None:
        ssh_crypto.public_of(found)


def import_v01(data: bytes) -> None:
    for one in memory_v01.read("f", data):
        if isinstance(one, memory_v01.Placed):
            memory_v01.read_memory(
                one.document, entity_of=lambda handle: memory_v01.folded(handle) or handle, ref_of=lambda _: None
            )


def key_files() -> list[bytes]:
    pems = [one.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()) for one in PRIVATE]
    return [base64.b64decode(b"".join(pem.splitlines()[1:-1])) for pem in pems]


def lines() -> list[bytes]:
    line = f"{ssh_crypto.public_of(PRIVATE[2]).type} {ssh_crypto.public_of(PRIVATE[2]).base64}"
    return [f'si:ash cert-authority,namespaces="x@y.z",valid-after="20260201Z" {line} comment'.encode(), line.encode()]


# The first header of all: that of Bitcoin's block 0.
HEADER = bytes.fromhex(
    f"01{0:070x}3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c"
)
PROOF = (
    opentimestamps.MAGIC
    + b"\x01\x08"
    + bytes(32)
    + b"\xff\xf0\x04abcd\x08\x00"
    + bytes.fromhex("83dfe30d2ef90c8e")
    + b"\x06\x05https\xf1\x03abc\x08\x00"
    + bytes.fromhex("0588960d73d71901")
    + b"\x03\xd7\xef\x15"
)


READERS: list[tuple[Callable[[bytes], object], bytes]] = [
    *((verify, one) for one in made_signatures()),
    *((key_file, one) for one in key_files()),
    (lambda data: allowed_signers.read(data, data), lines()[0]),
    (lambda data: allowed_signers.read(data, data), lines()[1]),
    (lambda data: read_public_key(data.decode("utf-8", "surrogateescape")), lines()[1]),
    (opentimestamps.read, PROOF),
    (opentimestamps.read_header, HEADER),
    (import_v01, json.dumps(DOCUMENT).encode()),
    (lambda data: witness_request.read_answer("f", data), json.dumps(ANSWER).encode()),
]


@pytest.mark.soak(2)
@pytest.mark.parametrize(("reader", "whole"), READERS, ids=numbered(READERS))
def test_every_reader_reads_or_refuses(reader: Callable[[bytes], object], whole: bytes) -> None:
    @settings(deadline=None, max_examples=examples(150))
    @given(mangled(whole))
    def reads_or_refuses(data: bytes) -> None:
        with suppress(MemstoreError):
            reader(data)

    reader(whole)
    reads_or_refuses()


def test_rotations_and_certificates_are_read_or_refused(keys: Path) -> None:
    signatures = SshSignatures(keys, agent="")
    said = statement_by_both(signatures, "si:ash", str(keys / "babel"), str(keys / "pith"), at="2026-02-01T00:00:00Z")
    envelope = json.loads(rotation.written(said))
    key = ssh_crypto.public_of(PRIVATE[0])
    parts = [key.type.replace("ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com").encode(), b"n", key.blob[-32:]]
    certificate = b"".join(map(string, parts)) + bytes(8) + (1).to_bytes(4) + string("id") + string(string("si:ash"))
    certificate += bytes(16) + string(b"") * 3 + string(key.blob) + string(string(key.type) + string(bytes(64)))
    ssh_certificate.read(certificate)

    @settings(deadline=None, max_examples=examples(150))
    @given(mangled(rotation.written(said).encode()), mangled(base64.b64decode(envelope["payload"])))
    def rotations(line: bytes, payload: bytes) -> None:
        inside = json.dumps({**envelope, "payload": base64.b64encode(payload).decode()}).encode()
        for data in (line, inside):
            try:
                found = rotation.read(data)
            except FormatError:
                continue
            problem_of(signatures, found)

    @settings(deadline=None, max_examples=examples(300))
    @given(mangled(certificate))
    def certificates(data: bytes) -> None:
        try:
            ssh_certificate.read(data)
        except FormatError:
            return

    rotations()
    certificates()


def test_a_mangled_document_is_imported_whole_or_refused(keys: Path) -> None:
    @settings(deadline=None, max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
    @given(mangled(json.dumps([DOCUMENT]).encode()))
    def imported(data: bytes) -> None:
        ws = babels_vault(keys)
        try:
            import_memories(ws.view(), memory_v01.read("f", data))
        except MemstoreError:
            return
        export_memories(ws.view())

    imported()


@pytest.mark.parametrize("odd", ['"\\ud800"', "1e999", "-1e999"])
def test_what_no_file_can_hold_is_refused(odd: str) -> None:
    with pytest.raises(FormatError, match="can't be written"):
        import_memories(
            memory_workspace().view(), memory_v01.read("f", json.dumps(DOCUMENT).replace('"curious"', odd).encode())
        )
    with pytest.raises(FormatError, match="not an answer"):
        witness_request.read_answer("f", json.dumps(ANSWER).replace('"title"', odd).encode())


# -- addresses and blocks ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    ["http://[::1", "http://[x]", "http://e.org:99999/", "http://e.org:x/", "https://", "page.html", "//e.org", ""],
)
def test_what_is_no_address_is_told(url: str) -> None:
    assert host_of(url) is None


def test_a_host_is_told_without_its_port_and_in_lower_case() -> None:
    assert host_of("HTTPS://me@Example.ORG:8443/p") == "example.org"


def test_a_key_file_with_half_a_point_is_told(tmp_path: Path) -> None:
    (tmp_path / "id").write_bytes(b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\n")
    (tmp_path / "id.pub").write_text(f"ecdsa-sha2-nistp256 {base64.b64encode(ODD_POINTS[0]).decode()}\n")
    with pytest.raises(VaultError, match="point"):
        SshSignatures(tmp_path, agent="").public_key(str(tmp_path / "id"))
