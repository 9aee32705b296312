"""A person's second week with their notes, at terminals of two widths: forty steps, and what each of them shows."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from memstore.core.columns import columns
from tests.terminal import at_a_terminal
from tests.whole.program import Program
from tests.whole.test_a_week_of_notes import commit, write

if TYPE_CHECKING:
    from pathlib import Path

OWNER = "human:mia"
ROWS = 400
LONG = "A letter to the council about the bridge that everybody crosses and nobody repairs"
NOTES = {
    "kettle.md": "# Kettle\n\nIt sings at ninety degrees.\nDescale it in spring.\nSee [[Cups]].\n",
    "kitchen/cups.md": "---\nrating: 4\ntags: [tableware]\n---\n# Cups\n\nSix blue ones, one chipped.\n",
    "letters/bridge.md": f"# {LONG}\n\n"
    + "The bridge sways when the bus crosses it, and the rail is loose. " * 6
    + "\n",
    "人/花子.md": "# 花子\n\n花子 drinks 玄米茶, brown rice tea, out of the chipped cup.\n",
}
# What is typed, and some of what is then shown; a change of files before it, where there is one.
STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("init . --owner human:mia", ("found 4 notes, 1 with frontmatter", "try memstore search")),
    ("commit", ("vault:",)),
    ("status", ("4 notes, on branch main",)),
    ("list", ("Kettle kettle.md 2024-05-01", "花子 人/花子.md")),
    ("search chipped cup", ("花子\n人/花子.md:3", "Cups\nkitchen/cups.md:7")),
    ("search bridge rail", ("A letter to the council", "letters/bridge.md:3")),
    ("search rating:4", ("kitchen/cups.md",)),
    ("search no-such-word", ("nothing found for: no-such-word",)),
    ("search ketle", ("did you mean: kettle",)),
    ("show Kettle", ("It sings at ninety degrees.",)),
    ("links Kettle", ("kettle.md:5: Cups kitchen/cups.md [[Cups]]",)),
    ("tag Kettle +tea", ("kettle.md: Kettle",)),
    ("status", ("edit kettle.md: tags +tea",)),
    ("diff", ("edit kettle.md", "tags +tea")),
    ("undo", ("undone: tag of",)),
    ("undo", ("redone: tag, undone at",)),
    ("undo", ("undone: tag of",)),
    ("status", ("4 notes, on branch main",)),
    ("set kitchen/cups.md rating=5", ("kitchen/cups.md: Cups",)),
    ("list --where rating=5", ("Cups kitchen/cups.md",)),
    ("undo", ("undone: set of", "kitchen/cups.md")),
    ("list --where rating=5", ("no memory matches",)),
    ("mv kettle.md kitchen/kettle.md", ("kitchen/kettle.md: was kettle.md",)),
    ("commit", ("move Kettle",)),
    ("log Kettle", ("move Kettle kitchen/kettle.md: from kettle.md", "add Kettle kettle.md")),
    ("blame Kettle", ("Descale it in spring.",)),
    ("show Kettle --at 2024-05-02", ("kettle.md @", "It sings")),
    ("search sings --at 2024-05-02", ("Kettle\nkettle.md:3",)),
    ("diff Kettle 2024-05-02 now", ("move kitchen/kettle.md (from kettle.md)",)),
    ("review guest", ("guest against main", "changed", "kitchen/kettle.md")),
    ("!git merge -q guest", ()),
    ("search eighty", ("kitchen/kettle.md:3", "It sings at eighty degrees.")),
    ("log -n 2", ("edit Kettle kitchen/kettle.md",)),
    ("check", ("4 notes, 0 errors, 0 warnings",)),
    ("conflicts", ("no conflicts", "plain notes aren't compared")),
    ("stats", ("4 notes",)),
    ("show ketle", ("no memory matches `ketle`",)),
    ("shwo Kettle", ("'shwo' is not a command of memstore", "show")),
    ("add 'Rooibos needs no care'", ("note:m_", "Rooibos needs no care")),
    ("doctor", ("repository",)),
)


@pytest.mark.parametrize("width", [80, 120])
def test_forty_steps(tmp_path: Path, width: int) -> None:
    program = Program(tmp_path)
    program.vault.mkdir()
    program.git("init", "-q", "-b", "main")
    write(program, NOTES)
    commit(program, "first", "2024-05-01T10:00:00Z")
    assert len(STEPS) == 40
    for typed, shown in STEPS:
        if typed.startswith("!git"):
            program.git(*typed.split()[1:])
            continue
        if typed == "review guest":
            program.git("switch", "-q", "-c", "guest")
            kettle = program.vault / "kitchen/kettle.md"
            kettle.write_text(kettle.read_text().replace("ninety", "eighty"))
            program.git("commit", "-qam", "by a guest", "--no-verify")
            program.git("switch", "-q", "main")
        environment = program.environment | {"TERM": "xterm", "NO_COLOR": "1", "EDITOR": "true"}
        seen = at_a_terminal(tuple(shlex.split(typed)), program.vault, environment, size=(ROWS, width))
        assert "Traceback" not in seen.text, seen.text
        told = "\n".join(" ".join(line.split()) for line in seen.text.split("\n"))
        for words in shown:
            assert words in told or " ".join(words.split()) in " ".join(told.split()), (typed, words, seen)
        for line in seen.text.split("\n"):
            assert columns(line) <= width or len(line.split()) == 1, (typed, line)
