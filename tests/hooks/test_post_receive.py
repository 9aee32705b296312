"""post-receive: a push to a bare repository is indexed by PostgreSQL, and never fails for it."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.git_repositories import git
from tests.installed import MEMSTORE, ROOT
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.soak(3, together=True)


class Pushing(Program):
    """A vault, and a bare repository with the hook."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.environment["PATH"] = f"{MEMSTORE.parent}:{self.environment['PATH']}"
        self.vault.mkdir()
        git(home, "init", "-q", "--bare", "-b", "main", "notes.git")
        git(self.vault, "init", "-q", "-b", "main")
        git(self.vault, "remote", "add", "origin", "../notes.git")
        self.ok("init", "--owner", "human:ann", ".")
        self.ok("add", "Tea with ginger.", "--title", "Tea")
        shutil.copy(ROOT / "hooks/post-receive", home / "notes.git/hooks/post-receive")

    def push(self, *refs: str) -> str:
        """Commit all, and push with no hook of one's own; return what the server says."""
        git(self.vault, "add", "-A")
        git(self.vault, "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "x")
        words = ["git", "push", "-q", "--no-verify", "origin", *(refs or ("HEAD:main",))]
        done = subprocess.run(words, cwd=self.vault, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stderr

    def indexed(self, url: str) -> list[tuple[str, str]]:
        found = self.json("engine", "status", url)["vaults"]
        return [(one["name"], one["commit"]) for one in found]

    def tip(self) -> str:
        return git(self.vault, "rev-parse", "HEAD").strip()


@pytest.fixture
def pushing(tmp_path: Path) -> Pushing:
    return Pushing(tmp_path)


def test_a_push_to_the_protected_branch_is_indexed(pushing: Pushing, database: str) -> None:
    assert "names no database here" in pushing.push()
    pushing.ok("engine", "init", database)
    pushing.ok("config", "--user", "engine.url", database)
    assert "memstore: indexed notes at" in pushing.push()
    first = pushing.tip()
    assert pushing.indexed(database) == [("notes", first)]
    assert "memstore" not in pushing.push("HEAD:topic")
    assert pushing.indexed(database) == [("notes", first)]
    pushing.ok("add", "Quetzalcoatl drinks tea.", "--title", "Quetzalcoatl")
    assert "1 read, 0 gone" in pushing.push()
    assert pushing.indexed(database) == [("notes", pushing.tip())]


def test_what_has_errors_is_not_indexed_until_they_are_mended(pushing: Pushing, database: str) -> None:
    pushing.ok("engine", "init", database)
    pushing.ok("config", "--user", "engine.url", database)
    pushing.push()
    first = pushing.tip()
    broken = pushing.vault / "broken.md"
    broken.write_text("---\ntype: belief\nconfidence: high\n---\nx\n")
    assert "not indexed, vault notes: it has 1 error" in pushing.push()
    # Compared with what is indexed, not with the push before.
    assert "not indexed, vault notes: it has 1 error" in pushing.push()
    assert pushing.indexed(database) == [("notes", first)]
    broken.unlink()
    assert "memstore: indexed notes" in pushing.push()


def test_no_filter_of_the_server_runs(pushing: Pushing, database: str, tmp_path: Path) -> None:
    """Whoever pushes attributes names no program that a server runs over what is pushed."""
    pushing.ok("engine", "init", database)
    pushing.ok("config", "--user", "engine.url", database)
    ran = tmp_path / "ran"
    for name in ("single", "many.at=once"):
        for kind in ("smudge", "clean", "process"):
            git(tmp_path / "notes.git", "config", f"filter.{name}.{kind}", f"touch {ran}; cat")
        git(tmp_path / "notes.git", "config", f"filter.{name}.required", "true")
    (pushing.vault / ".gitattributes").write_text("*.md filter=single\n*.toml filter=many.at=once\n")
    said = pushing.push()
    assert not ran.exists(), said
    assert "memstore: " in said


def test_a_push_is_done_without_the_database(pushing: Pushing, tmp_path: Path) -> None:
    pushing.ok("config", "--user", "engine.url", f"postgresql://ann@/none?host={tmp_path}")
    said = pushing.push()
    assert "memstore: pushed, but not indexed, vault notes: " in said
    assert "memstore engine index URL" in said
    assert git(tmp_path / "notes.git", "rev-parse", "main").strip() == pushing.tip()


def test_a_group_s_vault_in_a_folder_of_a_repository_that_is_not_bare_is_indexed(
    pushing: Pushing, database: str, tmp_path: Path
) -> None:
    there, inside = tmp_path / "there", tmp_path / "both/ops"
    git(tmp_path, "init", "-q", "-b", "main", "there")
    git(there, "config", "receive.denyCurrentBranch", "ignore")
    shutil.copy(ROOT / "hooks/post-receive", there / ".git/hooks/post-receive")
    git(tmp_path, "init", "-q", "-b", "main", "both")
    git(inside.parent, "remote", "add", "origin", "../there")
    inside.mkdir()
    pushing.vault = inside
    pushing.ok("--as", "human:ann", "init", "--owner", "group:ops", ".")
    pushing.ok("engine", "init", database)
    pushing.ok("config", "--user", "engine.url", database)
    said = pushing.push()
    assert pushing.indexed(database) == [("there-ops", pushing.tip())], said
