"""`memstore sync` between two machines: nothing is lost, nothing is half, and it stops where a person is needed."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.git_repositories import git
from tests.installed import PROGRAMS
from tests.support import memory_text
from tests.whole.program import Program

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

pytestmark = pytest.mark.soak(4, together=True)

SCRIPT = "#!/bin/sh\nexit 1\n"


class Machine(Program):
    """A home with a clone of the vault; git finds memstore, as its hooks and its driver need it."""

    def __init__(self, home: Path) -> None:
        home.mkdir()
        super().__init__(home)
        self.environment["PATH"] = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"

    def sync(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run("sync", *words)

    def synced(self) -> str:
        done = self.sync()
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done.stdout

    def stopped(self) -> str:
        """Sync, which stops; nothing is half done."""
        done = self.sync()
        assert done.returncode == 1, (done.stdout, done.stderr)
        assert not (self.vault / ".git/MERGE_HEAD").exists()
        assert self.git("diff", "--name-only", "HEAD") == ""
        return done.stderr


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Machine, Machine]:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    one, two = (Machine(tmp_path / name) for name in ("one", "two"))
    one.init()
    one.git("branch", "-M", "main")
    one.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    one.ok("config", "remotes.origin", "owner")
    (one.vault / "first.md").write_bytes(memory_text("Line one.\n\nLine two.\n\nLine three.\n", id="m_first"))
    assert re.search(r"pushed \d+ commits? to origin main", one.synced())
    git(two.home, "clone", "-q", str(tmp_path / "remote.git"), str(two.vault))
    two.ok("init")
    return one, two


def test_rounds_with_edits_on_both_sides_lose_nothing(machines: tuple[Machine, Machine], *, soak: bool) -> None:
    one, two = machines
    said = set()
    rounds = 10 if soak else 4
    for number in range(rounds):
        for machine, old in ((one, "Line one"), (two, "Line three")):
            path = machine.vault / "first.md"
            path.write_text(path.read_text().replace(f"{old}.", f"{old}, round {number}.").replace(
                f"{old}, round {number - 1}.", f"{old}, round {number}."))  # fmt: skip
            new = f"Round {number} of {machine.home.name}."
            machine.ok("add", new)
            said.add(new)
        one.synced()
        assert "merged" in two.synced()
        one.synced()
    for machine in machines:
        text = (machine.vault / "first.md").read_text()
        assert f"Line one, round {rounds - 1}." in text
        assert f"Line three, round {rounds - 1}." in text
        assert {entry["title"].rstrip(".") + "." for entry in machine.json("list", "--limit", "99")["memories"]} >= said
    assert one.git("rev-parse", "HEAD") == two.git("rev-parse", "HEAD")


def test_lines_that_both_changed_need_a_person_and_both_sides_are_kept(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    for machine in machines:
        path = machine.vault / "first.md"
        path.write_text(path.read_text().replace("Line two", f"Line two of {machine.home.name}"))
    one.synced()
    theirs = one.git("rev-parse", "HEAD").strip()
    said = two.stopped()
    assert "stopped at merge: both sides changed the same lines of first.md; nothing was changed here" in said
    assert "git merge origin/main" in said
    assert two.git("rev-parse", f"refs/memstore/rescue/main-{theirs[:10]}").strip() == theirs
    assert "Line two of two" in (two.vault / "first.md").read_text()
    assert two.stopped() == said  # again the same
    two.attempt_git("merge", "origin/main")
    (two.vault / "first.md").write_bytes(memory_text("Line one.\n\nLine two of both.\n\nLine three.\n", id="m_first"))
    two.git("add", "-A")
    two.git("commit", "-qm", "both")
    two.synced()
    one.synced()
    assert "Line two of both" in (one.vault / "first.md").read_text()


def test_what_stops_it_is_said_and_everything_is_as_it_was(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    two.ok("add", "Of two.")
    one.ok("add", "Of one.")
    one.synced()
    (two.vault / "broken.md").write_text("---\ntype: note\nid: m_broken\nid: m_broken\n---\nBroken.\n")
    assert "stopped at commit: broken.md can't be read" in two.sync().stderr
    (two.vault / "broken.md").unlink()
    remote = two.git("remote", "get-url", "origin").strip()
    two.git("remote", "set-url", "origin", f"{remote}-gone")
    assert "stopped at fetch" in two.stopped()
    two.git("remote", "set-url", "origin", remote)
    hook = one.home.parent / "remote.git/hooks/pre-receive"
    hook.write_text(SCRIPT)
    hook.chmod(0o755)
    assert "stopped at push" in two.stopped()
    assert "Of one." in two.ok("list")  # it was merged
    hook.unlink()
    two.synced()


def test_a_push_that_the_guard_refuses_stops_it(machines: tuple[Machine, Machine]) -> None:
    one, _ = machines
    one.ok("config", "remotes.origin", "public")
    one.ok("add", "The salary.")
    said = one.stopped()
    assert "stopped at push: memstore: nothing was pushed" in said
    assert "hint: memstore privacy grant" in said
    assert "failed to push some refs" not in said


def test_a_dry_run_and_a_sync_with_nothing_to_do_change_nothing(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    assert "would push 0 commits" in two.ok("sync", "--dry-run")
    two.ok("add", "Of two.")
    before = two.git("rev-parse", "HEAD")
    assert "would commit 1 file" in two.ok("sync", "--dry-run")
    assert two.git("rev-parse", "HEAD") == before
    two.synced()
    done = two.json("sync")
    assert (done["stopped"], done["done"]) == (None, ["nothing to push: origin main has all of it"])
    assert one.sync("nowhere").returncode == 2
    one.git("checkout", "-q", "--detach")
    assert "no branch is checked out" in one.sync().stderr
    one.git("switch", "-q", "main")
    one.git("remote", "remove", "origin")
    assert "git remote add origin URL" in one.sync().stderr


def test_it_does_not_begin_in_the_middle_of_a_merge(machines: tuple[Machine, Machine]) -> None:
    _, two = machines
    (two.vault / ".git/MERGE_HEAD").write_text(two.git("rev-parse", "HEAD"))
    done = two.sync()
    assert done.returncode != 0
    assert "merge" in done.stderr


def test_a_merge_that_was_killed_is_not_taken_for_ones_own_changes(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    one.ok("add", "Of one.")
    path = one.vault / "first.md"
    path.write_text(path.read_text().replace("Line one", "Line 1"))
    one.synced()
    path = two.vault / "first.md"
    path.write_text(path.read_text().replace("Line three", "Line 3"))
    hook = two.vault / ".git/hooks/pre-merge-commit"
    before = hook.read_text()
    hook.write_text("#!/bin/sh\ngit=$PPID\nkill -9 $(ps -o ppid= -p $git) $git\n")
    assert two.sync().returncode == -9
    hook.write_text(before)
    assert "Line 1" in path.read_text()
    (two.vault / "mine.md").write_bytes(memory_text("Mine since.\n", id="m_mine"))
    two.synced()
    assert "Line 1" in path.read_text()
    assert "Line 3" in path.read_text()
    own = two.git("show", "HEAD^1")
    assert "Mine since" in own
    assert "Of one" not in own
    assert "+Line 1" not in own


def test_what_came_with_errors_is_not_pushed_before_it_is_mended(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    (one.vault / "bad.md").write_text("---\ntype: note\nid: m_bad\nid: m_bad\n---\nBad.\n")
    one.git("add", "-A")
    one.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "bad")
    one.git("push", "-q", "--no-verify", "origin", "main")
    for _ in range(2):
        assert "stopped at check: 1 error came with the merge, first bad.md" in two.stopped()
        two.ok("add", "Of two.")
    assert "Of two" not in git(one.home.parent / "remote.git", "log", "-p", "main")
    (two.vault / "bad.md").unlink()
    two.synced()
    assert "Of two" in git(one.home.parent / "remote.git", "log", "-p", "main")


def test_whoever_may_not_see_a_file_is_not_told_its_name(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    for machine in machines:
        hidden = memory_text(f"Bella drinks {machine.home.name}.\n", id="m_hidden", access_grants="[]")
        (machine.vault / "bella-drinks.md").write_bytes(hidden)
    one.synced()
    two.ok("commit")
    done = two.run("--as", "si:ash", "sync")
    assert (done.returncode, "1 file that you may not see" in done.stderr) == (1, True)
    assert "bella" not in done.stdout + done.stderr
    (two.vault / "bella-drinks.md").write_bytes(hidden)
    two.git("reset", "-q", "--hard", "HEAD~1")
    (two.vault / "bella-drinks.md").write_bytes(hidden)
    done = two.run("--as", "si:ash", "sync")
    assert (done.returncode, "bella" in done.stdout + done.stderr) == (1, False)
