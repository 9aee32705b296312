#!/usr/bin/env python3
"""Measure searches in a process that goes on.

.venv/bin/python benchmarks/warm_search.py VAULT QUERY...
.venv/bin/python benchmarks/warm_search.py VAULT < QUERIES
.venv/bin/python benchmarks/warm_search.py --calls 5000 VAULT < QUERIES

Printed are median milliseconds of CPU time: on one view, how much of that went into comparing the results with each
other, and on a view for each. QUERIES has one a line. With `--calls`, that many searches go to `memstore mcp`, and what
is printed is its resident memory, in MB, after 200 of them and at the end: from there on it should not grow.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import chain, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from memstore.conflicts.among import Among
from memstore.files.local_state import Environment
from memstore.memories.search import Searcher, Wish
from memstore.search import query as language
from memstore.vault.composition import open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.search.clauses import Query
    from memstore.search.opened import Opened
    from memstore.search.retrieval import Hit


def main() -> None:
    """Ask the same vault all queries, three times over."""
    if sys.argv[1] == "--calls":
        serve(int(sys.argv[2]), sys.argv[3], sys.stdin.read().splitlines())
        return
    ws = open_workspace(Environment.of_process(), vault=sys.argv[1])
    queries = [language.parse(text) for text in sys.argv[2:] or sys.stdin.read().splitlines()]
    searcher = Searcher(ws.view())
    spent: list[float] = []
    with timed(spent):
        print(median_ms(queries, lambda query: searcher.answer(query, Wish())))
    print(statistics.median(spent[1:]) * 1000)
    print(median_ms(queries, lambda query: Searcher(ws.view()).answer(query, Wish())))


SETTLED = 200


def serve(calls: int, vault: str, queries: Sequence[str]) -> None:
    """Send so many searches to a server, and print how much memory it has."""
    words = [str(Path(sys.executable).with_name("memstore")), "--vault", vault, "--self", "mcp"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
        asked = ({"name": "memory_search", "arguments": {"query": query}} for query in cycle(queries))
        for number, params in enumerate(chain([about], islice(asked, calls))):
            method = "tools/call" if number else "initialize"
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            server.stdout.readline()
            if number in (SETTLED, calls):
                said = Path(f"/proc/{server.pid}/status").read_text()
                print(number, int(said.partition("VmRSS:")[2].split()[0]) // 1024)
        server.stdin.close()


@contextmanager
def timed(spent: list[float]) -> Iterator[None]:
    """Add how many seconds each comparing of results takes."""
    add = Among.add

    def timed_add(among: Among, hits: Sequence[tuple[Hit, Opened]]) -> None:
        start = time.process_time()
        add(among, hits)
        spent.append(time.process_time() - start)

    with mock.patch.object(Among, "add", timed_add):
        yield


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
