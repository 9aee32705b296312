"""The programs of docs/python.md run as they stand, each with a fresh vault `notes`, and pass `mypy --strict`."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.installed import MEMSTORE, ROOT, at_home

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")
PROGRAMS = [
    (section.partition("\n")[0], found[1])
    for section in PAGE.split("\n## ")[1:]
    if (found := re.search(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL))
]
SAID = {
    "Write and find": ["Green tea wants eighty degrees.", "no result reaches confidence 0.9", "Dr Smith says"],
    "Many at once": ["4 memories in commit "],
    "Beliefs and their evidence": ["0.7 -> 0.", "Bella eats between eight and ten."],
    "Sharing": [
        "no memory matches",
        "it needs the consent of",
        "['Bella has a heart murmur.']",
        "['Small breeds with",
        "privacy revoke",
    ],
    "Conflicts, duplicates, and a check": ["contradiction ", "keep superseded", "'The vet is in Elm Street.'"],
    "Other programs, bad sources, and a page": ["Green tea cures all.", "Tea is a cure."],
    "From several threads": ["30\n30 "],
    "The calls of the five documents": ["User's favorite color is blue"],
}


def test_there_are_seven_whole_programs_and_the_calls_of_the_documents() -> None:
    assert [title for title, _ in PROGRAMS] == list(SAID)
    assert PAGE.count("```python") == len(PROGRAMS)


@pytest.mark.soak
@pytest.mark.parametrize(("title", "program"), PROGRAMS, ids=[title for title, _ in PROGRAMS])
def test_a_program_runs(title: str, program: str, tmp_path: Path) -> None:
    env = at_home(tmp_path)
    subprocess.run([MEMSTORE, "init", "notes", "--owner", "human:sean"], check=True, env=env, cwd=tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    for words in SAID[title]:
        assert words in done.stdout


def test_the_programs_pass_mypy_strict(tmp_path: Path) -> None:
    files = []
    for number, (_, program) in enumerate(PROGRAMS):
        files.append(tmp_path / f"program_{number}.py")
        files[-1].write_text(program)
    words = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *map(str, files)]
    cache = ROOT / ".mypy_cache"
    done = subprocess.run([*words, "--cache-dir", str(cache)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    assert done.returncode == 0
