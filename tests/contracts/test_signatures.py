"""What holds for whatever signs: SSH keys by the library and by OpenSSH's own programs, and keys in memory."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from memstore.core.errors import VaultError
from memstore.trust import sshsig
from memstore.trust.signatures import SshSignatures
from tests.memory_state import KeysInMemory

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.trust.signatures import Signatures

PURPOSE, OTHER_PURPOSE = "memstore.attest", "memstore.keyring"
MESSAGE = b"Bella ran.\n"


class Keys(NamedTuple):
    """Two keys, by the name under which `signatures` has them, and a name that is nobody's."""

    signatures: Signatures
    one: str
    other: str
    missing: str


@pytest.fixture(params=["library", "programs", "memory"])
def keys(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Keys:
    if request.param == "memory":
        return Keys(KeysInMemory("one", "other"), "one", "other", "missing")
    if request.param == "programs":
        monkeypatch.setitem(sys.modules, "memstore.trust.ssh_crypto", None)
    files = [tmp_path / name for name in ("one", "other")]
    for file in files:
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
    return Keys(SshSignatures(tmp_path, agent=""), str(files[0]), str(files[1]), str(tmp_path / "missing"))


def test_what_a_key_signed_holds_and_names_the_key(keys: Keys) -> None:
    text = keys.signatures.sign(MESSAGE, namespace=PURPOSE, key=keys.one)
    signature = sshsig.read(text, namespace=PURPOSE)
    assert "\n" not in text
    assert signature.key == keys.signatures.public_key(keys.one) != keys.signatures.public_key(keys.other)
    assert keys.signatures.holds(signature, MESSAGE)


def test_it_holds_for_no_other_message_purpose_or_key(keys: Keys) -> None:
    signature = sshsig.read(keys.signatures.sign(MESSAGE, namespace=PURPOSE, key=keys.one), namespace=PURPOSE)
    assert not keys.signatures.holds(signature, MESSAGE + b" ")
    assert not keys.signatures.holds(signature._replace(namespace=OTHER_PURPOSE), MESSAGE)
    other = keys.signatures.public_key(keys.other)
    assert not keys.signatures.holds(signature._replace(key=other), MESSAGE)
    assert not keys.signatures.holds(signature._replace(raw=bytes(64)), MESSAGE)


def test_a_key_that_is_not_there_signs_nothing(keys: Keys) -> None:
    assert keys.signatures.own_key is None
    with pytest.raises(VaultError):
        keys.signatures.public_key(keys.missing)
    with pytest.raises(VaultError):
        keys.signatures.sign(MESSAGE, namespace=PURPOSE, key=keys.missing)
