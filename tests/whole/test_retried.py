"""Clients that say everything three times, through every door and all at once: each text is there once."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from tests.agents.test_turns import MONDAY, claude, lines
from tests.mcp.serving import Wire
from tests.whole.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OWNER = ("--as", "human:tester", "--self")
TIMES, CLIENTS, LOCKED = 3, 4, 6
# All that come through one door say the last one.
TEXTS = ("Ferry {0} leaves at six.", "Nobody on pier {0} had seen it.", "The weir of Brock has {1} gates.")
BELIEF, SURE = "The ferry is late.", 0.6


class Client:
    """One of those who write; each has a number, and two memories to weigh: a belief, and what speaks for it."""

    def __init__(self, program: Program, number: int, belief: str, seen: str) -> None:
        self.program, self.number, self.belief, self.seen = program, number, belief, seen
        self.texts = texts_of(number)
        self.place = program.home / f"said-{number}.json"

    def work(self) -> None:
        """Say all of it three times."""
        for time in range(TIMES):
            (self.by_tool, self.by_command, self.by_hook, self.by_import)[self.number % 4](time)

    def by_tool(self, _: int) -> None:
        """Say it to a server of its own, which is started anew each time."""
        with Wire(self.program.in_process(), *OWNER) as wire:

            def call(tool: str, **said: object) -> None:
                def is_heard() -> bool:
                    answer = wire.call(tool, **said)
                    assert not answer.get("isError") or answer["structuredContent"]["error"]["code"] == "locked"
                    return not answer.get("isError")

                until(is_heard)

            for text in self.texts:
                call("memory_add", text=text, type="note")
            call("memory_add", text=BELIEF, type="belief", confidence=SURE)
            call("memory_evidence", action="reinforce", ref=self.belief, evidence=[self.seen])

    def by_command(self, _: int) -> None:
        """Say it by commands."""
        for text in self.texts:
            self.run("add", text)
        self.run("add", BELIEF, "-t", "belief", "--confidence", str(SURE))
        self.run("reinforce", self.belief, "--evidence", self.seen)

    def by_hook(self, _: int) -> None:
        """Let a hook hand over a transcript that goes on, one turn further each time; this host names no session."""
        turns = [claude("user", text, MONDAY, f"{place}{text}") for place, text in enumerate(self.texts)]
        for count in range(1, len(turns) + 1):
            self.place.write_text(lines(turns[:count]))
            given = {"hook_event_name": "Stop", "transcript_path": str(self.place)}
            self.program.ok(*OWNER, "raw", "--hook", stdin=json.dumps(given))

    def by_import(self, time: int) -> None:
        """Import a store of mem0, which names each memory anew."""
        found = [{"id": f"{time} {text}", "memory": text, "created_at": MONDAY} for text in self.texts]
        self.place.write_text(json.dumps({"results": found}))
        self.run("import", "mem0", str(self.place))

    def run(self, *words: str) -> None:
        """Run a command."""

        def is_done() -> bool:
            done = self.program.run(*OWNER, *words)
            assert done.returncode in (0, LOCKED), done
            return done.returncode == 0

        until(is_done)


def until(try_it: Callable[[], bool]) -> None:
    """Try until no other client is in the way, as all of them are told to."""
    assert any(try_it() for _ in range(50))


def texts_of(number: int) -> list[str]:
    """Return what a client says."""
    return [text.format(number, number % 4) for text in TEXTS]


def retried(home: Path, count: int) -> tuple[Counter[str], set[float]]:
    """Return how often each text is in a vault after some clients have worked, and how sure its beliefs are."""
    home.mkdir()
    program = Program(home)
    program.init()
    inside = program.in_process()
    belief = inside.json(*OWNER, "add", "Ferries are late.", "-t", "belief", "--confidence", "0.5")["ref"]
    seen = inside.json(*OWNER, "add", "Ferry 9 was late.", "-t", "episode")["ref"]
    with ThreadPoolExecutor(count) as pool:
        for ended in [pool.submit(Client(program, number, belief, seen).work) for number in range(count)]:
            ended.result()
    memories = [inside.json("show", one["ref"]) for one in inside.json("list", "-n", "9999")["memories"]]
    said = Counter(part for one in memories for part in one["body"].strip().split("\n\n"))
    return said, {one["confidence"] for one in memories if one["type"] == "belief"}


def test_each_text_is_there_once_and_no_belief_is_surer(tmp_path: Path, *, soak: bool) -> None:
    count = CLIENTS if soak else 2
    said, sure = retried(tmp_path / "all", count)
    assert said == Counter(
        {
            *(text for number in range(count) for text in texts_of(number)),
            BELIEF,
            "Ferries are late.",
            "Ferry 9 was late.",
        }
    )
    assert sure == retried(tmp_path / "one", 1)[1]
