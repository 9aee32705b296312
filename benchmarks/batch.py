#!/usr/bin/env python3
"""Measure what many adds in one batch cost, beside reading as many files: it must be at most ten times as much.

    .venv/bin/python benchmarks/batch.py [--count 1000] [--rounds 5]

CPU time, user and system, of this process and of git; a round is a fresh vault, the figures are medians. The commit of
a batch with a message is shown by itself: it is git's work for the most part.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

import memstore
from memstore.files import memory_file
from memstore.files.local_state import Environment
from memstore.vault.composition import open_made, place
from memstore.vault.init import init

MOST = 10.0
OWNER = "human:tester"
WORDS = Path(__file__).with_name("words.txt").read_text(encoding="utf-8").split()


class Round(NamedTuple):
    """CPU seconds of one round."""

    adds: float
    commit: float
    parses: float


def cpu() -> float:
    """Return the CPU seconds so far."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measured(folder: Path, count: int, seed: int) -> Round:
    """Add memories in one batch, read their files, and return what each cost."""
    env = Environment.of_process()
    init(
        place(env, folder),
        owner=OWNER,
        default_owner=OWNER,
        open_vault=lambda: open_made(env, folder).view(),
    )
    chance = random.Random(seed)  # noqa: S311 -- any words will do
    texts = [f"{' '.join(chance.choices(WORDS, k=40))}. Number {number}." for number in range(count)]
    with memstore.open_vault(folder, entity=OWNER) as vault:
        vault.add("Whatever is loaded once is loaded now.")
        start = cpu()
        with vault.batch() as batch:
            for text in texts:
                batch.add(text, tags=["one", "two"], source="a diary")
        added = cpu()
        files = [(saved.path, (folder / saved.path).read_bytes()) for saved in batch.saved]
        read = cpu()
        for path, data in files:
            memory_file.read(path, data)
        parsed = cpu()
        vault.commit(message="all of it")
        return Round(adds=added - start, commit=cpu() - parsed, parses=parsed - read)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    rounds = []
    for seed in range(arguments.rounds):
        folder = Path(tempfile.mkdtemp(prefix="memstore-batch-"))
        os.environ["XDG_CACHE_HOME"], os.environ["XDG_STATE_HOME"] = str(folder / "cache"), str(folder / "state")
        try:
            rounds.append(measured(folder / "vault", arguments.count, seed))
        finally:
            shutil.rmtree(folder)
    adds, commit, parses = (median(column) for column in zip(*rounds, strict=True))
    ratio = median(one.adds / one.parses for one in rounds)
    print(f"{arguments.count:,} batch.add {adds:.2f} s, parses {parses:.2f} s, their commit {commit:.2f} s")
    print(f"{'holds' if ratio <= MOST else 'FAILS':>8}  batch.add, against parses: {ratio:.1f} (at most {MOST:g})")


if __name__ == "__main__":
    main()
