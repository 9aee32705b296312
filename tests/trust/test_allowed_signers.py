"""The keyring's files: what stock OpenSSH would take, or less."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.trust import allowed_signers
from memstore.trust.keyring import ATTEST_NAMESPACE, Signer
from memstore.trust.ssh_wire import public_key, string

KEY = public_key(string("ssh-ed25519") + string(bytes(range(32))))
OTHER = public_key(string("ssh-ed25519") + string(bytes(range(1, 33))))
WRITTEN = f"ssh-ed25519 {KEY.base64}"
ASH = f'si:ash namespaces="{ATTEST_NAMESPACE}" {WRITTEN}'


def signers(text: str) -> tuple[Signer, ...]:
    found, problems = allowed_signers.read_signers(text.encode())
    assert not problems
    return found


def test_a_line_says_who_signs_what_with_which_key_and_when() -> None:
    text = (
        "# Ash and Babel share a machine\n\n"
        f'si:ash,si:babel namespaces="{ATTEST_NAMESPACE},git",valid-after="20260201Z",valid-before="20270201120000Z" '
        f"{WRITTEN} the park's machine\r\n"
    )
    assert signers(text) == (
        Signer(
            principals=("si:ash", "si:babel"),
            key=KEY,
            namespaces=(ATTEST_NAMESPACE, "git"),
            valid_after=datetime(2026, 2, 1, tzinfo=UTC),
            valid_before=datetime(2027, 2, 1, 12, tzinfo=UTC),
            line=3,
        ),
    )


def test_the_key_of_an_authority_is_told_from_a_key_that_signs() -> None:
    line = allowed_signers.signer_line(["si:ash"], KEY, [ATTEST_NAMESPACE], authority=True)
    (signer,) = signers(line)
    assert signer.authority
    (ended,) = signers(allowed_signers.ended(line, datetime(2027, 2, 1, tzinfo=UTC)))
    assert ended == signer._replace(valid_before=datetime(2027, 2, 1, tzinfo=UTC))


def test_what_is_written_is_read() -> None:
    line = allowed_signers.signer_line(["si:ash"], KEY, [ATTEST_NAMESPACE])
    assert signers(f"{line} Ash of the park") == (Signer(("si:ash",), KEY, (ATTEST_NAMESPACE,), line=1),)


@pytest.mark.parametrize("options", ["", ',valid-after="20260201Z"', ',valid-before="20300101Z"'])
def test_a_line_that_is_ended_ends_at_that_time_and_keeps_the_rest(options: str) -> None:
    line = f'si:ash namespaces="{ATTEST_NAMESPACE}"{options} {WRITTEN} Ash\r\n'
    end = datetime(2026, 11, 22, 3, 4, 5, tzinfo=UTC)
    ended = allowed_signers.ended(line, end)
    assert ended.endswith(" Ash\r\n")
    assert signers(ended)[0] == signers(line)[0]._replace(valid_before=end)


@pytest.mark.parametrize(
    "line",
    [
        WRITTEN,
        f"si:ash {WRITTEN}",
        f'si:ash namespaces="" {WRITTEN}',
        f'*:ash namespaces="git" {WRITTEN}',
        f'si:a* namespaces="git" {WRITTEN}',
        f'!si:ash namespaces="git" {WRITTEN}',
        f'Ash namespaces="git" {WRITTEN}',
        f'si:ash,ash@example.org namespaces="git" {WRITTEN}',
        f'si:ash namespaces="git",namespaces="x" {WRITTEN}',
        f'si:ash namespaces="git,!git" {WRITTEN}',
        f'si:ash namespaces="!file,git" {WRITTEN}',
        f'si:ash namespaces="git,x*" {WRITTEN}',
        f'si:ash namespaces="gi?" {WRITTEN}',
        f'si:ash namespaces="git,{"x" * 1100}" {WRITTEN}',
        f'si:ash cert-authority,namespaces="git,!git" {WRITTEN}',
        f"si:ash cert-authority {WRITTEN}",
        f'si:ash cert-authority="yes",namespaces="git" {WRITTEN}',
        f'si:ash cert-authority,cert-authority,namespaces="git" {WRITTEN}',
        f'si:ash namespaces="git",valid-after="20260201" {WRITTEN}',
        f'si:ash namespaces="git",valid-after="20261301Z" {WRITTEN}',
        f'si:ash namespaces="git",valid-before="tomorrow" {WRITTEN}',
        f'si:ash namespaces="git" ssh-rsa {KEY.base64}',
        'si:ash namespaces="git" ssh-ed25519 AAAA',
        'si:ash namespaces="git"',
    ],
)
def test_a_line_that_stock_might_read_otherwise_lets_nobody_in(line: str) -> None:
    keyring, findings = allowed_signers.read(f"{line}\n{ASH}\n".encode(), None)
    assert [signer.line for signer in keyring.signers] == [2]
    assert [(finding.path, finding.at.line, finding.code) for finding in findings] == [
        (".memstore/allowed_signers", 1, "key-unusable")
    ]


def test_revoked_keys_are_public_keys_one_a_line() -> None:
    keyring, findings = allowed_signers.read(ASH.encode(), f"# lost\n{WRITTEN} Ash\n".encode())
    assert keyring.revoked == {KEY.blob}
    assert not findings
    assert keyring.unreadable is None


@pytest.mark.parametrize("data", [b"SSHKRL\n\0", b"\xff\xfe", b"serial: 1", b"ssh-ed25519 A"])
def test_a_list_of_revoked_keys_that_cannot_be_read_is_no_empty_one(data: bytes) -> None:
    keyring, findings = allowed_signers.read(ASH.encode(), data)
    assert keyring.unreadable
    assert ".memstore/revoked_keys:1" in keyring.unreadable
    assert findings


def test_missing_files_are_an_empty_keyring() -> None:
    keyring, findings = allowed_signers.read(None, None)
    assert (keyring.signers, keyring.revoked, keyring.unreadable, findings) == ((), frozenset(), None, ())


@given(st.binary(max_size=80), st.integers(0, 120))
def test_no_bytes_break_the_reader(put: bytes, at: int) -> None:
    data = ASH.encode()
    keyring, findings = allowed_signers.read(data[:at] + put + data[at:], data[:at] + put)
    for signer in keyring.signers:
        assert signer.namespaces
        assert base64.b64decode(signer.key.base64) == signer.key.blob
    assert all(finding.code == "key-unusable" for finding in findings)
