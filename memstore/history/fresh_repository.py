"""A repository made from nothing for files that go to somebody else, and everything that is in one.

No template, no hook, no name or setting of this machine gets into it. Files and commit are written by plumbing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.files.local_state import sync_folder, write_whole
from memstore.history.git_objects import kinds_and_bytes
from memstore.history.git_process import GitProcess, as_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

_BRANCH = "refs/heads/main"
_FILE = "100644"


class FreshRepository:
    """The repository in a folder, which holds exactly the files of its last commit.

    Args:
        folder: the folder; it exists.
        environ: the process's environment.
    """

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._git = GitProcess(folder, environ)

    def make(self) -> None:
        """Make the repository, without anything that git would copy into it."""
        self._git.run("init", "--quiet", "--template=", f"--initial-branch={_BRANCH.rpartition('/')[2]}", ".")
        (self._folder / ".git" / "info").mkdir(exist_ok=True)

    def commit(
        self,
        files: Mapping[str, bytes],
        message: str,
        *,
        by: str,
        at: datetime,
        saved: Mapping[str, datetime] | None = None,
        address: str = "",
    ) -> str:
        """Write and commit exactly these files, and return the commit.

        Args:
            files: all files, by path.
            message: the commit's message.
            by: who made it.
            at: when.
            saved: when files were saved; now for the others.
            address: with which git address; the commit of a stack names none.
        """
        listed = os.fsdecode(self._git.run("ls-files", "-z")).split("\0")
        for path in {*filter(None, listed)} - files.keys():
            (self._folder / path).unlink(missing_ok=True)
            self._remove_empty((self._folder / path).parent)
        for path, data in files.items():
            place = self._folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, data, lasts=False)
            if saved and path in saved:
                time = saved[path].timestamp()
                os.utime(place, (time, time))
        return self._committed(files, message, by, at, address)

    def _committed(self, files: Mapping[str, bytes], message: str, by: str, at: datetime, address: str) -> str:
        paths = sorted(files)
        written = self._git.run("hash-object", "-w", "--no-filters", "--stdin-paths", data=as_lines(paths))
        blobs = written.decode().split()
        entries = "".join(f"{_FILE} {blob}\t{path}\0" for blob, path in zip(blobs, paths, strict=True))
        self._git.run("read-tree", "--empty")
        self._git.run("update-index", "-z", "--index-info", data=os.fsencode(entries))
        tree = self._git.run("write-tree").decode().strip()
        head = self._git.attempt("rev-parse", "-q", "--verify", "HEAD^{commit}").stdout.decode().strip()
        name, moment = by.replace(":", " "), f"@{int(at.timestamp())} +0000"
        who = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER")
               for part, value in (("NAME", name), ("EMAIL", address), ("DATE", moment))}  # fmt: skip
        parents = ["-p", head] if head else []
        commit = self._git.run("commit-tree", tree, *parents, "-F", "-", data=message.encode(), env=who)
        made = commit.decode().strip()
        # The index stays as it was written, with no times, numbers or owners of files on this machine.
        self._git.run("update-ref", "HEAD", made, env=who)
        return made

    def _remove_empty(self, folder: Path) -> None:
        while folder != self._folder:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield everything in the folder: all files, git's own among them, and all objects, each with its place."""
        for place, _, names in os.walk(self._folder):
            for name in names:
                path = os.path.relpath(Path(place, name), self._folder)
                yield path, os.fsencode(path)
                if not path.startswith((".git/objects/pack/", ".git/objects/")):
                    yield path, Path(place, name).read_bytes()
        listed = self._git.run("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
        for object_id, found in kinds_and_bytes(self._git.run("cat-file", "--batch", data=listed)):
            yield f"{found.kind} {object_id}", found.data

    def sync(self, paths: Iterable[str]) -> None:
        """Make the names of files survive a crash of the machine."""
        for folder in {(self._folder / path).parent for path in paths}:
            sync_folder(folder)
