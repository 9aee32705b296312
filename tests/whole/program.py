"""The installed program, called as a person calls it: another process, an environment of its own, a real repository."""

from __future__ import annotations

import atexit
import io
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

from memstore.cli.main import main
from tests import forked
from tests.installed import MEMSTORE, at_home, validated

Done = subprocess.CompletedProcess[str]


class Program:
    """memstore and git in `home`, which holds all that either of them keeps outside the vault.

    Args:
        home: an empty folder; the vault is made in `home/vault`.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.vault = home / "vault"
        self.environment = at_home(home)

    def run(self, *words: str, stdin: str | None = None, cwd: Path | None = None, **environment: str) -> Done:
        """Run memstore in the vault, or in `cwd`, and wait for it."""
        return forked.run(words, cwd or self.vault, self.environment | environment, stdin)

    def ok(self, *words: str, stdin: str | None = None, cwd: Path | None = None, **environment: str) -> str:
        """Run memstore, which must succeed; return what it prints."""
        done = self.run(*words, stdin=stdin, cwd=cwd, **environment)
        assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def json(self, *words: str, **environment: str) -> Any:
        """Run memstore with `--json`, which must succeed; return the document, which must follow its schema."""
        return validated(self.ok("--json", *words, stdin=None, cwd=None, **environment))

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start memstore in the vault without waiting for it."""
        return subprocess.Popen(
            [str(MEMSTORE), *words],
            cwd=self.vault,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def git(self, *words: str) -> str:
        """Run git in the vault, which must succeed; return what it prints."""
        done = self.attempt_git(*words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def attempt_git(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run git in the vault."""
        return subprocess.run(
            ["git", *words], cwd=self.vault, env=self.environment, capture_output=True, text=True, check=False
        )

    def in_process(self) -> InProcess:
        """Return this program, vault and all, to be called in this process."""
        return InProcess(self.home)

    def init(self, owner: str = "human:tester") -> None:
        """Make the vault: a copy of one that `memstore init` made once, since nothing in it depends on where it is."""
        shutil.copytree(made_for(owner), self.vault, symlinks=True)

    def copied(self, home: Path) -> Self:
        """Return a copy, its vault and all that lies beside it, which lives in `home`."""
        shutil.copytree(self.home, home, symlinks=True, dirs_exist_ok=True)
        same = copy(self)
        same.home, same.vault, same.environment = home, home / self.vault.relative_to(self.home), at_home(home)
        return same

    def add(self, text: str, *words: str) -> tuple[str, Path]:
        """Add a note; return its ref and its file."""
        made = self.json("add", text, *words)
        return made["ref"], self.vault / made["path"]

    def found(self, query: str) -> set[str]:
        """Return the paths that a search finds."""
        return {hit["path"] for hit in self.json("search", query)["results"]}


@cache
def made_for(owner: str) -> Path:
    """Return the folder of somebody's vault that was just made, to be copied."""
    first = Program(Path(tempfile.mkdtemp(prefix="memstore-made-")))
    atexit.register(shutil.rmtree, first.home)
    first.vault.mkdir()
    first.ok("init", ".", "--owner", owner)
    return first.vault


class InProcess(Program):
    """The same, called in this process: for tests of what many commands say, where a process each adds only time."""

    def run(self, *words: str, stdin: str | None = None, cwd: Path | None = None, **environment: str) -> Done:
        """Run memstore in the vault, or in `cwd`."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with (
            chdir(cwd or self.vault),
            patch.dict(os.environ, self.environment | environment, clear=True),
            patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO((stdin or "").encode()), encoding="utf-8")),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            code = main(words)
        told, warned = (stream.buffer.getvalue().decode() for stream in (out, err))
        return Done([str(MEMSTORE), *words], code, told, warned)
