"""Runs the program in a fork of a process that has imported it, which takes half the time of another process.

What it does is the same: its own environment, folder and streams, and all that `memstore` does from `run` on. Tests of
the start, of signals, and of what runs beside something else start the installed program itself.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import pkgutil
import socket
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from subprocess import PIPE, CompletedProcess, Popen
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_BYTES = 1 << 20


def run(
    words: tuple[str, ...], folder: Path, environment: Mapping[str, str], said: str | None = None
) -> CompletedProcess[str]:
    """Run memstore in a folder, wait for it, and return how it ended and what it printed.

    Args:
        words: what follows the program's name.
        folder: where it runs.
        environment: all of its environment.
        said: what it reads from its standard input.
    """
    request = json.dumps([words, str(folder), dict(environment)]).encode()
    with (
        tempfile.TemporaryFile() as stdin,
        tempfile.TemporaryFile() as stdout,
        tempfile.TemporaryFile() as stderr,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked,
    ):
        stdin.write((said or "").encode())
        files = (stdin, stdout, stderr)
        for file in files:
            file.seek(0)
        asked.connect(_address())
        socket.send_fds(asked, [request], [file.fileno() for file in files])
        code = int.from_bytes(asked.recv(4), "big", signed=True)
        printed = []
        for file in (stdout, stderr):
            file.seek(0)
            printed.append(file.read().decode().replace("\r\n", "\n"))
    return CompletedProcess(("memstore", *words), code, *printed)


@cache
def _address() -> str:
    """Return the socket of this process's own server, which is started and ends with this process."""
    address = f"{tempfile.mkdtemp()}/socket"
    server = Popen([sys.executable, "-P", __file__, address], stdin=PIPE, stdout=PIPE)
    atexit.register(server.kill)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    return address


def _serve(address: str) -> NoReturn:
    commands = importlib.import_module("memstore.cli")
    for module in pkgutil.iter_modules(commands.__path__, "memstore.cli."):
        importlib.import_module(module.name)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.bind(address)
        server.listen()
        os.write(1, b"ready\n")
        while True:
            asked, _ = server.accept()
            request, files, _, _ = socket.recv_fds(asked, _MOST_BYTES, 3)
            child = os.fork()
            if child == 0:
                server.close()
                _answer(asked, request, files)
            asked.close()
            for file in files:
                os.close(file)
            os.waitpid(child, 0)


def _answer(asked: socket.socket, request: bytes, files: list[int]) -> NoReturn:
    """Let a grandchild run the program, and a child, for which nobody has to wait, say how it ended."""
    if os.fork():
        os._exit(0)
    child = os.fork()
    if child == 0:
        asked.close()
        words, folder, environment = json.loads(request)
        _become(words, folder, environment, files)
    _, status = os.waitpid(child, 0)
    asked.send(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
    os._exit(0)


def _become(words: list[str], folder: str, environment: dict[str, str], files: list[int]) -> NoReturn:
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv = [str(Path(sys.executable).with_name("memstore")), *words]
    code: object = 1
    try:
        importlib.import_module("memstore.cli.main").run()
    except SystemExit as ended:
        code = ended.code
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    _serve(sys.argv[1])
