"""What an editor does with the installed `memstore lsp`: type, complete, go about, rename, act."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.lsp import acts
from memstore.lsp.text import Text
from tests.installed import MEMSTORE, at_home
from tests.lsp.client import Editor, ServerError, applied

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.soak(12, together=True)

KETTLE = (
    "---\ntype: note\nid: m_aaaaaaaaaa\ntitle: Kettle\ntags: [kitchen]\nsource: si:ash\n"
    "---\n# Use\n\nIt boils, see [[tea]] and [[nowhere]].\n"
)
TEA = (
    "---\ntype: belief\nid: m_bbbbbbbbbb\ntitle: Tea is hot\nconfidence: 0.8\nsource: si:ash\n"
    "derived_from: [note:m_aaaaaaaaaa]\n---\nHot, as [[kettle#Use]] says.\n"
)
FILES = {
    "kettle.md": KETTLE,
    "tea.md": TEA,
    "folder/milk.md": "---\ntype: note\nid: m_cccccccccc\n---\nSee [k](../kettle.md).\n",
}


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    folder = vault(tmp_path / "vault", FILES)
    with Editor(folder, tmp_path, "--as", "human:sean") as editor:
        yield editor


def vault(folder: Path, files: dict[str, str], notes: str = "own") -> Path:
    (folder / ".memstore").mkdir(parents=True)
    (folder / ".memstore/config.toml").write_text(f'format = 1\nowner = "human:sean"\nnotes = "{notes}"\n')
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def offset(text: str, place: dict[str, int]) -> int:
    from lsprotocol import types

    return Text(text).offset(types.Position(place["line"], place["character"]))


def labels(found: dict[str, list[dict[str, str]]]) -> list[str]:
    return [one["label"] for one in found["items"]]


def test_a_slip_is_found_at_its_value_and_mended_by_a_quick_fix(editor: Editor) -> None:
    editor.open("kettle.md")
    text = KETTLE.replace("title:", "status: activ\ntitle:")
    found = editor.write("kettle.md", text)
    assert [(one["code"], one["range"]["start"]["line"], one["range"]["start"]["character"]) for one in found] == [
        ("value-choice", 3, 8)
    ]
    fix = editor.actions("kettle.md", (3, 0))["memstore: write active"]
    edits = fix["edit"]["documentChanges"][0]["edits"]
    assert applied(text, edits, offset) == text.replace("activ\n", "active\n")
    assert [one["code"] for one in editor.write("kettle.md", applied(text, edits, offset))] == ["link-dangling"]


def test_beside_notes_of_other_programs_a_slip_in_the_type_of_a_memory_is_found(tmp_path: Path) -> None:
    folder = vault(tmp_path / "vault", FILES, notes="mixed")
    with Editor(folder, tmp_path, "--as", "human:sean") as editor:
        editor.open("kettle.md")
        text = KETTLE.replace("type: note", "type: belif").replace("[[nowhere]]", "it")
        (found,) = editor.write("kettle.md", text)
        assert (found["code"], found["range"]["start"]) == ("type-unknown", {"line": 1, "character": 6})
        assert "did you mean belief?" in found["message"]
        edits = editor.actions("kettle.md", (1, 6))["memstore: write belief"]["edit"]["documentChanges"][0]["edits"]
        assert applied(text, edits, offset) == text.replace("belif", "belief")
        for other in ("type: recipe", "type: notes", "type: [belif]", "type: belief"):
            assert editor.write("kettle.md", text.replace("type: belif", other)) == []
        assert editor.write("kettle.md", text.replace("id: m_aaaaaaaaaa", "id: kettle")) == []


def test_a_keystroke_is_an_incremental_change(editor: Editor) -> None:
    editor.open("kettle.md")
    end = {"line": 9, "character": len("It boils, see [[tea]] and [[nowhere]].")}
    found = editor.change("kettle.md", {"range": {"start": end, "end": end}, "text": " 😀 [[lost]]"})
    assert [one["message"].split()[0] for one in found] == ["[[lost]]", "[[nowhere]]"]


def test_links_and_refs_are_completed(editor: Editor) -> None:
    editor.open("kettle.md")
    text = f"{KETTLE}\nMore of [[te\n"
    editor.write("kettle.md", text)
    found = editor.at("kettle.md", 11, 12, "completion")
    assert labels(found) == ["Tea is hot"]
    assert found["items"][0]["textEdit"]["newText"] == "tea]]"
    editor.write("kettle.md", KETTLE.replace("source:", "derived_from: [\nsource:"))
    assert "belief:m_bbbbbbbbbb  Tea is hot" in labels(editor.at("kettle.md", 5, 15, "completion"))
    editor.open("tea.md")
    editor.write("tea.md", f"{TEA}\n[[kettle#\n")
    assert labels(editor.at("tea.md", 10, 9, "completion")) == ["Use"]
    editor.write("tea.md", f"{TEA}\n[[kettle#L8\n")
    assert editor.at("tea.md", 10, 11, "completion")["items"][0]["label"].startswith("L8@")


def test_keys_values_tags_and_paths_are_completed(editor: Editor) -> None:
    editor.open("kettle.md")
    editor.write("kettle.md", KETTLE.replace("source:", "sta\nsource:"))
    assert labels(editor.at("kettle.md", 5, 3, "completion")) == ["status", "status_reason"]
    editor.write("kettle.md", KETTLE.replace("source:", "status: \nsource:"))
    assert labels(editor.at("kettle.md", 5, 8, "completion"))[:2] == ["active", "draft"]
    editor.write("kettle.md", f"{KETTLE}\n#kit\n[x](fol\n")
    assert labels(editor.at("kettle.md", 11, 4, "completion")) == ["kitchen"]
    assert labels(editor.at("kettle.md", 12, 7, "completion")) == ["folder/milk.md"]


def test_a_note_that_is_not_saved_yet_is_found_from_others(editor: Editor) -> None:
    editor.open("new.md", "---\ntype: note\nid: m_dddddddddd\ntitle: Saucer\n---\nRound.\n")
    editor.open("kettle.md")
    assert [one["code"] for one in editor.write("kettle.md", KETTLE.replace("nowhere", "Saucer"))] == []
    assert "Saucer" in editor.at("kettle.md", 9, 29, "hover")["contents"]["value"]
    assert not (editor.folder / "new.md").exists()


def test_pointing_at_a_link_says_what_show_says(editor: Editor) -> None:
    editor.open("kettle.md")
    card = editor.at("kettle.md", 9, 17, "hover")["contents"]["value"]
    assert "**Tea is hot**" in card
    assert "belief:m_bbbbbbbbbb" in card
    assert "0.80" in card
    assert editor.at("kettle.md", 1, 2, "hover")["contents"]["value"].startswith("**type**")
    editor.open("tea.md")
    assert "how sure its holder is" in editor.at("tea.md", 4, 3, "hover")["contents"]["value"]
    assert editor.at("kettle.md", 9, 30, "hover") is None


def test_going_to_a_definition_and_back(editor: Editor) -> None:
    editor.open("tea.md")
    there = editor.at("tea.md", 8, 15, "definition")
    assert (there["uri"], there["range"]["start"]["line"]) == (editor.uri("kettle.md"), 7)
    assert editor.at("tea.md", 6, 20, "definition")["uri"] == editor.uri("kettle.md")
    editor.open("kettle.md")
    found = editor.at("kettle.md", 3, 0, "references", context={"includeDeclaration": False})
    places = [(one["uri"].rpartition("/")[2], one["range"]["start"]["line"]) for one in found]
    assert sorted(places) == [("milk.md", 4), ("tea.md", 6), ("tea.md", 8)]
    assert [one["target"] for one in editor.of("kettle.md", "documentLink")] == [editor.uri("tea.md")]


def test_a_text_and_the_vault_are_outlined(editor: Editor) -> None:
    editor.open("kettle.md")
    assert [one["name"] for one in editor.of("kettle.md", "documentSymbol")][-2:] == ["source", "Use"]
    assert editor.ask("workspace/symbol", {"query": "tea"})[0]["name"] == "Tea is hot"
    assert {"startLine": 0, "endLine": 6} in editor.of("kettle.md", "foldingRange")
    assert [one["command"]["title"] for one in editor.of("kettle.md", "codeLens")] == [
        "2 links lead here", "1 memory names it", "seen by its owner alone",
    ]  # fmt: skip
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}}
    editor.open("tea.md")
    assert [one["label"] for one in editor.of("tea.md", "inlayHint", range=whole)] == ["Kettle"]


def test_a_note_is_renamed_with_every_link_to_it(editor: Editor) -> None:
    editor.open("kettle.md")
    editor.open("tea.md")
    text = TEA.replace("Hot,", "Hot [[kettle]],")  # not saved
    editor.write("tea.md", text)
    changes = editor.at("kettle.md", 3, 0, "rename", newName="pot")["documentChanges"]
    assert changes[-1] == {"kind": "rename", "oldUri": editor.uri("kettle.md"), "newUri": editor.uri("pot.md")}
    by_uri = {one["textDocument"]["uri"]: one for one in changes[:-1]}
    tea = by_uri[editor.uri("tea.md")]
    assert tea["textDocument"]["version"] == 2
    assert applied(text, tea["edits"], offset) == text.replace("[[kettle", "[[pot")
    milk = by_uri[editor.uri("folder/milk.md")]
    assert applied(FILES["folder/milk.md"], milk["edits"], offset).endswith("See [k](../pot.md).\n")
    with pytest.raises(ServerError, match="there is a file already"):
        editor.at("kettle.md", 3, 0, "rename", newName="tea")
    with pytest.raises(ServerError, match="may be outside the vault"):
        editor.at("kettle.md", 3, 0, "rename", newName="../../tea")


def test_an_editor_that_cannot_rename_files_changes_no_link_to_one(tmp_path: Path) -> None:
    folder = vault(tmp_path / "vault", FILES)
    with Editor(folder, tmp_path, "--as", "human:sean", renames=False) as editor:
        editor.open("kettle.md")
        with pytest.raises(ServerError, match=r"memstore mv kettle\.md pot\.md"):
            editor.at("kettle.md", 3, 0, "rename", newName="pot")
        changes = editor.at("kettle.md", 7, 3, "rename", newName="Usage")["changes"]
        assert sorted(changes) == [editor.uri("kettle.md"), editor.uri("tea.md")]


def test_an_editor_that_leaves_without_a_word_ends_the_server(tmp_path: Path) -> None:
    words = [str(MEMSTORE), "lsp"]
    done = subprocess.run(
        words, cwd=tmp_path, env=at_home(tmp_path), input=b"", capture_output=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_heading_is_renamed_with_the_links_to_it(editor: Editor) -> None:
    editor.open("kettle.md")
    assert editor.at("kettle.md", 7, 3, "prepareRename")["placeholder"] == "Use"
    changes = editor.at("kettle.md", 7, 3, "rename", newName="How to use it")["documentChanges"]
    by_uri = {one["textDocument"]["uri"]: one["edits"] for one in changes}
    assert applied(KETTLE, by_uri[editor.uri("kettle.md")], offset) == KETTLE.replace("# Use", "# How to use it")
    assert applied(TEA, by_uri[editor.uri("tea.md")], offset) == TEA.replace("#Use", "#How to use it")


def test_an_editor_that_renames_a_file_is_told_the_links(editor: Editor) -> None:
    editor.open("tea.md")
    files = [{"oldUri": editor.uri("kettle.md"), "newUri": editor.uri("folder/kettle.md")}]
    changes = editor.ask("workspace/willRenameFiles", {"files": files})["documentChanges"]
    assert [one["textDocument"]["uri"] for one in changes] == [editor.uri("folder/milk.md")]


def test_an_act_says_what_it_changes_asks_and_is_one_undo(editor: Editor, tmp_path: Path) -> None:
    editor.open("kettle.md")
    act = editor.actions("kettle.md", (9, 17))["memstore: this memory supports belief:m_bbbbbbbbbb"]["command"]
    editor.answer_with = "Cancel"
    assert editor.run(act["command"], *act["arguments"]) is None
    assert (editor.folder / "tea.md").read_text() == TEA
    editor.answer_with = "Do it"
    assert editor.run(act["command"], *act["arguments"]) == "tea.md"
    assert "+confidence:" in editor.asked[-1].replace("+ ", "+")
    assert "op: support" in (editor.folder / "tea.md").read_text()
    assert "memstore undo" in editor.messages[-1]
    words = [str(MEMSTORE), "--as", "human:sean", "undo"]
    subprocess.run(words, cwd=editor.folder, env=at_home(tmp_path), check=True, capture_output=True)
    assert (editor.folder / "tea.md").read_text() == TEA


def test_an_act_on_text_that_is_not_saved_is_refused(editor: Editor) -> None:
    editor.open("kettle.md")
    editor.open("tea.md")
    editor.write("tea.md", f"{TEA}More.\n")
    uri = editor.uri("kettle.md")
    assert editor.run("memstore.reinforce", uri, "belief:m_bbbbbbbbbb", "note:m_aaaaaaaaaa") is None
    assert "tea.md has changes that are not saved" in editor.messages[-1]
    assert (editor.folder / "tea.md").read_text() == TEA


def test_a_memory_is_derived_from_a_selection(editor: Editor) -> None:
    editor.open("kettle.md")
    act = editor.actions("kettle.md", (9, 0), (9, 8))["memstore: derive a new memory from the selection"]["command"]
    path = editor.run(act["command"], *act["arguments"])
    made = (editor.folder / path).read_text()
    assert "note:m_aaaaaaaaaa" in made
    assert made.endswith("\nIt boils\n")


def test_a_plain_note_is_left_in_peace_but_for_broken_links(tmp_path: Path) -> None:
    files = {"plain.md": "---\nstatus: whatever\ntags: [a]\n---\n# Day\n\n[[kettle]] [[lost]]\n", "kettle.md": KETTLE}
    with Editor(vault(tmp_path / "vault", files, "mixed"), tmp_path, "--as", "human:sean") as editor:
        assert [one["code"] for one in editor.open("plain.md")] == ["link-dangling"]
        assert list(editor.actions("plain.md", (0, 0))) == ["memstore: make this note a memory"]
        act = editor.actions("plain.md", (0, 0))["memstore: make this note a memory"]["command"]
        assert editor.run(act["command"], *act["arguments"]) == "plain.md"
        assert "id: m_" in (editor.folder / "plain.md").read_text()


def test_a_file_outside_any_vault_and_a_broken_vault_are_no_trouble(tmp_path: Path) -> None:
    folder = vault(tmp_path / "vault", FILES)
    outside = tmp_path / "outside.md"
    outside.write_text("# Out\n")
    with Editor(folder, tmp_path, "--as", "human:sean") as editor:
        document = {"uri": outside.as_uri(), "languageId": "markdown", "version": 1, "text": "# Out\n"}
        editor.tell("textDocument/didOpen", {"textDocument": document})
        assert (
            editor.ask(
                "textDocument/hover",
                {"textDocument": {"uri": outside.as_uri()}, "position": {"line": 0, "character": 3}},
            )
            is None
        )
        editor.open("kettle.md")
        (folder / ".memstore/config.toml").write_text("broken [\n")
        for number in range(3):
            editor.save("kettle.md", f"{KETTLE}{number}\n")
        assert len(editor.messages) == 1
        assert "config.toml" in editor.messages[0]


def test_a_file_whose_vault_can_be_opened_only_later_is_served_from_then_on(tmp_path: Path) -> None:
    folder = vault(tmp_path / "vault", FILES)
    config = folder / ".memstore/config.toml"
    whole = config.read_text()
    config.write_text("broken [\n")
    with Editor(folder, tmp_path, "--as", "human:sean") as editor:
        assert editor.open("kettle.md") == []
        editor.open("tea.md")
        end = {"line": 9, "character": 9}
        assert editor.change("kettle.md", {"range": {"start": end, "end": end}, "text": ", [[lost]]"}) == []
        config.write_text(whole)
        found = editor.save("tea.md", TEA), editor.findings("kettle.md")
        assert [[one["message"].split()[0] for one in each] for each in found] == [[], ["[[lost]]", "[[nowhere]]"]]


def test_neovim_is_given_the_rest_of_a_word_and_left_to_filter(tmp_path: Path) -> None:
    folder = vault(
        tmp_path / "vault", {**FILES, "people/Mrs Aydin.md": "---\ntype: note\nid: m_dddddddddd\n---\nShe.\n"}
    )
    typed = KETTLE.replace("source:", "derived_from: [belief:\nsource:").replace("It", "[[Mrs Ay\n[[hot\nIt")
    with Editor(folder, tmp_path, "--as", "human:sean", name="Neovim") as editor:
        editor.open("kettle.md", typed)
        ref, rest, title = (editor.at("kettle.md", *at, "completion")["items"][0] for at in ((5, 22), (10, 8), (11, 5)))
        assert (ref["insertText"], rest["insertText"]) == ("m_bbbbbbbbbb", "Aydin]]")
        assert "textEdit" not in {**ref, **rest}
        assert (title["insertText"], title["filterText"]) == ("tea]]", "hot")
    with Editor(folder, tmp_path, "--as", "human:sean", name="Emacs") as editor:
        editor.open("kettle.md", typed)
        ref = editor.at("kettle.md", 5, 22, "completion")["items"][0]
        assert (ref["filterText"], ref["textEdit"]["newText"]) == ("belief:", "belief:m_bbbbbbbbbb")


def test_a_link_goes_on_from_what_was_typed(editor: Editor) -> None:
    editor.open("kettle.md")
    for typed, written in (("mi", "milk]]"), ("folder/mi", "folder/milk]]"), ("Tea", "Tea is hot]]"), ("te", "tea]]")):
        editor.write("kettle.md", f"{KETTLE}\n[[{typed}\n")
        items = editor.at("kettle.md", 11, 2 + len(typed), "completion")["items"]
        assert [one["textEdit"]["newText"] for one in items] == [written]


def test_a_misspelled_link_is_mended_by_a_quick_fix(editor: Editor) -> None:
    editor.open("kettle.md")
    text = f"{KETTLE}\nSee [[nowhere]], [[Tea is hto|it]] and [[kettel]].\n"
    editor.write("kettle.md", text)
    found = editor.actions("kettle.md", (11, 0))
    assert [one for one in found if "write" in one] == [
        "memstore: write [[Tea is hot|it]]",
        "memstore: write [[kettle]]",
    ]
    edits = found["memstore: write [[Tea is hot|it]]"]["edit"]["documentChanges"][0]["edits"]
    assert applied(text, edits, offset) == text.replace("hto", "hot")


def test_a_file_that_an_act_makes_is_opened(editor: Editor) -> None:
    editor.open("kettle.md")
    assert editor.shown == []
    path = editor.run("memstore.today", editor.uri("kettle.md"))
    editor.of("kettle.md", "foldingRange")
    assert editor.shown == [path]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_columns_are_counted_as_was_agreed_on(tmp_path: Path, encoding: str) -> None:
    folder = vault(tmp_path / "vault", FILES)
    with Editor(folder, tmp_path, "--as", "human:sean", encoding=encoding) as editor:
        assert editor.capabilities["positionEncoding"] == encoding
        editor.open("kettle.md")
        editor.write("kettle.md", f"{KETTLE}\n😀 [[tea]]\n")
        start = {"utf-8": 5, "utf-16": 3}[encoding]
        assert editor.at("kettle.md", 11, start + 3, "hover")["range"]["start"]["character"] == start


def test_a_text_that_is_shown_fetches_nothing_and_ends_no_quotation(tmp_path: Path) -> None:
    evil = "---\ntype: note\nid: m_dddddddddd\ntitle: Evil\n---\n![x](https://example.org/x.png)\n````\nout\x1b[2J\n"
    files = {"evil.md": evil, "kettle.md": KETTLE.replace("[[tea]]", "[[evil]]")}
    with Editor(vault(tmp_path / "vault", files), tmp_path, "--as", "human:sean") as editor:
        editor.open("kettle.md")
        lines = editor.at("kettle.md", 9, 17, "hover")["contents"]["value"].split("\n")
        assert lines[lines.index("`````text") + 1] == "![x](https://example.org/x.png)"
        assert lines[-1] == "`````"
        assert "\x1b" not in "".join(lines)


def test_an_act_on_a_file_that_changes_while_somebody_is_asked_is_refused(editor: Editor) -> None:
    editor.open("kettle.md")
    editor.on_question = lambda: (editor.folder / "tea.md").write_text(f"{TEA}More.\n")
    uri = editor.uri("kettle.md")
    assert editor.run("memstore.reinforce", uri, "belief:m_bbbbbbbbbb", "note:m_aaaaaaaaaa") is None
    assert "tea.md has changed since" in editor.messages[-1]
    assert (editor.folder / "tea.md").read_text() == f"{TEA}More.\n"


def test_an_interrupt_ends_the_server_although_the_editor_is_still_there(editor: Editor) -> None:
    editor.open("kettle.md")
    assert editor.interrupted() == 130


BELIEF = TEA.replace("m_bbbbbbbbbb", "m_dddddddddd").replace("derived_from", "relates_to")
DRAFT = KETTLE.replace("m_aaaaaaaaaa", "m_eeeeeeeeee").replace("source:", "status: draft\nauthor: si:ash\nsource:")
ACTS = {
    "memstore.adopt": ("loose.md", [], "loose.md"),
    "memstore.reinforce": ("tea.md", ["belief:m_bbbbbbbbbb", "note:m_aaaaaaaaaa"], "tea.md"),
    "memstore.contradict": ("tea.md", ["belief:m_bbbbbbbbbb", "note:m_cccccccccc"], "tea.md"),
    "memstore.derive": ("tea.md", ["belief:m_bbbbbbbbbb", "Hot things burn."], "notes/"),
    "memstore.supersede": ("tea.md", ["belief:m_bbbbbbbbbb", "Tea is cold."], "tea.md"),
    "memstore.resolve": ("tea.md", ["belief:m_bbbbbbbbbb", "belief:m_dddddddddd", "both"], "tea.md"),
    "memstore.accept": ("suggestions/use.md", ["note:m_eeeeeeeeee"], "use.md"),
    "memstore.reject": ("suggestions/use.md", ["note:m_eeeeeeeeee"], "use.md"),
    "memstore.grant": ("folder/milk.md", ["note:m_cccccccccc", "human:tom"], "folder/milk.md"),
    "memstore.sign": ("tea.md", ["belief:m_bbbbbbbbbb"], "tea.md"),
    "memstore.today": ("tea.md", [], ""),
}


@pytest.mark.soak(4)
@pytest.mark.parametrize("name", [*acts.ACTS])
def test_each_act_is_shown_done_and_taken_back(name: str, tmp_path: Path) -> None:
    loose = {"pot.md": BELIEF, "loose.md": "---\ntype: note\n---\nLoose.\n", "suggestions/use.md": DRAFT}
    folder = vault(tmp_path / "vault", FILES | loose)
    (tmp_path / ".ssh").mkdir()
    key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(tmp_path / ".ssh/id_ed25519")]
    subprocess.run(key, check=True)
    words = [str(MEMSTORE), "--as", "human:sean"]
    setting = [*words, "config", "--user", "signing_key", str(tmp_path / ".ssh/id_ed25519")]
    subprocess.run(setting, cwd=folder, env=at_home(tmp_path), check=True, capture_output=True)

    def files() -> dict[str, bytes]:
        return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.md")}

    before = files()
    path, given, written = ACTS[name]
    with Editor(folder, tmp_path, *words[1:]) as editor:
        editor.answer_with = "Cancel"
        editor.run(name, editor.uri(path), *given)
        assert (len(editor.asked), files()) == (1, before), editor.messages
        editor.answer_with = "Do it"
        editor.run(name, editor.uri(path), *given)
        assert editor.messages[-1].startswith("memstore: wrote "), editor.messages
        assert written in editor.messages[-1]
        assert files() != before
        known, now = (b"".join(each.values()).decode().splitlines() for each in (before, files()))
        ids = {f"+{line}" for line in now if line.startswith("id: ") and line not in known}
        assert ids <= {*editor.asked[-1].splitlines()}, "what is written is what was shown"
        subprocess.run([*words, "undo"], cwd=folder, env=at_home(tmp_path), check=True, capture_output=True)
        assert files() == before


def test_what_a_registry_says_wrongly_is_found_while_it_is_typed(editor: Editor) -> None:
    (editor.folder / "groups").mkdir()
    right = "id: group:ops\nmembers:\n  - id: human:tom\n"
    assert editor.open("groups/ops.yaml", right) == []
    (found,) = editor.write("groups/ops.yaml", right.replace("group:ops", "group:op"))
    assert (found["code"], found["range"]["start"]["line"]) == ("registry-name", 0)
    (found,) = editor.write("groups/ops.yaml", right.replace("members", "member"))
    assert (found["code"], found["range"]["start"]["line"]) == ("key-unknown", 1)
    assert "did you mean members?" in found["message"]
    assert editor.write("groups/ops.yaml", right.replace("members:", "members"))
    assert editor.write("groups/ops.yaml", right) == []
    assert editor.at("groups/ops.yaml", 0, 4, "hover") is None


def test_who_is_who_is_what_the_files_say_and_no_unsaved_text(tmp_path: Path) -> None:
    hidden = {
        "tea.md": TEA.replace("source:", "access_grants: [group:ops]\nsource:"),
        "groups/ops.yaml": "id: group:ops\nmembers: []\n",
    }
    folder = vault(tmp_path / "vault", FILES | hidden)
    with Editor(folder, tmp_path, "--as", "human:tom") as editor:
        editor.open("groups/ops.yaml", "id: group:ops\nmembers:\n  - id: human:tom\n")
        editor.open("kettle.md")
        assert editor.at("kettle.md", 9, 18, "hover") is None
        assert editor.ask("workspace/symbol", {"query": "tea"}) == []
