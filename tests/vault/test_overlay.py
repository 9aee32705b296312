"""Texts that are not saved yet are found, checked and judged as if they were, and nothing is written through them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.core.change import Edit
from memstore.core.errors import RefusedError
from memstore.core.transaction import save
from memstore.files.links import TextLink
from memstore.files.local_state import Environment
from memstore.vault.check import check
from memstore.vault.composition import open_workspace
from memstore.vault.note_names import LinkTable
from tests import broken_vault
from tests.support import examples, memory_text

if TYPE_CHECKING:
    from memstore.core.view import View

BEFORE = {
    "a/tea.md": memory_text("Hot tea, see [[kettle]].\n", id="m_aaaaaaaaaa", title="Tea", source="si:ash"),
    "kettle.md": memory_text("It boils.\n", id="m_bbbbbbbbbb", derived_from='["note:m_aaaaaaaaaa"]'),
    "plain.md": b"A note, see [tea](a/tea.md).\n",
}
WORDS = [
    "id: m_aaaaaaaaaa", "id: m_dddddddddd", "derived_from: [note:m_bbbbbbbbbb]", "derived_from: [note:m_cccccccccc]",
    "supersedes: [note:m_aaaaaaaaaa]", "status: activ", "title: Kettle", "aliases: [Tea]", "source: si:ash", "---",
    "[[Tea]]", "[[nowhere]]", "[x](a/tea.md)", "[[note:m_bbbbbbbbbb]]", "tags:\t[x]", "<<<<<<< HEAD", "é日😀",
]  # fmt: skip


def opened(folder: Path) -> View:
    env = Environment(variables={}, folder=folder, home=folder.parent / "home", login="sean")
    return open_workspace(env, vault=str(folder), alone=True).view()


def vault(folder: Path, files: dict[str, bytes], *, mixed: bool) -> Path:
    (folder / ".memstore").mkdir(parents=True)
    text = f'format = 1\nowner = "human:sean"\nnotes = "{"mixed" if mixed else "own"}"\n'
    (folder / ".memstore/config.toml").write_text(text)
    put(folder, files)
    return folder


def put(folder: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


LINKS = [
    TextLink.of(word) for word in ("[[Tea]]", "[[kettle]]", "[[a/tea]]", "[[m_aaaaaaaaaa]]", "(tea.md)", "(a/tea.md)")
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map("\n".join)
FILES = st.dictionaries(
    st.sampled_from([*BEFORE, "new.md", "b/kettle.md"]),
    st.one_of(
        st.sampled_from([one.data for one in (broken_vault.BROKEN | broken_vault.AT_ODDS).values()]),
        st.builds(lambda head, body: f"---\ntype: note\n{head}\n---\n{body}\n".encode(), TEXTS, TEXTS),
        TEXTS.map(str.encode),
    ),
    min_size=1,
)


@settings(max_examples=examples(60), deadline=None)
@given(FILES, st.booleans())
def test_a_check_of_texts_that_are_laid_over_says_what_one_of_the_saved_files_says(
    texts: dict[str, bytes],
    mixed: bool,  # noqa: FBT001 - as hypothesis calls it
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = vault(Path(place) / "vault", BEFORE, mixed=mixed)
        over = opened(folder).overlaid(texts)
        found, rows = check(over), [over.entry(row) for row in over.texts]
        near, anew = LinkTable(opened(folder)).laid_over(over, {*texts}), LinkTable(over)
        assert {note.path: [*near.dangling(note.row)] for note in near.notes} == {
            note.path: [*anew.dangling(note.row)] for note in anew.notes
        }
        for link in LINKS:
            for of in BEFORE:
                assert [*near.names.led_to(link, of=of)] == [*anew.names.led_to(link, of=of)]
        put(folder, texts)
        saved = opened(folder)
        assert found == check(saved)
        as_saved = {entry.path: entry._replace(created_at="") for entry in (saved.entry(row) for row in saved.texts)}
        assert {entry.path: entry._replace(created_at="") for entry in rows} == as_saved


def test_nothing_is_written_through_texts_that_are_laid_over(tmp_path: Path) -> None:
    folder = vault(tmp_path / "vault", BEFORE, mixed=False)
    over = opened(folder).overlaid({"new.md": BEFORE["a/tea.md"]})
    file = over.original("kettle.md")
    with pytest.raises(RefusedError, match="not saved yet"):
        save(over, Edit(path=file.path, before=file, after=file.data + b"More.\n"), verb="edit")
    assert {path: (folder / path).read_bytes() for path in BEFORE} == BEFORE
    assert not (folder / "new.md").exists()


def test_what_is_laid_over_is_judged_by_its_own_labels(tmp_path: Path) -> None:
    folder = vault(tmp_path / "vault", BEFORE, mixed=False)
    env = Environment(variables={}, folder=folder, home=tmp_path / "home", login="sean")
    others = open_workspace(env, vault=str(folder), entity="human:tom", alone=True).view()
    shared = memory_text("Hot tea.\n", id="m_aaaaaaaaaa", access_grants='["*"]')
    assert [*others.rows] == []
    over = others.overlaid({"a/tea.md": shared})
    assert [over.entry(row).path for row in over.rows] == ["a/tea.md"]
    assert over.overlaid({"a/tea.md": BEFORE["a/tea.md"]}).read("a/tea.md") is None
