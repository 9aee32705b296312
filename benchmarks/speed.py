#!/usr/bin/env python3
"""Measure memstore's speed: print the table of docs/performance.md, and how it stands to what must hold.

    .venv/bin/python benchmarks/speed.py [--sizes 1000 10000 100000] [--rounds 9] [--keep DIR] [--peers DIR]

All figures are CPU time (user + system) of whole processes unless a row says otherwise, medians of several rounds whose
commands take turns, so that a slow moment of the machine hits them all. Compare the ratios, never the milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Callable

BIN = Path(sys.executable).parent
MEMSTORE = str(BIN / "memstore")
PYTHON = sys.executable

# Bare Whoosh takes ten minutes for more memories than this.
MOST_FOR_BARE_WHOOSH = 10_000
HOPS, EDITS = 100, 40
LARGE = 100_000
OURS_BESIDE_PEERS = "search, one word, beside peers"

Figures = dict[str, float]

# Bare Whoosh on the same parsed text: its own analyzer, schema and scoring, one document a file.
WHOOSH_INDEX = """
import sys, pathlib
from whoosh import index, fields
from whoosh.analysis import StemmingAnalyzer
texts = pathlib.Path(sys.argv[1]).read_text().split("\\0")
schema = fields.Schema(text=fields.TEXT(analyzer=StemmingAnalyzer()), path=fields.ID(stored=True))
writer = index.create_in(sys.argv[2], schema).writer(limitmb=256)
for number, text in enumerate(texts):
    writer.add_document(text=text, path=str(number))
writer.commit()
"""
WHOOSH_SEARCH = """
import sys
from whoosh import index
from whoosh.qparser import QueryParser
with index.open_dir(sys.argv[1]).searcher() as searcher:
    print(searcher.search(QueryParser("text", searcher.schema).parse(sys.argv[2]), limit=10)[:])
"""
WARM = str(Path(__file__).with_name("warm_search.py"))
# Peers are asked for the same word in the same notes, at this size. Each has a virtual environment of its own, made by
# whoever measures. Palinode's client asks a server with a model, which is not there: what it takes alone is less.
SIZE_FOR_PEERS = 1000
PEERS = {"Kernle": ("kernle", "--stack", "bench", "search"), "Palinode, its client alone": ("palinode", "search")}
KERNLE_LOAD = """
import pathlib, sys
from kernle import Kernle
stack = Kernle(stack_id="bench")
for place in sorted(pathlib.Path(sys.argv[1]).rglob("*.md")):
    body = place.read_text().partition("\\n---\\n")[2]
    stack.note(body, derived_from=["raw:" + stack.raw(body)])
"""


class Machine:
    """Runs commands in an environment of their own and measures them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **{
                f"GIT_{who}_{what}": "tester@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
            },
            "LC_ALL": "C.UTF-8",
        }

    def run(self, *command: str, may_fail: bool = False) -> tuple[float, int]:
        """Return CPU seconds and peak KiB of one run."""
        with tempfile.TemporaryFile() as err:
            child = subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode not in (0, 1) and not may_fail:
                err.seek(0)
                sys.exit(f"{command}: {err.read().decode()}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss

    def text(self, *command: str) -> str:
        """Return what one run prints."""
        return subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True).stdout


def medians(machine: Machine, commands: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """Return the median CPU seconds of each command, all taking turns."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(machine.run(*command)[0])
    return {name: statistics.median(values) for name, values in times.items()}


def peers(machine: Machine, folder: Path, vault: Path, ours: list[str], word: str, rounds: int) -> Figures:
    """Return the median CPU seconds of a search by each peer that has an environment in `folder`, and by us in turn."""
    commands = {
        name: [str(folder / program / "bin" / program), *rest, word]
        for name, (program, *rest) in PEERS.items()
        if (folder / program).is_dir()
    }
    if "Kernle" in commands and not (machine.folder / ".kernle").exists():
        machine.run(str(folder / "kernle" / "bin" / "python"), "-c", KERNLE_LOAD, str(vault))
    times: dict[str, list[float]] = {name: [] for name in (OURS_BESIDE_PEERS, *commands)}
    for _ in range(rounds):
        for name, command in {OURS_BESIDE_PEERS: ours, **commands}.items():
            times[name].append(machine.run(*command, may_fail=True)[0])
    return {name: statistics.median(values) for name, values in times.items()}


def build(machine: Machine, corpus: Corpus, size: int) -> tuple[Path, dict[str, float]]:
    """Make a vault of `size` memories; return it with the CPU seconds of the first index, ours and bare Whoosh's.

    One that an earlier run kept is taken as it is, and its first index is not measured again.
    """
    vault = machine.folder / f"vault-{size}"
    if vault.exists():
        machine.run(MEMSTORE, "--vault", str(vault), "search", "warm")
        return vault, {}
    machine.run(MEMSTORE, "init", str(vault))
    corpus.write(str(vault), size)
    for hop in range(HOPS + 1):
        source = f'derived_from: ["note:m_hop{hop - 1}"]\n' if hop else ""
        (vault / f"hop{hop}.md").write_text(f"---\ntype: note\nid: m_hop{hop}\n{source}---\nA hop.\n")
    machine.run("git", "-C", str(vault), "add", "-A")
    machine.run("git", "-C", str(vault), "commit", "-q", "--no-verify", "-m", "a vault")
    figures = {}
    if size <= MOST_FOR_BARE_WHOOSH:
        texts = machine.folder / f"texts-{size}"
        texts.write_text("\0".join(corpus.text(i).split("\n---\n", 1)[1] for i in range(size)))
        bare = machine.folder / f"whoosh-{size}"
        bare.mkdir()
        figures["bare Whoosh index"], _ = machine.run(PYTHON, "-W", "ignore", "-c", WHOOSH_INDEX, str(texts), str(bare))
    ours, peak = machine.run(MEMSTORE, "--vault", str(vault), "search", "warm")
    return vault, figures | {"first index": ours, "first index, peak MB": peak / 1024}


def edited(machine: Machine, corpus: Corpus, vault: Path, word: str, rounds: int) -> float:
    """Return the median CPU seconds of a search just after one file was edited."""
    times = []
    for i in range(rounds):
        edit(corpus, vault, i)
        times.append(machine.run(MEMSTORE, "--vault", str(vault), "search", word)[0])
    return statistics.median(times)


def edit(corpus: Corpus, vault: Path, number: int) -> None:
    """Change one file of the vault."""
    path = vault / corpus.path(number)
    path.write_text(path.read_text() + f"\nOne more line, number {number}.\n")


def added(machine: Machine, vault: Path, rounds: int) -> float:
    """Return the median CPU seconds of adding a memory."""
    add = [MEMSTORE, "--vault", str(vault), "add"]
    return statistics.median(machine.run(*add, f"The kettle of house {i} sings at noon")[0] for i in range(rounds))


def after_edits(machine: Machine, corpus: Corpus, vault: Path, search: list[str], rounds: int) -> float:
    """Return the median CPU seconds of a search when edits were written into the index one by one."""
    for i in range(EDITS):
        edit(corpus, vault, i)
        machine.run(MEMSTORE, "--vault", str(vault), "watch", "--once")
    return statistics.median(machine.run(*search)[0] for _ in range(rounds))


def measure(machine: Machine, corpus: Corpus, size: int, rounds: int, others: Path | None) -> Figures:
    """Return all figures at one size, in CPU seconds."""
    vault, figures = build(machine, corpus, size)
    queries = corpus.queries()
    word, three = queries["term1"][2], " ".join(queries["term3"][0])
    ours = [MEMSTORE, "--vault", str(vault)]
    commands = {
        "python -c pass": [PYTHON, "-c", "pass"],
        "memstore --version": [MEMSTORE, "--version"],
        "memstore --help": [MEMSTORE, "--help"],
        "search, one word": [*ours, "search", word],
        "search, three words": [*ours, "search", three],
        "search, a phrase of frequent words": [*ours, "search", '"of the"'],
        "search by somebody else": [*ours, "search", word, "--as", "human:somebody"],
        "list --type belief": [*ours, "list", "--type", "belief", "--limit", "20"],
        "trace of 100 hops": [*ours, "trace", f"m_hop{HOPS}"],
    }
    if size <= MOST_FOR_BARE_WHOOSH:
        bare = str(machine.folder / f"whoosh-{size}")
        commands["bare Whoosh search"] = [PYTHON, "-W", "ignore", "-c", WHOOSH_SEARCH, bare, word]
    if shutil.which("rg"):
        commands["ripgrep -l -i -w"] = ["rg", "-l", "-i", "-w", word, str(vault)]
    figures |= medians(machine, commands, rounds)
    if others and size == SIZE_FOR_PEERS:
        figures |= peers(machine, others, vault, commands["search, one word"], word, rounds)
    figures["search, peak MB"] = machine.run(*commands["search, one word"])[1] / 1024
    words = [*queries["term1"], *(" ".join(q) for q in queries["term3"])]
    warm, comparing, fresh = machine.text(PYTHON, "-W", "ignore", WARM, str(vault), *words).split()
    figures["warm search in process"] = float(warm) / 1000
    figures["of it, comparing the results"] = float(comparing) / 1000
    figures["the same, with a walk over the files each time"] = float(fresh) / 1000
    figures["search after an edit"] = edited(machine, corpus, vault, word, rounds)
    figures["add a memory"] = added(machine, vault, rounds)
    if size < LARGE:
        figures["search after 40 edits"] = after_edits(machine, corpus, vault, commands["search, one word"], rounds)
    return figures


def table(results: dict[int, Figures]) -> str:
    """Return the figures as a Markdown table: milliseconds, and in brackets the ratio to `python -c pass`."""
    sizes = list(results)
    lines = ["| what | " + " | ".join(f"{size:,}" for size in sizes) + " |", "|---|" + "---:|" * len(sizes)]
    for name in dict.fromkeys(name for size in sizes for name in results[size]):
        cells = []
        for size in sizes:
            value, unit = results[size].get(name), results[size]["python -c pass"]
            if value is None:
                cells.append("")
            else:
                cells.append(f"{value:.0f}" if "MB" in name else f"{value * 1000:.1f} ms ({value / unit:.1f} x)")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


class Must(NamedTuple):
    """What must hold at a size: a figure that is at most so much."""

    what: str
    size: int
    value: Callable[[Figures], float]
    most: float


def ratio(name: str, to: str) -> Callable[[Figures], float]:
    """Return what gives one figure as a multiple of another."""
    return lambda figures: figures[name] / figures[to]


def against_quickest_peer(figures: Figures) -> float:
    """Return our search as a multiple of the quickest peer's; KeyError where none was measured."""
    measured = [figures[name] for name in PEERS if name in figures]
    if not measured:
        raise KeyError(*PEERS)
    return figures[OURS_BESIDE_PEERS] / min(measured)


PASS, SEARCH = "python -c pass", "search, one word"
MUSTS = (
    Must("memstore --help, against python -c pass", 1000, ratio("memstore --help", PASS), 4.5),
    Must("memstore --version, against python -c pass", 1000, ratio("memstore --version", PASS), 5),
    Must("search, against python -c pass", 10_000, ratio(SEARCH, PASS), 12),
    Must("search, against ripgrep -l -i -w", LARGE, ratio(SEARCH, "ripgrep -l -i -w"), 0.5),
    Must("first index, against bare Whoosh", 10_000, ratio("first index", "bare Whoosh index"), 1.5),
    Must("first index, CPU ms a file", 10_000, lambda figures: figures["first index"] / 10, 0.667),
    Must("search after an edit, against search", 10_000, ratio("search after an edit", SEARCH), 1.5),
    Must("search after 40 edits, against search", 10_000, ratio("search after 40 edits", SEARCH), 2),
    Must("warm search in process, ms", 10_000, lambda figures: figures["warm search in process"] * 1000, 15),
    Must("search by somebody else, against search", 10_000, ratio("search by somebody else", SEARCH), 1.5),
    Must("trace of 100 hops, against search", LARGE, ratio("trace of 100 hops", SEARCH), 1.5),
    Must("list with a filter, against search", LARGE, ratio("list --type belief", SEARCH), 1.5),
    Must("search, against the quickest peer", SIZE_FOR_PEERS, against_quickest_peer, 0.59),
    Must("peak MB of a search", LARGE, lambda figures: figures["search, peak MB"], 150),
    Must("peak MB of the first index", LARGE, lambda figures: figures["first index, peak MB"], 700),
)
# From the smallest size to the largest: of a search, and of adding a memory, which is to be about the same.
GROWTHS = (("growth of search", SEARCH, 6.0), ("growth of adding a memory", "add a memory", 1.5))


def verdicts(results: dict[int, Figures]) -> str:
    """Return how the figures stand to what must hold."""
    lines = []
    for must in MUSTS:
        try:
            got = must.value(results[must.size])
        except KeyError:
            lines.append(f"{'-':>8}  at {must.size:>7,}: {must.what}: not measured")
            continue
        lines.append(verdict(f"at {must.size:>7,}: {must.what}", got, must.most))
    small, large = min(results), max(results)
    if small < large:
        for what, name, most in GROWTHS:
            got = results[large][name] / results[small][name]
            lines.append(verdict(f"from {small:,} to {large:,}: {what}", got, most))
    return "\n".join(lines)


def verdict(what: str, got: float, most: float) -> str:
    """Return one line of the verdicts."""
    return f"{'holds' if got <= most else 'FAILS':>8}  {what}: {got:.2f} (at most {most:g})"


def main() -> None:
    """Build the vaults, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--keep", help="folder to build the vaults in, kept afterwards and used again")
    parser.add_argument("--peers", type=Path, help="folder with the virtual environments of peers: kernle, palinode")
    parser.add_argument("--json", action="store_true", help="print the raw figures instead")
    arguments = parser.parse_args()
    folder = Path(arguments.keep or tempfile.mkdtemp(prefix="memstore-speed-"))
    folder.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    try:
        corpus, machine = Corpus(), Machine(folder)
        results = {size: measure(machine, corpus, size, arguments.rounds, arguments.peers) for size in arguments.sizes}
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)
    if arguments.json:
        print(json.dumps(results, indent=1))
        return
    print(table(results), "\n\n", verdicts(results), f"\n\n{time.perf_counter() - started:.0f} s in all", sep="")


if __name__ == "__main__":
    main()
