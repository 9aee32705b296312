"""Keys, signatures, witnesses and anchors through the installed program, with real keys and a real repository."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from tests import timestamps
from tests.installed import ROOT, validated
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import Done

WORDS = "Synthesis is the hard problem, not storage."


class Vault:
    """A vault of Sean's with one committed memory, and keys for Sean and for Pith."""

    def __init__(self, home: Path) -> None:
        self.program: Program = InProcess(home)
        self.program.init()
        self.run: InProcess = self.program.in_process()
        for name in ("sean", "pith", "new"):
            key = Ed25519PrivateKey.generate()
            (home / name).write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
            (home / f"{name}.pub").write_bytes(key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
        self.home = home
        self.ref, self.path = self.program.add(WORDS)
        self.ok("commit", "-q")

    def do(self, *words: str) -> Done:
        return self.run.run(*(str(self.home / word[1:]) if word.startswith("@") else word for word in words))

    def ok(self, *words: str) -> str:
        done = self.do(*words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return str(done.stdout)

    def json(self, *words: str) -> Any:
        return validated(self.ok("--json", *words))

    def anchors(self) -> list[str]:
        return [anchor["status"] for anchor in self.json("trust", self.ref)["anchors"]]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path)


def test_a_memory_is_enrolled_signed_anchored_and_explained(vault: Vault) -> None:
    vault.json("trust", "keys", "add", owner(vault), "@sean.pub")
    assert vault.json("trust", "sign", vault.ref, "--key", "@sean")["verdict"]["state"] == "valid"
    vault.ok("commit", "-q")
    assert vault.json("trust", "anchor", vault.ref)["anchor"]["status"] == "valid"
    found = vault.json("trust", vault.ref)
    assert found["trust"]["score"] == 0.5
    assert found["trust"]["level"] == "unverified"  # who owns the repository makes and dates its commits
    assert (found["anchors"][0]["counts"], found["anchors"][0]["timed"]) == (True, False)
    told = vault.ok("trust", vault.ref)
    assert "trust 0.500, unverified\n" in told
    assert "held back  signed, and kept: no third party proves when it existed, and nobody else confirms it\n" in told


def test_a_rewritten_memory_is_unverified_whatever_commits_hold_it(vault: Vault) -> None:
    vault.ok("trust", "keys", "add", owner(vault), "@sean.pub")
    vault.ok("trust", "sign", vault.ref, "--key", "@sean", "-c")
    for i in range(2):
        vault.path.write_text(vault.path.read_text().replace("not storage", "and storage"))
        vault.program.git("commit", "-q", "--allow-empty", "-am", f"Later {i}")
        vault.ok("trust", "anchor", vault.ref, "-c")
    found = vault.json("trust", vault.ref)
    assert (found["signature"]["state"], found["trust"]["level"]) == ("stale", "unverified")
    assert found["trust"]["factors"]["anchor_count"] == 1  # commits of one repository are kept, once
    assert vault.json("show", vault.ref)["trust"]["stale"]
    assert "unverified, stale" in vault.ok("show", vault.ref)
    (hit,) = vault.json("search", "synthesis")["results"]
    assert (hit["trust_level"], hit["stale"]) == ("unverified", True)
    assert "stale" in vault.ok("search", "synthesis")
    assert vault.json("list", "--level", "attested")["memories"] == []


def owner(vault: Vault) -> str:
    return str(vault.json("config", "owner")["settings"][0]["value"])


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")
def test_stock_tools_check_what_is_exported(vault: Vault) -> None:
    who = owner(vault)
    vault.ok("trust", "keys", "add", who, "@sean.pub")
    vault.ok("trust", "sign", vault.ref, "--key", "@sean")
    (vault.home / "SIG").write_text(vault.ok("trust", "attest", "export", vault.ref, "--format", "sshsig"))
    said = vault.program.run("trust", "attest", "payload", vault.ref).stdout
    command = ["ssh-keygen", "-Y", "verify", "-f", str(vault.program.vault / ".memstore/allowed_signers"), "-I", who]
    command += ["-n", "attest@memstore.dev", "-s", str(vault.home / "SIG")]
    done = subprocess.run(command, input=said, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done
    validated(vault.ok("--json", "trust", "attest", "export", vault.ref))
    validated(vault.ok("--json", "trust", "attest", "export", vault.ref, "--format", "sshsig"))


# -- keys ----------------------------------------------------------------------------------------


def test_a_key_is_added_listed_rotated_and_revoked(vault: Vault) -> None:
    added = vault.json("trust", "keys", "add", "si:pith", "@pith.pub")
    assert added["changed"]
    assert not vault.json("trust", "keys", "add", "si:pith", "@pith.pub")["changed"]
    assert [key["standing"] for key in vault.json("trust", "keys", "list")["keys"]] == ["valid"]
    assert (
        "memstore check lists the rest"
        in vault.do("trust", "keys", "rotate", "si:pith", "@new.pub", "--old", "@pith", "--dry-run").stderr
    )
    vault.json("trust", "keys", "rotate", "si:pith", "@new.pub", "--old", "@pith")
    listed = vault.json("trust", "keys", "list")["keys"]
    assert [key["standing"] for key in listed] == ["expired", "valid"]
    assert [key["follows"] for key in listed] == [None, listed[0]["fingerprint"]]
    assert f", follows {listed[0]['fingerprint']}" in vault.ok("trust", "keys", "list")
    vault.json("trust", "keys", "revoke", "si:pith")
    assert [key["standing"] for key in vault.json("trust", "keys", "list")["keys"]] == ["revoked", "revoked"]
    assert not vault.json("trust", "keys", "revoke", "si:pith")["changed"]
    refused = vault.do("trust", "keys", "add", "si:pith", "@pith.pub")
    assert (refused.returncode, "was revoked" in refused.stderr) == (4, True)


def test_who_rotated_a_key_is_led_to_the_new_one(vault: Vault) -> None:
    who = owner(vault)
    vault.ok("trust", "keys", "add", who, "@sean.pub")
    vault.ok("config", "--user", "signing_key", "@sean")
    assert "signing_key" not in vault.do("trust", "keys", "rotate", who, "@new", "--dry-run").stderr
    assert "memstore config --user signing_key FILE" in vault.do("trust", "keys", "rotate", who, "@new").stderr
    signed = vault.do("trust", "sign", vault.ref)
    assert "it does not count yet: the key was not valid then\n  hint: --key FILE signs" in signed.stderr
    assert "--key FILE" in signed.stderr
    vault.ok("config", "--user", "signing_key", "@new")
    assert "does not count" not in vault.do("trust", "sign", vault.ref).stderr


def test_who_has_no_key_is_led_to_keys_init(vault: Vault) -> None:
    refused = vault.do("trust", "sign", vault.ref)
    assert (refused.returncode, "memstore trust keys init FILE" in refused.stderr) == (2, True)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")
def test_an_agents_session_witnesses_with_a_certificate(vault: Vault) -> None:
    vault.ok("trust", "keys", "add", "si:ash", "@sean.pub", "--authority")
    assert [(key["authority"], key["standing"]) for key in vault.json("trust", "keys", "list")["keys"]] == [
        (True, "valid")
    ]
    assert "valid, authority" in vault.ok("trust", "keys", "list")
    words = ["ssh-keygen", "-q", "-s", str(vault.home / "sean"), "-I", "1", "-n", "si:ash", "-V", "-1h:+8h"]
    for name in ("sean", "new"):
        (vault.home / name).chmod(0o600)
    subprocess.run([*words, str(vault.home / "new.pub")], check=True, capture_output=True)
    vault.ok("privacy", "grant", vault.ref, "--to", "si:ash")
    say = ["--as", "si:ash", "trust", "witness", vault.ref, "--attest", "confirm", "--key"]
    assert vault.json(*say, "@new")["verdict"]["state"] == "untrusted"
    assert vault.json(*say, "@new-cert.pub")["verdict"]["state"] == "valid"
    refused = vault.do("trust", "keys", "add", "si:ash", "@new-cert.pub")
    assert (refused.returncode, "--authority" in refused.stderr) == (5, True)


def test_a_rotation_is_signed_elsewhere_and_taken_in(vault: Vault) -> None:
    vault.ok("trust", "keys", "add", "si:pith", "@pith.pub")
    refused = vault.do("trust", "keys", "rotate", "si:pith", "@new.pub")
    assert (refused.returncode, "if it is lost: memstore trust keys revoke" in refused.stderr) == (4, True)
    (vault.home / "elsewhere" / "vault").mkdir(parents=True)
    elsewhere = InProcess(vault.home / "elsewhere")  # no vault there
    words = [
        "trust",
        "keys",
        "rotate",
        "si:pith",
        str(vault.home / "new"),
        "--old",
        str(vault.home / "pith"),
        "--print",
    ]
    (vault.home / "said").write_text(elsewhere.ok(*words))
    validated(elsewhere.run("--json", *words).stdout)
    assert elsewhere.run(*words, "-c").returncode == 2
    vault.json("trust", "keys", "rotate", "si:pith", "@new.pub", "--signed", "@said")
    assert [key["follows"] is None for key in vault.json("trust", "keys", "list")["keys"]] == [True, False]


def test_the_files_of_keys_are_spliced(vault: Vault) -> None:
    place = vault.program.vault / ".memstore/allowed_signers"
    mine = f'# mine\r\nsi:babel   namespaces="attest@memstore.dev" {(vault.home / "sean.pub").read_text()} Babel'
    place.write_bytes(mine.encode())
    vault.ok("trust", "keys", "add", "si:pith", "@pith.pub")
    assert place.read_bytes().startswith(mine.encode() + b"\n")
    before = place.read_bytes()
    vault.ok("undo")
    assert place.read_bytes() == mine.encode()
    vault.ok("trust", "keys", "add", "si:pith", "@pith.pub", "--dry-run")
    assert place.read_bytes() == mine.encode() != before


def test_slips_with_keys_are_told(vault: Vault) -> None:
    for words, code in (
        (("trust", "keys", "add", "Pith", "@pith.pub"), 2),
        (("trust", "keys", "add", "si:pith", "@nowhere.pub"), 5),
        (("trust", "keys", "add", "si:pith", str(vault.path)), 5),
        (("trust", "keys", "rotate", "si:pith", "@pith.pub"), 3),
        (("trust", "keys", "revoke", "si:pith"), 3),
        (("--as", "si:pith", "trust", "keys", "list"), 4),
        (("--as", "si:pith", "trust", "keys", "add", "si:pith", "@pith.pub"), 4),
        (("trust", "sign", vault.ref), 2),
        (("trust", "anchor", vault.ref, "--reference", "nowhere"), 3),
        (("trust", "anchor", vault.ref, "--type", "url"), 2),
        (("trust", "attest", "payload", vault.ref), 3),
    ):
        done = vault.do(*words)
        assert done.returncode == code, (words, done.stderr)
        assert "hint:" in done.stderr, words


def test_a_keyring_is_pinned_and_kept_by_its_keepers(vault: Vault) -> None:
    who = owner(vault)
    vault.ok("trust", "keys", "add", who, "@sean.pub", "--keeper", "-c")
    vault.ok("trust", "sign", vault.ref, "--key", "@sean")
    assert "signature  valid, unpinned  " in vault.ok("trust", vault.ref)
    assert "keys pin" in vault.do("trust", "keys", "list").stderr
    pinned = vault.json("trust", "keys", "pin")
    assert [(key["entities"], key["keeper"]) for key in pinned["keys"]] == [([who], True)]
    assert "signature  valid  " in vault.ok("trust", vault.ref)
    added = vault.do("trust", "keys", "add", "si:pith", "@pith.pub")
    assert "only if a keeper signs" in added.stderr
    assert [key["pinned"] for key in vault.json("trust", "keys", "list")["keys"]] == [True, False]
    vault.ok("commit", "-q")
    assert [key["standing"] for key in vault.json("trust", "keys", "list")["keys"]] == ["valid", "not counted"]
    checked = vault.do("--json", "check")
    assert "key-uncounted" in {finding["code"] for finding in validated(checked.stdout)["findings"]}
    git(vault, "reset", "-q", "--hard", "HEAD~1")
    vault.ok("config", "--user", "signing_key", str(vault.home / "sean"))
    assert vault.json("trust", "keys", "add", "si:pith", "@pith.pub", "-c")["counts"]
    assert [key["pinned"] for key in vault.json("trust", "keys", "list")["keys"]] == [True, True]
    assert vault.json("trust", "keys", "pin", "--remove")["before"] == pinned["commit"]
    settings = validated(vault.ok("--json", "config", "--user"))["settings"]
    assert [setting["value"] for setting in settings if setting["key"] == "pins"] == [{}]
    assert vault.do("trust", "keys", "pin", "nowhere").returncode == 3
    assert vault.do("config", "--user", "pins", "x").returncode == 2


# -- anchors in git ------------------------------------------------------------------------------


def git(vault: Vault, *words: str) -> str:
    return vault.program.git(*words).strip()


def forget_refs(vault: Vault) -> None:
    (name,) = git(vault, "for-each-ref", "--format=%(refname)", "refs/memstore").split()
    git(vault, "update-ref", "-d", name)


def test_an_anchor_is_not_made_of_what_is_not_committed(vault: Vault) -> None:
    vault.path.write_text(vault.path.read_text() + "More.\n")
    done = vault.do("trust", "anchor", vault.ref)
    assert done.returncode == 2
    assert "memstore commit" in done.stderr


def test_where_nothing_is_committed_yet_an_anchor_says_what_to_do(vault: Vault) -> None:
    git(vault, "update-ref", "-d", "HEAD")
    done = vault.do("trust", "anchor", vault.ref)
    assert done.returncode == 2
    assert done.stderr.startswith("memstore: nothing is committed here yet")
    assert done.stderr.endswith(f"hint: memstore commit {vault.ref}, then anchor it\n")


def test_an_anchored_commit_is_kept_whatever_becomes_of_its_branch(vault: Vault) -> None:
    vault.ok("trust", "anchor", vault.ref)
    assert vault.anchors() == ["valid"]
    commit = git(vault, "rev-parse", "HEAD")
    git(vault, "checkout", "-q", "--orphan", "other")
    git(vault, "branch", "-D", "main") if "main" in git(vault, "branch", "--list", "main") else None
    git(vault, "reflog", "expire", "--expire=now", "--all")
    git(vault, "gc", "-q", "--prune=now")
    assert git(vault, "cat-file", "-t", commit) == "commit"
    assert vault.anchors() == ["valid"]


def test_anchoring_twice_changes_nothing(vault: Vault) -> None:
    vault.ok("trust", "anchor", vault.ref)
    assert vault.json("trust", "anchor", vault.ref)["anchor"] is None
    assert len(vault.anchors()) == 1


def _commit(vault: Vault, message: str) -> None:
    git(vault, "add", "-A")
    git(vault, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", message)


def test_after_a_rebase_the_anchor_is_found_again(vault: Vault) -> None:
    vault.ok("trust", "anchor", vault.ref)
    forget_refs(vault)
    git(vault, "stash", "-q")
    git(
        vault,
        "-c",
        "core.hooksPath=/dev/null",
        "commit",
        "-q",
        "--amend",
        "-m",
        "Said better",
        "--date=2020-01-01T00:00:00Z",
    )
    git(vault, "stash", "pop", "-q")
    assert vault.anchors() == ["moved"]


def test_a_commit_that_no_ref_holds_dangles_and_one_that_is_gone_is_missing(vault: Vault) -> None:
    vault.ok("trust", "anchor", vault.ref)
    forget_refs(vault)
    branch = git(vault, "symbolic-ref", "HEAD")
    git(vault, "update-ref", "-d", branch)
    assert vault.anchors() == ["dangling"]
    git(vault, "rm", "-rqf", "--cached", ".")
    git(vault, "reflog", "expire", "--expire=now", "--all")
    git(vault, "gc", "-q", "--prune=now")
    assert vault.anchors() == ["missing"]
    assert "git fetch" in vault.ok("trust", vault.ref)


def test_what_changed_since_is_altered(vault: Vault) -> None:
    vault.ok("trust", "anchor", vault.ref)
    vault.path.write_text(vault.path.read_text().replace("hard", "easy"))
    assert vault.anchors() == ["altered"]
    assert "content changed since" in vault.ok("trust", vault.ref)


def test_an_object_that_was_overwritten_is_altered(vault: Vault) -> None:
    vault.ok("trust", "anchor", vault.ref)
    blob = git(vault, "rev-parse", f"HEAD:{vault.path.relative_to(vault.program.vault).as_posix()}")
    other = vault.program.vault / "forged.md"
    other.write_text("Another text.\n")
    forged = git(vault, "hash-object", "-w", "forged.md")
    objects = vault.program.vault / ".git/objects"
    target = objects / blob[:2] / blob[2:]
    target.chmod(0o600)
    target.write_bytes((objects / forged[:2] / forged[2:]).read_bytes())
    other.unlink()
    assert vault.anchors() == ["altered"]
    target.write_bytes(b"not zlib")
    assert vault.anchors() == ["missing"]
    assert "git fsck" in vault.ok("trust", vault.ref)


def test_an_object_that_was_made_to_say_what_the_memory_says_now_is_altered(vault: Vault) -> None:
    vault.ok("trust", "anchor", vault.ref)
    where = vault.path.relative_to(vault.program.vault).as_posix()
    blob = git(vault, "rev-parse", f"HEAD:{where}")
    # The entry is signed by nobody, so its hash may go; then the object's name alone tells.
    said = re.sub(r', hash: "[^"]*"', "", vault.path.read_text()).replace("hard", "easy")
    vault.path.write_text(said)
    forged = git(vault, "hash-object", "-w", where)
    objects = vault.program.vault / ".git/objects"
    target = objects / blob[:2] / blob[2:]
    target.chmod(0o600)
    target.write_bytes((objects / forged[:2] / forged[2:]).read_bytes())
    assert vault.anchors() == ["altered"]


def test_a_replacement_is_not_looked_at(vault: Vault) -> None:
    vault.ok("trust", "anchor", vault.ref)
    blob = git(vault, "rev-parse", f"HEAD:{vault.path.relative_to(vault.program.vault).as_posix()}")
    other = vault.program.vault / "forged.md"
    other.write_text(vault.path.read_text().replace("hard", "easy"))
    forged = git(vault, "hash-object", "-w", "forged.md")
    other.unlink()
    git(vault, "replace", blob, forged)
    assert vault.anchors() == ["valid"]


def test_a_shallow_clone_says_what_to_fetch(vault: Vault, tmp_path: Path) -> None:
    vault.ok("trust", "anchor", vault.ref)
    vault.path.write_text(vault.path.read_text().replace("confidence", "confidence"))
    _commit(vault, "Anchored")
    vault.ok("tag", vault.ref, "+one")
    _commit(vault, "Tagged")
    clone = tmp_path / "clone"
    subprocess.run(
        ["git", "clone", "-q", "--depth=1", vault.program.vault.as_uri(), str(clone)], check=True, capture_output=True
    )
    done = vault.do("--vault", str(clone), "--json", "trust", vault.ref)
    (anchor,) = validated(done.stdout)["anchors"]
    assert anchor["status"] == "missing"
    assert "unshallow" in anchor["hint"]


# -- pages ---------------------------------------------------------------------------------------


def test_a_page_commits_only_if_it_holds_the_digest(vault: Vault) -> None:
    page = vault.home / "page.html"
    page.write_text("<p>Synthesis is the hard problem.</p>")
    url = ("--type", "url", "--reference", "https://example.org/p/1", "--snapshot")
    source = vault.json("trust", "anchor", vault.ref, *url, str(page))["anchor"]
    assert (source["status"], source["counts"]) == ("valid", False)
    vault.ok("trust", "keys", "add", owner(vault), "@sean.pub")
    vault.ok("trust", "sign", vault.ref, "--key", "@sean")
    digest = vault.path.read_text().partition('content: "sha256:')[2][:64]
    page.write_text(f"<p>I said {digest}</p>")
    commitment = vault.json("trust", "anchor", vault.ref, *url, str(page))["anchor"]
    assert (commitment["status"], commitment["counts"]) == ("valid", False)
    assert commitment["reason"] == "a copy that you did not fetch yourself"
    copies = sorted((vault.program.vault / ".memstore/snapshots").iterdir())
    assert len(copies) == 2
    for copy in copies:
        copy.write_text("edited")
    assert vault.anchors() == ["altered", "altered"]
    for copy in copies:
        copy.unlink()
    assert vault.anchors() == ["missing", "missing"]


def test_a_blockchain_is_recorded_and_worth_nothing(vault: Vault) -> None:
    made = vault.json("trust", "anchor", vault.ref, "--type", "blockchain", "--reference", "btc:0123")["anchor"]
    assert (made["status"], made["counts"]) == ("unchecked", False)


def test_a_stamp_is_proven_by_a_block_that_the_user_pinned(vault: Vault) -> None:
    page, proof = vault.home / "said", vault.home / "said.ots"
    page.write_text(vault.ok("trust", "attest", "digest", vault.ref))
    assert validated(vault.ok("--json", "trust", "attest", "digest", vault.ref))["page"] == page.read_text()
    digest = hashlib.sha256(page.read_bytes()).digest()
    anchor = ["trust", "anchor", vault.ref, "--type", "opentimestamps", "--snapshot", str(page), "--proof", str(proof)]
    proof.write_bytes(timestamps.proof(bytes(32), [("bitcoin", 7)]))
    assert vault.do(*anchor).returncode == 5  # of something else
    proof.write_bytes(timestamps.proof(digest, [("pending", "https://a.example")]))
    made = vault.json(*anchor)["anchor"]
    assert (made["status"], made["counts"], "https://a.example" in made["reason"]) == ("unverifiable", False, True)
    steps: list[Any] = [("prepend", b"left"), ("sha256",)]
    proof.write_bytes(timestamps.proof(digest, [*steps, ("bitcoin", 7)]))
    upgraded = vault.json(*anchor)["anchor"]
    assert upgraded["reason"] == "it is in block 7, whose header is needed"
    assert upgraded["hint"] == "memstore trust keys pin --block 7 HEADER"
    assert vault.json(*anchor)["anchor"] is None
    header = timestamps.header(timestamps.root(digest, steps), datetime.now(UTC))
    assert "far less work" in vault.do("trust", "keys", "pin", "--block", "7", header.hex()).stderr
    timestamps.pin(vault.program.environment["XDG_CONFIG_HOME"], 7, header)
    assert "7: " in vault.ok("config", "--user", "block_headers")
    (anchored,) = vault.json("trust", vault.ref)["anchors"]
    assert (anchored["status"], anchored["counts"], anchored["timed"]) == ("valid", True, True)
    assert anchored["proves"] is not None
    assert vault.do("trust", "keys", "pin", "--block", "8", header.hex()[:-2]).returncode == 2
    kept = vault.program.vault / ".memstore/snapshots" / f"{digest.hex()}.ots"
    kept.write_bytes(b"no proof")
    assert vault.anchors() == ["altered"]
    kept.unlink()
    assert vault.anchors() == ["missing"]
    assert "--proof" in vault.ok("trust", vault.ref)


def test_what_babel_signed_in_the_sample_vault_is_vouched_for(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    shutil.copytree(ROOT / "sample-vault", program.vault)
    found = validated(program.run("--json", "trust", "m_3467as21ns").stdout)
    assert (found["trust"]["score"], found["trust"]["level"]) == (0.5, "attested")
    assert [one["state"] for one in (found["signature"], *found["witnesses"])] == ["valid", "valid"]
    checked = validated(program.run("--json", "check").stdout)
    assert not [finding for finding in checked["findings"] if "attestation" in finding["code"]]


def test_a_request_travels_as_a_file_and_its_answer_comes_back(vault: Vault) -> None:
    vault.ok("trust", "keys", "add", "si:pith", "@pith.pub")
    refused = vault.do("trust", "request-witness", vault.ref, "--from", "si:pith")
    assert (refused.returncode, "may not see" in refused.stderr) == (4, True)
    vault.ok("privacy", "grant", vault.ref, "--to", "si:pith")
    written = vault.json("trust", "request-witness", vault.ref, "--from", "si:pith", "--notes", "You were there")
    request = vault.home / "request.md"
    request.write_bytes((vault.program.vault / written["path"]).read_bytes())
    (vault.home / "elsewhere" / "vault").mkdir(parents=True)
    elsewhere = InProcess(vault.home / "elsewhere")  # no vault there
    words = ["trust", "witness", "--request", str(request)]
    shown = elsewhere.run(*words)
    assert WORDS in shown.stdout
    assert validated(elsewhere.run("--json", *words).stdout)["content"]["body"] == WORDS + "\n"
    said = elsewhere.run("--json", *words, "--attest", "confirm", "--key", str(vault.home / "pith"))
    assert validated(said.stdout)["witness"]["agent_id"] == "si:pith"
    plain = elsewhere.run(*words, "--attest", "confirm", "--key", str(vault.home / "pith"))
    assert WORDS in plain.stderr  # nobody attests to what they were not shown
    (vault.home / "answer.json").write_text(plain.stdout)
    assert vault.json("trust", "witness", vault.ref, "--answer", "@answer.json")["verdict"]["state"] == "valid"
    assert [one["state"] for one in vault.json("trust", vault.ref)["witnesses"]] == ["valid"]
    for wrong in (
        ["trust", "witness", "--attest", "confirm"],
        ["trust", "witness", vault.ref],
        ["trust", "witness", vault.ref, "--request", str(request)],
    ):
        assert vault.do(*wrong).returncode == 2


def test_whoever_is_asked_reads_and_answers_the_request_in_the_vault_and_nobody_else_does(vault: Vault) -> None:
    vault.ok("trust", "keys", "add", "si:pith", "@pith.pub")
    vault.ok("privacy", "grant", vault.ref, "--to", "si:pith", "si:eve")
    written = vault.json("trust", "request-witness", vault.ref, "--from", "si:pith", "--notes", "You were there")
    name, file = written["id"], str(vault.program.vault / written["path"])
    as_pith, as_eve = ("--as", "si:pith"), ("--as", "si:eve")

    asked = vault.json(*as_pith, "witness")["requests"]
    assert [(one["request"], one["reason"]) for one in asked] == [(name, "You were there")]
    for words in (["trust", "witness", name], ["trust", "witness", "--request", file]):
        assert WORDS in vault.ok(*as_pith, *words)
        assert WORDS in vault.ok(*words)
        for others in (as_eve, (*as_pith, "--context", "ctx:park")):
            seen = vault.do(*others, *words)
            absent = vault.do(*others, *(one.replace(name, "req_0000000000") for one in words))
            assert (seen.returncode, seen.stdout) == (absent.returncode, absent.stdout)
            assert seen.stderr.replace(name, "req_0000000000") == absent.stderr
    vault.program.git("add", "-A")
    vault.program.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "asked")
    (vault.home / "cloned").mkdir()
    clone = InProcess(vault.home / "cloned")
    vault.program.git("clone", "-q", ".", str(clone.vault))
    for words in (["trust", "witness", name], ["trust", "witness", "--request", str(clone.vault / written["path"])]):
        assert WORDS in clone.run(*as_pith, *words).stdout
        assert clone.run(*as_eve, *words).returncode != 0
    assert vault.json(*as_eve, "witness")["requests"] == []
    assert vault.json("trust", "witness")["requests"] == []

    signed = vault.json(*as_pith, "witness", name, "--attest", "confirm", "--key", "@pith")
    assert signed["verdict"]["state"] == "valid"
    assert vault.json(*as_pith, "witness")["requests"] == []
    vault.ok("privacy", "revoke", vault.ref, "--from", "si:pith")
    assert vault.do(*as_pith, "witness", name).returncode == 3
    assert vault.do(*as_pith, "witness", "--request", file).returncode != 0


def test_what_changed_since_it_was_asked_about_is_not_attested(vault: Vault) -> None:
    vault.ok("privacy", "grant", vault.ref, "--to", "si:pith")
    name = vault.json("trust", "request-witness", vault.ref, "--from", "si:pith")["id"]
    vault.ok("set", vault.ref, "title=Another title")
    done = vault.do("--as", "si:pith", "trust", "witness", name, "--attest", "confirm", "--key", "@pith")
    assert (done.returncode, f"is no longer what {name} asks about" in done.stderr) == (4, True)
    assert name in vault.ok("--as", "si:pith", "trust", "witness")


def test_the_owner_decides_about_what_somebody_else_wrote(vault: Vault) -> None:
    vault.ok("trust", "keys", "add", owner(vault), "@sean.pub")
    vault.ok("import", "memory-v0.1", str(ROOT / "tests/memories/memory-v0.1.json"))
    decide = [
        "trust",
        "resolve",
        "mem_abc123",
        "--outcome",
        "overturned",
        "--notes",
        "The log says March",
        "--key",
        "@sean",
    ]
    assert vault.json(*decide)["verdict"]["state"] == "valid"
    assert [(one["outcome"], one["state"]) for one in vault.json("trust", "mem_abc123")["resolutions"]] == [
        ("overturned", "valid")
    ]
    assert "overturned by " in vault.ok("trust", "mem_abc123")
    assert "reputation stays as it is" in vault.do(*decide).stderr  # nobody had disputed it
    literal = vault.json("trust", "mem_abc123", "--profile", "isnad-0.1-literal")
    assert literal == vault.json("trust", "mem_abc123", "--literal") | {"trust": literal["trust"]}
    assert literal["profile"] == "isnad-0.1-literal"
    beta = vault.json("trust", "mem_abc123", "--profile", "beta-1")
    assert (beta["profile"], beta["beta"]["identity"], beta["trust"]["score"]) == ("beta-1", "unknown", 0.0)
    assert "trust 0.000 by beta-1, unverified" in vault.ok("trust", "mem_abc123", "--profile", "beta-1")
    assert vault.do("trust", "resolve", vault.ref, "--outcome", "upheld", "--key", "@sean").returncode == 4


def test_whoever_took_no_side_decides_a_dispute_and_is_told_nothing_else(vault: Vault) -> None:
    for who, key in ((owner(vault), "sean"), ("si:pith", "pith"), ("human:claire", "new")):
        vault.ok("trust", "keys", "add", who, f"@{key}.pub")
    vault.ok("set", vault.ref, "access_grants=*")
    vault.ok("trust", "sign", vault.ref, "--key", "@sean")
    vault.ok("--as", "si:pith", "trust", "witness", vault.ref, "--attest", "dispute", "--key", "@pith")
    decided = vault.do(
        "--as", "human:claire", "trust", "resolve", vault.ref, "--outcome", "overturned", "--key", "@new"
    )
    assert (decided.returncode, decided.stderr) == (0, "")
    assert vault.json("trust", vault.ref)["reputation"]["wrong"] == 1


def test_the_strength_of_a_lineage_stands_beside_the_score_and_is_no_part_of_it(vault: Vault) -> None:
    vault.ok("trust", "keys", "add", owner(vault), "@sean.pub")
    vault.ok("trust", "sign", vault.ref, "--key", "@sean")
    made = vault.json("add", "Storage is easy.", "--derived-from", vault.ref, "--relates-to", vault.ref)["ref"]
    before = vault.json("trust", made)
    assert before["trust"]["score"] == 0.0
    assert before["lineage"]["derived_from"] == {"ref": vault.ref, "strength": 0.3, "reason": None}
    assert before["lineage"]["relates_to"]["strength"] == pytest.approx(0.3)
    told = vault.ok("trust", made)
    assert f"made of    0.300: the weakest is {vault.ref}" in told
    assert "rests on   0.300: one source" in told
    assert vault.json("trust", vault.ref)["lineage"] == {"derived_from": None, "relates_to": None}


def test_a_verified_view_says_which_part_is_unsigned(vault: Vault) -> None:
    vault.ok("trust", "keys", "add", owner(vault), "@sean.pub")
    vault.ok("set", vault.ref, "importance=high")
    vault.ok("trust", "sign", vault.ref, "--key", "@sean")
    shown = vault.json("show", vault.ref, "--verified")
    assert (shown["verified"]["signature"]["state"], shown["verified"]["unsigned"]) == ("valid", ["importance"])
    told = vault.ok("show", vault.ref, "--verified")
    assert WORDS in told
    assert "signature  valid" in told
    assert "unsigned   importance" in told
    assert "verified" not in vault.json("show", vault.ref)
    vault.path.write_text(vault.path.read_text().replace("hard", "easy"))
    assert "signature  stale: content changed since" in vault.ok("show", vault.ref, "--verified")
    for other in (("--at", "HEAD"), ("--trace",)):
        assert vault.do("show", vault.ref, "--verified", *other).returncode == 2


def test_a_fresh_clone_tells_the_same_and_believes_no_trust_that_a_file_states(vault: Vault, tmp_path: Path) -> None:
    vault.ok("trust", "keys", "add", owner(vault), "@sean.pub")
    vault.ok("trust", "sign", vault.ref, "--key", "@sean")
    vault.ok("commit", "-q")
    vault.ok("trust", "anchor", vault.ref)
    vault.path.write_text(
        vault.path.read_text().replace("signature:", "trust: {score: 1.0, level: consensus}\nsignature:")
    )
    vault.ok("commit", "-q")
    clone = tmp_path / "clone"
    vault.program.git("clone", "-q", ".", str(clone))
    vault.program.git("-C", str(clone), "fetch", "-q", "origin", "refs/memstore/*:refs/memstore/*")
    here = vault.json("trust", vault.ref)
    there = validated(vault.ok("--vault", str(clone), "--json", "trust", vault.ref))
    assert here["trust"].pop("computed_at")
    assert there["trust"].pop("computed_at")
    assert there == here
    assert here["trust"]["score"] == 0.5
    assert "trust" in here["unsigned"]
