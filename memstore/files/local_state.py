"""Where the machine keeps what belongs to a vault and is no part of it: locks, usage, the cache."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = 0o700
# What is about to be written, in the folder of local state; wiring looks for it without loading the journal.
BEGUN_OPERATION = "begun-operation.json"
# Neither a link nor a pipe in a log's place is followed or waited for.
NOT_FOLLOWED = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Repository(NamedTuple):
    """The git repository around a folder: its own folder, and the one that all its worktrees share."""

    git_dir: Path
    common_dir: Path

    @property
    def object_format(self) -> str:
        """How it names blobs: `sha1` or `sha256`."""
        try:
            config = (self.common_dir / "config").read_text(errors="replace")
        except OSError:
            return "sha1"
        return "sha256" if "objectformat=sha256" in "".join(config.lower().split()) else "sha1"


def find_repository(folder: Path) -> Repository | None:
    """Return the repository that holds `folder`, found as git finds it but without starting it.

    The environment (`GIT_DIR`) is not asked: all programs have to agree on where a vault's lock lies.
    """
    for parent in (folder.resolve(), *folder.resolve().parents):
        git_dir = _git_dir(parent / ".git")
        if git_dir is not None:
            return Repository(git_dir, _common_dir(git_dir))
    return None


def state_folder(vault: Path, *, state_home: Path) -> Path:
    """Return the folder of a vault's local state: `git rev-parse --git-path memstore`, or below `state_home`."""
    repository = find_repository(vault)
    base = repository.git_dir if repository else state_home
    return base / "memstore" / vault_hash(vault)


def cache_folder(vault: Path, *, cache_home: Path) -> Path:
    """Return the folder of what is derived from a vault."""
    return cache_home / "memstore" / vault_hash(vault)


def vault_hash(vault: Path) -> str:
    """Return the name under which a vault's state is kept: a digest of its real path."""
    return hashlib.sha256(os.fsencode(vault.resolve())).hexdigest()[:16]


def make_private(folder: Path) -> None:
    """Make a folder that only its owner may enter; its parents are made as usual."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=PRIVATE, exist_ok=True)


def is_private(folder: Path) -> bool:
    """Whether a folder belongs to this user and nobody else can have written into it."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _git_dir(dot_git: Path) -> Path | None:
    """Return the folder that a `.git` is, or points at (worktrees, submodules)."""
    if (dot_git / "HEAD").is_file():
        return dot_git
    try:
        text = dot_git.read_text()
    except (OSError, UnicodeDecodeError):
        return None
    if not text.startswith("gitdir:"):
        return None
    target = dot_git.parent / text.removeprefix("gitdir:").strip()
    return target.resolve() if (target / "HEAD").is_file() else None


def _common_dir(git_dir: Path) -> Path:
    try:
        return (git_dir / (git_dir / "commondir").read_text().strip()).resolve()
    except OSError:
        return git_dir


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a log that is this user's alone, by one write; `OSError` where that can't be done."""
    make_private(path.parent)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | NOT_FOLLOWED, 0o600)
    try:
        os.write(handle, line + b"\n")
    finally:
        os.close(handle)


def private_bytes(path: Path) -> bytes:
    """Return a log's bytes; nothing where there is none, or where something else than a plain file is in its place."""
    try:
        handle = os.open(path, os.O_RDONLY | NOT_FOLLOWED)
    except OSError:
        return b""
    with os.fdopen(handle, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(handle).st_mode) else b""
