"""An editor of somebody who may not see a memory is answered as if there were none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.lsp.client import Editor, ServerError
from tests.lsp.test_scenes import vault

if TYPE_CHECKING:
    from pathlib import Path

HIDDEN = {
    "secret.md": "---\ntype: belief\nid: m_hhhhhhhhhh\ntitle: Canary of silver\ntags: [silver]\naliases: [Goldfinch]\n"
    "confidence: 0.9\nsubject_ids: [human:silver]\nderived_from: [note:m_aaaaaaaaaa]\n---\n"
    "# Silver\n\nSilver wings, [[own]] and [[open]].\n",
    "plain.md": "Silver plain, [[own]].\n",
}
SHOWN = {
    "own.md": "---\ntype: note\nid: m_aaaaaaaaaa\nowner: human:tom\ntitle: Own\nsource: si:ash\n"
    "relates_to: [belief:m_hhhhhhhhhh]\n"
    "---\n# Top\n\nSee [[secret]], [[Goldfinch]], [[plain]], [[open]] and belief:m_hhhhhhhhhh.\n",
    "open.md": "---\ntype: note\nid: m_bbbbbbbbbb\ntitle: Open\naccess_grants: ['*']\nsource: si:ash\n---\nOpen.\n",
}  # fmt: skip
TYPED = ["[[", "[[s", "[[secret#", "#", "#sil", "](", "](s", "belief:", "belief:m_h", "[[secret#L1"]
HEADS = ["derived_from: [", "subject_ids: [", "access_grants: [", "tags: [", "context: ", "id: m_hhhhhhhhhh"]


def answers(folder: Path, home: Path) -> list[Any]:
    """Return all that an editor of `human:tom` is answered about a file of his own."""
    said: list[Any] = []
    with Editor(folder, home, "--as", "human:tom") as editor:
        text = SHOWN["own.md"]

        def ask(method: str, **more: object) -> None:
            try:
                said.append(editor.of("own.md", method, **more))
            except ServerError as error:
                said.append(str(error))

        said.append(editor.open("own.md"))
        for line, written in enumerate(text.split("\n")):
            for character in range(0, len(written) + 1, 3):
                place = {"line": line, "character": character}
                for method in ("hover", "definition", "completion", "prepareRename"):
                    ask(method, position=place)
                ask("references", position=place, context={"includeDeclaration": False})
                ask("codeAction", range={"start": place, "end": place}, context={"diagnostics": []})
            ask("rename", position={"line": line, "character": 5}, newName="secret")
        for typed in TYPED:
            said.append(editor.write("own.md", f"{text}{typed}"))
            ask("completion", position={"line": text.count("\n"), "character": len(typed)})
        for typed in HEADS:
            said.append(editor.write("own.md", text.replace("source:", f"{typed}\nsource:")))
            ask("completion", position={"line": 5, "character": len(typed)})
        for method in ("codeLens", "documentSymbol", "documentLink", "foldingRange"):
            ask(method)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        ask("inlayHint", range=whole)
        said += [editor.ask("workspace/symbol", {"query": query}) for query in ("", "silver", "secret", "gold")]
        uri = editor.uri("own.md")
        for command, given in (
            ("memstore.reinforce", ["belief:m_hhhhhhhhhh", "note:m_aaaaaaaaaa"]),
            ("memstore.grant", ["belief:m_hhhhhhhhhh", "human:tom"]),
            ("memstore.sign", ["belief:m_hhhhhhhhhh"]),
            ("memstore.supersede", ["belief:m_hhhhhhhhhh", "x"]),
            ("memstore.adopt", []),
        ):
            said.append(editor.run(command, uri, *given))
        said += [editor.messages, editor.asked]
    return said


def test_what_is_hidden_alters_no_answer(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    with_them = answers(vault(tmp_path / "one/vault", SHOWN | HIDDEN, "mixed"), tmp_path / "one")
    without = answers(vault(tmp_path / "other/vault", SHOWN, "mixed"), tmp_path / "other")
    whole = json.dumps(with_them).replace(str(tmp_path / "one"), str(tmp_path / "other"))
    for one, other in zip(json.loads(whole), without, strict=True):
        assert one == other
    assert "ilver" not in whole
    assert "Open" in whole


def test_who_may_no_longer_see_a_memory_is_answered_so_at_once(tmp_path: Path) -> None:
    group = "id: group:ops\nmembers:\n  - id: human:tom\n"
    shown = SHOWN["open.md"].replace("['*']", "[group:ops]").replace("Open", "Silver")
    folder = vault(tmp_path / "vault", {"own.md": SHOWN["own.md"], "open.md": shown, "groups/ops.yaml": group})
    with Editor(folder, tmp_path, "--as", "human:tom") as editor:
        editor.open("own.md")
        end = {"line": 10, "character": SHOWN["own.md"].split("\n")[10].index("[[open]]") + 4}
        assert "Silver" in editor.of("own.md", "hover", position=end)["contents"]["value"]
        (folder / "groups/ops.yaml").write_text("id: group:ops\nmembers: []\n")
        assert editor.of("own.md", "hover", position=end) is None
        assert editor.of("own.md", "definition", position=end) is None
        editor.write("own.md", SHOWN["own.md"] + "[[")
        offered = editor.of("own.md", "completion", position={"line": 12, "character": 2})["items"]
        assert "ilver" not in json.dumps(offered)
        assert "link-dangling" not in [one["code"] for one in editor.write("own.md", "---\ntype: note\n---\n[[own]]\n")]
