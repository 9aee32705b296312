#!/usr/bin/env python3
"""Measure what lineage costs among 100,000 memories and print the table of docs/lineage.md.

    .venv/bin/python benchmarks/lineage.py [--size 100000] [--rounds 3] [--keep DIR]

A vault is written and indexed: a chain of 100 hops, a memory with 100 dependents, and a crowd in which any memory may
name any other, so that nearly all lead to each other, which is the most that a walk can meet. All figures are CPU time
(user + system) of whole processes on that vault, medians of rounds in which all commands take turns, `memstore search`
among them. Compare the ratios, never the milliseconds. With `--keep` a vault that is there is measured again.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from corpus import Corpus
from speed import MEMSTORE, PYTHON, Machine, medians

HOPS = 100
DEPENDENTS = 100
# How often a memory of the crowd names another, for each field: 4.3 edges in all.
REFS = {
    "derived_from": 1.6,
    "relates_to": 1.0,
    "evidence": 0.8,
    "cites": 0.5,
    "processed_into": 0.3,
    "supersedes": 0.1,
}
SEED = 3


class Made:
    """The memories of a vault with a chain, a memory with many dependents, and a crowd.

    Args:
        size: how many memories.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.hub = HOPS + 1
        self.crowd = self.hub + DEPENDENTS + 1
        self.last = size - 1
        self.edges = 0
        self._corpus = Corpus()
        self._chance = random.Random(SEED)  # noqa: S311 - the same graph every time

    @property
    def word(self) -> str:
        """A word to search for, neither frequent nor rare: the one of benchmarks/speed.py."""
        words: list[str] = self._corpus.queries()["term1"]
        return words[2]

    def ref(self, number: int) -> str:
        """Return the ref of a memory."""
        ref: str = self._corpus.ref(number)
        return ref

    def write(self, folder: Path) -> None:
        """Write all memories."""
        for number in range(self.size):
            place = folder / self._corpus.path(number)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(self._text(number))

    def _named(self, number: int) -> dict[str, list[str]]:
        """Return what a memory names, by field."""
        if number < HOPS:
            return {"derived_from": [self.ref(number + 1)]}
        if self.hub < number < self.crowd:
            return {"derived_from": [self.ref(self.hub)]}
        if number < self.crowd:
            return {}
        chance = self._chance
        return {
            field: [
                self.ref(chance.randrange(self.crowd, self.size))
                for _ in range(int(often) + (chance.random() < often % 1))
            ]
            for field, often in REFS.items()
        }

    def _text(self, number: int) -> str:
        made, named = self._corpus.memory(number), self._named(number)
        self.edges += sum(map(len, named.values()))
        history = [
            f'  - {{timestamp: "{made["created"]}", op: support, old: 0.7, new: 0.7, evidence_source: "{ref}", '
            'reason: "seen again"}'
            for ref in named.get("evidence", ())
        ]
        lines = [
            "---",
            f"type: {made['type']}",
            f"id: {made['id']}",
            f"title: {made['summary']}",
            f'created_at: "{made["created"]}"',
            f"source_type: {made['source_type']}",
            f"tags: [{', '.join(made['tags'])}]",
            *(f"{field}: [{', '.join(named[field])}]" for field in ("derived_from", "relates_to") if named.get(field)),
            *(f"processed_into: [{ref}]" for ref in named.get("processed_into", ())),
            *(f"supersedes: {ref}" for ref in named.get("supersedes", ())),
            *(["confidence: 0.7", "confidence_history:", *history] if history else []),
            "---",
            made["body"].split("\nSee [[")[0],
            *(f"It says so in [[{ref}]]." for ref in named.get("cites", ())),
        ]
        return "\n".join(lines) + "\n"


def commands(made: Made) -> dict[str, list[str]]:
    """Return what is measured, each with what follows `memstore --vault DIR`."""
    crowd, last = made.ref(made.crowd), made.ref(made.last)
    return {
        "`search`, one word": ["search", made.word],
        "`trace`, a chain of 100 hops": ["trace", made.ref(0)],
        "`trace --reverse`, a chain of 100 hops": ["trace", made.ref(HOPS), "--reverse"],
        "`impact`, 100 dependents": ["trace", "--impact", made.ref(made.hub)],
        "`orphans`": ["check", "orphans"],
        "`show --trace`, any of the crowd": ["show", last, "--trace"],
        "`trace --depth 3`, any of the crowd": ["trace", last, "--depth", "3"],
        "`trace`, nearly all": ["trace", last],
        "`trace --reverse`, nearly all": ["trace", last, "--reverse"],
        "`impact`, nearly all": ["trace", "--impact", crowd],
    }


def build(machine: Machine, size: int) -> tuple[Path, Made]:
    """Make the vault and its index, where they are not there yet."""
    vault, made = machine.folder / f"lineage-{size}", Made(size)
    if not vault.exists():
        machine.run(MEMSTORE, "init", str(vault))
        made.write(vault)
    machine.run(MEMSTORE, "--vault", str(vault), "search", made.word)
    return vault, made


def main() -> None:
    """Make the vault, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", help="folder to build the vault in, kept afterwards")
    arguments = parser.parse_args()
    folder = Path(arguments.keep or tempfile.mkdtemp(prefix="memstore-lineage-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        machine = Machine(folder)
        vault, made = build(machine, arguments.size)
        asked = commands(made)
        whole = {name: [MEMSTORE, "--vault", str(vault), *rest] for name, rest in asked.items()}
        figures = medians(machine, {"python": [PYTHON, "-c", "pass"], **whole}, arguments.rounds)
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)
    first = next(iter(asked))
    print(f"{made.size:,} memories; `python -c pass` {figures['python'] * 1000:.0f} ms\n")
    print("| what | CPU time | x `search` |\n|---|---:|---:|")
    for name in asked:
        print(f"| {name} | {figures[name] * 1000:.0f} ms | {figures[name] / figures[first]:.2f} |")


if __name__ == "__main__":
    main()
