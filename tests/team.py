"""A vault of a group, on a bare remote whose hook guards it, with three people's clones."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from tests import forked
from tests.git_repositories import git
from tests.installed import PROGRAMS, at_home

if TYPE_CHECKING:
    from pathlib import Path

OPS, ANN, BEN, EVE = "group:ops", "human:ann", "human:ben", "human:eve"
REFUSED = "the charter of group:ops doesn't allow all of it"


@dataclass
class Team:
    """A bare remote that its hook guards, and clones: of Ann, who keeps the vault, Ben, and Eve, who is no member."""

    home: Path

    def copied(self, home: Path) -> Self:
        """Return a copy in another folder."""
        shutil.copytree(self.home, home, symlinks=True, dirs_exist_ok=True)
        for who in (BEN, EVE):
            git(home / who.partition(":")[2], "remote", "set-url", "origin", "../remote.git")
        return type(self)(home)

    @property
    def remote(self) -> Path:
        return self.home / "remote.git"

    def environment(self, who: str) -> dict[str, str]:
        name = who.partition(":")[2]
        said = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER")
                for key, value in (("NAME", name), ("EMAIL", f"{name}@example.org"))}  # fmt: skip
        path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
        return at_home(self.home) | said | {"PATH": path, "MEMSTORE_ENTITY": who}

    def clone(self, who: str) -> Path:
        return self.home / who.partition(":")[2]

    def run(self, who: str, *words: str) -> subprocess.CompletedProcess[str]:
        environment = self.environment(who)
        if words[0] == "memstore":
            return forked.run(words[1:], self.clone(who), environment)
        return subprocess.run(words, cwd=self.clone(who), env=environment, capture_output=True, text=True, check=False)

    def ok(self, who: str, *words: str) -> str:
        done = self.run(who, *words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def memstore(self, who: str, *words: str) -> str:
        return self.ok(who, "memstore", *words)

    def write(self, who: str, path: str, text: str) -> None:
        place = self.clone(who) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def commit(self, who: str, message: str = "x") -> None:
        """Commit everything, with no hook."""
        self.ok(who, "git", "add", "-A")
        self.ok(who, "git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", message)

    def passes(self, who: str, *words: str) -> None:
        self.ok(who, "git", "push", "-q", *(words or ("origin", "HEAD:main")))

    def refused(self, who: str, *words: str) -> str:
        """Push past one's own hook; return what the server says."""
        before = git(self.remote, "for-each-ref")
        done = self.run(who, "git", "push", "-q", "--no-verify", *(words or ("origin", "HEAD:main")))
        assert done.returncode != 0, done.stderr
        assert "memstore: nothing was pushed" in done.stderr
        assert git(self.remote, "for-each-ref") == before
        return done.stderr


def begin(home: Path, kind: type[Team] = Team) -> Team:
    team = kind(home)
    git(home, "init", "-q", "--bare", "-b", "main", "remote.git")
    team.clone(ANN).mkdir()
    git(team.clone(ANN), "init", "-q", "-b", "main")
    team.memstore(ANN, "init", "--owner", OPS)
    team.ok(ANN, "git", "remote", "add", "origin", "../remote.git")
    team.memstore(ANN, "privacy", "group", "add", OPS, BEN, "--email", "ben@example.org")
    team.memstore(ANN, "config", "remotes.origin", OPS)
    team.memstore(ANN, "add", "The pager rings at night.", "--title", "Pager")
    team.write(ANN, "deploy.md", "# Deploy\n")
    team.commit(ANN, "the beginning")
    team.passes(ANN)
    team.memstore(ANN, "hooks", "install", "--pre-receive", "../remote.git", "--own-settings")
    for who in (BEN, EVE):
        git(home, "clone", "-q", "remote.git", team.clone(who).name)
        team.memstore(who, "init")
    return team
