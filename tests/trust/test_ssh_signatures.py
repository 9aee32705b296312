"""Signatures made here and by stock OpenSSH, each checked by the other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memstore import trust
from memstore.core.errors import FormatError, VaultError
from memstore.trust import allowed_signers, sshsig
from memstore.trust.keyring import ATTEST_NAMESPACE as NAMESPACE
from memstore.trust.signatures import SshSignatures

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")

KINDS = [("ed25519", ()), ("rsa", ("-b", "2048")), ("ecdsa", ("-b", "256")), ("ecdsa", ("-b", "521"))]
MESSAGE = b"DSSEv1 4 text 11 Bella ran. \n"


def made_key(folder: Path, kind: str, *options: str, passphrase: str = "") -> Path:
    key = folder / f"id_{kind}{''.join(options)}{'_kept' if passphrase else ''}"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", kind, *options, "-N", passphrase, "-C", "Ash", "-f", str(key)], check=True
    )
    return key


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("keys")
    return [made_key(folder, kind, *options) for kind, options in KINDS]


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[str]:
    # The name of a socket may be some hundred bytes long, and a test's folder is longer.
    where = os.path.relpath(tmp_path / "agent")
    process = subprocess.Popen(["ssh-agent", "-D", "-a", where], stdout=subprocess.DEVNULL)
    try:
        while not Path(where).exists():
            assert process.poll() is None
        yield where
    finally:
        process.terminate()
        process.wait()


def stock_takes(
    key: Path, signature: str, message: bytes, folder: Path, *, options: str = f'namespaces="{NAMESPACE}"'
) -> bool:
    signers = folder / "allowed_signers"
    signers.write_text(f"si:ash {options} {key.with_name(key.name + '.pub').read_text()}")
    armoured = folder / "signature"
    armoured.write_text(sshsig.armoured(signature))
    command = ["ssh-keygen", "-Y", "verify", "-f", f"{signers}", "-I", "si:ash", "-n", NAMESPACE, "-s", f"{armoured}"]
    return subprocess.run(command, input=message, capture_output=True, check=False).returncode == 0


def stock_signature(key: Path, folder: Path) -> str:
    message = folder / "message"
    message.write_bytes(MESSAGE)
    (folder / "message.sig").unlink(missing_ok=True)
    command = ["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE, str(message)]
    subprocess.run(command, check=True, capture_output=True)
    return sshsig.from_armour((folder / "message.sig").read_text())


@pytest.mark.parametrize(
    ("namespaces", "taken_by_stock"),
    [
        (NAMESPACE, True),
        (f"git,{NAMESPACE}", True),
        ("git", False),
        (f"{NAMESPACE},!{NAMESPACE}", False),
        (f"!{NAMESPACE},{NAMESPACE}", False),
        (f"{NAMESPACE},!attest*", False),
        (f"{NAMESPACE},!*", False),
        (f"!git,{NAMESPACE}", True),
        ("attest@*", True),
        (f"{NAMESPACE},{'x' * 1100}", False),
        (f"{NAMESPACE},,", True),
        (f" {NAMESPACE}", False),
        (NAMESPACE.upper(), False),
    ],
)
def test_no_line_of_the_keyring_lets_in_more_than_stock(
    namespaces: str, keys: list[Path], tmp_path: Path, *, taken_by_stock: bool
) -> None:
    options = f'namespaces="{namespaces}"'
    signature = SshSignatures(tmp_path, agent="").sign(MESSAGE, namespace=NAMESPACE, key=str(keys[0]))
    assert stock_takes(keys[0], signature, MESSAGE, tmp_path, options=options) == taken_by_stock
    keyring, findings = allowed_signers.read((tmp_path / "allowed_signers").read_bytes(), None)
    counts = bool(list(keyring.lines_of("si:ash", NAMESPACE)))
    assert counts <= taken_by_stock
    assert counts or findings or NAMESPACE not in namespaces.split(",")


def test_stock_openssh_takes_what_was_signed_here(keys: list[Path], tmp_path: Path) -> None:
    for key in keys:
        signature = SshSignatures(tmp_path, agent="").sign(MESSAGE, namespace=NAMESPACE, key=str(key))
        assert stock_takes(key, signature, MESSAGE, tmp_path)
        assert not stock_takes(key, signature, MESSAGE + b"!", tmp_path)


def test_what_stock_openssh_signed_is_taken_here(keys: list[Path], tmp_path: Path) -> None:
    signatures = SshSignatures(tmp_path, agent="")
    for key in keys:
        read = sshsig.read(stock_signature(key, tmp_path), namespace=NAMESPACE)
        assert read.key == signatures.public_key(str(key))
        assert signatures.holds(read, MESSAGE)
        assert not signatures.holds(read, MESSAGE + b"!")


def test_the_bytes_of_an_ed25519_signature_are_the_same(keys: list[Path], tmp_path: Path) -> None:
    here = SshSignatures(tmp_path, agent="").sign(MESSAGE, namespace=NAMESPACE, key=str(keys[0]))
    assert here == stock_signature(keys[0], tmp_path)


def test_a_key_that_an_agent_holds_signs(tmp_path: Path, agent: str) -> None:
    for kind, options in KINDS[:3]:
        key = made_key(tmp_path, kind, *options)
        subprocess.run(["ssh-add", "-q", str(key)], env={**os.environ, "SSH_AUTH_SOCK": agent}, check=True)
        key.unlink()  # only the public part is left beside
        signature = SshSignatures(tmp_path, agent=agent).sign(MESSAGE, namespace=NAMESPACE, key=f"{key}.pub")
        assert stock_takes(key, signature, MESSAGE, tmp_path)


def test_an_agent_is_asked_for_a_key_that_a_passphrase_keeps(tmp_path: Path, agent: str) -> None:
    key = made_key(tmp_path, "ed25519", passphrase="open sesame")  # noqa: S106
    asks = tmp_path / "asks"
    asks.write_text("#!/bin/sh\necho open sesame\n")
    asks.chmod(0o700)
    env = {**os.environ, "SSH_AUTH_SOCK": agent, "SSH_ASKPASS": str(asks), "SSH_ASKPASS_REQUIRE": "force"}
    subprocess.run(["ssh-add", "-q", str(key)], env=env, check=True, capture_output=True)
    signature = SshSignatures(tmp_path, agent=agent).sign(MESSAGE, namespace=NAMESPACE, key=str(key))
    assert stock_takes(key, signature, MESSAGE, tmp_path)


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(trust, "ssh_crypto", raising=False)
    monkeypatch.setitem(sys.modules, "memstore.trust.ssh_crypto", None)


def test_ssh_keygen_serves_where_the_library_is_missing(keys: list[Path], tmp_path: Path, no_library: None) -> None:
    signatures = SshSignatures(tmp_path, agent="")
    for key in keys:
        signature = signatures.sign(MESSAGE, namespace=NAMESPACE, key=str(key))
        assert stock_takes(key, signature, MESSAGE, tmp_path)
        read = sshsig.read(signature, namespace=NAMESPACE)
        assert signatures.holds(read, MESSAGE)
        assert not signatures.holds(read, MESSAGE + b"!")


def test_without_the_library_and_the_program_it_says_what_to_install(
    keys: list[Path], tmp_path: Path, no_library: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(VaultError, match="neither is installed"):
        SshSignatures(tmp_path, agent="").sign(MESSAGE, namespace=NAMESPACE, key=str(keys[0]))


@pytest.mark.parametrize("text", ["", "no key", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END"])
def test_a_file_without_a_key_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(text)
    with pytest.raises(VaultError, match="key"):
        SshSignatures(tmp_path, agent="").sign(MESSAGE, namespace=NAMESPACE, key=str(tmp_path / "key"))


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    with pytest.raises(VaultError, match="nowhere can't be read: No such file"):
        SshSignatures(tmp_path, agent="").sign(MESSAGE, namespace=NAMESPACE, key="~/nowhere")


def test_a_short_rsa_key_signs_nothing(tmp_path: Path) -> None:
    key = made_key(tmp_path, "rsa", "-b", "1024")
    with pytest.raises((FormatError, VaultError)):
        SshSignatures(tmp_path, agent="").sign(MESSAGE, namespace=NAMESPACE, key=str(key))
    with pytest.raises(FormatError, match="1024 bits"):
        sshsig.read(stock_signature(key, tmp_path), namespace=NAMESPACE)


def test_stock_names_a_key_as_we_do(keys: list[Path], tmp_path: Path) -> None:
    for key in keys:
        told = subprocess.run(["ssh-keygen", "-l", "-f", str(key)], capture_output=True, text=True, check=True)
        assert told.stdout.split()[1] == SshSignatures(tmp_path, agent="").public_key(str(key)).fingerprint
