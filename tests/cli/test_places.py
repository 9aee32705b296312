"""Paths on the screen are those of the folder where the person is, as git's are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import memory_text
from tests.whole.program import Program

if TYPE_CHECKING:
    from tests.whole.program import InProcess

BROKEN = b"---\ntype: note\nid: m_broken0001\nid: m_broken0001\n---\nTwice.\n"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    program = Program(tmp_path_factory.mktemp("places")).in_process()
    program.vault.mkdir()
    program.ok("init", ".", "--owner", "human:sam")
    for path, data in {
        "notes/tea.md": memory_text("Green tea is hot.\n", id="m_tea0000001"),
        "notes/cold.md": memory_text("Green tea is not hot.\n", id="m_cold000001"),
        "lists/kettle.md": memory_text("The kettle sings.\n", id="m_kettle0001"),
        "lists/broken.md": BROKEN,
        "plain.md": b"No fence here.\n",
    }.items():
        (program.vault / path).parent.mkdir(exist_ok=True)
        (program.vault / path).write_bytes(data)
    program.git("add", "-A")
    program.git("commit", "-q", "--no-verify", "-m", "as it begins")
    (program.home / "elsewhere").mkdir()
    return program


COMMANDS = (
    ("search", "kettle"),
    ("list", "--sort", "path"),
    ("show", "--path", "m_kettle0001"),
    ("show", "m_kettle0001", "--no-track"),
    ("show", "--full", "m_kettle0001", "--no-track"),
    ("show", "--cite", "m_kettle0001:L1"),
    ("why", "m_kettle0001"),
    ("check",),
    ("status",),
    ("conflicts",),
)
IN_VAULT = ("lists/kettle.md", "lists/broken.md", "notes/tea.md", "notes/cold.md")


def _told(vault: InProcess, words: tuple[str, ...], folder: Path) -> str:
    done = vault.run(*words, "--vault", str(vault.vault), cwd=folder)
    return done.stdout + done.stderr


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_path_is_told_from_the_current_folder(vault: InProcess, words: tuple[str, ...]) -> None:
    at_root = _told(vault, words, vault.vault)
    assert any(path in at_root for path in IN_VAULT)
    below, outside = (at_root, at_root)
    for path in IN_VAULT:
        from_lists = path.removeprefix("lists/") if path.startswith("lists/") else f"../{path}"
        below = below.replace(path, from_lists)
        outside = outside.replace(path, f"{vault.vault}/{path}")
    below, outside = (text.replace("plain.md", "%plain%") for text in (below, outside))
    seen_below, seen_outside = _told(vault, words, vault.vault / "lists"), _told(vault, words, vault.home / "elsewhere")
    assert seen_below.replace("../plain.md", "%plain%") == below
    assert seen_outside.replace(f"{vault.vault}/plain.md", "%plain%") == outside


def test_a_path_is_told_from_a_folder_around_the_vault_and_understood_there(vault: InProcess) -> None:
    told = _told(vault, ("show", "--path", "m_kettle0001"), vault.home)
    assert told == "vault/lists/kettle.md\n"
    assert _told(vault, ("show", "--path", told.strip()), vault.home) == told
    assert _told(vault, ("show", "--path", "lists/kettle.md"), vault.home) == told
    assert _told(vault, ("show", "--path", "m_kettle0001"), Path("/")) == f"{vault.vault}/lists/kettle.md\n"


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_json_tells_paths_of_the_vault(vault: InProcess, words: tuple[str, ...]) -> None:
    told = _told(vault, (*words, "--json"), vault.vault)
    assert _told(vault, (*words, "--json"), vault.home / "elsewhere") == told


def test_a_path_that_is_typed_is_taken_from_the_current_folder_first(vault: InProcess) -> None:
    (vault.vault / "lists" / "notes").mkdir(exist_ok=True)
    (vault.vault / "lists" / "notes" / "tea.md").write_bytes(memory_text("Another.\n", id="m_other00001"))
    try:
        assert vault.ok("show", "--path", "notes/tea.md", cwd=vault.vault / "lists") == "notes/tea.md\n"
        assert "m_other00001" in vault.ok("show", "notes/tea.md", cwd=vault.vault / "lists")
        assert "m_tea0000001" in vault.ok("show", "notes/tea.md")
        assert "m_kettle0001" in vault.ok("show", "lists/kettle.md", cwd=vault.vault / "notes")
    finally:
        (vault.vault / "lists" / "notes" / "tea.md").unlink()
