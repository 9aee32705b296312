"""Times that others wrote, beyond any calendar, stop no command: those of commits, of files, and of front matter."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import Exit
from tests.whole.hidden import LOOKING, PROMPT, every_command
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path

# What stands behind an author's and a committer's name.
IDENTS = (
    "<a@b.c> 253402300800 +0000", "<a@b.c> -5 +0000", "<a@b.c> 99999999999999999999999 +0000", "<a@b.c> 0 -0000",
    "<a@b.c> 1700000000 +9999", "<a@b.c> 1700000000 -2460", "<a@b.c> 9223372036854775807 +1400", "<a@b.c> soon", "",
    "<a@b.c> 253402300799 -1400",
)  # fmt: skip
DATES = (
    "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "10000-01-01", "0000-00-00", "-5", "253402300800", ".inf",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2024-05-01T00:00:00+99:99", "2024-05-01T00:00:0\u0660Z",
)  # fmt: skip
SAVED = (-1, -(10**11), 16_725_225_600, 10**12)
# The commands that reckon with the time of a memory or a commit.
ABOUT_TIME = {"show", "log", "blame", "why", "trace", "trust", "reinforce", "privacy", "merge", "supersede", "export"}


def commit(program: Program, ident: str, committer: str | None = None) -> None:
    """Commit all there is as git itself never would."""
    program.git("add", "-A")
    parents = program.attempt_git("rev-parse", "-q", "--verify", "HEAD").stdout.split()
    head = [f"tree {program.git('write-tree').strip()}", *(f"parent {parent}" for parent in parents)]
    data = "\n".join([*head, f"author A {ident}", f"committer A {committer or ident}", "", "tea", ""])
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        cwd=program.vault, env=program.environment, input=data, capture_output=True, text=True, check=True,
    )  # fmt: skip
    program.git("update-ref", "HEAD", made.stdout.strip())


@pytest.fixture(scope="module", params=["sha1", "sha256"])
def program(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> InProcess:
    program = InProcess(tmp_path_factory.mktemp("outer"))
    program.vault.mkdir()
    (program.home / "seeds.md").write_text("- tea\n")
    program.git("init", "-q", "-b", "main", f"--object-format={request.param}")
    for number, ident in enumerate(IDENTS):
        _put(program.vault / f"g{number}.md", f"# Plain {number}\n\ntea lake, see [[g0]]\n")
        commit(program, ident)
    program.ok("init", ".", "--owner", "human:tester", "--notes", "mixed")
    for number, date in enumerate(DATES):
        _put(program.vault / f"d{number}.md", f"---\ncreated: {date}\n---\ntea boat\n")
        _put(program.vault / f"m{number}.md", MEMORY.format(id=f"m_00000000{number:02}", date=date))
    for number, seconds in enumerate(SAVED):
        saved = _put(program.vault / f"s{number}.md", "tea saved\n")
        with suppress(OSError, OverflowError):
            os.utime(saved, (seconds, seconds))
    return program


MEMORY = """---
type: belief
id: {id}
owner: human:tester
created_at: "{date}"
confidence: 0.6
confidence_history:
  - {{timestamp: "{date}", op: assert, old: null, new: 0.6, by: "human:tester"}}
derived_from: [note:m_0000000000]
---

tea boat
"""


def _put(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_no_command_fails(program: InProcess) -> None:
    named = every_command(["m_0000000001"], ["m1.md"])
    past = [("list", "--at", f"HEAD~{back}") for back in range(len(IDENTS))]
    looking = [words for words in LOOKING if "--json" not in words]
    for words in [*looking, *past, *(words for words in named if words[0] in ABOUT_TIME)]:
        done = program.run(*words, MEMSTORE_NO_USAGE="1", EDITOR="true", stdin=PROMPT)
        assert done.returncode != Exit.BUG, (words, done.stderr)
        assert "Traceback" not in done.stderr, (words, done.stderr)


def test_whatever_is_there_is_found_and_dated(program: InProcess) -> None:
    listed = {one["path"]: one["created_at"] for one in program.json("list", "-n", "999")["memories"]}
    assert {f"g{number}.md" for number in range(len(IDENTS))} < {*listed}
    assert listed["g0.md"] == listed["g9.md"] == "9999-12-31T23:59:59Z"
    assert listed["g1.md"] == listed["g7.md"] == "1970-01-01T00:00:00Z"
    assert listed["g4.md"] == "2023-11-14T22:13:20Z"
    assert listed["s0.md"] == "1969-12-31T23:59:59Z"
    assert listed["d7.md"] == "0001-01-01T00:00:00Z"


def test_a_date_that_cannot_be_read_is_said(program: InProcess) -> None:
    findings = json.loads(program.run("check", "--json").stdout)["findings"]
    found = {one["path"]: one["text"] for one in findings if one["code"] == "note-date"}
    assert found.pop("g0.md") == "its first commit is dated after the year 9999"
    assert found["d2.md"] == "`created` is no date: `10000-01-01`"
    # What is 253402300800 counts milliseconds.
    assert {f"d{number}.md" for number in (2, 3, 4, 6)} == {path for path in found if path.startswith("d")}
