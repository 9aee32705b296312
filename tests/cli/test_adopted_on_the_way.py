"""A command that is given a memory without an id gives it one, as it adopts a plain note, and says so."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.soak(10, together=True)

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
        ("conflicts", "merge", "green tea.md", "never.md"),
        ("privacy", "grant", "green tea.md", "--to", "human:claire"),
        ("add", "So said.", "--derived-from", "green tea.md"),
        ("trust", "quarantine", "never.md"),
    ],
)
def test_what_needs_an_id_gives_one(program: InProcess, words: tuple[str, ...]) -> None:
    done = program.run(*words)
    assert (done.returncode, "adopted " in done.stderr) == (0, True), done.stderr


def test_what_fails_or_only_shows_leaves_the_memory_as_it_was(program: InProcess) -> None:
    done = program.run("conflicts", "resolve", "green tea.md", "never.md", "--keep", "nothing")
    assert done.returncode == 3
    assert "green tea.md stays as it was; it would have been note:" in done.stderr
    assert (
        "memstore adopt never.md" in program.run("conflicts", "merge", "never.md", "green tea.md", "--dry-run").stderr
    )
    assert (program.vault / "green tea.md").read_text() == WANTS
    assert (program.vault / "never.md").read_text() == NEVER


GNU = """---
type: belief
id: m_0000000g77
confidence: 0.6
source_type: told_by_human
source: Sean
---
The gnu wakes at six.
"""
OKAPI = "The okapi sleeps until noon, see [[never]].\n"


@pytest.fixture
def mixed(tmp_path: Path) -> InProcess:
    """Return a vault with two plain notes and a memory, all committed."""
    program = InProcess(tmp_path)
    program.vault.mkdir()
    program.git("init", "-q", "-b", "main")
    (program.vault / "okapi.md").write_text(OKAPI)
    (program.vault / "never.md").write_text("Never wakes it.\n")
    program.ok("init", "--owner", "human:sean", "--notes", "mixed")
    (program.vault / "gnu.md").write_text(GNU)
    program.git("add", "-A")
    program.git("commit", "-qm", "zoo")
    return program


def _texts(program: InProcess) -> dict[str, str]:
    paths = (path for path in sorted(program.vault.rglob("*.md")) if "audit" not in path.parts)
    return {path.relative_to(program.vault).as_posix(): path.read_text() for path in paths}


CHANGES = [
    ("set", "okapi.md", "importance=high"),
    ("set", "okapi.md", "importance=high", "-c"),
    ("edit", "okapi.md", "The okapi sleeps until one."),
    ("privacy", "grant", "okapi.md", "--to", "human:claire"),
    ("reinforce", "gnu.md", "--evidence", "okapi.md", "-c"),
    ("supersede", "okapi.md", "The okapi sleeps until two.", "-c"),
    ("conflicts", "merge", "okapi.md", "never.md"),
    ("add", "So it was seen.", "--derived-from", "okapi.md", "-c"),
    ("archive", "okapi.md"),
]


@pytest.mark.soak(3)
@pytest.mark.parametrize("words", CHANGES, ids=" ".join)
def test_a_command_and_its_adoption_are_one_step_and_one_commit(mixed: InProcess, words: tuple[str, ...]) -> None:
    before = _texts(mixed)
    done = mixed.run(*words)
    assert (done.returncode, "adopted okapi.md" in done.stderr) == (0, True), done
    after = _texts(mixed)
    if "-c" in words:
        assert mixed.git("status", "--short") == ""
        assert mixed.git("rev-list", "--count", "HEAD").strip() == "2"
    mixed.ok("undo")
    assert _texts(mixed) == before
    mixed.ok("undo")
    assert _texts(mixed) == after


# Of a note, what it becomes.
STAYS_PLAIN = {
    ("tag", "okapi.md", "+zoo"): ("okapi.md", f"---\ntags: [zoo]\n---\n{OKAPI}"),
    ("tag", "okapi.md", "--", "-zoo"): ("okapi.md", OKAPI),
    ("set", "okapi.md", "salience=0.8"): ("okapi.md", f"---\nsalience: 0.8\n---\n{OKAPI}"),
    ("mv", "okapi.md", "zoo/okapi.md"): ("zoo/okapi.md", OKAPI),
    ("tag", "emu.md", "+zoo", "+bird"): ("emu.md", "---\nTags: bird, zoo\nheight: 2\n---\nThe emu runs.\n"),
    ("tag", "emu.md", "+zoo", "-bird"): ("emu.md", "---\nTags: zoo\nheight: 2\n---\nThe emu runs.\n"),
    ("set", "emu.md", "Height=3"): ("emu.md", "---\nTags: bird\nheight: 3\n---\nThe emu runs.\n"),
}


@pytest.mark.parametrize("commit", [False, True])
@pytest.mark.parametrize("words", STAYS_PLAIN, ids=" ".join)
def test_what_needs_no_id_leaves_a_note_plain(mixed: InProcess, words: tuple[str, ...], *, commit: bool) -> None:
    (mixed.vault / "emu.md").write_text("---\nTags: bird\nheight: 2\n---\nThe emu runs.\n")
    mixed.git("add", "-A")
    mixed.git("commit", "-qm", "emu")
    before, (path, text) = _texts(mixed), STAYS_PLAIN[words]
    done = mixed.run(words[0], *(["-c"] * commit), *words[1:])
    assert (done.returncode, "adopted" in done.stderr) == (0, False), done
    after = _texts(mixed)
    assert after == {name: said for name, said in before.items() if name != words[1]} | {path: text}
    if commit:
        assert mixed.git("status", "--short") == ""
        assert words[1] not in mixed.git("log", "-1", "--format=%B")
    if after != before:
        mixed.ok("undo")
        assert _texts(mixed) == before
        assert not [*mixed.vault.glob("audit/**/*.json")]


@pytest.mark.parametrize("words", [("set", "okapi.md", "importance=high", "-c")], ids=" ".join)
def test_who_takes_an_adoption_back_is_on_record_as_having_made_a_note_of_the_memory(
    mixed: InProcess, words: tuple[str, ...]
) -> None:
    adopted = mixed.run(*words).stderr.split("adopted okapi.md: ")[1].split()[0]
    mixed.ok("undo")
    events = [json.loads(path.read_text()) for path in mixed.vault.glob("audit/**/*.json")]
    assert [event["about"].get("unadopted") for event in events] == [[adopted.partition(":")[2]]]


def test_a_vault_that_commits_by_itself_commits_an_adoption_with_its_command(mixed: InProcess) -> None:
    mixed.ok("config", "auto_commit", "true")
    mixed.ok("commit")
    mixed.ok("set", "okapi.md", "importance=high")
    assert mixed.git("rev-list", "--count", "HEAD").strip() == "3"
    assert "okapi.md" not in mixed.git("status", "--short")


def test_undo_takes_back_no_text_that_was_saved_after_the_adoption(mixed: InProcess, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f"#!/bin/sh\necho autosaved >> '{mixed.vault}/okapi.md'\nsed -i '1s/^/Written.\\n/;' $1\n")
    editor.chmod(0o755)
    mixed.run("edit", "okapi.md", EDITOR=str(editor))
    mixed.run("undo")
    assert "autosaved" in (mixed.vault / "okapi.md").read_text()


def test_what_fails_is_no_step_of_undo_and_leaves_no_trace(mixed: InProcess) -> None:
    mixed.ok("tag", "gnu.md", "+zoo")
    before = {path: path.read_bytes() for path in mixed.vault.rglob("*") if path.is_file()}
    failed = mixed.run("raw", "promote", "okapi.md", "--to", "belief")
    assert failed.returncode == 4
    assert "memstore supersede okapi.md TEXT" in failed.stderr
    assert {path: path.read_bytes() for path in mixed.vault.rglob("*") if path.is_file()} == before
    assert mixed.ok("undo").startswith("undone: tag")
    assert (mixed.vault / "gnu.md").read_text() == GNU
