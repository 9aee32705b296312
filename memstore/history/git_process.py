"""One plain git process, used as plumbing, that executes nothing a repository's configuration names.

A vault may come from anywhere, and its `.git/config` with it. Git runs programs named there for many reasons: to watch
the file system, as hooks, as filters, to show a difference, to check a signature, to fetch a missing object. Those with
a single switch are switched off here for every call. Filters, `textconv` and signature checks have no such switch, and
are avoided by using commands that never apply them (docs/adr/0004); `filters` alone runs filters.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager, suppress
from threading import Thread
from typing import IO, TYPE_CHECKING

from memstore.core.errors import GitError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

_BUFFER_BYTES = 65_536
_SAFE = "safe.directory"
_SWITCHED_OFF = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.untrackedCache=false",
    "protocol.allow=never",
    "log.showSignature=false",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
)
_ALWAYS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": f"{os.devnull}/none",  # if it exists, even empty, git prints advice
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_LFS_SKIP_SMUDGE": "1",  # reading downloads nothing
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}
# What a person sets for all of git. Every other variable that begins with GIT_ names another repository or runs a
# program.
_KEPT = frozenset({
    "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH",
})  # fmt: skip
# What git passes to its hooks: the index of the commit being made may be a temporary one.
_TOLD_TO_HOOKS = frozenset({
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH",
})  # fmt: skip


class NoGitError(GitError):
    """Git is not installed."""


def environment(environ: Mapping[str, str], *, in_hook: bool = False) -> dict[str, str]:
    """Return the environment for git: the person's, without what names another repository or a program to run."""
    kept = _KEPT | _TOLD_TO_HOOKS if in_hook else _KEPT
    env = {name: value for name, value in environ.items() if not name.startswith("GIT_") or name in kept}
    return env | _ALWAYS


def overrides() -> dict[str, str]:
    """Return the switches as environment variables, for git processes that another library starts."""
    return set_by_variables([(key, value) for key, _, value in (one.partition("=") for one in _SWITCHED_OFF)])


def set_by_variables(settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the environment variables that give git these settings, which may have any sign in their names."""
    env = {"GIT_CONFIG_COUNT": str(len(settings))}
    for i, (key, value) in enumerate(settings):
        env |= {f"GIT_CONFIG_KEY_{i}": key, f"GIT_CONFIG_VALUE_{i}": value}
    return env


class GitProcess:
    """Runs git in one folder.

    Args:
        folder: where git starts to look for its repository.
        environ: the process's environment.
        in_hook: whether git started this program as a hook, and names repository and index in `environ`.
    """

    def __init__(self, folder: Path, environ: Mapping[str, str], *, in_hook: bool = False) -> None:
        self.folder = folder
        self.environ = environment(environ, in_hook=in_hook)

    def run(
        self,
        *arguments: str,
        data: bytes = b"",
        env: Mapping[str, str] | None = None,
        as_set: Collection[str] = (),
    ) -> bytes:
        """Return what git prints; `GitError` with git's own words if it fails."""
        done = self.attempt(*arguments, data=data, env=env, as_set=as_set)
        if done.returncode != 0:
            raise failed(arguments, done)
        return done.stdout

    def attempt(
        self,
        *arguments: str,
        data: bytes = b"",
        env: Mapping[str, str] | None = None,
        as_set: Collection[str] = (),
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git and return the completed process, whether it succeeded or not.

        Args:
            arguments: the command and its words.
            data: what git reads from its standard input.
            env: variables to set in addition to the usual ones.
            as_set: settings to leave as they are: to ask for the hooks folder, which runs no hook, or for attributes.
        """
        settings = [setting for setting in _SWITCHED_OFF if setting.partition("=")[0] not in as_set]
        try:
            return subprocess.run(
                _command(settings, arguments),
                cwd=self.folder,
                env={**self.environ, **(env or {})},
                input=data,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError as error:
            raise _no_git() from error

    @contextmanager
    def printing(self, *arguments: str, data: bytes) -> Iterator[IO[bytes]]:
        """Give what git prints as it prints it, so that much of it never lies in memory at once.

        Args:
            arguments: the command and its words.
            data: what git reads from its standard input.

        Raises:
            GitError: git failed, with its own words, at the end.
        """
        try:
            process = subprocess.Popen(
                _command(_SWITCHED_OFF, arguments),
                cwd=self.folder,
                env=self.environ,
                bufsize=_BUFFER_BYTES,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except FileNotFoundError as error:
            raise _no_git() from error
        with process:
            assert process.stdin  # noqa: S101 - both are pipes
            assert process.stdout  # noqa: S101
            # Git stops reading while nobody reads what it prints.
            feeder = Thread(target=_feed, args=(process.stdin, data), daemon=True)
            feeder.start()
            try:
                yield process.stdout
            finally:
                process.stdout.close()  # if not all of it was read, git ends here
                feeder.join()
        if process.returncode != 0:
            raise failed(arguments, self.attempt(*arguments, data=data))


def _command(settings: Iterable[str], arguments: Iterable[str]) -> list[str]:
    return ["git", *(word for setting in settings for word in ("-c", setting)), *arguments]


def _feed(pipe: IO[bytes], data: bytes) -> None:
    with suppress(BrokenPipeError), pipe:  # git ended early: its exit code says so
        pipe.write(data)


def _no_git() -> NoGitError:
    return NoGitError("git is needed, and is not installed", hint="install git")


def failed(arguments: tuple[str, ...], done: subprocess.CompletedProcess[bytes]) -> GitError:
    """Return the error for a git command that failed."""
    lines = os.fsdecode(done.stderr).strip().splitlines() or [f"it ended with exit code {done.returncode}"]
    hint = None
    if _SAFE in lines[-1]:  # git's advice to somebody whose repository belongs to another account
        lines, hint = lines[:1], f"if you trust it: {lines[-1].strip()}"
    return GitError(f"git {arguments[0]} failed: {'; '.join(lines)}", hint=hint)


def as_lines(paths: Iterable[str]) -> bytes:
    """Return paths as git reads them with `--stdin-paths`: quoted, where a line break or a quote could mislead it."""
    return b"".join(_line(os.fsencode(path)) for path in paths)


def _line(path: bytes) -> bytes:
    if b"\n" not in path and not path.startswith(b'"'):
        return path + b"\n"
    return b'"' + path.replace(b"\\", rb"\\").replace(b'"', rb"\"").replace(b"\n", rb"\n") + b'"\n'
