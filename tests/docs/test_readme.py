"""The README's tour and the tutorial go as they say; the README's two commands are what people and `.ci/run` run."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.docs import picture
from tests.lsp.real_editors import neovims
from tests.transcripts import runner

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def neovim_version() -> str:
    """Return what Neovim says it is; empty if there is none."""
    program = neovims().get("nvim")
    return subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout if program else ""


def as_seen(lines: list[str]) -> list[str]:
    """Return what a terminal shows: output and errors alike, and no exit codes."""
    return [line.removeprefix("! ") for line in lines if not re.fullmatch(r"\[\d+\]", line)]


@pytest.mark.parametrize(
    ("page", "least"), [("README.md", 13), ("docs/tutorial.md", 13), ("docs/mcp.md", 9), ("docs/sharing.md", 22)]
)
def test_the_tour_goes_as_it_says(page: str, least: int, tmp_path: Path, *, soak: bool) -> None:
    blocks = "".join(_BLOCK.findall((ROOT / page).read_text(encoding="utf-8")))
    tour = runner.parse("[empty folder]\n" + "".join(f"    {line}\n" for line in blocks.splitlines()))
    picture.lay_out(tmp_path / "notes")  # what the README begins with
    shell, words = runner.Shell(tmp_path, tour.start, processes=soak and page == "README.md"), runner.Words(tmp_path)
    assert len(tour.steps) >= least
    for step in tour.steps:
        seen = as_seen(shell.run("\n".join(step.command)))
        assert words.matches(step.expected, seen), "\n".join([*step.command, *seen])


def test_the_commands_for_developers_are_two_that_make_their_own_environment() -> None:
    [block] = re.findall(r"^```sh\n(.*?)^```$", README.partition("\n## For developers\n")[2], re.MULTILINE | re.DOTALL)
    commands = block.splitlines()
    assert len(commands) == 2
    assert re.findall("^python3 -m venv.*", README, re.MULTILINE) == commands  # by which `.ci/run` finds them
    assert all(command.startswith("python3 -m venv .venv && ") for command in commands)
    assert "--vault sample-vault search" in commands[0]
    assert commands[1].endswith("pytest")


def test_what_is_to_be_installed_has_the_name_and_the_extras_that_there_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(r"`pip install \"?([\w-]+)(?:\[(\w+)\])?\"?", README)
    others = re.findall(r"`\[(\w+)\]`", README)
    assert {name for name, _ in named} == {project["name"]}
    assert {extra for _, extra in named if extra} | set(others) <= {*project["optional-dependencies"]}
    assert others


@pytest.mark.skipif("0.7.2" not in neovim_version(), reason="the picture shows Neovim 0.7.2")
def test_the_picture_of_an_editor_shows_what_is_found(tmp_path: Path) -> None:
    shown = picture.drawn(picture.edited(tmp_path, neovims()["nvim"]), picture.EDITED)
    assert shown == picture.EDITOR.read_text(encoding="utf-8"), "run `python -m tests.docs.picture`"


def test_the_picture_shows_what_the_program_prints(tmp_path: Path) -> None:
    assert picture.drawn(picture.seen(tmp_path)) == picture.PICTURE.read_text(encoding="utf-8"), (
        "run `python -m tests.docs.picture`"
    )


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
