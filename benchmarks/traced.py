"""The installed program under strace, which lets the n-th system call of a name fail, or kills whoever makes it.

What git does in processes of its own is traced, too: a `git` that stands first on the PATH counts how often it is
called, and runs the one that is asked for under strace.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from aftermath import KILL, KILLED
from sandbox import MEMSTORE, Done

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from acts import Prepared
    from sandbox import Sandbox

CALLS = (
    "openat", "write", "pwrite64", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir",
    "fsync", "ftruncate", "sendfile",
)  # fmt: skip
_LINE = re.compile(r"^(?:\d+ +)?(\w+)\((.*)$")
_WRITING = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)")
_HANDLE = re.compile(r"\d+<([^>]*)>")
_NAMES = re.compile(r'"([^"]*)"')
_PATIENCE_SECONDS = 120
# When a git is killed, whoever called it is killed as well: all of a killed group die at once.
_GIT = """\
#!/bin/sh
count=$(($(cat "$TRACED/count") + 1))
echo $count > "$TRACED/count"
if [ "$TRACED_GIT" != all ] && [ "$TRACED_GIT" != $count ]; then exec @git@ "$@"; fi
strace -y -o "$TRACED/git-$count" $TRACED_HOW @git@ "$@"
code=$?
if [ $code = 137 ]; then kill -KILL 0; fi
exit $code
"""


class Blow(NamedTuple):
    """What becomes of one system call: the `number`-th of its name in one process, from 1.

    `git` says in which: 0 is memstore's own, 1 the first git that it starts. `about` is what strace says of the call.
    """

    git: int
    call: str
    number: int
    about: str
    kind: str = ""


def can_trace() -> bool:
    """Whether strace is installed and may trace."""
    if shutil.which("strace") is None:
        return False
    command = ["strace", "-qq", "-o", os.devnull, "-e", "inject=fsync:error=EIO:when=1", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


class Tracer:
    """Runs memstore in a sandbox under strace.

    Args:
        sandbox: where.
        folder: an empty folder for what strace writes.
    """

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self._sandbox = sandbox
        self._folder = folder
        git = folder / "git"
        git.write_text(_GIT.replace("@git@", shutil.which("git") or "git"))
        git.chmod(0o755)

    def calls(self, act: Prepared) -> list[Blow]:
        """Run an act, and return the calls by which it writes in the vault and its state."""
        self._run(act, git="all", own=self._traced(), of_git=("-e", f"trace={','.join(CALLS)}"))
        logs = [(0, self._folder / "own")]
        logs += sorted((int(path.name[4:]), path) for path in self._folder.glob("git-*"))
        return [blow for git, log in logs for blow in self._read(git, log)]

    def strike(self, act: Prepared, blow: Blow) -> Done | None:
        """Run an act, and strike; None where it went another way, and made no such call."""
        how = "signal=KILL" if blow.kind == KILL else f"error={blow.kind}"
        inject = ("-e", f"trace={blow.call}", "-e", f"inject={blow.call}:{how}:when={blow.number}")
        own = self._traced(*inject) if blow.git == 0 else ()
        done = self._run(act, git=str(blow.git), own=own, of_git=inject)
        log = self._folder / (f"git-{blow.git}" if blow.git else "own")
        hit = log.exists() and re.search(r"INJECTED|killed by SIGKILL", log.read_text(errors="replace"))
        return done if hit or done.code == KILLED else None

    def _traced(self, *how: str) -> tuple[str, ...]:
        return ("strace", "-y", "-o", str(self._folder / "own"), *(how or ("-e", f"trace={','.join(CALLS)}")))

    def _run(self, act: Prepared, *, git: str, own: tuple[str, ...], of_git: tuple[str, ...]) -> Done:
        for left in [self._folder / "own", *self._folder.glob("git-*")]:
            left.unlink(missing_ok=True)
        (self._folder / "count").write_text("0\n")
        environment = {
            **self._sandbox.environment,
            "PATH": f"{self._folder}{os.pathsep}{self._sandbox.environment['PATH']}",
            "TRACED": str(self._folder),
            "TRACED_GIT": git,
            "TRACED_HOW": " ".join(of_git),
        }
        child = subprocess.Popen(
            [*own, str(MEMSTORE), *act.words],
            cwd=self._sandbox.vault,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # a group that can be killed as one
        )
        out, err = child.communicate(timeout=_PATIENCE_SECONDS)
        return Done(child.returncode, out.decode(errors="replace"), err.decode(errors="replace"))

    def _read(self, git: int, log: Path) -> Iterator[Blow]:
        """Yield the calls of a log that write where it matters."""
        counts: dict[str, int] = {}
        for line in log.read_text(errors="replace").splitlines():
            found = _LINE.match(line)
            if found is None:
                continue
            call, about = found.groups()
            counts[call] = counts.get(call, 0) + 1
            if (call != "openat" or _WRITING.search(about)) and self._matters(about):
                yield Blow(git, call, counts[call], about)

    def _matters(self, about: str) -> bool:
        """Whether a call is about the vault or its state: by an open file, or by the last name that it is given."""
        by_handle = _HANDLE.match(about)
        if by_handle:
            return by_handle[1].startswith(self._sandbox.watched)
        names = _NAMES.findall(about.partition(" = ")[0])
        # Names that begin nowhere begin in the vault, where the program runs.
        return bool(names) and (not names[-1].startswith("/") or names[-1].startswith(self._sandbox.watched))
