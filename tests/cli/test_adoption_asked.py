"""What `adopt` says before it asks: which folders, a few files, never a line for each of hundreds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path


def test_hundreds_of_files_are_counted_by_folder(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    for number in range(300):
        folder = program.vault / (f"few/{number}" if number < 14 else "many")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:03}.md").write_text(f"Note {number}.\n")
    program.ok("init", ".", "--owner", "human:sam")
    done = program.run("adopt")
    assert done.stdout.splitlines() == [
        "300 files can become memories; those without a type become note:",
        "   286  many/",
        *(f"     1  few/{number}/" for number in (0, 1, 10, 11, 12, 13, 2, 3, 4)),
        "     5  in 5 more folders",
        "such as",
        *(f"  few/{number}/{number:03}.md" for number in (0, 1, 10, 11, 12, 13, 2, 3, 4, 5)),
    ]
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "memstore: this needs confirmation, and this is not a terminal: adopt 300 files",
        "hint: pass --all, or name the files",
    ]
    assert len(program.json("adopt")["adoptable"]) == 300
