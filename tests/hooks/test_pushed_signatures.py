"""Pushes to a shared vault whose members have keys: an address that a key speaks for is nobody else's word."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.git_repositories import git
from tests.team import ANN, BEN, OPS, Team, begin

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed"),
    pytest.mark.soak(3, together=True),
]
EMAILS = {ANN: "ann@example.org", BEN: "ben@example.org"}


def key_of(team: Team, name: str) -> Path:
    return team.home / f"{name}_key"


def enrol(team: Team, who: str, name: str, kind: str = "--commits") -> None:
    team.memstore(ANN, "trust", "keys", "add", who, f"{key_of(team, name)}.pub", kind, "--commit")


def commit(team: Team, who: str, key: str | None, *, named: str | None = None, at: str | None = None) -> None:
    """Commit everything in somebody's clone, signed with a key, in another's name."""
    said = {f"GIT_COMMITTER_{what}": value for what, value in (("EMAIL", named), ("DATE", at)) if value}
    signing = ("-c", "gpg.format=ssh", "-c", f"user.signingKey={key_of(team, key or '')}", "-c", "commit.gpgSign=true")
    words = ("-c", "core.hooksPath=/dev/null", *(signing if key else ()), "commit", "-q", "--allow-empty", "-m", "x")
    team.ok(who, "git", "add", "-A")
    team.ok(who, "env", *(f"{name}={value}" for name, value in said.items()), "git", *words)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Team:
    team = begin(tmp_path_factory.mktemp("team"))
    for name in ("ann", "ben", "new", "stranger"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(key_of(team, name))]
        subprocess.run(words, check=True)
    enrol(team, BEN, "ben")
    team.passes(ANN)
    team.ok(BEN, "git", "pull", "-q", "origin", "main")
    return team


@pytest.fixture
def team(begun: Team, tmp_path: Path) -> Team:
    return begun.copied(tmp_path)


def test_what_a_members_key_signed_is_theirs_whatever_address_it_has(team: Team) -> None:
    team.memstore(BEN, "add", "Ben was there.", "--title", "Ben")
    commit(team, BEN, "ben")
    team.passes(BEN)
    commit(team, BEN, "ben", named="ben@laptop.local")
    team.passes(BEN)


@pytest.mark.parametrize(
    ("key", "named", "said"),
    [
        (None, "ben", "ben@example.org is human:ben's, who signs their commits, and it isn't signed"),
        ("stranger", "ben", "who signs their commits, and the key that signed it is nobody's here: SHA256:"),
        ("ben", "ann", "ann@example.org is human:ann's, and a key of human:ben signed it"),
        ("stranger", "eve", "the vault doesn't know whose address eve@example.org is"),
    ],
)
def test_a_commit_in_anothers_name_is_refused(team: Team, key: str | None, named: str, said: str) -> None:
    commit(team, BEN, key, named=f"{named}@example.org")
    assert said in team.refused(BEN)


def test_a_signature_that_was_moved_to_another_commit_is_none(team: Team) -> None:
    commit(team, BEN, "ben")
    signed = git(team.clone(BEN), "cat-file", "commit", "HEAD")
    forged = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=team.clone(BEN), input=signed.replace("\n\nx", "\n\nI owe Ann a thousand"), check=True, text=True,
        capture_output=True,
    ).stdout.strip()  # fmt: skip
    said = team.refused(BEN, "origin", f"{forged}:main")
    assert "who signs their commits, and its signature is none of an SSH key that holds" in said


def test_a_keeper_whose_key_is_known_is_not_forged(team: Team) -> None:
    enrol(team, ANN, "ann", "--keeper")
    team.passes(ANN)
    team.ok(BEN, "git", "pull", "-q", "origin", "main")
    charter = team.clone(BEN) / "groups/ops.yaml"
    charter.write_text(charter.read_text().replace(f"[{ANN}]", f"[{ANN}, {BEN}]"))
    commit(team, BEN, None, named="ann@example.org")
    assert "ann@example.org is human:ann's, who signs their commits, and it isn't signed" in team.refused(BEN)
    commit(team, ANN, "ann")
    team.passes(ANN)


def test_an_old_key_signs_nothing_new_whatever_the_date(team: Team) -> None:
    line = f'{BEN} namespaces="commit@memstore.dev"'
    signers = team.clone(ANN) / ".memstore/allowed_signers"
    old = signers.read_text().replace('dev"', 'dev",valid-before="20200101Z"')
    signers.write_text(old + f"{line} {key_of(team, 'new').with_suffix('.pub').read_text()}")
    team.commit(ANN, "a new key for Ben")
    team.passes(ANN)
    commit(team, BEN, "ben", at="2019-06-01T00:00:00Z")  # before he fetched it
    said = team.refused(BEN, "origin", "HEAD:refs/heads/old")
    assert "the key that signed it is not valid any more, or not yet: SHA256:" in said
    git(team.clone(BEN), "reset", "-q", "--hard", "HEAD^")
    team.ok(BEN, "git", "pull", "-q", "origin", "main")
    commit(team, BEN, "new")
    team.passes(BEN)


def test_a_revoked_key_signs_nothing_and_its_holder_is_not_believed_without_one(team: Team) -> None:
    team.memstore(ANN, "trust", "keys", "revoke", BEN, "--commit")
    team.passes(ANN)
    commit(team, BEN, "ben")
    assert "the key that signed it was revoked: SHA256:" in team.refused(BEN, "origin", "HEAD:refs/heads/old")
    git(team.clone(BEN), "reset", "-q", "--hard", "HEAD^")
    commit(team, BEN, None)
    assert "who signs their commits, and it isn't signed" in team.refused(BEN, "origin", "HEAD:refs/heads/old")


def test_an_unsigned_commit_that_begins_before_the_key_is_refused_where_the_key_is_known(team: Team) -> None:
    git(team.clone(BEN), "reset", "-q", "--hard", "HEAD^")
    commit(team, BEN, None)
    assert "who signs their commits, and it isn't signed" in team.refused(BEN, "origin", "HEAD:refs/heads/early")


def test_what_was_made_before_there_were_keys_goes_to_a_new_remote(team: Team) -> None:
    git(team.home, "init", "-q", "--bare", "-b", "main", "second.git")
    team.ok(BEN, "git", "remote", "remove", "origin")
    team.ok(BEN, "git", "remote", "add", "origin", "../second.git")
    team.memstore(BEN, "hooks", "install")
    team.passes(BEN)


def test_a_keeper_answers_for_what_he_merges(team: Team) -> None:
    commit(team, BEN, None)
    team.ok(ANN, "git", "fetch", "-q", "../ben", "HEAD")
    team.ok(ANN, "git", "merge", "-q", "--no-ff", "-m", "taken in", "FETCH_HEAD")
    team.passes(ANN)


def test_an_agents_commit_may_be_signed_by_whoever_controls_it(team: Team) -> None:
    text = f"---\ntype: entity\nid: si:ash\nkind: agent\nemail: ash@example.org\ncontroller: {BEN}\n---\n"
    team.write(ANN, "entities/si/ash.md", text)
    team.memstore(ANN, "privacy", "group", "add", OPS, "si:ash", "--commit")
    team.memstore(ANN, "commit")
    team.passes(ANN)
    team.ok(BEN, "git", "pull", "-q", "origin", "main")
    commit(team, BEN, "ben", named="ash@example.org")
    team.passes(BEN, "origin", "HEAD:propose/one")


def test_memstore_signs_what_it_commits_and_merges(team: Team) -> None:
    team.memstore(BEN, "config", "--user", f"signing_keys.{BEN}", str(key_of(team, "ben")))
    team.memstore(ANN, "add", "Ann was there.", "--commit")
    team.passes(ANN)
    team.memstore(BEN, "add", "Ben was there.", "--commit")
    assert "merged 1 commit" in team.memstore(BEN, "sync")
    assert git(team.remote, "rev-list", "--count", "--merges", "main").strip() == "1"


def test_a_key_for_memories_alone_leaves_the_address_to_say_who_it_is(team: Team) -> None:
    team.memstore(ANN, "trust", "keys", "add", ANN, f"{key_of(team, 'ann')}.pub", "--commit")
    team.passes(ANN)
    commit(team, ANN, None)
    team.passes(ANN)
