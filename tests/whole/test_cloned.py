"""A vault that is made, cloned, branched, checked out back and forth and made anew: nothing lost, nothing silent."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

OWN = (".gitattributes", ".memstore/config.toml", ".memstoreignore")


@pytest.mark.soak
def test_a_vault_goes_wherever_git_takes_it(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.vault.mkdir()
    assert "; committed as " in program.ok("init", ".", "--owner", "human:sean")
    assert program.git("status", "--porcelain") == ""
    program.add("Tea at eight.", "-c")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", program.vault, clone], check=True, env=program.environment)
    assert "Tea at eight." in program.ok("list", cwd=clone)
    assert program.ok("config", "owner", cwd=clone) == "human:sean\n"
    shutil.rmtree(program.vault)
    program.vault.mkdir()
    program.ok("init", ".", "--owner", "human:sean")
    assert program.ok("list") == ""
    assert program.run("undo").returncode == 3  # what was done in the vault before it is none of this one's
    assert "Tea at eight." in program.ok("list", cwd=clone)


def test_in_a_repository_that_was_there_the_first_commit_takes_it_along(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.vault.mkdir()
    program.git("init", "-q")
    mine = program.vault / "mine.txt"
    mine.write_text("one\n")
    program.git("add", ".")
    program.git("commit", "-qm", "mine")
    mine.write_text("two\n")
    (program.vault / "staged.txt").write_text("staged\n")
    program.git("add", "staged.txt")
    assert program.json("init", ".", "--owner", "human:sean")["uncommitted"] == [*OWN]
    assert [one["code"] for one in program.json("check")["findings"]] == ["vault-uncommitted"]
    program.git("checkout", "-q", "-b", "feature")
    _, tea = program.add("Tea at eight.", "-c")
    committed = program.git("show", "--name-only", "--format=").split()
    assert committed == sorted([*OWN, str(tea.relative_to(program.vault))])
    assert program.git("status", "--porcelain").splitlines() == [" M mine.txt", "A  staged.txt"]
    assert program.json("check")["findings"] == []
    program.git("checkout", "-q", "main")
    (program.vault / "below").mkdir()
    for words, cwd in (
        (("list",), program.vault),
        (("list",), program.vault / "below"),
        (("init", "."), program.vault),
    ):
        done = program.run(*words, cwd=cwd)
        assert (done.returncode, f"{program.vault} is a vault on the branch feature" in done.stderr) == (5, True), words
    assert "feature" in program.run("--vault", str(program.vault), "list", cwd=tmp_path).stderr
    program.git("commit", "-qm", "the hooks let pass what is no vault's")
    program.git("checkout", "-q", "feature")
    assert "Tea at eight." in program.ok("list")
    program.git("checkout", "-q", "main")
    program.git("merge", "-q", "-m", "together", "feature")
    assert "Tea at eight." in program.ok("list")
