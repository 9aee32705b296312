"""Whatever a command did is one step of `undo`, and one that failed is none: every byte is what it was before."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEEDS, STEPS = 8, 12
MEMORY = """---
type: {type}
id: m_{id}000000001
created_at: 2026-01-0{day}T00:00:00Z
source_type: {source}
source: Sean
{more}---
{text}
"""
MEMORIES = {
    "belief.md": MEMORY.format(
        type="belief", id="a", day=1, source="told_by_human", text="The gnu wakes at six.", more="confidence: 0.6\n"
    ),
    "seen.md": MEMORY.format(type="episode", id="b", day=2, source="observation", text="It woke at six.", more=""),
    "raw/told.md": MEMORY.format(type="raw", id="c", day=3, source="told_by_human", text="Gnus like hay.", more=""),
}
NOTES = {
    "okapi.md": "The okapi sleeps until noon, see [[gnu]].\n",
    "gnu.md": "---\nmood: calm\ntags: [zoo]\n---\n# Gnu\n\nSee [the okapi](okapi.md).\n",
    "crlf.md": "# Lines\r\n\r\nend otherwise.\r\n",
    "foreign.md": "---\nid: 17\n---\nIts id is another program's.\n",
    "toml.md": '+++\ntitle = "x"\n+++\nNothing stands before it.\n',
}


def commands(draw: random.Random, here: list[str]) -> tuple[str, ...]:
    """Return a command about some files; many of them can't work."""
    one, other = draw.choice(here), draw.choice([*here, "missing.md"])
    new = f"new/{draw.randrange(99)}.md"
    return draw.choice(
        [
            ("add", f"The tapir has {draw.randrange(99)} stripes.", "--derived-from", other),
            ("add", "Zebras graze.", "--access", "human:claire"),
            ("edit", one, f"It sleeps until {draw.randrange(24)}."),
            ("edit", one, "-F", "missing.txt"),
            ("tag", one, draw.choice(("+zoo", "-zoo", "+z/" + str(draw.randrange(9))))),
            ("set", one, draw.choice(("salience=0.8", "salience=9", "mood=sad", "type=nonsense", "id=m_z"))),
            ("mv", one, draw.choice((new, other))),
            ("mv", one, new, "-c"),
            ("adopt", one),
            ("adopt", one, other),
            ("raw", "promote", one, "--to", "belief"),
            ("raw", "promote", one, "--to", "belief", "--confidence", "2"),
            ("supersede", one, f"Now it is {draw.randrange(99)}."),
            ("supersede", one, "-F", "missing.txt"),
            ("conflicts", one, other),
            ("reinforce", one, "--evidence", other),
            ("conflicts", "merge", one, other),
            ("archive", one),
            ("archive", "--restore", one),
            ("privacy", "grant", one, "--to", "human:claire"),
            ("privacy", "grant", one, "--to", "nobody at all"),
            ("conflicts", "resolve", one, other, "--keep", "nothing"),
            ("trust", "quarantine", one),
            ("trust", "witness", one, "--attest", "confirm"),
            ("forget", one, "--detach"),
            ("forget", one, other),
            ("check", "fmt", one),
        ]
    )


class Vault:
    """A mixed vault, and all that lies in it beside git's own."""

    def __init__(self, home: Path) -> None:
        self.program = InProcess(home)
        self.program.vault.mkdir()
        self.program.git("init", "-q", "-b", "main")
        for path, text in (NOTES | MEMORIES).items():
            (self.program.vault / path).parent.mkdir(exist_ok=True)
            (self.program.vault / path).write_bytes(text.encode())
        self.program.ok("init", "--owner", "human:sean", "--notes", "mixed")
        self.program.git("add", "-A")
        self.program.git("commit", "-qm", "zoo", "--no-verify")

    def paths(self) -> Iterator[Path]:
        return (path for path in self.program.vault.rglob("*") if path.is_file() and ".git" not in path.parts)

    def tree(self) -> dict[str, bytes]:
        return {path.relative_to(self.program.vault).as_posix(): path.read_bytes() for path in self.paths()}

    def notes(self) -> list[str]:
        return sorted(path for path in self.tree() if path.endswith(".md"))


def undoable(tree: dict[str, bytes]) -> dict[str, bytes]:
    """Return a tree without its audit events, which say that something was done, and stay."""
    return {path: data for path, data in tree.items() if not path.startswith("audit/")}


def would_undo(program: InProcess) -> tuple[str, str]:
    """Return what `undo` would do now."""
    done = program.run("undo", "--dry-run")
    return done.stdout, done.stderr


@pytest.mark.soak(1)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_each_command_is_one_step_of_undo_or_none(tmp_path: Path, seed: int) -> None:
    draw, vault = random.Random(seed), Vault(tmp_path)  # noqa: S311 -- no secret
    program = vault.program
    for _ in range(STEPS):
        words = commands(draw, vault.notes())
        before, known = vault.tree(), would_undo(program)
        done = program.run(*words)
        after = vault.tree()
        if after == before:
            assert words[0] == "forget" or would_undo(program) == known, (words, done)
            continue
        assert not done.returncode or words[0] == "adopt", (words, done)
        undone = program.run("undo")
        if words[0] == "forget":
            assert (undone.returncode, vault.tree()) == (4, after), (words, undone)
            continue
        assert (undone.returncode, undoable(vault.tree())) == (0, undoable(before)), (words, done, undone)
        if draw.random() < 0.5:
            program.ok("undo")
            assert undoable(vault.tree()) == undoable(after), words
