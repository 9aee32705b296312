"""memstore in a process that has loaded it already, and in which the n-th call that writes can be made to fail.

Each run is a fork of that process, and goes the way of the installed program: the same entry, the same end. A fork
costs a fraction of a start, so that many a run can be interrupted. What git does in processes of its own is not.
Nothing is waited for until it is on the disk: what is killed here is a process, and not the machine.

Run as a program, this file is that process: it reads a request a line, and answers with a line.
"""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, NoReturn, Self

sys.path.insert(0, str(Path(__file__).parent))
from aftermath import FOR_GOOD, KILL
from sandbox import Done

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandbox import Sandbox

# What memstore loads where it is needed, and takes long to load.
_LOADED_LATE = ("yaml", "ruamel.yaml", "pathspec", "tomlkit", "difflib", "tempfile", "cryptography.hazmat.primitives")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Strike(NamedTuple):
    """What becomes of the n-th call that writes in the folders that are watched, `number` from 1.

    `kind` is KILL, or the name of the error that the call fails with, like ENOSPC; with a "+" all later ones do, too.
    """

    number: int
    kind: str


class Call(NamedTuple):
    """A call that writes, and the path that it is about."""

    name: str
    path: str


class Warm:
    """Runs memstore in a sandbox; to be closed, or used as a context.

    `calls` are the calls by which the last run wrote in the folders that are watched, the struck one among them.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self.calls: tuple[Call, ...] = ()
        self._sandbox = sandbox
        self._server = subprocess.Popen(
            [sys.executable, __file__],
            env=sandbox.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._server.kill()
        self._server.communicate()

    def run(self, *words: str) -> Done:
        """Run memstore in the vault, undisturbed."""
        return self.strike(words, None)

    def strike(self, words: Sequence[str], strike: Strike | None) -> Done:
        """Run memstore in the vault, and strike."""
        asked = {"words": words, "vault": str(self._sandbox.vault), "watched": self._sandbox.watched, "strike": strike}
        pipes = self._server.stdin, self._server.stdout
        assert pipes[0]
        assert pipes[1]
        pipes[0].write(json.dumps(asked) + "\n")
        pipes[0].flush()
        answer = json.loads(pipes[1].readline())
        self.calls = tuple(Call(*call) for call in answer["calls"])
        return Done(*answer["done"])


# -- the process itself ------------------------------------------------------------------------------------------------


def serve() -> None:
    """Load memstore, and answer requests until there are no more."""
    _load_all()
    # Each run has its own streams; what is answered goes elsewhere.
    requests, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    for line in requests:
        asked = json.loads(line)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as calls:
            child = os.fork()
            if child == 0:
                _be_the_program(asked, out, err, calls)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            told = [_text(file) for file in (out, err, calls)]
        made = [json.loads(line) for line in told[2].splitlines()]
        answers.write(json.dumps({"done": [code, told[0], told[1]], "calls": made}) + "\n")
        answers.flush()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _load_all() -> None:
    """Load all of memstore but for what needs libraries that are not installed."""
    import pkgutil
    from contextlib import suppress
    from importlib import import_module

    import memstore
    from memstore.cli.main import main

    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        out, sys.stdout = sys.stdout, nowhere
        main(["--help"])
        sys.stdout = out
    names = (module.name for module in pkgutil.walk_packages(memstore.__path__, "memstore."))
    for name in (*_LOADED_LATE, *(name for name in names if not name.endswith("__main__"))):
        with suppress(ImportError):
            import_module(name)


def _be_the_program(asked: dict[str, Any], out: IO[bytes], err: IO[bytes], calls: IO[bytes]) -> NoReturn:
    """Be one run of memstore, with its own streams."""
    from memstore.cli.main import run

    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, handle in enumerate((nothing, out.fileno(), err.fileno())):
        os.dup2(handle, number)
    os.chdir(asked["vault"])
    sys.argv = ["memstore", *asked["words"]]
    strike = asked["strike"]
    _Watch(asked["watched"], Strike(*strike) if strike else None, calls.fileno()).begin()
    code = 99
    try:
        run()
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        os._exit(code)  # never back into the process that was forked


class _Watch:
    """Stands between Python and the system, counts the calls that write in some folders, and strikes at one of them."""

    def __init__(self, watched: Sequence[str], strike: Strike | None, log: int) -> None:
        self._watched = tuple(watched)
        self._strike = strike
        self._log = log
        self._count = 0
        self._write = os.write

    def begin(self) -> None:
        """Watch from now on."""
        for name, first in _BY_PATH.items():
            setattr(os, name, self._watching_paths(getattr(os, name), first))
        for name, as_name in _BY_HANDLE.items():
            original = _at_once if as_name == "fsync" else getattr(os, name)
            setattr(os, name, self._watching_handles(original, as_name))
        os.open = self._watching_open(os.open)
        self._watch_files()

    def called(self, name: str, path: str) -> None:
        """Note a call that is about to be made; strike if it is the one."""
        if not path.startswith(self._watched):
            return
        self._count += 1
        self._write(self._log, json.dumps([name, path]).encode() + b"\n")
        if self._strike and self._is_struck(self._strike, name):
            if self._strike.kind == KILL:
                os.kill(os.getpid(), signal.SIGKILL)
            number = getattr(errno, self._strike.kind.removesuffix(FOR_GOOD))
            raise OSError(number, os.strerror(number), path)

    def _is_struck(self, strike: Strike, name: str) -> bool:
        later = self._count > strike.number and strike.kind.endswith(FOR_GOOD)
        return self._count == strike.number or (later and name != "unlink")  # which takes no room

    def _watching_paths(self, original: Callable[..., Any], name: str) -> Callable[..., Any]:
        def watched(*args: Any, **named: Any) -> Any:
            last = args[1] if name in {"rename", "link"} and len(args) > 1 else args[0]
            self.called(name, _place(last, named.get("dir_fd")))
            return original(*args, **named)

        return watched

    def _watching_handles(self, original: Callable[..., Any], name: str) -> Callable[..., Any]:
        def watched(*args: Any, **named: Any) -> Any:
            self.called(name, _place(args[0], None))
            return original(*args, **named)

        return watched

    def _watching_open(self, original: Callable[..., int]) -> Callable[..., int]:
        def watched(path: Any, flags: int, *args: Any, **named: Any) -> int:
            if flags & _WRITING:
                self.called("open", _place(path, named.get("dir_fd")))
            return original(path, flags, *args, **named)

        return watched

    def _watch_files(self) -> None:
        """Let Python's own files tell when they are opened and written, which they do without `os`."""
        import builtins

        watch = self
        plain: Callable[..., Any] = io.open

        class Watched(io.FileIO):
            def write(self, data: Any) -> int:
                watch.called("write", _place(self.fileno(), None))
                return super().write(data)

        def opened(
            file: Any,
            mode: str = "r",
            buffering: int = -1,
            *texts: Any,
            closefd: bool = True,
            opener: Any = None,
            **of: Any,
        ) -> Any:
            if {*mode}.isdisjoint("wax+"):
                return plain(file, mode, buffering, *texts, closefd=closefd, opener=opener, **of)
            if not isinstance(file, int):
                watch.called("open", _place(file, None))
            raw = Watched(file, "".join(sign for sign in mode if sign in "rwax+"), closefd=closefd, opener=opener)
            if buffering == 0:
                return raw
            buffer = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            return buffer if "b" in mode else io.TextIOWrapper(buffer, *texts, **of)

        io.open = builtins.open = opened


_BY_PATH = {
    "rename": "rename", "replace": "rename", "link": "link", "unlink": "unlink", "remove": "unlink", "mkdir": "mkdir",
}  # fmt: skip
_BY_HANDLE = {
    "write": "write", "pwrite": "write", "writev": "write", "sendfile": "write", "fsync": "fsync", "fdatasync": "fsync",
    "ftruncate": "truncate", "truncate": "truncate",
}  # fmt: skip


def _at_once(_: object) -> None:
    """Stand in for what waits for the disk."""


def _place(file: Any, folder: int | None) -> str:
    """Return the path of an open file, or of one that is named; relative ones begin in `folder`, an open folder."""
    if isinstance(file, int):
        try:
            return os.readlink(f"/proc/self/fd/{file}")  # noqa: PTH115 -- and no more calls
        except OSError:
            return ""
    name = os.fsdecode(file)
    return os.path.abspath(name if folder is None else f"{_place(folder, None)}/{name}")  # noqa: PTH100


if __name__ == "__main__":
    serve()
