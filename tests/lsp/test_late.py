"""What is found a moment after somebody stopped typing: conflicts, citations that drift, who gains sight."""

from __future__ import annotations

import gc
import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.conflicts.compare import Comparer
from memstore.conflicts.sides import Side
from memstore.vault.view import VaultView
from tests.installed import MEMSTORE, at_home
from tests.lsp.client import Editor
from tests.lsp.test_findings import opened_vault
from tests.lsp.test_scenes import vault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.soak(4, together=True)

HEAD = "---\ntype: note\nid: {id}\ntitle: {title}\nsource: si:ash\n{more}---\n"
TEA = HEAD.format(id="m_aaaaaaaaaa", title="Tea", more="") + "Sean likes tea.\n"
MILK = HEAD.format(id="m_bbbbbbbbbb", title="Milk", more="") + "Nothing yet.\n"
GROUP = "id: group:ops\nmembers:\n  - id: human:tom\n  - id: human:una\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {"tea.md": TEA, "milk.md": MILK, "groups/ops.yaml": GROUP}
    made = vault(tmp_path / "vault", files)
    git(made, "init", "-q")
    commit(made)
    return made


@pytest.fixture
def editor(folder: Path, tmp_path: Path) -> Iterator[Editor]:
    with Editor(folder, tmp_path, "--as", "human:sean") as editor:
        yield editor


def git(folder: Path, *words: str) -> str:
    done = ["git", "-c", "user.name=Sean", "-c", "user.email=sean@example.com", *words]
    return subprocess.run(done, cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")


def test_a_conflict_with_another_memory_is_found_as_it_is_typed_and_settled_there(editor: Editor, folder: Path) -> None:
    editor.open("milk.md")
    typed = MILK.replace("Nothing yet.", "Sean dislikes tea.")
    editor.write("milk.md", typed)
    (found,) = editor.found_later("milk.md", "conflict")
    assert found["range"] == {"start": {"line": 6, "character": 0}, "end": {"line": 6, "character": 18}}
    assert "contradiction with Tea: Sean likes tea." in found["message"]
    (beside,) = found["relatedInformation"]
    assert (beside["location"]["uri"], beside["message"]) == (editor.uri("tea.md"), "Tea")
    assert beside["location"]["range"]["start"]["line"] == 6
    # It stays while something else is typed, and is gone once its line says something else.
    assert [one["code"] for one in editor.write("milk.md", f"{typed}\nMore.\n")] == ["conflict"]
    assert editor.write("milk.md", typed.replace("dislikes", "likes")) == []
    editor.write("milk.md", typed)
    editor.found_later("milk.md", "conflict")
    assert not [title for title in editor.actions("milk.md", (0, 0)) if "hold" in title]
    offered = editor.actions("milk.md", (6, 3))
    act = offered["memstore: this memory holds, and supersedes note:m_aaaaaaaaaa"]["command"]
    editor.run(act["command"], *act["arguments"])
    assert "not saved" in editor.messages[-1]
    editor.save("milk.md", typed)
    editor.run(act["command"], *act["arguments"])
    assert "status: superseded" in (folder / "tea.md").read_text()
    editor.write("milk.md", (folder / "milk.md").read_text())
    assert "undo takes it back" in editor.messages[-1]


def test_who_sees_more_by_an_edit_is_told_by_name(editor: Editor) -> None:
    editor.open("tea.md")
    editor.write("tea.md", TEA.replace("source:", "access_grants: [group:ops]\nsource:"))
    (found,) = editor.found_later("tea.md", "audience-wider")
    assert "human:tom, human:una" in found["message"]
    assert found["range"]["start"]["line"] == 4
    editor.write("tea.md", TEA)
    assert "audience-wider" not in [one["code"] for one in editor.findings("tea.md")]


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ('access_grants: ["*"]\n', "everybody"),
        ('access_grants: ["*"]\naccess_denies: [human:tom]\n', "everybody; not by human:tom"),
        ("owner: human:una\naccess_grants: [human:sean]\n", "human:una"),
    ],
)
def test_who_gains_sight_is_named_as_everywhere(head: str, words: str, folder: Path) -> None:
    opened = opened_vault(folder, "human:sean")
    opened.begin()
    before = opened.committed("tea.md")
    typed = {"tea.md": TEA.replace("source:", f"{head}source:").encode()}
    (found,) = [one for one in opened.compared("tea.md", typed, before) if one.finding.code == "audience-wider"]
    assert f"seen by {words} from now on" in found.finding.text


def test_others_are_not_told_who_sees_what(folder: Path, tmp_path: Path) -> None:
    own = MILK.replace("source:", "owner: human:tom\naccess_grants: [human:una]\nsource:")
    (folder / "milk.md").write_text(own)
    with Editor(folder, tmp_path, "--as", "human:tom") as editor:
        editor.open("milk.md")
        said = editor.at("milk.md", 5, 3, "hover")["contents"]["value"]
        assert said.startswith("**access_grants**")
        assert "alone" not in said
        assert not [one for one in editor.of("milk.md", "codeLens") if "seen by" in one["command"]["title"]]


def test_lines_that_others_cite_are_warned_of_when_they_change(folder: Path, tmp_path: Path) -> None:
    blob = git(folder, "hash-object", "tea.md").strip()[:10]
    cited = MILK.replace("Nothing yet.", f"As [[note:m_aaaaaaaaaa#L7@{blob}]] says.")
    (folder / "milk.md").write_text(cited)
    commit(folder)
    with Editor(folder, tmp_path, "--as", "human:sean") as editor:
        editor.open("tea.md")
        editor.write("tea.md", TEA.replace("---\nSean", "---\nFirst.\n\nSean"))  # moved is not changed
        editor.write("tea.md", TEA.replace("likes", "drinks"))
        (found,) = editor.found_later("tea.md", "citation-changed")
        assert "note:m_bbbbbbbbbb cites line 7" in found["message"]
        assert found["range"]["start"]["line"] == 6
        assert found["relatedInformation"][0]["location"]["uri"] == editor.uri("milk.md")
        editor.write("tea.md", TEA)
        assert editor.findings("tea.md") == []


def test_moved_lines_are_no_drift_and_a_note_that_cites_itself_warns_of_nothing_twice(folder: Path) -> None:
    blob = git(folder, "hash-object", "tea.md").strip()[:10]
    (folder / "milk.md").write_text(MILK.replace("Nothing yet.", f"[[note:m_aaaaaaaaaa#L7@{blob}]]"))
    opened = opened_vault(folder)
    moved = TEA.replace("---\nSean", "---\nFirst.\n\nSean").encode()
    assert opened.compared("tea.md", {"tea.md": moved}, None) == []
    changed = TEA.replace("Sean likes", "Una sells").encode()
    assert [one.finding.code for one in opened.compared("tea.md", {"tea.md": changed}, None)] == ["citation-changed"]


def test_somebody_may_be_let_see_a_memory_and_is_named_before(editor: Editor, folder: Path) -> None:
    text = TEA.replace("source:", "access_grants: [human:kit]\nsource:")
    (folder / "tea.md").write_text(text)
    editor.open("tea.md")
    offered = editor.actions("tea.md", (4, 3))
    act = offered["memstore: let group:ops see this memory"]["command"]
    editor.run(act["command"], *act["arguments"])
    assert "then it is seen by human:tom, human:una, too" in editor.asked[-1]
    assert "group:ops" in (folder / "tea.md").read_text()
    subprocess.run(
        [str(MEMSTORE), "--as", "human:sean", "undo"],
        cwd=folder, env=at_home(folder.parent), check=True, capture_output=True,
    )  # fmt: skip
    assert (folder / "tea.md").read_text() == text


def test_others_are_told_of_no_conflict_with_what_they_may_not_see(folder: Path, tmp_path: Path) -> None:
    own = MILK.replace("source:", "owner: human:tom\nsource:").replace("Nothing yet.", "Sean dislikes tea.")
    (folder / "milk.md").write_text(own)
    (folder / "open.md").write_text(
        TEA.replace("aaaaaaaaaa", "cccccccccc").replace("source:", "access_grants: ['*']\nsource:")
    )
    found = opened_vault(folder, "human:tom").compared("milk.md", {}, None)
    assert [one.conflict.refs[1] for one in found if one.conflict] == ["note:m_cccccccccc"]
    (folder / "open.md").unlink()
    assert opened_vault(folder, "human:tom").compared("milk.md", {}, None) == []


def made() -> list[object]:
    return [one for one in gc.get_objects() if isinstance(one, Side | Comparer | VaultView)]


def test_what_was_compared_is_not_kept_until_python_looks_for_circles(folder: Path) -> None:
    opened = opened_vault(folder)
    typed = {"milk.md": MILK.replace("Nothing yet.", "Sean dislikes tea.").encode()}
    gc.collect()
    gc.disable()
    try:
        before = {id(one) for one in made()}
        assert opened.compared("milk.md", typed, None)
        assert [one for one in made() if id(one) not in before] == []
    finally:
        gc.enable()
