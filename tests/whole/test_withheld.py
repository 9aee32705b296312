"""Words that were taken out of a memory, or turned back: seen in the history, in real repositories."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from tests.installed import validated
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

WORDS = "Synthesis is the hard problem, not storage."


class Vault:
    """A vault of Sean's with one signed, anchored memory that Pith confirms, all of it committed."""

    def __init__(self, home: Path) -> None:
        self.program, self.home = InProcess(home), home
        self.program.init()
        self.run = self.program.in_process()
        self.owner = self.json("config", "owner")["settings"][0]["value"]
        for name, who in (("sean", self.owner), ("pith", "si:pith"), ("claire", "human:claire")):
            key = Ed25519PrivateKey.generate()
            (home / name).write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
            (home / f"{name}.pub").write_bytes(key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
            self.ok("trust", "keys", "add", who, str(home / f"{name}.pub"))
        self.ref, self.path = self.program.add(WORDS)
        self.ok("privacy", "grant", self.ref, "--to", "si:pith", "--to", "human:claire")
        self.ok("trust", "sign", self.ref, "--key", str(home / "sean"))
        self.ok("commit", "-q")
        self.ok("trust", "anchor", self.ref)
        self.attest("pith", "si:pith", "confirm")

    def ok(self, *words: str) -> str:
        done = self.run.run(*words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return str(done.stdout)

    def json(self, *words: str) -> Any:
        return validated(self.ok("--json", *words))

    def attest(self, key: str, who: str, word: str) -> None:
        """Ask for a word, answer as somebody else, take the answer in, and commit it."""
        request = self.program.vault / self.json("trust", "request-witness", self.ref, "--from", who)["path"]
        answer = self.home / "answer.json"
        words = ("trust", "witness", "--request", str(request), "--attest", word, "--key", str(self.home / key))
        answer.write_text(self.ok(*words))
        request.unlink()
        self.ok("trust", "witness", self.ref, "--answer", str(answer))
        self.ok("commit", "-q")

    def save(self, text: str) -> None:
        """Save the memory by hand, and commit it past the hooks."""
        self.path.write_text(text)
        git = ("-c", "core.hooksPath=/dev/null")
        self.program.git("add", "-A")
        self.program.git(*git, "commit", "-q", "-m", "by hand")

    def trust(self) -> tuple[str, list[str]]:
        found = self.json("trust", self.ref)
        return found["trust"]["level"], [one["kind"] for one in found["tampered"]]

    def findings(self) -> list[str]:
        done = self.run.run("--json", "check")
        return [one["code"] for one in validated(done.stdout)["findings"] if one["code"].startswith("attestation")]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path)


def test_a_dispute_that_was_taken_out_is_withheld(vault: Vault) -> None:
    before = vault.path.read_text()
    vault.attest("claire", "human:claire", "dispute")
    disputed = vault.path.read_text()
    vault.save(before)
    assert vault.trust() == ("unverified", ["withheld"])
    assert vault.findings() == ["attestation-withheld"]
    assert "withheld   human:claire disputed it" in vault.ok("trust", vault.ref)
    assert validated(vault.ok("--json", "show", vault.ref))["trust"]["level"] == "unverified"
    assert vault.json("list", "--level", "attested")["memories"] == []
    vault.save(disputed)
    assert vault.trust() == ("attested", [])


def test_a_dispute_is_missed_where_no_attestation_is_left_and_the_file_was_moved(vault: Vault) -> None:
    vault.attest("claire", "human:claire", "dispute")
    kept = [line for line in vault.path.read_text().splitlines() if not line.lstrip().startswith(("- {", "signature"))]
    bare = "\n".join(line for line in kept if line not in ("witnesses:", "anchors:")) + "\n"
    vault.path.unlink()
    vault.path = vault.program.vault / "elsewhere.md"
    vault.save(bare)
    assert vault.findings() == ["attestation-withheld"]


def test_a_partial_clone_fetches_nothing_for_it(vault: Vault, tmp_path: Path) -> None:
    before = vault.path.read_text()
    vault.attest("claire", "human:claire", "dispute")
    vault.save(before)
    vault.program.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    url = vault.program.vault.as_uri()
    subprocess.run(["git", "clone", "-q", "--filter=blob:none", url, str(clone)], check=True, capture_output=True)
    (vault.program.vault / ".git").rename(tmp_path / "gone")  # whoever fetches now fails
    done = vault.run.run("--vault", str(clone), "--json", "trust", vault.ref)
    found = validated(done.stdout)
    assert found["signature"]["state"] == "valid"
    assert found["tampered"] == []  # the blob is not here
