"""Consolidation by the installed program: branches, deleted suggestions, what is being worked on, local state."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess, Program

THEMES = (
    "slow walk heat",
    "stale cache build",
    "tabs spaces parser",
    "kettle limescale vinegar",
    "tram strike bicycle",
)


@pytest.fixture
def here(program: Program) -> InProcess:
    """Return the program with a committed vault of five patterns."""
    for i, theme in enumerate(THEMES * 4):
        text = memory_text(f"\n{theme}\n", type="episode", id=f"m_ep{i}", source="x", source_type="seed")
        (program.vault / f"e{i}.md").write_bytes(text)
    made = program.in_process()
    made.git("config", "user.name", "T")
    made.git("config", "user.email", "t@example.com")
    made.ok("commit", "-m", "all")
    return made


def suggestions(program: Program) -> list[Path]:
    return sorted(program.vault.glob("suggestions/*.md"))


def test_a_branch_gets_the_suggestions_and_no_file_is_touched(here: InProcess) -> None:
    before, head = here.git("status", "--porcelain"), here.git("rev-parse", "HEAD")
    done = here.json("beliefs", "consolidate", "--branch")
    assert len(done["written"]) == len(THEMES)
    assert {one["commit"] for one in done["written"]} == {here.git("rev-parse", "memstore/suggestions").strip()}
    assert (here.git("status", "--porcelain"), here.git("rev-parse", "HEAD"), suggestions(here)) == (before, head, [])
    listed = here.git("diff", "--name-status", "HEAD", "memstore/suggestions").split()
    assert sorted(listed[1::2]) == sorted(one["path"] for one in done["written"])
    assert here.json("beliefs", "consolidate", "--branch")["written"] == []
    assert here.run("beliefs", "consolidate", "--branch", "no..branch").returncode == 2
    branch = here.git("branch", "--show-current").strip()
    assert here.run("beliefs", "consolidate", "--branch", branch).returncode == 4
    here.git("merge", "-q", "memstore/suggestions")
    assert len(here.json("beliefs", "suggestions", "list")["suggestions"]) == len(THEMES)


def test_a_committed_suggestion_that_is_deleted_stays_rejected(here: InProcess) -> None:
    here.ok("beliefs", "consolidate", "--apply", "-c")
    first, *others = suggestions(here)
    first.unlink()
    assert here.ok("beliefs", "consolidate", "--apply") == ""
    here.ok("commit", "-m", "no")
    assert here.ok("beliefs", "consolidate", "--apply") == ""
    assert suggestions(here) == others


def test_git_mv_accepts(here: InProcess) -> None:
    here.ok("beliefs", "consolidate", "--apply", "-c")
    first = suggestions(here)[0]
    here.git("mv", str(first), "mine.md")
    assert "\nmine.md: belief:prop_" in here.ok("beliefs", "consolidate", "--apply")
    assert here.json("show", "mine.md")["status"] == "active"


def test_what_a_person_is_at_work_on_is_left_alone(here: InProcess) -> None:
    here.ok("beliefs", "consolidate", "--apply", "-c")
    first = suggestions(here)[0]
    here.git("mv", str(first), "mine.md")
    mine = here.vault / "mine.md"
    mine.write_bytes(mine.read_bytes() + b"\nNot yet done.\n")
    whole = mine.read_bytes()
    assert here.ok("beliefs", "consolidate", "--apply").startswith(
        "not yet: 16 episodes and raw memories wait for a belief"
    )
    assert mine.read_bytes() == whole


def test_if_due_is_remembered_beyond_the_end_of_the_program(here: InProcess) -> None:
    here.ok("config", "every", "4")
    assert here.ok("beliefs", "consolidate", "--apply", "--if-due") != ""
    assert here.ok("beliefs", "consolidate", "--apply", "--if-due") == "not due yet\n"
    assert here.json("beliefs", "consolidate", "--if-due")["due"] is False
    assert here.run("config", "every", "0").returncode == 2


def test_a_command_words_it_and_one_that_dies_is_told(here: InProcess) -> None:
    wording = here.home / "wording.py"
    wording.write_text(
        "import json, sys\nasked = json.load(sys.stdin)\n"
        "print(json.dumps({'text': 'Again: ' + ' '.join(asked['terms']), 'cites': [asked['sources'][0]['ref']]}))\n"
    )
    titles = {
        one["title"]
        for one in here.json("beliefs", "consolidate", "--with", f"{sys.executable} {wording}")["suggestions"]
    }
    assert len(titles) == len(THEMES)
    assert "Again: heat slow walk" in titles
    done = here.run("beliefs", "consolidate", "--with", f"{sys.executable} -c 'raise SystemExit(1)'")
    assert done.returncode == 0
    assert done.stderr.count("quoted instead: ") == len(THEMES)


def test_a_control_character_in_a_text_does_not_stop_consolidation(here: InProcess) -> None:
    """A text may have one, as in the output of a program; the title that is made of it may not."""
    for path in here.vault.glob("e*.md"):
        path.write_bytes(path.read_bytes().replace(b"slow walk", b"slow \x1b[31mwalk\x1b[0m \xe2\x80\xa8"))
    done = here.json("beliefs", "consolidate", "--apply")
    assert len(done["written"]) == len(THEMES)
    refs = [one["ref"] for one in here.json("beliefs", "suggestions", "list")["suggestions"]]
    for ref in refs:
        here.ok("beliefs", "suggestions", "accept", ref)
    assert here.run("check").returncode == 0
    raw = here.json("raw", "the \x1b[31mtram\x1b[0m was late")["ref"]
    here.ok("raw", "promote", raw, "--to", "episode", "--outcome", "I walked")
