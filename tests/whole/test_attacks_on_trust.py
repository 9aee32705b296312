"""What somebody tries who can write files and commits, and wants to be believed: no level rises by it."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import pytest

from tests import timestamps
from tests.whole.program import Program
from tests.whole.test_attestations import Vault

if TYPE_CHECKING:
    from collections.abc import Callable

ATTEST = 'namespaces="attest@memstore.dev"'
UNSEEN = ("-c", "core.hooksPath=/dev/null")


class Believed(Vault):
    """A copy of a pinned vault: Sean keeps the keyring and has signed a memory, Pith has a key in it.

    Args:
        home: the copied home.
        made: what was copied.
    """

    def __init__(self, home: Path, made: Vault) -> None:
        self.program = Program(home)
        self.run = self.program.in_process()
        self.home, self.ref = home, made.ref
        self.path = self.program.vault / made.path.relative_to(made.program.vault)
        settings = home / "config" / "memstore" / "config.toml"
        settings.write_text(settings.read_text().replace(str(made.home), str(home)))
        self.ok("trust", "keys", "pin")

    @property
    def text(self) -> str:
        return self.path.read_text()

    def git(self, *words: str, stdin: str | None = None, **environment: str) -> str:
        done = subprocess.run(
            ["git", *UNSEEN, *words], cwd=self.program.vault, env=self.program.environment | environment, input=stdin,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done
        return done.stdout.strip()

    def commit(self, **environment: str) -> None:
        """Commit all, unsigned and unseen."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x", **environment)

    def keyring(self, name: str) -> Path:
        return self.program.vault / ".memstore" / name

    def public(self, name: str) -> str:
        return (self.home / f"{name}.pub").read_text().strip()

    def level(self) -> str:
        return str(self.json("trust", self.ref)["trust"]["level"])

    def signature(self) -> str:
        return str(self.json("trust", self.ref)["signature"]["state"])

    def witnesses(self) -> list[str]:
        return [one["state"] for one in self.json("trust", self.ref)["witnesses"]]

    def witnessed(self) -> None:
        """Let Pith confirm the memory."""
        self.ok("--as", "si:pith", "trust", "witness", self.ref, "--attest", "confirm", "--key", "@pith")

    def standing(self) -> list[str]:
        return [one["standing"] for one in self.json("trust", "keys", "list")["keys"]]


@pytest.fixture(scope="module")
def copied() -> Callable[[Path], Believed]:
    home = Path(mkdtemp(prefix="memstore-believed-"))
    made = Vault(home)
    who = "human:tester"
    made.ok("config", "--user", "signing_key", str(home / "sean"))
    made.ok("trust", "keys", "add", who, "@sean.pub", "--keeper", "-c")
    made.ok("trust", "keys", "pin")
    made.ok("trust", "keys", "add", "si:pith", "@pith.pub", "-c")
    made.ok("trust", "sign", made.ref)
    made.ok("privacy", "grant", made.ref, "--to", "si:pith", "-c")
    made.ok("commit", "-q")

    def copy(to: Path) -> Believed:
        shutil.copytree(home, to, symlinks=True)
        return Believed(to, made)

    return copy


@pytest.fixture
def vault(copied: Callable[[Path], Believed], tmp_path: Path) -> Believed:
    return copied(tmp_path / "home")


def test_what_is_to_be_attacked_stands(vault: Believed) -> None:
    assert (vault.signature(), vault.level(), vault.standing()) == ("valid", "unverified", ["valid", "valid"])
    vault.witnessed()
    assert (vault.witnesses(), vault.level()) == (["valid"], "attested")


# -- the keyring -------------------------------------------------------------------------------------


@pytest.mark.soak(3)
@pytest.mark.parametrize("armour", ["x", "-----BEGIN SSH SIGNATURE-----", "", "\x00", "-----END SSH SIGNATURE-----"])
def test_a_commit_with_half_a_signature_stops_nobody(armour: str, vault: Believed) -> None:
    place = vault.keyring("allowed_signers")
    place.write_text(f"{place.read_text()}si:mallory {ATTEST} {vault.public('new')}\n")
    vault.git("add", "-A")
    tree, parent = vault.git("write-tree"), vault.git("rev-parse", "HEAD")
    who = "A <a@b> 1770000000 +0000"
    said = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\ngpgsig {armour}\n\nx\n"
    made = vault.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=said)
    vault.git("update-ref", "HEAD", made)
    assert vault.standing() == ["valid", "valid", "not counted"]
    assert vault.level() == "unverified"


def test_a_key_that_was_let_in_by_hand_signs_nothing(vault: Believed) -> None:
    place = vault.keyring("allowed_signers")
    place.write_text(f"{place.read_text()}si:puppet {ATTEST} {vault.public('new')}\n")
    vault.commit()
    vault.ok("privacy", "grant", vault.ref, "--to", "si:puppet")
    vault.do("--as", "si:puppet", "trust", "witness", vault.ref, "--attest", "confirm", "--key", "@new")
    assert vault.witnesses() == ["untrusted"]
    assert vault.level() == "unverified"


@pytest.mark.soak(3)
@pytest.mark.parametrize("principal", ["*", "si:*", "!si:pith,*", "si:pith,human:tester,si:puppet", "si:?uppet"])
def test_a_line_for_many_lets_in_nobody(principal: str, vault: Believed) -> None:
    place = vault.keyring("allowed_signers")
    place.write_text(f"{place.read_text()}{principal} {ATTEST} {vault.public('new')}\n")
    vault.commit()
    vault.ok("privacy", "grant", vault.ref, "--to", "si:puppet")
    vault.do("--as", "si:puppet", "trust", "witness", vault.ref, "--attest", "confirm", "--key", "@new")
    assert vault.level() == "unverified"


def test_a_revocation_that_is_taken_out_stays(vault: Believed) -> None:
    vault.witnessed()
    vault.ok("trust", "keys", "revoke", "si:pith", "-c")
    assert vault.witnesses() == ["untrusted"]
    vault.keyring("revoked_keys").write_text("")
    vault.commit()
    assert vault.witnesses() == ["untrusted"]
    vault.keyring("revoked_keys").unlink()
    vault.commit()
    assert vault.witnesses() == ["untrusted"]


def test_a_history_that_goes_back_behind_a_revocation_is_told(vault: Believed) -> None:
    vault.witnessed()
    vault.commit()
    vault.ok("trust", "keys", "revoke", "si:pith", "-c")
    assert vault.witnesses() == ["untrusted"]
    vault.git("reset", "-q", "--hard", "HEAD~1")
    assert vault.witnesses() == ["untrusted"]


def test_a_history_that_is_cut_off_lets_no_key_count(vault: Believed) -> None:
    pinned = vault.git("rev-parse", "HEAD")
    vault.commit()
    (vault.program.vault / ".git" / "shallow").write_text(vault.git("rev-parse", "HEAD") + "\n")
    assert pinned
    assert vault.signature() in ("untrusted", "valid")
    assert vault.level() == "unverified"


def test_a_replaced_commit_lets_no_key_in(vault: Believed) -> None:
    head = vault.git("rev-parse", "HEAD")
    place = vault.keyring("allowed_signers")
    place.write_text(f"{place.read_text()}si:puppet {ATTEST} {vault.public('new')}\n")
    vault.commit()
    vault.git("replace", "-f", head, "HEAD")
    assert vault.standing()[-1] == "not counted"


def test_an_end_that_is_moved_by_hand_stays(vault: Believed) -> None:
    vault.witnessed()
    vault.ok("trust", "keys", "rotate", "si:pith", "@new.pub", "--old", "@pith", "-c")
    place = vault.keyring("allowed_signers")
    place.write_text(re.sub(r',?valid-before="[^"]*"', "", place.read_text()))
    vault.commit()
    assert "expired" in vault.standing() or "not counted" in vault.standing()


# -- signatures --------------------------------------------------------------------------------------


def test_a_signature_that_is_copied_to_another_memory_is_invalid(vault: Believed) -> None:
    ref, path = vault.program.add("Storage is the hard problem.")
    signature = re.search("^signature: .*", vault.text, re.MULTILINE)
    assert signature
    path.write_text(path.read_text().replace("\n---\n", f"\n{signature[0]}\n---\n", 1))
    found = vault.json("trust", ref)
    assert found["signature"]["state"] in ("invalid", "stale")
    assert found["trust"]["level"] == "unverified"


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hard", "h\u0430rd"),
        ("hard", "ha\u200brd"),
        ("hard", "\u202edrah"),
        ("not storage", "not  storage"),
        ("type: note", "type: note\ntags: [proven]"),
        ("id: m_", "valid_until: 2020-01-01\nid: m_"),
        ("id: m_", "supersedes: ['note:m_other00000']\nid: m_"),
    ],
)
def test_no_other_word_is_signed(old: str, new: str, vault: Believed) -> None:
    assert old in vault.text
    vault.path.write_text(vault.text.replace(old, new, 1))
    assert vault.signature() in ("stale", "invalid")
    assert vault.level() == "unverified"


def test_a_second_signature_key_makes_the_file_unreadable(vault: Believed) -> None:
    vault.path.write_text(vault.text.replace("signature:", "signature: {by: human:tester}\nsignature:", 1))
    assert vault.do("trust", vault.ref).returncode == 3
    assert vault.json("list", "--level", "attested")["memories"] == []


def test_an_older_version_that_was_signed_is_a_rollback(vault: Believed) -> None:
    old = vault.text
    vault.path.write_text(old.replace("not storage", "and storage"))
    time.sleep(1)  # a signature says to the second when it was made
    vault.ok("trust", "sign", vault.ref)
    vault.commit()
    vault.path.write_text(old)
    vault.commit()
    assert "rollback" in vault.ok("trust", vault.ref)
    assert vault.level() == "unverified"


# -- witnesses ---------------------------------------------------------------------------------------


def entry(vault: Believed) -> str:
    found = re.search(r"^\s+- (\{agent_id.*\})|^witnesses: \[(.*)\]", vault.text, re.MULTILINE)
    assert found, vault.text
    return found[1] or found[2]


def test_one_voice_is_heard_once_however_often_it_stands_there(vault: Believed) -> None:
    vault.witnessed()
    said = entry(vault)
    vault.path.write_text(vault.text.replace(said, f"{said}\n  - {said}\n  - {said}", 1))
    if vault.do("trust", vault.ref).returncode == 0:
        assert vault.witnesses().count("valid") == 1


@pytest.mark.parametrize("at", ["2099-01-01T00:00:00Z", "2001-01-01T00:00:00Z"])
def test_a_word_of_another_time_is_no_word(at: str, vault: Believed) -> None:
    vault.witnessed()
    vault.path.write_text(re.sub(r'witnessed_at: "[^"]*"', f'witnessed_at: "{at}"', vault.text))
    assert "valid" not in vault.witnesses()


def test_a_dispute_that_is_made_a_confirmation_is_invalid(vault: Believed) -> None:
    vault.ok("--as", "si:pith", "trust", "witness", vault.ref, "--attest", "dispute", "--key", "@pith")
    vault.commit()
    disputed = vault.text
    said = entry(vault)
    vault.path.write_text(disputed.replace("attestation: dispute", "attestation: confirm"))
    assert vault.witnesses() == ["invalid"]
    assert vault.level() == "unverified"
    vault.path.write_text(re.sub(rf"witnesses:.*?{re.escape(said)}\]?\n", "", disputed, flags=re.DOTALL))
    assert vault.witnesses() == []
    assert "withheld" in vault.ok("trust", vault.ref)


def test_a_witness_in_the_authors_name_is_excluded(vault: Believed) -> None:
    assert vault.do("trust", "witness", vault.ref, "--attest", "confirm", "--key", "@sean").returncode == 4
    vault.witnessed()
    vault.path.write_text(re.sub("agent_id: [^,]*", "agent_id: human:tester", vault.text))
    assert "valid" not in vault.witnesses()
    assert vault.level() == "unverified"


def test_a_controller_that_is_taken_out_by_hand_still_counts(vault: Believed) -> None:
    vault.witnessed()
    vault.ok("privacy", "entity", "add", "si:pith")
    place = vault.program.vault / "entities/si/pith.md"
    place.write_text(place.read_text().replace("id: si:pith\n", "id: si:pith\ncontroller: human:tester\n"))
    vault.ok("commit", "-q")
    assert vault.witnesses() == ["excluded"]
    place.write_text(place.read_text().replace("controller: human:tester\n", ""))
    vault.commit()
    assert vault.witnesses() == ["excluded"]
    place.unlink()
    vault.commit()
    assert vault.witnesses() == ["excluded"]


def test_a_word_in_anothers_name_is_untrusted(vault: Believed) -> None:
    vault.witnessed()
    vault.path.write_text(re.sub("agent_id: [^,]*", "agent_id: human:claire", vault.text))
    assert vault.witnesses() in (["untrusted"], ["invalid"])


# -- times -------------------------------------------------------------------------------------------


def test_what_an_author_pins_proves_nothing_to_another(vault: Believed) -> None:
    page, proof = vault.home / "said", vault.home / "said.ots"
    page.write_text(vault.ok("trust", "attest", "digest", vault.ref))
    digest = hashlib.sha256(page.read_bytes()).digest()
    proof.write_bytes(timestamps.proof(digest, [("bitcoin", 7)]))
    vault.do("trust", "anchor", vault.ref, "--type", "opentimestamps", "--snapshot", str(page), "--proof", str(proof))
    timestamps.pin(vault.run.environment["XDG_CONFIG_HOME"], 7, timestamps.header(digest, datetime.now(UTC)))
    assert vault.anchors() == ["valid"]
    another = vault.run.json("trust", vault.ref, XDG_CONFIG_HOME=str(vault.home / "another"))
    assert [one["status"] for one in another["anchors"]] == ["unverifiable"]


def test_a_block_that_anybody_could_have_made_is_not_pinned(vault: Believed) -> None:
    for at in (datetime.now(UTC), datetime(2016, 1, 1, tzinfo=UTC)):
        done = vault.do("trust", "keys", "pin", "--block", "800000", timestamps.header(bytes(32), at).hex())
        assert (done.returncode, "far less work" in done.stderr) == (2, True), done
    assert vault.ok("config", "--user", "block_headers").strip() == ""


def test_a_commit_of_long_ago_proves_no_time(vault: Believed) -> None:
    vault.commit(GIT_AUTHOR_DATE="2001-01-01T00:00:00Z", GIT_COMMITTER_DATE="2001-01-01T00:00:00Z")
    vault.ok("trust", "anchor", vault.ref)
    assert vault.level() == "unverified"


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "url", ["https://human.tester@e.org/p", "https://E.ORG./p", "https://e.org:443/p", "https://127.0.0.1/p"]
)
def test_a_page_that_somebody_wrote_into_the_vault_proves_no_time(url: str, vault: Believed) -> None:
    (vault.home / "page").write_text(vault.ok("trust", "attest", "digest", vault.ref))
    vault.do("trust", "anchor", vault.ref, "--type", "url", "--reference", url, "--snapshot", "@page")
    assert vault.level() == "unverified"


def test_a_trust_block_in_the_file_says_nothing(vault: Believed) -> None:
    claims = "trust: {score: 1.0, level: consensus}\nlevel: consensus\n"
    vault.path.write_text(vault.text.replace("id: m_", f"{claims}id: m_", 1))
    assert vault.level() == "unverified"
    assert vault.json("list", "--level", "attested")["memories"] == []


def test_what_levels_an_old_vault_lost_is_told_once(vault: Believed) -> None:
    vault.ok("trust", "anchor", vault.ref)
    said = "1 memory has a lower level of trust than the number says"
    assert said in vault.do("check").stdout
    assert said not in vault.do("check").stdout
