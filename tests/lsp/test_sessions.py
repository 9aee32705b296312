"""Long sessions: random edits, cancelled requests, saves out of order, two editors, and commands beside them."""

from __future__ import annotations

import subprocess
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from memstore.files.local_state import Environment
from memstore.lsp.diagnostics import diagnostic
from memstore.lsp.text import Text
from memstore.vault.check import check
from memstore.vault.composition import open_workspace
from tests.installed import MEMSTORE, at_home
from tests.lsp.client import Editor
from tests.lsp.test_findings import PIECES
from tests.lsp.test_scenes import FILES, KETTLE, TEA, vault

if TYPE_CHECKING:
    from pathlib import Path

QUESTIONS = ("hover", "completion", "definition", "references", "prepareRename")
LATE = {"conflict", "audience-wider", "citation-changed"}


def checked(folder: Path, path: str, text: str) -> list[tuple[Any, ...]]:
    """Return what `check` says of a file with this text."""
    (folder / path).write_bytes(text.encode())
    env = Environment(variables={}, folder=folder, home=folder.parent, login="sean")
    found = check(open_workspace(env, vault=str(folder), entity="human:sean", alone=True).view(), [path])
    as_sent = [diagnostic(one, Text(text)) for one in {*found.findings, *found.notices} if one.path == path]
    return sorted((str(one.code), (one.range.start.line, one.range.start.character), one.message) for one in as_sent)


def sent(found: list[Any]) -> list[tuple[Any, ...]]:
    places = [(one["range"]["start"]["line"], one["range"]["start"]["character"]) for one in found]
    named = zip(found, places, strict=True)
    return sorted((one["code"], at, one["message"]) for one, at in named if one["code"] not in {*LATE, "body-nul"})


def random_edit(random: Random, text: str) -> tuple[dict[str, Any], str]:
    """Return a change of a text as an editor sends it, and the text after it."""
    start = random.randint(0, len(text))
    end = min(len(text), start + random.choice([0, 0, 0, 1, 3, 20]))
    new = random.choice([*PIECES, "x", "", "", " "])
    at = Text(text)
    if at.offset(at.place(start)) != start or at.offset(at.place(end)) != end:
        start = end = 0  # between CR and LF there is no place
    places = {"start": position(at, start), "end": position(at, end)}
    return {"range": places, "text": new}, text[:start] + new + text[end:]


def position(text: Text, offset: int) -> dict[str, int]:
    place = text.place(offset)
    return {"line": place.line, "character": place.character}


@pytest.mark.parametrize("seed", range(2))
def test_after_any_edits_an_editor_is_shown_what_check_says_of_the_same_text(seed: int, tmp_path: Path) -> None:
    random = Random(seed)  # noqa: S311 - it has to come again
    folder = vault(tmp_path / "vault", FILES)
    with Editor(folder, tmp_path, "--as", "human:sean") as editor:
        texts = {"kettle.md": KETTLE, "tea.md": TEA}
        for path in texts:
            editor.open(path)
        for number in range(40):
            path = random.choice([*texts])
            change, texts[path] = random_edit(random, texts[path])
            found = editor.change(path, change)
            if random.random() < 0.2 or len(texts[path]) > 2_000:
                texts[path] = FILES[path]
                found = editor.write(path, texts[path])
            if number % 4 == 3:
                for other in texts.keys() - {path}:
                    (folder / other).write_bytes(texts[other].encode())
                assert sent(found) == checked(folder, path, texts[path]), (number, texts[path])


def test_requests_may_be_cancelled_and_saves_come_late(tmp_path: Path) -> None:
    folder = vault(tmp_path / "vault", FILES)
    with Editor(folder, tmp_path, "--as", "human:sean") as editor:
        editor.open("kettle.md")
        editor.open("tea.md")
        for number in range(30):
            editor.cancelled(f"textDocument/{QUESTIONS[number % len(QUESTIONS)]}", editor.place("kettle.md", 9, 17))
        assert editor.at("kettle.md", 9, 17, "hover") is not None
        broken = KETTLE.replace("type: note", "type: nte")
        editor.write("kettle.md", broken)
        (folder / "kettle.md").write_text(KETTLE)  # what is saved is older than what is typed
        editor.tell("textDocument/didSave", {"textDocument": {"uri": editor.uri("kettle.md")}})
        assert "value-choice" in [one["code"] for one in editor.findings("kettle.md")]
        editor.tell("textDocument/didSave", {"textDocument": {"uri": editor.uri("folder/milk.md")}})  # is not open
        editor.tell("textDocument/didClose", {"textDocument": {"uri": editor.uri("nowhere.md")}})
        editor.tell("textDocument/didChange", {
            "textDocument": {"uri": editor.uri("folder/milk.md"), "version": 1}, "contentChanges": [{"text": "x"}],
        })  # fmt: skip
        assert editor.write("kettle.md", KETTLE)[0]["code"] == "link-dangling"
        (folder / "kettle.md").unlink()
        assert editor.at("tea.md", 8, 12, "definition")["uri"] == editor.uri("kettle.md")  # it is still open
        editor.tell("textDocument/didClose", {"textDocument": {"uri": editor.uri("kettle.md")}})
        editor.tell("workspace/didChangeWatchedFiles", {"changes": []})
        assert "link-dangling" in [one["code"] for one in editor.findings("tea.md")]


def test_two_editors_and_commands_work_on_one_vault(tmp_path: Path) -> None:
    folder = vault(tmp_path / "vault", FILES)
    words = [str(MEMSTORE), "--as", "human:sean"]

    def command(*given: str) -> str:
        done = subprocess.run(
            [*words, *given], cwd=folder, env=at_home(tmp_path), capture_output=True, text=True, check=True
        )
        return done.stdout

    with Editor(folder, tmp_path, *words[1:]) as one, Editor(folder, tmp_path, *words[1:]) as other:
        one.open("tea.md")
        other.open("tea.md")
        other.open("kettle.md")
        ref = command("--json", "add", "Cups are warm.", "--title", "Cup").split('"ref": "')[1].split('"')[0]
        typed = TEA + f"See [[Cup]] and {ref}.\n"
        assert "link-dangling" not in [found["code"] for found in one.save("tea.md", typed)]
        other.tell("workspace/didChangeWatchedFiles", {"changes": []})
        other.findings("tea.md")
        assert other.run("memstore.reinforce", other.uri("tea.md"), "belief:m_bbbbbbbbbb", ref) is None
        assert "not saved" in other.messages[-1]  # the second editor still has the text from before
        assert (folder / "tea.md").read_text() == typed
        other.write("tea.md", typed)
        assert other.run("memstore.reinforce", other.uri("tea.md"), "belief:m_bbbbbbbbbb", ref) == "tea.md"
        assert ref in (folder / "tea.md").read_text().split("---")[1]
        command("mv", "kettle.md", "pot.md")
        one.tell("workspace/didChangeWatchedFiles", {"changes": []})
        moved = (folder / "tea.md").read_text()
        assert "[[pot#Use]]" in moved
        assert "link-dangling" not in [found["code"] for found in one.write("tea.md", moved)]
        command("undo")
        assert "[[kettle#Use]]" in (folder / "tea.md").read_text()
