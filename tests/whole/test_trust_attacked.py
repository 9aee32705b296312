"""What somebody who can write files of a vault puts there to be believed, or to stop others from reading."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from memstore.trust.ssh_wire import mpint, string
from tests import timestamps
from tests.whole.test_attestations import Vault, owner

if TYPE_CHECKING:
    from collections.abc import Callable

READING = (
    ("check",),
    ("trust", "REF"),
    ("trust", "REF", "--literal"),
    ("trust", "REF", "--profile", "beta-1"),
    ("show", "REF"),
    ("show", "REF", "--verified"),
    ("why", "REF"),
    ("search", "synthesis", "--min-trust", "0.1"),
    ("list", "--min-trust", "0.1"),
    ("list", "--level", "attested"),
    ("trust", "keys", "list"),
    ("trust", "attest", "export", "REF"),
    ("export", "memory-v0.1", "REF"),
    ("doctor",),
    ("status",),
)
BLOCK_0 = f"01{0:070x}3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path)


def is_told(vault: Vault, *commands: tuple[str, ...]) -> None:
    """Run commands, each of which ends as one that was told what is wrong, or that nothing is."""
    for words in commands:
        done = vault.do(*(vault.ref if word == "REF" else word for word in words))
        assert done.returncode in (0, 1, 2, 3, 5), (words, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        assert "unexpected" not in done.stderr


def test_a_key_with_half_its_point_is_a_finding_wherever_it_stands(vault: Vault) -> None:
    point = ec.derive_private_key(7, ec.SECP256R1()).public_key()
    short = point.public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
    kind = "ecdsa-sha2-nistp256"
    blob = string(kind) + string("nistp256") + string(short)
    parts = [blob, b"attest@memstore.dev", b"", b"sha512", string(kind) + string(string(mpint(1)) * 2)]
    sig = base64.b64encode(b"SSHSIG" + (1).to_bytes(4) + b"".join(map(string, parts))).decode()
    vault.ok("trust", "keys", "add", owner(vault), "@sean.pub")
    vault.ok("trust", "sign", vault.ref, "--key", "@sean")
    file = vault.program.vault / vault.path
    before = file.read_text()
    digest = f"sha256:{0:064x}"
    said = f'witnessed_at: "2026-01-01T00:00:00Z", content: "{digest}", provenance: "{digest}", sig: "{sig}"'
    entry = f"{{agent_id: si:pith, attestation: confirm, {said}}}"
    file.write_text(before.replace("signature:", f"witnesses: [{entry}]\nsignature:"))
    is_told(vault, *READING)
    assert [one["state"] for one in vault.json("trust", vault.ref)["witnesses"]] == ["invalid"]
    (vault.home / "odd.pub").write_text(f"{kind} {base64.b64encode(blob).decode()} odd\n")
    done = vault.do("trust", "keys", "add", "si:pith", "@odd.pub")
    assert (done.returncode, "point" in done.stderr) == (5, True)
    for name in ("allowed_signers", "revoked_keys"):
        (vault.program.vault / ".memstore" / name).write_text((vault.home / "odd.pub").read_text())
        is_told(vault, *READING)


@pytest.mark.soak(2)
@pytest.mark.parametrize("url", ["http://[::1", "http://e.org:port/", "https://", "page.html"])
def test_an_address_that_is_none_is_refused(url: str, vault: Vault) -> None:
    for how in (("--snapshot", "@sean.pub"), ("--online",)):
        done = vault.do("trust", "anchor", vault.ref, "--type", "url", "--reference", url, *how)
        assert (done.returncode, "hint: " in done.stderr) == (2, True), done
    file = vault.program.vault / vault.path
    text = file.read_text()
    entry = f'{{type: url, reference: "{url}", role: commitment, hash: "sha256:{0:064x}"}}'
    file.write_text(text.replace("id: ", f"anchors: [{entry}]\nid: ", 1))
    is_told(vault, ("trust", vault.ref, "--online"), *READING)


@pytest.mark.soak(2)
@pytest.mark.parametrize("height", ["-1", "-0x5", "1000000000", "99999999999999999999"])
def test_a_block_that_cannot_be_read_back_is_not_pinned(height: str, vault: Vault) -> None:
    done = vault.do("trust", "keys", "pin", "--block", height, BLOCK_0)
    assert (done.returncode, "hint: " in done.stderr or "Usage" in done.stderr) == (2, True), done
    vault.ok("trust", "keys", "pin", "--block", "0", BLOCK_0)
    vault.ok("config")
    is_told(vault, *READING)


def link(place: Path) -> None:
    place.symlink_to("/etc/hostname")


def link_inside(place: Path) -> None:
    place.symlink_to("../config.toml" if place.parent.name == "snapshots" else "config.toml")


def link_nowhere(place: Path) -> None:
    place.symlink_to("nowhere")


def listening(place: Path) -> None:
    with chdir(place.parent), socket.socket(socket.AF_UNIX) as one:  # an address has at most some hundred bytes
        one.bind(place.name)


def unreadable(place: Path) -> None:
    place.write_bytes(b"")
    place.chmod(0)
    if os.access(place, os.R_OK):
        pytest.skip("nothing is unreadable for root")


ODD = [link, link_inside, link_nowhere, os.mkfifo, Path.mkdir, listening, unreadable]


@pytest.mark.soak(2)
@pytest.mark.parametrize("put", ODD)
def test_what_is_no_file_is_a_finding_where_a_page_or_a_proof_is_expected(
    put: Callable[[Path], None], vault: Vault
) -> None:
    page = b"sha256:%064d" % 0
    (vault.home / "page").write_bytes(page)
    vault.ok("trust", "anchor", vault.ref, "--type", "url", "--reference", "https://e.org/1", "--snapshot", "@page")
    name = hashlib.sha256(page).hexdigest()
    folder = vault.program.vault / ".memstore/snapshots"
    (folder / name).unlink()
    put(folder / name)
    is_told(vault, *READING)
    assert vault.anchors() == ["altered"]
    assert name in vault.do("check").stdout
    said = vault.ok("trust", "attest", "digest", vault.ref)
    (vault.home / "said").write_text(said)
    digest = hashlib.sha256(said.encode())
    (vault.home / "proof").write_bytes(
        timestamps.proof(digest.digest(), [("append", b"x"), ("pending", "https://e.org")])
    )
    stamped = ("--type", "opentimestamps", "--snapshot", "@said", "--proof", "@proof")
    vault.ok("trust", "anchor", vault.ref, *stamped)
    (folder / f"{digest.hexdigest()}.ots").unlink()
    put(folder / f"{digest.hexdigest()}.ots")
    is_told(vault, *READING, ("trust", "anchor", vault.ref, *stamped))
    assert vault.anchors()[1:] == ["altered"]


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    ("put", "pinned"), [*((put, False) for put in ODD), *((put, True) for put in (link, os.mkfifo, Path.mkdir))]
)
@pytest.mark.parametrize("name", ["allowed_signers", "revoked_keys", "key_rotations.jsonl"])
def test_what_is_no_file_is_a_finding_where_the_keyring_is_expected(
    put: Callable[[Path], None], name: str, vault: Vault, *, pinned: bool
) -> None:
    vault.ok("trust", "keys", "add", owner(vault), "@sean.pub", "--keeper", "-c")
    vault.ok("trust", "sign", vault.ref, "--key", "@sean", "-c")
    if pinned:
        vault.ok("trust", "keys", "pin")
    place = vault.program.vault / ".memstore" / name
    place.unlink(missing_ok=True)
    put(place)
    is_told(vault, *READING)
    found = vault.do("check").stdout
    assert f".memstore/{name}:1:" in found
    state = vault.json("trust", vault.ref)["signature"]["state"]
    assert state == ("valid" if name == "key_rotations.jsonl" else "untrusted")
