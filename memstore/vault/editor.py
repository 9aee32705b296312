"""The person's own editor, and its drafts."""

from __future__ import annotations

import glob
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.errors import GitError, VaultError
from memstore.files.draft import without_notes
from memstore.files.local_state import make_private
from memstore.history.git_process import GitProcess

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

VARIABLES = ("MEMSTORE_EDITOR", "VISUAL", "EDITOR")
LAST_RESORT = "vi"
_NO_SUCH_COMMAND = 127


class Editor:
    """Opens files for a person.

    An editor from a repository's own configuration is never run: it may come from anybody.

    Args:
        environ: the process's environment.
        home: the person's home folder.
    """

    def __init__(self, environ: Mapping[str, str], home: Path) -> None:
        self._environ = environ
        self._home = home

    @property
    def command(self) -> str:
        """The editor as a shell's command: MEMSTORE_EDITOR, VISUAL, EDITOR, git's global core.editor, vi."""
        return self._chosen() or LAST_RESORT

    @property
    def is_chosen(self) -> bool:
        """Whether the person chose an editor at all."""
        return bool(self._chosen())

    def open(self, path: Path, *, line: int | None = None) -> None:
        """Open a file, at a line if one is given, and wait until the editor ends.

        Raises:
            VaultError: there is no such editor, or it failed; the file stays.
        """
        command = self.command
        # A shell splits `code --wait` as git does; the path is an argument and never part of the script.
        words = _at(command, str(path), line)
        done = subprocess.run(["/bin/sh", "-c", f'{command} "$@"', command, *words], check=False)
        if done.returncode == _NO_SUCH_COMMAND:
            raise VaultError(f"there is no editor {command!r}", hint="set one with MEMSTORE_EDITOR or EDITOR")
        if done.returncode:
            raise VaultError(
                f"the editor {command!r} ended with exit code {done.returncode}; nothing was written",
                hint="set another one with MEMSTORE_EDITOR or EDITOR",
            )

    def _chosen(self) -> str:
        chosen = (self._environ.get(name) for name in VARIABLES)
        return next((command for command in chosen if command), "") or self._of_git()

    def _of_git(self) -> str:
        try:
            git = GitProcess(self._home if self._home.is_dir() else Path("/"), self._environ)
            return git.run("config", "--global", "--get", "core.editor").decode(errors="surrogateescape").strip()
        except GitError:
            return ""  # git is missing, or names no editor


# How editors are told a line: most take `+7 FILE`, as vi does.
_GO_TO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
_BEHIND_THE_PATH = frozenset({"hx", "helix", "subl", "zed"})
_WITHOUT_LINES = frozenset({"ed", "open", "xdg-open"})


def _at(command: str, path: str, line: int | None) -> tuple[str, ...]:
    """Return the arguments with which an editor opens a file at a line."""
    program = Path(command.split(maxsplit=1)[0]).name if command.strip() else ""
    if line is None or program in _WITHOUT_LINES:
        return (path,)
    if program in _GO_TO:
        return "--goto", f"{path}:{line}"
    return (f"{path}:{line}",) if program in _BEHIND_THE_PATH else (f"+{line}", path)


class Drafts:
    """Texts that are being written, kept until they are accepted.

    Args:
        folder: the folder that holds them; created with the first draft.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def drop(self, names: Collection[str]) -> None:
        """Delete the drafts whose names or texts contain one of these; `OSError` if one can't be deleted."""
        for path in sorted(self.folder.glob("*")) if self.folder.is_dir() else ():
            data = path.read_bytes()
            if any(name in path.name or name.encode() in data for name in names):
                path.unlink(missing_ok=True)

    def create(self, name: str, data: bytes) -> Path:
        """Write a new draft and return its path; an older draft of that name stays as it is."""
        make_private(self.folder.parent)
        make_private(self.folder)
        count = 1
        while True:
            path = self.folder / (f"{name}.md" if count == 1 else f"{name}-{count}.md")
            try:
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            except FileExistsError:
                count += 1
            else:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                return path

    def left(self, name: str, text: bytes) -> list[Path]:
        """Return the drafts of this name that earlier edits left; those that say nothing but `text` are deleted."""
        found = [path for path in sorted(self.folder.glob(f"{glob.escape(name)}*.md")) if _is_draft_of(path, name)]
        for path in found:
            if without_notes(path.read_bytes()) == text:
                path.unlink()
        return [path for path in found if path.exists()]


def _is_draft_of(path: Path, name: str) -> bool:
    return path.stem == name or path.stem.removeprefix(f"{name}-").isdecimal()
