"""A folder on disk that is to become a vault."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memstore.adapters.git_process import GitProcess
from memstore.adapters.local_state import find_repository
from memstore.rules.vault_places import SETTINGS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class DiskPlace:
    """A folder, before there is a vault in it.

    Args:
        root: the folder; made when the first file is written.
        environ: the process's environment, for git.
    """

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._root = root
        self._environ = environ

    @property
    def root(self) -> Path:
        """The folder; it may not be there yet."""
        return self._root

    def create(self, path: str, text: str) -> bool:
        """Write a file that is not there yet; False where there is one, which stays as it is."""
        file = self._root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with file.open("x", encoding="utf-8", newline="\n") as out:
                out.write(text)
        except FileExistsError:
            return False
        return True

    def append_line(self, path: str, line: str) -> bool:
        """Add a line to a text file, which is made where it is missing; False where it stands there already."""
        return self.create(path, line + "\n") or _line_appended(self._root / path, line)

    def outer_vault(self) -> Path | None:
        """Return the vault that the folder lies in, or None."""
        return next((folder for folder in self._root.resolve().parents if (folder / SETTINGS_FOLDER).is_dir()), None)

    def make_repository(self) -> bool:
        """Make a git repository where the folder lies in none; False where there is one already."""
        if find_repository(self._root) is not None:
            return False
        self._root.mkdir(parents=True, exist_ok=True)
        GitProcess(self._root, self._environ).run("init", "--quiet")
        return True

    def configure(self, key: str, value: str) -> bool:
        """Set a key of the repository's own configuration; False where it is set already, to whatever."""
        git = GitProcess(self._root, self._environ)
        if git.attempt("config", "--local", "--get", key).returncode == 0:
            return False
        git.run("config", "--local", key, value)
        return True

    def exclude(self, pattern: str) -> bool:
        """Have git take no notice of files of that name in this clone; False where it takes none already."""
        said = GitProcess(self._root, self._environ).run("rev-parse", "--git-path", "info/exclude")
        return _line_appended(self._root / os.fsdecode(said).removesuffix("\n"), pattern)

    def markdown_files(self, limit: int) -> int:
        """Return how many Markdown files the folder holds, counted up to `limit`."""
        count = 0
        for _, folders, names in os.walk(self._root):
            folders[:] = [name for name in folders if not name.startswith(".")]
            count += sum(name.endswith(".md") for name in names)
            if count >= limit:
                return limit
        return count


def _line_appended(file: Path, line: str) -> bool:
    """Add a line to a text file; False where it stands there already."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = file.read_bytes() if file.exists() else b""
    if os.fsencode(line) in (existing.strip() for existing in data.split(b"\n")):
        return False
    newline = b"" if data.endswith(b"\n") or not data else b"\n"
    with file.open("ab") as out:
        out.write(newline + os.fsencode(line) + b"\n")
    return True
