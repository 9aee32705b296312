#!/usr/bin/env python3
"""Measure searches in a process that goes on.

.venv/bin/python benchmarks/warm_search.py VAULT QUERY...
.venv/bin/python benchmarks/warm_search.py VAULT < QUERIES
.venv/bin/python benchmarks/warm_search.py --calls 5000 VAULT < QUERIES
.venv/bin/python benchmarks/warm_search.py --pings 200 VAULT

Printed are median milliseconds of CPU time: on one view, how much of that went into comparing the results with each
other, and on a view for each. QUERIES has one a line. With `--calls`, that many searches go to `memstore mcp`, and what
is printed is its resident memory, in MB, after 200 of them and at the end: from there on it should not grow. With
`--pings`, what is printed is the median time of a ping, in milliseconds, while nothing else is asked and while a slow
tool runs, and how often the one is the other: at most five times.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
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
    if sys.argv[1] == "--pings":
        ping(int(sys.argv[2]), sys.argv[3])
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


PAUSE_SECONDS = 0.02
SLOW = {"name": "memory_conflicts", "arguments": {"action": "list"}}


class Client:
    """A client of `memstore mcp`; to be used as a context."""

    def __init__(self, vault: str) -> None:
        words = [str(Path(sys.executable).with_name("memstore")), "--vault", vault, "--self", "mcp", "--tools", "all"]
        self.server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
        self.send("initialize", about)
        self.received()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.communicate()

    def send(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request, and return its number."""
        assert self.server.stdin
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}}
        self.server.stdin.write(json.dumps(message).encode() + b"\n")
        self.server.stdin.flush()
        return self._number

    def received(self) -> int:
        """Return the number of the request that is answered next."""
        assert self.server.stdout
        return int(json.loads(self.server.stdout.readline()).get("id", 0))


def serve(calls: int, vault: str, queries: Sequence[str]) -> None:
    """Send so many searches to a server, and print how much memory it has."""
    with Client(vault) as client:
        for number, query in enumerate(islice(cycle(queries), calls), 1):
            client.send("tools/call", {"name": "memory_search", "arguments": {"query": query}})
            client.received()
            if number in (SETTLED, calls):
                said = Path(f"/proc/{client.server.pid}/status").read_text()
                print(number, int(said.partition("VmRSS:")[2].split()[0]) // 1024)


def ping(count: int, vault: str) -> None:
    """Ping a server that does nothing, and one in which a tool runs that takes long, and print how long that took."""
    with Client(vault) as client:
        idle = [pinged(client)[0] for _ in range(count)]
        busy: list[float] = []
        running = 0
        while len(busy) < count:
            running = running or client.send("tools/call", SLOW)
            seconds, before = pinged(client)
            if running in before:
                running = 0  # it was done before the ping, or nearly
            else:
                busy.append(seconds)
        if running:
            client.received()
    medians = [statistics.median(times) * 1000 for times in (idle, busy)]
    print(f"idle {medians[0]:.2f} ms, while a tool runs {medians[1]:.2f} ms: {medians[1] / medians[0]:.1f} times")


def pinged(client: Client) -> tuple[float, list[int]]:
    """Return after how many seconds a ping was answered, and what else was answered before."""
    time.sleep(PAUSE_SECONDS)  # so that they meet all that a tool does
    start = time.perf_counter()
    number, before = client.send("ping"), []
    while (answered := client.received()) != number:
        before.append(answered)
    return time.perf_counter() - start, before


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
