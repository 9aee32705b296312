"""Rotation: both keys say that one takes the other's place, and nobody else can."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.errors import FormatError, NotFoundError, RefusedError, UsageError
from memstore.trust import SIGNATURES
from memstore.trust.formats import rotation
from memstore.trust.formats.rotation import Rotation, SignedRotation
from memstore.trust.keyring import ALLOWED_SIGNERS, ROTATIONS
from memstore.trust.keys import add_key, list_keys, revoke_key, rotations
from memstore.trust.rotate import rotate_key, statement_by_both
from memstore.trust.signatures import SshSignatures
from memstore.trust.ssh_wire import public_key, string
from memstore.vault.check import check
from tests.memory_workspace import files_of, memory_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.vault.workspace import Workspace

PITH = "si:pith"
AT = "2026-02-01T12:00:00Z"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    for name in ("old", "new", "third", "mallory"):
        key = Ed25519PrivateKey.generate()
        (folder / name).write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
        (folder / f"{name}.pub").write_bytes(key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
    return folder


@pytest.fixture
def vault(keys: Path) -> Workspace:
    ws = memory_workspace({}).having(SIGNATURES, SshSignatures(keys, agent=""))
    add_key(ws.view(), PITH, str(keys / "old.pub"))
    return ws


def standings(ws: Workspace) -> list[str]:
    return [one.standing for one in list_keys(ws.view()).keys]


def problems(ws: Workspace) -> list[str]:
    return [one.problem for one in rotations(ws.view())]


def told(ws: Workspace) -> str:
    return files_of(ws)[ROTATIONS].decode()


def said(keys: Path, *, entity: str = PITH, old: str = "old", new: str = "new") -> bytes:
    signatures = SshSignatures(keys, agent="")
    made = statement_by_both(signatures, entity, str(keys / old), str(keys / new), at=AT)
    return rotation.written(made).encode()


def test_a_rotation_ends_the_old_key_and_both_say_so(vault: Workspace, keys: Path) -> None:
    done = rotate_key(vault.view(), PITH, str(keys / "new"), old=str(keys / "old"))
    assert (standings(vault), problems(vault)) == (["expired", "valid"], [""])
    first, second = list_keys(vault.view()).keys
    assert (first.follows, second.follows) == ("", first.signer.key.fingerprint)
    assert done.diff.count("+++ b/.memstore/allowed_signers") == 1
    rotate_key(vault.view(), PITH, str(keys / "third"), old=str(keys / "new"))
    assert (standings(vault), problems(vault)) == (["expired", "expired", "valid"], ["", ""])


def test_the_users_own_key_signs_where_it_is_the_old_one(vault: Workspace, keys: Path) -> None:
    own = vault.having(SIGNATURES, SshSignatures(keys, agent="", own_key=str(keys / "old")))
    rotate_key(own.view(), PITH, str(keys / "new"))
    assert problems(vault) == [""]


def test_of_two_keys_the_one_that_is_named_ends(vault: Workspace, keys: Path) -> None:
    add_key(vault.view(), PITH, str(keys / "third.pub"))
    rotate_key(vault.view(), PITH, str(keys / "new"), old=str(keys / "third"))
    assert standings(vault) == ["valid", "expired", "valid"]


def test_a_dry_run_writes_nothing(vault: Workspace, keys: Path) -> None:
    before = dict(files_of(vault))
    assert rotate_key(vault.view(), PITH, str(keys / "new"), old=str(keys / "old"), dry_run=True).diff
    assert files_of(vault) == before


def test_a_lost_key_is_told_with_the_way_on(vault: Workspace, keys: Path) -> None:
    before = dict(files_of(vault))
    with pytest.raises(RefusedError) as unnamed:
        rotate_key(vault.view(), PITH, str(keys / "new"))
    assert "memstore trust keys revoke si:pith, then memstore trust keys add si:pith" in (unnamed.value.hint or "")
    own = vault.having(SIGNATURES, SshSignatures(keys, agent="", own_key=str(keys / "mallory")))
    with pytest.raises(RefusedError):
        rotate_key(own.view(), PITH, str(keys / "new"))
    assert files_of(vault) == before
    revoke_key(vault.view(), PITH)
    with pytest.raises(NotFoundError):
        rotate_key(vault.view(), PITH, str(keys / "new"), old=str(keys / "old"))
    add_key(vault.view(), PITH, str(keys / "new.pub"))
    assert standings(vault) == ["revoked", "valid"]


def test_a_key_that_can_only_be_named_is_not_here_to_sign(vault: Workspace, keys: Path, tmp_path: Path) -> None:
    public = tmp_path / "old.pub"
    public.write_bytes((keys / "old.pub").read_bytes())
    with pytest.raises(RefusedError, match="can't sign the rotation here"):
        rotate_key(vault.view(), PITH, str(keys / "new"), old=str(public))


def test_slips_are_told(vault: Workspace, keys: Path) -> None:
    with pytest.raises(UsageError, match="is already the key of si:pith"):
        rotate_key(vault.view(), PITH, str(keys / "old"), old=str(keys / "old"))
    with pytest.raises(UsageError, match="is not a key of si:pith"):
        rotate_key(vault.view(), PITH, str(keys / "new"), old=str(keys / "mallory"))


def test_a_statement_that_was_signed_elsewhere_is_taken_in(vault: Workspace, keys: Path) -> None:
    rotate_key(vault.view(), PITH, str(keys / "new.pub"), signed=said(keys))
    assert (standings(vault), problems(vault)) == (["expired", "valid"], [""])


@pytest.mark.parametrize(
    "attack",
    [
        {"entity": "si:mallory"},
        {"old": "mallory"},
        {"new": "mallory"},
        {"old": "new", "new": "old"},
    ],
)
def test_a_statement_about_something_else_is_refused(vault: Workspace, keys: Path, attack: dict[str, str]) -> None:
    before = dict(files_of(vault))
    with pytest.raises((FormatError, UsageError)):
        rotate_key(vault.view(), PITH, str(keys / "new.pub"), signed=said(keys, **attack))
    assert files_of(vault) == before


def test_a_statement_without_both_signatures_is_refused(vault: Workspace, keys: Path) -> None:
    whole = json.loads(said(keys))
    for i in (0, 1):
        one = {**whole, "signatures": [whole["signatures"][i]]}
        with pytest.raises(FormatError, match="did not sign it"):
            rotate_key(vault.view(), PITH, str(keys / "new.pub"), signed=json.dumps(one).encode())
    swapped = [{**a, "sig": b["sig"]} for a, b in zip(whole["signatures"], reversed(whole["signatures"]), strict=True)]
    with pytest.raises(FormatError, match="did not sign it"):
        rotate_key(
            vault.view(), PITH, str(keys / "new.pub"), signed=json.dumps({**whole, "signatures": swapped}).encode()
        )


def test_a_line_that_proves_nothing_is_a_finding(vault: Workspace, keys: Path) -> None:
    rotate_key(vault.view(), PITH, str(keys / "new"), old=str(keys / "old"))
    assert not [one for one in check(vault.view()).findings if one.code == "rotation-invalid"]
    line = told(vault)
    files_of(vault)[ROTATIONS] = (line + "no json\n" + line.replace('"sig":"U1', '"sig":"VV')).encode()
    found = [(one.path, one.at.line) for one in check(vault.view()).findings if one.code == "rotation-invalid"]
    assert found == [(ROTATIONS, 2), (ROTATIONS, 3)]
    assert list_keys(vault.view()).keys[1].follows
    files_of(vault)[ROTATIONS] = line.replace('"sig":"U1', '"sig":"VV').encode()
    assert not list_keys(vault.view()).keys[1].follows


def test_a_line_that_no_file_has_any_more_is_not_written_over(vault: Workspace, keys: Path) -> None:
    files_of(vault)[ALLOWED_SIGNERS] = b"# mine\r\n" + files_of(vault)[ALLOWED_SIGNERS]
    rotate_key(vault.view(), PITH, str(keys / "new"), old=str(keys / "old"))
    assert files_of(vault)[ALLOWED_SIGNERS].startswith(b"# mine\r\n")


@given(st.binary(max_size=60), st.integers(0, 1200))
def test_no_bytes_break_the_reader(put: bytes, at: int) -> None:
    for number, found in rotation.lines_of(LINE[:at] + put + LINE[at:]):
        assert number > 0
        if not isinstance(found, FormatError):
            assert json.loads(rotation.written(found)) == json.loads(
                (LINE[:at] + put + LINE[at:]).split(b"\n")[number - 1]
            )


OLD, NEW = (public_key(string("ssh-ed25519") + string(bytes(range(i, 32 + i)))) for i in (0, 1))
LINE = rotation.written(SignedRotation(Rotation(PITH, AT, OLD, NEW), {"a": "b", "c": "d"})).encode() + b"\n"
