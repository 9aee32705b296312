"""`memstore lsp install` and `uninstall`, as a person calls them, in a home of their own."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from memstore.agents.editors import EDITORS
from tests.agents.test_installing import files
from tests.installed import MEMSTORE, validated
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

NAMES = tuple(EDITORS)
MINE = {
    "nvim": "",
    "helix": '# mine\n[language-server.gopls]\ncommand = "x"\n\n[[language]]\nname = "go"\n# last',
    "vscode": '{\n    "editor.fontSize": 12, // mine\n    "glspc.trace.server": "off"\n}',
}


@pytest.fixture
def program(tmp_path: Path) -> InProcess:
    made = InProcess(tmp_path)
    made.vault.mkdir()
    made.environment["XDG_CONFIG_HOME"] = str(made.home / ".config")
    return made


def test_settings_say_how_the_server_is_started(program: InProcess) -> None:
    for name in NAMES:
        program.ok("--as", "human:sean", "--self", "lsp", "install", name)
    words = [str(MEMSTORE), "--as", "human:sean", "--self", "lsp"]
    lua = (program.home / EDITORS["nvim"].file).read_text()
    assert f"cmd = {{ {json.dumps(words).strip('[]')} }},\n" in lua
    toml = tomllib.loads((program.home / EDITORS["helix"].file).read_text())
    assert toml["language-server"]["memstore"] == {"command": words[0], "args": words[1:]}
    assert toml["language"][0]["name"] == "markdown"
    assert toml["language"][0]["language-servers"][0] == "memstore"
    members = json.loads((program.home / EDITORS["vscode"].file).read_text())
    assert [*members.values()] == [words[0], words[1:], ["markdown"]]
    assert {key.rpartition(".")[0] for key in members} == {"glspc.server"}


@pytest.mark.parametrize("name", NAMES)
def test_uninstalling_leaves_what_was_there_to_the_byte(program: InProcess, name: str) -> None:
    for mine in ("", MINE[name], MINE[name].replace("\n", "\r\n")):
        place = program.home / EDITORS[name].file
        if mine:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(mine, newline="")
        before = files(program.home)
        shown = program.ok("lsp", "install", name, "--dry-run")
        assert files(program.home) == before
        assert program.ok("lsp", "install", name) == shown
        assert str(MEMSTORE) in shown
        assert "mine" not in shown
        after = files(program.home)
        assert "is set up already" in program.run("lsp", "install", name).stderr
        assert files(program.home) == after != before
        program.ok("--as", "si:ash", "lsp", "install", name)
        assert "si:ash" in place.read_text()
        said = validated(program.ok("--json", "lsp", "uninstall", name))
        assert [one["change"] for one in said["files"]] == ["changed" if mine else "removed"]
        assert files(program.home) == before
        assert "not set up" in program.run("lsp", "uninstall", name).stderr


def test_somebody_elses_settings_are_left_and_one_is_told_what_to_write(program: InProcess) -> None:
    for name, mine, hint in (
        ("nvim", "print('mine')\n", "move it away"),
        (
            "helix",
            '[[language]]\nname = "markdown"\nsoft-wrap.enable = true\n',
            '[language-server.memstore]\ncommand = "/',
        ),
        ("helix", "[language-server.memstore.config]\na = 1\n", '[language-server.memstore]\ncommand = "/'),
        ("vscode", '{"glspc.server.command": "other"}', "take glspc.server.command out"),
    ):
        place = program.home / EDITORS[name].file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(mine)
        before = files(program.home)
        done = program.run("lsp", "install", name)
        assert (done.returncode, "nothing was written" in done.stderr, hint in done.stderr) == (4, True, True), done
        program.run("lsp", "uninstall", name)
        assert files(program.home) == before


def test_what_was_written_into_the_file_meanwhile_stays(program: InProcess) -> None:
    program.ok("lsp", "install", "vscode")
    place = program.home / EDITORS["vscode"].file
    place.write_text(place.read_text().replace("{", '{\n  "editor.fontSize": 12,', 1).replace('": [', '":  ['))
    program.ok("lsp", "uninstall", "vscode")
    assert json.loads(place.read_text()) == {"editor.fontSize": 12}
    program.ok("lsp", "install", "nvim")
    lua = program.home / EDITORS["nvim"].file
    lua.write_text(lua.read_text().replace("client", "server"))
    changed = lua.read_bytes()
    assert "changed by somebody else, so it stays" in program.run("lsp", "uninstall", "nvim").stderr
    assert lua.read_bytes() == changed


def test_an_editor_that_no_file_can_tell_is_refused_with_the_reason(program: InProcess) -> None:
    for words in (("install",), ("uninstall",)):
        done = program.run("lsp", words[0], "zed")
        assert (done.returncode, "only for an extension" in done.stderr) == (4, True)
    done = program.run("--vault", ".", "lsp", "install", "nvim")
    assert (done.returncode, "leave out --vault" in done.stderr) == (2, True)
