#!/usr/bin/env python3
"""Print where the CPU time of one search goes, stage by stage, in one process.

    .venv/bin/python benchmarks/stages.py VAULT WORD

The index should be up to date: search once before. The first stage is Python's own start.
"""

from __future__ import annotations

import gc
import sys
import time
from importlib import import_module


class Stages:
    """Notes what CPU time has gone since the note before."""

    def __init__(self) -> None:
        self.last = 0.0
        self.taken: list[tuple[str, float]] = []

    def done(self, what: str) -> None:
        """Note that `what` is done."""
        now = time.process_time()
        self.taken.append((what, now - self.last))
        self.last = now


def main() -> None:
    """Search once, and print the stages."""
    vault, word = sys.argv[1:]
    gc.set_threshold(200_000)  # as the program does
    stages = Stages()
    stages.done("Python itself")
    import_module("click")
    stages.done("importing click")
    for name in ("memstore.cli.group", "memstore.cli.search", "memstore.cli.output"):
        import_module(name)
    stages.done("importing the command")
    from memstore.files.local_state import Environment
    from memstore.vault.composition import open_workspace

    ws = open_workspace(Environment.of_process(), vault=str(vault))
    stages.done("opening the vault: configuration, adapters")
    from memstore.memories.search import Searcher, Wish
    from memstore.search import query as language

    asked = language.parse(word)
    stages.done("importing the search")
    then = ws.view()
    stages.done("the catalogue, and the walk over all files")
    searcher = Searcher(then)
    searcher.answer(asked, Wish())
    stages.done("opening the index, ranking, reading, citing, comparing")
    searcher.answer(asked, Wish())
    stages.done("(ranking, reading, citing and comparing once more)")
    whole = sum(seconds for what, seconds in stages.taken if not what.startswith("("))
    for what, seconds in stages.taken:
        print(f"| {what} | {seconds * 1000:.1f} ms | {100 * seconds / whole:.0f} % |")


if __name__ == "__main__":
    main()
