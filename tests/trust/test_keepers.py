"""The keeper rule, in real repositories: after the pin no change of the keyring lets itself in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from memstore.core.errors import NotFoundError, UsageError
from memstore.history import HISTORY
from memstore.history.git_history import GitHistory
from memstore.trust import PINS, SIGNATURES
from memstore.trust.anchor import anchor_commit
from memstore.trust.keyring import ALLOWED_SIGNERS, REVOKED_KEYS
from memstore.trust.keys import add_key, list_keys, revoke_key
from memstore.trust.pin import pin, unpin
from memstore.trust.read_keyring import read_keyring
from memstore.trust.sign import sign
from memstore.trust.signatures import SshSignatures
from memstore.trust.trust import trust_of
from memstore.trust.user_pins import UserPins
from memstore.trust.verification import Voucher
from memstore.vault.check import check
from memstore.vault.status import commit
from tests.git_repositories import OWNER, git, memory, vault_in
from tests.support import TickClock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memstore.vault.workspace import Workspace

BOTH = 'namespaces="attest@memstore.dev,git"'
ATTEST = 'namespaces="attest@memstore.dev"'


@dataclass
class Vault:
    """A vault with a keeper, Sean, pinned; and keys for others."""

    home: Path
    object_format: str = "sha1"

    def __post_init__(self) -> None:
        for name in ("sean", "pith", "mallory", "new", "third"):
            key = Ed25519PrivateKey.generate()
            (self.home / name).write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
            (self.home / name).chmod(0o600)
            (self.home / f"{name}.pub").write_bytes(
                key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
            )
        self.vault = vault_in(self.home / "vault", self.object_format)
        self.root = self.vault.root
        self.at = 0
        self.write([self.line("sean", BOTH), self.line("pith", ATTEST)])
        self.commit("Keys")

    def line(self, name: str, options: str) -> str:
        return f"{'human' if name == 'sean' else 'si'}:{name} {options} {self.public(name)}"

    def public(self, name: str) -> str:
        return (self.home / f"{name}.pub").read_text().strip()

    def write(self, lines: Sequence[str], path: str = ALLOWED_SIGNERS) -> None:
        self.vault.write(path, "".join(f"{line}\n" for line in lines))

    def lines(self) -> list[str]:
        return (self.root / ALLOWED_SIGNERS).read_text().splitlines()

    def commit(self, message: str, by: str = "", *, at: str = "") -> str:
        """Commit everything, signed with the key of `by`; each a minute later than the one before."""
        self.at += 1
        when = at or f"2026-02-01T10:{self.at:02d}:00Z"
        git(self.root, "add", "-A")
        words = ["-c", "core.hooksPath=/dev/null", "-c", "gpg.format=ssh", "-c", f"user.signingkey={self.home / by}"]
        words += ["commit", "-q", "--allow-empty", "-m", message, *(["-S"] if by else [])]
        git(self.root, *words, GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)
        return git(self.root, "rev-parse", "HEAD").strip()

    def open(self, key: str = "") -> Workspace:
        signatures = SshSignatures(self.home, agent="", own_key=str(self.home / key) if key else None)
        pins = UserPins(self.home / "config.toml", self.root)
        return self.vault.open(OWNER)._replace(clock=TickClock()).having(SIGNATURES, signatures).having(PINS, pins)

    def names(self) -> list[str]:
        """Return whose keys count, in order."""
        keyring, _ = read_keyring(self.open().view())
        return sorted(name for one in keyring.signers if one.key.blob not in keyring.revoked for name in one.principals)

    def codes(self) -> list[str]:
        return [finding.code for finding in read_keyring(self.open().view())[1]]

    def pin(self) -> None:
        pin(self.open().view())


@pytest.fixture(params=["sha1", "sha256"])
def vault(tmp_path: Path, request: pytest.FixtureRequest) -> Vault:
    made = Vault(tmp_path, request.param)
    made.pin()
    return made


MINE = ["human:sean", "si:pith"]
CAME = "the revocation of KEY came without a keeper's signature"
WENT = "the revocation of KEY was removed without a keeper's signature, and still counts"
ALL = ["human:sean", "si:mallory", "si:pith"]


def test_what_the_pinned_commit_holds_counts(vault: Vault) -> None:
    assert vault.names() == MINE
    assert all(one.signer.pinned for one in list_keys(vault.open().view()).keys)


def test_a_change_that_a_keeper_signed_counts(vault: Vault) -> None:
    vault.write([*vault.lines(), vault.line("mallory", ATTEST)])
    vault.commit("Mallory may", "sean")
    assert (vault.names(), vault.codes()) == (ALL, [])


@pytest.mark.soak(3)
@pytest.mark.parametrize("by", ["", "pith", "mallory"])
def test_a_change_that_no_keeper_signed_does_not_count(vault: Vault, by: str) -> None:
    vault.write([*vault.lines(), vault.line("mallory", BOTH)])
    vault.commit("Let me in", by)
    assert (vault.names(), vault.codes()) == (MINE, ["key-uncounted"])
    listed = [(one.signer.principals[0], one.standing) for one in list_keys(vault.open().view()).keys]
    assert listed[-1] == ("si:mallory", "not counted")
    vault.write([*vault.lines(), vault.line("new", ATTEST)])
    vault.commit("And a friend", "mallory")
    assert vault.names() == MINE


def test_a_key_that_was_taken_out_without_a_keeper_still_counts(vault: Vault) -> None:
    vault.write([vault.line("pith", ATTEST)])
    vault.commit("Sean is gone")
    assert (vault.names(), vault.codes()) == (MINE, ["key-uncounted"])
    assert [one.signer.line for one in list_keys(vault.open().view()).keys] == [1, 0]
    vault.commit("An empty one", "sean")
    assert vault.names() == MINE


def told(vault: Vault) -> list[tuple[str, str]]:
    """Return of each finding its file and what happened there to the key of si:pith."""
    key = SshSignatures(vault.home, agent="").public_key(str(vault.home / "pith")).fingerprint
    return [(one.path, one.text.replace(key, "KEY")) for one in read_keyring(vault.open().view())[1]]


def test_a_revocation_counts_only_by_a_keeper_and_so_does_taking_it_back(vault: Vault) -> None:
    vault.write([vault.public("pith")], REVOKED_KEYS)
    vault.commit("Revoked")
    assert (vault.names(), told(vault)) == (MINE, [(REVOKED_KEYS, CAME)])
    (vault.root / REVOKED_KEYS).unlink()
    vault.commit("As it was")
    assert told(vault) == []
    vault.write([vault.public("pith")], REVOKED_KEYS)
    vault.commit("Revoked", "sean")
    assert vault.names() == ["human:sean"]
    (vault.root / REVOKED_KEYS).unlink()
    vault.commit("Taken back")
    assert (vault.names(), told(vault)) == (["human:sean"], [(REVOKED_KEYS, WENT)])
    vault.write([], REVOKED_KEYS)
    vault.commit("An empty list")
    assert vault.names() == ["human:sean"]


def test_a_line_that_lurks_is_not_let_in_by_a_keepers_next_commit(vault: Vault) -> None:
    vault.write([*vault.lines(), vault.line("mallory", BOTH)])
    vault.commit("Let me in")
    vault.write([*vault.lines(), vault.line("new", ATTEST)])
    vault.commit("New may", "sean")
    assert vault.names() == ["human:sean", "si:new", "si:pith"]
    # A keeper who means it writes the line once more.
    vault.write([*vault.lines(), vault.line("mallory", BOTH)])
    vault.commit("Mallory may", "sean")
    assert set(vault.names()) == {*ALL, "si:new"}


def test_a_keeper_who_was_taken_out_or_revoked_keeps_nothing(vault: Vault) -> None:
    vault.write([vault.line("sean", BOTH), vault.line("new", BOTH)])
    vault.commit("New keeps, too", "sean")
    vault.write([vault.public("sean")], REVOKED_KEYS)
    vault.commit("Sean's key was stolen", "new")
    vault.write([*vault.lines(), vault.line("mallory", BOTH)])
    vault.commit("Said the thief", "sean")
    assert vault.names() == ["si:new"]


def test_an_expired_keeper_cannot_go_back_behind_the_last_change(vault: Vault) -> None:
    vault.write([vault.line("sean", f'{BOTH},valid-before="20260201101000Z"'), vault.line("new", BOTH)])
    vault.commit("Sean until ten past", "sean")
    lines = vault.lines()
    vault.write([*lines, vault.line("mallory", BOTH)])
    vault.commit("Later", "sean", at="2026-02-01T10:30:00Z")
    assert "si:mallory" not in vault.names()
    git(vault.root, "reset", "-q", "--hard", "HEAD~1")
    vault.write([*lines, vault.line("pith", ATTEST)])
    vault.commit("Still mine", "sean", at="2026-02-01T10:05:00Z")
    assert "si:pith" in vault.names()
    vault.write([*vault.lines(), vault.line("mallory", BOTH)])
    vault.commit("Back-dated", "sean", at="2026-02-01T10:04:00Z")
    assert "si:mallory" not in vault.names()


# -- merges ----------------------------------------------------------------------------------------


def branched(vault: Vault, lines: Sequence[str], by: str) -> None:
    """Change the keyring on a branch, go back, and change something else there."""
    git(vault.root, "checkout", "-q", "-b", "side")
    vault.write(lines)
    vault.commit("On the side", by)
    git(vault.root, "checkout", "-q", "main")
    vault.vault.write("note.md", "Some note.\n")
    vault.commit("Elsewhere")


def merged(vault: Vault, *words: str) -> None:
    vault.at += 1
    when = f"2026-02-01T10:{vault.at:02d}:00Z"
    git(
        vault.root,
        "-c",
        "core.hooksPath=/dev/null",
        "merge",
        "-q",
        "--no-edit",
        *words,
        "side",
        GIT_COMMITTER_DATE=when,
    )


@pytest.mark.parametrize(("by", "expected"), [("sean", ALL), ("", MINE), ("mallory", MINE)])
def test_a_merge_brings_what_a_keeper_signed_on_the_branch(vault: Vault, by: str, expected: list[str]) -> None:
    branched(vault, [*vault.lines(), vault.line("mallory", ATTEST)], by)
    merged(vault)
    assert vault.names() == expected


def test_a_merge_that_drops_a_keepers_change_changes_nothing(vault: Vault) -> None:
    branched(vault, [vault.line("sean", BOTH)], "sean")
    merged(vault, "-s", "ours")
    assert vault.names() == ["human:sean"]


def test_a_merge_that_adds_a_line_of_its_own_does_not_count(vault: Vault) -> None:
    branched(vault, [*vault.lines(), vault.line("new", ATTEST)], "sean")
    merged(vault, "--no-commit", "--no-ff")
    vault.write([*vault.lines(), vault.line("mallory", BOTH)])
    assert "si:mallory" not in vault.names()  # nor while the merge is under way
    assert "si:new" not in vault.names()
    vault.commit("Merged, and more")
    assert vault.names() == ["human:sean", "si:new", "si:pith"]


@pytest.mark.parametrize("words", [("cherry-pick",), ("rebase", "--onto", "main", "side~1")])
def test_what_a_rebase_or_a_cherry_pick_brings_does_not_count_meanwhile(vault: Vault, words: tuple[str, ...]) -> None:
    branched(vault, [vault.line("mallory", BOTH)], "")
    vault.write([vault.line("sean", BOTH), vault.line("new", ATTEST)])
    vault.commit("Here", "sean")
    with pytest.raises(AssertionError):  # both changed the same line
        git(vault.root, "-c", "core.hooksPath=/dev/null", *words, "side")
    vault.write([vault.line("sean", BOTH), vault.line("mallory", BOTH)])
    assert vault.names() == ["human:sean", "si:new"]


def test_an_older_branch_brings_no_signed_change_from_before_the_pin(vault: Vault) -> None:
    git(vault.root, "checkout", "-q", "--orphan", "side")
    vault.write([*vault.lines(), vault.line("mallory", ATTEST)])
    vault.commit("Long ago", "sean", at="2026-01-01T10:00:00Z")
    git(vault.root, "checkout", "-q", "main")
    merged(vault, "--allow-unrelated-histories", "-s", "ours")
    assert vault.names() == MINE


# -- the work tree ---------------------------------------------------------------------------------


def test_what_is_not_committed_counts_for_this_user_and_says_so(vault: Vault) -> None:
    vault.write([vault.line("sean", BOTH), vault.line("new", ATTEST)])
    assert vault.names() == ["human:sean", "si:new"]
    assert [one.signer.pinned for one in list_keys(vault.open().view()).keys] == [True, False]


def test_what_is_not_committed_takes_no_revocation_back(vault: Vault) -> None:
    vault.write([vault.public("pith")], REVOKED_KEYS)
    vault.commit("Pith's key was stolen", "sean")
    vault.write([], REVOKED_KEYS)
    assert (vault.names(), told(vault)) == (["human:sean"], [(REVOKED_KEYS, WENT)])
    (vault.root / REVOKED_KEYS).unlink()
    assert (vault.names(), told(vault)) == (["human:sean"], [(REVOKED_KEYS, WENT)])
    vault.commit("It lay under the sofa", "sean")
    assert (vault.names(), vault.codes()) == (MINE, [])


def test_keys_that_are_added_say_whether_they_count(vault: Vault) -> None:
    done = add_key(vault.open().view(), "si:new", str(vault.home / "new.pub"))
    assert (done.pinned, done.counts, done.commit) == (True, False, None)
    done = add_key(vault.open().view(), "si:mallory", str(vault.home / "mallory.pub"), commit=True)
    assert (done.counts, done.commit is not None) == (False, True)
    git(vault.root, "reset", "-q", "--hard", "HEAD~1")
    done = add_key(vault.open("sean").view(), "si:new", str(vault.home / "new.pub"), commit=True)
    assert done.counts
    assert vault.names() == ["human:sean", "si:new", "si:pith"]
    assert revoke_key(vault.open("sean").view(), "si:new", commit=True).counts
    assert vault.names() == MINE


def test_a_line_that_lurks_makes_nobody_elses_doubtful_and_can_be_revoked(vault: Vault) -> None:
    vault.write([*vault.lines(), vault.line("mallory", BOTH)])
    vault.commit("Let me in")
    assert add_key(vault.open("sean").view(), "si:new", str(vault.home / "new.pub"), commit=True).counts
    assert revoke_key(vault.open("sean").view(), "si:mallory", commit=True).counts
    assert set(vault.names()) == {*MINE, "si:new"}


def test_a_commit_of_keys_that_nobody_signs_warns(vault: Vault) -> None:
    for name, by, warnings in (("new", "sean", 0), ("mallory", "", 1), ("third", "pith", 2)):
        add_key(vault.open().view(), f"si:{name}", str(vault.home / f"{name}.pub"))
        assert [finding.code for finding in commit(vault.open(by).view()).findings] == ["key-uncounted"] * warnings


def test_a_keyring_without_keys_is_not_pinned(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    vault.write([])
    vault.commit("No keys")
    with pytest.raises(UsageError, match="none ever would"):
        vault.pin()
    assert vault.open().of(PINS).commit is None


def test_pinning_again_tells_whom_that_lets_in(vault: Vault) -> None:
    vault.write([*vault.lines(), vault.line("new", ATTEST)])
    vault.commit("New may", "sean")
    vault.write([*vault.lines(), vault.line("mallory", BOTH)])
    vault.commit("Let me in")
    done = pin(vault.open().view(), dry_run=True)
    assert [one.principals[0] for one in done.let_in] == ["si:mallory"]
    git(vault.root, "branch", "side", "HEAD")
    git(vault.root, "reset", "-q", "--hard", "HEAD~1")
    with pytest.raises(UsageError, match="is not in the history"):
        pin(vault.open().view(), revision="side")


def test_git_takes_a_commit_that_was_signed_here(vault: Vault) -> None:
    add_key(vault.open("sean").view(), "si:new", str(vault.home / "new.pub"), commit=True)
    signers = vault.root / ALLOWED_SIGNERS
    git(vault.root, "-c", f"gpg.ssh.allowedSignersFile={signers}", "-c", "gpg.format=ssh", "verify-commit", "HEAD")


# -- a pin that is gone ------------------------------------------------------------------------------


def test_a_history_that_was_written_anew_vouches_for_nobody(vault: Vault) -> None:
    git(vault.root, "checkout", "-q", "--orphan", "other")
    vault.commit("All new", "sean")
    keyring, findings = read_keyring(vault.open().view())
    assert keyring.signers == ()
    assert "is not in the history" in (keyring.unreadable or "")
    assert [(finding.code, finding.is_error) for finding in findings] == [("pin-lost", True)]
    assert "memstore trust keys pin" in (findings[0].hint or "")
    assert [one.standing for one in list_keys(vault.open().view()).keys] == ["not counted"] * 2
    assert "pin-lost" in [finding.code for finding in check(vault.open().view()).findings]
    vault.pin()
    assert vault.names() == MINE


def test_a_shallow_clone_says_what_to_fetch(vault: Vault, tmp_path: Path) -> None:
    vault.commit("More")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth=1", vault.root.as_uri(), str(clone))
    other = vault.open().having(HISTORY, GitHistory(clone, os.environ))
    keyring, findings = read_keyring(other.view())
    assert keyring.signers == ()
    assert "--unshallow" in (findings[0].hint or "")


def test_an_object_that_was_overwritten_vouches_for_nobody(vault: Vault) -> None:
    vault.commit("More")
    blob = git(vault.root, "rev-parse", f"HEAD:{ALLOWED_SIGNERS}").strip()
    vault.vault.write("forged", f"{vault.line('mallory', BOTH)}\n")
    forged = git(vault.root, "hash-object", "-w", "forged").strip()
    (vault.root / "forged").unlink()
    objects = vault.root / ".git/objects"
    target = objects / blob[:2] / blob[2:]
    target.chmod(0o600)
    target.write_bytes((objects / forged[:2] / forged[2:]).read_bytes())
    keyring, findings = read_keyring(vault.open().view())
    assert (keyring.signers, findings[0].code) == ((), "pin-lost")


def test_no_program_that_the_repository_names_is_run(vault: Vault) -> None:
    ran = vault.home / "ran"
    program = vault.home / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o700)
    for key in ("gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "core.fsmonitor", "core.sshCommand"):
        git(vault.root, "config", key, str(program))
    git(vault.root, "config", "commit.gpgSign", "true")
    git(vault.root, "config", "gpg.format", "ssh")
    git(vault.root, "config", "log.showSignature", "true")
    assert add_key(vault.open("sean").view(), "si:new", str(vault.home / "new.pub"), commit=True).counts
    assert vault.names() == ["human:sean", "si:new", "si:pith"]
    assert not ran.exists()


def test_a_vault_in_a_folder_of_its_repository_is_pinned_alike(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    inner = vault.root / "inner"
    inner.mkdir()
    git(vault.root, "mv", ".memstore", "inner/.memstore")
    vault.commit("Moved")
    vault.vault.root = vault.root = inner
    vault.pin()
    vault.write([*vault.lines(), vault.line("mallory", BOTH)])
    vault.commit("Let me in")
    vault.write([*vault.lines(), vault.line("new", ATTEST)])
    vault.commit("New may", "sean")
    assert vault.names() == ["human:sean", "si:new", "si:pith"]


def test_replacements_and_grafts_are_not_looked_at(vault: Vault) -> None:
    pinned = git(vault.root, "rev-parse", "HEAD").strip()
    vault.write([*vault.lines(), vault.line("mallory", BOTH)])
    evil = vault.commit("Let me in")
    git(vault.root, "replace", pinned, evil)
    (vault.root / ".git/info").mkdir(exist_ok=True)
    (vault.root / ".git/info/grafts").write_text(f"{evil}\n")
    assert vault.names() == MINE


# -- pinning -----------------------------------------------------------------------------------------


def test_without_a_pin_all_counts_as_it_stands(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    vault.write([*vault.lines(), vault.line("mallory", BOTH)])
    vault.commit("Let me in")
    assert vault.names() == ALL
    assert not any(one.signer.pinned for one in list_keys(vault.open().view()).keys)


def test_a_pin_is_kept_in_the_users_settings_and_nothing_else_there_changes(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    config = tmp_path / "config.toml"
    config.write_text('# mine\nentity = "human:tester"  # me\n')
    done = pin(vault.open().view())
    assert [one.principals[0] for one in done.keepers] == ["human:sean"]
    assert config.read_text().startswith('# mine\nentity = "human:tester"  # me\n')
    assert vault.open().of(PINS).commit == done.commit
    pin(vault.open().view(), revision="HEAD", dry_run=True)
    with pytest.raises(NotFoundError):
        pin(vault.open().view(), revision="nowhere")
    assert unpin(vault.open().view()).before == done.commit
    assert vault.open().of(PINS).commit is None


def test_a_link_to_the_vault_is_the_same_vault(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    vault.pin()
    (tmp_path / "link").symlink_to(vault.root)
    assert UserPins(tmp_path / "config.toml", tmp_path / "link").commit is not None


# -- when something was there ------------------------------------------------------------------------


REF = "m_0000000tea"
ENDED = 'namespaces="attest@memstore.dev",valid-before="20260201101500Z"'


@dataclass
class Anchored(Vault):
    """A vault where Pith signed a memory, which is committed and anchored; then Pith's key expired."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.write([self.line("sean", BOTH), self.line("pith", ATTEST), self.line("new", ATTEST)])
        self.vault.write("tea.md", memory(REF, author="si:pith", owner="si:pith", created_at='"2026-02-01T10:00:00Z"'))
        ws = self.open()._replace(actor="si:pith", clock=TickClock(datetime(2026, 2, 1, 10, 5, tzinfo=UTC)))
        sign(ws.view(), REF, key=str(self.home / "pith"))
        self.signed = self.commit("Signed", at="2026-02-01T10:06:00Z")
        anchor_commit(ws.view(), REF)
        self.commit("Anchored", at="2026-02-01T10:07:00Z")

    def end(self, by: str = "") -> None:
        self.write([self.line("sean", BOTH), self.line("pith", ENDED)])
        self.commit("Pith's key is old", by, at="2026-02-01T10:30:00Z")

    def state(self) -> str:
        return trust_of(self.open()._replace(actor="si:pith").view(), REF).vouched.signature.state.value


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    ("by", "at", "expected"),
    [
        ("sean", "2026-02-01T10:10:00Z", "valid"),
        ("sean", "2026-02-01T10:15:00Z", "unproven-time"),
        ("", "2026-02-01T10:10:00Z", "unproven-time"),
        ("pith", "2026-02-01T10:10:00Z", "unproven-time"),
        ("mallory", "2026-02-01T10:10:00Z", "unproven-time"),
        ("sean", "2026-02-03T10:10:00Z", "unproven-time"),
    ],
)
def test_a_commit_that_a_keeper_signed_proves_that_what_it_follows_is_older(
    tmp_path: Path, by: str, at: str, expected: str
) -> None:
    made = Anchored(tmp_path)
    made.commit("All of that was there", by, at=at)
    made.end("sean")
    made.pin()
    assert made.state() == expected


def test_a_keepers_commit_on_another_branch_proves_nothing(tmp_path: Path) -> None:
    made = Anchored(tmp_path)
    git(made.root, "checkout", "-q", "-b", "side", f"{made.signed}~1")
    made.commit("Beside it", "sean", at="2026-02-01T10:10:00Z")
    git(made.root, "checkout", "-q", "-")
    git(made.root, "merge", "-q", "-m", "Joined", "side")
    made.end("sean")
    made.pin()
    assert made.state() == "unproven-time"


def test_where_nothing_is_pinned_nobody_is_a_keeper(tmp_path: Path) -> None:
    made = Anchored(tmp_path)
    made.commit("All of that was there", "sean", at="2026-02-01T10:10:00Z")
    made.end("sean")
    assert made.state() == "unproven-time"


# -- who controls whom -------------------------------------------------------------------------------


def entity(vault: Vault, name: str, **facts: str) -> None:
    said = "".join(f"{key}: {value}\n" for key, value in facts.items())
    vault.vault.write(f"entities/si/{name}.md", f"---\ntype: entity\nid: si:{name}\n{said}---\n")


def controls(vault: Vault, who: str = "si:pith") -> str:
    return Voucher(vault.open().view()).controller_of(who)


def test_who_controls_an_entity_counts_as_of_the_pin_and_by_keepers_alone(tmp_path: Path) -> None:
    made = Vault(tmp_path)
    entity(made, "pith", controller="human:sean")
    made.commit("Pith is Sean's")
    made.pin()
    assert controls(made) == "human:sean"
    entity(made, "pith")  # as its own voice Pith could confirm what Sean wrote
    made.commit("Let me go", "mallory")
    assert (controls(made), made.codes()) == ("human:sean", ["key-uncounted"])
    entity(made, "pith", controller="human:claire")
    made.commit("Or be Claire's")
    assert (controls(made), made.codes()) == ("human:sean", ["key-uncounted"] * 2)
    entity(made, "pith", controller="human:sean")
    made.commit("As it was")
    assert (controls(made), made.codes()) == ("human:sean", [])
    entity(made, "pith", controller="human:claire")
    made.commit("Now it is", "sean")
    assert (controls(made), made.codes()) == ("human:claire", [])


def test_who_was_let_go_on_a_branch_without_a_keeper_stays_controlled_after_a_merge(tmp_path: Path) -> None:
    made = Vault(tmp_path)
    entity(made, "pith", controller="human:sean")
    made.commit("Pith is Sean's")
    made.pin()
    git(made.root, "checkout", "-q", "-b", "side")
    entity(made, "pith")
    made.commit("Let me go")
    git(made.root, "checkout", "-q", "-")
    made.commit("Something else", "sean")
    git(made.root, "merge", "-q", "--no-edit", "side")
    assert controls(made) == "human:sean"


def test_what_one_has_not_committed_yet_counts_for_oneself(tmp_path: Path) -> None:
    made = Vault(tmp_path)
    made.pin()
    entity(made, "pith", controller="human:sean")
    assert (controls(made), made.codes()) == ("human:sean", [])


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        pytest.param({}, "human:sean", id="let go"),
        pytest.param(
            {"controller": "human:claire"}, "", id="somebody else's: nobody knows whose until it is committed"
        ),
    ],
)
def test_what_one_has_not_committed_yet_lets_nobody_go(tmp_path: Path, facts: dict[str, str], expected: str) -> None:
    made = Vault(tmp_path)
    entity(made, "pith", controller="human:sean")
    made.commit("Pith is Sean's")
    made.pin()
    entity(made, "pith", **facts)
    assert (controls(made), made.codes()) == (expected, ["key-uncounted"])
    made.commit("Now it is so", "sean")
    assert (controls(made), made.codes()) == (facts.get("controller", "si:pith"), [])


def test_commit_signs_a_change_of_who_controls_whom(tmp_path: Path) -> None:
    made = Vault(tmp_path)
    made.pin()
    entity(made, "pith", controller="human:sean")
    commit(made.open("sean").view())
    assert (controls(made), made.codes()) == ("human:sean", [])


# -- a vault that goes back ----------------------------------------------------------------------------


def test_a_revocation_that_was_seen_sticks_when_the_vault_goes_back_behind_it(vault: Vault) -> None:
    vault.write([vault.public("pith")], REVOKED_KEYS)
    vault.commit("Pith's key was stolen", "sean")
    assert vault.names() == ["human:sean"]
    git(vault.root, "reset", "-q", "--hard", "HEAD~1")
    assert (vault.names(), vault.codes()) == (["human:sean"], ["key-uncounted"])
    (told,) = read_keyring(vault.open().view())[1]
    assert "the revocation still counts" in told.text
    vault.commit("And on it goes")
    assert vault.names() == ["human:sean"]


def test_a_revocation_that_a_keeper_took_back_does_not_stick(vault: Vault) -> None:
    vault.write([vault.public("pith")], REVOKED_KEYS)
    vault.commit("Pith's key was stolen", "sean")
    assert vault.names() == ["human:sean"]
    vault.write([], REVOKED_KEYS)
    vault.commit("It lay under the sofa", "sean")
    assert (vault.names(), vault.codes()) == (MINE, [])


def test_a_revocation_that_does_not_count_is_not_remembered(vault: Vault) -> None:
    vault.write([vault.public("sean")], REVOKED_KEYS)
    vault.commit("Out with the keeper", "mallory")
    assert vault.names() == MINE
    git(vault.root, "reset", "-q", "--hard", "HEAD~1")
    assert (vault.names(), vault.codes()) == (MINE, [])
