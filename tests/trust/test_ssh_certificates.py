"""Certificates for agents' sessions: stock OpenSSH's are read here, and it takes what is signed with one."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.core.errors import FormatError, VaultError
from memstore.trust import allowed_signers, sshsig
from memstore.trust.formats import ssh_certificate
from memstore.trust.keyring import ATTEST_NAMESPACE as NAMESPACE
from memstore.trust.signatures import SshSignatures
from memstore.trust.ssh_wire import string
from memstore.trust.vouching import Proof, verdict
from tests.support import examples
from tests.trust.test_ssh_signatures import agent, made_key, no_library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.trust.keyring import Certificate
    from memstore.trust.vouching import Verdict

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")
__all__ = ["agent", "no_library"]

MESSAGE = b"DSSEv1 4 text 11 Bella ran. \n"
KINDS = [("ed25519", ()), ("rsa", ("-b", "2048")), ("ecdsa", ("-b", "256"))]
NOW = datetime.now(UTC).replace(microsecond=0)


@dataclass
class Session:
    """An operator's authority, and a key that it certified for an agent's session."""

    folder: Path
    authority: Path
    key: Path

    @property
    def certificate(self) -> Path:
        return self.key.with_name(f"{self.key.name}-cert.pub")

    def certify(self, *options: str, principals: str = "si:ash") -> Path:
        """Have stock OpenSSH certify the key."""
        words = ["ssh-keygen", "-q", "-s", str(self.authority), "-I", "a session", *options]
        words += ["-n", principals] if principals else []
        subprocess.run([*words, f"{self.key}.pub"], check=True, capture_output=True)
        return self.certificate

    def read(self) -> Certificate:
        return ssh_certificate.read(base64.b64decode(self.certificate.read_text().split()[1]))

    def lines(self, options: str = "cert-authority", who: str = "si:ash") -> str:
        return f'{who} {options},namespaces="{NAMESPACE}" {Path(f"{self.authority}.pub").read_text()}'

    def signed(self, *, agent: str = "") -> str:
        return SshSignatures(self.folder, agent=agent).sign(MESSAGE, namespace=NAMESPACE, key=str(self.certificate))

    def verdict(self, signature: str, lines: str, *, who: str = "si:ash", at: datetime = NOW) -> Verdict:
        read = sshsig.read(signature, namespace=NAMESPACE)
        if not SshSignatures(self.folder, agent="").holds(read, MESSAGE):
            return verdict(who, at.isoformat(), Proof(problem="no"), changed=(), keyring=KEYS(b"", b"")[0], now=NOW)
        keyring, findings = KEYS(lines.encode(), b"")
        assert not findings
        return verdict(
            who, at.isoformat(), Proof(read.key, certificate=read.certificate), changed=(), keyring=keyring, now=NOW
        )

    def stock_takes(self, signature: str, lines: str, *, who: str = "si:ash", at: datetime = NOW) -> bool:
        (self.folder / "allowed").write_text(lines)
        (self.folder / "signature").write_text(sshsig.armoured(signature))
        words = ["ssh-keygen", "-Y", "verify", "-f", "allowed", "-I", who, "-n", NAMESPACE, "-s", "signature"]
        words += ["-O", f"verify-time={at:%Y%m%d%H%M%SZ}"]
        done = subprocess.run(words, input=MESSAGE, cwd=self.folder, capture_output=True, check=False)
        return done.returncode == 0


KEYS = allowed_signers.read


@pytest.fixture(params=KINDS, ids=[kind for kind, _ in KINDS])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Session:
    kind, options = request.param
    (tmp_path / "ca").mkdir()
    return Session(tmp_path, made_key(tmp_path / "ca", kind, *options), made_key(tmp_path, kind, *options))


@pytest.fixture
def plain(tmp_path: Path) -> Session:
    (tmp_path / "ca").mkdir()
    return Session(tmp_path, made_key(tmp_path / "ca", "ed25519"), made_key(tmp_path, "ed25519"))


def test_what_is_signed_with_a_certificate_counts_here_and_for_stock(session: Session) -> None:
    session.certify("-V", "-1h:+8h")
    signature = session.signed()
    assert session.verdict(signature, session.lines()).counts
    assert session.stock_takes(signature, session.lines())
    read = session.read()
    assert (read.principals, read.key_id) == (("si:ash",), "a session")
    assert sshsig.write(sshsig.read(signature, namespace=NAMESPACE)) == signature


def test_what_stock_signed_with_a_certificate_counts_here(session: Session) -> None:
    session.certify("-V", "-1h:+8h")
    message = session.folder / "message"
    message.write_bytes(MESSAGE)
    words = ["ssh-keygen", "-Y", "sign", "-q", "-f", str(session.certificate), "-n", NAMESPACE, str(message)]
    subprocess.run(words, check=True, capture_output=True)
    signature = sshsig.from_armour((session.folder / "message.sig").read_text())
    assert session.verdict(signature, session.lines()).counts


def test_both_agree_on_who_when_and_what_for(plain: Session) -> None:
    plain.certify("-V", f"{NOW - timedelta(hours=1):%Y%m%d%H%M%S}Z:{NOW + timedelta(hours=8):%Y%m%d%H%M%S}Z")
    signature = plain.signed()
    cases: Sequence[tuple[str, str, datetime]] = [
        (plain.lines(), "si:ash", NOW),
        (plain.lines(who="si:ash,si:pith"), "si:pith", NOW),
        (plain.lines(), "si:pith", NOW),
        (plain.lines(), "si:ash", NOW - timedelta(hours=2)),
        (plain.lines(), "si:ash", NOW + timedelta(hours=9)),
        (plain.lines(f'cert-authority,valid-before="{NOW - timedelta(days=1):%Y%m%dZ}"'), "si:ash", NOW),
        (plain.lines(f'cert-authority,valid-after="{NOW + timedelta(days=2):%Y%m%dZ}"'), "si:ash", NOW),
        (plain.lines().replace(NAMESPACE, "git"), "si:ash", NOW),
        (plain.lines(f'valid-after="{NOW - timedelta(days=2):%Y%m%dZ}"'), "si:ash", NOW),
    ]
    seen = [plain.verdict(signature, lines, who=who, at=at).counts for lines, who, at in cases]
    assert seen == [plain.stock_takes(signature, lines, who=who, at=at) for lines, who, at in cases]
    assert seen == [True] + [False] * 8


def test_a_certificate_of_another_authority_does_not_count(plain: Session) -> None:
    (plain.folder / "other").mkdir()
    other = Session(plain.folder, made_key(plain.folder / "other", "ed25519"), plain.key)
    other.certify("-V", "-1h:+8h")
    signature = plain.signed()
    found = plain.verdict(signature, plain.lines())
    assert (found.state.value, found.reason) == ("untrusted", "it was not made by a certificate of si:ash")
    assert not plain.stock_takes(signature, plain.lines())


def test_the_key_itself_does_not_count_and_nor_does_an_authoritys(plain: Session) -> None:
    plain.certify("-V", "-1h:+8h")
    signatures = SshSignatures(plain.folder, agent="")
    for key in (plain.key, plain.authority):
        signature = signatures.sign(MESSAGE, namespace=NAMESPACE, key=str(key))
        assert not plain.verdict(signature, plain.lines()).counts
        assert not plain.stock_takes(signature, plain.lines())


def test_after_the_session_a_certificate_needs_a_proof_of_time(plain: Session) -> None:
    hours = [NOW - timedelta(hours=hour) for hour in (9, 1)]
    plain.certify("-V", ":".join(f"{at:%Y%m%d%H%M%S}Z" for at in hours))
    read = sshsig.read(plain.signed(), namespace=NAMESPACE)
    keyring, _ = KEYS(plain.lines().encode(), b"")
    then = NOW - timedelta(hours=2)
    proof = Proof(read.key, certificate=read.certificate)
    states = [
        verdict("si:ash", then.isoformat(), proof, changed=(), keyring=keyring, now=NOW, proven_by=proven).state.value
        for proven in (None, then, NOW)
    ]
    assert states == ["unproven-time", "valid", "unproven-time"]


def test_who_revokes_the_authority_or_the_key_revokes_the_certificate(plain: Session) -> None:
    plain.certify("-V", "-1h:+8h")
    read = sshsig.read(plain.signed(), namespace=NAMESPACE)
    for key in (plain.key, plain.authority):
        keyring, _ = KEYS(plain.lines().encode(), Path(f"{key}.pub").read_bytes())
        proof = Proof(read.key, certificate=read.certificate)
        assert (
            verdict("si:ash", NOW.isoformat(), proof, changed=(), keyring=keyring, now=NOW).reason
            == "the key was revoked"
        )


@pytest.mark.parametrize(
    ("options", "principals", "said"),
    [
        (("-h",), "si:ash", "host certificate"),
        (("-O", "force-command=true"), "si:ash", "critical options"),
        (("-O", "source-address=10.0.0.0/8"), "si:ash", "critical options"),
        ((), "", "does not name anybody"),
    ],
)
def test_a_certificate_that_nobody_here_can_keep_is_refused(
    options: tuple[str, ...], principals: str, said: str, plain: Session
) -> None:
    plain.certify(*options, principals=principals)
    with pytest.raises(FormatError, match=said):
        plain.read()
    with pytest.raises(VaultError, match=said):
        plain.signed()


def test_a_certificate_that_was_changed_does_not_hold(plain: Session) -> None:
    plain.certify("-V", "-1h:+8h")
    signature = base64.b64decode(plain.signed())
    forged = signature.replace(string("si:ash"), string("si:ask"))
    assert forged != signature
    assert plain.verdict(base64.b64encode(forged).decode(), plain.lines(who="si:ask"), who="si:ask").reason == "no"


def test_a_certificate_that_an_agent_holds_signs(session: Session, agent: str) -> None:
    session.certify("-V", "-1h:+8h")
    env = {**os.environ, "SSH_AUTH_SOCK": agent}
    subprocess.run(["ssh-add", "-q", str(session.key)], env=env, check=True, capture_output=True)
    session.key.unlink()
    assert session.stock_takes(session.signed(agent=agent), session.lines())


def test_without_the_library_certificates_are_checked_and_made_by_ssh_keygen(plain: Session, no_library: None) -> None:
    plain.certify("-V", "-1h:+8h")
    signature = plain.signed()
    assert plain.verdict(signature, plain.lines()).counts
    forged = base64.b64decode(signature).replace(string("si:ash"), string("si:ask"))
    assert not plain.verdict(base64.b64encode(forged).decode(), plain.lines(who="si:ask"), who="si:ask").counts


def test_a_certificate_beside_another_key_is_told(plain: Session) -> None:
    plain.certify("-V", "-1h:+8h")
    (plain.folder / "other").mkdir()
    plain.key.write_bytes(made_key(plain.folder / "other", "ed25519").read_bytes())
    with pytest.raises(VaultError, match="certifies a key other"):
        plain.signed()


def test_a_certificate_is_no_key_to_enrol(plain: Session) -> None:
    plain.certify("-V", "-1h:+8h")
    with pytest.raises(VaultError) as refused:
        SshSignatures(plain.folder, agent="").public_key(str(plain.certificate))
    assert "--authority" in (refused.value.hint or "")


@settings(max_examples=examples(200))
@given(put=st.binary(max_size=4), at=st.integers(0, 600), cut=st.booleans())
def test_no_bytes_do_anything_but_read_or_be_refused(*, put: bytes, at: int, cut: bool) -> None:
    whole = CERTIFICATE
    data = whole[:at] + put + ([whole[at + len(put) :], b""][cut])
    with suppress(FormatError):
        assert ssh_certificate.read(data).blob == data


def _certificate() -> bytes:
    """Return a certificate whose signatures nobody made, in the right form."""
    point, nonce = bytes(range(32)), bytes(32)
    key = string("ssh-ed25519") + string(bytes(range(1, 33)))
    inner = string("ssh-ed25519") + string(bytes(64))
    times = (1).to_bytes(8) + (1 << 40).to_bytes(8)
    head = string("ssh-ed25519-cert-v01@openssh.com") + string(nonce) + string(point) + bytes(8) + (1).to_bytes(4)
    return head + string("id") + string(string("si:ash")) + times + string("") * 3 + string(key) + string(inner)


CERTIFICATE = _certificate()
