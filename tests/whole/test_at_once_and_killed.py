"""Two programs at once, and programs that die: nothing is lost, nothing is half, nothing blocks the next command."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.whole.program import Program

LOCKED = 6


def test_two_programs_that_write_one_memory_lose_nothing(program: Program) -> None:
    ref, path = program.add("The kettle sings")
    kept = set()
    for round_ in range(6):
        words = [f"left{round_}", f"right{round_}"]
        running = [program.start("tag", ref, f"+{word}") for word in words]
        for child, word in zip(running, words, strict=True):
            _, told = child.communicate(timeout=60)
            assert child.returncode in (0, LOCKED), told
            if child.returncode == 0:
                kept.add(word)
            else:
                assert "meanwhile" in told
    assert kept
    assert set(program.json("show", ref)["tags"]) == kept
    assert "The kettle sings" in path.read_text()


def test_many_programs_that_add_at_once_all_add(program: Program) -> None:
    running = [program.start("add", f"Thought number {i} about kettles", "--json") for i in range(6)]
    for child in running:
        _, told = child.communicate(timeout=60)
        assert child.returncode == 0, told
    assert len(program.found("kettles")) == 6


@pytest.mark.parametrize(
    "words",
    [
        ("add", "Another thought about kettles"),
        ("set", "REF", "title=Kettles"),
        ("commit", "-m", "all"),
        ("search", "kettle"),
    ],
)
def test_a_killed_command_leaves_before_or_after(program: Program, words: tuple[str, ...]) -> None:
    ref, path = program.add("The kettle sings", "--title", "A kettle")
    whole = path.read_bytes()
    here = program.in_process()
    for delay in (0.03, 0.08, 0.13, 0.2, 0.27, 0.35, 0.45, 0.6):
        if words[0] == "search":
            for i in range(60):
                (program.vault / f"{delay}-{i}.md").write_text(
                    f"---\ntype: note\nid: m_{int(delay * 1e6)}_{i}\n---\nA kettle, {i}\n"
                )
        child = program.start(*(ref if word == "REF" else word for word in words))
        try:
            child.wait(timeout=delay)
        except subprocess.TimeoutExpired:  # still running: that is what we are here for
            child.send_signal(signal.SIGKILL)
        child.communicate()
        done = here.run("check")
        assert done.returncode == 0, done.stdout
        assert path.read_bytes() in (whole, whole.replace(b"title: A kettle", b"title: Kettles"))
        assert path.relative_to(program.vault).as_posix() in here.found("sings")
        here.ok("tag", ref, "+alive")
        here.ok("tag", ref, "-alive")
        program.git("status")
        whole = path.read_bytes()
