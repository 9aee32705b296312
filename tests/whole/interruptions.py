"""The experiments of `benchmarks/soak.py` for tests: interruptions of a command, evenly chosen."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tests.installed import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
from acts import ACTS, Prepared, furnish, prepare
from aftermath import FOR_GOOD, KILL, KILLED, Known, kinds_of, look, spread
from crowd import Crowd, gather
from sandbox import Sandbox
from traced import Tracer, can_trace
from warm import Strike, Warm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["ACTS", "Interruptions", "can_trace", "crowded"]


class Interruptions:
    """A vault with memories, a loaded program, and ways to interrupt it.

    Args:
        folder: an empty folder.
    """

    def __init__(self, folder: Path) -> None:
        (folder / "home").mkdir()
        (folder / "traces").mkdir()
        self._sandbox = Sandbox(folder / "home")
        self._warm = Warm(self._sandbox)
        self._tracer = Tracer(self._sandbox, folder / "traces")
        furnish(self._sandbox, self._warm.run)

    def close(self) -> None:
        """End the loaded program."""
        self._warm.close()

    def in_forks(self, act: str, count: int, *, commit: bool) -> Iterator[str]:
        """Interrupt an act at some of its calls, in forks of the loaded program; yield what is wrong afterwards."""
        prepared, known = self._prepared(act, commit=commit)
        cases = [(Strike(i, kind), call) for i, call in enumerate(self._warm.calls, 1) for kind in kinds_of(call.name)]
        for strike, call in spread(cases, count, start=_offset(prepared)):
            self._sandbox.restore(prepared.name)
            done = self._warm.strike(prepared.words, strike)
            assert done.code == KILLED or strike.kind != KILL
            for what in look(self._sandbox, known, done, self._warm.run).wrong:
                yield f"{strike.kind} at {strike.number}, {call.name} {call.path}: {what}"
        self._sandbox.forget(prepared.name)

    def under_strace(self, act: str, count: int, *, commit: bool) -> Iterator[str]:
        """Interrupt the installed program at some of its system calls, and git at some of its; yield what is wrong."""
        prepared, known = self._prepared(act, commit=commit)
        self._sandbox.restore(prepared.name)
        calls = self._tracer.calls(prepared)
        cases = [blow._replace(kind=kind) for blow in calls for kind in kinds_of(blow.call) if FOR_GOOD not in kind]
        for blow in spread(cases, count, start=_offset(prepared)):
            self._sandbox.restore(prepared.name)
            done = self._tracer.strike(prepared, blow)
            if done is not None:
                for what in look(self._sandbox, known, done, self._warm.run).wrong:
                    yield f"{blow.kind} at git {blow.git} {blow.call} {blow.number} {blow.about}: {what}"
        self._sandbox.forget(prepared.name)

    def _prepared(self, act: str, *, commit: bool) -> tuple[Prepared, Known]:
        """Return an act and what is known of it, which is known from a run."""
        prepared = prepare(self._sandbox, self._warm.run, act, commit=commit)
        return prepared, Known.of(self._sandbox, prepared, self._warm.run)


def _offset(act: Prepared) -> int:
    """Return a number that is another one for most acts, so that not all are interrupted at the same calls."""
    return sum(act.name.encode())


def crowded(folder: Path, *, writers: int, writes: int, seed: int, servers: int = 0, tries: int = 1) -> Crowd:
    """Let many installed programs write at once in a vault, and somebody by hand; with servers, while git tidies it."""
    (folder / "home").mkdir()
    sandbox = Sandbox(folder / "home")
    furnish(sandbox, sandbox.run)
    return gather(sandbox, writers=writers, writes=writes, seed=seed, servers=servers, tidied=servers > 0, tries=tries)
