"""The audit chain in a repository: what is cut off at its end is missed by the commits that name it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def program(tmp_path: Path) -> InProcess:
    program = InProcess(tmp_path)
    program.init()
    return program


def events(program: InProcess) -> list[Path]:
    return sorted((program.vault / "audit").rglob("*.json"))


def test_a_commit_names_the_end_of_the_chain(program: InProcess) -> None:
    program.ok("privacy", "entity", "add", "dog:bella")
    program.ok("privacy", "entity", "add", "dog:max", "-c")
    program.ok("commit")
    program.ok("privacy", "log", "verify")
    assert program.git("log", "--format=%B").count("Audit-Head: sha256:") == 2
    events(program)[-1].unlink()
    done = program.run("privacy", "log", "verify")
    assert done.returncode == 1
    assert "[audit-truncated]" in done.stdout
    program.git("checkout", "--", "audit")
    program.ok("privacy", "log", "verify")


def test_a_commit_of_one_command_has_all_its_files(program: InProcess) -> None:
    program.ok("commit")
    program.ok(
        "privacy", "consent", "grant", "--from", "human:sean", "--to", "si:luna", "--scope", "subject:dog:bella", "-c"
    )
    assert program.git("status", "--porcelain") == ""
    assert program.git("log", "-1", "--format=%s").strip() == "vault: 1 in audit, 1 in consents"
