"""A person's week with notes that are no memories, in a repository with history: what each command tells of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path

KETTLE = "# Kettle\n\nIt sings at ninety degrees.\nDescale it in spring.\nSee [[Cups]].\n"
CUPS = "---\ntags: [tableware]\nurl: https://cups.example/blue\n---\n# Cups\n\nSix blue ones, one chipped.\n"
MINE = "human:mia"


@pytest.fixture(params=["mixed", "own"])
def notes(tmp_path: Path, request: pytest.FixtureRequest) -> InProcess:
    """Notes of two commits; in a vault of one's own, what has a fence would be a memory, so they have none."""
    program = Program(tmp_path).in_process()
    program.vault.mkdir()
    is_own = request.param == "own"
    program.git("init", "-q", "-b", "main")
    if is_own:
        program.ok("init", ".", "--owner", MINE, "--notes", "own")
    write(program, {"kettle.md": KETTLE, "kitchen/cups.md": CUPS.partition("blue\n---\n")[2] if is_own else CUPS})
    write(program, {"main.py": "print()\n"})
    commit(program, "first", "2024-05-01T10:00:00Z")
    write(program, {"tea.md": "# Tea\n\nGreen.\nBlack.\nWhite.\n"})
    commit(program, "second", "2024-06-01T10:00:00Z")
    if not is_own:
        program.ok("init", ".", "--owner", MINE)
    program.ok("commit")
    assert lines(program, "status")[1:] == []
    return program


def write(program: Program, files: dict[str, str]) -> None:
    for path, text in files.items():
        (program.vault / path).parent.mkdir(parents=True, exist_ok=True)
        (program.vault / path).write_text(text)


def commit(program: Program, subject: str, at: str) -> None:
    program.git("add", "-A")
    program.environment |= {"GIT_COMMITTER_DATE": at, "GIT_AUTHOR_DATE": at}
    program.git("commit", "-q", "--no-verify", "-m", subject)
    for name in ("GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"):
        del program.environment[name]


def lines(program: Program, *words: str) -> list[str]:
    """Return the lines of a command's answer that say something."""
    return [line for line in program.ok(*words).splitlines() if line]


def subject(program: Program) -> str:
    return program.git("log", "-1", "--format=%s").strip()


def test_a_week(notes: InProcess) -> None:
    # Monday: an edit, a new file, one that goes, one that is renamed and edited; and what is no note at all.
    edited = KETTLE.replace("ninety", "eighty")
    write(notes, {"kettle.md": edited, "new.md": "# Spoons\n\nFour.\n", "main.py": "print(1)\n"})
    (notes.vault / "kitchen/cups.md").unlink()
    (notes.vault / "tea.md").rename(notes.vault / "teas.md")
    with (notes.vault / "teas.md").open("a") as file:
        file.write("Red.\n")
    assert lines(notes, "status")[1:] == [
        "not committed (memstore commit)",
        "  edit kettle.md: body: 1 line changed",
        "  delete kitchen/cups.md",
        "  add new.md",
        "  edit teas.md (from tea.md): body: 1 line changed",
    ]
    assert lines(notes, "diff")[:7] == [
        "edit kettle.md",
        "  body: 1 line changed",
        "@@ -1,5 +1,5 @@",
        " # Kettle",
        " ",
        "-It sings at ninety degrees.",
        "+It sings at eighty degrees.",
    ]
    assert lines(notes, "diff", "teas.md")[0] == "edit teas.md (from tea.md)"

    # Tuesday: some are committed, called by title, by file, or by the name of a file that is gone; then the rest.
    assert lines(notes, "commit", "kettle.md")[0].endswith(" edit Kettle")
    assert lines(notes, "commit", "Tea")[0].endswith(" edit Tea")
    assert lines(notes, "commit", "kitchen/cups.md")[0].endswith(" delete kitchen/cups.md")
    assert lines(notes, "commit")[0].endswith(" add Spoons")
    assert notes.git("status", "--porcelain").split() == ["M", "main.py"]
    assert lines(notes, "status")[0].startswith("3 notes, on branch main at ")
    assert notes.run("commit").stdout == "nothing to commit\n"
    assert "no difference" in notes.run("diff").stderr

    # Wednesday: its history, back over its former name; and who wrote which line.
    told = [(one["verb"], one["path"]) for one in notes.json("log", "Tea")["entries"]]
    assert told == [("edit", "teas.md"), ("add", "tea.md")]
    assert [one["title"] for one in notes.json("log", "-n", "2")["entries"]] == ["Spoons", "Cups"]
    blamed = notes.json("blame", "Tea")
    assert [line["text"] for line in blamed["body"]] == ["# Tea", "", "Green.", "Black.", "White.", "Red."]
    assert len({line["commit"] for line in blamed["body"]}) == 2
    assert lines(notes, "diff", "Tea", "2024-06-02", "now")[0] == "edit teas.md (from tea.md)"

    # Thursday: memstore's own commands, each one step to undo.
    before = (notes.vault / "kettle.md").read_bytes()
    write(notes, {"cup.md": "of [[Kettle]]\n"})
    notes.ok("commit")
    notes.ok("mv", "kettle.md", "kitchen/kettle.md", "-c")
    assert subject(notes) in ("move Kettle", "2 notes: 1 edited, 1 moved")
    notes.ok("undo")
    assert (notes.vault / "kettle.md").read_bytes() == before
    assert "move kettle.md (from kitchen/kettle.md)" in notes.ok("status")
    notes.ok("commit")

    # Friday: somebody else's branch.
    notes.git("switch", "-q", "-c", "guest")
    write(notes, {"kettle.md": edited + "It is Ann's.\n"})
    notes.ok("commit", "-m", "by Ann")
    notes.git("switch", "-q", "main")
    assert {one["kind"] for one in notes.json("review", "guest")["changed"]} == {"note"}
    assert notes.json("review", "guest")["changed"][0]["path"] == "kettle.md"
    counted = notes.json("stats")
    assert (counted["total"], counted["notes"]) == (0, 4)
    assert notes.run("check").stderr.startswith("4 notes, 0 errors, 0 warnings; 1 link leads nowhere")


def test_what_a_reader_is_shown_who_is_not_the_owner(notes: InProcess) -> None:
    write(notes, {"kettle.md": KETTLE + "More.\n"})
    notes.ok("config", "notes_for", "human:ann")
    notes.ok("commit", "-m", "settings", "kettle.md")
    write(notes, {"kettle.md": KETTLE + "More and more.\n", "new.md": "New.\n"})
    assert "edit kettle.md" in notes.ok("--as", "human:ann", "--self", "status")
    assert notes.json("--as", "human:ann", "--self", "stats")["notes"] == 4
    for who in (("--as", "human:eve"), ("--as", "human:ann", "--context", "ctx:any"), ("--as", "human:eve", "--self")):
        status = notes.json(*who, "status")
        assert (status["uncommitted"], status["notes"], status["own_files"]) == ([], 0, [])
        assert notes.json(*who, "stats")["words"] == 0
        assert notes.run(*who, "commit").stdout == "nothing to commit\n"
        hidden, missing = (notes.run(*who, "commit", name) for name in ("kettle.md", "nettle.md"))
        assert hidden.stderr.replace("kettle", "nettle") == missing.stderr
        assert hidden.returncode == missing.returncode != os.EX_OK


def test_a_commit_of_what_a_command_wrote_calls_the_note_by_its_title(notes: InProcess) -> None:
    notes.ok("mv", "tea.md", "drinks.md", "-c")
    assert subject(notes) == "move Tea"
    assert notes.git("show", "--format=", "--name-status", "-M").split() == ["R100", "tea.md", "drinks.md"]
