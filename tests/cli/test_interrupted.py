"""Ctrl-C while the program starts: it ends at once and says so, and no traceback is seen."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memstore.cli.failures import failure_of
from memstore.core.errors import Exit
from tests.installed import MEMSTORE, ROOT, at_home

if TYPE_CHECKING:
    from pathlib import Path

# With it Python tells of each module on standard error as soon as it is loaded: the ticks of a start.
TICKS = {"PYTHONPROFILEIMPORTTIME": "1"}
ENTRY = b"memstore.cli.main"


def _interrupted(home: Path, ticks: int, *words: str) -> tuple[int, bytes]:
    """Run the program and interrupt it when `ticks` more modules are loaded; return its exit code and what it told."""
    with subprocess.Popen(
        [MEMSTORE, "--vault", ROOT / "sample-vault", *words],
        env=at_home(home) | TICKS,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as program:
        assert program.stderr is not None
        started = -1
        for line in program.stderr:
            started += started >= 0 or line.rstrip().endswith(ENTRY)
            if started >= ticks:
                break
        program.send_signal(signal.SIGINT)
        rest = program.stderr.read()  # not `communicate`, which knows nothing of what was read ahead
        code = program.wait(timeout=60)
    return code, b"\n".join(line for line in rest.splitlines() if b"import time:" not in line)


@pytest.mark.soak(3)
@pytest.mark.parametrize("ticks", [1, 2, 3, 5, 8, 13, 21, 34, 55, 75, 100, 120, 140, 160, 180, 200, 225, 250])
def test_an_interrupted_start_ends_without_a_traceback(tmp_path: Path, ticks: int) -> None:
    code, told = _interrupted(tmp_path, ticks, "search", "tea")
    assert (code, told) in [(Exit.INTERRUPTED, b"memstore: interrupted"), (Exit.DONE, b"")]


def test_little_is_loaded_before_an_interrupt_is_dealt_with() -> None:
    """What `main` needs at its head is loaded where nobody catches."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", "import sys, memstore.cli.main; print(*sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert {"click", "inspect", "pathlib", "json"}.isdisjoint(done.stdout.split())


LOST = """
import sys
from memstore.cli import main

class Lost:
    def __del__(self):
        raise {error}

def interrupted():
    Lost()
    return 0

main.main = interrupted
sys.argv = ["memstore", *sys.argv[1:]]
main.run()
"""


def _lost(error: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the program while an error is raised where Python can but write it down."""
    script = LOST.format(error=error)
    return subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=False)


def test_an_interrupt_that_nobody_could_catch_ends_the_program_too() -> None:
    done = _lost("KeyboardInterrupt")
    assert (done.returncode, done.stdout, done.stderr) == (Exit.INTERRUPTED, "", "memstore: interrupted\n")
    done = _lost("KeyboardInterrupt", "list", "--json")
    assert json.loads(done.stdout)["error"]["exit"] == done.returncode == Exit.INTERRUPTED
    done = _lost("ValueError")
    assert done.returncode == 0
    assert "ValueError" in done.stderr


SWALLOWED = """
import os, signal, sys
from memstore.cli import main

def swallowed(words):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            pass
    except KeyboardInterrupt:
        pass
    raise TypeError("expected a message argument")

main._run = swallowed
main.run()
"""
IGNORED = """
import os, signal
from memstore.cli import main

signal.signal(signal.SIGINT, signal.SIG_IGN)
main._run = lambda words: os.kill(os.getpid(), signal.SIGINT) or 7
main.run()
"""


def test_an_interrupt_of_which_python_made_another_error_is_one() -> None:
    done = subprocess.run([sys.executable, "-c", SWALLOWED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (Exit.INTERRUPTED, "memstore: interrupted\n")


def test_where_interrupts_are_ignored_they_stay_so() -> None:
    done = subprocess.run([sys.executable, "-c", IGNORED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (7, "")


def test_what_python_makes_of_an_interrupt_in_a_class_body_is_one() -> None:
    class Descriptor:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises((RuntimeError, KeyboardInterrupt)) as raised:  # from Python 3.12 on as it is
        type("Named", (), {"it": Descriptor()})
    assert failure_of(raised.value).code == "interrupted"
