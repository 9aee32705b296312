"""Two programs at once, and programs that die: nothing is lost, nothing is half, nothing blocks the next command."""

from __future__ import annotations

import signal
import subprocess
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.whole.program import Program

LOCKED = 6


def at_once(program: Program, *commands: Sequence[str]) -> list[tuple[int, str]]:
    """Run commands at the same time; return for each its exit code and what it says on standard error."""
    with ExitStack() as running:  # no test leaves a program behind, not even one that fails
        children = [running.enter_context(program.start(*words)) for words in commands]
        for child in children:
            running.callback(child.kill)
        return [(child.returncode, told) for child in children for _, told in [child.communicate(timeout=60)]]


def test_two_programs_that_write_one_memory_lose_nothing(program: Program) -> None:
    ref, path = program.add("The kettle sings")
    kept = set()
    for round_ in range(6):
        words = [f"left{round_}", f"right{round_}"]
        for word, (code, told) in zip(words, at_once(program, *(("tag", ref, f"+{w}") for w in words)), strict=True):
            assert code in (0, LOCKED), told
            if code == 0:
                kept.add(word)
            else:
                assert "in the meantime" in told
    assert kept
    assert set(program.json("show", ref)["tags"]) == kept
    assert "The kettle sings" in path.read_text()


def test_many_programs_that_add_at_once_all_add(program: Program) -> None:
    done = at_once(program, *(("add", f"Thought number {i} about kettles", "--json") for i in range(6)))
    assert [code for code, _ in done] == [0] * 6, done
    assert len(program.found("kettles")) == 6


@pytest.mark.soak
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
