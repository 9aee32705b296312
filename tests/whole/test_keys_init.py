"""`memstore trust keys init`: from nothing to a witnessed memory checked on a fresh clone, in eight commands."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    (tmp_path / ".ssh").mkdir()
    for path in (".ssh/id_ed25519", "pith"):
        key = Ed25519PrivateKey.generate()
        (tmp_path / path).write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
        public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
        (tmp_path / f"{path}.pub").write_bytes(public)
    return program


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_eight_commands_from_nothing_to_a_witnessed_memory_on_a_clone(program: Program) -> None:
    pith, clone = str(program.home / "pith"), program.home / "clone"
    program.ok("init", ".", "--owner", "human:sean")
    program.ok("trust", "keys", "init")
    program.ok("trust", "keys", "add", "si:pith", f"{pith}.pub", "-c")
    ref = program.json("add", "Tea at eight.", "--access", "*", "-c")["ref"]
    program.ok("trust", "sign", ref, "-c")
    program.ok("--as", "si:pith", "trust", "witness", ref, "--attest", "confirm", "--key", pith, "-c")
    subprocess.run(["git", "clone", "-q", program.vault, clone], check=True, env=program.environment)
    found = program.ok("trust", ref, cwd=clone)
    assert "attested" in found
    assert "si:pith confirms" in found


def test_the_key_signs_counts_and_is_pinned(program: Program) -> None:
    program.ok("init", ".", "--owner", "human:sean")
    made = program.json("trust", "keys", "init")
    assert (made["entity"], made["changed"]) == ("human:sean", True)
    assert made["pin"] == program.git("rev-parse", "HEAD").strip()
    assert program.ok("config", "--user", "signing_key").strip().endswith(".ssh/id_ed25519")
    (key,) = program.json("trust", "keys", "list")["keys"]
    assert (key["standing"], key["pinned"], key["keeper"]) == ("valid", True, True)
    again = program.run("trust", "keys", "init")
    assert (again.returncode, "already counts" in again.stderr) == (0, True)
    assert program.json("trust", "keys", "init")["pin"] == made["pin"]


def test_a_pin_of_a_vault_that_was_here_before_gives_way(program: Program) -> None:
    for _ in range(2):
        program.ok("init", ".", "--owner", "human:sean")
        told = program.ok("trust", "keys", "init")
        assert f"pinned: {program.git('rev-parse', 'HEAD')[:10]}" in told
        assert [one["pinned"] for one in program.json("trust", "keys", "list")["keys"]] == [True]
        shutil.rmtree(program.vault)
        program.vault.mkdir()
    assert "which is not in this history" in told
    # A key that somebody else calls the owner's is pinned by nobody but the owner.
    program.ok("init", ".", "--owner", "human:sean")
    program.ok("trust", "keys", "add", "human:sean", str(program.home / "pith.pub"), "-c")
    done = program.run("trust", "keys", "init")
    assert (done.returncode, "compare their fingerprints" in done.stderr) == (4, True), done


def test_a_key_that_is_not_there_sets_nothing(program: Program) -> None:
    program.ok("init", ".", "--owner", "human:sean")
    before = program.git("status", "--porcelain", "--untracked-files=all")
    for words in (
        ("trust", "keys", "init", "nowhere"),
        ("trust", "keys", "init", "../gitconfig"),
        ("--as", "si:pith", "trust", "keys", "init"),
    ):
        done = program.run(*words)
        assert done.returncode != 0, words
        assert "Traceback" not in done.stderr
        assert program.ok("config", "--user", "signing_key").strip() == ""
        assert program.git("status", "--porcelain", "--untracked-files=all") == before


def test_another_key_and_keys_of_others_are_left_to_the_user(program: Program) -> None:
    program.ok("init", ".", "--owner", "human:sean")
    program.ok("trust", "keys", "add", "si:pith", str(program.home / "pith.pub"), "-c")
    done = program.run("trust", "keys", "init")
    assert (done.returncode, "keys of si:pith count" in done.stderr) == (4, True), done
    assert program.ok("config", "--user", "signing_key").strip() == ""
    program.ok("config", "--user", "signing_key", str(program.home / "pith"))
    done = program.run("trust", "keys", "init", str(program.home / ".ssh/id_ed25519"))
    assert (done.returncode, "you sign with" in done.stderr) == (2, True), done
