"""A key that has expired: what it signed counts only where an anchor shows the signature itself to be older."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from memstore.trust import PINS, SIGNATURES
from memstore.trust.anchor import anchor_commit, anchor_stamp
from memstore.trust.keyring import ALLOWED_SIGNERS, ATTEST_NAMESPACE
from memstore.trust.sign import digest_page, sign
from memstore.trust.signatures import SshSignatures
from memstore.trust.trust import trust_of
from memstore.trust.user_pins import UserPins
from tests import timestamps
from tests.git_repositories import OWNER, memory, vault_in
from tests.support import TickClock

if TYPE_CHECKING:
    from memstore.vault.workspace import Workspace
    from tests.git_repositories import Written

# The clock of these workspaces starts at noon, a minute a call; whatever is signed is signed within an hour.
NOON, ONE, TWO = "20260201120000Z", "20260201130000Z", "20260201140000Z"
REF = "m_0000000tea"
SOON, LATER = 10, 180


@pytest.fixture
def vault(tmp_path: Path) -> Written:
    key = Ed25519PrivateKey.generate()
    (tmp_path / "key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    made = vault_in(tmp_path / "vault")
    made.write("tea.md", memory(REF, author=OWNER, created_at='"2026-02-01T10:00:00Z"'))
    enrol(made, "")
    made.commit("Tea", "2026-02-01T11:00:00Z")
    return made


def enrol(vault: Written, options: str) -> None:
    public = SshSignatures(vault.root, agent="").public_key(str(vault.root.parent / "key"))
    who = f"{OWNER},si:pith"
    vault.write(ALLOWED_SIGNERS, f'{who} namespaces="{ATTEST_NAMESPACE}"{options} {public.type} {public.base64}\n')


def opened(vault: Written, *, later: bool = False) -> Workspace:
    clock = TickClock()
    for _ in range(LATER if later else 0):
        clock.now()
    return vault.open()._replace(clock=clock).having(SIGNATURES, SshSignatures(vault.root, agent=""))


def state(vault: Written, *, later: bool = True) -> str:
    ws = opened(vault, later=later)
    for _ in range(SOON):
        ws.clock.now()
    return trust_of(ws.view(), REF).vouched.signature.state.value


def signed(vault: Written) -> None:
    sign(opened(vault).view(), REF, key=str(vault.root.parent / "key"))


def test_a_commit_proves_no_time_whatever_it_says_of_itself(vault: Written) -> None:
    signed(vault)
    vault.commit("Signed", "2026-02-01T12:30:00Z")
    anchor_commit(opened(vault).view(), REF)
    enrol(vault, f',valid-before="{ONE}"')
    found = trust_of(opened(vault, later=True).view(), REF).vouched
    assert found.anchors[0].counts
    assert found.signature.state.value == "unproven-time"


def test_an_anchor_after_the_key_expired_proves_nothing(vault: Written) -> None:
    signed(vault)
    vault.commit("Signed", "2026-02-01T13:30:00Z")
    anchor_commit(opened(vault).view(), REF)
    enrol(vault, f',valid-before="{ONE}"')
    assert state(vault) == "unproven-time"


def test_an_anchor_from_before_the_signature_proves_nothing(vault: Written) -> None:
    anchor_commit(opened(vault).view(), REF)
    signed(vault)
    enrol(vault, f',valid-before="{ONE}"')
    found = trust_of(opened(vault, later=True).view(), REF).vouched
    assert found.anchors[0].counts
    assert found.signature.state.value == "unproven-time"


@pytest.mark.parametrize(
    ("options", "later", "expected"),
    [
        ("", True, "valid"),
        (f',valid-before="{TWO}"', False, "valid"),
        (f',valid-before="{ONE}"', True, "unproven-time"),
        (f',valid-before="{NOON}"', True, "untrusted"),
        (f',valid-after="{ONE}"', True, "untrusted"),
        (f',valid-after="{NOON}",valid-before="{TWO}"', False, "valid"),
    ],
)
def test_a_key_counts_in_its_time(vault: Written, options: str, expected: str, *, later: bool) -> None:
    signed(vault)
    enrol(vault, options)
    assert state(vault, later=later) == expected


# -- stamps ----------------------------------------------------------------------------------------


class Blocks(UserPins):
    """A user who pinned one block."""

    def __init__(self, height: int, data: bytes) -> None:
        super().__init__(Path("config.toml"), Path("vault"))
        self._height, self._data = height, data

    def header(self, height: int) -> bytes | None:
        return self._data if height == self._height else None


STEPS: list[Any] = [("append", b"nonce"), ("sha256",)]


def stamped(vault: Written, *, at: str, height: int = 7) -> Workspace:
    """Stamp the memory as it is, in a block of that time, and return the vault of whoever pinned the block."""
    page = digest_page(opened(vault).view(), [REF]).encode()
    digest = hashlib.sha256(page).digest()
    anchor_stamp(opened(vault).view(), REF, page, timestamps.proof(digest, [*STEPS, ("bitcoin", height)]))
    header = timestamps.header(timestamps.root(digest, STEPS), datetime.fromisoformat(at))
    return opened(vault, later=True).having(PINS, Blocks(height, header))


def test_a_stamp_of_the_signature_proves_its_time(vault: Written) -> None:
    signed(vault)
    ws = stamped(vault, at="2026-02-01T10:30:00+00:00")
    enrol(vault, f',valid-before="{ONE}"')
    found = trust_of(ws.view(), REF).vouched
    assert (found.anchors[0].status.value, found.anchors[0].counts, found.signature.counts) == ("valid", True, True)
    assert state(vault) == "unproven-time"  # for who pinned no block


@pytest.mark.parametrize("at", ["2026-02-01T11:00:00+00:00", "2026-02-01T13:00:00+00:00"])
def test_a_block_that_may_be_younger_than_the_keys_end_proves_nothing(vault: Written, at: str) -> None:
    signed(vault)
    ws = stamped(vault, at=at)
    enrol(vault, f',valid-before="{ONE}"')
    found = trust_of(ws.view(), REF).vouched
    assert (found.anchors[0].counts, found.signature.state.value) == (True, "unproven-time")


def test_a_stamp_from_before_the_signature_proves_nothing_for_it(vault: Written) -> None:
    ws = stamped(vault, at="2026-02-01T10:30:00+00:00")
    signed(vault)
    enrol(vault, f',valid-before="{ONE}"')
    found = trust_of(ws.view(), REF).vouched
    assert (found.anchors[0].counts, found.signature.state.value) == (True, "unproven-time")


def test_a_stamp_older_than_the_memory_cannot_commit_to_it(vault: Written) -> None:
    ws = stamped(vault, at="2026-01-31T10:30:00+00:00")
    assert not trust_of(ws.view(), REF).vouched.anchors[0].counts


def test_a_proof_that_leads_elsewhere_is_altered(vault: Written) -> None:
    stamped(vault, at="2026-02-01T10:30:00+00:00")
    header = timestamps.header(bytes(32), datetime(2026, 2, 1, 12, tzinfo=UTC))
    ws = opened(vault, later=True).having(PINS, Blocks(7, header))
    found = trust_of(ws.view(), REF).vouched.anchors[0]
    assert (found.status.value, found.counts) == ("altered", False)
    assert "a root other" in found.reason
