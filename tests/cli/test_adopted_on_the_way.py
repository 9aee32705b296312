"""A command that is given a memory without an id gives it one, as it adopts a plain note, and says so."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

WANTS = "---\ntype: note\nsource: Sean\n---\nGreen tea wants eighty degrees.\n"
NEVER = WANTS.replace("wants", "never wants")


@pytest.fixture
def program(tmp_path: Path) -> InProcess:
    program = InProcess(tmp_path)
    program.init()
    (program.vault / "green tea.md").write_text(WANTS)
    (program.vault / "never.md").write_text(NEVER)
    return program


def test_the_command_of_a_conflict_works_as_it_stands(program: InProcess) -> None:
    command = program.json("conflicts")["conflicts"][0]["command"]
    assert "'green tea.md'" in command
    done = program.run(*shlex.split(command)[1:])
    assert (done.returncode, done.stderr.count("adopted ")) == (0, 2)
    assert program.json("conflicts")["conflicts"] == []


@pytest.mark.parametrize(
    "words",
    [
        ("merge", "green tea.md", "never.md"),
        ("privacy", "grant", "green tea.md", "--to", "human:claire"),
        ("add", "So said.", "--derived-from", "green tea.md"),
        ("quarantine", "never.md"),
    ],
)
def test_what_needs_an_id_gives_one(program: InProcess, words: tuple[str, ...]) -> None:
    done = program.run(*words)
    assert (done.returncode, "adopted " in done.stderr) == (0, True), done.stderr


def test_what_fails_or_only_shows_leaves_the_memory_as_it_was(program: InProcess) -> None:
    done = program.run("resolve-conflict", "green tea.md", "never.md", "--keep", "nothing")
    assert done.returncode == 3
    assert "green tea.md stays as it was; it would have been note:" in done.stderr
    assert "memstore adopt never.md" in program.run("merge", "never.md", "green tea.md", "--dry-run").stderr
    assert (program.vault / "green tea.md").read_text() == WANTS
    assert (program.vault / "never.md").read_text() == NEVER
