"""When an editor is opened, and when rather not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.whole.program import InProcess

USAGE = 2


@pytest.fixture
def here(tmp_path: Path) -> InProcess:
    program = InProcess(tmp_path)
    program.init()
    return program


def test_no_editor_is_opened_where_nobody_could_use_it(here: InProcess, tmp_path: Path) -> None:
    ref, file = here.add("Some text.")
    before = file.read_bytes()
    opened = tmp_path / "opened"
    unnamed = here.run("edit", ref)
    forbidden = here.run("--no-input", "edit", ref, EDITOR=f"touch {opened}; true")
    for done, why in ((unnamed, "none is set, and this is not a terminal"), (forbidden, "--no-input forbids it")):
        assert done.returncode == USAGE
        assert why in done.stderr
    assert not opened.exists()
    assert file.read_bytes() == before


def test_a_script_may_be_the_editor(here: InProcess) -> None:
    ref, file = here.add("It rains.")
    here.ok("edit", ref, EDITOR="sed -i s/rains/snows/")
    assert file.read_text().endswith("It snows.\n")


def test_no_command_writes_a_nul(here: InProcess, tmp_path: Path) -> None:
    ref, file = here.add("It rains.")
    before = file.read_bytes()
    (tmp_path / "wide.txt").write_bytes("It snows.".encode("utf-16-le"))
    (tmp_path / "draft.md").write_bytes(before.replace(b"rains", b"sno\0ws"))
    for done in (
        here.run("add", "-", stdin="It \0snows."),
        here.run("add", "-F", str(tmp_path / "wide.txt")),
        here.run("edit", ref, "-F", str(tmp_path / "wide.txt")),
        here.run("edit", ref, EDITOR=f"cp {tmp_path / 'draft.md'}"),
        here.run("supersede", ref, "-", stdin="It \0snows."),
    ):
        assert done.returncode, done
        assert "U+0000" in done.stderr
        assert "[body-nul]" in done.stderr
        assert "leave out U+0000" in done.stderr
    assert file.read_bytes() == before
    assert [*file.parent.iterdir()] == [file]


def test_a_nul_that_is_there_is_left_alone(here: InProcess) -> None:
    ref, file = here.add("It rains.")
    file.write_bytes(file.read_bytes().replace(b"rains", b"ra\0ins"))
    here.ok("check")
    here.ok("tag", ref, "weather")
    here.ok("edit", ref, EDITOR="sed -i s/It/Now\\ it/")
    here.ok("commit")
    assert file.read_bytes().endswith(b"Now it ra\0ins.\n")
    assert here.found("weather") == {file.relative_to(here.vault).as_posix()}


@pytest.mark.parametrize("words", [("add", "-t", "note"), ("edit", "m_")], ids=" ".join)
def test_an_editor_that_does_not_wait_loses_no_draft(here: InProcess, tmp_path: Path, words: tuple[str, ...]) -> None:
    ref, _ = here.add("It rains.")
    words = tuple(ref if word == "m_" else word for word in words)
    editor = tmp_path / "window"
    editor.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    editor.chmod(0o755)
    done = here.run(*words, EDITOR=str(editor))
    draft = Path((tmp_path / "opened").read_text().strip())
    assert done.returncode == 0
    assert "ended at once" in done.stderr
    assert "--wait" in done.stderr
    assert str(draft) in done.stderr
    with draft.open("a") as window:
        window.write("A pelican.\n")
    later = here.run(*words, EDITOR="true")
    assert f"an earlier edit left a draft in {draft}" in later.stderr
    assert "A pelican." in draft.read_text()
    assert here.found("pelican") == set()


def test_drafts_that_say_nothing_do_not_heap_up(here: InProcess) -> None:
    for _ in range(3):
        here.ok("add", "-t", "note", EDITOR="true")
    assert len([*here.vault.glob(".git/memstore/*/drafts/*")]) == 1


def test_a_draft_that_was_looked_at_and_left_as_it_was_goes(here: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memstore.cli.editing._SECONDS_OF_A_LOOK", 0.0)
    done = here.run("add", "-t", "note", EDITOR="true")
    assert "ended at once" not in done.stderr
    assert [*here.vault.glob(".git/memstore/*/drafts/*")] == []
