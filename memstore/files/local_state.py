"""What belongs to a vault without being part of it: paths of locks, logs and cache; and the process's environment.

Variables, folders and the login name are read once. Memstore's own files are written completely or not at all; memories
are written by `disk_vault`, which guards against more. And who waits for long work is told how much of it is done.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import errno
import hashlib
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from typing import NamedTuple, TypeVar

from memstore.core.places import SETTINGS_FOLDER

PRIVATE = 0o700
# Texts being written, in the folder of local state.
DRAFTS = "drafts"
PENDING_KEYS = "pending-keys"
PENDING_ACT = "pending-act.json"
# The operation about to be written, in the folder of local state; `composition` looks for it without loading the
# journal.
BEGUN_OPERATION = "begun-operation.json"
# If a log has been replaced by a link or a pipe, it is neither followed nor waited for.
NOT_FOLLOWED = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class RepositoryFolders(NamedTuple):
    """The git repository around a folder: its git folder, and the one that all its worktrees share."""

    git_dir: Path
    common_dir: Path

    @property
    def object_format(self) -> str:
        """The hash it names blobs with: `sha1` or `sha256`."""
        try:
            config = (self.common_dir / "config").read_text(errors="replace")
        except OSError:
            return "sha1"
        return "sha256" if "objectformat=sha256" in "".join(config.lower().split()) else "sha1"


def find_repository(folder: Path) -> RepositoryFolders | None:
    """Return the repository that contains `folder`, found like git does but without running git.

    The environment (`GIT_DIR`) is ignored: all programs must agree on where a vault's lock is.
    """
    here = Path(os.path.realpath(folder))
    for parent in (here, *here.parents):
        git_dir = _git_dir(parent / ".git")
        if git_dir is not None:
            return RepositoryFolders(git_dir, _common_dir(git_dir))
    return None


def work_tree_around(folder: Path) -> Path | None:
    """Return the nearest folder around `folder`, both real, that is a repository's by its `.git`; None without one."""
    return next((one for one in (folder, *folder.parents) if _git_dir(one / ".git")), None)


_MOST_SYMBOLIC = 5
_MOST_OF_A_LINE = 4200  # bytes: the system takes no longer path


def head_of(folders: RepositoryFolders) -> str | None:
    """Return the current commit, and behind a blank a mark of where a shallow clone ends, without running git.

    Empty before the first commit; None if only git can tell.
    """
    text = b"ref: HEAD"
    for _ in range(_MOST_SYMBOLIC):
        if not text.startswith(b"ref:"):
            break
        name = os.fsdecode(text.removeprefix(b"ref:").strip())
        if name.endswith("/.invalid"):  # the refs are in tables
            return None
        text = _ref(folders, name)
    commit = text.decode("ascii", "replace").strip()
    if commit and not all(sign in "0123456789abcdef" for sign in commit):
        return None
    try:
        ends = regular_bytes(folders.common_dir / "shallow")
    except OSError:
        return commit
    return f"{commit} {hashlib.sha256(ends).hexdigest()[:16]}" if ends and commit else commit


def _ref(folders: RepositoryFolders, name: str) -> bytes:
    """Return what a ref holds; empty if there is none."""
    for folder in (folders.git_dir, folders.common_dir):
        with suppress(OSError):
            return regular_bytes(folder / name)
    try:
        packed = regular_bytes(folders.common_dir / "packed-refs")
    except OSError:
        return b""
    ends = b" " + os.fsencode(name)
    return next((line.removesuffix(ends) for line in packed.splitlines() if line.endswith(ends)), b"")


def state_folder(vault: Path, *, state_home: Path) -> Path:
    """Return the folder of a vault's local state: `git rev-parse --git-path memstore`, or below `state_home`."""
    repository = find_repository(vault)
    base = repository.git_dir if repository else state_home
    return base / "memstore" / vault_hash(vault)


def cache_folder(vault: Path, *, cache_home: Path) -> Path:
    """Return the folder for data derived from a vault."""
    return cache_home / "memstore" / vault_hash(vault)


def vault_hash(vault: Path) -> str:
    """Return the name under which a vault's state is kept: a digest of its real path."""
    return hashlib.sha256(os.fsencode(vault.resolve())).hexdigest()[:16]


def make_private(folder: Path) -> None:
    """Create a folder that only its owner may enter; its parents get the usual permissions."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=PRIVATE, exist_ok=True)


def drop_all(cache: Path) -> None:
    """Delete what was computed of a vault; failures are ignored, and its lock stays, which a process may hold."""
    import shutil

    for path in [*cache.iterdir()] if is_private(cache) else ():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != "lock":
            with suppress(OSError):
                path.unlink()


def is_private(folder: Path) -> bool:
    """Return whether a folder belongs to this user and nobody else can write into it."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022


def is_secret(file: Path) -> bool:
    """Return whether a plain file belongs to this user and nobody else can read or write it, or does not exist."""
    try:
        status = file.lstat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _git_dir(dot_git: Path) -> Path | None:
    """Return the folder that a `.git` is, or points to (worktrees, submodules)."""
    if os.path.isfile(dot_git / "HEAD"):  # noqa: PTH113 - `Path.is_file` raises where a name is too long or not readable
        return dot_git
    text = _line_of(dot_git)
    if not text.startswith("gitdir:"):
        return None
    target = dot_git.parent / text.removeprefix("gitdir:").strip()
    return Path(os.path.realpath(target)) if os.path.isfile(target / "HEAD") else None  # noqa: PTH113 - as above


def _common_dir(git_dir: Path) -> Path:
    said = _line_of(git_dir / "commondir")
    return Path(os.path.realpath(git_dir / said)) if said else git_dir


def tree_linked_to(folders: RepositoryFolders) -> Path | None:
    """Return the linked work tree that a repository knows as its own; None for another kind of repository.

    A `.git` may name any folder as its git folder, and that one any repository: only a git folder that lies in the
    repository itself is of one of its work trees.
    """
    if folders.git_dir.parent != folders.common_dir / "worktrees":
        return None
    said = _line_of(folders.git_dir / "gitdir")
    return Path(os.path.realpath(folders.git_dir / said)).parent if said else None


def _line_of(file: Path) -> str:
    """Return the line in a small file of git's; empty if it can't be read, or could be no path."""
    try:
        text = os.fsdecode(regular_bytes(file, most=_MOST_OF_A_LINE)).strip()
    except OSError:
        return ""
    return "" if "\0" in text else text


def regular_bytes(path: Path, *, most: int = -1) -> bytes:
    """Return the bytes of a plain file; `OSError` for anything else, so that nobody waits at a pipe in its place.

    Args:
        path: the file.
        most: how many bytes at most; all by default.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(mode := os.fstat(handle).st_mode):
            number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
            raise OSError(number, os.strerror(errno.EISDIR) if stat.S_ISDIR(mode) else "it is no plain file", str(path))
        return file.read(most)


def append_line(path: Path, line: bytes) -> None:
    """Append a line to a private log in a single write; `OSError` if that is not possible."""
    make_private(path.parent)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | NOT_FOLLOWED, 0o600)
    try:
        os.write(handle, line + b"\n")
    finally:
        os.close(handle)


def private_bytes(path: Path) -> bytes:
    """Return a log's bytes; empty if there is none, or if its place is taken by something other than a plain file."""
    try:
        handle = os.open(path, os.O_RDONLY | NOT_FOLLOWED)
    except OSError:
        return b""
    with os.fdopen(handle, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(handle).st_mode) else b""


# -- the process's environment ---------------------------------------------------------------------


class Environment(NamedTuple):
    """The facts about the current process that the composition root needs.

    `at_terminal` is true if a person can be asked: standard input is a terminal. `on_progress` is called during long
    work with what is being done, how much of it is done, and how much there is; `on_notice` with what a person should
    know, whatever is being done.
    """

    variables: Mapping[str, str]
    folder: Path
    home: Path
    login: str
    at_terminal: bool = False
    on_progress: Callable[[str, int, int], None] | None = None
    on_notice: Callable[[str], None] | None = None

    @classmethod
    def of_process(
        cls,
        *,
        on_progress: Callable[[str, int, int], None] | None = None,
        on_notice: Callable[[str], None] | None = None,
    ) -> "Environment":
        """Return the environment of this process."""
        variables = dict(os.environ)
        return cls(
            variables=variables,
            folder=_working_folder(variables),
            home=Path(variables.get("HOME") or os.path.expanduser("~")),  # noqa: PTH111 - Path.home() raises without one
            login=_login(variables),
            at_terminal=sys.stdin is not None and sys.stdin.isatty(),
            on_progress=on_progress,
            on_notice=on_notice,
        )

    def get(self, name: str) -> str | None:
        """Return a variable, or None if it is not set or empty."""
        return self.variables.get(name) or None

    @property
    def config_home(self) -> Path:
        """The folder that contains settings of programs."""
        return self._base("XDG_CONFIG_HOME", ".config")

    @property
    def config_file(self) -> Path:
        """The user's configuration file."""
        return self.config_home / "memstore" / "config.toml"

    @property
    def cache_home(self) -> Path:
        """The folder that contains derived files."""
        return self._base("XDG_CACHE_HOME", ".cache")

    @property
    def state_home(self) -> Path:
        """The folder that contains local state if there is no repository to keep it."""
        return self._base("XDG_STATE_HOME", ".local/state")

    @property
    def data_home(self) -> Path:
        """The folder that contains data of programs that nothing makes again."""
        return self._base("XDG_DATA_HOME", ".local/share")

    @property
    def models(self) -> Path:
        """The folder that contains models fetched for all vaults."""
        return self.data_home / "memstore" / "models"

    @property
    def login_entity(self) -> str:
        """The entity id of the logged-in user, `human:<login name>`, with only the characters that an id may have."""
        name = re.sub(r"[^a-z0-9._-]+", "-", self.login.lower()).strip("._-")
        return f"human:{name or 'owner'}"

    def expanded(self, path: str) -> Path:
        """Return a path as a person wrote it, with `~` for the home folder, relative to the working folder."""
        if path == "~" or path.startswith("~/"):
            return self.home / path[2:]
        return self.folder / path

    def _base(self, variable: str, default: str) -> Path:
        # The XDG base directory specification says to ignore relative paths.
        named = self.get(variable)
        return Path(named) if named and Path(named).is_absolute() else self.home / default


def _working_folder(variables: Mapping[str, str]) -> Path:
    """Return the working folder; if it was deleted meanwhile, the name that the shell has for it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(variables.get("PWD") or "/")


def _login(variables: Mapping[str, str]) -> str:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        if variables.get(name):
            return variables[name]
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return "owner"


# -- atomic writes ---------------------------------------------------------------------------------


# What the system says where nothing more can be stored.
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


def write_whole(path: Path, data: bytes, *, mode: int | None = None, lasts: bool = True, prefix: str = ".") -> None:
    """Rewrite a file in one step; its folder must exist.

    Args:
        path: the file; a link at this path is replaced, not followed.
        data: the new content.
        mode: its permissions; None for its current ones, or those of any new file.
        lasts: whether it must survive a crash of the machine, which is slower.
        prefix: how the name of the file begins that is beside it until then.

    Raises:
        OSError: it can't be written; the error names `path`.
    """
    try:
        _written_beside(path, data, mode=mode, lasts=lasts, prefix=prefix)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _written_beside(path: Path, data: bytes, *, mode: int | None, lasts: bool, prefix: str) -> None:
    if mode is None and path.exists():
        mode = path.stat().st_mode & 0o7777
    scratch = path.with_name(f"{prefix}{path.name}.{os.getpid()}-{get_ident()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(scratch, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if mode is not None:
                os.fchmod(handle, mode)
            if lasts:
                os.fsync(handle)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a crash of the machine."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# -- progress --------------------------------------------------------------------------------------


Report = Callable[[int, int], None]
"""Takes how many of how many items are done."""

# Work that takes less time than this is not worth a word; further reports follow at these intervals.
FIRST_SECONDS, NEXT_SECONDS = 1.0, 0.1

_Item = TypeVar("_Item")


def with_progress(
    report: Report | None, items: Iterable[_Item], count: int, *, now: Callable[[], float] = time.monotonic
) -> Iterator[_Item]:
    """Yield items, and report how many are done once that has taken a second, and again at the end.

    Args:
        report: what to call; None if nobody wants to know.
        items: the work.
        count: how many there are.
        now: returns the time in seconds.
    """
    if report is None:
        yield from items
        return
    due = now() + FIRST_SECONDS
    is_told = False
    for done, item in enumerate(items):
        if (at := now()) >= due:
            report(done, count)
            due, is_told = at + NEXT_SECONDS, True
        yield item
    if is_told:
        report(count, count)


def without_dots(path: Path) -> Path:
    """Return a path without `..`, so that it does not matter which folders are on the way.

    The system goes up only from an existing folder, which may be hidden. Links before `..` are followed.
    """
    parts = path.parts
    if ".." not in parts:
        return path
    ups = len(parts) - parts[::-1].index("..")
    return Path(os.path.realpath(Path(*parts[:ups])), *parts[ups:])


def vault_around(place: Path) -> Path | None:
    """Return the nearest vault that a path is inside of, or None."""
    return next((folder for folder in place.parents if (folder / SETTINGS_FOLDER).is_dir()), None)
