"""A home of its own for memstore and git, with a vault that is put back as it was after each experiment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PROGRAMS = Path(sys.executable).parent
MEMSTORE = PROGRAMS / "memstore"
OWNER, OTHER = "human:tester", "si:other"
# A memory of the other's, which only they change.
OTHERS_REF, OTHERS_PATH = "m_others", "others.md"

# No template: a repository without the sample hooks is copied in half the time.
_GIT_CONFIG = """\
[user]
\tname = Tester
\temail = tester@example.org
[init]
\tdefaultBranch = main
\ttemplateDir =
[core]
\tfsync = none
[gc]
\tauto = 0
"""
_EDITOR = "#!/bin/sh\nprintf '\\nA line from the editor.\\n' >> \"$1\"\n"

# What differs from run to run: times, days, ids, digests, signatures, and the beginning of one in a path.
_BY_CHANCE = (
    (re.compile(rb"\d{4}-\d\d-\d\d(T|-)\d\d:?\d\d:?\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?"), b"TIME"),
    (re.compile(rb"\d{8}T\d{6}Z"), b"TIME"),
    (re.compile(rb"\d{4}-\d\d-\d\d"), b"DAY"),
    (re.compile(rb"\b(m|con|req|prop|evt|aud|ev|del|stk)_[0-9a-z]{6,32}\b"), b"ID"),
    (re.compile(rb"\Aage-encryption\.org.*", re.DOTALL), b"SEALED"),
    (re.compile(rb"\bage1[0-9a-z]{20,}"), b"KEY"),
    (re.compile(rb"\bAGE-SECRET-KEY-[0-9A-Z]+"), b"KEY"),
    (re.compile(rb"(?<=-)[0-9a-z]{4,10}(?=\.md\b)"), b"ID"),
    (re.compile(rb"\b[0-9a-f]{10,64}\b"), b"DIGEST"),
    (re.compile(rb"[A-Za-z0-9+/]{40,}={0,2}"), b"SIGNATURE"),
)

# Folders of the home beside the vault: what is handed out or merged, and settings with the keys of contexts.
OUT, SETTINGS = "out", "config"
# Of a vault's local state, where its stacks are, and folders in which something waits for an operation to be settled.
_STATE = ("stacks.json", "forgotten.json", "pending-*", "pending-*/*")
_LEFT_BY_THE_DEAD = (".memstore-tmp-", ".memstore-unfinished-", ".memstore-purging-")

Files = dict[str, bytes]
"""What a vault holds, by path: its files but for the repository and what dying writers left behind.

What is kept and handed out beside the vault is there under paths that begin with `../`.
"""


class Done(NamedTuple):
    """How a run of the program ended: `code` is negative where a signal ended it."""

    code: int
    out: str
    err: str


class Sandbox:
    """A home with a vault in `home/vault`; nothing outside of it is read or written.

    Args:
        home: a folder that is there and empty; others beside it, which begin with its name, hold what it was like.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.vault = home / "vault"
        self.watched = tuple(str(home / name) for name in ("vault", "state", OUT, SETTINGS))
        self.environment = {
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_DATA_HOME": str(home / "data"),
            "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "EDITOR": str(home / "editor"),
            "LC_ALL": "C.UTF-8",
            "LOGNAME": OWNER.partition(":")[2],
            "TZ": "UTC",
            # The same run makes the same calls.
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def furnish(self, files: Mapping[str, str]) -> None:
        """Put down settings, an editor that adds a line, and files by their paths from the home."""
        for path, text in {"gitconfig": _GIT_CONFIG, "editor": _EDITOR, **files}.items():
            place = self.home / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        (self.home / "editor").chmod(0o755)

    def run(self, *words: str, before: Iterable[str] = ()) -> Done:
        """Run memstore in the vault as a process of its own, after other words, like those of a tracer."""
        done = subprocess.run(
            [*before, str(MEMSTORE), *words],
            cwd=self.vault,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def git(self, *words: str) -> str:
        """Run git in the vault, which must succeed; return what it prints."""
        command = ["git", *words]
        return subprocess.run(
            command, cwd=self.vault, env=self.environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    def keep(self, name: str) -> None:
        """Remember the whole home under a name."""
        shutil.copytree(self.home, self._kept(name), symlinks=True)

    def restore(self, name: str) -> None:
        """Make the home what it was when it was kept under that name."""
        _mirror(self._kept(name), self.home)

    def forget(self, name: str) -> None:
        """Take away what was kept under a name."""
        shutil.rmtree(self._kept(name))

    def _kept(self, name: str) -> Path:
        return self.home.with_name(f"{self.home.name}-{name}")

    def files(self) -> Files:
        """Return what the vault holds."""
        found = {}
        for top in (self.vault, self.home / OUT, self.home / SETTINGS):
            for folder, folders, names in os.walk(top):
                folders[:] = [name for name in folders if name != ".git" and not name.startswith(_LEFT_BY_THE_DEAD)]
                for name in names:
                    if not name.startswith(_LEFT_BY_THE_DEAD):
                        place = Path(folder, name)
                        found[os.path.relpath(place, self.vault)] = place.read_bytes()
        kept = (place for pattern in _STATE for place in self.vault.glob(f".git/memstore/*/{pattern}"))
        return found | {os.path.relpath(place, self.vault): place.read_bytes() for place in kept if place.is_file()}

    def head(self) -> str:
        """Return the commit that the branch `main` is at; empty where there is none."""
        try:
            return (self.vault / ".git" / "refs" / "heads" / "main").read_text().strip()
        except FileNotFoundError:
            return ""


def _mirror(source: Path, target: Path) -> None:
    """Make a folder what another one is; files of the same size and time, which nobody wrote since, are left alone."""
    with os.scandir(target) as entries:
        there = {entry.name: entry for entry in entries}
    with os.scandir(source) as entries:
        wanted = {entry.name: entry for entry in entries}
    for name in there.keys() - wanted.keys():
        (shutil.rmtree if there[name].is_dir(follow_symlinks=False) else os.unlink)(there[name].path)
    for name, entry in wanted.items():
        if entry.is_dir(follow_symlinks=False):
            (target / name).mkdir(exist_ok=True)
            _mirror(source / name, target / name)
        elif name not in there or _version(there[name]) != _version(entry):
            shutil.copy2(entry.path, target / name, follow_symlinks=False)


def _version(entry: os.DirEntry[str]) -> tuple[int, int]:
    status = entry.stat(follow_symlinks=False)
    return status.st_size, status.st_mtime_ns


def but_for_chance(files: Files) -> list[tuple[bytes, bytes]]:
    """Return files in a form that is the same for each complete run of one command, whatever its ids and its time."""
    return sorted((_levelled(os.fsencode(path)), _levelled(data)) for path, data in files.items())


def _levelled(data: bytes) -> bytes:
    for pattern, word in _BY_CHANCE:
        data = pattern.sub(word, data)
    return data
