"""What one commit takes away so that the next may widen: both ways are stopped at the first step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = InProcess(tmp_path)
    program.init()
    return program


def test_a_subject_of_a_granted_memory_is_not_dropped(program: Program) -> None:
    _, path = program.add("Bella is tired.", "--subject", "dog:bella", "--access", "human:sean", "--commit")
    told = path.read_text()
    assert "dog:bella" in told
    path.write_text("".join(line for line in told.splitlines(keepends=True) if "dog:bella" not in line))
    done = program.run("commit", "-m", "x")
    assert done.returncode != 0
    assert "dog:bella has a say in who sees the memory" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("access_grants=human:sean,human:eve",), 'access_grants gained "human:eve" without consent of dog:bella'),
        (("access_grants=*", "consent_grants=human:sean"), 'access_grants gained "*" without consent'),
        (("subject_ids=",), "dog:bella has a say"),
        (("owner=human:eve",), "human:eve became the owner without consent of dog:bella"),
    ],
)
def test_set_and_edit_widen_no_more_than_a_commit_may(program: Program, words: tuple[str, ...], said: str) -> None:
    program.ok("privacy", "entity", "add", "dog:bella", "--guardian", "human:sean")
    ref, path = program.add("Bella is tired.", "--subject", "dog:bella", "--access", "human:sean")
    before = path.read_bytes()
    done = program.run("set", ref, *words)
    assert done.returncode == 4
    assert said in done.stderr
    assert path.read_bytes() == before
    key, _, value = words[0].partition("=")
    editor = program.home / "editor.sh"
    editor.write_text(f"#!/bin/sh\nsed -i -e '/^{key}:/d' -e 's/^type: note/type: note\\n{key}: [{value}]/' \"$1\"\n")
    if key == "owner":
        editor.write_text(editor.read_text().replace(f"[{value}]", value))
    editor.write_text(editor.read_text().replace("[*]", '["*"]'))
    editor.chmod(0o700)
    done = program.run("edit", ref, EDITOR=str(editor))
    assert done.returncode == 4 or said[:20] in done.stderr
    assert path.read_bytes() == before
    # What nobody else has a say in is its owner, who therefore can't share it.
    mine, path = program.add("Tea is hot.")
    program.ok("set", mine, "access_grants=*", "owner=human:eve")
    assert "human:eve" in path.read_text()
    assert [event["event"] for event in program.json("privacy", "log", "show", mine.partition(":")[2])["events"]] == [
        "privacy set"
    ]
    program.ok("undo")
    assert "undo" in {event["event"] for event in program.json("privacy", "log", "show")["events"]}


def test_a_refusal_is_not_deleted(program: Program) -> None:
    program.ok(
        "privacy", "consent", "refuse", "--from", "human:sean", "--to", "*", "--scope", "subject:human:sean", "--commit"
    )
    assert program.run("privacy", "log", "verify").returncode == 0
    file = next(program.vault.glob("consents/*/con_*.md"))
    moved = file.parent.parent / "2020" / file.name
    moved.parent.mkdir()
    file.rename(moved)
    assert program.run("privacy", "log", "verify").returncode == 0
    moved.unlink()
    done = program.run("privacy", "log", "verify")
    assert done.returncode == 1
    assert "consent-deleted" in done.stdout
    program.git("config", "user.email", "a@b.c")
    program.git("config", "user.name", "a")
    program.ok("hooks", "install")
    program.git("add", "-A")
    with pytest.raises(AssertionError, match="consent-deleted"):
        program.git("commit", "-m", "x")


def test_nobody_but_the_owner_undoes_a_refusal(program: Program) -> None:
    ref, _ = program.add("Bella is tired.", "--subject", "human:sean", "--access", "*", "--consent", "human:sean")
    bob = ("--as", "human:bob")
    assert program.run(*bob, "show", ref).returncode == 0
    nothing = program.run(*bob, "undo")
    program.ok("privacy", "consent", "refuse", "--from", "human:sean", "--to", "*", "--scope", "subject:human:sean")
    assert program.run(*bob, "undo", "--as", "human:sean").returncode == 2
    for words in (("undo", "--dry-run"), ("undo",)):
        done = program.run(*bob, *words)
        assert (done.returncode, done.stdout, done.stderr) == (3, "", nothing.stderr)
    assert program.run(*bob, "show", ref).returncode == 3
    for code in (0, 3, 0):  # undone, done again, undone again; within one second or not
        program.ok("undo")
        assert program.run(*bob, "show", ref).returncode == code
    program.ok("undo")
    next(program.vault.glob("consents/*/con_*.md")).unlink()
    assert program.run(*bob, "show", ref).returncode == 3


BLOCKED, UNACKNOWLEDGED = "generalization-blocked", "generalization-unacknowledged"


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    ("more", "text", "code"),
    [
        ("", "Stairs are hard for old dogs.", None),
        ("", "Bella shows that stairs are hard.", BLOCKED),
        ('tags: ["bella"]\n', "Stairs are hard for old dogs.", BLOCKED),
        ('aliases: ["what Bella taught"]\n', "Stairs are hard for old dogs.", BLOCKED),
        ('entities: ["Bella"]\n', "Stairs are hard for old dogs.", BLOCKED),
        ('claims: [{subject: "Bella", attribute: "stairs", value: "hard"}]\n', "Stairs are hard.", BLOCKED),
        ("", "My patient has trouble on stairs.", UNACKNOWLEDGED),
    ],
)
def test_what_a_generalization_shows_is_checked_when_it_is_committed(
    program: Program, more: str, text: str, code: str | None
) -> None:
    program.ok("privacy", "entity", "add", "dog:bella", "--alias", "Bella", "-c")
    ref, source = program.add("Bella limps after running.", "--subject", "dog:bella", "--commit")
    lesson = program.vault / "lesson.md"
    head = f'---\ntype: belief\nid: m_lesson0001\nderived_from: ["{ref}"]\ngeneralized: true\n{more}'
    lesson.write_text(f"{head}generalization: {{verdict: safe}}\n---\n{text}\n")
    done = program.run("commit", "m_lesson0001")
    assert done.returncode == (4 if code else 0)
    assert (code or "") in done.stderr
    if code:
        return
    # Where the source is not there to be compared with, somebody has to answer for it.
    source.unlink()
    lesson.write_text(lesson.read_text().replace("old dogs", "dogs"))
    done = program.run("commit", "m_lesson0001")
    assert UNACKNOWLEDGED in done.stderr
    assert "does not exist" in done.stderr
    program.git("rm", "-q", "--cached", str(source.relative_to(program.vault)))
    program.git("add", "lesson.md")
    with pytest.raises(AssertionError, match="does not exist"):
        program.git("commit", "-m", "x")
    acknowledged = "verdict: warn, acknowledged_by: human:tester"
    lesson.write_text(lesson.read_text().replace("verdict: safe", acknowledged))
    program.ok("commit", "m_lesson0001")


def test_who_acknowledged_one_check_did_not_acknowledge_another(program: Program) -> None:
    program.ok("privacy", "entity", "add", "dog:bella", "--alias", "Bella", "-c")
    ref, _ = program.add("Bella has a grade 2 murmur since May 14.", "--subject", "dog:bella", "--commit")
    told = "Hearts of grade 2 are fine with long walks."
    made = program.json("privacy", "generalize", ref, "--text", told, "--access", "public", "--acknowledge", "-c")
    lesson = program.vault / made["path"]
    assert 'checks: ["number"]' in lesson.read_text()
    lesson.write_text(lesson.read_text().replace("long walks", "short walks"))
    program.ok("commit", made["ref"])
    lesson.write_text(lesson.read_text().replace("Hearts of", "On May 14, hearts of"))
    done = program.run("commit", made["ref"])
    assert (done.returncode, UNACKNOWLEDGED in done.stderr) == (4, True), done.stderr
    assert "it gives a date that its source gives [" in done.stderr
    lesson.write_text(lesson.read_text().replace('checks: ["number"]', 'checks: ["coverage", "date", "number"]'))
    program.ok("commit", made["ref"])


def test_a_name_of_what_the_source_was_made_of_is_one_too(program: Program) -> None:
    program.ok("privacy", "entity", "add", "dog:bella", "--alias", "Bella", "-c")
    ref, _ = program.add("Bella limps after running.", "--subject", "dog:bella", "--commit")
    held, _ = program.add("Running does Bella no good.", "-t", "belief", "--derived-from", ref, "--commit")
    assert "dog:bella" not in program.ok("show", held)
    lesson = program.vault / "lesson.md"
    head = f'---\ntype: belief\nid: m_lesson0001\ngeneralized: true\nderived_from: ["{held}"]\n'
    lesson.write_text(f"{head}generalization: {{verdict: safe}}\n---\nMuch exercise made Bella tired.\n")
    done = program.run("commit", "m_lesson0001")
    assert BLOCKED in done.stderr
    program.git("add", "lesson.md")
    with pytest.raises(AssertionError, match=BLOCKED):
        program.git("commit", "-m", "x")
