"""The order of hits is the same from one second to the next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memstore.memories.search import Wish, search
from tests.memory_workspace import memory_workspace
from tests.support import TickClock, memory_text

NOTED = datetime(2026, 3, 1, 9, tzinfo=UTC)


def note(name: str, words: str, noted: datetime) -> bytes:
    return memory_text(f"{words} The ferry is late.", id=f"m_{name}", created_at=f"{noted:%Y-%m-%dT%H:%M:%SZ}")


def test_of_two_that_say_the_same_the_newer_comes_first_at_any_second() -> None:
    files = {
        "aa.md": note("aa", "Gusts over Kilburn today.", NOTED),
        "bb.md": note("bb", "Fog around Dornoch today.", NOTED + timedelta(seconds=1)),
    }
    orders = set()
    for second in range(60):
        ws = memory_workspace(files)._replace(clock=TickClock(NOTED + timedelta(days=40, seconds=second)))
        orders.add(tuple(hit.path for hit in search(ws.view(), "ferry late", Wish()).hits))
    assert orders == {("bb.md", "aa.md")}
