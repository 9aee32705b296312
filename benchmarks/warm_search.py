#!/usr/bin/env python3
"""Measure searches in a process that goes on: print the median milliseconds on one view, and on a view for each.

.venv/bin/python benchmarks/warm_search.py VAULT QUERY...
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import TYPE_CHECKING

from memstore.files.local_state import Environment
from memstore.memories.search import Searcher, Wish
from memstore.search import query as language
from memstore.vault.composition import open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.search.retrieval import Query


def main() -> None:
    """Ask the same vault all queries, three times over."""
    ws = open_workspace(Environment.of_process(), vault=sys.argv[1])
    queries = [language.parse(text) for text in sys.argv[2:]]
    searcher = Searcher(ws.view())
    print(median_ms(queries, lambda query: searcher.answer(query, Wish())))
    print(median_ms(queries, lambda query: Searcher(ws.view()).answer(query, Wish())))


def median_ms(queries: Sequence[Query], answer: Callable[[Query], object]) -> float:
    """Return the median CPU time of an answer in milliseconds; the first one, which loads what is needed, aside."""
    answer(queries[0])
    times = []
    for query in [*queries] * 3:
        start = time.process_time()
        answer(query)
        times.append(time.process_time() - start)
    return statistics.median(times) * 1000


if __name__ == "__main__":
    main()
