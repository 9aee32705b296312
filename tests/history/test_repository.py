"""What a command asks git: each thing once, about one moment."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from memstore.history import HISTORY
from memstore.history.git_history import GitHistory
from memstore.hooks import commit_msg, pre_commit
from memstore.memories.add import add_memory
from memstore.vault.status import status
from tests.git_repositories import git, memory, repository, vault_in
from tests.whole.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memstore.vault.workspace import Workspace
    from tests.git_repositories import Written

MOST = {"init": 25, "status": 10, "add -c": 16, "pre-commit": 10, "commit-msg": 10}


class Counted:
    """A `git` that notes each of its starts."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "starts"
        folder.mkdir()
        (folder / "git").write_text(f'#!/bin/sh\necho "$@" >>"{self._log}"\nexec {shutil.which("git")} "$@"\n')
        (folder / "git").chmod(0o755)
        self.environ = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}

    def starts(self, what: Callable[[], object]) -> list[str]:
        self._log.write_text("")
        what()
        return self._log.read_text().splitlines()


@pytest.fixture
def vault(tmp_path: Path) -> Written:
    vault = vault_in(tmp_path / "vault")
    vault.write("a.md", memory("m_aaa"))
    vault.commit("first")
    return vault


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    return Counted(tmp_path / "counted")


def opened(vault: Written, counted: Counted) -> Workspace:
    return vault.open().having(HISTORY, GitHistory(vault.root, counted.environ))


def test_a_command_starts_few_processes(vault: Written, counted: Counted) -> None:
    vault.write(".memstoreignore", "out/\n")
    vault.commit("a start")
    ws = opened(vault, counted)
    program = Program(vault.root.parent).in_process()
    place = str(vault.root.parent / "made")
    started = {
        "init": counted.starts(lambda: program.run("init", place, cwd=vault.root, PATH=counted.environ["PATH"])),
        "add -c": counted.starts(lambda: add_memory(ws.view(), {}, "Tea is green.", commit=True)),
    }
    vault.write("a.md", memory("m_aaa", "Another text.\n"))
    vault.write("b.md", memory("m_bbb"))
    started["status"] = counted.starts(lambda: status(ws.view()))
    git(vault.root, "add", "-A")
    message = vault.root / ".git" / "COMMIT_EDITMSG"
    message.write_text("why\n")
    started["pre-commit"] = counted.starts(lambda: pre_commit.main(counted.environ, vault.root))
    started["commit-msg"] = counted.starts(lambda: commit_msg.main(counted.environ, vault.root, [str(message)]))
    assert "m_bbb" in message.read_text()
    found = {name: len(starts) for name, starts in started.items()}
    assert all(2 < found[name] <= most for name, most in MOST.items()), started


def test_what_needs_no_git_starts_none(vault: Written, counted: Counted) -> None:
    ws = opened(vault, counted)
    assert counted.starts(lambda: ws.view().rows) == []


def test_a_view_is_about_one_moment_until_it_commits(vault: Written) -> None:
    ws = vault.open()
    view = ws.view()
    first = view.of(HISTORY).head()
    vault.write("a.md", memory("m_aaa", "By hand.\n"))
    second = vault.commit("by somebody else")
    assert view.of(HISTORY).head() == first
    assert ws.history.head() == view.again().of(HISTORY).head() == second != first
    saved = add_memory(view, {}, "Tea is green.", commit=True)
    assert view.of(HISTORY).head() == saved.commit == ws.history.head()
    assert saved.path in view.of(HISTORY).files_at(saved.commit or "")


@pytest.mark.parametrize("state", ["a branch", "a tag of its name", "detached", "no commit"])
def test_the_branch_has_the_name_that_git_gives_it(tmp_path: Path, state: str) -> None:
    root = repository(tmp_path)
    if state != "no commit":
        git(root, "commit", "-q", "--allow-empty", "-m", "empty")
    if state == "a tag of its name":
        git(root, "tag", git(root, "symbolic-ref", "--short", "HEAD").strip())
    if state == "detached":
        git(root, "checkout", "-q", "--detach")
    found = GitHistory(root, os.environ).require()
    named = None if state == "detached" else git(root, "symbolic-ref", "--short", "HEAD").strip()
    assert found.branch == found.later().branch == named
    assert (found.head is None) == (state == "no commit")
