"""Fuzz what reads bytes, guided by coverage: `python -m tests.fuzz [TARGET ...] [--inputs 1000000] [--keep 20]`.

It needs `pip install atheris`. What is found interesting is kept below `.fuzz/` from one run to the next; an input that
breaks a promise is written there, too, and the exit code is 1: put it into `tests/fuzz/corpus/TARGET/`, where it is
replayed with every run of the tests. `--keep` copies what reaches lines that nothing in the corpus reaches, so many
files a target at most.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.installed import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

CORPUS = Path(__file__).parent / "corpus"
FOUND = ROOT / ".fuzz"
_NAMES = ("adopted", "imports", "merger", "merger_of_registries", "queries", "reader", "registries", "settings",
          "signatures", "splicer", "ssh", "timestamps")  # fmt: skip
_MOST_BYTES = 4096
_SECONDS_FOR_ONE = 10
_KEPT_BYTES = 1500


def fuzz(name: str, inputs: int) -> bool:
    """Run one target in a process of its own, which libFuzzer ends; return whether all held."""
    folder = FOUND / name
    folder.mkdir(parents=True, exist_ok=True)
    options = [f"-runs={inputs}", f"-max_len={_MOST_BYTES}", f"-timeout={_SECONDS_FOR_ONE}", "-rss_limit_mb=2048"]
    words = [sys.executable, "-m", "tests.fuzz", "--one", name, f"-artifact_prefix={folder}/broken-", *options]
    # What others found comes second: libFuzzer writes into the first folder alone.
    words += [str(folder), str(CORPUS / name)]
    started = time.monotonic()
    done = subprocess.run(words, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
    lines = done.stderr.splitlines()
    runs = next((line for line in reversed(lines) if line.startswith("Done ")), f"stopped: {lines[-3:]}")
    print(f"{name:>22}  {runs}  {time.monotonic() - started:.0f} s", flush=True)  # noqa: T201 - what it is for
    if done.returncode:
        sys.stdout.write(done.stderr[-3000:])
    return done.returncode == 0


def one(arguments: list[str]) -> None:
    """Fuzz in this process, until libFuzzer ends it."""
    import atheris

    with atheris.instrument_imports(include=["memstore"]):
        from tests.fuzz.targets import TARGETS

    atheris.Setup(["fuzz", *arguments[1:]], TARGETS[arguments[0]])
    atheris.Fuzz()


def keep(name: str, most: int) -> None:
    """Copy what reaches lines that nothing in the corpus reaches, the shortest first, into the corpus."""
    from tests.fuzz.targets import TARGETS

    folder, target = CORPUS / name, TARGETS[name]
    folder.mkdir(exist_ok=True)
    kept = [*folder.iterdir()]
    reached: set[tuple[str, int]] = set()
    for place in kept:
        reached |= lines_of(target, place.read_bytes())
    for place in sorted((FOUND / name).iterdir(), key=lambda found: found.stat().st_size):
        data = place.read_bytes()
        if len(kept) >= most or len(data) > _KEPT_BYTES:
            return
        new = lines_of(target, data) - reached
        if new:
            reached |= new
            kept.append(folder / hashlib.sha256(data).hexdigest()[:12])
            kept[-1].write_bytes(data)


def lines_of(target: Callable[[bytes], None], data: bytes) -> set[tuple[str, int]]:
    """Return the lines of memstore that a target reaches with an input."""
    found: set[tuple[str, int]] = set()

    def local(frame: Any, event: str, _: Any) -> Any:
        if event == "line":
            found.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    def called(frame: Any, _event: str, _: Any) -> Any:
        return local if "/memstore/" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        target(data)
    finally:
        sys.settrace(before)
    return found


def main(words: list[str]) -> int:
    """Do what was asked for, and return the exit code."""
    if words[:1] == ["--one"]:
        one(words[1:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(_NAMES))
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--keep", type=int, default=0)
    arguments = parser.parse_args(words)
    chosen = arguments.targets or _NAMES
    if unknown := {*chosen} - {*_NAMES}:
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    held = [fuzz(name, arguments.inputs) for name in chosen if arguments.inputs]
    for name in chosen if arguments.keep else ():
        keep(name, arguments.keep)
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
