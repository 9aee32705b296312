"""When an editor is opened, and when rather not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

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
