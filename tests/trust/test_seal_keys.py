"""Sealing with real keys: any bytes come back, for those who have a key, and for nobody else."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.errors import SealedError, VaultError
from memstore.files.age_file import is_cut_off, is_sealed, recipients, tag_of
from memstore.trust.seal_keys import SealKeys, sealed_as_merged
from memstore.trust.ssh_wire import read_public_key

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.trust.keyring import PublicKey

PATH = "notes/7f3k.md.age"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("keys")
    for name, phrase in (("ann", ""), ("bob", ""), ("locked", "correct horse")):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-f", str(made / name)]
        subprocess.run(words, check=True)
    return made


def keys_of(folder: Path, name: str | None, contexts: str = "contexts") -> SealKeys:
    return SealKeys(folder / contexts, home=folder, own_keys=lambda: [str(folder / name)] if name else [])


def public(folder: Path, name: str) -> PublicKey:
    return read_public_key((folder / f"{name}.pub").read_text())[0]


@given(data=st.binary(max_size=5000))
def test_any_bytes_come_back_for_each_recipient_and_for_nobody_else(folder: Path, data: bytes) -> None:
    ann, bob = keys_of(folder, "ann"), keys_of(folder, "bob")
    made = ann.sealed(PATH, data, [public(folder, "ann")])
    assert is_sealed(made)
    assert not is_cut_off(made)
    assert recipients(made) == (frozenset({tag_of(public(folder, "ann").blob)}), 0)
    assert ann.opened(PATH, made) == data
    with pytest.raises(SealedError, match="not for your key") as refused:
        bob.opened(PATH, made)
    assert not refused.value.is_damaged
    both = ann.sealed(PATH, data, [public(folder, "ann"), public(folder, "bob")])
    assert bob.opened(PATH, both) == data


@given(at=st.integers(0, 400), bit=st.integers(0, 7))
def test_one_flipped_bit_is_never_opened_as_something_else(folder: Path, at: int, bit: int) -> None:
    ann = keys_of(folder, "ann")
    made = ann.sealed(PATH, b"No secret.", [public(folder, "ann")])
    at %= len(made)
    flipped = made[:at] + bytes([made[at] ^ 1 << bit]) + made[at + 1 :]
    with pytest.raises(SealedError):
        ann.opened(PATH, flipped)


@given(length=st.integers(0, 400))
def test_a_file_that_is_cut_off_is_damaged(folder: Path, length: int) -> None:
    ann = keys_of(folder, "ann")
    made = ann.sealed(PATH, b"No secret.", [public(folder, "ann")])
    with pytest.raises(SealedError) as refused:
        ann.opened(PATH, made[: min(length, len(made) - 1)])
    assert refused.value.is_damaged


@given(data=st.binary(max_size=400))
def test_noise_is_told_without_a_traceback(folder: Path, data: bytes) -> None:
    for noise in (data, b"age-encryption.org/v1\n" + data):
        recipients(noise)
        with pytest.raises(SealedError):
            keys_of(folder, "ann").opened(PATH, noise)


def test_a_key_that_can_not_be_used_says_why(folder: Path) -> None:
    made = keys_of(folder, "ann").sealed(PATH, b"x", [public(folder, "ann"), public(folder, "locked")])
    for name, why in ((None, "no key of yours"), ("none", "no key of yours"), ("locked", "passphrase")):
        with pytest.raises(SealedError, match=why) as refused:
            keys_of(folder, name).opened(PATH, made)
        assert not refused.value.is_damaged
    (folder / "noise").write_bytes(b"-----BEGIN OPENSSH PRIVATE KEY-----\n????\n-----END OPENSSH PRIVATE KEY-----\n")
    with pytest.raises(SealedError):
        keys_of(folder, "noise").opened(PATH, made)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (None, "memstore config --user signing_key FILE"),
        ("gone", "gone, which can't be read: No such file"),
        (".", "which can't be read: Is a directory"),
        ("note.txt", "note.txt, which is not a private key in OpenSSH's format"),
        ("old", "a key of the type ssh-rsa; only ssh-ed25519 can open"),
        ("locked.pub", "locked, which is protected by a passphrase: ssh-keygen -p"),
    ],
)
def test_what_is_in_the_way_of_a_key_is_said(folder: Path, name: str | None, told: str) -> None:
    (folder / "note.txt").write_text("hello\n")
    if name == "old":
        subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", folder / "old"], check=True)
    assert told in (keys_of(folder, name).in_the_way or "")
    assert keys_of(folder, "ann.pub").in_the_way is None


def test_nothing_is_sealed_that_could_not_be_opened_here_again(folder: Path) -> None:
    with pytest.raises(VaultError, match="nothing was written"):
        keys_of(folder, "ann").sealed(PATH, b"x", [public(folder, "bob")])


def kept_context_key(keys: SealKeys, folder: Path) -> str:
    """Return a new key of a context, in its place as after the step that seals for it."""
    key = keys.new_context_key("ctx:care")
    keys.begin(folder / "pending", new={key}, going=set())
    (folder / "vault").mkdir(exist_ok=True)
    (folder / "vault/care.yaml").write_text(f"key: {key}\n")
    keys.settle(folder / "pending", folder / "vault")
    return key


def test_the_key_of_a_context_opens_what_is_sealed_for_it_until_it_is_destroyed(folder: Path) -> None:
    ann = keys_of(folder, "ann")
    before = ann.state
    key, other = kept_context_key(ann, folder), kept_context_key(ann, folder)
    assert ann.state != before
    made = ann.sealed_for_context(PATH, b"x", key)
    assert recipients(made).is_context
    assert ann.context_of(PATH, made) == key
    assert keys_of(folder, None).opened(PATH, made) == b"x"
    ann.context_place(other).write_bytes(b"garbled")
    assert ann.opened(PATH, made) == b"x"
    with pytest.raises(SealedError, match="its key is not here"):
        keys_of(folder, "ann", "elsewhere").opened(PATH, made)
    ann.destroy_context_key(key)
    assert not ann.has_context_key(key)
    with pytest.raises(SealedError):
        ann.opened(PATH, made)
    with pytest.raises(VaultError, match="could not be destroyed"):
        ann.destroy_context_key(key)


def test_a_key_that_could_not_be_deleted_is_blank_and_still_known_as_one_to_delete(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = keys_of(folder, "ann", "kept")
    key = kept_context_key(keys, folder)
    pending, contexts = folder / "pending", folder / "vault"
    keys.begin(pending, new=set(), going={key})
    keys.settle(pending, contexts)
    assert keys.has_context_key(key)  # as long as a context names it
    keys.begin(pending, new=set(), going={key})
    (contexts / "care.yaml").write_text("")
    with monkeypatch.context() as patched:
        patched.setattr("pathlib.Path.unlink", refused)
        with pytest.raises(VaultError, match="could not be destroyed"):
            keys.settle(pending, contexts)
    assert b"AGE-SECRET-KEY" not in keys.context_place(key).read_bytes()
    assert keys.of_context("ctx:care") == [key]
    keys.settle(pending, contexts)
    assert not keys.has_context_key(key)
    assert not pending.exists()


def test_a_new_key_is_in_no_place_if_nothing_names_it_in_the_end(folder: Path) -> None:
    keys = keys_of(folder, "ann")
    key, contexts = keys.new_context_key("ctx:care"), folder / "other vault"
    contexts.mkdir()
    keys.begin(folder / "pending", new={key}, going=set())
    assert keys_of(folder, "ann").has_context_key(key)
    keys_of(folder, "ann").settle(folder / "pending", contexts)  # as the next program does
    assert not keys.has_context_key(key)


def refused(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_a_merge_is_sealed_for_nobody_whom_neither_side_let_in(folder: Path) -> None:
    ann, a, b = keys_of(folder, "ann"), public(folder, "ann"), public(folder, "bob")
    (folder / ".memstore").mkdir()
    lines = [
        f'human:{name} namespaces="attest@memstore.dev" ssh-ed25519 {key.base64}' for name, key in (("a", a), ("b", b))
    ]
    (folder / ".memstore/allowed_signers").write_text("\n".join(lines) + "\n")
    alone, both = ann.sealed(PATH, b"x", [a]), ann.sealed(PATH, b"x", [a, b])
    one, two = (recipients(data).tags for data in (alone, both))
    for versions, tags in (
        ((alone, alone, alone), one),
        ((alone, both, alone), two),  # granted on one side
        ((both, alone, both), one),  # revoked on one side
        ((both, both, both), two),
        ((b"", both, alone), one),
    ):
        merged = sealed_as_merged(ann, folder, PATH, b"y", versions)
        assert recipients(merged).tags == tags
        assert ann.opened(PATH, merged) == b"y"
    care = ann.sealed_for_context(PATH, b"x", ann.new_context_key("ctx:care"))
    assert recipients(sealed_as_merged(ann, folder, PATH, b"y", (care, care, care))).is_context
    with pytest.raises(SealedError, match="on one side only"):
        sealed_as_merged(ann, folder, PATH, b"y", (both, care, both))
    (folder / ".memstore/allowed_signers").unlink()
    with pytest.raises(SealedError, match="not in"):
        sealed_as_merged(ann, folder, PATH, b"y", (both, both, both))
