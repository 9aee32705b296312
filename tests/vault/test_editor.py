from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import VaultError
from memstore.vault.editor import Drafts, Editor

if TYPE_CHECKING:
    from pathlib import Path

ALL = {"MEMSTORE_EDITOR": "one", "VISUAL": "two", "EDITOR": "three"}


def environment(tmp_path: Path, global_editor: str = "", **variables: str) -> dict[str, str]:
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\n\teditor = {global_editor}\n" if global_editor else "")
    return {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": str(config), "GIT_CONFIG_NOSYSTEM": "1"} | variables


@pytest.mark.parametrize(
    ("variables", "global_editor", "command"),
    [
        (ALL, "four", "one"),
        ({**ALL, "MEMSTORE_EDITOR": ""}, "four", "two"),
        ({"EDITOR": "three"}, "four", "three"),
        ({}, "four --wait", "four --wait"),
        ({}, "", "vi"),
    ],
)
def test_whose_choice_counts(tmp_path: Path, variables: dict[str, str], global_editor: str, command: str) -> None:
    editor = Editor(environment(tmp_path, global_editor, **variables), tmp_path)
    assert editor.command == command
    assert editor.is_chosen == (command != "vi")


def test_a_repositorys_own_editor_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "config", "core.editor", "evil"], check=True)
    monkeypatch.chdir(tmp_path)
    assert Editor(environment(tmp_path), tmp_path).command == "vi"


def test_the_command_is_a_shells_and_the_path_an_argument(tmp_path: Path) -> None:
    path = tmp_path / "a $(touch hacked) 'b'.md"
    path.write_text("old")
    Editor(environment(tmp_path, EDITOR="sed -i s/old/new/"), tmp_path).open(path)
    assert path.read_text() == "new"
    assert not (tmp_path / "hacked").exists()


@pytest.mark.parametrize(
    ("command", "told"), [("false", "ended with exit code 1"), ("no-such-editor", "there is no editor")]
)
def test_a_failing_editor_is_told(tmp_path: Path, command: str, told: str) -> None:
    with pytest.raises(VaultError, match=told):
        Editor(environment(tmp_path, EDITOR=command), tmp_path).open(tmp_path / "x.md")


def test_an_older_draft_is_never_overwritten(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "state" / "drafts")
    first, second = drafts.create("new", b"one"), drafts.create("new", b"two")
    assert (first.read_bytes(), second.read_bytes()) == (b"one", b"two")
    assert drafts.folder.stat().st_mode & 0o777 == 0o700
