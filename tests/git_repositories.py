"""Real git repositories for tests, and a vault in one of them."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from memstore.core.config import Config
from memstore.core.facet import Facets
from memstore.files.disk_journal import DiskJournal
from memstore.files.disk_vault import DiskVault
from memstore.history import HISTORY
from memstore.history.git_history import GitHistory
from memstore.search.disk_library import DiskLibrary
from memstore.vault.view import VaultView
from memstore.vault.workspace import DRAFTS, JOURNAL, Workspace
from tests.absent import NoVerdicts, absent
from tests.support import CountingIds, TickClock

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.access.local_state import VerdictCache

OWNER = "human:tester"


def git(folder: Path, *words: str, stdin: str = "", **environment: str) -> str:
    """Run git as a person does; it must succeed. Return what it prints."""
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env=os.environ | environment,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        errors="surrogateescape",
    )
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def repository(folder: Path, object_format: str = "sha1") -> Path:
    """Make an empty repository."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", f"--object-format={object_format}", "-b", "main", ".")
    return folder


@dataclass
class Written:
    """A vault in a repository, written by hand and committed with git."""

    root: Path
    actor: str = OWNER

    def write(self, path: str, text: str) -> None:
        """Save a file as an editor does."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def commit(self, message: str, when: str = "") -> str:
        """Commit everything with git; return the commit. `when` is its date."""
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when} if when else {}
        git(self.root, "add", "-A")
        git(self.root, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", message, "--allow-empty", **dates)
        return git(self.root, "rev-parse", "HEAD").strip()

    def open(self, actor: str | None = None) -> Workspace:
        """Open the vault as it is now."""
        state = self.root.parent / "state"
        vault = DiskVault(self.root, state=state)
        return Workspace(
            vault=vault,
            library=DiskLibrary(vault, cache=self.root.parent / "cache"),
            clock=TickClock(),
            ids=CountingIds(),
            config=Config(owner=OWNER),
            actor=actor or self.actor,
            alone=False,
            here="",
            verdicts=cast("VerdictCache", NoVerdicts()),
            open_view=VaultView,
            facets=absent(HISTORY.made_by(lambda: GitHistory(self.root, os.environ))),
            own=Facets(JOURNAL.made_by(lambda: DiskJournal(state)), DRAFTS.made_by(lambda: None)),
        )


def vault_in(folder: Path, object_format: str = "sha1") -> Written:
    """Make a repository with an empty vault at its top."""
    repository(folder, object_format)
    (folder / ".memstore").mkdir()
    (folder / ".memstore/config.toml").write_text(f'format = 1\nowner = "{OWNER}"\n')
    return Written(folder)


def memory(memory_id: str, body: str = "Some text.\n", **keys: str) -> str:
    """Return the text of a memory file with these frontmatter values, written as given."""
    head = "".join(f"{name}: {value}\n" for name, value in ({"type": "note", "id": memory_id} | keys).items())
    return f"---\n{head}---\n{body}"
