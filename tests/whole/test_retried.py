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

OWNER, TIMES, CLIENTS = ("--as", "human:tester", "--self"), 3, 4
# All that come through one door say the last one.
TEXTS = ("Ferry {0} leaves at six.", "Nobody on pier {0} had seen it.", "The weir of Brock has {1} gates.")
BELIEF, SURE = "The ferry is late.", 0.6


def by_tool(program: Program, said: list[str], evidence: tuple[str, str]) -> None:
    """Say it to a server."""
    belief, seen = evidence
    with Wire(program, *OWNER) as wire:
        for _ in range(TIMES):
            for text in said:
                assert not wire.call("memory_add", text=text, type="note").get("isError")
            assert not wire.call("memory_add", text=BELIEF, type="belief", confidence=SURE).get("isError")
            wire.call("memory_evidence", action="reinforce", ref=belief, evidence=[seen])


def by_command(program: Program, said: list[str], evidence: tuple[str, str]) -> None:
    """Say it by commands."""
    for _ in range(TIMES):
        for text in said:
            program.ok(*OWNER, "add", text)
        program.ok(*OWNER, "add", BELIEF, "-t", "belief", "--confidence", str(SURE))
        program.run(*OWNER, "reinforce", evidence[0], "--evidence", evidence[1])


def by_hook(program: Program, said: list[str], _: tuple[str, str]) -> None:
    """Let a hook hand over a transcript that goes on, one turn further each time; this host names no session."""
    turns = [claude("user", text, MONDAY, f"{place}{text}") for place, text in enumerate(said)]
    place = program.home / f"{abs(hash(said[0]))}.jsonl"
    for _ in range(TIMES):
        for count in range(1, len(turns) + 1):
            place.write_text(lines(turns[:count]))
            given = {"hook_event_name": "Stop", "transcript_path": str(place)}
            program.ok(*OWNER, "raw", "--hook", stdin=json.dumps(given))


def by_import(program: Program, said: list[str], _: tuple[str, str]) -> None:
    """Import a store of mem0, which names each memory anew."""
    place = program.home / f"{abs(hash(said[0]))}.json"
    for time in range(TIMES):
        found = [{"id": f"{time} {text}", "memory": text, "created_at": MONDAY} for text in said]
        place.write_text(json.dumps({"results": found}))
        program.ok(*OWNER, "import", "mem0", str(place))


DOORS: tuple[Callable[[Program, list[str], tuple[str, str]], None], ...] = (by_tool, by_command, by_hook, by_import)


def texts_of(client: int) -> list[str]:
    """Return what a client says."""
    return [text.format(client, client % len(DOORS)) for text in TEXTS]


def retried(home: Path, clients: int) -> tuple[Counter[str], set[float]]:
    """Return how often each text is in a vault, and how sure its beliefs are."""
    home.mkdir()
    program = Program(home)
    program.init()
    belief = program.json(*OWNER, "add", "Ferries are late.", "-t", "belief", "--confidence", "0.5")["ref"]
    seen = program.json(*OWNER, "add", "Ferry 9 was late.", "-t", "episode")["ref"]
    with ThreadPoolExecutor(clients) as pool:
        done = [pool.submit(DOORS[one % len(DOORS)], program, texts_of(one), (belief, seen)) for one in range(clients)]
    for one in done:
        one.result()
    memories = [program.json("show", one["ref"]) for one in program.json("list", "-n", "9999")["memories"]]
    said = Counter(part for one in memories for part in one["body"].strip().split("\n\n"))
    return said, {one["confidence"] for one in memories if one["type"] == "belief"}


def test_each_text_is_there_once_and_no_belief_is_surer(tmp_path: Path, *, soak: bool) -> None:
    clients = CLIENTS if soak else 2
    said, sure = retried(tmp_path / "all", clients)
    texts = {text for one in range(clients) for text in texts_of(one)}
    assert said == Counter([*texts, BELIEF, "Ferries are late.", "Ferry 9 was late."])
    assert sure == retried(tmp_path / "one", 1)[1]
