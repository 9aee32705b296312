"""While somebody types, the same is found as `memstore check` finds in the saved file."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.core.errors import MemstoreError
from memstore.files.local_state import Environment
from memstore.lsp import acts, completion, hover, lenses, navigation, renaming
from memstore.lsp.diagnostics import diagnostic, findings
from memstore.lsp.open_files import OpenVault, TextDocument
from memstore.lsp.text import Text, TextSpan
from memstore.vault.check import check
from memstore.vault.composition import keep_open
from tests.support import examples, memory_text

TEA = memory_text("Hot tea, see [[kettle]].\n", id="m_aaaaaaaaaa", title="Tea", source="si:ash").decode()
KETTLE = memory_text("It boils.\n", id="m_bbbbbbbbbb", derived_from='["note:m_aaaaaaaaaa"]').decode()
PIECES = [
    "---\n", "\n", "status: activ\n",
    "id: m_bbbbbbbbbb\n", "derived_from: [note:m_cccccccccc]\n", "[[nowhere]]",
    "supersedes: [note:m_aaaaaaaaaa]\n",
    "tags:\t[x]\n", "<<<<<<< HEAD\n=======\n>>>>>>> x\n", '"', ": ", "[", "é", "😀",
    "\r\n", "\u2028", "\ufeff", "\x00", "access_grants: [human:tom]\n", "confidence: 2\n", "acess_grants: []\n",
]  # fmt: skip


def opened_vault(folder: Path, entity: str | None = None) -> OpenVault:
    env = Environment(variables={}, folder=folder, home=folder.parent / "home", login="sean")
    opened = OpenVault(folder, lambda: keep_open(env, folder, entity, alone=True))
    opened.begin()
    return opened


def vault(folder: Path) -> Path:
    (folder / ".memstore").mkdir(parents=True)
    (folder / ".memstore/config.toml").write_text('format = 1\nowner = "human:sean"\n')
    (folder / "tea.md").write_text(TEA)
    (folder / "kettle.md").write_text(KETTLE)
    return folder


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 30), st.sampled_from(PIECES)), min_size=1, max_size=12),
    st.sampled_from([TEA, KETTLE]),
)
def test_what_is_found_while_somebody_types_is_what_a_check_of_the_saved_file_finds(
    edits: list[tuple[int, int, str]], text: str
) -> None:
    with tempfile.TemporaryDirectory() as place:
        opened = opened_vault(vault(Path(place) / "vault"))
        path = "tea.md" if text == TEA else "kettle.md"
        for at, gone, new in edits:
            text = text[:at] + new + text[at + gone :]
            opened.documents[path] = document = TextDocument(path, Text(text))
            found = findings(opened, document)
            for one in (diagnostic(each, document.text) for each in found):
                assert 0 <= one.range.start.line <= one.range.end.line < document.text.line_count
        (opened.root / path).write_bytes(document.text.data)
        opened.look()
        opened.begin()
        checked = check(opened.saved_view, [path])
        assert [one for one in found if one.code != "body-nul"] == sorted(
            {*checked.findings, *checked.notices}, key=lambda one: (one.path, one.at, one.code, one.text)
        )
        assert findings(opened, document) == found
        assert not opened.unsaved


def test_a_text_that_was_saved_unseen_is_found_as_it_is(tmp_path: Path) -> None:
    opened = opened_vault(vault(tmp_path / "vault"))
    opened.documents["tea.md"] = document = TextDocument("tea.md", Text(TEA.replace("[[kettle]]", "[[nowhere]]")))
    (opened.root / "tea.md").write_bytes(document.text.data)
    assert [one.code for one in findings(opened, document)] == ["link-dangling"]
    assert opened.unsaved == {}
    opened.look()
    opened.begin()
    assert opened.texts == {}


def test_what_an_edit_does_is_told_against_the_last_commit(tmp_path: Path) -> None:
    import subprocess

    folder = vault(tmp_path / "vault")
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@y.z", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    opened = opened_vault(folder)
    document = TextDocument("tea.md", Text(TEA.replace("m_aaaaaaaaaa", "m_dddddddddd")))
    opened.documents["tea.md"] = document
    assert "id-changed" in [one.code for one in findings(opened, document)]
    about = memory_text("Hot.\n", id="m_aaaaaaaaaa", source="si:ash", subject_ids='["human:claire"]').decode()
    (folder / "tea.md").write_text(about)
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@y.z", "commit", "-qam", "y"], cwd=folder, check=True
    )
    opened = opened_vault(folder)
    document = TextDocument("tea.md", Text(about.replace("source:", "access_grants: [human:tom]\nsource:")))
    opened.documents["tea.md"] = document
    wider = [one for one in findings(opened, document) if one.code == "grants-widened"]
    assert len(wider) == 1
    assert "human:tom" in wider[0].text


@settings(max_examples=examples(25), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 30), st.sampled_from(PIECES)), max_size=8),
    st.sampled_from([TEA, KETTLE, "", "# Only\n\n[[tea#L1", "---\n", "---\ntype: note\n- [["]),
)
def test_whatever_is_typed_every_question_about_every_place_is_answered(
    edits: list[tuple[int, int, str]], text: str
) -> None:
    for at, gone, new in edits:
        text = text[:at] + new + text[at + gone :]
    with tempfile.TemporaryDirectory() as place:
        opened = opened_vault(vault(Path(place) / "vault"))
        opened.documents["tea.md"] = document = TextDocument("tea.md", Text(text))
        for offset in range(0, len(text) + 1, 3):
            for offer in completion.completions(opened, document, offset):
                assert 0 <= offer.span.start <= offset <= offer.span.end <= len(text)
            if said := hover.hover(opened, document, offset):
                assert said[1].start <= said[1].end <= len(text)
            navigation.definition(opened, document, offset)
            if what := renaming.renamable(opened, document, offset):
                assert what.span.start <= what.span.end
                with suppress(MemstoreError):
                    renaming.renamed(opened, document, offset, "pot")
            offered = [*acts.offered(opened, document, TextSpan(offset, min(offset + 4, len(text))))]
            assert {one.command for one in offered} <= {*acts.ACTS}
        for first, last, _ in navigation.folds(document.text):
            assert 0 <= first <= last < document.text.line_count
        assert all(lenses.lenses(opened, document))
        assert all(at <= len(text) for at, _ in lenses.titles(opened, document))
        assert all(span.end <= len(text) for span, _ in navigation.document_links(opened, document))
        assert len(navigation.symbols(document.text)) <= document.text.line_count
