"""What somebody does in Neovim 0.7, Neovim 0.11 and Emacs, which start the installed `memstore lsp` themselves."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.installed import MEMSTORE
from tests.lsp.real_editors import Emacs, Neovim, RealEditor, neovims
from tests.lsp.test_scenes import FILES, KETTLE, TEA, vault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = ("nvim", "nvim-0.11", "emacs")
pytestmark = [
    pytest.mark.soak(1),
    pytest.mark.skipif(not importlib.util.find_spec("pygls"), reason="there is no pygls"),
]


def started(name: str, home: Path) -> RealEditor:
    """Return an editor that was started; skip the test if it is not here."""
    if name == "emacs":
        found = shutil.which("emacs") and shutil.which("emacsclient")
        eglot = ["emacs", "-q", "--batch", "--eval", "(progn (require 'package) (package-initialize) (require 'eglot))"]
        if not found or subprocess.run(eglot, capture_output=True, check=False).returncode:
            pytest.skip("Emacs with eglot is not installed")
        return Emacs(home)
    if name not in neovims():
        pytest.skip(f"{name} is not installed; NVIM_0_11 says where that one is")
    return Neovim(neovims()[name], home)


@pytest.fixture(scope="module", params=NAMES)
def editor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealEditor]:
    made = started(request.param, tmp_path_factory.mktemp("home"))
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return vault(tmp_path / "vault", FILES)


def test_what_is_wrong_is_shown_when_a_memory_is_opened(editor: RealEditor, folder: Path) -> None:
    editor.open(folder / "kettle.md")
    assert editor.finds("link-dangling") == ["link-dangling"]
    editor.open(folder / "tea.md")
    assert editor.finds() == []


def test_a_slip_is_shown_while_it_is_typed_and_goes_with_an_undo(editor: RealEditor, folder: Path) -> None:
    editor.open(folder / "tea.md")
    editor.point("id:")
    editor.type("acess_grants: []")
    assert editor.finds("key-unknown") == ["key-unknown"]
    editor.undo()
    assert editor.finds() == []
    assert (folder / "tea.md").read_text() == TEA


def test_the_quick_fix_writes_what_was_meant(editor: RealEditor, folder: Path) -> None:
    editor.open(folder / "kettle.md")
    editor.replace("title:", "status: activ\ntitle:")
    assert editor.finds("value-choice") == ["value-choice"]
    editor.point("activ")
    editor.fix("write active")
    assert editor.finds("link-dangling") == ["link-dangling"]
    editor.save()
    assert (folder / "kettle.md").read_text() == KETTLE.replace("title:", "status: active\ntitle:")


def test_keys_values_refs_and_links_are_completed(editor: RealEditor, folder: Path) -> None:
    editor.open(folder / "kettle.md")
    editor.replace("source: si:ash", "sourc\nsource: si:ash\nstatus:\nderived_from: [")
    editor.point("sourc\n" if isinstance(editor, Emacs) else "sourc")
    assert editor.complete("e_t").startswith("source_type:")
    editor.point("status:")
    assert editor.complete(" dr") == "status: draft"
    editor.point("derived_from:")
    assert editor.complete("belief:") == "derived_from: [belief:m_bbbbbbbbbb"
    editor.point("It boils")
    assert editor.complete(" [[te").endswith(" [[tea]]")


def test_a_name_of_several_words_is_completed(editor: RealEditor, folder: Path) -> None:
    (folder / "Mrs Aydin.md").write_text("---\ntype: note\nid: m_dddddddddd\n---\n# Mrs Aydin\n\nOwns the house.\n")
    editor.open(folder / "kettle.md")
    editor.point("It boils")
    assert editor.complete(" [[Mrs Ay").endswith(" [[Mrs Aydin]]")


def test_pointing_going_and_coming_back(editor: RealEditor, folder: Path) -> None:
    editor.open(folder / "kettle.md")
    editor.point("[[tea]]", 3)
    assert "**Tea is hot**" in editor.hover()
    assert editor.definition() == ("tea.md", 1)
    editor.point("kettle#Use", 2)
    assert editor.definition() == ("kettle.md", 8)
    editor.point("title:")
    assert editor.references() == ["milk.md", "tea.md", "tea.md"]


def test_a_heading_is_renamed_in_closed_files_and_in_unsaved_ones(editor: RealEditor, folder: Path) -> None:
    (folder / "closed.md").write_text(TEA.replace("bbb", "ddd"))
    editor.open(folder / "tea.md")
    editor.replace("Hot,", "Hot (not saved),")
    editor.open(folder / "kettle.md")
    editor.point("# Use", 3)
    editor.rename("How to use it")
    editor.goes("# How to use it")
    assert (folder / "kettle.md").read_text() == KETTLE
    editor.save_all()
    assert (folder / "kettle.md").read_text() == KETTLE.replace("# Use", "# How to use it")
    assert (folder / "tea.md").read_text() == TEA.replace("Hot,", "Hot (not saved),").replace("#Use", "#How to use it")
    assert (folder / "closed.md").read_text() == TEA.replace("bbb", "ddd").replace("#Use", "#How to use it")


def test_a_note_is_renamed_with_every_link_or_one_is_told_how(editor: RealEditor, folder: Path) -> None:
    editor.open(folder / "tea.md")
    editor.replace("Hot,", "Hot (not saved),")
    editor.open(folder / "kettle.md")
    editor.point("title:")
    if isinstance(editor, Emacs):
        with pytest.raises(AssertionError, match=r"memstore mv kettle\.md pot\.md"):
            editor.rename("pot")
        assert (folder / "kettle.md").read_text() == KETTLE
        return
    editor.rename("pot")
    editor.until((folder / "pot.md").exists)
    editor.save_all()
    assert (folder / "pot.md").read_text() == KETTLE
    assert (folder / "tea.md").read_text() == TEA.replace("Hot,", "Hot (not saved),").replace("[[kettle#", "[[pot#")
    assert (folder / "folder/milk.md").read_text() == FILES["folder/milk.md"].replace("kettle", "pot")


def test_an_act_asks_is_read_again_and_is_taken_back(editor: RealEditor, folder: Path) -> None:
    editor.open(folder / "tea.md")
    editor.open(folder / "kettle.md")
    editor.point("[[tea]]", 3)
    editor.fix("supports belief:m_bbbbbbbbbb")
    editor.until(lambda: "op: support" in (folder / "tea.md").read_text())
    assert any("memstore.reinforce will change" in one for one in editor.until(lambda: editor.messages))
    editor.open(folder / "tea.md")
    editor.goes("op: support")
    editor.memstore(folder, "undo")
    assert (folder / "tea.md").read_text() == TEA


def test_an_act_on_what_is_not_saved_is_refused(editor: RealEditor, folder: Path) -> None:
    editor.open(folder / "kettle.md")
    editor.replace("It boils", "It boils quickly")
    editor.point("[[tea]]", 3)
    before = len(editor.messages)
    editor.fix("supports belief:m_bbbbbbbbbb")
    assert any("not saved" in one for one in editor.until(lambda: editor.messages, lambda now: len(now) > before))
    assert (folder / "tea.md").read_text() == TEA
    editor.save()


def test_a_memory_is_made_of_a_plain_note(editor: RealEditor, tmp_path: Path) -> None:
    place = vault(tmp_path / "mixed", {"plain.md": "# A day\n\nIt rained.\n"}, "mixed") / "plain.md"
    editor.open(place)
    assert editor.finds() == []
    editor.point("It rained")
    editor.fix("make this note a memory")
    editor.goes("id: m_")
    assert editor.text() == place.read_text()


def test_two_vaults_are_open_at_once(editor: RealEditor, folder: Path, tmp_path: Path) -> None:
    other = vault(tmp_path / "other", {"tea.md": TEA.replace("Tea is hot", "Tea is cold"), "kettle.md": KETTLE})
    editor.open(folder / "kettle.md")
    editor.point("[[tea]]", 3)
    assert "Tea is hot" in editor.hover()
    editor.open(other / "kettle.md")
    editor.point("[[tea]]", 3)
    assert "Tea is cold" in editor.hover()


def test_a_file_outside_any_vault_is_left_alone(editor: RealEditor, tmp_path: Path) -> None:
    place = tmp_path / "outside.md"
    place.write_text("---\nstatus: activ\n---\n[[nowhere]]\n")
    editor.open(place)
    editor.replace("activ", "activ?")
    editor.save()
    assert editor.finds() == []
    assert place.read_text() == "---\nstatus: activ?\n---\n[[nowhere]]\n"


def test_a_broken_vault_is_told_once_and_editing_goes_on(editor: RealEditor, folder: Path) -> None:
    config = folder / ".memstore/config.toml"
    whole = config.read_text()
    config.write_text("broken [\n")
    before = len(editor.messages)
    editor.open(folder / "kettle.md")
    for word in ("One", "Two", "Three"):
        editor.replace("It boils", f"{word}. It boils")
        editor.save()
    told = editor.until(lambda: editor.messages, lambda now: len(now) > before)
    assert len([one for one in told if str(folder) in one]) == 1
    assert "Three. It boils" in (folder / "kettle.md").read_text()
    config.write_text(whole)
    editor.replace("It boils", "It boils again")
    assert editor.finds("link-dangling") == ["link-dangling"]


def test_a_file_with_windows_line_ends_keeps_them(editor: RealEditor, folder: Path) -> None:
    text = KETTLE.replace("title:", "status: activ\ntitle:").replace("\n", "\r\n")
    (folder / "kettle.md").write_text(text, newline="")
    editor.open(folder / "kettle.md")
    assert editor.finds("value-choice") == ["value-choice"]
    editor.point("activ")
    editor.fix("write active")
    assert editor.finds("link-dangling") == ["link-dangling"]
    editor.point("# Use", 3)
    editor.rename("Usage")
    editor.goes("# Usage")
    editor.save()
    expected = text.replace("activ\r", "active\r").replace("# Use", "# Usage")
    assert (folder / "kettle.md").read_bytes().decode() == expected


def test_what_is_changed_beside_the_editor_counts_from_the_next_save_on(editor: RealEditor, folder: Path) -> None:
    editor.open(folder / "kettle.md")
    assert editor.finds("link-dangling") == ["link-dangling"]
    (folder / "nowhere.md").write_text(TEA.replace("bbb", "eee").replace("[[kettle#Use]]", "[[tea]]"))
    editor.replace("It boils", "It boils now")
    editor.save()
    assert editor.finds() == []
    (folder / "nowhere.md").unlink()
    editor.replace("now", "then")
    editor.save()
    assert editor.finds("link-dangling") == ["link-dangling"]


def test_saving_while_commands_run_loses_nothing(editor: RealEditor, folder: Path) -> None:
    editor.open(folder / "kettle.md")
    line = [str(MEMSTORE), "--as", "human:sean", "add", "--type", "note", "--title"]
    running = []
    for number in range(4):
        words = [*line, f"Number {number}", f"Beside the editor, see [[kettle]]. {number}"]
        running.append(subprocess.Popen(words, cwd=folder, env=editor.environment, stdout=subprocess.DEVNULL))
        editor.replace("It boils", f"It boils {number}")
        editor.save()
    assert [one.wait(60) for one in running] == [0, 0, 0, 0]
    assert "It boils 3 2 1 0, see" in (folder / "kettle.md").read_text()
    assert sum("Beside the editor" in place.read_text() for place in folder.rglob("*.md")) == 4
    assert editor.finds("link-dangling") == ["link-dangling"]


def test_after_much_typing_the_same_is_found_as_by_check(editor: RealEditor, folder: Path) -> None:
    editor.open(folder / "kettle.md")
    editor.point("title:")
    editor.type("statsu: draft")
    editor.point("It boils")
    for number in range(12):
        editor.type(f"Line {number} has [[tea]] and [[lost {number}]]. 😀")
    editor.replace("[[lost 7]]", "[[kettle]]")
    editor.save()
    said = subprocess.run(
        [str(MEMSTORE), "--as", "human:sean", "--json", "check", "kettle.md"], cwd=folder, env=editor.environment,
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    document = json.loads(said.stdout)
    codes = [one["code"] for one in (*document["findings"], *document["notices"])]
    assert sorted(editor.finds(*codes)) == sorted(codes)
    assert "link-dangling" in codes


def test_titles_stand_beside_ids_in_neovim(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> None:
    made = started("nvim-0.11", tmp_path_factory.mktemp("home"))
    try:
        made.open(folder / "tea.md")
        made.finds()
        made.run("vim.lsp.inlay_hint.enable(true)")
        hints = (
            "return vim.tbl_map(function(one) return one.inlay_hint.label end, vim.lsp.inlay_hint.get({ bufnr = 0 }))"
        )
        assert made.until(lambda: made.run(hints)) == ["Kettle"]
    finally:
        made.close()
