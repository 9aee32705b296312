"""A commit that is killed leaves the repository as before or after, and nothing that blocks the next command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memstore.history.git_history import GitHistory
from tests.git_repositories import git, memory, vault_in

if TYPE_CHECKING:
    from pathlib import Path

    from tests.git_repositories import Written

# Runs a commit, and kills itself and the git process that it started at the N-th step: before or after that process.
SCRIPT = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from memstore.history.git_history import GitHistory
from memstore.history.git_process import GitProcess

step, when = int(sys.argv[1]), sys.argv[2]
attempt, steps = GitProcess.attempt, []

def killing(self, *arguments, **options):
    steps.append(arguments[0])
    if len(steps) == step and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    done = attempt(self, *arguments, **options)
    if len(steps) == step:
        os.kill(os.getpid(), signal.SIGKILL)
    return done

GitProcess.attempt = killing
history = GitHistory(Path.cwd(), os.environ)
history.commit({"a.md": Path("a.md").read_bytes()}, "killed", at=datetime(2026, 2, 1, tzinfo=UTC))
print(len(steps))
"""


def run(folder: Path, step: int, when: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", SCRIPT, str(step), when]
    return subprocess.run(words, cwd=folder, env=os.environ, capture_output=True, text=True, check=False)


@pytest.fixture
def vault(tmp_path: Path) -> Written:
    vault = vault_in(tmp_path / "vault")
    vault.write("a.md", memory("m_aaa"))
    vault.commit("before")
    vault.write("a.md", memory("m_aaa", "New.\n"))
    vault.write("staged.md", memory("m_bbb"))
    git(vault.root, "add", "staged.md")
    return vault


def test_a_killed_commit_is_whole_or_not_there(vault: Written) -> None:
    head = git(vault.root, "rev-parse", "HEAD")
    step, done = 0, None
    while done is None or done.returncode == -signal.SIGKILL:
        step += 1
        for when in ("before", "after"):
            done = run(vault.root, step, when)
            if done.returncode != -signal.SIGKILL:
                break
            check(vault)
            git(vault.root, "reset", "-q", "--soft", head.strip())
            git(vault.root, "reset", "-q", "--", "a.md")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 8
    assert git(vault.root, "diff", "--cached", "--name-only") == "staged.md\n"
    assert git(vault.root, "log", "--format=%s").split() == ["killed", "before"]


def check(vault: Written) -> None:
    """Hold that git goes on, that nothing is lost, and that the commit is whole or not there."""
    assert not (vault.root / ".git/index.lock").exists()
    git(vault.root, "fsck", "--strict")
    assert git(vault.root, "log", "--format=%s").split() in (["before"], ["killed", "before"])
    assert (vault.root / "a.md").read_text() == memory("m_aaa", "New.\n")
    # Committed, staged or only in the work tree, but never staged to be taken back.
    assert "MM" not in git(vault.root, "status", "--porcelain")
    assert "A  staged.md" in git(vault.root, "status", "--porcelain")


def test_what_killed_commits_left_is_swept_away_later(vault: Written) -> None:
    folder = vault.root / ".git/memstore"
    (folder / "commit-old").mkdir(parents=True)
    (folder / "commit-new").mkdir()
    (folder / "commit-old" / "0").touch()
    os.utime(folder / "commit-old", (0, 0))
    history = GitHistory(vault.root, os.environ)
    history.commit({"a.md": b"x"}, "m", at=datetime(2026, 2, 1, tzinfo=UTC))
    assert sorted(path.name for path in folder.iterdir()) == ["commit-new"]
