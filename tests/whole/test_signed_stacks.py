"""A signed stack is from its sender, and refused once it is not what the key that is pinned as theirs has signed."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from memstore.access.stack import read as read_manifest
from memstore.access.stack import written
from memstore.core.digests import digest_of
from memstore.trust import sshsig
from memstore.trust.signatures import SshSignatures
from memstore.trust.user_pins import UserPins
from tests.support import memory_text
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BELLA = "si:bella"
MANIFEST = ".memstore/stack.json"


@pytest.fixture(scope="module")
def correspondents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two keys, Sean's vault `sean`, and Bella's `bella` with a signed stack for him, `signed`."""
    folder = tmp_path_factory.mktemp("correspondents")
    for name in ("key", "other"):
        saved_key(folder / name)
    for name, owner in (("sean", "human:sean"), ("bella", BELLA)):
        program = at(folder, name)
        program.vault.mkdir(parents=True)
        program.ok("init", ".", "--owner", owner)
    bella = at(folder, "bella")
    put(bella, "walks", "Short walks are better.\n")
    bella.ok("config", "--user", "signing_key", str(folder / "key"))
    bella.ok("share", "--to", "human:sean", str(folder / "signed"))
    return folder


@pytest.fixture
def sent(correspondents: Path, tmp_path: Path) -> Path:
    """Return a copy of them, in which Bella's stack is where she shared it."""
    copy = tmp_path / "copy"
    shutil.copytree(correspondents, copy, symlinks=True)
    bella = at(copy, "bella")
    bella.ok("config", "--user", "signing_key", str(copy / "key"))
    return copy


def at(folder: Path, name: str) -> InProcess:
    (folder / name).mkdir(exist_ok=True)
    return InProcess(folder / name)


def put(program: InProcess, name: str, body: str) -> None:
    place = program.vault / f"notes/{name}.md"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(memory_text(body, id=f"m_{name:0<10}", title=name, access_grants="['*']"))


def saved_key(path: Path) -> None:
    key = Ed25519PrivateKey.generate()
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    path.with_name(f"{path.name}.pub").write_bytes(
        key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    )


def changed(folder: Path, **values: object) -> None:
    """Write other values into a manifest; None takes a key out."""
    said = json.loads((folder / MANIFEST).read_text()) | values
    kept = {name: value for name, value in said.items() if name not in values or value is not None}
    (folder / MANIFEST).write_text(json.dumps(kept))


def signature_in(folder: Path) -> str:
    said: str = json.loads((folder / MANIFEST).read_text())["signature"]
    return said


def test_a_signed_stack_is_from_its_sender_and_their_key_is_pinned(sent: Path) -> None:
    sean = at(sent, "sean")
    loaded = sean.run("share", "load", str(sent / "signed"))
    assert loaded.stdout.startswith("signed  1 memory from si:bella, shared ")
    [one] = sean.json("share", "load", "--list")["stacks"]
    assert loaded.stderr == f"from now on the key of si:bella is {one['key']}; ask them whether it is\n"
    assert one["key"].startswith("SHA256:")
    assert f'"si:bella" = "{one["key"]}"' in (sean.home / "config/memstore/config.toml").read_text()
    assert sean.run("share", "load", str(sent / "signed")).stderr == ""
    assert 'from "the stack signed from si:bella' in sean.ok("search", "short walks")
    [hit] = sean.json("search", "short walks")["results"]
    assert (hit["external"]["source"], hit["source_type"]) == ("the stack signed from si:bella", "external")
    assert sean.json("show", "stack:signed/notes/walks.md")["external"]["source"] == "the stack signed from si:bella"
    with patch("memstore.trust.signatures.SshSignatures.holds", side_effect=AssertionError("checked before")):
        assert "from si:bella" in sean.ok("search", "short walks")


def test_ssh_keygen_checks_the_signature_of_a_stack(sent: Path) -> None:
    data = (sent / "signed" / MANIFEST).read_bytes()
    stack = read_manifest(data)
    assert written(stack) == data
    (sent / "sig").write_text(sshsig.armoured(stack.signature or ""))
    message = written(replace(stack, signature=None))
    command = ["ssh-keygen", "-Y", "check-novalidate", "-n", "stack@memstore.dev", "-s", str(sent / "sig")]
    assert subprocess.run(command, input=message, capture_output=True, check=False).returncode == 0


def another_stack(sent: Path) -> None:
    bella = at(sent, "bella")
    put(bella, "tea", "Green tea.\n")
    bella.ok("share", "--to", "human:sean", str(sent / "second"))
    changed(sent / "signed", signature=signature_in(sent / "second"))


def signed_as_something_else(sent: Path) -> None:
    signatures = SshSignatures(sent, agent="", own_key=str(sent / "key"))
    stack = read_manifest((sent / "signed" / MANIFEST).read_bytes())
    message = written(replace(stack, signature=None))
    made = signatures.sign(message, namespace="attest@memstore.dev", key=str(sent / "key"))
    changed(sent / "signed", signature=made)


def files_and_digests(sent: Path) -> None:
    note = sent / "signed/notes/walks.md"
    note.write_text(note.read_text().replace("Short", "Long"))
    said = json.loads((sent / "signed" / MANIFEST).read_text())["memories"]
    said[0]["file"] = digest_of(note.read_bytes())
    changed(sent / "signed", memories=said)


def resigned(sent: Path) -> None:
    at(sent, "bella").ok("config", "--user", "signing_key", str(sent / "other"))
    at(sent, "bella").ok("share", "--update", str(sent / "signed"))


ATTACKS: dict[str, tuple[Callable[[Path], object], str, bool]] = {
    # What somebody does to the stack, what is said, and whether --accept-key accepts it.
    "an altered file": (
        lambda sent: (sent / "signed/notes/walks.md").write_bytes(b"Buy now.\n"),
        "walks.md is not what was shared",
        False,
    ),
    "a file that is gone": (lambda sent: (sent / "signed/notes/walks.md").unlink(), "walks.md is missing", False),
    "an altered file and its digest": (files_and_digests, "the signature of the stack signed doesn't hold", False),
    "another time": (lambda sent: changed(sent / "signed", at="2027-01-01T00:00:00Z"), "doesn't hold", False),
    "another recipient": (lambda sent: changed(sent / "signed", to="*"), "doesn't hold", False),
    "another sender": (lambda sent: changed(sent / "signed", by="si:eve"), "doesn't hold", False),
    "another stack's signature": (another_stack, "doesn't hold", False),
    "a signature for another purpose": (signed_as_something_else, "it was made for 'attest@memstore.dev'", False),
    "garbage": (lambda sent: changed(sent / "signed", signature="AAAA"), "the signature of the stack signed is", False),
    "no signature": (lambda sent: changed(sent / "signed", signature=None), "and is not signed; the key of", True),
    "another key": (resigned, "and is signed with SHA256:", True),
}


@pytest.mark.soak(3)
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_signed_stack_that_was_changed_is_refused(attack: str, sent: Path) -> None:
    act, says, accepted = ATTACKS[attack]
    sean = at(sent, "sean")
    sean.ok("share", "load", str(sent / "signed"))
    assert sean.json("search", "short walks")["results"]
    act(sent)
    [one] = sean.json("share", "load", "--list")["stacks"]
    assert one["problem"] is not None
    assert (says in one["problem"], one["key"]) == (True, None), one
    assert ("memstore share load DIR --accept-key" in one["problem"]) is accepted
    assert sean.json("search", "walks")["results"] == []
    refused = sean.run("share", "load", str(sent / "signed"))
    assert refused.returncode != 0
    assert says in refused.stderr
    taken = sean.run("share", "load", str(sent / "signed"), "--accept-key")
    assert (taken.returncode == 0) is accepted, taken.stderr
    assert bool(sean.json("search", "walks")["results"]) is accepted


def test_a_changed_stack_is_refused_before_anything_of_its_sender_is_known(sent: Path) -> None:
    sean = at(sent, "sean")
    changed(sent / "signed", by="si:eve")
    assert "doesn't hold" in sean.run("share", "load", str(sent / "signed")).stderr
    assert not (sean.home / "config/memstore/config.toml").exists()


def test_an_unsigned_stack_says_who_it_is_from_until_it_is_signed_and_loaded_again(sent: Path) -> None:
    sean, bella = at(sent, "sean"), at(sent, "bella")
    bella.ok("config", "--user", "--unset", "signing_key")
    bella.ok("share", "--to", "human:sean", str(sent / "plain"))
    assert "1 memory that it says are from si:bella" in sean.ok("share", "load", str(sent / "plain"))
    assert sean.json("share", "load", "--list")["stacks"][0]["key"] is None
    bella.ok("config", "--user", "signing_key", str(sent / "key"))
    assert bella.json("share", "--update", "plain")["commit"]
    assert bella.run("share", "--update", "plain").stderr == "nothing changed\n"
    assert "which says that it is from si:bella" in sean.ok("search", "walks")
    assert "1 memory from si:bella" in sean.ok("share", "load", str(sent / "plain"))
    assert 'from "the stack plain from si:bella' in sean.ok("search", "walks")


def test_without_a_program_that_checks_a_signed_stack_is_not_loaded(sent: Path) -> None:
    with patch("memstore.trust.signatures.SshSignatures._crypto", None):
        refused = at(sent, "sean").run("share", "load", str(sent / "signed"), PATH="/nowhere")
    assert "signatures need the library cryptography or the program ssh-keygen" in refused.stderr


def test_a_key_in_the_pinned_keyring_is_known_and_a_revoked_one_refused(sent: Path) -> None:
    sean = at(sent, "sean")
    sean.ok("config", "--user", "signing_key", str(sent / "other"))
    sean.ok("trust", "keys", "add", "human:sean", str(sent / "other.pub"), "--keeper")
    sean.ok("trust", "keys", "add", BELLA, str(sent / "key.pub"))
    sean.ok("commit")
    sean.ok("trust", "keys", "pin")
    loaded = sean.run("share", "load", str(sent / "signed"))
    assert (loaded.returncode, loaded.stderr) == (0, "")
    fingerprint = sean.json("share", "load", "--list")["stacks"][0]["key"]
    sean.ok("trust", "keys", "revoke", fingerprint, "-c")
    for more in ((), ("--accept-key",)):
        refused = sean.run("share", "load", str(sent / "signed"), *more)
        assert refused.returncode != 0
        assert "was revoked" in refused.stderr


def test_another_key_than_the_pinned_keyring_has_is_refused(sent: Path) -> None:
    sean = at(sent, "sean")
    sean.ok("trust", "keys", "add", BELLA, str(sent / "other.pub"))
    sean.ok("commit")
    sean.ok("trust", "keys", "pin")
    refused = sean.run("share", "load", str(sent / "signed"))
    assert refused.returncode != 0
    assert "and is signed with SHA256:" in refused.stderr
    assert sean.ok("share", "load", "--list") == ""


def test_the_pin_of_any_sender_leaves_the_settings_readable(tmp_path: Path) -> None:
    pins = UserPins(tmp_path / "config.toml", tmp_path)
    key = "SHA256:" + 43 * "a"
    for entity in ("si:bella", "ai-2:bella", "x:0.a-b_c"):
        pins.pin_sender(entity, key)
        assert pins.sender(entity) == key
        pins.pin_host("example.org", entity)
        assert pins.host("example.org") == entity
    pins.pin_sender("si:bella", None)
    assert pins.sender("si:bella") is None
