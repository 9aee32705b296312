#!/usr/bin/env python3
"""Interrupt every command that writes, and let many write at once: print what holds, and what does not.

    .venv/bin/python benchmarks/soak.py --kills 2000 --seed 1 [--only ACT ...] [--warm]
    .venv/bin/python benchmarks/soak.py --writers 20 --writes 50 --seed 1
    .venv/bin/python benchmarks/soak.py --writers 12 --writes 20 --servers 2 --gc --seed 1

`--kills`: that many times the installed program is killed at a system call by which it, or a git that it runs, writes
in the vault or its repository, or that call fails: by strace, which must be there. With `--warm` the calls are those
that Python makes, in processes that have loaded the program already: several times as fast, and without strace, but
what git does is not interrupted. `--writers`: so many programs write at once, while a person saves the same files;
with `--servers` also clients of so many servers, and with `--gc` git tidies the repository all the while.

The exit code is 1 where something does not hold.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from acts import ACTS, Prepared, furnish, prepare
from aftermath import FOR_GOOD, Aftermath, Known, State, kinds_of, look
from crowd import Crowd, gather
from sandbox import Done, Sandbox
from traced import Blow, Tracer, can_trace
from warm import Strike, Warm

Interruption = tuple[str, str, Callable[[], Done | None]]
"""What happens to a run: its kind, the call that it happens at, and the run itself; None where it was not hit."""


class Tally:
    """What became of the interruptions of one act."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    def add(self, one: Interruption, done: Done, after: Aftermath) -> None:
        """Note what one interruption left behind."""
        kind, about, _ = one
        ended = "killed" if done.code < 0 else "failed" if done.code else "done"
        self.counts[f"{ended}, {after.state}"] += 1
        self.counts["wrong"] += bool(after.wrong)
        self.wrong += [f"{kind} at {about}: {what}" for what in after.wrong]


COLUMNS = tuple(f"{ended}, {state}" for ended in ("killed", "failed", "done") for state in State)


def variants(only: list[str]) -> list[tuple[str, bool]]:
    """Return the acts, each without `-c` and with it where it takes that."""
    return [(act, commit) for act in only or ACTS for commit in (False, True)[: 1 + ACTS[act].commits]]


def interruptions(sandbox: Sandbox, act: Prepared, warm: Warm, tracer: Tracer | None) -> list[Interruption]:
    """Return all that can happen to a run of an act; the vault is as before the act."""
    if tracer is None:
        warm.run(*act.words)
        calls = enumerate(warm.calls, start=1)
        return [
            (
                kind,
                f"{call.name} {call.path.removeprefix(str(sandbox.home))}",
                _in_fork(warm, act, Strike(number, kind)),
            )
            for number, call in calls
            for kind in kinds_of(call.name)
        ]
    return [
        (
            kind,
            f"git {blow.git} {blow.call} {blow.number} {blow.about[:120]}",
            _in_trace(tracer, act, blow._replace(kind=kind)),
        )
        for blow in tracer.calls(act)
        for kind in kinds_of(blow.call)
        if not kind.endswith(FOR_GOOD)
    ]


def _in_fork(warm: Warm, act: Prepared, strike: Strike) -> Callable[[], Done | None]:
    return lambda: warm.strike(act.words, strike)


def _in_trace(tracer: Tracer, act: Prepared, blow: Blow) -> Callable[[], Done | None]:
    return lambda: tracer.strike(act, blow)


def interrupt(sandbox: Sandbox, warm: Warm, tracer: Tracer | None, arguments: argparse.Namespace) -> dict[str, Tally]:
    """Interrupt all acts, each as often; return what became of them."""
    chance = random.Random(arguments.seed)  # noqa: S311 -- no secret
    chosen = variants(arguments.only)
    tallies: dict[str, Tally] = {}
    for number, (name, commit) in enumerate(chosen):
        act = prepare(sandbox, warm.run, name, commit=commit)
        known = Known.of(sandbox, act, warm.run)
        sandbox.restore(act.name)
        possible = interruptions(sandbox, act, warm, tracer)
        share = arguments.kills // len(chosen) + (number < arguments.kills % len(chosen))
        tally = tallies[act.name] = Tally()
        for one in chance.sample(possible, min(share, len(possible))):
            sandbox.restore(act.name)
            done = one[2]()
            if done is not None:
                tally.add(one, done, look(sandbox, known, done, warm.run))
        sandbox.forget(act.name)
        print(f"\r{number + 1} of {len(chosen)} acts", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return tallies


def table(tallies: dict[str, Tally]) -> str:
    """Return what became of the interruptions as a Markdown table, and below it what is wrong."""
    lines = ["| act | " + " | ".join(COLUMNS) + " | wrong |", "|---|" + "---:|" * (len(COLUMNS) + 1)]
    whole: Counter[str] = Counter()
    for name, tally in tallies.items():
        whole += tally.counts
        lines.append(_row(name, tally.counts))
    lines += [_row(f"all {whole.total() - whole['wrong']}", whole), ""]
    return "\n".join([*lines, *(f"{name}: {what}" for name, tally in tallies.items() for what in tally.wrong)])


def _row(name: str, counts: Counter[str]) -> str:
    return f"| {name} | " + " | ".join(str(counts[column] or "") for column in (*COLUMNS, "wrong")) + " |"


def told(crowd: Crowd) -> str:
    """Return how many writes and saves there were, what was refused with which words, and what was lost."""
    refused = crowd.refused.total()
    lines = [f"{crowd.writes} writes, {refused} refused ({refused / crowd.writes:.1%}); {crowd.saves} saves by hand"]
    lines += [f"{count:>6} x {words}" for words, count in crowd.refused.most_common()]
    return "\n".join([*lines, *crowd.wrong])


def main() -> int:
    """Do what was asked for, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=ACTS, default=[], metavar="ACT")
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--writers", type=int, default=0)
    parser.add_argument("--servers", type=int, default=0)
    parser.add_argument("--gc", action="store_true")
    parser.add_argument("--writes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if not (arguments.kills or arguments.writers):
        parser.error("say --kills N or --writers N")
    if arguments.kills and not arguments.warm and not can_trace():
        parser.error("strace is not installed, or may not trace; --warm does without")
    started = time.perf_counter()
    folder = Path(tempfile.mkdtemp(prefix="memstore-soak-"))
    try:
        all_holds = _soaked(folder, arguments)
    finally:
        shutil.rmtree(folder)
    print(f"\n{time.perf_counter() - started:.0f} s in all")
    return 0 if all_holds else 1


def _soaked(folder: Path, arguments: argparse.Namespace) -> bool:
    """Do what was asked for and print it; return whether all holds."""
    home, traces = folder / "home", folder / "traces"
    home.mkdir()
    traces.mkdir()
    sandbox = Sandbox(home)
    all_holds = True
    with Warm(sandbox) as warm:
        furnish(sandbox, warm.run)
        if arguments.kills:
            tracer = None if arguments.warm else Tracer(sandbox, traces)
            tallies = interrupt(sandbox, warm, tracer, arguments)
            print(table(tallies))
            all_holds = not any(tally.wrong for tally in tallies.values())
    if arguments.writers:
        sandbox.restore("base")
        crowd = gather(
            sandbox,
            writers=arguments.writers,
            writes=arguments.writes,
            seed=arguments.seed,
            servers=arguments.servers,
            tidied=arguments.gc,
        )
        print(told(crowd))
        all_holds = all_holds and not crowd.wrong
    return all_holds


if __name__ == "__main__":
    sys.exit(main())
