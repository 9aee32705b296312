"""A key for each session of an agent, certified by its operator with stock OpenSSH, used over the real pipe."""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.mcp.serving import Wire, served, words_of
from tests.mcp.test_signing import certified, made
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")

SEAN, ASH = "human:sean", "si:ash"
SERVED = ("--as", ASH, "--self", "--tools", "all", "--commit")


class Operated:
    """A vault of Sean, a pinned keeper, who certifies the keys of Ash's sessions with an authority."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.program, self._patch = InProcess(home), monkeypatch
        self.program.vault.mkdir()
        self.program.ok("init", ".", "--owner", SEAN)
        self.keeper, self.authority, self.key = home / "sean", home / "operator_ca", home / "session"
        made(self.keeper)
        made(self.authority)
        self.program.ok("trust", "keys", "init", str(self.keeper))
        self.program.ok("trust", "keys", "add", ASH, f"{self.authority}.pub", "--authority", "-c")
        self.program.ok("config", "--user", "signing_keys.si:ash", f"{self.key}-cert.pub")

    def begin_session(self, lasts: str = "+8h", *, whom: str = ASH) -> None:
        """Make a new key and certify it; the settings name the same file as before."""
        for file in self.key.parent.glob("session*"):
            file.unlink()
        made(self.key)
        certified(self.authority, self.key, "-V", lasts, whom=whom)

    def in_hours(self, hours: float) -> None:
        """Let it be as much later for every call in this process."""
        now = (datetime.now(UTC) + timedelta(hours=hours)).replace(microsecond=0)
        self._patch.setattr("memstore.core.clock.SystemClock.now", lambda _: now)

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return what a server in this process answers Ash: its text, and its document."""
        answer = served(self.program, entity=ASH, offered="all").call(tool, arguments)
        assert not answer.failed, answer.text
        return answer

    def state(self, ref: str) -> tuple[str, str]:
        signature = self.program.json("--as", ASH, "--self", "trust", ref)["signature"]
        return signature["state"], signature["reason"] or ""


@pytest.fixture
def operated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Operated:
    return Operated(tmp_path, monkeypatch)


def test_an_agent_signs_with_the_key_of_its_session(operated: Operated) -> None:
    """The server runs on when the next session begins; it takes the key that is there then."""
    with Wire(operated.program, *SERVED) as wire:
        early = wire.call("memory_add", text="No session has begun.")
        assert "it was not signed: " in words_of(early)
        keys = []
        for word in ("three", "four"):
            operated.begin_session()
            added = wire.call("memory_add", text=f"Tea steeps for {word} minutes.")["structuredContent"]
            assert added["findings"] == []
            signature = wire.call("memory_trust", ref=added["ref"])["structuredContent"]["signature"]
            assert signature["state"] == "valid"
            assert operated.state(added["ref"]) == ("valid", "")
            keys.append(signature["fingerprint"])
        assert len(set(keys)) == 2
        # The one that was written too early can be signed now.
        ref = early["structuredContent"]["ref"]
        wire.call("memory_trust", action="sign", ref=ref)
        assert operated.state(ref) == ("valid", "")


def test_stock_openssh_takes_what_an_agent_signed_in_its_session(operated: Operated) -> None:
    operated.begin_session()
    ref = operated.call("memory_add", text="Tea steeps for three minutes.").document["ref"]
    signature = operated.key.with_name("signature")
    signature.write_text(
        operated.program.ok("--as", ASH, "--self", "trust", "attest", "export", ref, "--format", "sshsig")
    )
    payload = operated.program.ok("--as", ASH, "--self", "trust", "attest", "payload", ref)
    words = ["ssh-keygen", "-Y", "verify", "-f", str(operated.program.vault / ".memstore" / "allowed_signers")]
    words += ["-I", ASH, "-n", "attest@memstore.dev", "-s", str(signature)]
    assert subprocess.run(words, input=payload.encode(), check=False).returncode == 0


def test_a_session_that_is_over_signs_nothing_and_its_signatures_need_a_proof_of_time(operated: Operated) -> None:
    operated.begin_session("+1h")
    ref = operated.call("memory_add", text="Tea steeps for three minutes.").document["ref"]
    assert operated.state(ref) == ("valid", "")
    operated.in_hours(2)
    assert operated.state(ref) == (
        "unproven-time", "the certificate has expired, and nothing proves that this is older",
    )  # fmt: skip
    told = operated.call("memory_add", text="Written too late.")
    assert "it was not signed: the certificate was not valid then" in told.text
    # Nobody knows whether what is there was signed in time, so an edit leaves it as it is, and says so.
    told = operated.call("memory_edit", ref=ref, new="Tea steeps for four minutes.")
    assert "the signature is of what it said before [attestation-stale]" in told.text
    operated.begin_session("+8h")
    told = operated.call("memory_edit", ref=ref, new="Tea steeps for five minutes.")
    assert told.document["findings"] == []
    operated.call("memory_trust", action="sign", ref=ref)
    assert operated.state(ref) == ("valid", "")


def test_what_was_anchored_before_the_end_of_a_session_stays_signed(operated: Operated) -> None:
    operated.begin_session("+1h")
    with Wire(operated.program, *SERVED) as wire:
        refs = [wire.call("memory_add", text=f"Tea no. {n} is ready.")["structuredContent"]["ref"] for n in range(2)]
        wire.call("memory_anchor", ref=refs[0])
    signing = ("-c", "gpg.format=ssh", "-c", f"user.signingKey={operated.keeper}.pub")
    operated.program.git(*signing, "commit", "-qS", "--allow-empty", "-m", "The session is over")
    operated.in_hours(2)
    assert [operated.state(ref)[0] for ref in refs] == ["valid", "unproven-time"]
    operated.begin_session()
    operated.call("memory_edit", ref=refs[0], new="Tea is cold.")
    assert operated.state(refs[0]) == ("valid", "")


def test_a_certificate_for_somebody_else_signs_nothing(operated: Operated) -> None:
    operated.begin_session(whom="si:pith")
    told = operated.call("memory_add", text="Tea is ready.")
    assert "it was not signed: it was not made by a certificate of si:ash" in told.text


def test_an_authority_that_is_revoked_takes_all_its_sessions_with_it(operated: Operated) -> None:
    operated.begin_session()
    ref = operated.call("memory_add", text="Tea is ready.").document["ref"]
    operated.program.ok("trust", "keys", "revoke", ASH, "-c")
    assert operated.state(ref) == ("untrusted", "the key was revoked")
    told = operated.call("memory_add", text="Tea is cold.")
    assert "it was not signed: the key was revoked" in told.text
    told = operated.call("memory_edit", ref=ref, new="Tea is warm.")
    assert "[attestation-stale]" in told.text
