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
