"""A note has one date, from files and git alone, whatever was seen before: compared with a slow reading of both."""

from __future__ import annotations

import os
import random
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from memstore.core.times import instant, moment
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BEGIN, STEPS, SEEDS = 1_600_000_000, 22, 12
STATED = re.compile(r'^(?:date|created_at): "?([0-9TZ:-]+)', re.MULTILINE)
NAMED = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})")


class Notes:
    """A repository of plain notes whose days a clock counts: each step is a day after the one before."""

    def __init__(self, home: Path) -> None:
        self.program = InProcess(home)
        self.program.vault.mkdir()
        self.day = 0
        self.git("init", "-q", "-b", "main")
        self.put("first.md", "# First\n\nThe first note of all.\n")
        self.commit()
        self.program.ok("init", ".", "--owner", "human:tester", "--notes", "mixed")
        self.commit()

    def git(self, *words: str) -> bool:
        """Run git; return whether it succeeded."""
        self.day += 1
        times = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"@{BEGIN + self.day * 86400} +0200")
        self.program.environment |= times | {"GIT_MERGE_AUTOEDIT": "no"}
        return self.program.attempt_git(*words).returncode == 0

    def earlier(self) -> str:
        """Return the commit before this one, unless the vault was not one yet."""
        is_vault = self.program.attempt_git("cat-file", "-e", "HEAD~1:.memstore/config.toml").returncode == 0
        return "HEAD~1" if is_vault else "HEAD"

    def commit(self) -> bool:
        """Commit all there is."""
        return self.git("add", "-A") and self.git("commit", "-q", "--no-verify", "-m", "x")

    def put(self, name: str, text: str) -> None:
        """Write a note, saved on the day of the clock."""
        path = self.program.vault / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        self.touch(name)

    def touch(self, name: str) -> None:
        """Save a note anew, as it is."""
        self.day += 1
        os.utime(self.program.vault / name, (BEGIN + self.day * 86_400,) * 2)

    def listed(self) -> dict[str, str]:
        """Return the date of each note, as `list` shows it."""
        return {one["path"]: one["created_at"] or "" for one in self.program.json("list", "-n", "999")["memories"]}

    def forget(self) -> None:
        """Delete the cache."""
        shutil.rmtree(self.program.home / "cache")

    def expected(self) -> dict[str, str]:
        """Return the same from the files and the whole history, read commit by commit."""
        commits = self.program.git("rev-list", "--date-order", "--reverse", "HEAD").split()
        files: dict[str, set[str]] = {}
        renamed: set[tuple[str, str]] = set()
        for commit in commits:
            files[commit] = {*self.program.git("ls-tree", "-r", "-z", "--name-only", commit).split("\0")}
            moves = ("diff-tree", "-r", "-z", "-M50%", "--diff-filter=R", "--no-commit-id", commit)
            words = iter(self.program.git(*moves).split("\0"))
            renamed |= {(next(words), next(words)) for word in words if word.startswith(":")}
        found = {}
        for path in sorted(self.program.vault.glob("*.md")):
            if path.name == "README.md":
                continue
            if stated := STATED.search(path.read_text()) or NAMED.match(path.name):
                found[path.name] = stated[1] if "T" in stated[1] else f"{stated[1]}T00:00:00Z"
                continue
            names = {path.name}
            while more := {source for source, to in renamed if to in names} - names:
                names |= more
            first = next((commit for commit in commits if files[commit] & names), None)
            author = int(self.program.git("log", "-1", "--format=%at", first)) if first else path.stat().st_mtime
            found[path.name] = instant(moment(author))
        return found

    def adopted(self, some: str) -> None:
        """Make a note a memory, which keeps its date."""
        before = self.listed()
        if not self.program.run("adopt", some).returncode:
            assert self.listed() == before


def steps(notes: Notes, draw: random.Random) -> list[Callable[[], object]]:
    """Return what may happen next to notes."""
    here = sorted(path.name for path in notes.program.vault.glob("*n[0-9]*.md"))
    some = draw.choice(here) if here else "first.md"
    name = draw.choice(("n{}.md", "n{}.md", "2019-05-0{} n.md")).format(draw.randrange(1, 6))
    front = draw.choice(("", "", "---\ndate: 2018-07-06\n---\n"))
    path = notes.program.vault / some
    if not path.exists():
        return [lambda: notes.put(some, "# Anew\n")]
    text = path.read_text()
    return [
        lambda: notes.put(name, f"{front}# {name}\n\n{draw.random()} some words of its own\nand a second line\n"),
        lambda: notes.put(some, text + "more\n"),
        lambda: notes.put(some, text.replace("---\ndate: 2018-07-06\n---\n", "")),
        lambda: notes.put(some, text if text.startswith("---") else f"---\ndate: 2018-07-06\n---\n{text}"),
        lambda: notes.touch(some),
        lambda: notes.git("mv", some, f"n{draw.randrange(6, 9)}.md"),
        lambda: notes.git("mv", "-f", some, some.swapcase().replace(".MD", ".md")),
        lambda: path.rename(path.with_name(f"n{draw.randrange(6, 9)}.md")),
        path.unlink,
        notes.commit,
        notes.commit,
        notes.commit,
        lambda: notes.git("commit", "-q", "--amend", "--no-verify", "--reset-author", "-am", "again"),
        lambda: notes.git("checkout", "-q", "-f", "-B", "side", notes.earlier()),
        lambda: notes.git("checkout", "-q", "-f", "main"),
        lambda: notes.git("checkout", "-q", notes.earlier(), "--", "."),
        lambda: notes.git("merge", "-q", "-X", "ours", "side") or notes.git("merge", "--abort"),
        lambda: notes.git("cherry-pick", "-X", "ours", "side") or notes.git("cherry-pick", "--abort"),
        lambda: notes.git("rebase", "-q", "-X", "ours", "side") or notes.git("rebase", "--abort"),
        lambda: notes.git("stash", "-q", "-u") and notes.commit() and notes.git("stash", "pop", "-q"),
        lambda: notes.git("reset", "-q", draw.choice(("--hard", "--mixed", "--soft")), notes.earlier()),
        lambda: notes.adopted(some),
        lambda: notes.program.run("mv", some, f"n{draw.randrange(9, 12)}.md"),
    ]


@pytest.mark.soak(3)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_list_agrees_with_the_history_whatever_happened(tmp_path: Path, seed: int) -> None:
    draw, notes = random.Random(seed), Notes(tmp_path)  # noqa: S311 -- no secret
    for number in range(STEPS):
        draw.choice(steps(notes, draw))()
        if number % 3:
            continue
        expected = notes.expected()
        assert notes.listed() == expected
        if number % 2:
            notes.forget()
            assert notes.listed() == expected


def test_adopting_writes_the_date_that_is_listed(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.touch("first.md")
    listed = notes.listed()
    assert listed["first.md"] == notes.expected()["first.md"]
    notes.program.ok("adopt", "first.md")
    assert f'created_at: "{listed["first.md"]}"' in (notes.program.vault / "first.md").read_text()
    assert notes.listed()["first.md"] == listed["first.md"]


def test_where_a_shallow_clone_ends_nobody_knows(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.commit()
    notes.put("later.md", "# Later\n")
    notes.commit()
    (tmp_path / "other").mkdir()
    clone = InProcess(tmp_path / "other")
    notes.program.git("clone", "-q", "--depth", "1", f"file://{notes.program.vault}", str(clone.vault))
    dates = {one["path"]: one["created_at"] for one in clone.json("list", "-n", "9")["memories"]}
    assert (dates["first.md"], dates["later.md"]) == (None, None)
    clone.git("fetch", "-q", "--unshallow")
    assert {one["path"]: one["created_at"] for one in clone.json("list", "-n", "9")["memories"]} == notes.listed()


def test_a_stated_date_that_is_taken_out_leaves_no_trace(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.put("dated.md", "---\ndate: 2020-01-01\n---\n# Dated\n")
    notes.commit()
    assert notes.listed()["dated.md"] == "2020-01-01T00:00:00Z"
    notes.put("dated.md", "# Dated\n")
    assert notes.listed()["dated.md"] == notes.expected()["dated.md"]
